//! At most so many preemptions: the strategy inside sees only the picks that stay within the bound
//! (Musuvathi and Qadeer, PLDI 2007).
//!
//! Guarantee: with depth-first search inside, every execution with at most that many preemptions, once. Not
//! for use around a partial-order reduction, which needs more backtrack points to keep its promise.

use super::{Decision, Next, Strategy};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Pick, Point};

/// Bounds the preemptions of another strategy.
pub struct AtMostPreemptions {
    bound: u32,
    inside: Box<dyn Strategy>,
    within: Vec<TaskId>,
}

impl AtMostPreemptions {
    /// At most `bound` preemptions.
    pub fn new(bound: u32, inside: Box<dyn Strategy>) -> AtMostPreemptions {
        AtMostPreemptions { bound, inside, within: Vec::new() }
    }
}

impl Strategy for AtMostPreemptions {
    fn begin(&mut self, execution: u64) -> Next {
        self.inside.begin(execution)
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if so_far.preemptions() < self.bound {
            return self.inside.choose(so_far, point);
        }
        let last = so_far.last_task();
        self.within.clear();
        self.within.extend(point.enabled().iter().copied().filter(|t| !point.is_preemption(last, *t)));
        self.inside.choose(so_far, &point.restricted(&self.within))
    }

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        self.inside.over(so_far, point, ending);
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside.finish(trace, verdict);
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let inside = self.inside.split()?;
        Some(Box::new(AtMostPreemptions::new(self.bound, inside)))
    }

    fn inherited(&self) -> &[Pick] {
        self.inside.inherited()
    }

    fn expects(&self, index: usize) -> Option<&str> {
        self.inside.expects(index)
    }

    fn extent(&self, executions: u64) -> Extent {
        let bound = match self.bound {
            1 => "1 preemption".to_owned(),
            n => format!("{n} preemptions"),
        };
        match self.inside.extent(executions) {
            Extent::Exhaustive => Extent::Within(vec![bound]),
            Extent::Within(mut bounds) => {
                bounds.push(bound);
                Extent::Within(bounds)
            }
            other => other,
        }
    }
}
