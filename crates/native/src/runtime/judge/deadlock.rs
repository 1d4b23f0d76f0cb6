//! Deadlock and livelock: which tasks wait, for what, and which tasks hold that.
//!
//! Invariant: a report names only tasks of the program that have a pending operation. A deadlock is a state in which no
//! operation is enabled and a task is blocked; a livelock one in which only loops that wait are left (see
//! [`crate::runtime::scheduler`]).

use super::evidence::Evidence;
use super::panics::Handle;
use crate::runtime::record::in_the_program;
use crate::runtime::tasks::task::{Phase, Role};
use crate::sync::condvar;
use raddle_core::fact::{Fact, Other, Relation, Waiting};
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
            let is_to_be_notified =
                matches!(fact.relation, Relation::Waits { waiting: Waiting::ToBeNotified, .. });
            let too_early = is_to_be_notified.then(|| self.notified_before(id)).flatten();
            defect = too_early.into_iter().fold(defect.with(fact), Defect::with);
        }
        let circle = circle(&defect.facts);
        circle.into_iter().fold(defect, |defect, tasks| defect.with(Fact::new(Relation::Circle { tasks })))
    }

    /// The last notification of what a task waits for, if it came before the task waited.
    fn notified_before(&self, id: TaskId) -> Option<Fact> {
        let condvar = self.tasks[id].op.object;
        let mut lines = self.log.lines().iter().rev().filter(|line| line.object == condvar);
        lines
            .by_ref()
            .find(|line| line.task == id || condvar::is_notification(line))
            .filter(|line| line.task == id)?;
        let early =
            lines.find(|line| condvar::is_notification(line)).filter(|line| condvar::is_lost(line))?;
        let fact = Fact::of(self.task_name(early.task), Relation::NotifiedTooEarly);
        Some(fact.object(self.object_name(condvar)).at(in_the_program(early.kind, early.place)))
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

/// Tasks each of which waits for the next one, and the last one for the first: for what it holds, or for its end.
fn circle(facts: &[Fact]) -> Option<Vec<String>> {
    let next = |task: &str| -> Option<&str> {
        let fact = facts.iter().find(|fact| fact.is_waiting() && fact.task.as_deref() == Some(task))?;
        let is_waiting = |name: &&str| facts.iter().any(|fact| fact.task.as_deref() == Some(*name));
        let holder = fact.others.first().map(|other| other.task.as_str());
        holder.or(fact.object.as_deref()).filter(is_waiting)
    };
    facts.iter().filter_map(|fact| fact.task.as_deref()).find_map(|first| {
        let mut tasks = vec![first];
        while let Some(task) = next(tasks[tasks.len() - 1]) {
            if task == first {
                return (tasks.len() > 1).then(|| tasks.iter().map(|task| (*task).to_owned()).collect());
            }
            if tasks.contains(&task) {
                return None;
            }
            tasks.push(task);
        }
        None
    })
}
