//! Why an execution failed: what other executions of the program did differently.

use crate::record::ExecutionRecord;
use serde::{Deserialize, Serialize};

/// A comparison of a failing execution with others. It says nothing about executions that were not made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Explanation {
    /// How many executions that failed alike were compared, the one that is explained included.
    pub failed: u64,
    /// How many executions that passed.
    pub passed: u64,
    /// The last choice of the failing execution at which another one leads to a pass; none if none was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisive: Option<Box<Decisive>>,
    /// One or two orderings that all of the failing executions have, and none of those that passed. Empty if none were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orderings: Vec<Precedence>,
    /// Of which tasks all have them.
    #[serde(default, skip_serializing_if = "Tasks::are_these")]
    pub tasks: Tasks,
    /// A change after which no execution fails, if one was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// Of which tasks orderings hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tasks {
    /// The same in all executions.
    #[default]
    These,
    /// Some that do the same at the same places.
    Any,
}

impl Tasks {
    fn are_these(&self) -> bool {
        *self == Tasks::These
    }
}

/// Steps that no other task may come between: then all executions pass. Indices into the lines of the failing record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fix {
    /// The first step, and whatever is at its place in other tasks.
    pub from: usize,
    /// The last one.
    pub to: usize,
    /// How many executions there are then.
    pub executions: u64,
}

/// A choice at which the executions that fail and one that passes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Decisive {
    /// The first step that differs: an index into the lines of the failing record and of the passing one.
    pub at: [usize; 2],
    /// The execution that passes.
    pub passing: ExecutionRecord,
}

/// A step that comes before another one: indices into the lines of the failing record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Precedence {
    /// The first step.
    pub before: usize,
    /// The second one.
    pub after: usize,
}

impl Precedence {
    /// If both say that one step of `record` comes between two of another task: the ordering that ends with that step, and the
    /// one that begins with it.
    pub fn between(self, other: Precedence, record: &ExecutionRecord) -> Option<(Precedence, Precedence)> {
        let task = |line: usize| record.lines[line].task;
        let meet = |(one, other): &(Precedence, Precedence)| {
            one.after == other.before && task(one.before) == task(other.after)
        };
        [(self, other), (other, self)].into_iter().find(meet)
    }
}
