//! Bounds on preemptions, and what counts as one.

use crate::common::oracle;
use crate::common::random_programs::programs;
use crate::common::spy::{picks, spy};
use crate::common::*;
use proptest::prelude::*;
use raddle_core::strategy::{Bounds, Dfs, NoPreempt, PreemptionBounding, Random, Within, Wrapped};

fn bounded(bound: u32) -> Wrapped<Within> {
    Within::preemptions(bound, Box::new(Dfs::new()))
}

/// The number of executions within 0, 1, 2 and 3 preemptions.
fn counts(program: &Program) -> [u64; 4] {
    [0, 1, 2, 3].map(|bound| run(&all(1), program, bounded(bound)).executions)
}

/// aabb, bbaa: none. abba, baab: one, since the switch back is from a task that has ended. abab, baba: two.
#[test]
fn two_tasks_of_two_steps() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    assert_eq!(counts(&program([ops, ops])), [2, 4, 6, 6]);
}

/// As above, but leaving `a` before its yield is free. None: aabb, bbaa, abba. One: abab, baab, baba.
#[test]
fn giving_way_is_no_preemption() {
    assert_eq!(counts(&program([&[Add(0, 1), Yield], &[Add(0, 1), Read(0)]])), [3, 6, 6, 6]);
}

#[test]
fn phantoms_neither_preempt_nor_are_preempted() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let mut with_phantom = program([ops, ops]);
    with_phantom.phantoms = vec![1];
    assert_eq!(counts(&with_phantom), [6, 6, 6, 6]);
}

/// Serial, in either order: 2. With one preemption of `a`, `b` starts after its 1st, 2nd or 3rd step. After the 1st, b
/// continues to its end, then a: 1. After the 2nd or 3rd, b reads and is blocked, a continues to its end, then b: 2. So
/// 3 for each order: 2 + 2 * 3 = 8.
#[test]
fn leaving_a_blocked_task_is_no_preemption() {
    let ops: &[Op] = &[Read(1), Lock(0), Add(0, 1), Unlock(0)];
    let two = program([ops, ops]);
    let all = oracle::executions(&two);
    let within = |bound| all.iter().filter(|e| e.preemptions <= bound).count() as u64;
    assert_eq!(counts(&two), [2, 8, within(2), within(3)]);
}

#[test]
fn a_bounded_search_says_its_bound() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let two = program([ops, ops]);
    let words = |bound| raddle_report::coverage(&run(&all(1), &two, bounded(bound)).coverage);
    assert_eq!(words(0), "exhaustive within 0 preemptions");
    assert_eq!(words(1), "exhaustive within 1 preemption");
    assert!(!run(&all(1), &two, bounded(1)).coverage.is_exhaustive());
    // No execution has more than two: the bound refuses nothing.
    assert_eq!(words(2), "exhaustive");
}

/// Without a bound, 6 interleavings. A task that reads is one step behind for each yield that it has not made.
#[test]
fn a_task_may_be_ahead_by_so_many_yields() {
    let two = program([&[Yield, Yield], &[Read(0), Read(0)]]);
    let within = |yields| {
        let bounds = Bounds { yields: Some(yields), ..Bounds::default() };
        let found = run(&all(1), &two, Within::new(bounds, None, Box::new(Dfs::new())));
        (found.executions, raddle_report::coverage(&found.coverage))
    };
    assert_eq!(run(&all(1), &two, Dfs::new()).executions, 6);
    // No task yields while the other one is enabled: rryy.
    assert_eq!(within(0), (1, "exhaustive within a lead of 0 yields".to_owned()));
    // One before the reads are done: yrry, ryry, rryy.
    assert_eq!(within(1), (3, "exhaustive within a lead of 1 yield".to_owned()));
    assert_eq!(within(2), (6, "exhaustive".to_owned()));
}

/// The first step decides: three steps, or two.
#[test]
fn executions_that_are_too_long_are_left_out() {
    let two = program([&[Add(0, 1), Read(0)], &[Read(0)]]);
    let within = |steps| {
        let bounds = Bounds { steps: Some(steps), ..Bounds::default() };
        let found = run(&all(1), &two, Within::new(bounds, None, Box::new(Dfs::new())));
        (found.executions, found.abandoned, found.failures, raddle_report::coverage(&found.coverage))
    };
    assert_eq!(within(2), (0, 3, 0, "exhaustive within 2 steps".to_owned()));
    assert_eq!(within(3), (3, 0, 0, "exhaustive".to_owned()));
}

#[test]
fn bounds_combine() {
    let ops: &[Op] = &[Add(0, 1), Yield, Read(0)];
    let three = program([ops, ops]);
    let bounds = Bounds { preemptions: Some(1), yields: Some(0), steps: Some(5) };
    let found = run(&all(2), &three, Within::new(bounds, None, Box::new(Dfs::new())));
    let words = "exhaustive within 1 preemption and a lead of 0 yields and 5 steps";
    assert_eq!((found.executions, raddle_report::coverage(&found.coverage).as_str()), (0, words));
}

