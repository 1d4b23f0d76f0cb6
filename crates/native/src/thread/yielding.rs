//! Giving way.

use crate::runtime::context;
use crate::runtime::operation::{Op, Verb};
use std::panic::Location;

static YIELD_NOW: Verb = Verb::local("yield_now").yielding();

/// See [`std::thread::yield_now`].
#[track_caller]
pub fn yield_now() {
    match context::current() {
        None => std::thread::yield_now(),
        Some(current) => {
            current.perform(Op::plain(&YIELD_NOW, Location::caller()));
        }
    }
}
