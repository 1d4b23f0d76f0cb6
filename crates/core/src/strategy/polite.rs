//! Politeness: a task with a pending operation that conflicts with another task's lets that one go first, once.
//!
//! One schedule, deterministic, in which every race is contested: two increments both read first, two locks are each
//! taken by one task. A portfolio starts with it, since many bugs need no more. A task's first operation is not polite,
//! so tasks that never conflict later are executed one after the other, in the order of creation.

use super::NoPreempt;
use crate::operation::TaskId;
use crate::trace::Trace;
use crate::world::{Manner, Point};

/// Lets others go first.
#[derive(Clone, Debug, Default)]
pub(super) struct Polite {
    /// By task: whether it has taken a step.
    moved: Vec<bool>,
    /// By task: whether it has let others go first at its present operation.
    gave_way: Vec<bool>,
}

impl Polite {
    pub fn begin(&mut self) {
        self.moved.clear();
        self.gave_way.clear();
    }

    pub fn pick(&mut self, so_far: &Trace, point: &Point<'_>) -> TaskId {
        self.moved.resize(point.all().len(), false);
        self.gave_way.resize(point.all().len(), false);
        let mut task = NoPreempt::pick(so_far, point).task;
        while let Some(other) = self.gives_way_to(point, task) {
            self.gave_way[task.index()] = true;
            task = other;
        }
        self.moved[task.index()] = true;
        self.gave_way[task.index()] = false;
        task
    }

    fn gives_way_to(&self, point: &Point<'_>, task: TaskId) -> Option<TaskId> {
        let pending = point.pending(task);
        if !self.moved[task.index()] || self.gave_way[task.index()] || pending.manner != Manner::Ordinary {
            return None;
        }
        let conflicts = |t: &&TaskId| **t != task && point.pending(**t).accesses.conflict(pending.accesses);
        point.enabled().iter().find(conflicts).copied()
    }
}
