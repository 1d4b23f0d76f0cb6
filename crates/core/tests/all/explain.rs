//! Explanations: what they say holds of executions of the program.

use crate::common::random_programs::programs;
use crate::common::*;
use proptest::prelude::*;
use raddle_core::explain::explain;
use raddle_core::operation::TaskId;
use raddle_core::record::ExecutionRecord;
use raddle_core::search::{NoListener, Plan, search};
use raddle_core::simplify::Simplifier;
use raddle_core::strategy::Sampler;
use raddle_core::verdict::{Explanation, Failure, Tasks};
use raddle_core::world::Pick;
use std::sync::Arc;

fn found(program: &Program, seed: u64) -> Option<Failure> {
    let strategy = Sampler::Uniform.strategy(seed);
    search(&limited(50, first(1)), strategy, || Toy::new(program), Arc::new(NoListener)).failure
}

fn minimal(failure: Failure, program: &Program) -> Failure {
    let (plan, toy, is_late) = (Plan::default(), || Toy::new(program), || false);
    let simple =
        Simplifier::new(&plan, &failure, &toy, &is_late).and_then(|simplifier| simplifier.simplify());
    simple.unwrap_or(failure)
}

fn explained(failure: &Failure, program: &Program) -> Explanation {
    explain(&Plan::default(), failure, || Toy::new(program), || false)
        .expect("failures like this are explained")
}

/// The task and the operation of a line.
fn step(record: &ExecutionRecord, at: usize) -> (usize, &str) {
    (record.lines[at].task, &record.lines[at].operation)
}

/// Whether the execution that takes steps of these tasks, all with the first option, passes.
fn passes(program: &Program, tasks: &[usize]) -> bool {
    let picks: Vec<Pick> = tasks.iter().map(|task| Pick { task: TaskId(*task as u32), option: 0 }).collect();
    play(program, &picks).is_ok()
}

/// The second task fails exactly if the other one writes between its write and its check.
#[test]
fn a_write_between_two_steps_is_named() {
    let program = program([&[Read(1), Write(0, 1), Read(1)][..], &[Read(1), Write(0, 2), assert_eq(0, 2)]]);
    let mut explained_ones = 0;
    for seed in 0..20 {
        let Some(failure) = found(&program, seed) else { continue };
        let failure = minimal(failure, &program);
        let Explanation { decisive, orderings, failed, passed, .. } = explained(&failure, &program);
        explained_ones += 1;
        assert!(failed > 10 && passed > 10, "{failed} and {passed}");
        let record = &failure.record;
        let named: Vec<_> =
            orderings.iter().map(|o| (step(record, o.before), step(record, o.after))).collect();
        let (write, expect, other) = ((1, "write"), (1, "expect"), (0, "write"));
        assert!(
            named == [(write, other), (other, expect)] || named == [(other, expect), (write, other)],
            "{named:?}"
        );
        let decisive = decisive.expect("another choice leads to a pass");
        assert_eq!(step(record, decisive.at[0]), other);
        assert_eq!(step(&decisive.passing, decisive.at[1]), expect);
    }
    assert!(explained_ones > 5, "{explained_ones}");
}

#[test]
fn what_fails_in_every_order_has_no_decisive_choice() {
    let program = program([&[Write(0, 1), Read(1)][..], &[Read(0), assert_eq(1, 7)]]);
    let failure = minimal(found(&program, 0).expect("it always fails"), &program);
    let explanation = explained(&failure, &program);
    assert_eq!((explanation.passed, &explanation.decisive), (0, &None));
    assert_eq!(explanation.orderings, []);
    assert!(explanation.failed > 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever the program: the execution beside the failing one passes and begins alike, and the orderings are those of the
    /// failing execution.
    #[test]
    fn explanations_are_true(program in programs(), seed in 0..1_000u64) {
        let Some(failure) = found(&program, seed) else { return Ok(()) };
        let Some(explanation) = explain(&Plan::default(), &failure, || Toy::new(&program), || false) else {
            return Ok(());
        };
        let record = &failure.record;
        if let Some(decisive) = &explanation.decisive {
            prop_assert!(explanation.passed > 0);
            let [at, other] = decisive.at;
            let name = |record: &ExecutionRecord, line: usize| {
                let line = &record.lines[line];
                (record.tasks[line.task].name.clone(), line.expected_operation())
            };
            let begins = |record: &ExecutionRecord, end: usize| -> Vec<_> {
                (0..end).filter(|n| record.lines[*n].step.is_some()).map(|n| name(record, n)).collect()
            };
            prop_assert_eq!(begins(record, at), begins(&decisive.passing, other));
            let (one, other) = (name(record, at), name(&decisive.passing, other));
            prop_assert!(one.0 != other.0 || one.1 == "choose", "{one:?} and {other:?}");
            let picks: Vec<_> = decisive.passing.steps().map(|line| line.task).collect();
            prop_assert!(passes(&program, &picks), "{picks:?}");
        }
        for ordering in &explanation.orderings {
            prop_assert!(ordering.before < ordering.after && ordering.after < record.lines.len());
            prop_assert!(
                explanation.tasks == Tasks::Any || record.lines[ordering.after].after.contains(&ordering.before)
            );
        }
    }
}
