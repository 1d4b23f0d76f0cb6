//! Names that do not depend on the schedule, and the words for what tasks do and wait for.

use super::execution::Execution;
use super::log::Log;
use super::object::Object;
use super::operation::{Evaluation, NO_OBJECT, Op};
use super::record::in_the_program;
use super::task::{Phase, Role, Task};
use super::view::View;
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use raddle_core::record::Place;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::Describe;

/// The end of a task writes what its joiners read. The end of main ends everybody.
/// Arguments: the object of its end, and that of the scope that waits for it, or [`NO_OBJECT`].
pub(super) fn sense_of_end(_: &View<'_>, op: &Op) -> Evaluation {
    if op.task == TaskId::MAIN {
        // Also when all others have come to their end: if nobody joined them, it might have come first.
        return Evaluation::ready(Accesses::EVERYTHING_THERE_IS);
    }
    let [end, scope] = op.args.map(|object| ObjectId(object as u32));
    let accesses = Accesses::write(end);
    Evaluation::ready(if scope == NO_OBJECT { accesses } else { accesses.and(scope, Mode::Write) })
}

/// The arguments of the end of a task. A scope hears of it once.
pub(super) fn args_of_end(task: &Task) -> [u64; 2] {
    let scope = if task.returned { NO_OBJECT } else { task.scope };
    [task.end.0 as u64, scope.0 as u64]
}

fn name_of(object: &Object, owner: impl Fn() -> String) -> String {
    let name = match (object.number, &object.label, object.creator) {
        // An atomic step has only the name that the program gave it.
        (0, Some(label), _) => return format!("\"{label}\""),
        // The end or the token of a task.
        (0, None, _) => return owner(),
        (number, _, TaskId::MAIN) => format!("{}#{number}", object.kind),
        (number, ..) => format!("{}/{}#{number}", owner(), object.kind),
    };
    match &object.label {
        Some(label) => format!("{name} \"{label}\""),
        None => name,
    }
}

impl Execution {
    /// `main.1.2`, or `main.1~timer2` for a phantom.
    pub fn task_name(&self, id: TaskId) -> String {
        let task = self.task(id);
        match task.role {
            _ if id == TaskId::MAIN => "main".to_owned(),
            Role::Janitor => "the end of the execution".to_owned(),
            Role::Thread => format!("{}.{}", self.task_name(task.parent), task.number),
            Role::Timer { of, number } => format!("{}~timer{number}", self.task_name(of)),
        }
    }

    /// `Mutex#2 "accounts"`, or `main.1/Mutex#2` if another task than main touched it first.
    pub fn object_name(&self, id: ObjectId) -> String {
        let object = &self.objects[id];
        name_of(object, || self.task_name(object.creator))
    }

    /// The name of what a task does something to, unless that is nothing or its own token.
    pub fn name_for(&self, id: TaskId, object: ObjectId) -> Option<String> {
        (object != NO_OBJECT && object != self.task(id).token).then(|| self.object_name(object))
    }

    /// Nothing can move: who waits for whom?
    pub fn deadlock(&self) -> Defect {
        let mut waiting = Vec::new();
        for id in self.task_ids() {
            let task = self.task(id);
            if task.role == Role::Thread && task.phase == Phase::Alive {
                waiting.push(id);
            }
        }
        let names: Vec<String> = waiting.iter().map(|id| self.task_name(*id)).collect();
        let message = match names.as_slice() {
            [one] => format!("nothing can move: {one} waits for ever"),
            [most @ .., last] => format!("nothing can move: {} and {last} wait for ever", most.join(", ")),
            [] => "nothing can move".to_owned(),
        };
        let mut defect = Defect::new(FailureKind::Deadlock, message);
        for id in waiting {
            let op = &self.task(id).op;
            let mut text = self.waits(id);
            let held = (op.kind.held)(self, op);
            if held != op.object {
                text.push_str(&format!(" and needs {}", self.object_name(held)));
            }
            let others: Vec<String> =
                (op.kind.holders)(self, op).into_iter().map(|holder| self.holds(holder, held, id)).collect();
            if let Some((first, rest)) = others.split_first() {
                text.push_str(&format!(", {first}"));
                text.extend(rest.iter().map(|other| format!(" and {other}")));
            }
            defect = defect.note(text, in_the_program(op.kind, op.place));
        }
        defect
    }

    /// `main.1 waits to lock Mutex#2`.
    pub fn waits(&self, id: TaskId) -> String {
        let op = &self.task(id).op;
        let name = self.task_name(id);
        let mut text = match (op.kind.waits)(self, op) {
            Some(words) => format!("{name} {words}"),
            None => format!("{name} waits to {}", op.kind.name),
        };
        if let Some(object) = self.name_for(id, op.object) {
            text.push_str(&format!(" {object}"));
        }
        text
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
        let line = self.log.lines.iter().rev().find(|l| l.task == holder && l.object == object)?;
        in_the_program(line.kind, line.place)
    }
}

impl Describe for Execution {
    /// The pending operation of a task, as tickets name it.
    fn describe(&self, id: TaskId) -> String {
        let op = &self.task(id).op;
        let name = self.task_name(id);
        match self.name_for(id, op.object) {
            None => format!("{name} {}", op.kind.name),
            Some(object) => format!("{name} {} {object}", op.kind.name),
        }
    }

    /// What step `index` of the last execution was. Its tasks are gone, but up to that step they were the
    /// present ones.
    fn describe_last_time(&self, index: usize) -> String {
        let steps = |log: &Log| log.lines.iter().filter(|l| l.is_step).nth(index).copied();
        let Some(line) = steps(&self.last_log) else { return "another operation".to_owned() };
        let task = |id: TaskId| match id.index() < self.task_ids().len() {
            true => self.task_name(id),
            false => "another task".to_owned(),
        };
        let name = task(line.task);
        match line.object {
            NO_OBJECT => format!("{name} {}", line.kind.name),
            object => {
                let object = &self.last_objects[object];
                format!("{name} {} {}", line.kind.name, name_of(object, || task(object.creator)))
            }
        }
    }
}
