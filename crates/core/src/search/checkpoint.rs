//! A search saves itself while it goes on: its workers pause between two executions, and what they have found and what is
//! left to explore is passed on.
//!
//! Invariant: a checkpoint is taken while no worker is inside an execution, so each execution is either counted in it or
//! below one of its unexplored subtrees, and never both.

use super::Tally;
use crate::strategy::SavedSubtree;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A search at one moment.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The findings so far, with outcomes as text.
    pub found: Tally<String>,
    /// The unexplored subtrees; there is at least one.
    pub left: Vec<SavedSubtree>,
    /// The fraction of the tree that is explored.
    pub explored: f64,
    /// The largest bound that has been explored completely, where a bound grows.
    pub finished_bound: Option<u32>,
}

/// When checkpoints are taken, and who receives them.
#[derive(Clone)]
pub struct Checkpoints {
    /// The time between two of them; with none, there is one after each execution.
    pub every: Duration,
    /// Called by a worker while the others go on.
    pub take: Arc<dyn Fn(Checkpoint) + Send + Sync>,
}

impl fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints").field("every", &self.every).finish_non_exhaustive()
    }
}
