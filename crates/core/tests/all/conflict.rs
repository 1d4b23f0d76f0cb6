//! Conflict order: steps that do not conflict may be swapped, and executions with the same happens-before have
//! the same end. A reduction has to reach each of these classes, so they are counted here by brute force.

use crate::common::random_programs::programs;
use crate::common::spy::{Traces, spy};
use crate::common::*;
use proptest::prelude::*;
use raddle_core::operation::TaskId;
use raddle_core::strategy::Dfs;
use raddle_core::trace::Trace;
use std::collections::BTreeMap;

fn traces(program: &Program) -> Traces {
    let (strategy, seen) = spy(Dfs::new());
    run(&all(1), program, strategy);
    seen
}

/// What does not depend on the order of independent steps: for each task, the option of each of its steps
/// and what that step knew of every task.
type Class = Vec<Vec<(u32, Vec<u32>)>>;

fn class(trace: &Trace, tasks: usize) -> Class {
    let mut class = vec![Vec::new(); tasks];
    for (step, clock) in trace.steps().iter().zip(trace.happens_before()) {
        let knew = (0..tasks).map(|task| clock.get(TaskId(task as u32))).collect();
        class[step.task.index()].push((step.option, knew));
    }
    class
}

fn classes(program: &Program) -> usize {
    let mut all: Vec<Class> =
        traces(program).lock().unwrap().iter().map(|t| class(t, program.tasks.len())).collect();
    all.sort();
    all.dedup();
    all.len()
}

#[test]
fn classes_of_small_programs() {
    // Each task has a variable of its own.
    assert_eq!(classes(&program([&[Write(0, 1), Read(0)], &[Write(1, 1), Read(1)]])), 1);
    // Readers commute.
    assert_eq!(classes(&program([&[Read(0)], &[Read(0)], &[Read(0)]])), 1);
    // 3! orders of three writers.
    assert_eq!(classes(&program([&[Add(0, 1)], &[Add(0, 1)], &[Add(0, 1)]])), 6);
    // One writer and two readers: each reader is before or after it.
    assert_eq!(classes(&program([&[Write(0, 1)], &[Read(0)], &[Read(0)]])), 4);
    // Store buffering: two conflicting pairs make 2 * 2 orders, one of which is a cycle.
    assert_eq!(classes(&program([&[Write(0, 1), Read(1)], &[Write(1, 1), Read(0)]])), 3);
    // Executions with different options are distinct: 3 * 2.
    assert_eq!(classes(&program([&[Choose(3)], &[Choose(2)]])), 6);
    // The order of two critical sections.
    let ops: &[Op] = &[Lock(0), Unlock(0)];
    assert_eq!(classes(&program([ops, ops])), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_happens_before_means_equal_ends(program in programs()) {
        let mut ends = BTreeMap::new();
        for trace in traces(&program).lock().unwrap().iter() {
            let end = play(&program, &trace.picks());
            let class = class(trace, program.tasks.len());
            prop_assert_eq!(ends.entry(class).or_insert_with(|| end.clone()), &end);
        }
    }

    #[test]
    fn independent_steps_commute(program in programs()) {
        for trace in traces(&program).lock().unwrap().iter() {
            let mut picks = trace.picks();
            let Ok(outcome) = play(&program, &picks) else { continue };
            for i in 1..picks.len() {
                let [one, two] = [trace.steps()[i - 1], trace.steps()[i]];
                if one.task != two.task && !one.accesses.conflict(two.accesses) {
                    picks.swap(i - 1, i);
                    prop_assert_eq!(play(&program, &picks), Ok(outcome.clone()));
                    picks.swap(i - 1, i);
                }
            }
        }
    }
}
