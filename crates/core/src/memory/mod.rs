//! Memory models: which stores a load may read, and which place in modification order a store may take.
//!
//! The state of an execution is its [`Graph`]: events with program order, reads-from, modification order and what the
//! program's locks order. The interface is operational: a task's next [`Request`] has [options](Graph::options), of which
//! one is [taken](Graph::take), and the last events can be [truncated](Graph::truncate); so each search that picks tasks and
//! options works on every model. A choice is a store, by identity, and not its number among the options.
//!
//! # The models
//! A graph is consistent under a [`Model`] if one predicate holds; each prefix of an execution is consistent. Events are
//! added after their causal past (program order, reads-from, locks), so that is acyclic: load buffering is not modelled.
//! - [`Model::Rc11`] (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017, with the release sequences of C++20): happens-before
//!   followed by at most one of reads-from, modification order and from-reads (eco) is irreflexive, an update stands right
//!   after its source, and psc is acyclic (`rc11`).
//! - [`Model::Sc`], [`Model::Tso`], [`Model::Pso`]: one global order of the events, which reads go by (`global_order`).
//!   Programs are taken as compiled to such a machine: a SeqCst store, a read-modify-write, a compare-exchange and a SeqCst
//!   fence are full barriers; under PSO a release store comes after all earlier stores, and a release fence keeps stores
//!   apart.
//!
//! An update is one event, as in C++20: split in two, the program order between its halves would forbid an outcome of
//! `Z6.U` that the leading-fence compilation to POWER has, and for which RC11 was made.

mod choice;
mod clocks;
mod event;
mod explanation;
mod global_order;
mod graph;
mod options;
mod order;
mod placed;
mod rc11;
mod restricted;
mod strengthen;

use crate::operation::TaskId;
pub use choice::Memory;
pub use event::{Event, EventId, Label, Place, Request};
pub use explanation::{
    AtomicAccess, Explored, MemoryExplanation, MissingEdge, OnlyWeak, StaleLoad, Strengthening,
    StrongerOrdering,
};
pub use graph::Graph;
pub use order::Order;
pub use placed::PlacedGraph;
pub use restricted::{Restricted, kept_predecessor};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
pub use strengthen::Strengthener;

/// A world whose tasks access memory under a model: a capability, shown at each [`Point`](crate::world::Point).
///
/// The graph has one event for each step of the execution, with the same number. Steps that access its places have the
/// usual [`Accesses`](crate::operation::Accesses) to an object; only a reduction that follows the graph does without them.
/// It cannot decide yet how to continue where an operation conflicts with everything, where there are phantoms, or where the
/// world says so. Nor does it run unobserved: its options are not drawn uniformly.
pub trait WeakMemory {
    /// The execution so far.
    fn graph(&self) -> &Graph;
    /// Whether it is not known how the executions that begin like this one are reduced.
    fn is_beyond_reduction(&self) -> bool {
        false
    }
    /// Where the pending operation of `task` accesses the graph, if it does.
    fn place(&self, task: TaskId) -> Option<Place>;
    /// The options of the pending operation of `task`, if it accesses a place of the graph.
    fn choices(&self, task: TaskId) -> &[EventId];
}

/// A memory model of atomics.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Sequential consistency, with any ordering: one order of all events, in which a load reads the last store before it.
    #[default]
    Sc,
    /// Total store order, as of x86: the stores of a task wait in a queue. Programs are taken as compiled to such a machine.
    Tso,
    /// Partial store order: they wait in a queue for each atomic.
    Pso,
    /// The memory model of Rust and C++20, without load buffering (RC11).
    Rc11,
}

impl Model {
    /// Every model, with its name.
    pub const ALL: [(Model, &str); 4] =
        [(Model::Sc, "sc"), (Model::Tso, "tso"), (Model::Pso, "pso"), (Model::Rc11, "rc11")];
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Model::ALL.into_iter().find(|(model, _)| model == self).expect("all of them");
        f.write_str(name)
    }
}

impl FromStr for Model {
    type Err = String;
    fn from_str(text: &str) -> Result<Model, String> {
        let found = Model::ALL.into_iter().find(|(_, name)| *name == text);
        let names = || Model::ALL.map(|(_, name)| name).join(", ");
        found
            .map(|(model, _)| model)
            .ok_or_else(|| format!("there is no memory model `{text}`; there are {}", names()))
    }
}
