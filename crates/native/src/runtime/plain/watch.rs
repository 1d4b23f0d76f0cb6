//! Which accesses of the running thread are looked at: the question that each callback asks first.
//!
//! Invariant: what is skipped costs one comparison. Outside of executions, and between tasks, all of memory is skipped; inside,
//! the running task's own stack; or, where tasks touch the stacks of others, the frames that it has made since its last
//! operation: no other task has run since, so none knows of them.

use std::cell::Cell;
use std::ops::Range;

thread_local! {
    /// The first address that is skipped, and how many.
    static SKIPPED: Cell<(usize, usize)> = const { Cell::new(ALL) };
    /// Code of ours runs that is compiled into the program.
    static PAUSED: Cell<bool> = const { Cell::new(false) };
}

const ALL: (usize, usize) = (0, usize::MAX);

/// Whether an access to this address is of no interest.
#[inline(always)]
pub(super) fn skips(address: usize) -> bool {
    let (from, length) = SKIPPED.get();
    address.wrapping_sub(from) < length
}

/// A task goes on; no other task knows of this part of its stack.
#[inline]
pub(in crate::runtime) fn skip(stack: Range<usize>) {
    SKIPPED.set((stack.start, stack.len()));
}

/// No task runs.
#[inline]
pub(in crate::runtime) fn skip_all() {
    SKIPPED.set(ALL);
}

/// Whether a task runs whose accesses are looked at.
#[inline]
pub(super) fn is_on() -> bool {
    SKIPPED.get() != ALL
}

/// While this lives, nothing is looked at, and what is allocated is never looked at: our own state that tasks share, in
/// generic code that is compiled into the program.
pub(crate) struct Paused(bool);

/// What follows is our own.
#[inline]
pub(crate) fn pause() -> Paused {
    // Elsewhere nothing is looked at.
    Paused(cfg!(feature = "arena") && PAUSED.replace(true))
}

impl Drop for Paused {
    #[inline]
    fn drop(&mut self) {
        if cfg!(feature = "arena") {
            PAUSED.set(self.0);
        }
    }
}

#[inline]
pub(super) fn is_paused() -> bool {
    PAUSED.get()
}
