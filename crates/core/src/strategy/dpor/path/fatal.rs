//! The sleep set: steps that end the execution for all tasks, until a step conflicts with them.

use super::{OPEN, Path};
use crate::operation::{Accesses, TaskId};
use crate::world::Variation;

/// A step that ends the execution for all tasks, until a step conflicts with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct Fatal {
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
    /// The next step of `task` is known to end the execution for all tasks.
    pub fn foresee(&mut self, task: TaskId, accesses: Accesses, variation: Variation) {
        self.fatal.push(Fatal { task, accesses, variation, from: self.len() as u32, until: OPEN });
        self.waiting += 1;
    }
    /// Whether any step is known to be fatal.
    #[inline]
    pub fn any_fatal(&self) -> bool {
        self.waiting > 0
    }
    /// Whether the next step of `task` is fatal.
    pub fn is_fatal(&self, task: TaskId) -> bool {
        self.waiting > 0 && self.fatal.iter().any(|f| f.until == OPEN && f.task == task)
    }
    /// Steps that conflict with step `at` may not be fatal any more.
    #[cold]
    pub(super) fn forget_fatal(&mut self, task: TaskId, accesses: Accesses, at: u32) {
        for fatal in &mut self.fatal {
            if fatal.until == OPEN && (fatal.task == task || fatal.accesses.conflict(accesses)) {
                fatal.until = at;
                self.waiting -= 1;
            }
        }
    }
    /// Removes what is known of the next step of `task`, and what became known here later.
    pub fn forget_from(&mut self, task: TaskId) {
        let here = self.len() as u32;
        if let Some(at) = self.fatal.iter().position(|f| f.from == here && f.task == task) {
            self.waiting -= self.fatal.len() - at;
            self.fatal.truncate(at);
        }
    }
}
