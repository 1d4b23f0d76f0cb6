//! `std::sync::atomic`, sequentially consistent for now whatever the ordering says. Orderings still decide
//! what synchronises with what, and so what is a data race.

mod cell;
mod integer;

pub use integer::*;
pub use std::sync::atomic::Ordering;
