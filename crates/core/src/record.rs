//! One execution in readable form: which task did which operation, on which object, where. Input of every report and
//! ticket.
//!
//! Names in a record do not depend on the schedule. The format is versioned: readers reject unknown versions.

mod order;

use crate::operation::TaskId;
use crate::trace::Trace;
use crate::verdict::thousands;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the record format.
pub const VERSION: u32 = 3;

/// The operation of a line that stands for others, which [`ExecutionRecord::shorten`] left out.
pub const LEFT_OUT: &str = "…";

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl From<&std::panic::Location<'_>> for Place {
    fn from(l: &std::panic::Location<'_>) -> Place {
        Place { file: l.file().to_owned(), line: l.line(), column: l.column() }
    }
}

/// The call in the code under test that led to an operation inside of a dependency.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Caller {
    /// Where the call is.
    pub place: Place,
    /// The function of the dependency that is called there: `Mutex::lock`.
    pub function: String,
}

/// A task as a report names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskInfo {
    /// `main.1`: its parent and its number there.
    pub name: String,
    /// The name that the program gave it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// What a step does to a lock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LockUse {
    /// The lock: `Mutex#2 "accounts"`.
    pub lock: String,
    /// Whether it is held by the task afterwards.
    pub hold: Hold,
}

/// Whether a task holds a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// The task holds it alone.
    Exclusive,
    /// The task holds it, and others may as well.
    Shared,
    /// The task has given it back.
    Released,
}

/// The mailbox of an Erlang process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mailbox {
    /// The process: an index into [`ExecutionRecord::tasks`].
    pub task: usize,
    /// Its first messages, shortened.
    pub messages: Vec<String>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// One line of the record.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Line {
    /// The task of the line: an index into [`ExecutionRecord::tasks`].
    pub task: usize,
    /// Its number among the steps of the trace; none for an event between two steps, such as a spawn or a panic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The operation: "lock", "send".
    pub operation: String,
    /// Its object: `Mutex#2 "accounts"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Its result: "→ 3", "0 → 1", "would block".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub result: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Whether this step is a preemption.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preempts: bool,
    /// Whether this step happened by itself as soon as it could, without a choice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_itself: bool,
    /// The line that this one reads from: an index into [`ExecutionRecord::lines`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_from: Option<usize>,
    /// The call that led there, if the place is not in the code under test and stacks were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
    /// The conflicting steps of other tasks that this one comes after, where no other order implies it: indices into
    /// [`ExecutionRecord::lines`]. With the order of each task's own steps they are the happens-before of the execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<usize>,
    /// The tasks that are enabled after this step and were not before it. What steps change that happen by themselves is told
    /// with the last of them before the next choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enables: Vec<usize>,
    /// The tasks that were enabled before this step and are not after it: blocked, or at their end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disables: Vec<usize>,
    /// Whether its task, an Erlang process, exits here. After it, the process only tells others of that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exits: bool,
    /// The task that it creates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawns: Option<usize>,
    /// The value of the object after this step, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What it does to a lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockUse>,
    /// The mailboxes that differ after this step from what they were before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mailboxes: Vec<Mailbox>,
}

impl Line {
    /// The operation without its result: what a ticket expects.
    pub fn expected_operation(&self) -> String {
        match &self.object {
            Some(object) => format!("{} {object}", self.operation),
            None => self.operation.clone(),
        }
    }
}

/// One execution in readable form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecutionRecord {
    /// [`VERSION`].
    pub version: u32,
    /// The tasks, in the order they appeared.
    pub tasks: Vec<TaskInfo>,
    /// The events, in order.
    #[serde(rename = "events")]
    pub lines: Vec<Line>,
    /// The tasks that are enabled before the first step; none if it was not recorded which tasks are enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<Vec<usize>>,
}

