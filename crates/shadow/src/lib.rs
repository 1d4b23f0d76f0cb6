//! The shim: `std`, `core`, `alloc` and `test` as explored programs see them. Its source is embedded in the command and
//! is built on first use with the user's own compiler, since the libraries of another compiler cannot be linked.

mod bundle;
mod compiler;
mod install;
mod keep;
pub mod protocol;
mod sealed;

pub use compiler::Compiler;
pub use install::{Arcs, Shim, install};

// Compiled into the facade of `test`; what can be tested without the facades is tested here.
#[cfg(test)]
#[allow(dead_code)]
mod symbols;
