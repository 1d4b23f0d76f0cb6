//! Deadlock and livelock: which tasks wait, for what, and which tasks hold that.
//!
//! Invariant: a report names only tasks of the program that have a pending operation. A deadlock is a state in which no
//! operation is enabled and a task is blocked; a livelock one in which only loops that wait are left (see
//! [`crate::runtime::scheduler`]).

use super::evidence::Evidence;
use super::panics::Handle;
use crate::runtime::record::in_the_program;
use crate::runtime::tasks::task::{Phase, Role};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::record::Place;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::Describe;

impl Evidence<'_> {
    /// Nothing can move: which task waits for which?
    pub fn deadlock(&self) -> Defect {
        let waiting: Vec<TaskId> = self.waiting().collect();
        let names: Vec<String> = waiting.iter().map(|id| self.task_name(*id)).collect();
        let message = match names.as_slice() {
            [one] => format!("nothing can move: {one} waits for ever"),
            [most @ .., last] => format!("nothing can move: {} and {last} wait for ever", most.join(", ")),
            [] => "nothing can move".to_owned(),
        };
        let mut defect = Defect::new(FailureKind::Deadlock, message);
        for id in waiting {
            let op = &self.tasks[id].op;
            let mut text = self.waits(id);
            let held = (op.kind.held)(&self.blocked(id));
            if held != op.object {
                text.push_str(&format!(" and needs {}", self.object_name(held)));
            }
            let holders = (op.kind.holders)(&self.blocked(id)).into_iter();
            let others: Vec<String> = holders.map(|holder| self.holds(holder, held, id)).collect();
            if let Some((first, rest)) = others.split_first() {
                text.push_str(&format!(", {first}"));
                text.extend(rest.iter().map(|other| format!(" and {other}")));
            }
            defect = defect.note(text, in_the_program(op.kind, op.place));
        }
        defect
    }

    /// The threads of the program that have a pending operation.
    fn waiting(&self) -> impl Iterator<Item = TaskId> {
        let tasks = self.tasks;
        tasks.ids().filter(move |id| tasks[*id].is_waiting_thread())
    }

    /// Says that `holder` has what `waiting` waits for, and since when.
    fn holds(&self, holder: TaskId, object: ObjectId, waiting: TaskId) -> String {
        let who = match holder == waiting {
            true => "which it holds itself".to_owned(),
            false => format!("held by {}", self.task_name(holder)),
        };
        match self.taken_at(holder, object) {
            Some(place) => format!("{who} since {place}"),
            None => who,
        }
    }

    /// Where `holder` last did something to `object`.
    fn taken_at(&self, holder: TaskId, object: ObjectId) -> Option<Place> {
        let line = self.log.lines().iter().rev().find(|l| l.task == holder && l.object == object)?;
        in_the_program(line.kind, line.place)
    }

    /// Only these loops that wait are left, and nothing that they read changes; `reads` says what a task reads.
    pub fn livelock<'r>(&self, held: &[TaskId], reads: impl Fn(TaskId) -> &'r [ObjectId]) -> Defect {
        let names: Vec<String> = held.iter().map(|t| self.task_name(*t)).collect();
        let mut defect = Defect::new(
            FailureKind::Livelock,
            format!("only waiting loops are left, and nothing they read ever changes: {}", names.join(", ")),
        );
        for id in held {
            let task = &self.tasks[*id];
            let waits: Vec<String> = reads(*id).iter().map(|o| self.object_name(*o)).collect();
            let what =
                if waits.is_empty() { "nothing that raddle sees".to_owned() } else { waits.join(", ") };
            defect = defect.note(
                format!("{} goes round and round here, waiting for {what}", self.task_name(*id)),
                in_the_program(task.op.kind, task.op.place),
            );
        }
        for id in self.waiting().filter(|id| !held.contains(id)) {
            let op = &self.tasks[id].op;
            defect = defect.note(self.waits(id), in_the_program(op.kind, op.place));
        }
        defect
    }

    /// Main has returned, and others that must come to their end have not; `names` describes their pending operations.
    pub fn unfinished(&self, names: &dyn Describe) -> Option<Defect> {
        let is_unfinished = |id: &TaskId| {
            let task = &self.tasks[*id];
            let is_there =
                task.role() == Role::Thread && matches!(task.phase(), Phase::Alive | Phase::Ending);
            // A scope waits for functions, not for the destructors of thread-locals.
            is_there && task.fate.handle() != Handle::Joined
        };
        let unfinished: Vec<TaskId> = self.tasks.ids().filter(is_unfinished).collect();
        if unfinished.is_empty() {
            return None;
        }
        let those: Vec<String> = unfinished.iter().map(|t| self.task_name(*t)).collect();
        let mut defect = Defect::new(
            FailureKind::Deadlock,
            format!("main has returned, but {} did not come to an end", those.join(", ")),
        );
        for id in unfinished {
            let op = &self.tasks[id].op;
            defect = defect.note(format!("next: {}", names.describe(id)), in_the_program(op.kind, op.place));
        }
        Some(defect)
    }
}
