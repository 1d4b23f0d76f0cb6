//! `std::sync::atomic`, sequentially consistent for now with any ordering. Orderings still decide what
//! synchronises, and so what is a data race.
//!
//! They have the layout of std's. Unlike those they have something to drop (not so under `cargo raddle`, where they stand
//! for std's): a `union` needs `ManuallyDrop` around them.

mod boolean;
mod cell;
mod drop_notice;
mod fence;
mod integer;
mod ordering;
mod pointer;
mod shared;

pub use boolean::*;
#[allow(deprecated)]
pub use fence::{compiler_fence, fence, spin_loop_hint};
pub use integer::*;
pub use pointer::AtomicPtr;
pub use std::sync::atomic::Ordering;
