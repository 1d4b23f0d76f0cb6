//! The stages of a search: a few random schedules, few preemptions where executions are long, everything, and random
//! schedules again. Each says what it covered.

use crate::common::{Op::*, Program as Toys, program};
use crate::time_limit::{Timed, sleepers, within};
use raddle_core::check::{Check, SearchKind, check};
use raddle_core::fact::{Bound, StopReason};
use raddle_core::search::{NoListener, OnFailure};
use raddle_core::verdict::{Extent, FailureKind};
use std::sync::Arc;
use std::time::Duration;

fn small() -> Toys {
    program([&[Read(0), Write(0, 1)], &[Read(0), Write(0, 2)]])
}

fn staged() -> Check {
    within(SearchKind::Staged, 10)
}

#[test]
fn what_can_be_explored_completely_is() {
    let (plain, _) = Timed::new(small()).check(&within(SearchKind::Exhaustive, 10));
    let (checked, _) = Timed::new(small()).check(&staged());
    assert_eq!(checked.coverage, plain.coverage);
    assert_eq!((checked.executions(), checked.outcomes), (plain.executions(), plain.outcomes));
    assert!(checked.coverage.is_exhaustive() && checked.stages.is_empty());
    // A bound of the user is one of every stage.
    let mut bounded = staged();
    bounded.bounds.preemptions = Some(0);
    let (checked, _) = Timed::new(small()).check(&bounded);
    assert_eq!(checked.coverage.extent, Extent::Within(vec![Bound::Preemptions(0)]));
    assert_eq!(checked.executions(), 2);
}

#[test]
fn what_fails_often_fails_in_the_first_stage() {
    let toys = sleepers(2, 500, 1, Expect(0, 1_000, FailureKind::Panic));
    let (checked, took) = Timed::new(toys).check(&staged());
    assert_eq!(checked.failure().map(|f| f.execution), Some(1));
    assert_eq!(checked.coverage.extent, Extent::Sampled { schedules: 1, seed: 0 });
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// Executions of 602 steps that take 0.3 s: too many, and too long, to see them all.
#[test]
fn what_is_too_long_is_explored_with_few_preemptions_in_part_and_at_random() {
    let (checked, _) = Timed::new(sleepers(2, 150, 1, Yield)).check(&staged());
    let extents: Vec<&Extent> = checked.coverages().map(|coverage| &coverage.extent).collect();
    let [Extent::Within(bounds), Extent::Partial(StopReason::TimeLimit { executions }), last] = &extents[..]
    else {
        panic!("{extents:?}")
    };
    assert_eq!(bounds, &[Bound::Preemptions(0)]);
    assert!(*executions > 0);
    // The schedules of the first stage and of the last one are different ones, and count together.
    assert!(
        matches!(last, Extent::Sampled { schedules, seed: 0 } if *schedules == checked.coverage.executions)
    );
    assert!(checked.left.is_some(), "what is left of the search of everything");
}

/// An execution that takes more than the part of the first stages, but less than the budget.
#[test]
fn one_execution_that_fits_into_the_budget_counts() {
    let (checked, _) = Timed::new(sleepers(2, 150, 25, Yield)).check(&staged());
    assert_eq!(checked.coverage.extent, Extent::Sampled { schedules: 1, seed: 0 });
}

#[test]
fn the_number_of_executions_is_one_of_all_stages() {
    for most in [1, 10, 70, 300] {
        let mut check = staged();
        check.budget.executions = Some(most);
        let (checked, _) = Timed::new(sleepers(3, 150, 0, Yield)).check(&check);
        assert_eq!(checked.executions(), most);
    }
}

#[test]
fn failures_of_all_stages_are_counted_if_that_is_wanted() {
    let toys = program([&[Read(0), Expect(0, 0, FailureKind::Panic)], &[Write(0, 1)]]);
    let check_all = Check { on_failure: OnFailure::KeepGoing, ..staged() };
    let (checked, _) = Timed::new(toys).check(&check_all);
    assert_eq!((checked.failures.len(), checked.coverage.extent.clone()), (1, Extent::Exhaustive));
    assert!(checked.failed() > 1);
}

/// Without a limit of time there is nothing to divide.
#[test]
fn without_a_budget_everything_is_explored() {
    let program = Timed::new(sleepers(2, 2, 1, Yield));
    let checked = check(&program, &Check::new(SearchKind::Staged), Arc::new(NoListener)).unwrap();
    assert!(checked.coverage.is_exhaustive());
}

/// Strategies that enumerate may take long for a step of a long execution. Nothing is left for the last stage otherwise.
#[test]
fn no_stage_takes_the_time_of_the_next_one() {
    let (checked, took) = Timed::new(sleepers(2, 300, 5, Yield)).check(&staged());
    let last = checked.coverages().last().unwrap();
    assert!(matches!(last.extent, Extent::Sampled { schedules, .. } if schedules > 1), "{last:?}");
    assert!(took <= Duration::from_secs(11), "{took:?}");
}
