//! Within bounds: the strategy inside sees only the picks that stay within them (Musuvathi and Qadeer, PLDI 2007).
//!
//! Guarantee: with depth-first search inside, every execution within the bounds, once. Not for use around a
//! partial-order reduction, which would lose some of them; [`Bounded`](super::Bounded) is one that does not.

use super::bounds::Guard;
use super::{Bounds, Decision, Next, Observation, SavedSubtree, Standing, Strategy, Wrapped, Wrapper};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Ending, Point};

/// Another strategy, within bounds.
pub struct Within {
    guard: Guard,
    inside: Box<dyn Strategy>,
    within: Vec<TaskId>,
}

impl Within {
    /// What `inside` chooses, within `bounds`. Executions with at most `explored` preemptions are redundant.
    pub fn new(bounds: Bounds, explored: Option<u32>, inside: Box<dyn Strategy>) -> Wrapped<Within> {
        let mut guard = Guard::new(bounds);
        guard.explored = explored;
        Wrapped(Within { guard, inside, within: Vec::new() })
    }
    /// With at most so many preemptions.
    pub fn preemptions(most: u32, inside: Box<dyn Strategy>) -> Wrapped<Within> {
        Within::new(Bounds::preemptions(most), None, inside)
    }
}

impl Wrapper for Within {
    fn inside(&self) -> &dyn Strategy {
        &*self.inside
    }

    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.inside
    }

    fn around(&self, inside: Box<dyn Strategy>) -> Within {
        Within { guard: self.guard.part(), inside, within: Vec::new() }
    }

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

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        let standing = self.inside.over(so_far, point, ending);
        if self.guard.is_outside(so_far) { Standing::Redundant } else { standing }
    }

    fn extent(&self, executions: u64) -> Extent {
        self.guard.bounds.extent(self.inside.extent(executions), &self.guard.reached)
    }

    /// Each point must be observed to apply the bounds.
    fn observes(&self) -> Observation {
        match self.inside.observes() {
            Observation::Nothing(_) => Observation::Points,
            other => other,
        }
    }

    fn mark(&self, subtree: &mut SavedSubtree) {
        if let SavedSubtree::Picks { reached, .. } = subtree {
            *reached |= self.guard.reached.is_set();
        }
    }

    fn resumed(&self, subtree: &SavedSubtree) {
        if let SavedSubtree::Picks { reached: true, .. } = subtree {
            self.guard.reached.set();
        }
    }
}
