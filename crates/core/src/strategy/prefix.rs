//! A prefix of prescribed picks, and then another strategy.
//!
//! Guarantee: the other strategy's, for the part of the tree that the prefix leads to. It sees the whole
//! trace, so a systematic one must not ask for less than the prefix to be kept.

use super::{Decision, Next, Strategy};
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Pick, Point};

/// First these picks, then another strategy.
pub struct Prefix<S> {
    picks: Vec<Pick>,
    then: S,
}

impl<S: Strategy> Prefix<S> {
    /// First `picks`, then `then`.
    pub fn new(picks: Vec<Pick>, then: S) -> Prefix<S> {
        Prefix { picks, then }
    }
}

impl<S: Strategy> Strategy for Prefix<S> {
    fn begin(&mut self, execution: u64) -> Next {
        self.then.begin(execution)
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        match self.picks.get(so_far.len()) {
            Some(pick) if point.is_enabled(pick.task) && pick.option < point.pending(pick.task).options => {
                Decision::take(*pick)
            }
            Some(_) => Decision::DIVERGED,
            None => self.then.choose(so_far, point),
        }
    }

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        self.then.over(so_far, point, ending);
    }

    fn repeats(&self, trace: &Trace) -> bool {
        self.then.repeats(trace)
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.then.finish(trace, verdict);
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        None
    }

    fn extent(&self, executions: u64) -> Extent {
        let prefix = match self.picks.len() {
            1 => "a prefix of 1 step".to_owned(),
            n => format!("a prefix of {n} steps"),
        };
        match self.then.extent(executions) {
            Extent::Exhaustive => Extent::Within(vec![prefix]),
            Extent::Within(mut bounds) => {
                bounds.push(prefix);
                Extent::Within(bounds)
            }
            other => other,
        }
    }
}
