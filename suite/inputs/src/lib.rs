//! Everything that raddle reads from outside, as functions of bytes: tickets, searches, compiled modules, terms, patterns, command
//! lines. What is read is either what was meant or refused; nothing else may happen, whatever the bytes are.
//!
//! The targets of `cargo fuzz` (folder `fuzz`) call these functions; so does the runner here, which needs the stable compiler
//! only, on the corpora in `fuzz/corpus` and on seeded mutations of them.

pub mod contents;
pub mod faults;
pub mod mutation;
pub mod runner;
pub mod table;
mod targets;

pub use targets::{Seen, TARGETS, Target, corpora, try_bytes};
