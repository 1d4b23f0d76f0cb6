//! std's count of panics under way, one for each task instead of one for each operating-system thread.
//!
//! Many tasks share a thread, and a task can be suspended in the middle of unwinding. Its count goes with it:
//! set aside when it is suspended, put back when it goes on. So `std::thread::panicking()` is right in every
//! task, also inside of code that is not ours, and a task that never goes on leaves nothing behind.
//!
//! std does not say where it keeps the count, so it is found by watching which word of the thread's own
//! memory follows two nested panics.

use crate::runtime::image;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;

/// See [`image::own_variable`].
static DISTANCE: OnceLock<Option<isize>> = OnceLock::new();

/// Where std keeps the count of one operating-system thread.
pub(crate) struct PanicCount(*mut usize);

impl PanicCount {
    /// That of the calling thread, which must not be panicking.
    pub fn of_this_thread() -> PanicCount {
        match image::own_variable(&DISTANCE, || Some(PanicCount::find().0 as usize)) {
            Some(place) => PanicCount(place as *mut usize),
            None => PanicCount::find(),
        }
    }

    fn find() -> PanicCount {
        let mut words = Words::of_this_thread();
        let unwind = |during: &mut dyn FnMut()| {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _during = OnDrop(during);
                resume_unwind(Box::new(()));
            }));
        };
        words.keep(0);
        unwind(&mut || {
            words.keep(1);
            unwind(&mut || words.keep(2));
            words.keep(1);
        });
        words.keep(0);
        match words.0[..] {
            [count] => PanicCount(count),
            _ => panic!("raddle: this version of std counts panics in a way that raddle does not know"),
        }
    }

    /// The count, which is 0 from now on.
    pub fn take(&self) -> usize {
        self.replace(0)
    }

    /// Sets the count and returns the old one.
    pub fn replace(&self, count: usize) -> usize {
        // SAFETY: a word of this thread's own memory, which only std's functions on this thread use.
        unsafe {
            let before = self.0.read_volatile();
            self.0.write_volatile(count);
            before
        }
    }
}

/// Words of a thread's own memory that may be the count.
struct Words(Vec<*mut usize>);

impl Words {
    fn of_this_thread() -> Words {
        Words(image::own_words_of_this_thread().into_iter().map(|a| a as *mut usize).collect())
    }
    /// Drops those that do not hold `value`.
    fn keep(&mut self, value: usize) {
        // SAFETY: aligned words of this thread's own memory; all bit patterns are numbers.
        self.0.retain(|word| unsafe { word.read_volatile() } == value);
    }
}

struct OnDrop<'a>(&'a mut dyn FnMut());

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_aside_and_puts_back() {
        let count = PanicCount::of_this_thread();
        assert_eq!(count.take(), 0);
        let mut seen = Vec::new();
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let mut during = || {
                let panics = count.take();
                seen.push((panics, std::thread::panicking()));
                count.replace(panics);
                seen.push((panics, std::thread::panicking()));
            };
            let _during = OnDrop(&mut during);
            resume_unwind(Box::new(()));
        }));
        assert_eq!(seen, [(1, false), (1, true)]);
        assert!(!std::thread::panicking());
    }

    #[test]
    fn the_distance_leads_to_what_was_found() {
        for _ in 0..3 {
            let found = std::thread::spawn(|| {
                (PanicCount::find().0 as usize, PanicCount::of_this_thread().0 as usize)
            });
            let (found, known) = found.join().unwrap();
            assert_eq!(found, known);
        }
    }

    #[test]
    fn every_thread_has_its_own() {
        let mine = PanicCount::of_this_thread().0 as usize;
        let other = std::thread::spawn(|| PanicCount::of_this_thread().0 as usize).join().unwrap();
        assert_ne!(mine, other);
    }
}
