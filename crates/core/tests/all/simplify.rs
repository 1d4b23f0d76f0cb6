//! Simplification: the same failure, the same values seen by every task before it, and never a harder schedule.

use crate::common::random_programs::programs;
use crate::common::*;
use proptest::prelude::*;
use raddle_core::search::OnFailure;
use raddle_core::search::{NoListener, Plan, replay, search};
use raddle_core::simplify::Simplifier;
use raddle_core::strategy::{Bounds, Dfs, Random, Sampler, Strategy, Within};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Failure, FailureKind};

fn found_by(strategy: Box<dyn Strategy>, program: &Program) -> Option<Failure> {
    search(&limited(50, first(1)), strategy, || Toy::new(program), std::sync::Arc::new(NoListener)).failure
}

fn replayed(ticket: &Ticket, program: &Program) -> Option<Failure> {
    replay(&first(1), ticket, || Toy::new(program), std::sync::Arc::new(NoListener)).failure
}

fn reordered(failure: &Failure, program: &Program) -> Option<Failure> {
    Simplifier::new(&Plan::default(), failure, &|| Toy::new(program), &|| false)?.reorder()
}

fn minimal(failure: &Failure, program: &Program) -> Option<Failure> {
    Simplifier::new(&Plan::default(), failure, &|| Toy::new(program), &|| false)?.simplify()
}

fn preemptions(failure: &Failure) -> usize {
    failure.record.lines.iter().filter(|line| line.preempts).count()
}

fn switches(failure: &Failure) -> usize {
    failure.record.lines.windows(2).filter(|pair| pair[0].task != pair[1].task).count()
}

#[test]
fn what_does_not_matter_is_left_out() {
    let busy: &[Op] = &[Read(2), Add(1, 1), Read(2), Add(1, 1), Read(2)];
    let increment = |rest: &[Op]| [&[Read(2), Read(0), Write(0, 1)], rest].concat();
    let other = increment(&[]);
    let program =
        program([&increment(&[assert_eq(0, 1), Expect(1, 9, FailureKind::Panic)]), busy, busy, &other]);
    let mut shorter = 0;
    for seed in 0..40 {
        let failure = found_by(Box::new(Random::new(seed)), &program).expect("x1 is never 9");
        let Some(simple) = reordered(&failure, &program) else { continue };
        shorter += 1;
        assert_eq!((simple.kind(), simple.message().as_str()), (failure.kind(), failure.message().as_str()));
        assert_eq!(simple.execution, failure.execution);
        assert!(preemptions(&simple) <= preemptions(&failure));
        let again = replayed(&simple.ticket, &program).expect("the ticket brings it back");
        assert_eq!((again.kind(), again.message().as_str()), (failure.kind(), failure.message().as_str()));
        assert_eq!(again.record, simple.record);
    }
    assert!(shorter > 20, "{shorter}");
}

/// However wild the schedule that found a lost update: the bystanders are gone, and there are three changes of turn at
/// most, each a preemption.
#[test]
fn a_lost_update_is_shown_without_bystanders() {
    let quiet: &[Op] = &[Read(2), Read(2), Read(2), Read(2), Read(2), Read(2)];
    let increment: &[Op] = &[Read(1), Read(0), Write(0, 1), Read(1)];
    let last: &[Op] = &[Read(1), Read(0), Write(0, 1), Expect(0, 2, FailureKind::Panic)];
    let program = program([increment, last, quiet, quiet]);
    for seed in 0..30 {
        let failure = found_by(Box::new(Random::new(seed)), &program).expect("an update is always lost");
        let simple = reordered(&failure, &program).unwrap_or(failure);
        assert!(preemptions(&simple) <= 3, "seed {seed}: {:#?}", simple.ticket);
        assert!(simple.ticket.steps.iter().all(|step| step.task < 2), "seed {seed}: {:#?}", simple.ticket);
    }
}

/// What each task did and saw in the schedule of `failure`, by a plain interpreter that knows nothing of searches.
fn seen_by_tasks(program: &Program, failure: &Failure) -> Vec<Vec<(Op, i64)>> {
    let (mut vars, mut holders) = ([0; 3], [None; 2]);
    let mut seen = vec![Vec::new(); program.tasks.len()];
    for pick in failure.ticket.picks() {
        let task = pick.task.index();
        let op = program.tasks[task][seen[task].len()];
        let saw = match op {
            Read(n) | Expect(n, ..) => vars[n],
            Write(n, value) => std::mem::replace(&mut vars[n], value),
            Add(n, more) => {
                vars[n] += more;
                vars[n] - more
            }
            Lock(n) | TryLock(n) if holders[n].is_none() => {
                holders[n] = Some(task);
                1
            }
            TryLock(_) => 0,
            Unlock(n) => {
                let held = holders[n] == Some(task);
                holders[n] = holders[n].filter(|_| !held);
                held as i64
            }
            Choose(_) => pick.option as i64,
            Yield => 0,
            other => panic!("{other:?} at this point is no part of random programs"),
        };
        seen[task].push((op, saw));
    }
    seen
}

