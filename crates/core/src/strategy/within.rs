//! Within bounds: the strategy inside sees only the picks that stay within them (Musuvathi and Qadeer, PLDI 2007).
//!
//! Guarantee: with depth-first search inside, every execution within the bounds, once. Not for use around a
//! partial-order reduction, which would lose some of them; [`Bounded`](super::Bounded) is one that does not.

use super::bounds::Guard;
use super::{Bounds, Decision, Next, SavedSubtree, Strategy};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Pick, Point};

/// Another strategy, within bounds.
pub struct Within {
    guard: Guard,
    inside: Box<dyn Strategy>,
    within: Vec<TaskId>,
}

impl Within {
    /// What `inside` chooses, within `bounds`.
    pub fn new(bounds: Bounds, inside: Box<dyn Strategy>) -> Within {
        Within { guard: Guard::new(bounds), inside, within: Vec::new() }
    }
    /// The same, but executions with at most so many preemptions count for nothing: they are known.
    #[must_use]
    pub fn beyond(mut self, explored: Option<u32>) -> Within {
        self.guard.explored = explored;
        self
    }
    /// With at most so many preemptions.
    pub fn preemptions(most: u32, inside: Box<dyn Strategy>) -> Within {
        Within::new(Bounds::preemptions(most), inside)
    }
}

impl Strategy for Within {
    fn begin(&mut self, execution: u64) -> Next {
        let next = self.inside.begin(execution);
        if let Next::From(kept) = next {
            self.guard.truncate(kept);
        }
        next
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.guard.allow(so_far, point, &mut self.within);
        if self.within.is_empty() {
            return Decision::ABANDON;
        }
        let all = self.within.len() == point.enabled().len();
        let within = if all { *point } else { point.restricted(&self.within) };
        let decision = self.inside.choose(so_far, &within);
        if let Some(pick) = decision.pick()
            && pick.task.index() < point.all().len()
        {
            self.guard.take(pick.task, so_far, point);
        }
        decision
    }

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        self.inside.over(so_far, point, ending);
    }

    fn repeats(&self, trace: &Trace) -> bool {
        self.guard.is_outside(trace) || self.inside.repeats(trace)
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside.finish(trace, verdict);
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        let mut parts = self.inside.save()?;
        for part in &mut parts {
            if let SavedSubtree::Picks { reached, .. } = part {
                *reached |= self.guard.reached.is_set();
            }
        }
        Some(parts)
    }

    fn resume(&self, part: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let inside = self.inside.resume(part)?;
        Ok(Box::new(Within { guard: self.guard.resumed(part), inside, within: Vec::new() }))
    }

    fn explored(&mut self) -> Option<f64> {
        self.inside.explored()
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let inside = self.inside.split()?;
        Some(Box::new(Within { guard: self.guard.part(), inside, within: Vec::new() }))
    }

    fn inherited(&self) -> &[Pick] {
        self.inside.inherited()
    }

    fn asks_counterfactuals(&self) -> bool {
        self.inside.asks_counterfactuals()
    }

    fn expects(&self, index: usize) -> Option<&str> {
        self.inside.expects(index)
    }

    fn extent(&self, executions: u64) -> Extent {
        self.guard.bounds.extent(self.inside.extent(executions), &self.guard.reached)
    }
}
