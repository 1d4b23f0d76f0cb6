//! The results of executions: their number, outcomes, failures and assumptions.
//!
//! [`Tally::merge`] adds up workers, rounds, stages of a search and resumed searches.

use crate::fact::Assumption;
use crate::verdict::{Cause, Failure, FailureKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Failures of one kind with one message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FailureGroup {
    /// The failure with the lowest execution number.
    pub first: Failure,
    /// How many failures the group has.
    pub count: u64,
}

impl FailureGroup {
    fn is_of(&self, cause: &Cause) -> bool {
        *self.first.defect.cause == *cause
    }
}

/// Further groups of one kind are dropped: a message may hold a number that differs in each execution.
const MOST_GROUPS: usize = 20;

/// The results of executions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tally<T: Ord> {
    /// How many executions came to an end.
    pub executions: u64,
    /// How many executions the strategy abandoned as redundant; not counted above.
    pub abandoned: u64,
    /// How many of those it could not decide: behaviours may be missing.
    pub undecided: u64,
    /// The largest size of a strategy, in steps and picks.
    pub peak: u64,
    /// How many steps all executions took.
    pub steps: u64,
    /// The outcomes of executions that passed, with their counts.
    pub outcomes: BTreeMap<T, u64>,
    /// How many executions failed, by kind.
    #[serde(with = "crate::plain::pairs")]
    pub failures_by_kind: BTreeMap<FailureKind, u64>,
    /// The failures by kind and message, in the order of their first executions.
    pub failures: Vec<FailureGroup>,
    /// What the search assumed.
    pub assumptions: Vec<Assumption>,
}

impl<T: Ord> Default for Tally<T> {
    fn default() -> Self {
        Tally {
            executions: 0,
            abandoned: 0,
            undecided: 0,
            peak: 0,
            steps: 0,
            outcomes: BTreeMap::new(),
            failures_by_kind: BTreeMap::new(),
            failures: Vec::new(),
            assumptions: Vec::new(),
        }
    }
}

impl<T: Ord> Tally<T> {
    /// Whether there was no execution.
    pub fn is_nothing(&self) -> bool {
        self.executions + self.abandoned == 0
    }

    /// How many executions failed.
    pub fn failed(&self) -> u64 {
        self.failures_by_kind.values().sum()
    }

    /// Adds the results of other executions.
    pub fn merge(&mut self, other: Tally<T>) {
        self.executions += other.executions;
        self.abandoned += other.abandoned;
        self.undecided += other.undecided;
        self.peak = self.peak.max(other.peak);
        self.steps += other.steps;
        if self.outcomes.is_empty() {
            self.outcomes = other.outcomes;
        } else {
            for (outcome, times) in other.outcomes {
                *self.outcomes.entry(outcome).or_insert(0) += times;
            }
        }
        for (kind, times) in other.failures_by_kind {
            *self.failures_by_kind.entry(kind).or_insert(0) += times;
        }
        for group in other.failures {
            self.add_group(group);
        }
        self.assumptions.extend(other.assumptions);
        self.assumptions.sort();
        self.assumptions.dedup();
    }

    /// The same with outcomes as text: they are values of the program, which cannot be written to a file in general.
    pub fn with_outcomes_as_text(&self) -> Tally<String>
    where
        T: Debug,
    {
        let mut texts = BTreeMap::new();
        for (outcome, times) in &self.outcomes {
            *texts.entry(format!("{outcome:?}")).or_insert(0) += times;
        }
        Tally {
            executions: self.executions,
            abandoned: self.abandoned,
            undecided: self.undecided,
            peak: self.peak,
            steps: self.steps,
            outcomes: texts,
            failures_by_kind: self.failures_by_kind.clone(),
            failures: self.failures.clone(),
            assumptions: self.assumptions.clone(),
        }
    }

    /// The same with other outcomes.
    pub fn into_outcomes<U: Ord>(self, outcomes: BTreeMap<U, u64>) -> Tally<U> {
        Tally {
            executions: self.executions,
            abandoned: self.abandoned,
            undecided: self.undecided,
            peak: self.peak,
            steps: self.steps,
            outcomes,
            failures_by_kind: self.failures_by_kind,
            failures: self.failures,
            assumptions: self.assumptions,
        }
    }

