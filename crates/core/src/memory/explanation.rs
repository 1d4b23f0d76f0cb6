//! What the orderings of a program have to do with a failure, as facts.

use super::Order;
use crate::record::Place;
use serde::{Deserialize, Serialize};

/// What the orderings of a program have to do with a failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryExplanation {
    /// Nothing: it happens under sequential consistency, too.
    AlsoSequential,
    /// It was not found under sequential consistency.
    OnlyWeak(Box<OnlyWeak>),
}

/// A failure that was not found under sequential consistency.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OnlyWeak {
    /// What was explored there.
    pub sequential: Explored,
    /// The loads that read an older store than the last one.
    pub missed: Vec<StaleLoad>,
    /// The weakest stronger orderings without which it happens, of equal cost; empty if none was found.
    pub strengthenings: Vec<Strengthening>,
}

/// What a search without a failure explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Explored {
    /// How many executions.
    pub executions: u64,
    /// Whether these are all.
    pub exhaustive: bool,
}

/// An access to an atomic.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AtomicAccess {
    /// The name of the task.
    pub task: String,
    /// Its number among the steps of the trace.
    pub step: usize,
    /// Where.
    pub place: Place,
    /// The ordering that it has.
    pub order: Order,
}

/// A load that read an older store than the last one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StaleLoad {
    /// The load.
    pub load: AtomicAccess,
    /// The store that it read; none for the initial value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<AtomicAccess>,
    /// The first newer store that it did not see.
    pub newer: AtomicAccess,
    /// How many others there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: usize,
    /// Where the newer store came before the load by reads that do not synchronise: the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingEdge>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A store and a read of it that do not synchronise.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MissingEdge {
    /// The store.
    pub store: AtomicAccess,
    /// The read.
    pub load: AtomicAccess,
}

/// Stronger orderings without which a failure happens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Strengthening {
    /// The orderings.
    pub orderings: Vec<StrongerOrdering>,
    /// What was explored with them.
    pub explored: Explored,
}

/// An operation with an ordering that it does not have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct StrongerOrdering {
    /// Where it is.
    pub place: Place,
    /// The ordering.
    pub order: Order,
}
