//! `std::thread::yield_now`: a local operation that yields.

use crate::runtime::context;
use crate::runtime::operation::{Op, OperationKind};
use std::panic::Location;

static YIELD_NOW: OperationKind = OperationKind::local("yield_now").yielding();

/// See [`std::thread::yield_now`].
#[track_caller]
pub fn yield_now() {
    match context::current() {
        None => std::thread::yield_now(),
        Some(current) => {
            if !current.with(|e| e.pauses_already(&YIELD_NOW)) {
                current.perform(Op::plain(&YIELD_NOW, Location::caller()));
            }
        }
    }
}
