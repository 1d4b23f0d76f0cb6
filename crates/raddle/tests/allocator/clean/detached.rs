//! Detached tasks that are still alive when main returns are dropped with it, as at the exit of a process:
//! without destructors.

use super::outcomes;
use raddle::sync::atomic::AtomicUsize;
use raddle::sync::{Arc, Mutex, mpsc};
use raddle::{Checker, Detached, FailureKind, Time, thread};
use std::sync::atomic::{AtomicUsize as StdAtomicUsize, Ordering::*};

#[test]
fn they_are_dropped_without_destructors() {
    static DROPS: StdAtomicUsize = StdAtomicUsize::new(0);
    struct Counts;
    impl Drop for Counts {
        fn drop(&mut self) {
            DROPS.fetch_add(1, SeqCst);
        }
    }
    let seen = outcomes(Checker::dfs(), || {
        let (sender, receiver) = mpsc::channel::<()>();
        thread::spawn(move || {
            let _counts = Counts;
            let _ = receiver.recv();
        });
        // It waits for ever: a sender is still alive.
        std::mem::forget(sender);
    });
    assert_eq!(seen, [()]);
    assert_eq!(DROPS.load(SeqCst), 0);
}

#[test]
fn or_they_must_have_come_to_their_end() {
    let report = Checker::dfs().detached(Detached::MustFinish).run(|| {
        let lock = Arc::new(Mutex::new(()));
        let its = lock.clone();
        thread::spawn(move || drop(its.lock()));
        drop(lock.lock());
    });
    let failed = report.failure().unwrap();
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(failed.message(), "main has returned, but main.1 did not come to an end");
}

/// Main exits when no other task is enabled, so its exit is no choice: the steps of a detached task are
/// explored, and its progress at main's exit is not.
#[test]
fn main_ends_last() {
    let report = Checker::dfs().run(|| {
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let count = count.clone();
            thread::spawn(move || _ = count.fetch_add(1, SeqCst));
        }
        count.load(SeqCst)
    });
    // The load before, between or after the additions, which come in two orders: 3! ways, without the exit.
    let counts: Vec<_> = report.outcomes().iter().map(|(seen, times)| (*seen, *times)).collect();
    assert_eq!(counts, [(0, 2), (1, 2), (2, 2)]);
}

/// Main does not wait for a task that waits for a message, for a change in a spin loop, or for time to pass.
#[test]
fn those_who_wait_do_not_keep_main_from_ending() {
    let report = Checker::dfs().run(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let flag = AtomicUsize::new(0);
        thread::spawn(move || while receiver.recv().is_ok() {});
        thread::spawn(move || {
            while flag.load(SeqCst) == 0 {
                thread::yield_now();
            }
        });
        thread::spawn(|| {
            loop {
                thread::sleep(std::time::Duration::from_secs(1));
            }
        });
        std::mem::forget(sender);
    });
    assert!(report.failure().is_none(), "{report}");
    assert!(
        !raddle_report::coverage(report.coverage()).contains("after main returned"),
        "{:?}",
        report.coverage()
    );
}

#[test]
fn one_that_never_rests_is_cut_short_and_the_coverage_says_so() {
    let report = Checker::dfs().run(|| {
        let count = AtomicUsize::new(0);
        thread::spawn(move || {
            loop {
                count.fetch_add(1, SeqCst);
            }
        });
    });
    assert!(report.failure().is_none(), "{report}");
    assert_eq!(report.executions(), 1);
    let words = raddle_report::coverage(report.coverage());
    assert!(words.contains("detached tasks had 1,000 steps after main returned"), "{words}");
}

/// The task panics when it wakes up. Where timers fire only when no task is enabled, main has exited by then.
#[test]
fn timers_that_fire_at_any_point_fire_before_main_ends() {
    let program = || {
        thread::spawn(|| {
            thread::sleep(std::time::Duration::from_secs(1));
            panic!("awake");
        });
    };
    assert!(Checker::dfs().run(program).failure().is_none());
    let report = Checker::dfs().time(Time::Any).keep_going().run(program);
    assert_eq!(report.failure().map(|f| f.message()).as_deref(), Some("main.1 panicked: awake"));
    assert_eq!((report.executions(), report.failures()), (1, 1));
}
