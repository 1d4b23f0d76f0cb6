//! How the executions of a program may end.
//!
//! Invariant: two executions with the same logs and the same kind of end are one outcome.

use std::collections::BTreeSet;

/// The logs of all tasks, main's first.
pub type Logs = Vec<Vec<i8>>;

/// A failure, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Nothing can move and a task waits.
    Deadlock,
    /// A panic that the program did not look at.
    Panic,
    /// Anything else.
    Other,
}

/// All ends of a program's executions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcomes {
    /// Of those that passed.
    pub passed: BTreeSet<Logs>,
    /// Of those that failed.
    pub failed: BTreeSet<Kind>,
}

impl Outcomes {
    /// Whether all of these are among the others.
    pub fn is_subset(&self, all: &Outcomes) -> bool {
        self.passed.is_subset(&all.passed) && self.failed.is_subset(&all.failed)
    }
}
