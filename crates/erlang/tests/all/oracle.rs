//! The reduction against depth-first search on random small Erlang programs: the same outcomes, the same
//! kinds of failures, and exactly one execution per Mazurkiewicz trace. `RADDLE_ORACLE=5000` tries that many
//! programs of each kind, `RADDLE_ORACLE_ONLY=7` only the one with this number and `RADDLE_ORACLE_ONLY=7..20`
//! some of them. `RADDLE_ORACLE_SEED=1000` is added to the seed of each kind and selects other programs; the
//! default is 0.

use crate::common::generate::{self, Flavour};
use crate::common::*;
use raddle_core::clock::Time;
use raddle_core::search::{Budget, Findings, NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Decision, Dfs, OptimalDpor, Strategy, Wrapped, Wrapper};
use raddle_core::trace::Trace;
use raddle_core::verdict::Verdict;
use raddle_core::world::{End, Pick, Point, World};
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use raddle_erlang::world::{ErlangWorld, Program};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A strategy that records the executions of another one.
struct Recording {
    inner: Box<dyn Strategy>,
    all: Arc<Mutex<Vec<Vec<Pick>>>>,
    /// How many executions were abandoned since each enabled operation belonged to another branch.
    forbidden: Arc<AtomicU64>,
}

impl Wrapper for Recording {
    fn inside(&self) -> &dyn Strategy {
        &*self.inner
    }
    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.inner
    }
    fn around(&self, inner: Box<dyn Strategy>) -> Recording {
        Recording { inner, all: self.all.clone(), forbidden: self.forbidden.clone() }
    }
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        let decision = self.inner.choose(so_far, point);
        assert_ne!(
            decision,
            Decision::SLEEP_SET_BLOCKED,
            "no step of a process ends the execution of the others"
        );
        self.forbidden.fetch_add((decision == Decision::ABANDON) as u64, Relaxed);
        decision
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        if !matches!(verdict, Verdict::Abandoned) {
            let picks = trace.steps().iter().map(|step| step.pick()).collect();
            self.all.lock().expect("no panic while it is locked").push(picks);
        }
        self.inner.finish(trace, verdict);
    }
}

/// What was compared.
#[derive(Clone, Copy, Default, Debug)]
struct Sample {
    /// Programs, each with one of its settings.
    compared: u64,
    /// Their executions, and their traces.
    executions: u64,
    traces: u64,
    /// Programs with so few executions with unordered mailboxes that all were counted, and those of them with grain `thesis`.
    counted: u64,
    by_the_thesis: u64,
    /// Programs that were explored under the assumption that exits are unobserved, in fewer steps.
    unobserved: u64,
    /// How many executions the reduction made with any number of workers, and how many it abandoned besides, since an enabled
    /// operation belonged to another branch.
    reduced: u64,
    forbidden: u64,
}

impl Sample {
    fn add(&mut self, other: Sample) {
        self.compared += other.compared;
        self.executions += other.executions;
        self.traces += other.traces;
        self.counted += other.counted;
        self.by_the_thesis += other.by_the_thesis;
        self.unobserved += other.unobserved;
        self.reduced += other.reduced;
        self.forbidden += other.forbidden;
    }
}

/// Programs with more executions are skipped.
const LIMIT: u64 = 3_000;

/// All executions of a strategy with so many workers, unless there are too many, and how many were abandoned.
fn record(
    limit: u64,
    workers: usize,
    strategy: Box<dyn Strategy>,
    make: impl Fn() -> ErlangWorld + Sync,
) -> Option<(Findings<String>, Vec<Vec<Pick>>, u64)> {
    let (all, forbidden) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
    let plan = Plan {
        on_failure: OnFailure::KeepGoing,
        workers,
        budget: Budget { executions: Some(limit), ..Budget::default() },
        ..Plan::default()
    };
    let findings = search(
        &plan,
        Box::new(Wrapped(Recording { inner: strategy, all: all.clone(), forbidden: forbidden.clone() })),
        make,
        std::sync::Arc::new(NoListener),
    );
    let all = std::mem::take(&mut *all.lock().expect("the search is over"));
    (findings.executions < limit).then_some((findings, all, forbidden.load(Relaxed)))
}

