//! Statics of other types (`static mut`, the state of a spin lock): restored at the start of every execution
//! to their [saved](keep) contents. For programs whose own code does not know of executions. Only the given
//! memory is accessed, which must belong to the program's image and not to the runtime.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes with their address.
type Bytes = Vec<(usize, Box<[u8]>)>;

static KEPT: Mutex<Bytes> = Mutex::new(Vec::new());
/// The number of calls of [`keep`]; 0 if there was none.
static VERSION: AtomicU64 = AtomicU64::new(0);
static CHANGED: AtomicBool = AtomicBool::new(false);

/// Saves the bytes in these ranges, in place of those saved before.
///
/// # Safety
/// Executions own these ranges: nothing outside reads or writes them, and their contents now are a valid
/// start of an execution.
pub unsafe fn keep(ranges: Vec<Range<usize>>) {
    let bytes = |range: Range<usize>| {
        // SAFETY: the caller's.
        let bytes = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) };
        (range.start, bytes.into())
    };
    let mut kept = KEPT.lock().unwrap_or_else(|e| e.into_inner());
    *kept = ranges.into_iter().map(bytes).collect();
    CHANGED.store(false, Ordering::Relaxed);
    VERSION.fetch_add(1, Ordering::Release);
}

/// The ranges that are saved, in ascending order.
pub(crate) fn kept_ranges(ranges: &mut Vec<Range<usize>>) {
    ranges.clear();
    let kept = KEPT.lock().unwrap_or_else(|e| e.into_inner());
    ranges.extend(kept.iter().map(|(from, bytes)| *from..*from + bytes.len()));
    ranges.sort_unstable_by_key(|range| range.start);
}

/// Whether any execution has changed saved bytes. Then executions on several threads are invalid: they share
/// them.
pub fn changed() -> bool {
    CHANGED.load(Ordering::Relaxed)
}

thread_local! {
    /// The bytes that this thread saw last, so that executions need no lock.
    static SEEN: RefCell<(u64, Bytes)> = const { RefCell::new((0, Vec::new())) };
}

/// Restores all changed bytes.
#[inline]
pub(crate) fn put_back() {
    if VERSION.load(Ordering::Relaxed) != 0 {
        put_back_kept();
    }
}

#[cold]
fn put_back_kept() {
    SEEN.with_borrow_mut(|(version, seen)| {
        let newest = VERSION.load(Ordering::Acquire);
        if *version != newest {
            *seen = KEPT.lock().unwrap_or_else(|e| e.into_inner()).clone();
            *version = newest;
        }
        for (from, bytes) in seen.iter() {
            // SAFETY: nothing else uses this memory, as the caller of `keep` promised.
            let now = unsafe { std::slice::from_raw_parts_mut(*from as *mut u8, bytes.len()) };
            if *now != **bytes {
                now.copy_from_slice(bytes);
                CHANGED.store(true, Ordering::Relaxed);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_and_nothing_else() {
        static mut INSIDE: [u64; 2] = [1, 2];
        static mut OUTSIDE: u64 = 3;
        let from = &raw mut INSIDE as usize;
        // SAFETY: only this test uses these statics.
        unsafe {
            let inside = from..from + 16;
            keep(vec![inside]);
            (&raw mut INSIDE).write_volatile([7, 8]);
            (&raw mut OUTSIDE).write_volatile(9);
            assert!(!changed());
            put_back();
            assert!(changed());
            assert_eq!((&raw const INSIDE).read_volatile(), [1, 2]);
            assert_eq!((&raw const OUTSIDE).read_volatile(), 9);
            keep(Vec::new());
        }
    }
}
