//! Budgets are kept exactly, and the coverage never claims more than was explored.

use crate::common::*;
use raddle_core::clock::Time;
use raddle_core::fact::{Assumption, Bound};
use raddle_core::search::{NoListener, search};
use raddle_core::strategy::{Decision, Dfs, Next, OptimalDpor, Prefix, Random, Strategy, Within};
use raddle_core::trace::Trace;
use raddle_core::verdict::{Extent, FailureKind};
use raddle_core::world::Point;
use std::time::{Duration, Instant};

/// 6! / (2! 2! 2!) = 90 interleavings.
fn ninety() -> Program {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    program([ops, ops, ops])
}

#[test]
fn a_limit_of_executions_is_kept_exactly() {
    for workers in [1, 2, 3] {
        for limit in [0, 1, 2, 17, 64, 65, 89] {
            for _ in 0..5 {
                let found = run(&limited(limit, all(workers)), &ninety(), Dfs::new());
                assert_eq!(found.executions, limit, "{workers} workers");
                let words = format!("not exhaustive: stopped after {limit} execution");
                assert!(raddle_report::coverage(&found.coverage).starts_with(&words), "{:?}", found.coverage);
                let found = run(&limited(limit, all(workers)), &ninety(), Random::new(1));
                assert_eq!(found.executions, limit, "{workers} workers");
            }
        }
    }
}

#[test]
fn a_limit_that_is_just_enough_is_exhaustive() {
    for workers in [1, 2, 3] {
        for limit in [90, 91] {
            for _ in 0..20 {
                let found = run(&limited(limit, all(workers)), &ninety(), Dfs::new());
                assert_eq!((found.executions, found.coverage.extent), (90, Extent::Exhaustive));
            }
        }
    }
}

#[test]
fn a_limit_inside_a_bound_is_no_longer_exhaustive_within_it() {
    let bounded = |bound| Within::preemptions(bound, Box::new(Dfs::new()));
    let found = run(&limited(3, all(1)), &ninety(), bounded(2));
    assert_eq!(raddle_report::coverage(&found.coverage), "not exhaustive: stopped after 3 executions");
    // Without preemptions: the 3! orders of the tasks.
    let found = run(&limited(6, all(1)), &ninety(), bounded(0));
    assert_eq!(raddle_report::coverage(&found.coverage), "exhaustive within 0 preemptions");
}

#[test]
fn thousands_are_grouped_in_the_coverage() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    // 8! / (2!)^4 = 2,520 interleavings.
    let found = run(&limited(1_234, all(1)), &program([ops, ops, ops, ops]), Dfs::new());
    assert_eq!(raddle_report::coverage(&found.coverage), "not exhaustive: stopped after 1,234 executions");
    let found = run(&limited(1_234, all(2)), &ninety(), Random::new(3));
    assert_eq!(raddle_report::coverage(&found.coverage), "sampled 1,234 schedules (seed 3)");
    let found = run(&limited(1, all(2)), &ninety(), Random::new(3));
    assert_eq!(raddle_report::coverage(&found.coverage), "sampled 1 schedule (seed 3)");
}

#[test]
fn an_execution_that_does_not_end_reaches_the_step_limit() {
    let mut plan = first(1);
    plan.budget.steps = 50;
    let found = run(&plan, &program([&[Read(0), Again]]), Dfs::new());
    let failure = found.failure.unwrap();
    assert_eq!(failure.kind(), FailureKind::StepLimit);
    assert!(failure.message().contains("took 50 steps"), "{}", failure.message());
    assert_eq!((found.executions, found.steps, failure.ticket.steps.len()), (1, 50, 50));
}

#[test]
fn an_execution_may_take_exactly_as_many_steps_as_allowed() {
    let mut plan = all(2);
    plan.budget.steps = 6;
    assert_eq!(run(&plan, &ninety(), Dfs::new()).failures, 0);
    plan.budget.steps = 5;
    // All 90 are one step too long; cut off after five steps they are still distinct.
    let found = run(&plan, &ninety(), Dfs::new());
    assert_eq!((found.executions, found.failures, found.steps), (90, 90, 450));
}

#[test]
fn a_search_stops_at_the_time_limit_and_says_so() {
    for workers in [1, 2] {
        for time in [Duration::ZERO, Duration::from_millis(20)] {
            let found = within(Duration::from_secs(10), move || {
                let mut plan = all(workers);
                plan.budget.time = Some(time);
                let ops: &[Op] = &[Add(0, 1); 9];
                // 27! / (9!)^3 interleavings: some 10^11.
                run(&plan, &program([ops, ops, ops]), Dfs::new())
            });
            let words = raddle_report::coverage(&found.unwrap().coverage);
            assert!(words.starts_with("not exhaustive: stopped after "), "{words}");
            assert!(words.ends_with(" at the time limit"), "{words}");
        }
    }
}

#[test]
fn sampling_without_a_number_stops_at_the_time_limit() {
    let found = within(Duration::from_secs(10), || {
        let mut plan = all(2);
        plan.budget.time = Some(Duration::from_millis(30));
        run(&plan, &ninety(), Random::new(1))
    });
    let found = found.unwrap();
    assert_eq!(found.coverage.extent, Extent::Sampled { schedules: found.executions, seed: 1 });
}

