//! Makes the choices of a search. A strategy is one file here: it is independent of worlds, budgets and real time.

mod atomic_steps;
mod bounded;
mod bounds;
mod dfs;
mod dpor;
mod go_explore;
mod no_preempt;
mod novelty;
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

pub use atomic_steps::{AtomicSteps, Stretch};
pub use bounded::Bounded;
pub use bounds::Bounds;
pub use dfs::Dfs;
pub use dpor::{OptimalDpor, SavedReduction};
pub use go_explore::GoExplore;
pub use no_preempt::NoPreempt;
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
    /// There is nothing more to explore.
    Exhausted,
}

/// How much of an execution a strategy observes.
#[derive(Clone, Debug)]
pub enum Observation {
    /// Each point, and what operations would have been after other prefixes: see
    /// [`Counterfactual`](crate::world::Counterfactual). Worlds record a history for it.
    Counterfactuals,
    /// Each point.
    Points,
    /// Nothing: it draws uniformly with these numbers and learns nothing. It is asked to choose only if the execution
    /// needs a record.
    Nothing(Rng),
}

/// Whether an execution that ended counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It does.
    Counts,
    /// An equivalent execution is explored elsewhere, or it is outside the bounds.
    Redundant,
}

/// Makes the choices of a search.
pub trait Strategy: Send {
    /// Begins execution number `execution` (from 0).
    fn begin(&mut self, execution: u64) -> Next;
    /// Chooses at a point where at least one task is enabled. Also called where there is only one choice.
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision;
    /// The execution is over. Not called if the strategy abandoned it, or if it was not deterministic.
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        let _ = (so_far, point, ending);
        Standing::Counts
    }
    /// The execution is over, in whatever way.
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        let _ = (trace, verdict);
    }
    /// The extent after `executions` executions, when there is nothing more to explore (or, for sampling, when the
    /// budget is used up). Called before a search and when a subtree is done.
    fn extent(&self, executions: u64) -> Extent;
    /// How much of the present execution it observes.
    fn observes(&self) -> Observation {
        Observation::Counterfactuals
    }
    /// Dividing the work among workers and processes, if it can.
    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        None
    }
    /// Estimating its progress, if it can.
    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        None
    }
}

/// A strategy whose work can be divided: among workers, and between this process and a later one.
pub trait Divisible {
    /// Splits off a subtree, for another worker; none if there is too little work.
    fn split(&mut self) -> Option<Box<dyn Strategy>>;
    /// The picks with which the first execution of a subtree that was split off starts.
    fn prefix(&mut self) -> &[Pick] {
        &[]
    }
    /// The unexplored subtrees, for [`Divisible::resume`]. The search may continue as if this had not been called. None
    /// if they cannot be serialised.
    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        None
    }
    /// A strategy that explores a subtree that one of this kind has saved.
    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let _ = subtree;
        Err("this strategy cannot go on where another one was".to_owned())
    }
}

/// A strategy that estimates its progress.
pub trait Estimating {
    /// The estimated fraction of the whole tree that it has explored since the last call: all subtrees together add up
    /// to 1 in the end. Negative if an earlier estimate was too high.
    fn explored(&mut self) -> f64;
    /// The largest size so far, in steps and picks; 0 if that does not grow with the search.
    fn peak(&self) -> u64 {
        0
    }
}
