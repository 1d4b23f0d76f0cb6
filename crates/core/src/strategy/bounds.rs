//! Bounds on executions: which picks stay within them, and what they are called (Walker 2018, section 3.3).
//!
//! A bound only ever refuses picks, so an execution is within the bounds if and only if each of its prefixes is.

use super::SavedSubtree;
use crate::fact::Bound;
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::Extent;
use crate::world::{Manner, Point};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which executions are explored. Bounds combine: an execution is within all of them or it is not explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// At most so many preemptions.
    pub preemptions: Option<u32>,
    /// The bound on how many more yields a task has than another enabled task.
    pub yields: Option<u32>,
    /// At most so many steps. Unlike a step limit this is no failure.
    pub steps: Option<usize>,
}

impl Bounds {
    /// At most so many preemptions, and no other bound.
    pub fn preemptions(most: u32) -> Bounds {
        Bounds { preemptions: Some(most), ..Bounds::default() }
    }
    /// Whether there is no bound at all.
    pub fn is_none(&self) -> bool {
        *self == Bounds::default()
    }
    /// Each bound.
    pub fn list(&self) -> Vec<Bound> {
        let preemptions = self.preemptions.map(Bound::Preemptions);
        let yields = self.yields.map(Bound::Yields);
        preemptions.into_iter().chain(yields).chain(self.steps.map(Bound::Steps)).collect()
    }
    /// The extent of a search within these bounds, where it would be `without` without them.
    pub(super) fn extent(&self, without: Extent, reached: &Reached) -> Extent {
        match without {
            _ if !reached.is_set() && !matches!(without, Extent::Partial(_)) => without,
            Extent::Exhaustive => Extent::Within(self.list()),
            Extent::Within(mut bounds) => {
                bounds.extend(self.list());
                Extent::Within(bounds)
            }
            other => other,
        }
    }
}

/// Whether a bound has refused a pick yet; shared by all subtrees of a search. If it has not, the search within the
/// bounds is the search without them.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached(Arc<AtomicBool>);

impl Reached {
    pub fn set(&self) {
        if !self.is_set() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Follows executions and decides which picks are within the bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    pub bounds: Bounds,
    pub reached: Reached,
    /// Executions with at most so many preemptions have been explored by another search.
    pub explored: Option<u32>,
    /// Which task yielded at which step.
    yields: Vec<(usize, TaskId)>,
}

impl Guard {
    pub fn new(bounds: Bounds) -> Guard {
        Guard { bounds, ..Guard::default() }
    }
    /// The same bounds for another subtree.
    pub fn part(&self) -> Guard {
        Guard { reached: self.reached.clone(), yields: Vec::new(), ..*self }
    }
    /// The same bounds for a saved subtree.
    pub fn resumed(&self, part: &SavedSubtree) -> Guard {
        if let SavedSubtree::Picks { reached: true, .. } = part {
            self.reached.set();
        }
        self.part()
    }
    /// Keeps the first `steps` steps.
    pub fn truncate(&mut self, steps: usize) {
        while self.yields.last().is_some_and(|(at, _)| *at >= steps) {
            self.yields.pop();
        }
    }
    /// `task` takes the next step.
    pub fn take(&mut self, task: TaskId, so_far: &Trace, point: &Point<'_>) {
        if self.bounds.yields.is_some() && point.pending(task).manner == Manner::Yielding {
            self.yields.push((so_far.len(), task));
        }
    }
    /// Writes the tasks that are within the bounds into `within`; none if the execution is too long.
    pub fn allow(&self, so_far: &Trace, point: &Point<'_>, within: &mut Vec<TaskId>) {
        within.clear();
        if self.bounds.steps.is_some_and(|most| so_far.len() >= most) {
            return self.reached.set();
        }
        let (last, enabled) = (so_far.last_task(), point.enabled());
        let may_preempt = self.bounds.preemptions.is_none_or(|most| so_far.preemptions() < most);
        let is_within = |task: &TaskId| {
            (may_preempt || !point.is_preemption(last, *task)) && !self.is_too_far_ahead(*task, point)
        };
        within.extend(enabled.iter().copied().filter(is_within));
        if within.len() < enabled.len() {
            self.reached.set();
        }
    }
    /// Whether an execution that ended is redundant, since it is explored already or longer than allowed: steps that
    /// happen by themselves are not checked before.
    pub fn is_outside(&self, trace: &Trace) -> bool {
        let is_explored = self.explored.is_some_and(|most| trace.preemptions() <= most);
        let too_long = self.bounds.steps.is_some_and(|most| trace.len() > most);
        if too_long {
            self.reached.set();
        }
        too_long || is_explored
    }
    fn is_too_far_ahead(&self, task: TaskId, point: &Point<'_>) -> bool {
        let Some(most) = self.bounds.yields else { return false };
        if point.pending(task).manner != Manner::Yielding {
            return false;
        }
        let of = |task: TaskId| self.yields.iter().filter(|(_, t)| *t == task).count();
        let others = point.enabled().iter().filter(|t| **t != task);
        others.map(|t| of(*t)).min().is_some_and(|least| of(task) + 1 > least + most as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_listed() {
        let all = Bounds { preemptions: Some(2), yields: Some(1), steps: Some(100) };
        assert_eq!(all.list(), [Bound::Preemptions(2), Bound::Yields(1), Bound::Steps(100)]);
        assert_eq!(Bounds::preemptions(1).list(), [Bound::Preemptions(1)]);
        assert!(Bounds::default().is_none() && Bounds::default().list().is_empty());
    }
}
