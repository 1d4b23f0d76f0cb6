//! Loops that wait under a weak memory model: their rounds may have read the same old stores again and again.
//!
//! Invariant: a loop that goes on alone reads what its last round read, which it may do for ever. One that is blocked goes on
//! as soon as a last store has another value than the loop read, and reads the last stores then: so it is fair, and a loop
//! that is left when nothing else can happen reads nothing but the last stores. A reduction that follows the graph never lets
//! a blocked loop go on: a store revisits what it read, in another execution, and this one is redundant.

use crate::runtime::execution::Execution;
use crate::runtime::log::Effect;
use crate::runtime::operation::NO_OBJECT;
use crate::runtime::scheduler::Stage;
use crate::runtime::tasks::task::Phase;
use raddle_core::operation::{ObjectId, TaskId};

/// What an access to an atomic saw, and left if it changed nothing.
fn seen(effect: Effect) -> Option<u64> {
    match effect {
        Effect::Read(_, bits) | Effect::Refused(_, bits) | Effect::Updated(_, _, bits) => Some(bits),
        _ => None,
    }
}

impl Execution {
    fn is_weak_atomic(&self, object: ObjectId) -> bool {
        self.state.memory.weak().is_some_and(|weak| weak.is_atomic(object))
    }

    /// Whether `object` is one whose changes are a matter of what is read, and not of the order of steps.
    pub(super) fn is_read_from_graph(&self, object: ObjectId) -> bool {
        self.is_weak_atomic(object)
    }

    /// What the task, which goes on alone, read in the round before, where it stands that many operations of its round ahead
    /// of the next one. None if it does not go on alone, or that was no access to an atomic.
    fn read_alone(&self, id: TaskId, ahead: usize) -> Option<u64> {
        let spin = &self.tasks[id].spin;
        if !spin.is_alone() {
            return None;
        }
        let line = spin.circle[(spin.next + ahead) % spin.circle.len()];
        seen(self.log.lines()[line as usize].effect)
    }

    /// What the running task is about to read alone.
    pub(in crate::runtime::scheduler) fn will_read_alone(&self) -> Option<u64> {
        self.read_alone(self.tasks.current(), 0)
    }

    /// What the running task reads alone.
    pub(in crate::runtime::scheduler) fn reads_alone(&self) -> Option<u64> {
        let id = self.tasks.current();
        self.read_alone(id, self.tasks[id].spin.circle.len().max(1) - 1)
    }

    /// The running task has taken an access with which its loop was cut. If it read something else than in the round before,
    /// it does not go on alone.
    pub fn has_read_in_last_round(&mut self) {
        let id = self.tasks.current();
        let (spin, lines) = (&self.tasks[id].spin, self.log.lines());
        if spin.is_alone()
            && lines[spin.circle[0] as usize].effect != lines[self.log.present() as usize].effect
        {
            self.leave_alone(id);
        }
    }

    /// Whether the cut loop of `id` has read older stores than the last, with other values.
    pub(in crate::runtime::scheduler) fn is_behind(&self, id: TaskId) -> bool {
        let Some(weak) = self.state.memory.weak() else { return false };
        let spin = &self.tasks[id].spin;
        let is_blocked = matches!(spin.stage, Stage::Awaiting | Stage::Exhausted) && spin.held;
        let is_old = |at: &u32| {
            let line = &self.log.lines()[*at as usize];
            seen(line.effect)
                .is_some_and(|bits| weak.is_atomic(line.object) && weak.latest(line.object) != bits)
        };
        is_blocked && self.tasks[id].phase() == Phase::Alive && spin.circle.iter().any(is_old)
    }

    /// Blocked loops that have read old stores go on, and read the last ones.
    pub(in crate::runtime::scheduler) fn wake_loops_behind(&mut self) {
        if !self.scheduler.held_spins || self.scheduler.follows_graph {
            return;
        }
        for id in self.tasks.ids() {
            if self.is_behind(id) {
                self.tasks[id].spin.held = false;
                self.evaluate(id);
            }
        }
    }

    /// Whether a blocked loop has read old stores, so that this execution is redundant where nothing else can happen.
    pub(in crate::runtime::scheduler) fn is_any_behind(&self) -> bool {
        self.scheduler.held_spins && self.tasks.ids().any(|id| self.is_behind(id))
    }

    /// Whether the loop of `id` is cut and looks at anything but atomics.
    pub(in crate::runtime::scheduler) fn looks_beyond_atomics(&self, id: TaskId) -> bool {
        let spin = &self.tasks[id].spin;
        let is_atomic = |object: ObjectId| object == NO_OBJECT || self.is_weak_atomic(object);
        spin.is_cut() && !spin.reads.iter().all(|object| is_atomic(*object))
    }
}
