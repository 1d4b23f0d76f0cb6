//! Several workers: no execution is lost or made twice, no worker waits for ever; and the events of a listener.

use crate::common::*;
use raddle_core::fact::TeardownError;
use raddle_core::operation::TaskId;
use raddle_core::record::ExecutionRecord;
use raddle_core::search::{Findings, Listener, NoListener, Plan, Progress, search};
use raddle_core::strategy::{Dfs, Random, Strategy};
use raddle_core::verdict::{Defect, Failure};
use raddle_core::world::{Describe, Ended, Explain, Finished, Pick, Point, World};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

/// 6! / (2! 2! 2!) = 90 interleavings.
fn ninety() -> Program {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    program([ops, ops, ops])
}

type Log = Mutex<Vec<String>>;

/// A world that says in a log what is asked of it at the end, and what goes wrong when it is put away.
struct Logged<'a>(Toy, &'a Log);

impl Logged<'_> {
    fn say(&self, what: impl Into<String>) {
        self.1.lock().unwrap().push(what.into());
    }
}

impl Describe for Logged<'_> {
    fn describe(&self, task: TaskId) -> String {
        self.0.describe(task)
    }
    fn describe_last_time(&self, index: usize) -> String {
        self.0.describe_last_time(index)
    }
}

impl World for Logged<'_> {
    type Outcome = Outcome;

    fn start(&mut self) {
        self.say("start");
        self.0.start();
    }
    fn point(&self) -> Point<'_> {
        self.0.point()
    }
    fn step(&mut self, pick: Pick) {
        self.0.step(pick);
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Outcome> {
        self.say(if stopped.is_some() { "stop" } else { "end" });
        self.0.end(stopped)
    }
    fn finish(&mut self) -> Finished {
        self.say("finish");
        Finished { errors: vec![TeardownError::Aborted { task: "main".to_owned() }], is_refuted: false }
    }
}

impl Explain for Logged<'_> {
    fn record(&self) -> ExecutionRecord {
        self.say("record");
        self.0.record()
    }
}

struct Hears(Arc<Log>);

impl Listener for Hears {
    fn failed(&self, failure: &Failure) {
        assert!(failure.afterwards.is_empty(), "nothing has been put away yet");
        self.0.lock().unwrap().push(format!("failed {}", failure.execution));
    }
}

/// Explores `program` depth first and returns the events.
fn said(plan: &Plan, program: &Program) -> (Findings<Outcome>, Vec<String>) {
    let log = Arc::new(Log::default());
    let make = || Logged(Toy::new(program), &log);
    let found = search(plan, Box::new(Dfs::new()), make, Arc::new(Hears(log.clone())));
    (found, std::mem::take(&mut log.lock().unwrap()))
}

#[test]
fn a_listener_hears_of_a_failure_before_anything_is_put_away() {
    // a b passes, b a fails.
    let (found, said) = said(&first(1), &program([&[assert_eq(0, 0)], &[Write(0, 1)]]));
    assert_eq!(said, ["start", "end", "finish", "start", "end", "record", "failed 2", "finish"]);
    assert_eq!(found.failure.unwrap().afterwards, [TeardownError::Aborted { task: "main".to_owned() }]);
}

#[test]
fn a_run_that_is_stopped_is_not_asked_how_it_ended() {
    let mut plan = first(1);
    plan.budget.steps = 3;
    let (_, said) = said(&plan, &program([&[Yield, Again]]));
    assert_eq!(said, ["start", "stop", "record", "failed 1", "finish"]);
}

#[test]
fn every_execution_is_put_away_once() {
    for workers in 1..=3 {
        let (found, said) = said(&all(workers), &ninety());
        let times = |what: &str| said.iter().filter(|s| *s == what).count() as u64;
        assert_eq!((found.executions, times("start"), times("end"), times("finish")), (90, 90, 90, 90));
        assert_eq!((times("record"), times("stop")), (0, 0));
    }
}