/// A hash of the trace of an execution with unordered mailboxes: each step with all steps that happen before
/// it.
fn class(world: &ErlangWorld, picks: &[Pick]) -> u64 {
    let mut world = world.clone();
    world.start();
    let mut steps: Vec<(Pick, raddle_core::operation::Accesses, u64)> = Vec::new();
    for pick in picks {
        let accesses = world.point().pending(pick.task).accesses;
        let born = (world.point().birth(pick.task).after as usize).checked_sub(1);
        let mut before: Vec<u64> = Vec::new();
        for (at, (other, theirs, hash)) in steps.iter().enumerate() {
            if other.task == pick.task || accesses.conflict(*theirs) || born == Some(at) {
                before.push(*hash);
            }
        }
        before.sort_unstable();
        let mut hasher = DefaultHasher::new();
        (world.key_of(pick.task), pick.option, before).hash(&mut hasher);
        steps.push((*pick, accesses, hasher.finish()));
        world.step(*pick);
    }
    let mut all: Vec<u64> = steps.into_iter().map(|(_, _, hash)| hash).collect();
    all.sort_unstable();
    let mut hasher = DefaultHasher::new();
    all.hash(&mut hasher);
    hasher.finish()
}

/// The same execution with unordered mailboxes.
fn without_order(ordered: &ErlangWorld, open: &ErlangWorld, picks: &[Pick]) -> Vec<Pick> {
    let (mut ordered, mut open) = (ordered.clone(), open.clone());
    ordered.start();
    open.start();
    let mut taken = Vec::new();
    for pick in picks {
        loop {
            let next = open.without_order(&ordered, *pick);
            let more = open.tells_the_dead(&ordered, *pick);
            taken.push(next);
            open.step(next);
            // Not complete if it sent DOWN to an exited process, or continues after an exception.
            if !open.is_hurried() && !more {
                break;
            }
        }
        ordered.step(*pick);
    }
    // With unordered mailboxes DOWN is also sent to exited processes.
    while let Some(task) = open.point().enabled().first().copied() {
        let pick = Pick { task, option: 0 };
        taken.push(pick);
        open.step(pick);
    }
    taken
}

fn seen(findings: &Findings<String>) -> BTreeSet<String> {
    let failures = findings.failures_by_kind.keys().map(|kind| format!("failure: {kind}"));
    findings.outcomes.keys().cloned().chain(failures).collect()
}

/// Compares both on one program, unless it has too many executions.
fn compare(program: &Program) -> Option<Sample> {
    let name = format!("{} {:?}", program.function, program.settings);
    let (all, executions, _) = record(LIMIT, 1, Box::new(Dfs::new()), || ErlangWorld::new(program))?;
    let unordered = record(LIMIT, 1, Box::new(Dfs::new()), || ErlangWorld::unordered(program));
    let worlds = (&ErlangWorld::new(program), &ErlangWorld::unordered(program));
    let mut sample = Sample { compared: 1, executions: all.executions, ..Sample::default() };
    sample.counted = unordered.is_some() as u64;
    sample.by_the_thesis = (unordered.is_some() && program.settings.grain == Grain::Thesis) as u64;
    for workers in [1, 2] {
        let reduction = Box::new(OptimalDpor::new());
        let (few, representatives, forbidden) =
            record(2 * LIMIT, workers, reduction, || ErlangWorld::unordered(program))
                .expect("no more than all");
        let name = format!("{name}, {workers} workers");
        assert_eq!(few.undecided, 0, "{name}: undecided");
        assert_eq!(seen(&few), seen(&all), "{name}: the outcomes");
        if program.settings.grain == Grain::Full {
            one_of_each_class(&name, worlds, &executions, &representatives);
        }
        if let Some((_, unordered, _)) = &unordered {
            each_class_once(&name, worlds.1, unordered, &representatives);
        }
        same_ends(&name, worlds, &representatives);
        // The same where unobserved exits are not steps of their own.
        let quick = optimal_with(program, workers);
        assert_eq!(
            (quick.executions, quick.undecided),
            (few.executions, 0),
            "{name}: ends that no process observes"
        );
        assert_eq!(
            (&quick.outcomes, &quick.failures_by_kind),
            (&few.outcomes, &few.failures_by_kind),
            "{name}"
        );
        sample.unobserved |= (quick.steps < few.steps) as u64;
        sample.reduced += few.executions;
        sample.forbidden += forbidden;
        sample.traces = few.executions;
    }
    Some(sample)
}

