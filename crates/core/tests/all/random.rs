//! Random sampling: what it finds depends on the seed and on nothing else, and every pick is equally likely.

use crate::common::spy::{picks, spy};
use crate::common::*;
use raddle_core::strategy::Random;
use std::collections::BTreeMap;

fn busy() -> Program {
    let ops: &[Op] = &[Add(0, 1), Read(0), Choose(3), Write(0, 5), Read(0)];
    program([ops, ops, ops])
}

fn outcomes(seed: u64, workers: usize) -> BTreeMap<Outcome, u64> {
    let found = run(&limited(500, all(workers)), &busy(), Random::new(seed));
    assert_eq!(found.executions, 500);
    assert_eq!(raddle_report::coverage(&found.coverage), format!("sampled 500 schedules (seed {seed})"));
    assert_eq!(found.outcomes.values().sum::<u64>(), 500);
    found.outcomes
}

#[test]
fn a_seed_gives_the_same_outcomes_for_every_number_of_workers() {
    let alone = outcomes(7, 1);
    assert!(alone.len() > 100, "the program has many outcomes: {}", alone.len());
    for workers in [1, 2, 4] {
        assert_eq!(outcomes(7, workers), alone);
    }
}

#[test]
fn another_seed_gives_other_outcomes() {
    assert_ne!(outcomes(7, 1), outcomes(8, 1));
}

/// Execution i is the same however many come before it: 100 executions are the first 100 of 500.
#[test]
fn a_smaller_budget_is_a_prefix() {
    let traces = |n| {
        let (strategy, seen) = spy(Random::new(3));
        run(&limited(n, all(1)), &busy(), strategy);
        let seen = seen.lock().unwrap();
        seen.iter().map(|t| t.picks()).collect::<Vec<_>>()
    };
    assert_eq!(traces(100), traces(500)[..100]);
}

/// The failure needs three switches in the right places, so it is rare: no number of workers may find
/// another one first.
#[test]
fn a_failure_has_the_same_number_and_ticket_for_every_number_of_workers() {
    let rare = program([
        &[Add(0, 1), Add(0, 1), Add(0, 1), Add(0, 1)],
        &[assert_eq(1, 0), Add(2, 1), Add(2, 1), Add(2, 1), Read(0)],
        &[Read(2), Read(2), Read(2), Write(1, 1), Write(1, 0)],
    ]);
    let mut late = 0;
    for seed in 0..12 {
        let plan = limited(10_000, first(1));
        let alone = run(&plan, &rare, Random::new(seed)).failure.expect("10,000 are enough");
        late += (alone.execution > 64) as u32;
        for workers in [2, 3, 4] {
            for _ in 0..3 {
                let plan = limited(10_000, first(workers));
                let found = run(&plan, &rare, Random::new(seed));
                let failure = found.failure.unwrap();
                assert_eq!((failure.execution, &failure.ticket), (alone.execution, &alone.ticket));
                assert!(found.executions >= failure.execution, "all before it were explored");
            }
        }
    }
    assert!(late > 0, "some failure comes after several blocks of numbers");
}

#[test]
fn counting_all_failures_does_not_depend_on_workers() {
    let ops = program([&[Write(0, 1), Write(0, 0)], &[Read(1), assert_eq(0, 0), Read(1)]]);
    let counts = [1, 2, 4].map(|workers| {
        let found = run(&limited(400, all(workers)), &ops, Random::new(5));
        let failure = found.failure.unwrap();
        (found.executions, found.failures, found.steps, failure.execution, failure.ticket)
    });
    assert!(counts[0].1 > 0 && counts[0].1 < 400);
    assert_eq!(counts[0], counts[1]);
    assert_eq!(counts[0], counts[2]);
}

/// Two tasks of two steps: while both are enabled, each is picked with probability 1/2. aabb and bbaa need two such
/// picks (1/4 each), the other four need three (1/8 each). Of 8,000 that is 2,000 and 1,000, with standard deviations
/// of 39 and 30; the margin is five of them.
#[test]
fn every_enabled_task_is_equally_likely() {
    let (strategy, seen) = spy(Random::new(1));
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    run(&limited(8_000, all(1)), &program([ops, ops]), strategy);
    let mut counts = BTreeMap::new();
    for trace in picks(&seen) {
        *counts.entry(trace.iter().map(|(task, _)| *task).collect::<Vec<_>>()).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    for (tasks, times) in counts {
        let serial = tasks[0] == tasks[1];
        let range = if serial { 1_800..2_200 } else { 850..1_150 };
        assert!(range.contains(&times), "{tasks:?} came {times} times");
    }
}

/// Tasks first, then options: the task with four options is not four times as likely. 4,000 of 8,000 start
/// with main, deviation 45; 2,000 take each option, deviation 39.
#[test]
fn options_do_not_make_a_task_more_likely() {
    let (strategy, seen) = spy(Random::new(2));
    run(&limited(8_000, all(1)), &program([&[Choose(4)], &[Read(0)]]), strategy);
    let mut options = [0; 4];
    let mut main_first = 0;
    for trace in picks(&seen) {
        main_first += (trace[0].0 == 0) as u32;
        let chosen = trace.iter().find(|(task, _)| *task == 0).unwrap().1;
        options[chosen as usize] += 1;
    }
    assert!((3_750..4_250).contains(&main_first), "{main_first}");
    assert!(options.iter().all(|n| (1_800..2_200).contains(n)), "{options:?}");
}

/// Blocked tasks are never picked: the world would refuse. Deadlocks are found: each of the two first locks
/// is equally likely, then the other task's with 1/2, so half of all executions deadlock (400, deviation 14).
#[test]
fn random_finds_deadlocks() {
    let deadly =
        program([&[Lock(0), Lock(1), Unlock(1), Unlock(0)], &[Lock(1), Lock(0), Unlock(0), Unlock(1)]]);
    let found = run(&limited(800, all(2)), &deadly, Random::new(9));
    assert!((330..470).contains(&found.failures), "{}", found.failures);
}
