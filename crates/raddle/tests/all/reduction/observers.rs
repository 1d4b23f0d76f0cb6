//! The order of unreceived messages is left open: how many executions that saves, and random programs whose
//! outcomes are the same, in no more executions.

use super::channels::{self, Program};
use super::oracle::{self, config, run};
use proptest::prelude::*;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::mpsc::{channel, sync_channel};
use raddle::{Checker, thread};
use raddle_core::clock::Time;
use raddle_core::strategy::{Bounded, Bounds, Dfs, OptimalDpor};
use raddle_native::{Observers, Settings};
use std::sync::Arc;

/// Executions without observers and with them; the outcomes are the same.
fn counts<T: Ord + std::fmt::Debug + Send>(program: impl Fn() -> T + Send + Sync) -> [u64; 2] {
    let [all, some] = [false, true].map(|observers| {
        let reports = [1, 2].map(|workers| {
            let checker = Checker::exhaustive().keep_going().workers(workers);
            let checker = if observers { checker.observers() } else { checker };
            let report = checker.run(&program);
            assert!(report.coverage().is_exhaustive(), "{:?}", report.coverage());
            report
        });
        assert_eq!(reports[0].executions(), reports[1].executions());
        reports.into_iter().next().unwrap()
    });
    assert!(all.outcomes().keys().eq(some.outcomes().keys()));
    assert_eq!(all.failures() > 0, some.failures() > 0);
    [all.executions(), some.executions()]
}

/// `answers` tasks send one message each, and `taken` of them are received.
fn first_of(answers: usize, taken: usize) -> Vec<usize> {
    let (sender, receiver) = channel();
    for answer in 0..answers {
        let sender = sender.clone();
        thread::spawn(move || sender.send(answer));
    }
    let first = (0..taken).map(|_| receiver.recv().unwrap()).collect();
    // The drop of the receiver would be observed by later sends.
    std::mem::forget(receiver);
    first
}

/// Without observers all orders of the sends are explored, with them only those of the messages that are received.
#[test]
fn the_first_answers_count() {
    assert_eq!(counts(|| first_of(4, 0)), [24, 1]);
    assert_eq!(counts(|| first_of(4, 1)), [24, 4]);
    assert_eq!(counts(|| first_of(4, 2)), [24, 12]);
    assert_eq!(counts(|| first_of(4, 4)), [24, 24]);
    assert_eq!(counts(|| first_of(6, 1)), [720, 6]);
}

/// The limit is the largest number of any execution, and is found during the search.
#[test]
fn some_executions_receive_more() {
    let program = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let raises = flag.clone();
        thread::spawn(move || raises.store(1, SeqCst));
        first_of(3, flag.load(SeqCst) * 2)
    };
    let [all, some] = counts(program);
    assert_eq!((all, some), (12, 12));
}

/// The destructor of a message observes when it is dropped.
#[test]
fn messages_that_act_when_they_are_dropped() {
    struct Tells(usize, Arc<AtomicUsize>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.1.store(self.0, SeqCst);
        }
    }
    let program = |quiet: bool| {
        move || {
            let last = Arc::new(AtomicUsize::new(0));
            let (sender, receiver) = channel();
            let tasks = [1, 2, 3].map(|n| {
                let (sender, last) = (sender.clone(), last.clone());
                thread::spawn(move || {
                    let message = Tells(n, last);
                    if quiet {
                        std::mem::forget(message);
                        sender.send(None).unwrap();
                    } else {
                        sender.send(Some(message)).unwrap();
                    }
                })
            });
            tasks.into_iter().for_each(|task| task.join().unwrap());
            drop(receiver);
            last.load(SeqCst)
        }
    };
    assert_eq!(counts(program(false)), [6, 6]);
    assert_eq!(counts(program(true)), [6, 1]);
}

/// Other tasks observe which message has a slot of a bounded channel.
#[test]
fn only_channels_without_bound() {
    let program = || {
        let (sender, receiver) = sync_channel(3);
        for answer in 0..3 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(answer));
        }
        let first = receiver.recv().unwrap();
        std::mem::forget(receiver);
        first
    };
    assert_eq!(counts(program), [6, 6]);
}

/// A search that is stopped resumes with its limits.
#[test]
fn a_failure_is_found_and_replayed() {
    let program = || assert_ne!(first_of(3, 1), [2]);
    let report = Checker::exhaustive().observers().run(program);
    let failure = report.failure().expect("the last one may be the first");
    let again = Checker::replay_ticket(failure.ticket.clone()).run(program);
    assert_eq!(again.failure().map(|f| f.kind()), Some(failure.kind()));
}

/// Compares with depth-first search, which has no observers.
fn check(program: &Program, settings: Settings) -> Result<(), TestCaseError> {
    const MOST: u64 = 3_000;
    let body = || channels::body(program);
    let all = run(&body, &settings, 1, MOST, Dfs::new());
    if all.executions == MOST {
        return Ok(());
    }
    let plain = run(&body, &settings, 1, MOST, OptimalDpor::new());
    let observers = Observers::default();
    let settings = Settings { observers: Some(observers.clone()), ..settings };
    let found = loop {
        let found = run(&body, &settings, 1, MOST, OptimalDpor::new());
        if !observers.learn() {
            break found;
        }
    };
    prop_assert!(found.outcomes.keys().eq(all.outcomes.keys()), "{:?}\n{program:?}", found.outcomes);
    prop_assert_eq!(found.failures > 0, all.failures > 0);
    prop_assert!(found.executions <= plain.executions, "{} > {}", found.executions, plain.executions);
    // Each class of the coarser relation once, and no execution receives more.
    oracle::check(program, &body, settings.clone())?;
    prop_assert!(!observers.are_refuted(), "{program:?}");
    let bounded = run(&body, &settings, 1, MOST, Bounded::new(Bounds::default()));
    prop_assert!(bounded.outcomes.keys().eq(all.outcomes.keys()), "{:?}\n{program:?}", bounded.outcomes);
    Ok(())
}

proptest! {
    #![proptest_config(config(150, 13))]

    #[test]
    fn nothing_is_lost(program in channels::programs(channels::WITHOUT, 1..4)) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn nor_where_timers_fire_at_any_point(program in channels::programs(channels::WITHOUT, 1..4)) {
        check(&program, Settings { time: Time::Any, ..Settings::default() })?;
    }
}
