//! A cut loop goes on alone: no other task gets a turn until the loop does something else, or has taken so many rounds.
//!
//! Invariant: all that it does alone is part of the step that cut it. An operation happens alone only if it is the one of
//! the round before, accesses no more than that step said, and what the round read has not changed since; all others are
//! steps again. They have no lines in the log, which would be hundreds that say the same.

use super::{Operation, Stage};
use crate::runtime::execution::Execution;
use crate::runtime::log::Effect;
use crate::runtime::operation::{Op, ToLock};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::waiting_loop::ROUNDS_ALONE;

/// What a task that goes on alone announces.
enum Alone {
    /// What comes next in its round, and it can happen.
    Repeats,
    /// What comes next in its round, and it is blocked.
    Waits,
    /// Something else.
    Differs,
}

impl Execution {
    /// The step that cuts the loop of `id` is taken.
    pub(super) fn go_on_alone(&mut self, id: TaskId) {
        let rounds = if self.tasks[id].spin.was_alone { 1 } else { ROUNDS_ALONE };
        if self.has_changed(id) {
            self.tasks[id].spin.reads.clear();
            self.tasks[id].spin.stage = Stage::Free;
            return;
        }
        self.tasks[id].spin.after_alone = Stage::Awaiting;
        self.tasks[id].spin.in_vain = 0;
        self.begin_alone(id, rounds);
    }

    /// The loop of `id` goes on alone for so many rounds.
    pub(super) fn begin_alone(&mut self, id: TaskId, rounds: u32) {
        if self.circle_is_unfit(id) {
            let spin = &mut self.tasks[id].spin;
            spin.reads.clear();
            spin.stage = Stage::Free;
            return;
        }
        self.scheduler.held_spins |= !self.is_the_only_task(id);
        let since = self.log.present();
        for object in self.objects_of_locks(id) {
            self.note_aside(object);
        }
        let spin = &mut self.tasks[id].spin;
        spin.stage = Stage::Alone;
        spin.since = since;
        spin.next = 1 % spin.circle.len();
        spin.left = rounds;
    }

    /// Whether the round has operations that never happen alone.
    fn circle_is_unfit(&self, id: TaskId) -> bool {
        let lines = self.log.lines();
        let circle = &self.tasks[id].spin.circle;
        circle.is_empty() || circle.iter().any(|at| lines[*at as usize].kind.by_itself)
    }

    /// The locks that a round takes.
    fn objects_of_locks(&self, id: TaskId) -> Vec<ObjectId> {
        let mut locks: Vec<ObjectId> = self.locks_of_round(id).map(|line| line.object).collect();
        locks.dedup();
        locks
    }

    /// Whether another task has changed something that the last round of `id` read, since it did.
    fn has_changed(&self, id: TaskId) -> bool {
        let (spin, lines) = (&self.tasks[id].spin, self.log.lines());
        let Some(begin) = spin.circle.first() else { return false };
        let has_read = |object, at: usize| {
            let by_round =
                spin.circle.iter().any(|own| *own as usize > at && lines[*own as usize].object == object);
            spin.reads.contains(&object) && !by_round && !self.is_read_from_graph(object)
        };
        let later = lines.iter().enumerate().skip(*begin as usize);
        later
            .filter(|(_, line)| line.changes_objects() && line.task != id)
            .any(|(at, line)| has_read(line.object, at))
    }

    /// The task, which goes on alone, announces an operation. Says whether that happens at once; else it is announced like
    /// any other, or awaits a change.
    #[cold]
    pub(in crate::runtime::scheduler) fn happens_alone(&mut self, id: TaskId) -> bool {
        match self.next_alone(id) {
            Alone::Repeats => {}
            Alone::Differs => return self.leave_alone(id),
            Alone::Waits => {
                // It waits for time to pass, or for another task: no other round follows by itself.
                self.log.end_alone();
                let (token, clock) = (self.tasks[id].token(), self.state.objects.known_clock());
                let spin = &mut self.tasks[id].spin;
                spin.takes_time = true;
                // That its own timer fires is no change.
                spin.reads.retain(|object| *object != token && Some(*object) != clock);
                self.hold(id, Stage::Awaiting);
                return false;
            }
        }
        let spin = &mut self.tasks[id].spin;
        if spin.next == 0 {
            spin.left -= 1;
            self.log.count_round_alone();
            if spin.left == 0 {
                spin.was_alone = true;
                if spin.in_vain > 0 {
                    spin.in_vain = self.scheduler.changes + 1;
                }
                let stage = spin.after_alone;
                self.log.end_alone();
                self.hold(id, stage);
                return false;
            }
        }
        spin.next = (spin.next + 1) % spin.circle.len();
        self.scheduler.option = 0;
        let Op { kind, place, object, .. } = self.tasks[id].op;
        self.host.moved(id, place);
        self.log.alone(id, kind, place, object);
        true
    }

    /// How what the task announces goes with its round.
    fn next_alone(&self, id: TaskId) -> Alone {
        let spin = &self.tasks[id].spin;
        let lines = self.log.lines();
        let length = spin.circle.len();
        let expected = &lines[spin.circle[spin.next] as usize];
        let before = &lines[spin.circle[(spin.next + length - 1) % length] as usize];
        let done = self.log.done_alone();
        let saw_the_same = done.is_none_or(|done| done.effect == before.effect);
        let op = &self.tasks[id].op;
        let operation: Operation = (op.kind, op.place, op.object);
        let is_expected = operation == (expected.kind as _, expected.place as _, expected.object);
        if !saw_the_same || !is_expected || !self.scheduler.auto_run.is_empty() {
            return Alone::Differs;
        }
        // What it read is as it was then.
        let keeps = match (op.kind.keeps, expected.effect) {
            (Some(keeps), Effect::Updated(_, _, value)) => keeps(value, op.args[1]),
            _ => false,
        };
        let evaluation = self.tasks[id].evaluation(&self.state);
        let touches = self.tasks[id].spin.cut().touches;
        let only_looks =
            !evaluation.accesses.any_write() || op.kind.looks || op.kind.to_lock != ToLock::Nothing || keeps;
        match evaluation.options {
            0 => Alone::Waits,
            1 if touches.cover(evaluation.accesses) && only_looks => Alone::Repeats,
            _ => Alone::Differs,
        }
    }

    /// The loop does something else: that is a step like any other. Returns false.
    pub(in crate::runtime::scheduler) fn leave_alone(&mut self, id: TaskId) -> bool {
        self.log.end_alone();
        let locks = self.objects_of_locks(id);
        let spin = &mut self.tasks[id].spin;
        spin.reads.clear();
        spin.leave();
        spin.turn = None;
        // What it did alone may have left a lock taken.
        locks.into_iter().for_each(|lock| self.touch(lock));
        false
    }

    /// The line of what the task did last alone, plus 1; that of its last step if there is none.
    pub(super) fn last_done_alone(&self, id: TaskId) -> u32 {
        match self.log.done_alone_at() {
            Some(at) => at + 1,
            None => self.tasks[id].progress.last_line,
        }
    }
}
