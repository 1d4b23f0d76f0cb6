//! Deadlock and livelock: which tasks wait, for what, and which tasks hold that.
//!
//! Invariant: a report names only tasks of the program that have a pending operation. A deadlock is a state in which no
//! operation is enabled and a task is blocked; a livelock one in which only loops that wait are left (see
//! [`crate::runtime::scheduler`]).

use super::evidence::Evidence;
use super::panics::Handle;
use crate::runtime::record::in_the_program;
use crate::runtime::tasks::task::{Phase, Role};
use raddle_core::fact::{Fact, Other, Relation};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::record::Place;
use raddle_core::verdict::{Cause, Defect};

impl Evidence<'_> {
    /// Nothing can move: which task waits for which?
    pub fn deadlock(&self) -> Defect {
        let waiting: Vec<TaskId> = self.waiting().collect();
        let tasks = waiting.iter().map(|id| self.task_name(*id)).collect();
        let mut defect = Defect::of(Cause::Deadlock { tasks });
        for id in waiting {
            let op = &self.tasks[id].op;
            let mut fact = self.waits(id);
            let held = (op.kind.held)(&self.blocked(id));
            if let Relation::Waits { needs, .. } = &mut fact.relation
                && held != op.object
            {
                *needs = Some(self.object_name(held));
            }
            let holders = (op.kind.holders)(&self.blocked(id)).into_iter();
            fact.others = holders
                .map(|holder| Other { task: self.task_name(holder), place: self.taken_at(holder, held) })
                .collect();
            defect = defect.with(fact);
        }
        defect
    }

    /// The threads of the program that have a pending operation.
    fn waiting(&self) -> impl Iterator<Item = TaskId> {
        let tasks = self.tasks;
        tasks.ids().filter(move |id| tasks[*id].is_waiting_thread())
    }

    /// Where `holder` last did something to `object`.
    fn taken_at(&self, holder: TaskId, object: ObjectId) -> Option<Place> {
        let line = self.log.lines().iter().rev().find(|l| l.task == holder && l.object == object)?;
        in_the_program(line.kind, line.place)
    }

    /// Only these loops that wait are left, and nothing that they read changes; `reads` says what a task reads.
    pub fn livelock<'r>(&self, held: &[TaskId], reads: impl Fn(TaskId) -> &'r [ObjectId]) -> Defect {
        let tasks = held.iter().map(|t| self.task_name(*t)).collect();
        let mut defect = Defect::of(Cause::Livelock { tasks });
        for id in held {
            let task = &self.tasks[*id];
            let objects = reads(*id).iter().map(|o| self.object_name(*o)).collect();
            let spins = Fact::of(self.task_name(*id), Relation::Spins { objects });
            defect = defect.with(spins.at(in_the_program(task.op.kind, task.op.place)));
        }
        for id in self.waiting().filter(|id| !held.contains(id)) {
            defect = defect.with(self.waits(id));
        }
        defect
    }

    /// Main has returned, and others that must come to their end have not.
    pub fn unfinished(&self) -> Option<Defect> {
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
        let tasks = unfinished.iter().map(|t| self.task_name(*t)).collect();
        let mut defect = Defect::of(Cause::Unfinished { tasks });
        for id in unfinished {
            let op = &self.tasks[id].op;
            let next = Fact::of(self.task_name(id), Relation::Next { operation: op.kind.name.to_owned() });
            let next = Fact { object: self.name_for(id, op.object), ..next };
            defect = defect.with(next.at(in_the_program(op.kind, op.place)));
        }
        Some(defect)
    }
}
