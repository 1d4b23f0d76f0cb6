//! One execution in readable form: which task did which operation, on which object, where. Input of every report and
//! ticket.
//!
//! Names in a record do not depend on the schedule. The format is versioned: readers reject unknown versions.

use crate::trace::Trace;
use crate::verdict::thousands;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the record format.
pub const VERSION: u32 = 3;

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

/// One line of the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
    /// The line that this one reads from: an index into [`ExecutionRecord::lines`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_from: Option<usize>,
    /// The call that led there, if the place is not in the code under test and stacks were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
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
}

impl ExecutionRecord {
    /// The lines that are steps of the trace, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|l| l.step.is_some())
    }

    /// Marks the lines of steps that are preemptions.
    pub fn mark_preemptions(&mut self, trace: &Trace) {
        for line in &mut self.lines {
            line.preempts = line.step.and_then(|s| trace.steps().get(s)).is_some_and(|s| s.preempts);
        }
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
            operation: "…".to_owned(),
            object: None,
            result: format!("{} lines of all tasks are left out here", thousands(left_out.len() as u64)),
            place: None,
            preempts: false,
            reads_from: None,
            caller: None,
        };
        let shift = left_out.len() - 1;
        self.lines.splice(left_out.clone(), [says]);
        for line in &mut self.lines {
            line.reads_from = match line.reads_from {
                Some(from) if left_out.contains(&from) => None,
                Some(from) if from >= left_out.end => Some(from - shift),
                from => from,
            };
        }
    }
}

impl Default for ExecutionRecord {
    fn default() -> ExecutionRecord {
        ExecutionRecord { version: VERSION, tasks: Vec::new(), lines: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_story_is_told_without_its_middle() {
        let line = |n: usize| Line {
            task: n % 2,
            step: Some(n),
            operation: "load".to_owned(),
            object: None,
            result: String::new(),
            place: None,
            preempts: false,
            reads_from: n.checked_sub(3),
            caller: None,
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
        }
    }
}
