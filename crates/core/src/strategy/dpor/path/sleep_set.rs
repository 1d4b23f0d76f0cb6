//! The sleep set: steps that end the execution for all tasks, until a step conflicts with them.

use super::super::work::SleepingStep;
use super::{OPEN, Path};
use crate::operation::{Accesses, TaskId};
use crate::world::Variation;

/// A step that ends the execution for all tasks, until a step conflicts with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct Sleeper {
    pub task: TaskId,
    /// Its accesses.
    pub accesses: Accesses,
    /// How its operation depends on the state.
    pub variation: Variation,
    /// What it accesses of memory that has a model: a store there gives it another option, and wakes it.
    pub memory: Option<SleepingAccess>,
    /// The number of steps after which it joined the sleep set.
    pub from: u32,
    /// The step that conflicts with it.
    pub(super) until: u32,
}

impl Sleeper {
    /// The step.
    pub fn step(&self) -> SleepingStep {
        let Sleeper { task, accesses, variation, memory, .. } = *self;
        SleepingStep { task, accesses, variation, memory }
    }
}

/// An access to memory that has a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct SleepingAccess {
    /// The number of the place.
    pub place: u32,
    /// The store that revisited it, plus 1; 0 if none did.
    pub revisited_by: u32,
}

impl Path {
    /// The next step of `task` is known to end the execution for all tasks: it joins the sleep set.
    pub fn put_to_sleep(&mut self, step: SleepingStep) {
        let SleepingStep { task, accesses, variation, memory } = step;
        let from = self.len() as u32;
        self.sleep_set.push(Sleeper { task, accesses, variation, memory, from, until: OPEN });
        self.waiting += 1;
    }
    /// Whether the sleep set has a member.
    #[inline]
    pub fn any_sleeper(&self) -> bool {
        self.waiting > 0
    }
    /// Whether the next step of `task` is in the sleep set.
    pub fn is_asleep(&self, task: TaskId) -> bool {
        self.waiting > 0 && self.sleep_set.iter().any(|f| f.until == OPEN && f.task == task)
    }
    /// Step `at` wakes the members that conflict with it.
    #[cold]
    pub(super) fn wake(&mut self, task: TaskId, accesses: Accesses, at: u32) {
        for sleeper in &mut self.sleep_set {
            if sleeper.until == OPEN && (sleeper.task == task || sleeper.accesses.conflict(accesses)) {
                sleeper.until = at;
                self.waiting -= 1;
            }
        }
    }
    /// The last step is a store to this place. It wakes the members that could choose it: those that a store has
    /// revisited, only if that store happens before it.
    #[cold]
    pub(super) fn wake_by_store(&mut self, place: u32) {
        let at = self.len() - 1;
        for number in 0..self.sleep_set.len() {
            let Sleeper { until, memory, .. } = self.sleep_set[number];
            let wakes = memory.is_some_and(|memory| {
                let by = memory.revisited_by as usize;
                memory.place == place && (by == 0 || self.is_after(at, by - 1))
            });
            if until == OPEN && wakes {
                self.sleep_set[number].until = at as u32;
                self.waiting -= 1;
            }
        }
    }
    /// Whether the next step of `task` ended the execution where it could choose only the stores of the first so many
    /// steps.
    pub fn slept_after(&self, task: TaskId) -> Option<u32> {
        let last = self.sleep_set.iter().rfind(|f| f.task == task && f.memory.is_some())?;
        (self.last_before(task) <= last.from as usize).then_some(last.from)
    }
    /// Removes what is known of the next step of `task`, and what became known here later.
    pub fn remove_sleepers_from(&mut self, task: TaskId) {
        let here = self.len() as u32;
        if let Some(at) = self.sleep_set.iter().position(|f| f.from == here && f.task == task) {
            self.waiting -= self.sleep_set.len() - at;
            self.sleep_set.truncate(at);
        }
    }
}
