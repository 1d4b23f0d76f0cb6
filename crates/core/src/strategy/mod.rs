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

/// Makes the choices of a search.
pub trait Strategy: Send {
    /// Begins execution number `execution` (from 0).
    fn begin(&mut self, execution: u64) -> Next;
    /// Chooses at a point where at least one thing can happen. Also asked where only one can.
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision;
    /// For a strategy that draws unobserved (see [`UniformDraws`](crate::world::UniformDraws)) and learns nothing from what happens:
    /// the numbers that [`Strategy::choose`] would draw in this execution. It is asked to choose only if the execution
    /// turns out to be worth a closer look.
    fn draws(&self) -> Option<Rng> {
        None
    }
    /// Nothing more can happen in this execution, which came to its own end.
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        let _ = (so_far, point, ending);
    }
    /// Whether an execution that came to its end counts for nothing, since an equivalent one is explored elsewhere
    /// or since it lies outside of what is explored.
    fn repeats(&self, trace: &Trace) -> bool {
        let _ = trace;
        false
    }
    /// The execution is over.
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        let _ = (trace, verdict);
    }
    /// Gives away a part of the work, for another worker; none if there is too little left. The part starts
    /// with a prefix of its own: see [`Strategy::inherited`].
    fn split(&mut self) -> Option<Box<dyn Strategy>>;
    /// The picks with which the first execution of a part that was split off starts.
    fn inherited(&self) -> &[Pick] {
        &[]
    }
    /// The most that it held at once so far, in steps and picks; 0 if that does not grow with the search.
    fn peak(&self) -> u64 {
        0
    }
    /// What is left to explore, written down; it is not asked for anything more then. None if it cannot be written
    /// down. Every part of it is one for [`Strategy::resume`].
    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        None
    }
    /// A strategy that explores a part that one like this has saved.
    fn resume(&self, part: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let _ = part;
        Err("this strategy cannot go on where another one was".to_owned())
    }
    /// How much of the whole tree it has explored since it was asked last, as far as it can tell: all parts together
    /// come to 1 in the end. Less than nothing if it had been too much. None if there is no telling.
    fn explored(&mut self) -> Option<f64> {
        None
    }
    /// Whether it asks points about the past, which costs time to keep.
    fn asks_counterfactuals(&self) -> bool {
        true
    }
    /// The operation that step `index` should be, if the strategy replays a ticket.
    fn expects(&self, index: usize) -> Option<&str> {
        let _ = index;
        None
    }
    /// What it means when `executions` of this strategy are done and it has nothing left to explore (or, for
    /// sampling, when the budget is used up). Asked before a search and when a part of it is done.
    fn extent(&self, executions: u64) -> Extent;
    /// It is not asked for anything more.
    fn retire(self: Box<Self>) {}
}
