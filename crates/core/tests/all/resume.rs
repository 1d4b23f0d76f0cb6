//! A stopped search is resumed from a file: together both stages find what one search finds, no more and no less, for
//! every strategy that enumerates and any number of workers.

use crate::common::Op::{Choose, Sleep};
use crate::common::classes::classifier;
use crate::common::machine::Do::{
    Add, Expect, Join, Load, Lock, Notify, Read, ReadUnlock, Recv, Send, Spawn, Store, Unlock, Wait, Write,
    WriteUnlock, Yield,
};
use crate::common::machine::{Do, Machine, Outcome, Programs};
use crate::common::{Toy, all, limited, program, random_machines};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use raddle_core::search::{
    Findings, Listener, NoListener, Plan, Progress, Saved, Tally, search, search_iteratively,
};
use raddle_core::strategy::{
    Bounded, Bounds, Dfs, Divisible as _, Next, OptimalDpor, PreemptionBounding, Random, Strategy as _,
    Within, Wrapped, Wrapper,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

pub type Make = fn() -> Box<dyn raddle_core::strategy::Strategy>;

pub fn strategies() -> [(&'static str, Make); 6] {
    [
        ("two stacks", || Box::new(PreemptionBounding::new(Some(2)))),
        ("dfs", || Box::new(Dfs::new())),
        ("within", || Box::new(Within::preemptions(2, Box::new(Dfs::new())))),
        ("bounded", || Box::new(Bounded::new(Bounds::preemptions(2)))),
        ("sleep sets", || Box::new(Bounded::new(Bounds::default()))),
        ("optimal", || Box::new(OptimalDpor::new())),
    ]
}

pub fn programs() -> Vec<Programs> {
    let of = |programs: &[&[Do]]| programs.iter().map(|p| p.to_vec()).collect::<Programs>();
    let main: &[Do] = &[Spawn(1), Spawn(1), Spawn(1), Join(0), Join(1), Join(2)];
    let two: &[Do] = &[Spawn(1), Spawn(2), Join(0), Join(1)];
    vec![
        of(&[main, &[Lock(0), Add(0), Unlock(0), Load(1)]]),
        of(&[main, &[Load(0), Store(0, 1)]]),
        of(&[main, &[Lock(0), Wait, Unlock(0), Notify]]),
        of(&[
            two,
            &[Do::Choose(3), Lock(0), Lock(1), Unlock(1), Unlock(0)],
            &[Lock(1), Lock(0), Do::Choose(2)],
        ]),
        // Tasks that create tasks are numbered in different ways.
        of(&[two, &[Add(0), Spawn(3), Load(1), Join(0)], &[Spawn(3), Add(1), Load(0)], &[Add(0), Recv(1)]]),
        of(&[two, &[Send(1, 3), Store(0, 1), Send(1, 4)], &[Recv(1), Yield, Expect(0), Store(0, 1)]]),
        // Writers of two locks, and readers that cannot continue without each other.
        of(&[
            &[Spawn(1), Write(1), WriteUnlock(1), Join(0)],
            &[Write(0), Spawn(2), Read(1), ReadUnlock(1), WriteUnlock(0)],
            &[Read(1), Read(0), ReadUnlock(0), ReadUnlock(1)],
        ]),
        of(&[&main[..2], &[Write(0), WriteUnlock(0), Read(1), Write(2)]]),
    ]
}

/// What a search has counted, with outcomes as text.
pub fn counted(found: &Findings<Outcome>) -> Tally<String> {
    let outcomes = found.outcomes.iter().map(|(outcome, times)| (format!("{outcome:?}"), *times));
    Tally {
        executions: found.executions,
        outcomes: outcomes.collect(),
        failures_by_kind: found.failures_by_kind.clone(),
        ..Tally::default()
    }
}

/// Explores to the end, `step` executions at a time, each time from what was read back from a file.
fn in_parts(make: Make, programs: &Programs, workers: usize, step: u64) -> (Findings<Outcome>, usize) {
    let mut earlier = Tally::default();
    let mut plan = all(workers);
    for parts in 1.. {
        plan.counted = earlier.executions;
        let limit = earlier.executions + step;
        let mut found = search(
            &limited(limit, plan.clone()),
            make(),
            || Machine::new(programs),
            std::sync::Arc::new(NoListener),
        );
        let Some(left) = found.left.take() else {
            earlier.merge(counted(&found));
            let passed = earlier.outcomes.values().sum::<u64>();
            assert_eq!(passed + earlier.failed(), earlier.executions);
            (found.executions, found.failures_by_kind) = (earlier.executions, earlier.failures_by_kind);
            return (found, parts);
        };
        let words = raddle_report::coverage(&found.coverage);
        assert!(words.starts_with("not exhaustive: stopped after "), "{words}");
        // A worker may find no number while the execution of another worker turns out not to count.
        assert!(if workers == 1 { found.executions == step } else { found.executions <= step });
        earlier.merge(counted(&found));
        let saved = Saved {
            search: Saved::VERSION,
            test: None,
            kind: String::new(),
            fallen_back: false,
            settings: Default::default(),
            program: Default::default(),
            assumed: None,
            round: None,
            explored: found.explored.unwrap_or(0.0),
            found: earlier.clone(),
            unconverted: Vec::new(),
            left,
        };
        let read = Saved::parse(&saved.to_json()).unwrap();
        assert_eq!((&read.found, read.left.len()), (&saved.found, saved.left.len()));
        assert!((0.0..1.0).contains(&read.explored), "{}", read.explored);
        (earlier, plan.left, plan.explored) = (read.found, Some(read.left), read.explored);
    }
    unreachable!("it ends")
}

#[test]
fn all_parts_together_are_the_whole() {
    for (name, make) in strategies() {
        for programs in programs() {
            let whole = search(&all(1), make(), || Machine::new(&programs), std::sync::Arc::new(NoListener));
            assert!(whole.executions > 1 && whole.left.is_none());
            let is_whole = |explored: Option<f64>| explored.is_none_or(|all| (all - 1.0).abs() < 1e-6);
            assert!(is_whole(whole.explored) && whole.explored.is_none() == (name == "two stacks"), "{name}");
            for workers in [1, 2] {
                for step in [1, 7] {
                    let (found, parts) = in_parts(make, &programs, workers, step);
                    let told = format!("{name}, {workers} workers, {step} at a time\n{programs:?}");
                    assert!(parts as u64 >= whole.executions / step, "{parts} parts: {told}");
                    assert_eq!(found.executions, whole.executions, "{told}");
                    assert_eq!(found.failures_by_kind, whole.failures_by_kind, "{told}");
                    assert_eq!(found.coverage.extent, whole.coverage.extent, "{told}");
                    assert!(is_whole(found.explored), "{told} {:?}", found.explored);
                }
            }
        }
    }
}

/// Every trace is seen once, and by one of the stages.
#[test]
fn nothing_is_explored_twice() {
    let make = OptimalDpor::new;
    for programs in programs() {
        let (strategy, classes) = classifier(make());
        let whole =
            search(&all(1), Box::new(strategy), || Machine::new(&programs), std::sync::Arc::new(NoListener));
        let whole_classes = std::mem::take(&mut *classes.lock().unwrap());
        let stopped = search(
            &limited(whole.executions / 2, all(2)),
            Box::new(make()),
            || Machine::new(&programs),
            std::sync::Arc::new(NoListener),
        );
        let plan = Plan { left: stopped.left, counted: stopped.executions, ..all(2) };
        let (strategy, seen) = classifier(make());
        let rest =
            search(&plan, Box::new(strategy), || Machine::new(&programs), std::sync::Arc::new(NoListener));
        assert_eq!(stopped.executions + rest.executions, whole.executions);
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert!(seen.iter().all(|(class, times)| whole_classes.get(class).is_some_and(|all| times <= all)));
    }
}

#[test]
fn a_bound_that_grows_goes_on_in_its_round() {
    let programs = &programs()[1];
    let strategy = |bound, before| -> Box<dyn raddle_core::strategy::Strategy> {
        Box::new(Bounded::new(Bounds::preemptions(bound)).beyond(before))
    };
    let make = || Machine::new(programs);
    let whole = search_iteratively(&all(1), 0..=9, strategy, make, std::sync::Arc::new(NoListener));
    let stopped = search_iteratively(
        &limited(whole.executions / 2, all(1)),
        0..=9,
        strategy,
        make,
        std::sync::Arc::new(NoListener),
    );
    let round = stopped.finished_bound.map_or(0, |bound| bound + 1);
    assert!(round > 0);
    let plan = Plan { left: stopped.left, counted: stopped.executions, ..all(1) };
    let rest = search_iteratively(&plan, round..=9, strategy, make, std::sync::Arc::new(NoListener));
    assert_eq!(stopped.executions + rest.executions, whole.executions);
    assert_eq!((rest.finished_bound, rest.coverage.extent), (whole.finished_bound, whole.coverage.extent));
}

/// Simulates Ctrl-C at the moment at which a round has nothing more to explore.
#[derive(Default)]
struct AtTheEnd {
    is_at_the_end: AtomicBool,
    is_pressed: AtomicBool,
}

impl Listener for AtTheEnd {
    fn wants_to_stop(&self) -> bool {
        let is_at_the_end = self.is_at_the_end.load(SeqCst);
        self.is_pressed.store(is_at_the_end, SeqCst);
        is_at_the_end
    }
}

struct WaitsAtTheEnd(Bounded, std::sync::Arc<AtTheEnd>);

impl Wrapper for WaitsAtTheEnd {
    fn inside(&self) -> &dyn raddle_core::strategy::Strategy {
        &self.0
    }
    fn inside_mut(&mut self) -> &mut dyn raddle_core::strategy::Strategy {
        &mut self.0
    }
    fn around(&self, _: Box<dyn raddle_core::strategy::Strategy>) -> WaitsAtTheEnd {
        unreachable!("there is one worker")
    }
    fn begin(&mut self, execution: u64) -> Next {
        let next = self.0.begin(execution);
        if next == Next::Exhausted {
            self.1.is_at_the_end.store(true, SeqCst);
            while !self.1.is_pressed.load(SeqCst) {
                std::thread::yield_now();
            }
        }
        next
    }
}

/// The later rounds are unexplored, also if the present one is complete.
#[test]
fn stopped_at_the_very_end_of_a_round() {
    let programs = &programs()[1];
    let make = || Machine::new(programs);
    let round = |bound, before| Bounded::new(Bounds::preemptions(bound)).beyond(before);
    let strategy =
        |bound, before| -> Box<dyn raddle_core::strategy::Strategy> { Box::new(round(bound, before)) };
    let whole = search_iteratively(&all(1), 0..=9, strategy, make, std::sync::Arc::new(NoListener));
    let last = whole.finished_bound.unwrap();
    assert!(last >= 2);
    for stop in 0..=last {
        let listener = std::sync::Arc::new(AtTheEnd::default());
        let until = |bound, before| -> Box<dyn raddle_core::strategy::Strategy> {
            match bound == stop {
                true => Box::new(Wrapped(WaitsAtTheEnd(round(bound, before), listener.clone()))),
                false => Box::new(round(bound, before)),
            }
        };
        let stopped = search_iteratively(&all(1), 0..=9, until, make, listener.clone());
        assert_eq!((stopped.finished_bound, stopped.interrupted), (Some(stop), true));
        if stop == last {
            // Nothing was to come.
            assert_eq!((stopped.executions, &stopped.left), (whole.executions, &None));
            assert_eq!(stopped.coverage.extent, whole.coverage.extent);
            continue;
        }
        let words = format!("not exhaustive: interrupted after {} executions", stopped.executions);
        assert_eq!(raddle_report::coverage(&stopped.coverage), words);
        let plan = Plan { left: stopped.left, counted: stopped.executions, ..all(1) };
        assert!(plan.left.as_ref().is_some_and(|left| !left.is_empty()));
        let rest = search_iteratively(&plan, stop + 1..=9, strategy, make, std::sync::Arc::new(NoListener));
        assert_eq!(stopped.executions + rest.executions, whole.executions);
        assert_eq!((rest.finished_bound, rest.coverage.extent), (Some(last), whole.coverage.extent.clone()));
    }
    // The largest bound that was asked for is one, too: nothing is unexplored then.
    let listener = std::sync::Arc::new(AtTheEnd::default());
    let until = |bound, before| -> Box<dyn raddle_core::strategy::Strategy> {
        Box::new(Wrapped(WaitsAtTheEnd(round(bound, before), listener.clone())))
    };
    let stopped = search_iteratively(&all(1), 0..=0, until, make, listener.clone());
    assert_eq!((stopped.finished_bound, stopped.interrupted, stopped.left), (Some(0), true, None));
    assert_eq!(raddle_report::coverage(&stopped.coverage), "exhaustive within 0 preemptions");
}

#[test]
fn other_files_are_refused() {
    let error = |text: &str| Saved::parse(text).unwrap_err();
    assert!(error("{ \"search\": 1, \"le").starts_with("this is no search that was stopped: EOF while"));
    assert_eq!(error("{}"), "this is no search that was stopped: it has no version");
    let newer = "this search was stopped by another version of raddle: its format is 8, not 7";
    assert_eq!(error("{\"search\": 8}"), newer);
    assert!(error("{\"search\": 7}").contains("it was changed or cut"));
    // A ticket is a file of another kind.
    let ticket = error(&raddle_core::ticket::Ticket::empty().to_json());
    assert_eq!(ticket, "this is no search that was stopped: it is a ticket");
}

#[test]
fn parts_of_another_kind_are_refused() {
    let programs = &programs()[0];
    let left = |strategy: Box<dyn raddle_core::strategy::Strategy>| {
        search(&limited(2, all(1)), strategy, || Machine::new(programs), std::sync::Arc::new(NoListener))
            .left
            .unwrap()
            .remove(0)
    };
    let of_dfs = left(Box::new(Dfs::new()));
    let of_optimal = left(Box::new(OptimalDpor::new()));
    assert!(OptimalDpor::new().resume(&of_dfs).is_err() && Dfs::new().resume(&of_optimal).is_err());
    assert!(Bounded::new(Bounds::default()).resume(&of_optimal).is_err());
    // Sampling has no unexplored subtrees.
    let sampled = search(
        &limited(2, all(1)),
        Box::new(Random::new(1)),
        || Machine::new(programs),
        std::sync::Arc::new(NoListener),
    );
    assert_eq!(sampled.left, None);
}

/// Keeps the estimates that it hears.
#[derive(Default)]
struct Hears(Mutex<Vec<u64>>);

impl Listener for Hears {
    fn tick(&self, progress: &Progress) {
        self.0.lock().unwrap().extend(progress.estimate.map(|estimate| estimate.total));
    }
}

/// 3 * 4 * 25 executions: all branches of a depth are equally large. It takes long enough to hear of it.
#[test]
fn the_estimate_is_exact_where_all_branches_are_equal() {
    let heard = std::sync::Arc::new(Hears::default());
    let one = program([&[Choose(3), Sleep(2), Choose(4), Choose(25)]]);
    let found = search(&all(1), Box::new(Dfs::new()), || Toy::new(&one), heard.clone());
    assert_eq!(found.executions, 300);
    let heard = heard.0.lock().unwrap();
    assert!(!heard.is_empty() && heard.iter().all(|estimate| *estimate == 300), "{heard:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 250, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn two_halves_are_the_whole(programs in random_machines::programs(), workers in 1..3usize) {
        for (name, make) in strategies() {
            let world = || Machine::new(&programs);
            let whole = search(&limited(1_000, all(1)), make(), world, std::sync::Arc::new(NoListener));
            if whole.left.is_some() || whole.executions < 2 {
                continue;
            }
            let half = search(&limited(whole.executions / 2, all(workers)), make(), world, std::sync::Arc::new(NoListener));
            let plan = Plan { left: half.left.clone(), counted: half.executions, ..all(workers) };
            let rest = search(&plan, make(), world, std::sync::Arc::new(NoListener));
            let told = format!("{name}, {} and {} of {}", half.executions, rest.executions, whole.executions);
            prop_assert!(half.left.is_some(), "{}", told);
            prop_assert_eq!(half.executions + rest.executions, whole.executions, "{}", told);
            prop_assert_eq!(half.failures + rest.failures, whole.failures, "{}", told);
            let mut outcomes = half.outcomes;
            rest.outcomes.into_iter().for_each(|(outcome, times)| *outcomes.entry(outcome).or_insert(0) += times);
            prop_assert_eq!(&outcomes, &whole.outcomes, "{}", told);
            prop_assert_eq!(rest.coverage.extent, whole.coverage.extent, "{}", told);
        }
    }
}
