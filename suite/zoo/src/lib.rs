//! The bugs of the zoo, for each tool in a module of its own: the same source with that tool's threads and locks.
//!
//! Invariant: the programs are in `bugs` alone, so that a comparison of tools is one of the same programs.

#[cfg(feature = "loom")]
pub mod under_loom;
pub mod under_raddle;
#[cfg(feature = "shuttle")]
pub mod under_shuttle;
