//! The bugs under shuttle.

#[path = "bugs/mod.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source under another runtime")]
mod bugs;

/// The runtime of the bugs.
mod rt {
    pub use shuttle::{hint, sync, thread};
}

pub use bugs::*;
