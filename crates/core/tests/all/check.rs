//! The pipeline: what it does around a search is the same for every world.

use crate::common::{Op::*, Program as Toys, Toy, pick, program};
use raddle_core::check::{Check, Program, Reducible, Refinable, SearchKind, Simplify, Verdict, check};
use raddle_core::fact::{Assumption, Bound, StopReason};
use raddle_core::search::{LazyMap, Listener, NoListener, OnFailure, Saved};
use raddle_core::strategy::Sampler;
use raddle_core::verdict::{Extent, Failure, FailureKind, Replayed};
use raddle_core::world::Pick;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// A program with another one for the reduction, which may be refined once.
struct Two {
    ordinary: Toys,
    reduced: Option<Toys>,
    refined: AtomicU32,
    concrete: bool,
    bounded: bool,
}

impl Two {
    fn new(ordinary: Toys) -> Two {
        Two { ordinary, reduced: None, refined: AtomicU32::new(0), concrete: true, bounded: true }
    }
}

impl Program for Two {
    type World = Toy;
    fn world(&self) -> Toy {
        Toy::new(&self.ordinary)
    }
    fn reducible(&self) -> Option<&dyn Reducible<Toy>> {
        Some(self)
    }
    fn refinable(&self) -> Option<&dyn Refinable> {
        Some(self)
    }
    fn settings(&self) -> LazyMap {
        BTreeMap::from([("world".to_owned(), "toy".to_owned())]).into()
    }
}

impl Reducible<Toy> for Two {
    fn reduced_world(&self) -> Toy {
        match (&self.reduced, self.refined.load(Ordering::Relaxed)) {
            (Some(reduced), 0) => Toy::new(reduced),
            (Some(reduced), _) if !self.concrete => Toy::new(reduced),
            _ => self.world(),
        }
    }
    fn is_concrete(&self) -> bool {
        self.concrete
    }
    /// The ordinary world has one step more, at its beginning.
    fn concretise(&self, schedule: &[Pick]) -> Option<Vec<Pick>> {
        Some([&[pick(0, 0)], schedule].concat())
    }
    fn reduces_within_bounds(&self) -> bool {
        self.bounded
    }
}

