//! Depth-first search explores every maximal sequence of picks exactly once, for every number of workers.

use crate::common::oracle;
use crate::common::random_programs::programs;
use crate::common::spy::{picks, spy};
use crate::common::*;
use proptest::prelude::*;
use raddle_core::strategy::{Dfs, Divisible as _, Strategy};
use raddle_core::trace::Trace;
use raddle_core::verdict::FailureKind;
use raddle_core::world::World;

/// Explores everything; asserts that nothing is explored twice and that the search says it is exhaustive.
fn explore(workers: usize, program: &Program) -> raddle_core::search::Findings<Outcome> {
    let (strategy, seen) = spy(Dfs::new());
    let found = run(&all(workers), program, strategy);
    let mut explored = picks(&seen);
    assert_eq!(explored.len() as u64, found.executions);
    explored.dedup();
    assert_eq!(explored.len() as u64, found.executions, "an interleaving was explored twice");
    assert!(found.coverage.is_exhaustive());
    assert_eq!(raddle_report::coverage(&found.coverage), "exhaustive");
    assert_eq!(found.coverage.executions, found.executions);
    assert_eq!(found.abandoned, 0);
    found
}

#[test]
fn a_program_without_tasks_has_one_execution_without_steps() {
    let found = explore(1, &program([]));
    assert_eq!((found.executions, found.steps), (1, 0));
    assert_eq!(found.outcomes.len(), 1);
}

#[test]
fn one_task_has_one_execution() {
    let found = explore(2, &program([&[Write(0, 1), Read(0), Yield]]));
    assert_eq!((found.executions, found.steps), (1, 3));
}

/// C(4, 2) = 6 interleavings of 4 steps each.
#[test]
fn two_tasks_of_two_steps() {
    for workers in 1..=3 {
        let found = explore(workers, &program([&[Write(0, 1), Read(1)], &[Write(1, 1), Read(0)]]));
        assert_eq!((found.executions, found.steps, found.failures), (6, 24, 0));
        // Store buffering under sequential consistency. Each task reads last, so 0 means that its whole
        // body came before the other's write: one interleaving for (0, 1), one for (1, 0), four for (1, 1).
        let results: Vec<_> =
            found.outcomes.iter().map(|(o, n)| (o.noted[0][0], o.noted[1][0], *n)).collect();
        assert_eq!(results, [(0, 1, 1), (1, 0, 1), (1, 1, 4)]);
    }
}

/// 6! / (2! 2! 2!) = 90.
#[test]
fn three_tasks_of_two_steps() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    for workers in 1..=3 {
        let found = explore(workers, &program([ops, ops, ops]));
        assert_eq!((found.executions, found.steps), (90, 540));
    }
}

/// 8! / (2!)^4 = 2,520.
#[test]
fn four_tasks_of_two_steps_with_four_workers() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    assert_eq!(explore(4, &program([ops, ops, ops, ops])).executions, 2_520);
}

/// Interleavings times options: C(3, 1) orders of (a, a) and b, times 3 * 2 values for the first task.
#[test]
fn options_are_choices_too() {
    for workers in 1..=3 {
        let found = explore(workers, &program([&[Choose(3), Choose(2)], &[Write(0, 1)]]));
        assert_eq!(found.executions, 18);
        assert_eq!(found.outcomes.len(), 6);
        assert!(found.outcomes.values().all(|times| *times == 3));
    }
}

/// Only the order of the two critical sections differs: 2.
#[test]
fn a_lock_leaves_only_the_order_of_critical_sections() {
    let ops: &[Op] = &[Lock(0), Add(0, 1), Read(0), Unlock(0)];
    let found = explore(1, &program([ops, ops]));
    assert_eq!((found.executions, found.failures), (2, 0));
}

/// With one step before the lock: whichever section comes first, the other task's first step fits into the
/// 4 gaps around the first task's 3 steps; so 2 * 4 = 8.
#[test]
fn steps_before_a_lock_interleave_with_the_critical_section() {
    let ops: &[Op] = &[Add(0, 1), Lock(0), Unlock(0)];
    for workers in 1..=3 {
        assert_eq!(explore(workers, &program([ops, ops])).executions, 8);
    }
}

