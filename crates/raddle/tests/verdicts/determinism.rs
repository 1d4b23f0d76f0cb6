//! A program must repeat its behaviour when the same picks are made.

use crate::{columns, lines, notes, passes, snapshot};
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, Replayed, thread};
use std::collections::HashMap;
use std::sync::atomic::AtomicUsize as StdAtomicUsize;

/// A cache that outlives executions decides what a reader does.
fn cached(requests: &StdAtomicUsize) {
    let (slow, fast) = (Arc::new(Mutex::new(1)), Arc::new(AtomicUsize::new(1)));
    let ready = Arc::new(AtomicUsize::new(0));
    let its = ready.clone();
    let other = thread::spawn(move || its.store(1, SeqCst));
    ready.load(SeqCst);
    if requests.fetch_add(1, Relaxed) == 0 {
        drop(slow.lock());
    } else {
        fast.load(SeqCst);
    }
    other.join().unwrap();
}

#[test]
fn state_that_outlives_an_execution() {
    let requests = StdAtomicUsize::new(0);
    let report = Checker::dfs().run(|| cached(&requests));
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    assert_eq!(
        failure.message(),
        "the program is not deterministic: step 2 was `main lock Mutex#1`, now it is `main load AtomicUsize#2`"
    );
    assert!(notes(failure)[0].contains("state that outlives an execution"));
    snapshot("not_deterministic", &columns(&report));
    requests.store(0, Relaxed);
    snapshot("not_deterministic_lines", &lines(&Checker::dfs().run(|| cached(&requests))));
}

#[test]
fn keep_going_does_not_go_on_after_that() {
    let requests = StdAtomicUsize::new(0);
    let report = Checker::dfs().keep_going().run(|| cached(&requests));
    assert_eq!(report.failure().unwrap().kind(), FailureKind::NotDeterministic);
    assert_eq!(
        raddle_report::coverage(report.coverage()),
        "not exhaustive: stopped since the program is not deterministic · reference counts not explored · sequentially consistent · timers \
         when idle"
    );
}

#[test]
fn a_program_that_ends_earlier_than_before() {
    let runs = StdAtomicUsize::new(0);
    let report = Checker::dfs().run(|| {
        let n = if runs.fetch_add(1, Relaxed) == 0 { 2 } else { 0 };
        (0..n).map(|_| raddle::choose(2)).sum::<usize>()
    });
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    let message = "the program is not deterministic: step 1 was `main choose`, now it is `main end`";
    assert_eq!(failure.message(), message);
}

#[test]
fn a_choice_with_fewer_options_than_before() {
    let runs = StdAtomicUsize::new(0);
    let report = Checker::dfs().run(|| {
        let n = if runs.fetch_add(1, Relaxed) == 0 { 3 } else { 1 };
        raddle::choose(n)
    });
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::NotDeterministic, "{report}");
}

/// Its first run fails, and no other.
#[test]
fn a_failure_that_its_ticket_does_not_bring_back() {
    let runs = StdAtomicUsize::new(0);
    let report = Checker::dfs().run(|| {
        thread::yield_now();
        assert!(runs.fetch_add(1, Relaxed) > 0, "cold start");
    });
    let failure = report.failure().unwrap();
    assert_eq!(
        (failure.kind(), failure.message().as_str()),
        (FailureKind::Panic, "main panicked: cold start")
    );
    assert_eq!(failure.replayed, Some(Replayed::Passed));
    let text = report.to_text(200);
    assert!(text.contains("replaying this ticket once gave another result (no failure)"), "{text}");
}

#[test]
fn what_differs_but_decides_nothing_is_no_harm() {
    passes(|| {
        // Its order differs from one map to the next.
        let accounts: HashMap<&str, i32> = [("alice", 1), ("bob", 2)].into();
        let other = thread::spawn(thread::yield_now);
        let total: i32 = accounts.values().sum();
        other.join().unwrap();
        total
    });
}
