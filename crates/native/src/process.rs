//! `std::process::exit`, which in an exploration ends the execution and not the process.

use crate::runtime::context;
use raddle_core::verdict::{Defect, FailureKind};
use std::panic::Location;

/// See [`std::process::exit`]. A program that exits during an exploration has failed.
#[track_caller]
pub fn exit(code: i32) -> ! {
    let Some(current) = context::current() else { std::process::exit(code) };
    let name = current.with(|e| e.my_name());
    let defect = Defect::new(FailureKind::Panic, format!("{name} ended the process with exit code {code}"));
    current.fail(defect.note(format!("{name} called exit here"), Some(Location::caller().into())))
}
