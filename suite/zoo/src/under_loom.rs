//! The bugs under loom.

#[path = "bugs/mod.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source under another runtime")]
mod bugs;

/// The runtime of the bugs.
mod rt {
    pub use loom::{hint, sync, thread};
}

pub use bugs::*;
