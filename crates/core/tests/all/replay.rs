//! Tickets bring failures back, say where they no longer fit, and programs that are not deterministic are
//! found out. Prescribed prefixes are continued by other strategies.

use crate::common::oracle;
use crate::common::random_programs::programs;
use crate::common::spy::{picks, spy};
use crate::common::*;
use proptest::prelude::*;
use raddle_core::search::{Findings, NoListener, Plan, search};
use raddle_core::strategy::{Dfs, Prefix, Random, Replay, Within};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Failure, FailureKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn fail(plan: &Plan, program: &Program) -> Failure {
    run(plan, program, Dfs::new()).failure.expect("it fails somewhere")
}

fn replayed(plan: &Plan, ticket: &Ticket, program: &Program) -> Findings<Outcome> {
    raddle_core::search::replay(plan, ticket, || Toy::new(program), Arc::new(NoListener))
}

fn replay(ticket: &Ticket, program: &Program) -> Findings<Outcome> {
    replayed(&first(1), ticket, program)
}

/// Replays through both written forms; asserts that the same failure comes, in the first and only execution.
fn comes_back(plan: &Plan, failure: &Failure, program: &Program) {
    for text in [failure.ticket.to_string(), failure.ticket.to_json()] {
        let ticket = Ticket::parse(&text).unwrap();
        assert_eq!(ticket, failure.ticket);
        let found = replayed(plan, &ticket, program);
        assert_eq!((found.executions, found.failures), (1, 1));
        assert_eq!(raddle_report::coverage(&found.coverage), "replayed one schedule");
        let again = found.failure.unwrap();
        assert_eq!(again, Failure { execution: 1, ..failure.clone() });
    }
}

#[test]
fn every_kind_of_failure_a_program_can_have_comes_back() {
    use FailureKind::*;
    for kind in [Panic, Livelock, DataRace, Leak, Invariant, Misuse] {
        let bad = program([&[Choose(2), Expect(0, 0, kind)], &[Choose(3), Write(0, 1), Write(0, 0)]]);
        let failure = fail(&first(1), &bad);
        assert_eq!(failure.kind(), kind);
        assert_eq!(failure.message(), "main: x0 is 1, not 0");
        comes_back(&first(1), &failure, &bad);
    }
}

#[test]
fn a_deadlock_comes_back() {
    let bad = program([&[Lock(0), Lock(1)], &[Lock(1), Lock(0)]]);
    for workers in [1, 2] {
        let failure = fail(&first(workers), &bad);
        assert_eq!(failure.kind(), FailureKind::Deadlock);
        comes_back(&first(workers), &failure, &bad);
    }
}

#[test]
fn an_endless_execution_comes_back() {
    let mut plan = first(1);
    plan.budget.steps = 40;
    let bad = program([&[Read(0), Yield, Again], &[Write(0, 1)]]);
    let failure = fail(&plan, &bad);
    assert_eq!(failure.kind(), FailureKind::StepLimit);
    assert_eq!(failure.ticket.steps.len(), 40);
    comes_back(&plan, &failure, &bad);
}

#[test]
fn a_ticket_carries_the_test_and_its_settings() {
    let mut plan = first(1);
    plan.test = Some("bank::transfer".to_owned());
    plan.settings = std::collections::BTreeMap::from([("time".to_owned(), "any".to_owned())]).into();
    let bad = program([&[assert_eq(0, 1)]]);
    let failure = fail(&plan, &bad);
    let line = "raddle2;test=bank::transfer,time=any;0:main+expect+x0;0;1.b42e95e2";
    assert_eq!(failure.ticket.to_string(), line);
    comes_back(&plan, &failure, &bad);
}

/// main writes, main.1 is too early: the ticket is `main write x0`, `main.1 expect x0`.
fn a_ticket() -> Ticket {
    let ticket = fail(&first(1), &program([&[Write(0, 1), Read(0)], &[assert_eq(0, 0)]])).ticket;
    let expects: Vec<_> = ticket.steps.iter().map(|s| s.expect.as_str()).collect();
    assert_eq!(expects, ["main write x0", "main read x0", "main.1 expect x0"]);
    ticket
}

