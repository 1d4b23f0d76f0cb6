//! Loops that poll: the same verdicts by every strategy, a livelock where nothing is left but loops, and, on random
//! programs, the same outcomes as a search of all states in which every round is taken.

use crate::common::generate::{self, Flavour};
use crate::common::*;
use raddle_core::clock::Time;
use raddle_core::fact::{Assumption, Relation};
use raddle_core::search::Findings;
use raddle_core::strategy::{Bounded, Bounds, Dfs, Strategy};
use raddle_core::verdict::FailureKind;
use raddle_core::world::{End, Pick, Snapshot, World};
use raddle_erlang::settings::{Polling, Settings};
use raddle_erlang::world::{ErlangWorld, Program};
use std::collections::{BTreeSet, HashMap};

fn polling(function: &str, settings: Settings) -> Program {
    let programs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let dir = compile_files("polling", &[programs.join("polling.erl")], &[]);
    program(&dir, "polling", function, settings)
}

fn any() -> Settings {
    Settings { time: Time::Any, ..Settings::default() }
}

fn seen(findings: &Findings<String>) -> BTreeSet<String> {
    let failures = findings.failures_by_kind.keys().map(|kind| format!("failure: {kind}"));
    findings.outcomes.keys().cloned().chain(failures).collect()
}

#[test]
fn a_loop_ends_when_what_it_polls_changes() {
    if !erlang_is_there() {
        return;
    }
    // The look comes before the change, and then again after it, or only after it.
    let programs = [
        ("table", 2, "ok"),
        ("table_and_yield", 2, "ok"),
        ("name", 2, "ok"),
        ("names", 2, "ok"),
        ("alive", 2, "ok"),
        ("status", 2, "ok"),
        ("counter", 2, "ok"),
        ("mailbox", 2, "ok"),
        ("raised", 2, "ok"),
        ("sends", 2, "ok"),
        ("takes", 2, "ok"),
        ("updates", 2, "ok"),
        ("counts", 2, "ok"),
        ("deletes", 2, "ok"),
        ("replaces", 2, "ok"),
        ("creates", 2, "ok"),
        // Between its three operations on the table, too.
        ("folds", 4, "ok"),
        ("sleep", 1, "ok"),
        ("sleep_and_timer", 1, "30"),
        ("deadline", 1, "late"),
        ("timer_before_deadline", 1, "ok"),
        ("deadline_before_timer", 1, "late"),
        ("deadline_and_sleep", 1, "late"),
        ("behind_the_test", 1, "ok"),
    ];
    for (function, executions, outcome) in programs {
        let program = polling(function, Settings::default());
        let reduced = optimal(&program);
        let expected = BTreeSet::from([outcome.to_owned()]);
        assert_eq!((reduced.executions, seen(&reduced)), (executions, expected.clone()), "{function}");
        let within: Box<dyn Strategy> = Box::new(Bounded::new(Bounds::preemptions(2)));
        for (name, strategy) in [("dfs", Box::new(Dfs::new()) as Box<dyn Strategy>), ("bounded", within)] {
            assert_eq!(seen(&explore(&program, strategy)), expected, "{function} by {name}");
        }
    }
}

#[test]
fn what_is_seen_in_the_middle_of_a_round_is_not_lost() {
    if !erlang_is_there() {
        return;
    }
    let is_seen = |function: &str, settings: Settings, outcomes: &[&str]| {
        let program = polling(function, settings);
        let expected: BTreeSet<String> = outcomes.iter().map(|o| (*o).to_owned()).collect();
        assert_eq!(seen(&optimal(&program)), expected, "{function}");
        assert_eq!(seen(&all(&program)), expected, "{function}, all interleavings");
    };
    is_seen("torn", Settings::default(), &["{false,true}", "{true,false}", "{true,true}"]);
    is_seen("lock", Settings::default(), &["ok"]);
    is_seen("token", Settings::default(), &["ok"]);
    is_seen("bounded", Settings::default(), &["found", "gave_up"]);
    // At any point, the time of a loop that reads the clock may come before or after that of the timer.
    is_seen("deadline_before_timer", any(), &["late", "ok"]);
    is_seen("timer_before_deadline", any(), &["late", "ok"]);
}

#[test]
fn where_only_loops_are_left_it_is_a_livelock() {
    if !erlang_is_there() {
        return;
    }
    for function in ["never", "never_and_sleeps", "each_other", "beside_a_deadlock"] {
        for settings in [Settings::default(), any(), Settings::thesis()] {
            let program = polling(function, settings);
            for found in [optimal(&program), all(&program)] {
                let kinds: Vec<FailureKind> = found.failures_by_kind.keys().copied().collect();
                assert_eq!(kinds, [FailureKind::Livelock], "{function}");
                assert!(found.outcomes.is_empty(), "{function}");
            }
        }
    }
    let failure = optimal(&polling("each_other", Settings::default())).failure.expect("a livelock");
    assert_eq!(failure.message(), "only waiting loops are left, and nothing they read ever changes: P, P.1");
    let polled = failure.defect.facts.iter().map(|fact| match &fact.relation {
        Relation::Spins { objects } => objects.join(", "),
        other => panic!("{other:?}"),
    });
    let polled: Vec<String> = polled.collect();
    assert_eq!(polled, ["ets:member(#Ref<P.1>, b)", "ets:member(#Ref<P.1>, a)"]);
}

#[test]
fn a_loop_that_counts_its_rounds_reaches_the_step_limit() {
    if !erlang_is_there() {
        return;
    }
    for function in ["endless", "endless_fixations"] {
        let found = optimal_within(&polling(function, Settings::default()), 500);
        assert_eq!(found, Some(FailureKind::StepLimit), "{function}");
    }
}

