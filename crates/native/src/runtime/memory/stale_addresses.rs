//! What an execution leaves behind: atomics and cells that it used and that are still there when it is over.
//! If the next execution uses one of them, it did not make it: memory that was not freed is not given out
//! again. So what the closure brought along is noticed, although it has no room for an identity.
//!
//! Each worker has its own list. It hears of everything that is freed on its thread, in executions and between
//! them; without an allocator that reports it, nothing is kept.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::sync::OnceLock;

thread_local! {
    /// In ascending order.
    static LEFT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// How many they are.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The run is over, and these are still there.
pub(crate) fn remember(addresses: impl Iterator<Item = usize>) {
    if hears_what_is_freed() {
        keep(addresses);
    }
}

fn keep(addresses: impl Iterator<Item = usize>) {
    // What was left there is gone.
    let mut addresses = addresses.filter(|address| !crate::arena::begins_anew(*address)).peekable();
    if COUNT.get() == 0 && addresses.peek().is_none() {
        return;
    }
    LEFT.with_borrow_mut(|left| {
        left.clear();
        left.extend(addresses);
        left.sort_unstable();
        COUNT.set(left.len());
    });
}

/// Whether the last execution left something at this address.
#[inline]
pub(crate) fn contains(address: usize) -> bool {
    COUNT.get() > 0 && LEFT.with_borrow(|left| left.binary_search(&address).is_ok())
}

/// This memory is freed.
#[inline]
pub(crate) fn forget(from: usize, size: usize) {
    if COUNT.get() > 0 {
        forget_some(from, size);
    }
}

#[cold]
fn forget_some(from: usize, size: usize) {
    // The list frees memory of its own while it is borrowed, and the thread frees the list at its end.
    let _ = LEFT.try_with(|left| {
        if let Ok(mut left) = left.try_borrow_mut() {
            let first = left.partition_point(|address| *address < from);
            let last = left.partition_point(|address| *address < from.saturating_add(size));
            left.drain(first..last);
            COUNT.set(left.len());
        }
    });
}

/// Whether the program's allocator is [`crate::alloc::Allocator`], or one on top of it. The first call is made outside of
/// executions.
pub(crate) fn hears_what_is_freed() -> bool {
    static HEARS: OnceLock<bool> = OnceLock::new();
    *HEARS.get_or_init(probe)
}

/// Whether it is heard that a block is freed.
fn probe() -> bool {
    let probe = black_box(Box::new(0u64));
    keep(std::iter::once(&raw const *probe as usize));
    drop(probe);
    let is_heard = COUNT.get() == 0;
    // What was not heard of must not be taken for something that an execution left behind.
    keep(std::iter::empty());
    is_heard
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests of this crate have the system's allocator. An atomic at the probe's address was once taken for one of another
    /// execution.
    #[test]
    fn the_probe_leaves_nothing_behind() {
        std::thread::spawn(|| {
            assert!(!probe() && !hears_what_is_freed());
            assert_eq!(COUNT.get(), 0);
            remember([64, 128].into_iter());
            assert!(!contains(64));
        })
        .join()
        .unwrap();
    }
}