/// The steps and values of every task are a prefix of those before, or all of them if no step may be removed. A write
/// and an addition see the value they replace: no other operation is reordered with them either.
fn is_the_same_behaviour(program: &Program, failure: &Failure, simple: &Failure) -> bool {
    let [before, after] = [failure, simple].map(|f| seen_by_tasks(program, f));
    match failure.kind() {
        FailureKind::Deadlock => before == after,
        _ => before.iter().zip(&after).all(|(before, after)| before.starts_with(after)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever sampler found the failure, of whatever program: the simple one is the same failure, every task does and
    /// sees the same on the way to it, its ticket replays, and it is easier to read.
    #[test]
    fn simple_schedules_fail_alike(program in programs(), seed in 0..1_000u64) {
        for sampler in [Sampler::Uniform, Sampler::Portfolio, Sampler::Pos] {
            let Some(failure) = found_by(sampler.strategy(seed), &program) else { continue };
            let Some(simple) = reordered(&failure, &program) else { continue };
            prop_assert_eq!(&simple.defect.cause, &failure.defect.cause);
            prop_assert!(is_the_same_behaviour(&program, &failure, &simple));
            let [was, is] = [&failure, &simple].map(|f| (preemptions(f), switches(f), f.ticket.steps.len()));
            prop_assert!(is < was, "{:?} and {:?}", is, was);
            let again = replayed(&simple.ticket, &program);
            prop_assert_eq!(again.map(|f| f.record), Some(simple.record));
        }
    }
}

/// The least number of preemptions with which `program` fails like this, by enumeration of all executions. None if there
/// are too many of them, or several failures.
fn least_preemptions(failure: &Failure, program: &Program) -> Option<usize> {
    let plan = Plan { on_failure: OnFailure::KeepGoing, ..limited(20_000, first(1)) };
    for most in 0..=preemptions(failure) {
        let within = Within::new(Bounds::preemptions(most as u32), None, Box::new(Dfs::new()));
        let found = search(&plan, Box::new(within), || Toy::new(program), std::sync::Arc::new(NoListener));
        let is_same = |other: &Failure| other.defect.cause == failure.defect.cause;
        if found.failure.as_ref().into_iter().chain(&found.others).any(is_same) {
            return Some(most);
        }
        if !found.through || found.failure.is_some() {
            return None;
        }
    }
    None
}

/// Three tasks update one variable without a lock, and the last one checks it: whatever found the failure, two preemptions
/// are enough to lose all other updates.
#[test]
fn a_lost_update_of_three_tasks_has_as_few_preemptions_as_it_needs() {
    let increment: &[Op] = &[Read(1), Read(0), Write(0, 1), Read(1)];
    let last: &[Op] = &[Read(1), Read(0), Write(0, 1), assert_eq(0, 3)];
    let program = program([increment, increment, last]);
    let mut removed = 0;
    for seed in 0..30 {
        let failure = found_by(Box::new(Random::new(seed)), &program).expect("an update is always lost");
        let Some(simple) = minimal(&failure, &program) else { continue };
        assert_eq!(Some(preemptions(&simple)), least_preemptions(&failure, &program), "seed {seed}");
        let simplified = simple.simplified.expect("it says what was removed");
        let counted = |failure: &Failure| (preemptions(failure) as u32, failure.ticket.steps.len() as u32);
        let [before, after] = [0, 1].map(|at| (simplified.preemptions[at], simplified.steps[at]));
        assert_eq!((before, after), (counted(&failure), counted(&simple)));
        removed += (simplified.preemptions[0] - simplified.preemptions[1]) as usize;
    }
    assert!(removed > 30, "{removed}");
}

/// Tasks that have nothing to do with a failure take no step before it, and options are the first where others are not
/// needed.
#[test]
fn tasks_and_options_that_are_not_needed_are_gone() {
    let other: &[Op] = &[Choose(3), Lock(0), Write(0, 1), Unlock(0), Choose(2)];
    let fails: &[Op] = &[Choose(3), Lock(0), Read(0), Unlock(0), Expect(1, 9, FailureKind::Panic)];
    let program = program([other, other, fails]);
    for seed in 0..30 {
        let failure = found_by(Box::new(Random::new(seed)), &program).expect("x1 is never 9");
        let simple = minimal(&failure, &program).unwrap_or(failure);
        assert_eq!(preemptions(&simple), 0, "seed {seed}");
        assert!(simple.ticket.picks().all(|pick| pick.option == 0 && pick.task.index() == 2), "seed {seed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever sampler found the failure, of whatever program: the minimal one is the same failure, its ticket replays, it
    /// is easier to read, and fewer preemptions do not lead to it.
    #[test]
    fn minimal_schedules_fail_with_the_fewest_preemptions(program in programs(), seed in 0..1_000u64) {
        for sampler in [Sampler::Uniform, Sampler::Pos] {
            let Some(failure) = found_by(sampler.strategy(seed), &program) else { continue };
            let minimal = minimal(&failure, &program);
            let simple = minimal.as_ref().unwrap_or(&failure);
            prop_assert_eq!(&simple.defect.cause, &failure.defect.cause);
            prop_assert_eq!(simple.execution, failure.execution);
            if minimal.is_some() {
                let again = replayed(&simple.ticket, &program);
                prop_assert_eq!(again.map(|f| f.record.lines.len()), Some(simple.record.lines.len()));
            }
            if let Some(least) = least_preemptions(&failure, &program) {
                prop_assert!(preemptions(simple) <= least, "{} and {least}", preemptions(simple));
            }
        }
    }
}
