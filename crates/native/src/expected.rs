//! Panics that a test is meant to make. Under the usual harness a `#[should_panic]` test passes if it panics itself,
//! whatever became of threads that nobody joins: often it does so because one of them has panicked.

use std::sync::atomic::{AtomicBool, Ordering};

static OF_THREADS: AtomicBool = AtomicBool::new(false);

/// Whether panics of threads that nobody joins are no failures, from now on and in the whole process.
pub fn allow_panics_of_threads(allowed: bool) {
    OF_THREADS.store(allowed, Ordering::Relaxed);
}

pub(crate) fn are_panics_of_threads() -> bool {
    OF_THREADS.load(Ordering::Relaxed)
}