/// There is exactly one of `representatives` for each trace of `executions`, all with unordered mailboxes.
fn each_class_once(name: &str, open: &ErlangWorld, executions: &[Vec<Pick>], representatives: &[Vec<Pick>]) {
    let classes: BTreeSet<u64> = executions.iter().map(|picks| class(open, picks)).collect();
    let found: BTreeSet<u64> = representatives.iter().map(|picks| class(open, picks)).collect();
    if let Some(picks) = executions.iter().find(|picks| !found.contains(&class(open, picks))) {
        println!("missing:\n{}", told(open, picks));
    }
    assert!(found == classes, "{name}: {} classes, {} found", classes.len(), found.len());
    assert_eq!(representatives.len(), classes.len(), "{name}: executions and classes");
}

/// Each of `representatives` is possible with ordered mailboxes, and ends in the same way.
fn same_ends(name: &str, (ordered, open): (&ErlangWorld, &ErlangWorld), representatives: &[Vec<Pick>]) {
    for picks in representatives {
        let mut world = open.clone();
        world.start();
        picks.iter().for_each(|pick| world.step(*pick));
        let mut again = ordered.clone();
        again.start();
        let in_order = world.in_order(ordered).expect("it can happen");
        in_order.iter().for_each(|pick| again.step(*pick));
        assert!(again.point().is_over(), "{name}: it is over");
        match (world.end(None).end, again.end(None).end) {
            (End::Passed(one), End::Passed(other)) => assert_eq!(one, other, "{name}"),
            (End::Failed(one), End::Failed(other)) => {
                assert_eq!(one.cause, other.cause, "{name}")
            }
            _ => panic!("{name}: another end when messages have an order"),
        }
    }
}

/// An execution with unordered mailboxes as text: each step with its accesses.
fn told(open: &ErlangWorld, picks: &[Pick]) -> String {
    let mut world = open.clone();
    world.start();
    let mut text = String::new();
    for pick in picks {
        let accesses = world.point().pending(pick.task).accesses;
        text += &format!("  {} {accesses:?}\n", raddle_core::world::Describe::describe(&world, pick.task));
        world.step(*pick);
    }
    text
}

/// There is one of `representatives` for each trace of `executions`, and none of another trace, unless it
/// sends DOWN to an exited process: with ordered mailboxes an exited process has no monitors, and the DOWN
/// may come before or after a step that conflicts with everything.
fn one_of_each_class(
    name: &str,
    (ordered, open): (&ErlangWorld, &ErlangWorld),
    executions: &[Vec<Pick>],
    representatives: &[Vec<Pick>],
) {
    let class = |picks: &[Pick]| class(open, picks);
    let tells_the_gone = |picks: &[Pick]| {
        let mut world = open.clone();
        world.start();
        picks.iter().any(|pick| {
            let tells = world.tells_the_gone(pick.task);
            world.step(*pick);
            tells
        })
    };
    let classes: BTreeSet<u64> =
        executions.iter().map(|picks| class(&without_order(ordered, open, picks))).collect();
    let found: BTreeSet<u64> = representatives.iter().map(|picks| class(picks)).collect();
    if found.len() < representatives.len() {
        let mut met: Vec<u64> = Vec::new();
        for picks in representatives {
            let class = class(picks);
            if let Some(at) = met.iter().position(|other| *other == class) {
                println!("explored twice:\n{}\n{}", told(open, &representatives[at]), told(open, picks));
                break;
            }
            met.push(class);
        }
    }
    assert_eq!(found.len(), representatives.len(), "{name}: a class was explored twice");
    let missing = classes.difference(&found).count();
    let is_new = |picks: &&Vec<Pick>| !classes.contains(&class(picks)) && !tells_the_gone(picks);
    let more = representatives.iter().filter(is_new).count();
    let told = |picks: &[Pick]| told(open, picks);
    for picks in executions.iter().map(|picks| without_order(ordered, open, picks)) {
        if !found.contains(&class(&picks)) {
            println!("missing:\n{}", told(&picks));
            break;
        }
    }
    for picks in representatives.iter().filter(is_new) {
        println!("more:\n{}", told(picks));
    }
    assert_eq!((missing, more), (0, 0), "{name}: classes that are missing, and that should not be there");
}

