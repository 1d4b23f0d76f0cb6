//! What the judge looks at, and in which words: tasks, objects, memory and log of an execution, all of it read-only.
//!
//! Invariant: names do not depend on the schedule. A task is named by its parent and its number there, an object by the
//! task that first touched it and its number there.

use crate::callers;
use crate::runtime::execution::Execution;
use crate::runtime::log::Log;
use crate::runtime::objects::view::Blocked;
use crate::runtime::operation::{HERE, NO_OBJECT};
use crate::runtime::record::in_the_program;
use crate::runtime::state::State;
use crate::runtime::tasks::Tasks;
use raddle_core::difference::Difference;
use raddle_core::fact::{Fact, Relation};
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::Describe;

#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub tasks: &'a Tasks,
    pub state: &'a State,
    pub log: &'a Log,
}

impl<'a> Evidence<'a> {
    pub fn task_name(&self, id: TaskId) -> String {
        self.tasks.name(id)
    }

    /// `Mutex#2 "accounts"`, or `main.1/Mutex#2` if another task than main touched it first.
    pub fn object_name(&self, id: ObjectId) -> String {
        self.state.objects.name(id, |task| self.tasks.name(task))
    }

    /// The name of what a task does something to, unless that is nothing or its own token.
    pub fn name_for(&self, id: TaskId, object: ObjectId) -> Option<String> {
        (object != NO_OBJECT && object != self.tasks[id].token()).then(|| self.object_name(object))
    }

    /// The pending operation of a task that waits.
    pub fn blocked(&self, id: TaskId) -> Blocked<'a> {
        Blocked::new(self.tasks[id].view(self.state))
    }

    /// The operation that the task did last; none if it has done none.
    pub fn last_operation(&self, id: TaskId) -> Option<Fact> {
        let op = &self.tasks[id].op;
        if self.tasks[id].progress.steps() == 0 || op.place.file() == HERE {
            return None;
        }
        let relation = Relation::DidLast { operation: op.kind.name.to_owned() };
        Some(Fact { object: self.name_for(id, op.object), ..self.operation_of(id, relation) })
    }

    /// A fact about the operation that the task announced last.
    pub fn operation_of(&self, id: TaskId, relation: Relation) -> Fact {
        let op = &self.tasks[id].op;
        let called = callers::of_pending(id);
        let place = in_the_program(op.kind, op.place).or(called.inner);
        Fact { caller: called.caller, ..Fact::of(self.task_name(id), relation).at(place) }
    }

    /// The task waits to do its pending operation.
    pub fn waits(&self, id: TaskId) -> Fact {
        let op = &self.tasks[id].op;
        let (waiting, operation) = ((op.kind.waits)(&self.blocked(id)), op.kind.name.to_owned());
        let relation = Relation::Waits { waiting, operation, needs: None };
        let called = callers::of_pending(id);
        let place = in_the_program(op.kind, op.place).or(called.inner);
        let fact = Fact::of(self.task_name(id), relation).at(place);
        Fact { object: self.name_for(id, op.object), caller: called.caller, ..fact }
    }
}

impl Describe for Execution {
    /// The pending operation of a task, as tickets name it.
    fn describe(&self, id: TaskId) -> String {
        let op = &self.tasks[id].op;
        let name = self.tasks.name(id);
        match self.evidence().name_for(id, op.object) {
            None => format!("{name} {}", op.kind.name),
            Some(object) => format!("{name} {} {object}", op.kind.name),
        }
    }

    /// What step `index` of the last execution was. Its tasks are gone, but up to that step they were the
    /// present ones.
    fn describe_last_time(&self, index: usize) -> String {
        let Some(line) = self.log.step_before(index) else { return "another operation".to_owned() };
        let task = |id: TaskId| match id.index() < self.tasks.len() {
            true => self.tasks.name(id),
            false => "another task".to_owned(),
        };
        let name = task(line.task);
        match line.object {
            NO_OBJECT => format!("{name} {}", line.kind.name),
            object => format!("{name} {} {}", line.kind.name, self.state.objects.name_before(object, task)),
        }
    }

    fn differs_from_last_time(&self, steps: usize) -> Option<Difference> {
        self.first_difference(steps)
    }
}
