//! A last judgement when a process ends: what no single test of it can know.

use crate::output;
use std::sync::OnceLock;

type Judge = fn() -> Result<(), String>;

static JUDGE: OnceLock<Judge> = OnceLock::new();

/// Lets the process end with an error, as a failed test, if `judge` has one then. Only the first judge counts.
pub fn at_exit(judge: Judge) {
    extern "C" fn handler() {
        if let Some(Err(error)) = JUDGE.get().map(|judge| judge()) {
            output::error(error);
            // SAFETY: the process is about to end; other handlers of this kind do not run.
            unsafe { libc::_exit(101) };
        }
    }
    if JUDGE.set(judge).is_ok() {
        // SAFETY: the function is there until the process ends. If there is no room for it, there is no judgement.
        unsafe { libc::atexit(handler) };
    }
}