/// A call of a server sends, so a loop of calls is not taken for one that polls: the guide says so.
#[test]
fn a_loop_that_polls_a_server_reaches_the_step_limit() {
    if !erlang_is_there() {
        return;
    }
    let found = optimal_within(&polling("server", Settings::default()), 500);
    assert_eq!(found, Some(FailureKind::StepLimit));
}

/// Depth-first search lets an interval fire for ever, before the receiver goes on; the reduction does not. The guide says so.
#[test]
fn an_interval_ends_by_the_reduction_and_reaches_the_step_limit_by_depth_first_search() {
    if !erlang_is_there() {
        return;
    }
    let program = polling("interval", any());
    let by = |strategy: Box<dyn Strategy>, unordered: bool| {
        let mut plan = raddle_core::search::Plan::default();
        plan.budget.steps = 500;
        plan.budget.executions = Some(200);
        let make = || match unordered {
            true => ErlangWorld::unordered(&program),
            false => ErlangWorld::new(&program),
        };
        let found = raddle_core::search::search(
            &plan,
            strategy,
            make,
            std::sync::Arc::new(raddle_core::search::NoListener),
        );
        found.failure.map(|failure| failure.kind())
    };
    assert_eq!(by(Box::new(Dfs::new()), false), Some(FailureKind::StepLimit));
    assert_eq!(by(Box::new(raddle_core::strategy::OptimalDpor::new()), true), None);
}

/// The kind of the first failure of executions with at most so many steps.
fn optimal_within(program: &Program, steps: usize) -> Option<FailureKind> {
    let mut plan = raddle_core::search::Plan::default();
    plan.budget.steps = steps;
    let strategy = Box::new(raddle_core::strategy::OptimalDpor::new());
    let listener = std::sync::Arc::new(raddle_core::search::NoListener);
    let found = raddle_core::search::search(&plan, strategy, || ErlangWorld::unordered(program), listener);
    found.failure.map(|failure| failure.kind())
}

#[test]
fn a_search_says_what_it_assumed_of_loops() {
    if !erlang_is_there() {
        return;
    }
    let assumes = |function: &str, settings: Settings| {
        let found = optimal(&polling(function, settings));
        found.coverage.assumptions.contains(&Assumption::FairSpins(1))
    };
    assert!(!assumes("table", Settings::default()), "no behaviour is lost");
    assert!(!assumes("sleep", Settings::default()), "it goes on until no other deadline is left");
    assert!(assumes("sleep", any()), "a loop that sleeps would look at other times, too");
    assert!(assumes("folds", Settings::default()), "others could see that the table is fixed");
    assert!(assumes("status", Settings::default()), "the status of a loop differs in its round");
}

/// What can come of a program in which every round is taken: a search of all states. From some states no end can be
/// reached any more: a livelock.
fn by_states(program: &Program, most: usize) -> Option<BTreeSet<String>> {
    let first = ErlangWorld::new(program).single();
    let mut known: HashMap<u128, usize> = HashMap::from([(first.fingerprint(), 0)]);
    let mut worlds = vec![first];
    let mut next: Vec<Vec<usize>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut ends = Vec::new();
    while next.len() < worlds.len() {
        let mut world = worlds[next.len()].clone();
        if world.point().is_over() {
            ends.push(next.len());
            seen.insert(match world.end(None).end {
                End::Passed(outcome) => outcome,
                End::Failed(defect) => format!("failure: {}", defect.kind),
            });
        }
        let tasks = world.point().enabled().to_vec();
        let mut after = Vec::new();
        for task in tasks {
            for option in 0..world.point().pending(task).options {
                let mut then = world.clone();
                then.step(Pick { task, option });
                let then = then.single();
                let number = *known.entry(then.fingerprint()).or_insert_with(|| {
                    worlds.push(then);
                    worlds.len() - 1
                });
                after.push(number);
            }
        }
        next.push(after);
        if worlds.len() > most {
            return None;
        }
    }
    let mut ends_are_reached = vec![false; worlds.len()];
    ends.iter().for_each(|end| ends_are_reached[*end] = true);
    let mut changed = true;
    while changed {
        changed = false;
        for (state, after) in next.iter().enumerate() {
            if !ends_are_reached[state] && after.iter().any(|then| ends_are_reached[*then]) {
                ends_are_reached[state] = true;
                changed = true;
            }
        }
    }
    if ends_are_reached.contains(&false) {
        seen.insert(format!("failure: {}", FailureKind::Livelock));
    }
    Some(seen)
}

#[test]
fn the_same_comes_of_random_programs_where_every_round_is_taken() {
    if !erlang_is_there() {
        return;
    }
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let programs = number("RADDLE_ORACLE").unwrap_or(40);
    let seed = 12 + number("RADDLE_ORACLE_SEED").unwrap_or(0);
    let name = "polling_states";
    let dir = compile_text(name, &generate::module(name, Flavour::Polling, programs, seed));
    let (mut compared, mut livelocks) = (0, 0);
    for number in 0..programs {
        let function = format!("t{number}");
        let all_rounds = Settings { polling: Polling::Steps, ..Settings::default() };
        let Some(expected) = by_states(&program(&dir, name, &function, all_rounds), 1_500) else { continue };
        let cut = program(&dir, name, &function, Settings::default());
        assert_eq!(seen(&optimal(&cut)), expected, "{function}");
        compared += 1;
        livelocks += expected.iter().any(|outcome| outcome.contains("livelock")) as u64;
    }
    assert!(compared >= programs / 2, "only {compared} of {programs} were small enough");
    assert!(livelocks >= programs / 20, "{livelocks} of {compared} programs have livelocks");
}
