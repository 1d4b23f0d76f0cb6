//! Finds the interleaving that breaks a concurrent program, shows it so that a person sees why, and replays it
//! for ever.

mod checker;
mod report;

pub use checker::Checker;
pub use raddle_core::clock::Time;
pub use raddle_core::verdict::{Coverage, Failure, FailureKind};
pub use raddle_native::Detached;
pub use raddle_native::{alloc, cell, choice, future, hint, sync, thread, time};
pub use report::Report;

#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: alloc::Allocator = alloc::Allocator::system();
