//! The result of one search: its tally, its coverage and its unexplored subtrees.

use super::{OnFailure, Plan, Tally};
use crate::strategy::SavedSubtree;
use crate::verdict::{Coverage, Extent, Failure, FailureKind};
use std::collections::BTreeMap;

/// The result of a search or of one stage of it.
#[derive(Debug)]
pub(crate) struct Searched<T: Ord> {
    pub tally: Tally<T>,
    pub extent: Extent,
    /// The user interrupted it. It may have been complete by then.
    pub interrupted: bool,
    /// The strategy had nothing more to explore.
    pub through: bool,
    /// The unexplored subtrees, if the search was stopped and can be resumed.
    pub left: Option<Vec<SavedSubtree>>,
    /// The fraction of the tree that is explored, if the strategy can estimate it.
    pub explored: Option<f64>,
    /// The largest bound that has been explored completely, where a bound grows.
    pub finished_bound: Option<u32>,
}

impl<T: Ord> Searched<T> {
    /// Both stages: `later` continued this one.
    #[must_use]
    pub fn followed_by(mut self, later: Searched<T>) -> Searched<T> {
        self.tally.merge(later.tally);
        Searched { tally: self.tally, ..later }
    }
}

/// What a search found.
#[derive(Debug)]
pub struct Findings<T> {
    /// How many executions came to an end.
    pub executions: u64,
    /// How many executions the strategy abandoned as redundant; not counted above.
    pub abandoned: u64,
    /// How many of those it could not decide: behaviours may be missing.
    pub undecided: u64,
    /// The largest size of a strategy of the search, in steps and picks.
    pub peak: u64,
    /// The user interrupted it. It may have been complete by then.
    pub interrupted: bool,
    /// The strategy had nothing more to explore.
    pub through: bool,
    /// The unexplored subtrees, if the search was stopped and can be resumed: see [`Saved`](super::Saved).
    pub left: Option<Vec<SavedSubtree>>,
    /// The fraction of the tree that is explored, if the strategy can estimate it.
    pub explored: Option<f64>,
    /// How many steps all of them took.
    pub steps: u64,
    /// The results of executions that passed, and how often each came.
    pub outcomes: BTreeMap<T, u64>,
    /// How many executions failed.
    pub failures: u64,
    /// The same by kind.
    pub failures_by_kind: BTreeMap<FailureKind, u64>,
    /// The failure with the lowest execution number.
    pub failure: Option<Failure>,
    /// The failures of other kinds, each the one with the lowest execution number.
    pub others: Vec<Failure>,
    /// The largest bound that has been explored completely, where a bound grows.
    pub finished_bound: Option<u32>,
    /// What was covered.
    pub coverage: Coverage,
}

impl<T: Ord> Findings<T> {
    pub(super) fn of(plan: &Plan, stage: Searched<T>) -> Findings<T> {
        let Searched { tally, extent, interrupted, through, left, explored, finished_bound } = stage;
        let failures = tally.failed();
        let mut firsts: Vec<Failure> = Vec::new();
        for group in tally.failures {
            if firsts.iter().all(|known| known.kind() != group.first.kind()) {
                firsts.push(group.first);
            }
        }
        let mut firsts = firsts.into_iter();
        Findings {
            executions: tally.executions,
            abandoned: tally.abandoned,
            undecided: tally.undecided,
            peak: tally.peak,
            interrupted,
            through,
            left,
            explored,
            steps: tally.steps,
            outcomes: tally.outcomes,
            failures,
            failures_by_kind: tally.failures_by_kind,
            failure: firsts.next(),
            // A search that stops at the first failure may have seen others before it. They are not reported.
            others: if plan.on_failure == OnFailure::KeepGoing { firsts.collect() } else { Vec::new() },
            finished_bound,
            coverage: Coverage { extent, executions: tally.executions, assumptions: tally.assumptions },
        }
    }
}
