//! `std::sync::atomic`, sequentially consistent for now with any ordering. Orderings still decide what
//! synchronises, and so what is a data race.

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
