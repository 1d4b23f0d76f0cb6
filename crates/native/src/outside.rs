//! Calls of the C library that concern the outside world, for facades that replace them: which calls to
//! answer, and the wall clock of an execution. Only the executions of a program that is explored from outside
//! are replaced; a program that explores by itself has the real world.

use crate::runtime::context;
use crate::time;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The start of executions, in seconds since 1970; 0 if calls are not replaced.
static BEGINNING: AtomicU64 = AtomicU64::new(0);

/// Replaces the calls of executions from now on. The wall clock starts each execution at this time, in
/// seconds since 1970.
pub fn take_over(beginning: u64) {
    BEGINNING.store(beginning.max(1), Ordering::SeqCst);
}

/// Called on each thread that is about to explore.
static ON_THREAD: OnceLock<fn()> = OnceLock::new();

/// Calls `prepare` on each thread that is about to explore.
pub fn on_each_thread(prepare: fn()) {
    // There is one facade in a program.
    let _ = ON_THREAD.set(prepare);
}

/// The calling thread is about to explore.
pub(crate) fn prepare_thread() {
    if BEGINNING.load(Ordering::Relaxed) != 0
        && let Some(prepare) = ON_THREAD.get()
    {
        prepare();
    }
}

/// Executions have the real world from now on.
pub fn let_go() {
    BEGINNING.store(0, Ordering::SeqCst);
}

/// Whether the caller is in an execution whose calls are replaced.
pub fn is_taken_over() -> bool {
    BEGINNING.load(Ordering::Relaxed) != 0 && context::current().is_some()
}

/// Reads the wall clock, as the time since 1970. It follows the virtual clock, so this is an operation. None
/// if the caller is not in an execution whose calls are replaced.
#[track_caller]
pub fn now() -> Option<Duration> {
    let beginning = Duration::from_secs(BEGINNING.load(Ordering::Relaxed));
    if beginning.is_zero() {
        return None;
    }
    time::since_the_beginning().map(|passed| beginning + passed)
}

/// Performs operations in a function that must not unwind, since its caller expects a function of the C
/// library. A task that is torn down in the middle is abandoned.
pub fn without_unwinding<R>(operations: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(operations)) {
        Ok(result) => result,
        Err(_) => match context::current() {
            Some(current) => current.suspend_for_ever(),
            None => std::process::abort(),
        },
    }
}
