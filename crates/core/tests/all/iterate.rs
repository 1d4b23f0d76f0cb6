//! A bound that grows: the first failure has the fewest preemptions, and nothing is counted twice.

use crate::common::random_programs::programs;
use crate::common::*;
use proptest::prelude::*;
use raddle_core::search::{Findings, NoListener, Plan, search_iteratively};
use raddle_core::strategy::{Bounded, Bounds, Dfs, Strategy, Within};
use std::time::Duration;

fn iteratively(plan: &Plan, up_to: u32, program: &Program) -> Findings<Outcome> {
    let strategy = |bound, before| -> Box<dyn Strategy> {
        Box::new(Bounded::new(Bounds::preemptions(bound)).beyond(before))
    };
    search_iteratively(plan, 0..=up_to, strategy, || Toy::new(program), std::sync::Arc::new(NoListener))
}

/// The check fails only if it comes between the additions of the other task.
fn one_is_needed() -> Program {
    program([&[Add(0, 1), assert_eq(0, 1)], &[Read(1), Add(0, 1), Add(0, -1)]])
}

#[test]
fn the_first_failure_has_the_fewest_preemptions() {
    for workers in [1, 2] {
        let found = iteratively(&first(workers), 3, &one_is_needed());
        let failure = found.failure.unwrap();
        assert_eq!(failure.record.lines.iter().filter(|line| line.preempts).count(), 1);
        let words =
            "not exhaustive: stopped at the first failure, which has 1 preemption; there is none with fewer";
        assert_eq!(raddle_report::coverage(&found.coverage), words);
        assert_eq!((found.finished_bound, failure.execution), (Some(0), found.executions));
    }
}

#[test]
fn it_is_over_when_nothing_is_refused_any_more() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let two = program([ops, ops]);
    let words = |up_to| {
        let found = iteratively(&all(1), up_to, &two);
        (found.executions, found.finished_bound, raddle_report::coverage(&found.coverage))
    };
    // Four traces: the reads commute.
    assert_eq!(words(0), (2, Some(0), "exhaustive within 0 preemptions".to_owned()));
    assert_eq!(words(1), (4, Some(1), "exhaustive within 1 preemption".to_owned()));
    assert_eq!(words(2), (4, Some(2), "exhaustive".to_owned()));
    assert_eq!(words(u32::MAX), words(2));
}

#[test]
fn budgets_are_those_of_all_rounds_together() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let three = program([ops, ops, ops]);
    let found = iteratively(&limited(20, all(1)), 9, &three);
    // 6 with no preemption, 24 with at most one.
    assert_eq!((found.executions, found.finished_bound), (20, Some(0)));
    assert_eq!(raddle_report::coverage(&found.coverage), "not exhaustive: stopped after 20 executions");
    let mut plan = all(1);
    plan.budget.time = Some(Duration::ZERO);
    let found = iteratively(&plan, 9, &three);
    assert!(raddle_report::coverage(&found.coverage).ends_with("at the time limit"), "{:?}", found.coverage);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_rounds_together_find_what_one_search_finds(program in programs()) {
        for workers in [1, 2] {
            let found = iteratively(&all(workers), 2, &program);
            let bounded = Within::preemptions(2, Box::new(Dfs::new()));
            let slow = run(&all(1), &program, bounded);
            prop_assert!(found.outcomes.keys().eq(slow.outcomes.keys()));
            prop_assert!(found.failures_by_kind.keys().eq(slow.failures_by_kind.keys()));
            prop_assert!(found.executions <= slow.executions);
            prop_assert_eq!(found.executions, found.outcomes.values().sum::<u64>() + found.failures);
        }
        // Nothing that fails has fewer preemptions than the first.
        let failure = iteratively(&first(1), u32::MAX, &program).failure;
        let fails = |e: &&oracle::Execution| e.end.is_err();
        let all = oracle::executions(&program);
        let fewest = all.iter().filter(fails).map(|e| e.preemptions).min();
        let marked = |f: raddle_core::verdict::Failure| f.record.lines.iter().filter(|l| l.preempts).count() as u32;
        prop_assert_eq!(failure.map(marked), fewest);
    }
}
