//! What a test function says about itself: it may return an error, and it may be meant to panic.

use crate::real::{ShouldPanic, TestDesc};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A test as the compiler's harness hands it over.
pub type Body = fn() -> Result<(), String>;

/// Whether it is meant to panic.
pub fn should_panic(desc: &TestDesc) -> bool {
    desc.should_panic != ShouldPanic::No
}

/// Executes the test once. Panics if it fails.
#[track_caller]
pub fn run(body: Body, desc: &TestDesc) {
    let expected = match desc.should_panic {
        ShouldPanic::No => return demand(body()),
        ShouldPanic::Yes => None,
        ShouldPanic::YesWithMessage(message) => Some(message),
    };
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(_) => panic!("the test did not panic, as it should"),
        Err(payload) => match (expected, said(&*payload)) {
            (None, _) => {}
            (Some(expected), Some(said)) if said.contains(expected) => {}
            (Some(expected), Some(said)) => {
                panic!("the test should panic with {expected:?}, but it panicked with {said:?}")
            }
            (Some(_), None) => resume_unwind(payload),
        },
    }
}

fn demand(result: Result<(), String>) {
    // What the harness says of it is a code; the error itself was printed.
    if result.is_err() {
        panic!("the test returned an error, which its output names");
    }
}

/// The message of a panic.
pub fn said(payload: &(dyn Any + Send)) -> Option<&str> {
    payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied())
}
