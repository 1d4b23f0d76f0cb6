//! The result of a check as values: verdict, coverage, failures, statistics and unexplored subtrees.

use crate::search::{FailureGroup, Saved};
use crate::verdict::{Coverage, Extent, Failure, FailureKind};
use std::collections::BTreeMap;
use std::time::Duration;

/// The verdict of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No execution failed; the coverage says what that means.
    Passed,
    /// An execution failed.
    Failed(FailureKind),
    /// The user interrupted it before an execution failed, or its time was up before one came to its end.
    Interrupted,
}

impl Verdict {
    /// The exit code of a command: 0 if the check passed, 1 if it failed, 2 if there is no verdict.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Passed => 0,
            Verdict::Failed(kind) => kind.exit_code(),
            Verdict::Interrupted => 2,
        }
    }
}

/// The cost of a check and its counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    /// How many executions the strategy abandoned as redundant. They are not counted.
    pub abandoned: u64,
    /// How many of those it could not decide.
    pub undecided: u64,
    /// How many steps all executions took.
    pub steps: u64,
    /// The largest size of a strategy, in steps and picks.
    pub peak: u64,
    /// How many executions failed, by kind.
    pub failures_by_kind: BTreeMap<FailureKind, u64>,
    /// The largest bound on preemptions that was explored completely, where it grows.
    pub finished_bound: Option<u32>,
    /// How long it took.
    pub elapsed: Duration,
}

impl Statistics {
    /// Adds those of an earlier stage.
    pub(super) fn add(&mut self, earlier: &Statistics) {
        self.abandoned += earlier.abandoned;
        self.undecided += earlier.undecided;
        self.steps += earlier.steps;
        self.peak = self.peak.max(earlier.peak);
        self.finished_bound = self.finished_bound.max(earlier.finished_bound);
        for (kind, times) in &earlier.failures_by_kind {
            *self.failures_by_kind.entry(*kind).or_insert(0) += times;
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Checked<T> {
    /// The coverage, with the number of executions.
    pub coverage: Coverage,
    /// The coverage of earlier stages that it does not include: see [`SearchKind::Staged`](super::SearchKind::Staged).
    pub stages: Vec<Coverage>,
    /// The failures by kind and message, each with its first execution. A check that stops at a failure has one.
    pub failures: Vec<FailureGroup>,
    /// The cost and the counts.
    pub statistics: Statistics,
    /// The outcomes of executions that passed, with their counts.
    pub outcomes: BTreeMap<T, u64>,
    /// Outcomes of an earlier stage of the search that have not occurred since, as text.
    pub earlier_outcomes: BTreeMap<String, u64>,
    /// The user interrupted it. The coverage says whether it was complete by then.
    pub interrupted: bool,
    /// The unexplored subtrees of a search that was interrupted or reached its time limit.
    pub left: Option<Box<Saved>>,
}

impl<T> Checked<T> {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.failure() {
            Some(failure) => Verdict::Failed(failure.kind()),
            None if self.interrupted || self.has_seen_nothing() => Verdict::Interrupted,
            None => Verdict::Passed,
        }
    }
    /// Whether no execution came to its end, though there is one.
    fn has_seen_nothing(&self) -> bool {
        self.executions() == 0 && matches!(self.coverage.extent, Extent::Partial(_))
    }
    /// The failure with the lowest execution number.
    pub fn failure(&self) -> Option<&Failure> {
        self.failures.first().map(|group| &group.first)
    }
    /// The first failure of this kind.
    pub fn failure_of(&self, kind: FailureKind) -> Option<&Failure> {
        self.failures.iter().map(|group| &group.first).find(|failure| failure.kind() == kind)
    }
    /// How many executions failed.
    pub fn failed(&self) -> u64 {
        self.statistics.failures_by_kind.values().sum()
    }
    /// How many executions came to an end, in all stages.
    pub fn executions(&self) -> u64 {
        self.coverages().map(|coverage| coverage.executions).sum()
    }
    /// The coverage of each stage, the last one at the end.
    pub fn coverages(&self) -> impl Iterator<Item = &Coverage> + Clone {
        self.stages.iter().chain([&self.coverage])
    }
    /// The same with each outcome mapped. Counts of outcomes that are mapped to one are added.
    pub fn map_outcomes<U: Ord>(self, map: impl Fn(T) -> U) -> Checked<U> {
        let mut outcomes = BTreeMap::new();
        for (outcome, times) in self.outcomes {
            *outcomes.entry(map(outcome)).or_insert(0) += times;
        }
        Checked {
            coverage: self.coverage,
            stages: self.stages,
            failures: self.failures,
            statistics: self.statistics,
            outcomes,
            earlier_outcomes: self.earlier_outcomes,
            interrupted: self.interrupted,
            left: self.left,
        }
    }
}
