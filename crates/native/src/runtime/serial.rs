//! Serial numbers of executions.
//!
//! Invariant: a number is unique in the process. Workers take them in blocks, so that they do not share a cache line.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

const BLOCK: u64 = 1 << 12;

static NEXT_BLOCK: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A number that no other execution of this process has; never 0.
pub(crate) fn next() -> u64 {
    NEXT.with(|next| {
        if next.get() % BLOCK == 0 {
            next.set(NEXT_BLOCK.fetch_add(1, Ordering::Relaxed) * BLOCK);
        }
        next.set(next.get() + 1);
        // The last number of a block is its multiple of BLOCK, which makes the next call take a new one.
        next.get()
    })
}