fn divergence(ticket: &Ticket, program: &Program) -> String {
    let found = replay(ticket, program);
    assert_eq!((found.executions, found.failures), (1, 1));
    let failure = found.failure.unwrap();
    assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    failure.message().to_owned()
}

#[test]
fn a_changed_operation_is_named() {
    let message = divergence(&a_ticket(), &program([&[Write(0, 1), Read(1)], &[assert_eq(0, 0)]]));
    let expected =
        "the ticket does not fit: it expects step 2 to be `main read x0`, but it is `main read x1`; ";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_task_that_cannot_move_is_named() {
    // Blocked for ever, ended too early, or not there at all.
    let blocked = program([&[Write(0, 1), Read(0)], &[Lock(0), Lock(0), assert_eq(0, 0)]]);
    let mut ticket = a_ticket();
    ticket.steps[2].expect = "main.1 lock Lock#0".to_owned();
    ticket.steps.push(ticket.steps[2].clone());
    let never = "but that cannot happen there; ";
    // Once no task is enabled the execution is over, and its own failure is what counts.
    let found = replay(&ticket, &blocked);
    assert_eq!(found.failure.unwrap().kind(), FailureKind::Deadlock);
    let message = divergence(&a_ticket(), &program([&[Write(0, 1)], &[assert_eq(0, 0)]]));
    let expected = "the ticket does not fit: it expects step 2 to be `main read x0`, ";
    assert!(message.starts_with(expected) && message.contains(never), "{message}");
    let message = divergence(&a_ticket(), &program([&[Write(0, 1), Read(0), Read(0)]]));
    let expected = "the ticket does not fit: it expects step 3 to be `main.1 expect x0`, ";
    assert!(message.starts_with(expected) && message.contains(never), "{message}");
}

#[test]
fn an_option_that_is_gone_is_named() {
    let failure = fail(&first(1), &program([&[Choose(2), assert_eq(0, 1)]]));
    let mut ticket = failure.ticket;
    ticket.steps[0].option = 1;
    let message = divergence(&ticket, &program([&[Choose(1), assert_eq(0, 1)]]));
    let expected =
        "the ticket does not fit: it expects step 1 to be `main choose`, but that cannot happen there; ";
    assert!(message.starts_with(expected), "{message}");
}

/// Once passed silently: the steps that were there fitted, and the missing ones were not missed.
#[test]
fn a_program_that_ends_before_its_ticket_does_not_fit() {
    let message = divergence(&a_ticket(), &program([&[Write(0, 1), Read(0)]]));
    let expected = "the ticket does not fit: it expects step 3 to be `main.1 expect x0`, but ";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_program_that_fails_before_its_ticket_ends_shows_its_own_failure() {
    let found = replay(&a_ticket(), &program([&[Write(0, 1), Read(0)], &[assert_eq(0, 0)]]));
    assert_eq!(found.failure.unwrap().kind(), FailureKind::Panic);
    let mut longer = a_ticket();
    longer.steps.push(longer.steps[0].clone());
    let found = replay(&longer, &program([&[Write(0, 1), Read(0)], &[assert_eq(0, 0)]]));
    assert_eq!(found.failure.unwrap().kind(), FailureKind::Panic);
}

/// main.1 continues after the last pick, since it took the last step; then main does.
#[test]
fn a_program_that_goes_on_after_its_ticket_continues_without_preemptions() {
    let mut ticket = a_ticket();
    ticket.steps.remove(1);
    let (strategy, seen) = spy(Replay::new(&ticket));
    let longer = program([&[Write(0, 1), Read(0)], &[assert_eq(0, 1), Read(0), Choose(2)]]);
    let plan = Plan { expected: Some(Arc::new(ticket)), ..first(1) };
    let found = run(&plan, &longer, strategy);
    assert_eq!((found.executions, found.failures), (1, 0));
    assert_eq!(picks(&seen), [[(0, 0), (1, 0), (1, 0), (1, 0), (0, 0)]]);
}

fn twisted(plan: Plan, when: u64, before: Program, after: Program) -> Result<Findings<Outcome>, String> {
    within(Duration::from_secs(10), move || {
        let make = || Toy::new(&before).twisted(when, &after);
        search(&plan, Box::new(Dfs::new()), make, Arc::new(NoListener))
    })
}

/// The first execution is a a b b. The second keeps `a` and leaves after it; by then `a` is another step.
#[test]
fn a_step_that_changes_is_named_with_what_it_was() {
    let before = program([&[Write(0, 1), Read(0)], &[Read(0), Read(0)]]);
    let after = program([&[Write(2, 1), Read(0)], &[Read(0), Read(0)]]);
    let found = twisted(first(1), 1, before, after).unwrap();
    assert_eq!(found.steps, 4, "the second execution took none");
    let failure = found.failure.unwrap();
    assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    assert_eq!(failure.execution, 2);
    assert_eq!(
        failure.message(),
        "the program is not deterministic: step 1 was `main write x0`, now it is `main write x2`"
    );
    assert!(raddle_report::fact(&failure.defect.facts[0]).contains("hash maps with random seeds"));
    assert_eq!(failure.ticket.steps.len(), 0, "nothing of it could be brought about");
}

#[test]
fn a_kept_step_that_is_blocked_or_gone_is_named() {
    let before = || program([&[Write(0, 1), Read(0), Read(0)], &[Read(0)]]);
    // Kept for the second execution: main write, main read.
    for after in [program([&[Write(0, 1)], &[Read(0)]]), program([&[Write(0, 1), Choose(0)], &[Read(0)]])] {
        let failure = twisted(first(1), 1, before(), after).unwrap().failure.unwrap();
        assert_eq!(failure.kind(), FailureKind::NotDeterministic);
        let expected = "the program is not deterministic: step 2 was `main read x0`, now it is `main ";
        assert!(failure.message().starts_with(expected), "{}", failure.message());
        assert_eq!(failure.ticket.steps.len(), 1);
    }
}

#[test]
fn a_run_that_ends_inside_the_kept_steps_is_found_out() {
    let before = || program([&[Write(0, 1), Read(0), Read(0)], &[Read(0)]]);
    // Over after the first of two kept steps, by itself or in a deadlock.
    let how: [(_, &[&str]); 2] = [
        (program([&[Write(0, 1)]]), &[]),
        (program([&[Write(0, 1), Choose(0)], &[Choose(0)]]), &["it ended in a deadlock: main waits"]),
    ];
    for (after, how) in how {
        let found = twisted(first(1), 1, before(), after).unwrap();
        assert_eq!(found.steps, 4 + 1, "only what happened counts");
        let failure = found.failure.expect("it is not deterministic");
        assert_eq!(
            failure.message(),
            "the program is not deterministic: it went on after step 1 before, now nothing can happen there"
        );
        let notes: Vec<_> = failure.defect.facts.iter().skip(1).map(raddle_report::fact).collect();
        assert_eq!(notes, how);
        assert_eq!(failure.ticket.steps.len(), 1);
    }
}

/// The kept steps fit, but the untried pick is no longer possible: main.1 is blocked, has fewer options, has ended, or
/// does not exist. The first execution is a a b0; the second has b1 at step 3.
#[test]
fn an_untried_pick_that_is_no_longer_possible_is_found_out() {
    let before = || program([&[Read(0), Read(0)], &[Choose(2)]]);
    let options = program([&[Read(0), Read(0)], &[Choose(1)]]);
    let blocked = program([&[Read(0), Read(0), Read(0)], &[Choose(0)]]);
    let ended = program([&[Read(0), Read(0), Read(0)], &[]]);
    let gone = program([&[Read(0), Read(0), Read(0)]]);
    for (after, now) in [
        (options, "option 1 of `main.1 choose`"),
        (blocked, "option 1 of `main.1 choose`"),
        (ended, "option 1 of `main.1 end`"),
        (gone, "option 1 of `a task that does not exist`"),
    ] {
        let found = twisted(first(1), 1, before(), after).expect("the world was asked for the impossible");
        let failure = found.failure.expect("it is not deterministic");
        assert_eq!(failure.kind(), FailureKind::NotDeterministic);
        let expected =
            format!("the program is not deterministic: {now} was possible at step 3, now it is not");
        assert_eq!(failure.message(), expected);
    }
}

/// As above, but now the execution is over there, by itself or in a deadlock: there is no further choice.
#[test]
fn a_run_that_ends_where_it_once_went_on_is_found_out() {
    let before = || program([&[Read(0), Read(0)], &[Choose(2)]]);
    for after in [program([&[Read(0), Read(0)], &[Choose(0)]]), program([&[Read(0), Read(0)]])] {
        let found = twisted(first(1), 1, before(), after).unwrap();
        let failure = found.failure.expect("it is not deterministic");
        assert_eq!(
            failure.message(),
            "the program is not deterministic: it went on after step 2 before, now nothing can happen there"
        );
    }
}

/// Nothing that follows can be trusted, and the strategy no longer knows where it is: even a search that
/// counts failures ends there.
#[test]
fn a_search_that_counts_failures_stops_where_the_program_is_not_deterministic() {
    let before = program([&[Choose(2), Read(0), Choose(2)], &[Choose(3), Choose(3)]]);
    let after = program([&[Choose(2), Read(1), Choose(2)], &[Choose(3), Choose(3)]]);
    for when in 1..6 {
        let found = twisted(all(1), when, before.clone(), after.clone()).expect("no impossible picks");
        assert_eq!(found.failure.unwrap().kind(), FailureKind::NotDeterministic);
        assert_eq!((found.executions, found.failures), (when + 1, 1));
        assert!(!raddle_report::coverage(&found.coverage).starts_with("exhaustive"), "{:?}", found.coverage);
    }
}

/// The second worker's world plays another program, in which the picks that it inherits are impossible or
/// lead to nothing.
#[test]
fn workers_that_see_different_programs_are_found_out() {
    for other in [program([&[Choose(0)], &[Read(0)]]), program([]), program([&[Sleep(3); 3], &[Sleep(3)]])] {
        let found = within(Duration::from_secs(10), move || {
            let made = AtomicUsize::new(0);
            let slow = program([&[Sleep(3), Read(0), Read(0)], &[Sleep(3), Read(0)], &[Read(0), Read(0)]]);
            let make = || {
                if made.fetch_add(1, Ordering::Relaxed) == 0 {
                    return Toy::new(&slow);
                }
                // Long enough for the first world to have begun, and too short for it to be done.
                std::thread::sleep(Duration::from_millis(20));
                Toy::new(&other)
            };
            search(&first(2), Box::new(Dfs::new()), make, Arc::new(NoListener))
        });
        let found = found.expect("the world was asked for the impossible");
        let failure = found.failure.expect("it is not deterministic");
        assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    }
}

/// After `a`, the rest is a, b, b: 3 interleavings. After a b: a, b: 2. After the whole a b a b: 1.
#[test]
fn a_prefix_is_kept_and_the_rest_is_explored() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let two = program([ops, ops]);
    for (prefix, count) in [(0, 6), (1, 3), (2, 2), (3, 1), (4, 1)] {
        let start: Vec<_> = (0..prefix).map(|i| pick(i % 2, 0)).collect();
        for workers in [1, 2] {
            let (strategy, seen) = spy(Prefix::new(start.clone(), Box::new(Dfs::new())));
            let found = run(&limited(100, all(workers)), &two, strategy);
            assert_eq!(found.executions, count, "after {prefix} steps");
            let mut explored = picks(&seen);
            let given: Vec<_> = start.iter().map(|p| (p.task.0, p.option)).collect();
            assert!(explored.iter().all(|e| e.len() == 4 && e.starts_with(&given)), "{explored:?}");
            explored.dedup();
            assert_eq!(explored.len() as u64, count);
        }
    }
}

#[test]
fn a_prefix_goes_with_bounds_and_with_random() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let two = program([ops, ops]);
    let start = vec![pick(0, 0), pick(1, 0)];
    // a b has one preemption; of a b a b (2 preemptions) and a b b a (1) one is within the bound.
    let bounded = Within::preemptions(1, Box::new(Prefix::new(start.clone(), Box::new(Dfs::new()))));
    assert_eq!(run(&all(1), &two, bounded).executions, 1);
    let bounded = Prefix::new(start.clone(), Box::new(Within::preemptions(1, Box::new(Dfs::new()))));
    assert_eq!(run(&all(1), &two, bounded).executions, 1);
    let (strategy, seen) = spy(Prefix::new(start, Box::new(Random::new(1))));
    assert_eq!(run(&limited(40, all(2)), &two, strategy).executions, 40);
    let mut explored = picks(&seen);
    explored.dedup();
    assert_eq!(explored, [[(0, 0), (1, 0), (0, 0), (1, 0)], [(0, 0), (1, 0), (1, 0), (0, 0)]]);
}