/// 720 executions of 20 ms each would take 14 seconds, and the first 64 of them more than one.
#[test]
fn a_search_of_slow_executions_stops_at_the_time_limit() {
    let begun = Instant::now();
    let mut plan = all(1);
    plan.budget.time = Some(Duration::from_millis(100));
    let slow: &[Op] = &[Sleep(20)];
    let found =
        run(&plan, &program([slow, &[Read(0)], &[Read(0)], &[Read(0)], &[Read(0)], &[Read(0)]]), Dfs::new());
    assert!(begun.elapsed() < Duration::from_millis(600), "{:?}", begun.elapsed());
    assert!(found.executions < 30, "{}", found.executions);
    assert!(raddle_report::coverage(&found.coverage).ends_with(" at the time limit"), "{:?}", found.coverage);
}

/// A search that has explored everything when its time is up is complete: a growing bound continues from there.
#[test]
fn a_time_limit_that_comes_too_late() {
    let strategies: [Box<dyn Strategy>; 2] = [Box::new(Dfs::new()), Box::new(OptimalDpor::new())];
    for strategy in strategies {
        let mut plan = all(1);
        plan.budget.time = Some(Duration::from_millis(20));
        let program = program([&[Sleep(150)]]);
        let found = search(&plan, strategy, || Toy::new(&program), std::sync::Arc::new(NoListener));
        assert_eq!((found.executions, found.through, found.left), (1, true, None));
        assert!(found.coverage.is_exhaustive(), "{:?}", found.coverage);
    }
}

/// Gives up every execution in this way, so many times.
struct GivesUp(Decision, u64);

impl Strategy for GivesUp {
    fn begin(&mut self, _execution: u64) -> Next {
        self.1 = self.1.saturating_sub(1);
        if self.1 == 0 { Next::Exhausted } else { Next::From(0) }
    }
    fn choose(&mut self, _so_far: &Trace, _point: &Point<'_>) -> Decision {
        self.0
    }
    fn extent(&self, _executions: u64) -> Extent {
        Extent::Exhaustive
    }
}

#[test]
fn abandoned_executions_take_time_too() {
    let found = within(Duration::from_secs(5), || {
        let mut plan = all(1);
        plan.budget.time = Some(Duration::from_millis(20));
        run(&plan, &ninety(), GivesUp(Decision::ABANDON, u64::MAX))
    });
    let found = found.unwrap();
    assert_eq!(found.executions, 0);
    assert!(found.abandoned > 0);
    assert_eq!(
        raddle_report::coverage(&found.coverage),
        "not exhaustive: stopped after 0 executions at the time limit"
    );
}

/// What is redundant is not missed, but what a strategy could not decide may be.
#[test]
fn what_was_not_decided_is_not_exhausted() {
    let found = run(&all(1), &ninety(), GivesUp(Decision::ABANDON, 4));
    assert_eq!((found.abandoned, found.undecided), (3, 0));
    assert!(found.coverage.is_exhaustive());
    let found = run(&all(1), &ninety(), GivesUp(Decision::UNDECIDED, 4));
    assert_eq!((found.abandoned, found.undecided), (3, 3));
    let words = "not exhaustive: the strategy could not decide 3 of its executions";
    assert_eq!(raddle_report::coverage(&found.coverage), words);
}

/// The write comes before the check in 1 of 2 interleavings.
#[test]
fn a_search_stops_at_the_first_failure_or_counts_them_all() {
    let bad = program([&[assert_eq(0, 0)], &[Write(0, 1)], &[Choose(4)]]);
    let found = run(&first(1), &bad, Dfs::new());
    assert_eq!(found.failures, 1);
    assert_eq!(found.failure.unwrap().execution, found.executions, "the last one is the one that failed");
    assert_eq!(raddle_report::coverage(&found.coverage), "not exhaustive: stopped at the first failure");
    for workers in [1, 2, 3] {
        // 3 * 4 = 12 that pass: choose anywhere among check, write. Those that fail: choose before, between
        // or never reached since the check fails; 4 (before) + 4 (between) + 1 (never).
        let found = run(&all(workers), &bad, Dfs::new());
        assert_eq!((found.executions, found.failures), (21, 9));
        assert_eq!(found.outcomes.values().sum::<u64>(), 12);
        assert_eq!(raddle_report::coverage(&found.coverage), "exhaustive");
        assert!(found.failure.is_some());
    }
}

#[test]
fn assumptions_are_listed_once_and_in_order() {
    let ops = ninety();
    let make = || Toy::new(&ops).assuming(&[Assumption::Timers(Time::Idle), Assumption::FairSpins(3)]);
    let found = search(&all(3), Box::new(Dfs::new()), make, std::sync::Arc::new(NoListener));
    assert_eq!(
        raddle_report::coverage(&found.coverage),
        "exhaustive · fair spins (3 rounds) · timers when idle"
    );
}

#[test]
fn a_prefix_is_a_bound_and_the_coverage_names_it() {
    let within = |steps: u32| {
        let picks = (0..steps).map(|task| pick(task, 0)).collect();
        let bounded = Within::preemptions(2, Box::new(Dfs::new()));
        run(&limited(100, all(1)), &ninety(), Prefix::new(picks, Box::new(bounded))).coverage.extent
    };
    assert_eq!(within(2), Extent::Within(vec![Bound::Preemptions(2), Bound::Prefix(2)]));
    let found = run(&limited(100, all(1)), &ninety(), Prefix::new(vec![pick(0, 0)], Box::new(Dfs::new())));
    assert_eq!(raddle_report::coverage(&found.coverage), "exhaustive within a prefix of 1 step");
}
