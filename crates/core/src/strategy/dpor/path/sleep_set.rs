//! The sleep set: steps that end the execution for all tasks, until a step conflicts with them.

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
    /// The number of steps after which it joined the sleep set.
    pub from: u32,
    /// The step that conflicts with it.
    pub(super) until: u32,
}

impl Path {
    /// The next step of `task` is known to end the execution for all tasks: it joins the sleep set.
    pub fn put_to_sleep(&mut self, task: TaskId, accesses: Accesses, variation: Variation) {
        self.sleep_set.push(Sleeper { task, accesses, variation, from: self.len() as u32, until: OPEN });
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
    /// Removes what is known of the next step of `task`, and what became known here later.
    pub fn remove_sleepers_from(&mut self, task: TaskId) {
        let here = self.len() as u32;
        if let Some(at) = self.sleep_set.iter().position(|f| f.from == here && f.task == task) {
            self.waiting -= self.sleep_set.len() - at;
            self.sleep_set.truncate(at);
        }
    }
}
