//! The keys with which std seeds hash maps, the same in every execution: how a map is ordered must not differ from one
//! run of the same schedule to the next.
//!
//! std draws two random numbers for each operating-system thread and adds one to the first with every map. It does not
//! say where it keeps them, so they are found by watching which words of the thread's own memory follow. They are set anew
//! before every operation, so that what a task sees does not depend on the maps that other tasks make.

use crate::runtime::image;
use std::collections::BTreeSet;
use std::hash::RandomState;
use std::sync::OnceLock;

/// See [`image::own_variable`].
static DISTANCE: OnceLock<Option<isize>> = OnceLock::new();

const FIXED: [u64; 2] = [0x7261_6464_6c65_0001, 0x6861_7368_6b65_7973];

/// Where std keeps the keys of one operating-system thread. They are the thread's own again when this is dropped.
pub(crate) struct HashKeys {
    place: *mut [u64; 2],
    own: [u64; 2],
}

impl HashKeys {
    const UNKNOWN: HashKeys = HashKeys { place: std::ptr::null_mut(), own: [0; 2] };

    /// Those of the calling thread. If this version of std keeps them in another way, they stay as they are.
    pub fn of_this_thread() -> HashKeys {
        let Some(place) = image::own_variable(&DISTANCE, find) else { return HashKeys::UNKNOWN };
        // std makes the keys of a thread when it first needs them, and would overwrite ours.
        draw();
        let place = place as *mut [u64; 2];
        // SAFETY: two words of this thread's own memory, which only std's functions on this thread use.
        HashKeys { place, own: unsafe { place.read_volatile() } }
    }

    /// The thread has its own keys again, until they are taken again.
    pub fn give_back(&mut self) {
        self.set(self.own);
    }

    /// Takes over the keys again, after [`HashKeys::give_back`].
    pub fn take_again(&mut self) {
        if !self.place.is_null() {
            // SAFETY: two words of this thread's own memory, which only std's functions on this thread use.
            self.own = unsafe { self.place.read_volatile() };
        }
    }

    /// The next map is the first.
    #[inline]
    pub fn reset(&self) {
        self.set(FIXED);
    }

    #[inline]
    fn set(&self, keys: [u64; 2]) {
        if !self.place.is_null() {
            // SAFETY: two words of this thread's own memory, which only std's functions on this thread use.
            unsafe { self.place.write_volatile(keys) };
        }
    }
}

impl Drop for HashKeys {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// The keys of a new map.
fn draw() -> Option<[u64; 2]> {
    if size_of::<RandomState>() != size_of::<[u64; 2]>() {
        return None;
    }
    // SAFETY: the sizes are the same, and any bytes are two numbers.
    Some(unsafe { std::mem::transmute_copy::<RandomState, [u64; 2]>(&RandomState::new()) })
}

fn find() -> Option<usize> {
    let next = |[first, second]: [u64; 2]| [first.wrapping_add(1), second];
    let mut places = image::own_words_of_this_thread();
    // Two words are read from each place.
    let known: BTreeSet<usize> = places.iter().copied().collect();
    places.retain(|place| known.contains(&(place + size_of::<u64>())));
    for _ in 0..3 {
        let drawn = draw()?;
        // SAFETY: aligned words of this thread's own memory; all bit patterns are numbers.
        places.retain(|place| unsafe { (*place as *const [u64; 2]).read_volatile() } == next(drawn));
    }
    match places[..] {
        [place] => Some(place),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_seeded_alike_after_a_reset() {
        let keys = HashKeys::of_this_thread();
        assert!(
            !keys.place.is_null(),
            "this version of std keeps its keys in a way that raddle does not know"
        );
        let seeds = || {
            keys.reset();
            [draw().unwrap(), draw().unwrap()]
        };
        let first = seeds();
        assert_ne!(first[0], first[1]);
        assert_eq!(first, seeds());
        assert_eq!(first[0], FIXED);
        let others = std::thread::spawn(|| {
            let before = draw().unwrap();
            let keys = HashKeys::of_this_thread();
            keys.reset();
            let seeds = [draw().unwrap(), draw().unwrap()];
            drop(keys);
            // The one before, the one that made sure that there are keys, and this one.
            assert_eq!(draw().unwrap(), [before[0].wrapping_add(2), before[1]]);
            seeds
        });
        assert_eq!(others.join().unwrap(), first);
    }
}
