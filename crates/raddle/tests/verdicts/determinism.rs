//! A program must repeat its behaviour when the same picks are made.

use crate::{columns, lines, notes, passes, snapshot};
use raddle::difference::Difference;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Failure, FailureKind, Replayed, thread};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
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
    let (was, now) = ("main lock Mutex#1".to_owned(), "main load AtomicUsize#2".to_owned());
    assert_eq!(failure.defect.difference(), Some(&Difference::Step { step: 2, was, now }));
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
        "not exhaustive: stopped since the program is not deterministic · plain memory not watched · reference counts not explored · sequentially consistent · timers \
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

/// The failure of a program that is not deterministic, by each kind of search.
fn differs<T: Ord + std::fmt::Debug + Clone + Send>(
    program: impl Fn() -> T + Send + Sync,
    begin_anew: impl Fn(),
) -> Vec<Failure> {
    let all = [Checker::dfs(), Checker::exhaustive(), Checker::random(1), Checker::iterative()];
    let failed = all.into_iter().map(|checker| {
        begin_anew();
        let report = checker.run(&program);
        let failure = report.failure().unwrap_or_else(|| panic!("{report}")).clone();
        assert_eq!(failure.kind(), FailureKind::NotDeterministic, "{report}");
        failure
    });
    failed.collect()
}

/// Its steps are the same each time.
#[test]
fn a_counter_that_outlives_an_execution_is_seen_by_its_value() {
    let runs = StdAtomicUsize::new(0);
    let program = || {
        let count = AtomicUsize::new(7);
        count.store(runs.fetch_add(1, Relaxed), SeqCst);
        count.load(SeqCst)
    };
    for failure in differs(program, || runs.store(0, Relaxed)) {
        assert_eq!(
            failure.message(),
            "the program is not deterministic: step 1 was `main store AtomicUsize#1 0`, now it is `main store \
             AtomicUsize#1 1`"
        );
    }
}

/// The first execution and its repetition are the same.
#[test]
fn values_are_compared_in_every_prefix() {
    let runs = StdAtomicUsize::new(0);
    let program = || {
        let count = Arc::new(AtomicUsize::new(0));
        let its = count.clone();
        let other = thread::spawn(move || its.fetch_add(5, SeqCst));
        count.fetch_add(runs.fetch_add(1, Relaxed) / 2, SeqCst);
        other.join().unwrap();
        raddle::choose(3)
    };
    for checker in [Checker::dfs(), Checker::exhaustive(), Checker::exhaustive().workers(2)] {
        runs.store(0, Relaxed);
        let report = checker.run(program);
        let failure = report.failure().unwrap_or_else(|| panic!("{report}"));
        assert_eq!(failure.kind(), FailureKind::NotDeterministic, "{report}");
        let Some(Difference::Step { was, now, .. }) = failure.defect.difference() else { panic!("{report}") };
        assert_ne!(was, now);
        for step in [was, now] {
            assert!(step.contains(" fetch_add AtomicUsize#1 "), "{step}");
        }
    }
}

#[test]
fn a_result_that_differs_is_seen_without_any_step() {
    let runs = StdAtomicUsize::new(0);
    for failure in differs(|| runs.fetch_add(1, Relaxed), || ()) {
        assert_eq!(failure.defect.difference(), Some(&Difference::Outcome));
    }
    let program = || assert!(runs.fetch_add(1, Relaxed) == 0, "another time");
    for failure in differs(program, || runs.store(0, Relaxed)) {
        assert_eq!(failure.defect.difference(), Some(&Difference::EndsEarlier { steps: 0 }));
        assert_eq!(notes(&failure)[1], "it ended in a panic: main panicked: another time");
    }
}

#[test]
fn a_program_that_goes_on_after_its_end() {
    let runs = StdAtomicUsize::new(0);
    let program = || {
        let lock = Mutex::new(0);
        if runs.fetch_add(1, Relaxed) > 0 {
            *lock.lock().unwrap() += 1;
        }
    };
    for failure in differs(program, || runs.store(0, Relaxed)) {
        assert_eq!(
            failure.message(),
            "the program is not deterministic: step 1 was `main end`, now it is `main lock Mutex#1`"
        );
    }
}

#[test]
fn real_time_is_not_under_control() {
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let program = || {
        let clock = AtomicUsize::new(0);
        clock.store(now().as_nanos() as usize, SeqCst);
    };
    for failure in differs(program, || ()) {
        assert!(failure.message().contains("step 1 was `main store AtomicUsize#1 "), "{}", failure.message());
    }
}

/// An allocation that is at another address each time.
#[test]
fn addresses_may_differ_and_what_is_computed_from_them_may_not() {
    let kept = std::sync::Mutex::new(Vec::new());
    let address = || {
        let new = vec![0_u8; 64];
        let address = new.as_ptr().addr();
        kept.lock().unwrap().push(new);
        address
    };
    passes(|| {
        let place = AtomicUsize::new(0);
        place.store(address() | 1, SeqCst);
        raddle::choose(2);
        assert_ne!(place.load(SeqCst), 0);
    });
    let program = || {
        let bucket = AtomicUsize::new(0);
        bucket.store(address() / 8 % (1 << 20), SeqCst);
        raddle::choose(2);
    };
    for failure in differs(program, || ()) {
        assert!(failure.message().contains("step 1 was `main store AtomicUsize#1 "), "{}", failure.message());
    }
}

#[test]
fn hash_keys_and_thread_ids_are_under_control() {
    let hashed = || {
        let map: HashMap<u32, u32> = (0..20).map(|n| (n, n)).collect();
        let first = AtomicUsize::new(0);
        first.store(*map.values().next().unwrap() as usize, SeqCst);
        raddle::choose(2);
        (first.load(SeqCst), RandomState::new().hash_one(1))
    };
    assert_eq!(passes(hashed).len(), 1);
    let named = || {
        let child = thread::spawn(|| format!("{:?}", thread::current().id()));
        raddle::choose(2);
        [format!("{:?}", thread::current().id()), child.join().unwrap()]
    };
    assert_eq!(passes(named).len(), 1);
}