/// The selected programs: `7`, or `7..20`.
fn numbers(text: &str) -> Option<std::ops::Range<u64>> {
    match text.split_once("..") {
        Some((first, end)) => Some(first.parse().ok()?..end.parse().ok()?),
        None => text.parse().ok().map(|n| n..n + 1),
    }
}

/// Compares programs of this kind, each with all of these settings. Returns the sample; none if only some of them were selected.
fn many(name: &str, flavour: Flavour, settings: &[Settings], seed: u64) -> Option<Sample> {
    if !erlang_is_there() {
        return None;
    }
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    // Programs with loops have many executions.
    let usual = if flavour == Flavour::Polling { 12 } else { 40 };
    let programs = number("RADDLE_ORACLE").unwrap_or(usual);
    let seed = seed + number("RADDLE_ORACLE_SEED").unwrap_or(0);
    let dir = compile_text(name, &generate::module(name, flavour, programs, seed));
    let mut sample = Sample::default();
    let only = std::env::var("RADDLE_ORACLE_ONLY").ok().and_then(|text| numbers(&text));
    for number in only.clone().unwrap_or(0..programs) {
        for settings in settings {
            if let Some(one) = compare(&program(&dir, name, &format!("t{number}"), settings.clone())) {
                sample.add(one);
            }
        }
    }
    println!("{name}: {sample:?}");
    let Sample { compared, executions, traces, reduced, forbidden, .. } = sample;
    // Where timers, faults, rounds of loops and exits conflict with everything in some states, executions may be begun in
    // vain, many of them in few programs. They are the search's time and not its result, since each class is met once: see
    // above. So they must be few for the whole sample.
    let conflicts_with_all = matches!(flavour, Flavour::Signals | Flavour::Timed | Flavour::Polling)
        || settings.iter().any(|settings| settings.kills > 0);
    let in_vain = if conflicts_with_all { 4 } else { 100 };
    assert!(forbidden <= 4 + reduced / in_vain, "of {reduced} executions {forbidden} were abandoned");
    if only.is_some() {
        return None;
    }
    assert!(compared >= programs / 20, "only {compared} of {programs} were small enough");
    assert!(traces < executions);
    Some(sample)
}

fn lenient(grain: Grain, delivery: Delivery) -> Settings {
    Settings { grain, delivery, judgement: Judgement::Lenient, ..Settings::default() }
}

#[test]
fn messages() {
    let settings = [lenient(Grain::Full, Delivery::Local), lenient(Grain::Thesis, Delivery::Instant)];
    let Some(Sample { compared, unobserved, by_the_thesis, .. }) =
        many("oracle_messages", Flavour::Messages, &settings, 1)
    else {
        return;
    };
    // Half of the settings are those of the thesis.
    assert!(unobserved >= compared / 2, "there are programs in which no process observes ends");
    assert!(by_the_thesis >= compared.div_ceil(4), "there are programs whose classes are well-defined");
}

#[test]
fn names_and_tables() {
    let settings = [lenient(Grain::Full, Delivery::Local), Settings::thesis()];
    many("oracle_shared", Flavour::Shared, &settings, 2);
}

#[test]
fn files_and_directories() {
    let settings = [lenient(Grain::Full, Delivery::Local), Settings::thesis()];
    many("oracle_files", Flavour::Files, &settings, 13);
}

#[test]
fn owners_of_tables() {
    let settings = [Settings::default(), lenient(Grain::Full, Delivery::Pairs), Settings::thesis()];
    many("oracle_owners", Flavour::Owners, &settings, 12);
}

#[test]
fn signals_as_within_a_node() {
    let strict = Settings { judgement: Judgement::Strict, ..Settings::default() };
    let settings = [lenient(Grain::Full, Delivery::Local), Settings::default(), strict];
    many("oracle_local", Flavour::Signals, &settings, 3);
}

