//! Makes the choices of a search, and knows nothing else. A strategy is one file here: it never sees a world,
//! a budget or a clock on the wall.

mod bounded;
mod bounds;
mod dfs;
mod dpor;
mod go_explore;
mod no_preempt;
mod novelty;
mod optimal;
mod pace;
mod pct;
mod places;
mod polite;
mod portfolio;
mod pos;
mod preemption_bounding;
mod prefix;
mod procrastinate;
mod random;
mod reads_from;
mod replay;
mod sample;
mod sampler;
mod saved;
mod sites;
mod surw;
mod swarm;
mod within;
mod wrapper;

pub use bounded::Bounded;
pub use bounds::Bounds;
pub use dfs::Dfs;
pub use dpor::{OptimalDpor, SavedReduction};
pub use go_explore::GoExplore;
pub use no_preempt::NoPreempt;
pub use optimal::Optimal;
pub use pct::Pct;
pub use places::Places;
pub use portfolio::Portfolio;
pub use pos::Pos;
pub use preemption_bounding::PreemptionBounding;
pub use prefix::Prefix;
pub use procrastinate::Procrastinate;
pub use random::Random;
pub use reads_from::ReadsFrom;
pub use replay::Replay;
pub use sample::Sample;
pub use sampler::Sampler;
pub use saved::SavedSubtree;
pub use surw::Surw;
pub use swarm::Swarm;
pub use within::Within;
pub use wrapper::{Wrapped, Wrapper};

use crate::random::Rng;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
pub use crate::world::Decision;
use crate::world::{Ending, Pick, Point};

/// How the next execution begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The first so many steps are those of the last trace; then the strategy is asked.
    From(usize),
    /// There is nothing left to explore.
    Exhausted,
}

/// How much of an execution a strategy looks at.
#[derive(Clone, Debug)]
pub enum Observation {
    /// Each point, and what operations would have been after other prefixes: see
    /// [`Counterfactual`](crate::world::Counterfactual). Worlds keep a history for it.
    Counterfactuals,
    /// Each point.
    Points,
    /// Nothing: it draws uniformly with these numbers and learns nothing. It is asked to choose only if the execution
    /// turns out to be worth a record.
    Nothing(Rng),
}

/// Whether an execution that came to its end counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It does.
    Counts,
    /// An equivalent one is explored elsewhere, or it lies outside of what is explored.
    Redundant,
}

/// Makes the choices of a search.
pub trait Strategy: Send {
    /// Begins execution number `execution` (from 0).
    fn begin(&mut self, execution: u64) -> Next;
    /// Chooses at a point where at least one task is enabled. Also asked where there is only one choice.
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision;
    /// Nothing more happens in this execution. Not asked if the strategy gave it up, or if it was not deterministic.
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        let _ = (so_far, point, ending);
        Standing::Counts
    }
    /// The execution is over, in whatever way.
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        let _ = (trace, verdict);
    }
    /// What it means when `executions` of this strategy are done and it has nothing left to explore (or, for
    /// sampling, when the budget is used up). Asked before a search and when a subtree is done.
    fn extent(&self, executions: u64) -> Extent;
    /// How much of the present execution it looks at.
    fn observes(&self) -> Observation {
        Observation::Counterfactuals
    }
    /// Dividing the work among workers and over time, if it can.
    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        None
    }
    /// Telling how far it has come, if it can.
    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        None
    }
}

/// A strategy whose work can be divided: among workers, and between this process and a later one.
pub trait Divisible {
    /// Gives away a subtree, for another worker; none if there is too little left.
    fn split(&mut self) -> Option<Box<dyn Strategy>>;
    /// The picks with which the first execution of a subtree that was split off starts.
    fn prefix(&mut self) -> &[Pick] {
        &[]
    }
    /// What is left to explore, as subtrees for [`Divisible::resume`]. The search may go on as if this had not been
    /// asked. None if it cannot be written down.
    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        None
    }
    /// A strategy that explores a subtree that one like this has saved.
    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let _ = subtree;
        Err("this strategy cannot go on where another one was".to_owned())
    }
}

/// A strategy that knows how far it has come.
pub trait Estimating {
    /// How much of the whole tree it has explored since it was asked last, as far as it can tell: all subtrees together
    /// come to 1 in the end. Less than nothing if it had been too much.
    fn explored(&mut self) -> f64;
    /// The most that it held at once so far, in steps and picks; 0 if that does not grow with the search.
    fn peak(&self) -> u64 {
        0
    }
}
