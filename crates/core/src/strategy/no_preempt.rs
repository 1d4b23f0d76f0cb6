//! Never preempts: the task of the last step continues while it is enabled, then the one with the lowest number.
//!
//! Guarantee: one execution, with no preemption and option 0 everywhere. Other strategies end executions with it.

use super::{Decision, Next, Strategy};
use crate::fact::StopReason;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Manner, Pick, Point};

/// Lets each task continue while it is enabled.
#[derive(Clone, Debug, Default)]
pub struct NoPreempt {
    done: bool,
}

impl NoPreempt {
    /// One execution without preemptions.
    pub fn new() -> NoPreempt {
        NoPreempt::default()
    }

    /// The pick at `point` without a preemption. A yielding task yields to the next one.
    pub fn pick(so_far: &Trace, point: &Point<'_>) -> Pick {
        let last = so_far.last_task();
        let goes_on = last.filter(|t| point.is_enabled(*t) && point.pending(*t).manner == Manner::Ordinary);
        let task = goes_on.unwrap_or_else(|| {
            let after = point.enabled().iter().find(|t| Some(**t) > last);
            *after.unwrap_or(&point.enabled()[0])
        });
        Pick { task, option: 0 }
    }
}

impl Strategy for NoPreempt {
    fn begin(&mut self, _execution: u64) -> Next {
        if std::mem::replace(&mut self.done, true) { Next::Exhausted } else { Next::From(0) }
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        Decision::take(NoPreempt::pick(so_far, point))
    }

    fn extent(&self, _executions: u64) -> Extent {
        Extent::Partial(StopReason::OneSchedule)
    }
}
