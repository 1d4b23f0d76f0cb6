//! Common to all strategies that sample: each execution is drawn independently, under a seed, from its number.
//!
//! None of them asks about counterfactuals, so worlds need no history. Those that learn (procrastination, reads-from
//! feedback, selectively uniform walks, the portfolio) read the trace when an execution is over.

use super::{Decision, Divisible, Next, Observation, Strategy};
use crate::random::Rng;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::Point;

/// A strategy that draws executions; one that can be cloned is a [`Strategy`] by that.
pub trait Sample: Send + 'static {
    /// The seed it draws with.
    fn seed(&self) -> u64;
    /// Begins the execution with this number.
    fn begin(&mut self, execution: u64);
    /// As [`Strategy::choose`].
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision;
    /// The numbers that [`Sample::choose`] would draw in this execution, if it draws uniformly and learns nothing.
    fn draws(&self) -> Option<Rng> {
        None
    }
    /// The execution is over.
    fn finish(&mut self, trace: &Trace) {
        let _ = trace;
    }
}

impl<S: Sample + Clone> Strategy for S {
    fn begin(&mut self, execution: u64) -> Next {
        Sample::begin(self, execution);
        Next::From(0)
    }

    #[inline]
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        Sample::choose(self, so_far, point)
    }

    fn finish(&mut self, trace: &Trace, _verdict: Verdict) {
        Sample::finish(self, trace);
    }

    fn extent(&self, executions: u64) -> Extent {
        Extent::Sampled { schedules: executions, seed: self.seed() }
    }

    fn observes(&self) -> Observation {
        self.draws().map_or(Observation::Points, Observation::Nothing)
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }
}

impl<S: Sample + Clone> Divisible for S {
    /// Another worker draws executions of other numbers.
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }
}
