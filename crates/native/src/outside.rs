//! Calls of the C library that have to do with the world outside of the program, for facades that take them over: which
//! of them are theirs to answer, and what the clock on the wall shows in an execution.
//!
//! Only the executions of a program that somebody else explores are taken over. A program that explores by itself has
//! the real world, and its checks know what they do.

use crate::runtime::context;
use crate::time;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// When executions begin, in seconds since 1970; 0 if they are not taken over.
static BEGINNING: AtomicU64 = AtomicU64::new(0);

/// From now on the calls of executions are taken over, and the clock on the wall shows this time, in seconds since 1970,
/// when one begins.
pub fn take_over(beginning: u64) {
    BEGINNING.store(beginning.max(1), Ordering::SeqCst);
}

/// From now on executions have the real world.
pub fn let_go() {
    BEGINNING.store(0, Ordering::SeqCst);
}

/// Whether the caller is in an execution that is taken over.
pub fn is_taken_over() -> bool {
    BEGINNING.load(Ordering::Relaxed) != 0 && context::current().is_some()
}

/// Reads the clock on the wall, as the time since 1970. It goes with the execution's own clock, and so is an operation.
/// None if the caller is not in an execution that is taken over.
#[track_caller]
pub fn now() -> Option<Duration> {
    let beginning = Duration::from_secs(BEGINNING.load(Ordering::Relaxed));
    if beginning.is_zero() {
        return None;
    }
    time::since_the_beginning().map(|passed| beginning + passed)
}

/// Does operations in a function that nothing may unwind out of, since its caller takes it for one of the C library. A
/// task that is put away in the middle of them is left as it is.
pub fn without_unwinding<R>(operations: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(operations)) {
        Ok(result) => result,
        Err(_) => match context::current() {
            Some(current) => current.suspend_for_ever(),
            None => std::process::abort(),
        },
    }
}
