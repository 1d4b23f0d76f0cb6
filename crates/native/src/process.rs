//! `std::process::exit`, which in an exploration ends the execution and not the process.

use crate::runtime::context;
use raddle_core::fact::{Fact, Relation};
use raddle_core::verdict::{Cause, Defect};
use std::panic::Location;

/// See [`std::process::exit`]. A program that exits during an exploration has failed.
#[track_caller]
pub fn exit(code: i32) -> ! {
    let Some(current) = context::current() else { std::process::exit(code) };
    let name = current.with(|e| e.my_name());
    let defect = Defect::of(Cause::ExitedProcess { task: name.clone(), code });
    current.fail(defect.with(Fact::of(name, Relation::Exited).at(Some(Location::caller().into()))))
}
