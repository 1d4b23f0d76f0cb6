//! Makes the choices of a search, and knows nothing else. A strategy is one file here: it never sees a world,
//! a budget or a clock on the wall.

mod dfs;
mod no_preempt;
mod novelty;
mod optimal;
mod pace;
mod pct;
mod places;
mod polite;
mod portfolio;
mod pos;
mod preemptions;
mod prefix;
mod procrastinate;
mod random;
mod reads_from;
mod replay;
mod sampler;
mod sites;
mod surw;
mod swarm;

pub use dfs::Dfs;
pub use no_preempt::NoPreempt;
pub use optimal::Optimal;
pub use pct::Pct;
pub use places::Places;
pub use portfolio::Portfolio;
pub use pos::Pos;
pub use preemptions::AtMostPreemptions;
pub use prefix::Prefix;
pub use procrastinate::Procrastinate;
pub use random::Random;
pub use reads_from::ReadsFrom;
pub use replay::Replay;
pub use sampler::Sampler;
pub use surw::Surw;
pub use swarm::Swarm;

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
    /// Nothing more can happen in this execution, which came to its own end.
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        let _ = (so_far, point, ending);
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
    /// Whether it asks points about the past, which costs time to keep.
    fn looks_back(&self) -> bool {
        true
    }
    /// The operation that step `index` should be, if the strategy replays a ticket.
    fn expects(&self, index: usize) -> Option<&str> {
        let _ = index;
        None
    }
    /// What it means when `executions` of this strategy are done and it has nothing left to explore (or, for
    /// sampling, when the budget is used up).
    fn extent(&self, executions: u64) -> Extent;
}
