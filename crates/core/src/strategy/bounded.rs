//! Depth-first search within bounds with a reduction that loses no trace within the bounds.
//!
//! Where a task was tried before the one that was taken, an execution in which its steps come first is a *rival* of the
//! present one: equivalent, if these steps conflict with none that they overtake, and earlier in the order of trial.
//! The present execution is abandoned only if a rival is within the bounds whenever the present one is: the preemptions
//! that overtaking may cost are counted ([`rivals`]). So, of all equivalent executions within the bounds, the first in
//! the order of trial is never abandoned.
//!
//! Guarantee: each Mazurkiewicz trace that has an execution within the bounds, at least once; never more executions
//! than depth-first search within the same bounds. Without a bound on preemptions this is depth-first search with sleep
//! sets (Godefroid 1996), which explores each trace once but abandons many executions. The usual bounded reduction uses
//! backtrack points at context switches (Coons, Musuvathi, McKinley, OOPSLA 2013); it does not cover operations that
//! block or tasks that are created later.
//!
//! Where memory has a model it cannot decide: a step is known by the number of its option, and other stores may change that
//! number without a conflict.

mod rivals;

use super::bounds::Guard;
use super::dfs::in_order_of_trial;
use super::{
    Bounds, Decision, Dfs, Divisible, Estimating, Next, Observation, SavedSubtree, Standing, Strategy,
};
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Manner, Pick, Point};
use rivals::Rivals;

/// Depth-first search within bounds, reduced.
#[derive(Clone, Debug)]
pub struct Bounded {
    guard: Guard,
    inside: Dfs,
    rivals: Rivals,
    within: Vec<TaskId>,
    left: Vec<TaskId>,
}

impl Bounded {
    /// All executions within `bounds`.
    pub fn new(bounds: Bounds) -> Bounded {
        Bounded::part(Guard::new(bounds), Dfs::new())
    }
    /// The same, but executions with at most so many preemptions are redundant: they are explored already.
    #[must_use]
    pub fn beyond(mut self, explored: Option<u32>) -> Bounded {
        self.guard.explored = explored;
        self
    }
    fn part(guard: Guard, inside: Dfs) -> Bounded {
        let rivals = Rivals::new(guard.bounds);
        Bounded { guard, inside, rivals, within: Vec::new(), left: Vec::new() }
    }
}

impl Strategy for Bounded {
    fn begin(&mut self, execution: u64) -> Next {
        let next = self.inside.begin(execution);
        if let Next::From(kept) = next {
            self.guard.truncate(kept);
            self.rivals.truncate(kept);
        }
        next
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        if point.memory().is_some() {
            return Decision::UNDECIDED;
        }
        self.guard.allow(so_far, point, &mut self.within);
        self.rivals.catch_up(so_far, point);
        if self.within.is_empty() || self.rivals.is_known(so_far, point) {
            return Decision::ABANDON;
        }
        let Bounded { rivals, within, left, .. } = self;
        left.clear();
        left.extend(within.iter().copied().filter(|t| !rivals.leads_to_what_is_known(*t, so_far, point)));
        if left.is_empty() {
            return Decision::ABANDON;
        }
        let decision = self.inside.choose(so_far, &point.restricted(&self.left));
        if let Some(Pick { task, .. }) = decision.pick()
            && self.left.contains(&task)
        {
            let all = in_order_of_trial(so_far.last_task(), &point.restricted(&self.within));
            self.rivals.take(task, all.take_while(|t| *t != task), so_far, point);
            self.guard.take(task, so_far, point);
        }
        decision
    }

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        let is_known = ending != Ending::Stopped && {
            self.rivals.catch_up(so_far, point);
            self.rivals.is_known_in_the_end(so_far, point, ending)
        };
        // Both are evaluated: a bound records that it was reached.
        match self.guard.is_outside(so_far) | is_known {
            true => Standing::Redundant,
            false => Standing::Counts,
        }
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside.finish(trace, verdict);
    }

    fn extent(&self, executions: u64) -> Extent {
        self.guard.bounds.extent(self.inside.extent(executions), &self.guard.reached)
    }

    fn observes(&self) -> Observation {
        Observation::Points
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }

    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        self.inside.estimating()
    }
}

impl Divisible for Bounded {
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let inside = self.inside.give_away()?;
        Some(Box::new(Bounded::part(self.guard.part(), inside)))
    }

    fn prefix(&mut self) -> &[Pick] {
        self.inside.prefix()
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        Some(self.inside.saved(self.guard.reached.is_set()))
    }

    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let inside = Dfs::from_saved(subtree)?;
        Ok(Box::new(Bounded::part(self.guard.resumed(subtree), inside)))
    }
}

/// Whether switching away from this task is a preemption.
fn goes_on(pending: &crate::world::Pending) -> bool {
    pending.options > 0 && pending.manner == Manner::Ordinary
}