impl Refinable for Two {
    fn is_refuted(&self) -> bool {
        self.concrete && self.reduced.is_some() && self.refined.load(Ordering::Relaxed) == 0
    }
    fn refine(&self) -> bool {
        self.concrete && self.reduced.is_some() && self.refined.fetch_add(1, Ordering::Relaxed) == 0
    }
    fn assumed(&self) -> Option<String> {
        None
    }
    fn assume(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

/// Hears of failures, and may want to stop.
#[derive(Default)]
struct Recorder {
    heard: Mutex<Vec<Failure>>,
    stops: bool,
}

impl Listener for Recorder {
    fn failed(&self, failure: &Failure) {
        self.heard.lock().unwrap().push(failure.clone());
    }
    fn wants_to_stop(&self) -> bool {
        self.stops
    }
}

fn racy() -> Toys {
    program([&[Write(0, 1), Read(0)], &[Write(0, 2), Expect(0, 2, FailureKind::Panic)]])
}

fn silent() -> Arc<NoListener> {
    Arc::new(NoListener)
}

#[test]
fn a_refuted_assumption_makes_the_search_begin_anew() {
    let whole = program([&[Write(0, 1)], &[Write(0, 2)], &[Write(0, 3)]]);
    let alone = check(&Two::new(whole.clone()), &Check::default(), silent()).unwrap();
    let small = program([&[Read(1)], &[Read(2)], &[Read(1)]]);
    let program = Two { reduced: Some(small), ..Two::new(whole) };
    let checked = check(&program, &Check::default(), silent()).unwrap();
    assert_eq!((checked.executions(), checked.outcomes), (6, alone.outcomes));
    assert_eq!(checked.coverage.extent, Extent::Exhaustive);
    assert_eq!(program.refined.load(Ordering::Relaxed), 1, "refined where it is refuted, and only there");
}

#[test]
fn what_a_reduced_world_finds_is_told_as_a_schedule_of_the_ordinary_one() {
    let reduced = racy();
    let mut ordinary = racy();
    ordinary.tasks[0].insert(0, Yield);
    let program = Two { reduced: Some(reduced), concrete: false, ..Two::new(ordinary) };
    let recorder = Arc::new(Recorder::default());
    let as_found = Check { simplify: Simplify::No, ..Check::default() };
    let checked = check(&program, &as_found, recorder.clone()).unwrap();
    let failure = checked.failure().expect("it fails");
    assert_eq!(checked.verdict(), Verdict::Failed(FailureKind::Panic));
    assert_eq!(failure.ticket.steps[0].expect, "main yield");
    assert_eq!(failure.replayed, None, "its ticket brings it about again");
    assert_eq!(failure.ticket.settings["world"], "toy");
    assert_eq!(*recorder.heard.lock().unwrap(), std::slice::from_ref(failure), "nothing is heard of before");
    // What was simplified is heard of, too.
    let recorder = Arc::new(Recorder::default());
    let checked = check(&program, &Check::default(), recorder.clone()).unwrap();
    let heard = recorder.heard.lock().unwrap();
    // Not of the explanation, which comes last.
    let simple = checked.failure().map(|failure| Failure { explanation: None, ..failure.clone() });
    assert_eq!((heard.len(), heard.last()), (2, simple.as_ref()));
    assert_eq!(checked.failure().unwrap().replayed, None);
}

#[test]
fn failures_are_grouped_by_kind_and_message() {
    let two =
        program([&[Expect(0, 1, FailureKind::Panic)], &[Expect(0, 2, FailureKind::Panic), Write(1, 1)]]);
    let all = Check { on_failure: OnFailure::KeepGoing, ..Check::new(SearchKind::Dfs) };
    let checked = check(&Two::new(two.clone()), &all, silent()).unwrap();
    let groups: Vec<(u64, u64)> = checked.failures.iter().map(|g| (g.first.execution, g.count)).collect();
    assert_eq!(checked.failed(), groups.iter().map(|(_, count)| count).sum::<u64>());
    assert_eq!(groups.len(), 2, "{:?}", checked.failures);
    assert_eq!(groups[0].0, 1);
    let first = check(&Two::new(two), &Check::new(SearchKind::Dfs), silent()).unwrap();
    assert_eq!((first.failures.len(), first.executions()), (1, 1));
    assert_eq!(first.coverage.extent, Extent::Partial(StopReason::FirstFailure));
}

#[test]
fn bounds_that_the_reduction_does_not_know_are_explored_without_it() {
    let three: &[_] = &[Add(0, 1), Read(1)];
    let bounded = |bounded| {
        let program = Two { bounded, ..Two::new(program([three, three])) };
        let mut check_within = Check::default();
        check_within.bounds.preemptions = Some(1);
        check(&program, &check_within, silent()).unwrap()
    };
    let (reduced, all) = (bounded(true), bounded(false));
    assert!(reduced.executions() < all.executions());
    assert_eq!(reduced.outcomes.keys().collect::<Vec<_>>(), all.outcomes.keys().collect::<Vec<_>>());
    assert_eq!(all.coverage.extent, Extent::Within(vec![Bound::Preemptions(1)]));
}

#[test]
fn a_search_that_is_interrupted_goes_on_where_it_was() {
    let ops: &[_] = &[Add(0, 1), Read(0)];
    let whole = || Two::new(program([ops, ops, ops]));
    let all = check(&whole(), &Check::new(SearchKind::Dfs), silent()).unwrap();
    assert_eq!(all.left, None);
    // A search whose executions are used up saves no subtrees, one whose time is up does.
    let mut short = Check::new(SearchKind::Dfs);
    short.budget.executions = Some(10);
    let stopped = check(&whole(), &short, silent()).unwrap();
    assert_eq!((stopped.executions(), stopped.left), (10, None));
    short.budget = Check::default().budget;
    short.budget.time = Some(std::time::Duration::ZERO);
    let stopped = check(&whole(), &short, silent()).unwrap();
    let saved = stopped.left.expect("all of it is left");
    let resume = |check: Check| Check { resume: Some(saved.clone()), ..check };
    let rest = check(&whole(), &resume(Check::new(SearchKind::Dfs)), silent()).unwrap();
    assert_eq!(stopped.coverage.executions + rest.executions(), all.executions());
    assert_eq!((rest.outcomes, rest.coverage.extent), (all.outcomes, Extent::Exhaustive));
    let other = check(&whole(), &resume(Check::default()), silent()).unwrap_err();
    assert_eq!(other, "the search that was stopped is `dfs`, this one is `exhaustive`");
    let sampled = Check::new(SearchKind::Sampled(Sampler::Pos));
    let error = check(&whole(), &resume(sampled), silent()).unwrap_err();
    assert_eq!(error, "only searches that enumerate can go on where they were stopped");
}

#[test]
fn a_check_without_a_whole_execution_has_not_passed() {
    let mut short = Check::new(SearchKind::Dfs);
    short.budget.time = Some(std::time::Duration::ZERO);
    let mut checked = check(&Two::new(program([&[Read(0)], &[Add(0, 1)]])), &short, silent()).unwrap();
    assert!(!checked.coverage.is_exhaustive());
    checked.coverage.executions = 0;
    assert_eq!((checked.verdict(), checked.verdict().exit_code()), (Verdict::Interrupted, 2));
}

#[test]
fn an_interrupted_check_has_no_verdict() {
    let recorder = Arc::new(Recorder { stops: true, ..Recorder::default() });
    let checked = check(&Two::new(program([&[Read(0)]])), &Check::default(), recorder).unwrap();
    assert!(checked.interrupted);
    assert_eq!((checked.verdict(), checked.verdict().exit_code()), (Verdict::Interrupted, 2));
}

#[test]
fn schedules_and_executions_both_limit_sampling_and_bounds_are_named() {
    let mut sampled = Check::new(SearchKind::Sampled(Sampler::Uniform));
    (sampled.schedules, sampled.seed) = (20, 3);
    sampled.bounds.preemptions = Some(1);
    let program = || Two::new(program([&[Add(0, 1), Read(0)], &[Add(0, 2)]]));
    let checked = check(&program(), &sampled, silent()).unwrap();
    assert_eq!(checked.coverage.extent, Extent::Sampled { schedules: 20, seed: 3 });
    assert_eq!(checked.coverage.assumptions, [Assumption::SampledWithin(Bound::Preemptions(1))]);
    sampled.budget.executions = Some(5);
    assert_eq!(check(&program(), &sampled, silent()).unwrap().executions(), 5);
}

#[test]
fn a_ticket_is_replayed_once_and_not_simplified() {
    let program = || Two::new(racy());
    let found = check(&program(), &Check::default(), silent()).unwrap();
    let mut replay = Check::default();
    replay.follow(found.failure().unwrap().ticket.clone()).unwrap();
    let again = check(&program(), &replay, silent()).unwrap();
    assert_eq!((again.executions(), again.coverage.extent), (1, Extent::Replayed));
    assert_eq!(again.failures[0].first.ticket, found.failures[0].first.ticket);
}

#[test]
fn a_failure_that_does_not_come_back_says_so() {
    /// Fails in the first world only.
    struct Once(Two, AtomicU32);
    impl Program for Once {
        type World = Toy;
        fn world(&self) -> Toy {
            let fails = program([&[Expect(0, 1, FailureKind::Panic)]]);
            let passes = program([&[Expect(0, 0, FailureKind::Panic)]]);
            let first = self.1.fetch_add(1, Ordering::Relaxed) == 0;
            Toy::new(if first { &fails } else { &passes })
        }
        fn settings(&self) -> LazyMap {
            self.0.settings()
        }
    }
    let once = Once(Two::new(racy()), AtomicU32::new(0));
    let checked = check(&once, &Check::new(SearchKind::Dfs), silent()).unwrap();
    assert_eq!(checked.failures[0].first.replayed, Some(Replayed::Passed));
}

/// A program whose code is known.
struct Known(Two, &'static [(&'static str, &'static str)]);

impl Program for Known {
    type World = Toy;
    fn world(&self) -> Toy {
        self.0.world()
    }
    fn parts(&self) -> LazyMap {
        let parts = self.1.iter().map(|(part, sum)| ((*part).to_owned(), (*sum).to_owned()));
        parts.collect::<BTreeMap<_, _>>().into()
    }
    fn settings(&self) -> LazyMap {
        self.0.settings()
    }
}

fn three() -> Toys {
    let ops: &[_] = &[Add(0, 1), Read(0)];
    program([ops, ops, ops])
}

fn stopped(parts: &'static [(&'static str, &'static str)]) -> Box<Saved> {
    let mut early = Check::new(SearchKind::Dfs);
    early.budget.time = Some(std::time::Duration::ZERO);
    check(&Known(Two::new(three()), parts), &early, silent()).unwrap().left.expect("most of it is left")
}

#[test]
fn a_search_is_resumed_on_the_same_program_only() {
    let saved = stopped(&[("module a", "1"), ("module b", "2")]);
    let resume = |parts: &'static [(&'static str, &'static str)]| {
        let check_again = Check { resume: Some(saved.clone()), ..Check::new(SearchKind::Dfs) };
        check(&Known(Two::new(three()), parts), &check_again, silent())
    };
    assert!(resume(&[("module a", "1"), ("module b", "2")]).is_ok());
    let changes: [(&[(&str, &str)], &str); 3] = [
        (&[("module a", "1"), ("module b", "3")], "module b has changed"),
        (&[("module a", "1")], "module b is gone"),
        (&[("module a", "1"), ("module b", "2"), ("module c", "4")], "module c is new"),
    ];
    for (parts, what) in changes {
        let error = resume(parts).unwrap_err();
        assert!(error.contains("not the one whose search was stopped") && error.contains(what), "{error}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refused = |check_with: Check| check(&Two::new(racy()), &check_with, silent()).unwrap_err();
    let workers = Check { workers: 1_000_000_000_000, ..Check::default() };
    assert_eq!(refused(workers), "1,000,000,000,000 workers are too many; at most 1,024 are possible");
    for sampler in [Sampler::Pct(99_999_999), Sampler::Swarm(99_999_999)] {
        let error = refused(Check::new(SearchKind::Sampled(sampler)));
        assert_eq!(error, "99,999,999 change points of a sampler are too many; at most 10,000 are possible");
    }
}

/// Each byte of the file, changed in several ways, or missing.
#[test]
fn a_search_file_that_was_changed_is_refused() {
    let saved = stopped(&[("module a", "1")]);
    let file = saved.to_json();
    assert_eq!(Saved::parse(&file).as_ref(), Ok(&*saved));
    let is_refused = |bytes: Vec<u8>| match String::from_utf8(bytes) {
        Ok(text) => Saved::parse(&text).is_err(),
        Err(_) => true,
    };
    // The end of the last line may get lost.
    for at in 0..file.len() - 1 {
        for byte in [b'0', b'1', b'9', b'}', b'"', b' '] {
            let mut changed = file.clone().into_bytes();
            if std::mem::replace(&mut changed[at], byte) != byte {
                assert!(is_refused(changed), "byte {at} of {file}");
            }
        }
        assert!(is_refused(file.as_bytes()[..at].to_vec()), "cut at {at}");
    }
}