impl ExecutionRecord {
    /// The lines that are steps of the trace, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|l| l.step.is_some())
    }

    /// Marks the lines of steps that are preemptions, and of those that are no choices.
    pub fn mark_preemptions(&mut self, trace: &Trace) {
        for line in &mut self.lines {
            let step = line.step.and_then(|s| trace.steps().get(s));
            line.preempts = step.is_some_and(|s| s.preempts);
            line.by_itself = step.is_some_and(|s| s.by_itself);
        }
    }

    /// Marks the steps that come after conflicting steps of other tasks, where no other order implies it.
    pub fn mark_order(&mut self, trace: &Trace) {
        let line_of = self.line_of_steps();
        let order = order::direct_order(trace);
        for line in &mut self.lines {
            let after = line.step.and_then(|step| order.get(step)).into_iter().flatten();
            line.after = after.filter_map(|step| line_of.get(step).copied()).collect();
        }
    }

    /// Marks which tasks steps enable and disable, if the trace says so.
    pub fn mark_enabled(&mut self, trace: &Trace) {
        let Some(points) = trace.points() else { return };
        let line_of = self.line_of_steps();
        let index = |tasks: &[TaskId]| tasks.iter().map(|task| task.index()).collect();
        self.enabled = Some(Vec::new());
        for change in points {
            match change.after.checked_sub(1) {
                None => self.enabled = Some(index(&change.enabled)),
                Some(step) => {
                    let Some(line) = line_of.get(&step).and_then(|at| self.lines.get_mut(*at)) else {
                        continue;
                    };
                    (line.enables, line.disables) = (index(&change.enabled), index(&change.disabled));
                }
            }
        }
    }

    /// The line of each step.
    fn line_of_steps(&self) -> BTreeMap<usize, usize> {
        self.lines.iter().enumerate().filter_map(|(at, line)| Some((line.step?, at))).collect()
    }

    /// Removes lines in the middle if there are more than `most`: the beginning stays, and more of the end. A line in
    /// their place says how many there were.
    pub fn shorten(&mut self, most: usize) {
        let all = self.lines.len();
        if all <= most.max(8) {
            return;
        }
        let (head, tail) = (most / 4, most - most / 4 - 1);
        let left_out = head..all - tail;
        let says = Line {
            task: self.lines[head].task,
            step: None,
            operation: LEFT_OUT.to_owned(),
            result: format!("{} lines of all tasks are left out here", thousands(left_out.len() as u64)),
            ..Line::default()
        };
        let shift = left_out.len() - 1;
        self.lines.splice(left_out.clone(), [says]);
        let now_at = |line: usize| match line {
            line if left_out.contains(&line) => None,
            line if line >= left_out.end => Some(line - shift),
            line => Some(line),
        };
        for line in &mut self.lines {
            line.reads_from = line.reads_from.and_then(now_at);
            line.after = line.after.iter().copied().filter_map(now_at).collect();
            // Which tasks are enabled is known only where every step says so.
            (line.enables, line.disables) = (Vec::new(), Vec::new());
        }
        self.enabled = None;
    }
}

impl Default for ExecutionRecord {
    fn default() -> ExecutionRecord {
        ExecutionRecord { version: VERSION, tasks: Vec::new(), lines: Vec::new(), enabled: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Pending, Pick, Point};

    #[test]
    fn a_long_story_is_told_without_its_middle() {
        let line = |n: usize| Line {
            task: n % 2,
            step: Some(n),
            operation: "load".to_owned(),
            reads_from: n.checked_sub(3),
            after: n.checked_sub(3).into_iter().collect(),
            ..Line::default()
        };
        let long = ExecutionRecord { lines: (0..100).map(line).collect(), ..ExecutionRecord::default() };
        let mut same = long.clone();
        same.shorten(100);
        assert_eq!(same, long);
        let mut short = long.clone();
        short.shorten(20);
        assert_eq!(short.lines.len(), 20);
        let steps: Vec<usize> = short.steps().filter_map(|line| line.step).collect();
        assert_eq!(steps, (0..5).chain(86..100).collect::<Vec<_>>());
        assert_eq!(short.lines[5].result, "81 lines of all tasks are left out here");
        for line in short.steps() {
            let from = line.reads_from.and_then(|from| short.lines[from].step);
            let was = line.step.and_then(|n| n.checked_sub(3)).filter(|n| steps.contains(n));
            assert_eq!(from, was, "what was seen is still what is named");
            let after: Vec<_> = line.after.iter().filter_map(|at| short.lines[*at].step).collect();
            assert_eq!(after, was.into_iter().collect::<Vec<_>>(), "and so is what it comes after");
        }
    }

    #[test]
    fn which_tasks_steps_enable_and_disable() {
        let mut trace = Trace::new();
        trace.note_points();
        let step = |trace: &mut Trace, enabled: &[u32], task: u32| {
            let enabled: Vec<TaskId> = enabled.iter().map(|task| TaskId(*task)).collect();
            let pending = [Pending { options: 1, ..Pending::NOTHING }; 3];
            let point = Point::new(&enabled, &pending);
            trace.note_point(&point);
            trace.push(Pick { task: TaskId(task), option: 0 }, &point);
        };
        step(&mut trace, &[0], 0);
        step(&mut trace, &[0, 1], 0);
        step(&mut trace, &[1], 1);
        let line = |n: usize| Line { step: Some(n), ..Line::default() };
        let mut record = ExecutionRecord { lines: (0..3).map(line).collect(), ..ExecutionRecord::default() };
        record.mark_enabled(&trace);
        assert_eq!(record.enabled, Some(vec![0]));
        let told: Vec<_> = record.lines.iter().map(|l| (l.enables.clone(), l.disables.clone())).collect();
        assert_eq!(told, [(vec![1], vec![]), (vec![], vec![0]), (vec![], vec![])]);
    }
}
