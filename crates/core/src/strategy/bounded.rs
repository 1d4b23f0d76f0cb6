//! Depth-first search within bounds that leaves out what is equivalent to something earlier, and loses nothing
//! inside the bounds.
//!
//! Where a task was tried before the one that was taken, an execution in which its steps come first is a *rival* of
//! the present one: equivalent, if these steps conflict with none that they are moved over, and earlier in the order
//! of trial. The present execution is given up only if a rival is within the bounds whenever the present one is: the
//! preemptions that moving the steps may cost are counted ([`rivals`]). So, of all equivalent executions within the
//! bounds, the first in the order of trial is never given up.
//!
//! Guarantee: each Mazurkiewicz trace that has an execution within the bounds, at least once; never more
//! executions than depth-first search within the same bounds. Without a bound on preemptions this is depth-first
//! search with sleep sets (Godefroid 1996), which explores each trace once but gives up many on the way. The usual
//! way to make a reduction respect bounds are backtrack points at context switches (Coons, Musuvathi, McKinley,
//! OOPSLA 2013); it says nothing of operations that block or of tasks that are created on the way.

mod rivals;

use super::bounds::Guard;
use super::dfs::in_order_of_trial;
use super::{Bounds, Decision, Dfs, Next, SavedSubtree, Strategy};
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
    /// An equivalent execution within the bounds comes earlier in the order of trial.
    repeats: bool,
    within: Vec<TaskId>,
    left: Vec<TaskId>,
}

impl Bounded {
    /// All that is within `bounds`.
    pub fn new(bounds: Bounds) -> Bounded {
        Bounded::part(Guard::new(bounds), Dfs::new())
    }
    /// The same, but executions with at most so many preemptions count for nothing: they are known.
    #[must_use]
    pub fn beyond(mut self, explored: Option<u32>) -> Bounded {
        self.guard.explored = explored;
        self
    }
    fn part(guard: Guard, inside: Dfs) -> Bounded {
        let rivals = Rivals::new(guard.bounds);
        Bounded { guard, inside, rivals, repeats: false, within: Vec::new(), left: Vec::new() }
    }
}

impl Strategy for Bounded {
    fn begin(&mut self, execution: u64) -> Next {
        let next = self.inside.begin(execution);
        if let Next::From(kept) = next {
            self.guard.truncate(kept);
            self.rivals.truncate(kept);
            self.repeats = false;
        }
        next
    }

    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
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

    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) {
        self.rivals.catch_up(so_far, point);
        self.repeats = self.rivals.is_known_in_the_end(so_far, point, ending);
    }

    fn repeats(&self, trace: &Trace) -> bool {
        self.repeats || self.guard.is_outside(trace)
    }

    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside.finish(trace, verdict);
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        Some(self.inside.saved(self.guard.reached.is_set()))
    }

    fn resume(&self, part: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        let inside = Dfs::from_saved(part)?;
        Ok(Box::new(Bounded::part(self.guard.resumed(part), inside)))
    }

    fn explored(&mut self) -> Option<f64> {
        self.inside.explored()
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let inside = self.inside.give_away()?;
        Some(Box::new(Bounded::part(self.guard.part(), inside)))
    }

    fn inherited(&self) -> &[Pick] {
        self.inside.inherited()
    }

    fn asks_counterfactuals(&self) -> bool {
        false
    }

    fn extent(&self, executions: u64) -> Extent {
        self.guard.bounds.extent(self.inside.extent(executions), &self.guard.reached)
    }
}

/// Whether a task that was switched away from would have been preempted.
fn goes_on(pending: &crate::world::Pending) -> bool {
    pending.options > 0 && pending.manner == Manner::Ordinary
}
