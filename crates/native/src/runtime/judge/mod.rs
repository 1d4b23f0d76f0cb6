//! What is wrong with an execution: panics, data races, deadlocks by reading a lock again.

pub(crate) mod panics;
pub(crate) mod race;
pub(in crate::runtime) mod rereads;
mod sync_clocks;
