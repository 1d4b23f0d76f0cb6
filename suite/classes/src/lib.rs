//! What the oracles beside the reductions share, in the tests of the engine and of the Rust world: which executions are
//! equivalent, and which random programs are tried.
//!
//! Invariant: nothing here uses a reduction or its clocks, so that it can judge them.

pub mod cases;
pub mod classes;
pub mod litmus;