#[test]
fn a_prefix_that_is_impossible_is_refused() {
    let one = program([&[Choose(2), Lock(0)], &[Lock(0)]]);
    for start in [vec![pick(0, 2)], vec![pick(2, 0)], vec![pick(1, 0), pick(1, 0)]] {
        let (steps, one) = (start.len(), one.clone());
        let found = within(Duration::from_secs(10), move || {
            run(&first(1), &one, Prefix::new(start, Box::new(Dfs::new())))
        });
        let failure = found.expect("the world was asked for the impossible").failure.unwrap();
        assert_eq!(failure.kind(), FailureKind::NotDeterministic);
        assert!(failure.message().contains(&format!("step {steps} ")), "{}", failure.message());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever fails under whichever strategy fails again.
    #[test]
    fn failures_come_back(program in programs(), seed in 0..1000u64) {
        for workers in [1, 3] {
            let found = run(&first(workers), &program, Dfs::new());
            let fails = oracle::executions(&program).iter().any(|e| e.end.is_err());
            prop_assert_eq!(found.failure.is_some(), fails);
            if let Some(failure) = found.failure {
                comes_back(&first(1), &failure, &program);
            }
        }
        if let Some(failure) = run(&limited(50, all(2)), &program, Random::new(seed)).failure {
            comes_back(&first(1), &failure, &program);
        }
    }

    /// A prefix of any execution, continued by depth-first search, leads to those executions that start with
    /// it, and a search is the sum of the searches after each first pick.
    #[test]
    fn the_parts_after_each_first_pick_are_the_whole(program in programs()) {
        let (strategy, seen) = spy(Dfs::new());
        run(&all(1), &program, strategy);
        let whole = picks(&seen);
        let mut parts = Vec::new();
        let mut starts: Vec<_> = whole.iter().map(|e| e[..e.len().min(2)].to_vec()).collect();
        starts.dedup();
        for start in starts {
            let start = start.iter().map(|(task, option)| pick(*task, *option)).collect();
            let (strategy, seen) = spy(Prefix::new(start, Box::new(Dfs::new())));
            let program = program.clone();
            within(Duration::from_secs(10), move || run(&limited(100_000, all(1)), &program, strategy))
                .expect("only possible picks");
            parts.extend(picks(&seen));
        }
        prop_assert_eq!(parts, whole);
    }
}
