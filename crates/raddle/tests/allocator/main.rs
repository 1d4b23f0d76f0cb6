//! All tests of the library that install raddle's allocator, as one program: cells on the heap are judged, and cells and
//! atomics in memory that is used again are told apart.

mod atomics;
mod cells;
mod channels;
#[path = "../verdicts/child.rs"]
mod child;
mod choice;
mod clean;
mod common;
#[path = "../freed/mod.rs"]
mod freed;
mod futures;
mod handovers;
mod locks;
mod memory;

#[global_allocator]
static ALLOCATOR: raddle::alloc::Allocator = raddle::alloc::Allocator::new();