    /// Counts a failure of a known group, or one whose record is not wanted.
    pub(super) fn count_failure(&mut self, cause: &Cause) {
        *self.failures_by_kind.entry(cause.kind()).or_insert(0) += 1;
        if let Some(group) = self.failures.iter_mut().find(|group| group.is_of(cause)) {
            group.count += 1;
        }
    }

    /// Adds a failure with its record.
    pub(super) fn add_failure(&mut self, first: Failure) {
        *self.failures_by_kind.entry(first.kind()).or_insert(0) += 1;
        self.add_group(FailureGroup { first, count: 1 });
    }

    /// The first failure with this cause; of its kind, if that has too many causes.
    pub(super) fn known(&self, cause: &Cause) -> Option<&Failure> {
        let kind = cause.kind();
        let exact = self.failures.iter().find(|group| group.is_of(cause));
        let of_kind = || self.failures.iter().filter(|group| group.first.kind() == kind);
        let full = || of_kind().count() >= MOST_GROUPS;
        exact.or_else(|| if full() { of_kind().next() } else { None }).map(|group| &group.first)
    }

    fn add_group(&mut self, group: FailureGroup) {
        let (kind, execution) = (group.first.kind(), group.first.execution);
        match self.failures.iter_mut().find(|known| known.is_of(&group.first.defect.cause)) {
            Some(known) => {
                known.count += group.count;
                if execution < known.first.execution {
                    known.first = group.first;
                }
            }
            None => self.failures.push(group),
        }
        self.failures.sort_by_key(|group| group.first.execution);
        let of_kind = self.failures.iter().filter(|group| group.first.kind() == kind).count();
        if of_kind > MOST_GROUPS
            && let Some(last) = self.failures.iter().rposition(|group| group.first.kind() == kind)
        {
            self.failures.remove(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ExecutionRecord;
    use crate::ticket::Ticket;
    use crate::verdict::Defect;

    fn failure(execution: u64, message: &str) -> Failure {
        let defect = Defect::new(FailureKind::Panic, message);
        Failure::new(defect, execution, ExecutionRecord::default(), Ticket::empty())
    }

    #[test]
    fn parts_add_up_and_the_first_of_each_message_is_kept() {
        let part = |outcome: &'static str, failures: &[(u64, &str)], assumption| {
            let mut tally = Tally { executions: 3, peak: outcome.len() as u64, ..Tally::default() };
            tally.outcomes.insert(outcome, 2);
            tally.assumptions.push(assumption);
            failures.iter().for_each(|(execution, message)| tally.add_failure(failure(*execution, message)));
            tally
        };
        let mut all = part("long", &[(5, "a"), (7, "b")], Assumption::SpinsAwait);
        all.merge(part("a", &[(2, "b"), (9, "c"), (11, "c")], Assumption::RealAddresses));
        assert_eq!((all.executions, all.peak, all.failed(), all.outcomes.len()), (6, 4, 5, 2));
        let groups: Vec<_> =
            all.failures.iter().map(|g| (g.first.message(), g.first.execution, g.count)).collect();
        assert_eq!(groups, [("b", 2, 2), ("a", 5, 1), ("c", 9, 2)].map(|(m, e, c)| (m.to_owned(), e, c)));
        assert_eq!(all.assumptions, [Assumption::RealAddresses, Assumption::SpinsAwait]);
    }

    #[test]
    fn there_are_not_too_many_groups() {
        let mut tally = Tally::<()>::default();
        (0..100).rev().for_each(|n| tally.add_failure(failure(n, &n.to_string())));
        assert_eq!((tally.failures.len(), tally.failed()), (MOST_GROUPS, 100));
        assert_eq!(tally.failures[0].first.execution, 0);
        assert_eq!(tally.known(&Cause::Aborted { task: "new".to_owned() }).map(|f| f.execution), Some(0));
        assert_eq!(tally.known(&Cause::NoPthread), None);
    }
}
