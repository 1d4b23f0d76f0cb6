//! Loops that wait, where every loop that gives way is taken for one: [`Spins::Await`]. It looks once at each
//! value that it could see.
//!
//! A task that gave way and is about to look again at what it looked at before, with nothing but looks since,
//! and none of that has changed, would only go round once more: it waits until something of it changes. A loop
//! that would give up after some rounds is therefore never seen to do so.

use super::Stage;
use crate::runtime::execution::Execution;
use crate::runtime::operation::NO_OBJECT;
use crate::settings::Spins;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::Manner;

/// The longest round of a loop, in operations.
const LONGEST_ROUND: usize = 64;

impl Execution {
    /// Whether `id` has just given way and every loop that does so is taken for one that waits.
    pub(in crate::runtime) fn may_await(&self, id: TaskId) -> bool {
        let last = self.tasks[id].progress.last_line;
        self.settings.spins == Spins::Await
            && last > 0
            && self.log.lines()[last as usize - 1].kind.manner == Manner::Yielding
    }

    /// `id` has given way and announces an operation. If it would only look at what it has seen already, it
    /// waits until that changes.
    pub(in crate::runtime) fn consider_await(&mut self, id: TaskId) {
        if self.tasks[id].evaluation(&self.state).accesses.any_write() {
            return;
        }
        let Some((begin, reads)) = self.round_before(id) else { return };
        let changed = |object: &ObjectId| {
            self.log.lines()[begin..].iter().any(|line| line.changes_objects() && line.object == *object)
        };
        if reads.is_empty() || reads.iter().any(changed) {
            return;
        }
        let spin = &mut self.tasks[id].spin;
        spin.rounds += 1;
        spin.reads = reads;
        spin.since = begin as u32;
        spin.circle.clear();
        self.hold(id, Stage::Awaiting);
    }

    /// Where the round began that the running task is about to repeat, and what it looked at.
    fn round_before(&self, id: TaskId) -> Option<(usize, Vec<ObjectId>)> {
        let task = &self.tasks[id];
        let op = &task.op;
        let mut reads = Vec::new();
        let mut next = task.progress.last_line;
        for _ in 0..LONGEST_ROUND {
            let at = next.checked_sub(1)? as usize;
            let line = &self.log.lines()[at];
            if line.wrote {
                return None;
            }
            if line.object != NO_OBJECT && !reads.contains(&line.object) {
                reads.push(line.object);
            }
            let again = std::ptr::eq(line.kind, op.kind)
                && std::ptr::eq(line.place, op.place)
                && line.object == op.object;
            if again {
                return Some((at, reads));
            }
            next = line.before;
        }
        None
    }
}