/// Depth-first search with one worker: numbers ascend, so only the first failure has the lowest so far.
#[test]
fn a_listener_hears_of_one_failure_when_the_search_stops_or_has_one_worker() {
    let bad = program([&[assert_eq(0, 0)], &[Write(0, 1)], &[Choose(4)]]);
    for plan in [first(1), all(1)] {
        let (_, said) = said(&plan, &bad);
        assert_eq!(said.iter().filter(|s| s.starts_with("failed")).count(), 1);
    }
}

/// Hears slowly, so that another worker fails in the meantime.
#[derive(Default)]
struct HearsSlowly(Mutex<Vec<u64>>);

impl Listener for HearsSlowly {
    fn failed(&self, failure: &Failure) {
        std::thread::sleep(Duration::from_millis(2));
        self.0.lock().unwrap().push(failure.execution);
    }
}

#[test]
fn a_listener_only_hears_of_failures_with_lower_numbers() {
    let bad = program([&[Sleep(1), assert_eq(0, 0)], &[Write(0, 1), Choose(4), Choose(4)]]);
    for plan in [all(4), limited(60, all(4)), first(4)] {
        for strategy in [Box::new(Dfs::new()) as Box<dyn Strategy>, Box::new(Random::new(1))] {
            let listener = Arc::new(HearsSlowly::default());
            let found = search(&limited(60, plan.clone()), strategy, || Toy::new(&bad), listener.clone());
            let heard = listener.0.lock().unwrap();
            assert!(heard.is_sorted_by(|a, b| a > b), "{heard:?}");
            assert_eq!(heard.last(), found.failure.map(|f| f.execution).as_ref());
        }
    }
}

struct Ticks(AtomicU64);