/// All C(4, 2) = 6 interleavings are possible; the second to try fails unless the first has unlocked.
#[test]
fn a_try_lock_that_fails_goes_on() {
    let ops: &[Op] = &[TryLock(0), Unlock(0)];
    let found = explore(1, &program([ops, ops]));
    assert_eq!(found.executions, 6);
    let results: Vec<_> = found.outcomes.iter().map(|(o, n)| (o.noted[0][0], o.noted[1][0], *n)).collect();
    assert_eq!(results, [(0, 1, 2), (1, 0, 2), (1, 1, 2)]);
}

/// a b and b a deadlock. Otherwise one task has both locks; when it has given back the one that the other
/// wants first, its last unlock and the other's first lock come in either order: 2 for each. So 4 + 2 = 6.
#[test]
fn locks_taken_in_opposite_order_deadlock() {
    let deadly =
        program([&[Lock(0), Lock(1), Unlock(1), Unlock(0)], &[Lock(1), Lock(0), Unlock(0), Unlock(1)]]);
    for workers in 1..=3 {
        let found = explore(workers, &deadly);
        assert_eq!((found.executions, found.failures), (6, 2));
        assert_eq!(found.outcomes.values().sum::<u64>(), 4);
        let failure = found.failure.unwrap();
        assert_eq!(failure.kind(), FailureKind::Deadlock);
        assert_eq!(failure.message(), "main waits");
        assert_eq!(failure.ticket.steps.len(), 2);
    }
}

#[test]
fn a_task_that_locks_twice_deadlocks_alone() {
    let found = explore(1, &program([&[Lock(0), Lock(0)]]));
    assert_eq!((found.executions, found.failures), (1, 1));
    assert_eq!(found.failure.unwrap().kind(), FailureKind::Deadlock);
}

/// C(3, 1) = 3 orders of (write) and (expect, read). When the write comes first, the execution fails before
/// the read.
#[test]
fn a_failed_assertion_ends_the_execution_at_once() {
    let found = explore(1, &program([&[Write(0, 1)], &[assert_eq(0, 0), Read(0)]]));
    // write expect | expect write read | expect read write
    assert_eq!((found.executions, found.failures, found.steps), (3, 1, 2 + 3 + 3));
}

#[test]
fn the_first_execution_lets_each_task_go_on_until_it_gives_way() {
    let ops: &[Op] = &[Write(0, 1), Read(0), Yield, Read(0)];
    let (strategy, seen) = spy(Dfs::new());
    run(&limited(1, all(1)), &program([ops, ops]), strategy);
    let expected: Vec<_> = [0, 0, 1, 1, 0, 0, 1, 1].map(|task| (task, 0)).into();
    assert_eq!(picks(&seen), [expected]);
}

/// A subtree that was split off starts with its own prefix, and both searches together explore everything once.
#[test]
fn a_part_that_is_split_off_inherits_its_prefix() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let two = program([ops, ops]);
    let mut whole = Dfs::new();
    assert!(whole.split().is_none(), "there is nothing to give away before the first execution");
    // The first execution is a a b b; the shallowest untried pick is b at the root.
    let (mut toy, mut trace) = (Toy::new(&two), Trace::new());
    whole.begin(0);
    toy.start();
    while !toy.point().is_over() {
        let pick = whole.choose(&trace, &toy.point()).pick().unwrap();
        trace.push(pick, &toy.point());
        toy.step(pick);
    }
    let mut part = whole.split().unwrap();
    assert_eq!(part.divisible().unwrap().prefix(), [pick(1, 0)]);
    // Unexplored in the whole: a b at depth 1, and nothing at the root.
    let mut next = whole.split().unwrap();
    assert_eq!(next.divisible().unwrap().prefix(), [pick(0, 0), pick(1, 0)]);
    assert!(whole.split().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dfs_agrees_with_plain_recursion(program in programs()) {
        let expected = oracle::executions(&program);
        let outcomes = oracle::outcomes(&expected);
        let failures = expected.iter().filter(|e| e.end.is_err()).count() as u64;
        for workers in 1..=3 {
            let found = explore(workers, &program);
            prop_assert_eq!(found.executions, expected.len() as u64);
            prop_assert_eq!(found.failures, failures);
            prop_assert_eq!(&found.outcomes, &outcomes);
        }
    }

    #[test]
    fn the_first_execution_has_no_preemption(program in programs()) {
        let (strategy, seen) = spy(Dfs::new());
        run(&limited(1, all(1)), &program, strategy);
        prop_assert_eq!(seen.lock().unwrap()[0].preemptions(), 0);
    }
}
