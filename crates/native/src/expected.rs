//! Panics that a test expects. Under the usual harness a `#[should_panic]` test passes if its own thread
//! panics, whatever detached threads did: often it panics because one of them did.

use std::sync::atomic::{AtomicBool, Ordering};

static OF_THREADS: AtomicBool = AtomicBool::new(false);

/// Sets whether panics of detached threads are no failures, in the whole process.
pub fn allow_panics_of_threads(allowed: bool) {
    OF_THREADS.store(allowed, Ordering::Relaxed);
}

pub(crate) fn are_panics_of_threads() -> bool {
    OF_THREADS.load(Ordering::Relaxed)
}
