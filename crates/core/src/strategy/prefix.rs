//! A prefix of prescribed picks, and then another strategy.
//!
//! Guarantee: the other strategy's, for the subtree of the prefix. It sees the whole trace, so a systematic one must
//! not ask for less than the prefix to be kept.

use super::{Decision, Observation, Strategy, Wrapped, Wrapper};
use crate::fact::Bound;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Pick, Point};

/// First these picks, then another strategy.
pub struct Prefix {
    picks: Vec<Pick>,
    then: Box<dyn Strategy>,
}

impl Prefix {
    /// First `picks`, then `then`.
    pub fn new(picks: Vec<Pick>, then: Box<dyn Strategy>) -> Wrapped<Prefix> {
        Wrapped(Prefix { picks, then })
    }
}

impl Wrapper for Prefix {
    fn inside(&self) -> &dyn Strategy {
        &*self.then
    }

    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.then
    }

    fn around(&self, then: Box<dyn Strategy>) -> Prefix {
        Prefix { picks: self.picks.clone(), then }
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

    /// Prescribed picks are not drawn.
    fn observes(&self) -> Observation {
        match self.then.observes() {
            Observation::Nothing(_) => Observation::Points,
            other => other,
        }
    }

    fn extent(&self, executions: u64) -> Extent {
        let prefix = Bound::Prefix(self.picks.len());
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