#[test]
fn signals_at_once() {
    let usual = Settings { delivery: Delivery::Instant, ..Settings::default() };
    let settings = [lenient(Grain::Full, Delivery::Instant), usual, Settings::thesis()];
    many("oracle_instant", Flavour::Signals, &settings, 4);
}

#[test]
fn signals_as_between_nodes() {
    many("oracle_pairs", Flavour::Messages, &[lenient(Grain::Full, Delivery::Pairs)], 5);
}

#[test]
fn signals_in_pairs() {
    let usual = Settings { delivery: Delivery::Pairs, ..Settings::default() };
    many("oracle_signal_pairs", Flavour::Signals, &[lenient(Grain::Full, Delivery::Pairs), usual], 6);
}

#[test]
fn signals_by_the_thesis() {
    let settings = [Delivery::Instant, Delivery::Local, Delivery::Pairs].map(|d| lenient(Grain::Thesis, d));
    many("oracle_signal_thesis", Flavour::Signals, &settings, 7);
}

#[test]
fn timers_at_any_time() {
    let any = |delivery| Settings { time: Time::Any, ..lenient(Grain::Full, delivery) };
    let settings = [any(Delivery::Instant), any(Delivery::Local), lenient(Grain::Full, Delivery::Local)];
    many("oracle_timed", Flavour::Timed, &settings, 8);
}

#[test]
fn loops_that_poll() {
    let settings = [lenient(Grain::Full, Delivery::Local), lenient(Grain::Thesis, Delivery::Instant)];
    many("oracle_loops", Flavour::Polling, &settings, 11);
}

/// A round has four accesses. It conflicted with everything once, so that the exit of the other process came before and after.
#[test]
fn a_round_with_four_accesses() {
    if !erlang_is_there() {
        return;
    }
    let program = program(&known("polling"), "polling", "timer_before_deadline", Settings::default());
    assert_eq!(compare(&program).map(|sample| sample.traces), Some(1));
}

fn one_kill() -> [Settings; 2] {
    [Delivery::Instant, Delivery::Local].map(|delivery| Settings {
        kills: 1,
        delivery,
        ..Settings::default()
    })
}

#[test]
fn kills() {
    many("oracle_kills", Flavour::Messages, &one_kill(), 9);
}

#[test]
fn kills_and_signals() {
    many("oracle_kills_and_signals", Flavour::Signals, &one_kill(), 10);
}

/// A module of tests/programs, compiled.
fn known(module: &str) -> std::path::PathBuf {
    let programs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    compile_files(&format!("oracle_{module}"), &[programs.join(format!("{module}.erl"))], &[])
}

#[test]
fn what_was_missed_once() {
    if !erlang_is_there() {
        return;
    }
    let dir = known("missed");
    let explored = |function: &str, expected: &[&str]| {
        let program = program(&dir, "missed", function, lenient(Grain::Full, Delivery::Local));
        compare(&program).expect("there are few executions");
        assert_eq!(seen(&optimal(&program)), expected.iter().map(|s| s.to_string()).collect(), "{function}");
    };
    explored("link_to_the_dead", &["failure: deadlock", "linked"]);
    explored("trapped_link_to_the_dead", &["noproc", "none", "normal"]);
    explored("timeout_before_the_end", &["hello", "late"]);
    explored("timeout_before_two_messages", &["{hello,again}", "{late,again}"]);
    explored("timeout_among_many_tasks", &["hello", "late"]);
}

#[test]
fn programs_that_once_differed() {
    if !erlang_is_there() {
        return;
    }
    let dir = known("differed");
    let functions = [
        "told_after_its_end",
        "unlinked_before_the_signal",
        "sent_to_a_name_that_goes",
        "sent_to_a_name_that_comes",
        "registered_twice",
        "registered_by_two",
        "taken_back",
        "linked_again",
        "unlinked_by_the_other",
        "named_when_it_is_gone",
        "killed_too_late",
    ];
    for function in functions {
        let mut compared = 0;
        for grain in [Grain::Full, Grain::Thesis] {
            for delivery in [Delivery::Instant, Delivery::Local, Delivery::Pairs] {
                let one = program(&dir, "differed", function, lenient(grain, delivery));
                compared += compare(&one).is_some() as u32;
            }
        }
        assert!(compared > 0, "{function}: too many executions");
    }
}