/// The tighter of two bounds decides: 4 executions have at most 1 preemption.
#[test]
fn bounds_nest() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    for (outer, inner) in [(1, 2), (2, 1)] {
        let strategy = Within::preemptions(outer, Box::new(bounded(inner)));
        assert_eq!(run(&all(2), &program([ops, ops]), strategy).executions, 4);
    }
}

#[test]
fn random_stays_within_its_bound() {
    let ops: &[Op] = &[Add(0, 1), Read(0), Read(1)];
    for bound in 0..3 {
        let (strategy, seen) = spy(Within::preemptions(bound, Box::new(Random::new(7))));
        let found = run(&limited(300, all(2)), &program([ops, ops, ops]), strategy);
        assert_eq!(raddle_report::coverage(&found.coverage), "sampled 300 schedules (seed 7)");
        let most = seen.lock().unwrap().iter().map(|t| t.preemptions()).max();
        assert_eq!(most, Some(bound));
    }
}

/// The first failure of depth-first search: main reads, main.1 writes in between, main sees it.
#[test]
fn the_story_marks_preemptions() {
    let bad = program([&[Read(0), assert_eq(0, 0)], &[Write(0, 1), Write(0, 0)]]);
    let failure = run(&first(1), &bad, Dfs::new()).failure.unwrap();
    let marks: Vec<_> = failure.record.lines.iter().map(|l| (l.task, l.preempts)).collect();
    assert_eq!(marks, [(0, false), (1, true), (0, true)]);
}

#[test]
fn no_preempt_makes_one_execution_and_gives_way_at_yields() {
    let (strategy, seen) = spy(NoPreempt::new());
    let two = program([&[Read(0), Yield, Read(0)], &[Read(0), Choose(3), Read(0)]]);
    let found = run(&all(2), &two, strategy);
    assert_eq!(found.executions, 1);
    assert_eq!(raddle_report::coverage(&found.coverage), "not exhaustive: one schedule without preemptions");
    // main reads and comes to its yield, main.1 continues to its end with option 0, then main.
    assert_eq!(picks(&seen), [[(0, 0), (1, 0), (1, 0), (1, 0), (0, 0), (0, 0)]]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_bound_keeps_exactly_the_executions_within_it(program in programs()) {
        let all_of_them = oracle::executions(&program);
        for bound in 0..=3 {
            let within = || all_of_them.iter().filter(|e| e.preemptions <= bound);
            for workers in 1..=3 {
                let (strategy, seen) = spy(bounded(bound));
                let found = run(&all(workers), &program, strategy);
                prop_assert_eq!(found.executions, within().count() as u64);
                prop_assert_eq!(&found.outcomes, &oracle::outcomes(within()));
                let mut explored = picks(&seen);
                explored.dedup();
                prop_assert_eq!(explored.len() as u64, found.executions);
            }
        }
    }

    #[test]
    fn the_trace_counts_preemptions_as_the_oracle_does(program in programs()) {
        let (strategy, seen) = spy(Dfs::new());
        run(&all(1), &program, strategy);
        let mut counted: Vec<u32> = seen.lock().unwrap().iter().map(|t| t.preemptions()).collect();
        let mut expected: Vec<u32> = oracle::executions(&program).iter().map(|e| e.preemptions).collect();
        counted.sort();
        expected.sort();
        prop_assert_eq!(counted, expected);
    }

    #[test]
    fn two_stacks_hold_the_same_executions_as_a_bound(program in programs()) {
        for most in [Some(0), Some(1), Some(2), None] {
            let bounds = Bounds { preemptions: most, ..Bounds::default() };
            let (slow, all_of_them) = spy(Within::new(bounds, None, Box::new(Dfs::new())));
            let slow = run(&all(1), &program, slow);
            for workers in 1..=2 {
                let (strategy, seen) = spy(PreemptionBounding::new(most));
                let found = run(&all(workers), &program, strategy);
                prop_assert_eq!(picks(&seen), picks(&all_of_them));
                prop_assert_eq!(&found.outcomes, &slow.outcomes);
                prop_assert_eq!(&found.failures_by_kind, &slow.failures_by_kind);
                prop_assert_eq!(found.coverage.extent, slow.coverage.extent.clone());
                let preemptions: Vec<u32> = seen.lock().unwrap().iter().map(|t| t.preemptions()).collect();
                prop_assert!(workers > 1 || preemptions.is_sorted(), "{:?}", preemptions);
            }
        }
    }

    #[test]
    fn no_preempt_never_preempts(program in programs()) {
        let (strategy, seen) = spy(NoPreempt::new());
        prop_assert_eq!(run(&all(1), &program, strategy).executions, 1);
        prop_assert_eq!(seen.lock().unwrap()[0].preemptions(), 0);
    }
}