impl Listener for Ticks {
    fn tick(&self, progress: &Progress) {
        assert!(progress.executions <= 1_000);
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// 90 executions of 4 ms or more, on one worker: a tick for each 100 ms.
#[test]
fn a_listener_hears_of_progress() {
    let ops: &[Op] = &[Add(0, 1), Read(0)];
    let slow: &[Op] = &[Sleep(4), Read(0)];
    let ticks = Arc::new(Ticks(AtomicU64::new(0)));
    let program = program([slow, ops, ops]);
    let begin = std::time::Instant::now();
    let found = search(&all(1), Box::new(Dfs::new()), || Toy::new(&program), ticks.clone());
    assert_eq!(found.executions, 90);
    let most = begin.elapsed().as_millis() as u64 / 100;
    assert!((1..=most).contains(&ticks.0.load(Ordering::Relaxed)));
}

/// Each worker makes one world, on its own thread, of which the calling thread is one, and slow executions are shared out.
#[test]
fn workers_share_the_work() {
    let threads: Mutex<Vec<ThreadId>> = Mutex::default();
    let slow: &[Op] = &[Sleep(1), Read(0)];
    let program = program([slow, slow, slow]);
    let found = search(
        &all(3),
        Box::new(Dfs::new()),
        || {
            threads.lock().unwrap().push(std::thread::current().id());
            Toy::new(&program)
        },
        Arc::new(NoListener),
    );
    assert_eq!(found.executions, 90);
    let threads = threads.into_inner().unwrap();
    assert_eq!((threads.len(), threads.iter().collect::<std::collections::HashSet<_>>().len()), (3, 3));
    assert!(threads.contains(&std::thread::current().id()));
}

/// In the middle of a panic the calling thread is no worker: worlds must not take its panic for one of theirs.
#[test]
fn a_thread_that_panics_does_not_explore() {
    struct Searches(Arc<Mutex<Vec<ThreadId>>>);
    impl Drop for Searches {
        fn drop(&mut self) {
            let program = ninety();
            let make = || {
                self.0.lock().unwrap().push(std::thread::current().id());
                Toy::new(&program)
            };
            assert_eq!(search(&all(1), Box::new(Dfs::new()), make, Arc::new(NoListener)).executions, 90);
        }
    }
    let threads = Arc::new(Mutex::new(Vec::new()));
    let searches = Searches(threads.clone());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _searches = searches;
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    let threads = threads.lock().unwrap();
    assert!(threads.len() == 1 && !threads.contains(&std::thread::current().id()));
}

/// One watcher looks after all of them, also when it has slept in between.
#[test]
fn searches_side_by_side_all_hear_of_progress_and_stop_at_their_own_time() {
    let endless = program([&[Sleep(1), Choose(4)]]);
    for round in 0..2 {
        std::thread::sleep(Duration::from_millis(round * 300));
        std::thread::scope(|scope| {
            for n in 0..3 {
                let endless = &endless;
                scope.spawn(move || {
                    let mut plan = all(1);
                    plan.budget.time = Some(Duration::from_millis(150 + n));
                    let ticks = Arc::new(Ticks(AtomicU64::new(0)));
                    let make = || Toy::new(endless);
                    let found = search(&plan, Box::new(Random::new(n)), make, ticks.clone());
                    assert!(found.executions > 0);
                    assert!(ticks.0.load(Ordering::Relaxed) > 0);
                });
            }
        });
    }
}

#[test]
fn no_workers_means_one() {
    assert_eq!(run(&all(0), &ninety(), Dfs::new()).executions, 90);
}

/// Searches with a world that breaks somewhere, and returns the message with which the search panics.
fn broken(workers: usize, make: impl Fn() -> Toy + Sync + Send + 'static) -> String {
    let result =
        within(SOON, move || search(&all(workers), Box::new(Dfs::new()), make, Arc::new(NoListener)));
    result.map(|_| ()).expect_err("the panic must not be lost")
}

/// `Boom` is only reached after 50 ms, when the other workers have work or wait for it.
#[test]
fn a_panic_in_a_world_ends_the_search_with_that_panic() {
    for workers in [1, 2, 4] {
        let at_once = program([&[Boom]]);
        assert_eq!(broken(workers, move || Toy::new(&at_once)), "boom in the world");
        let late = program([&[Read(0), Sleep(50), Boom], &[Read(0), Read(0)], &[Read(0), Read(0)]]);
        assert_eq!(broken(workers, move || Toy::new(&late)), "boom in the world");
    }
}

#[test]
fn a_panic_while_a_world_is_made_ends_the_search_with_that_panic() {
    for workers in [1, 2, 4] {
        assert_eq!(broken(workers, || panic!("no world")), "no world");
    }
}

struct Panics;

impl Listener for Panics {
    fn tick(&self, _progress: &Progress) {
        panic!("cannot draw");
    }
    fn failed(&self, _failure: &Failure) {
        panic!("cannot write");
    }
}

#[test]
fn a_panic_in_a_listener_ends_the_search_with_that_panic() {
    let heard = |plan: Plan, ops: Program| {
        let make = move || Toy::new(&ops);
        within(SOON, move || search(&plan, Box::new(Random::new(1)), make, Arc::new(Panics))).map(|_| ())
    };
    for workers in [1, 2, 4] {
        // Sampling without end: it is the panic that must end it.
        assert_eq!(heard(all(workers), ninety()), Err("cannot draw".to_owned()));
        assert_eq!(heard(all(workers), program([&[assert_eq(0, 1)]])), Err("cannot write".to_owned()));
    }
}

/// Many short searches with more workers than work: every one of them comes to its end.
#[test]
fn short_searches_never_hang() {
    let outcomes = within(SOON, || {
        let ops = program([&[Read(0)], &[Write(0, 1)]]);
        let mut sizes = BTreeSet::new();
        for _ in 0..300 {
            sizes.insert(run(&all(4), &ops, Dfs::new()).executions);
            sizes.insert(run(&limited(2, all(4)), &ops, Random::new(1)).executions);
            sizes.insert(run(&limited(2, all(4)), &ops, Dfs::new()).executions);
        }
        sizes
    });
    assert_eq!(outcomes, Ok(BTreeSet::from([2])));
}
