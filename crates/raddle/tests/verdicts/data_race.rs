//! Two accesses to one cell, not both reads, without happens-before.

use crate::{fails, lines, notes, passes, snapshot};
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, thread};

/// A value that is published by a flag.
#[derive(Default)]
struct Published {
    value: UnsafeCell<u64>,
    ready: AtomicUsize,
}

// SAFETY: if the orderings of the tests are right.
unsafe impl Sync for Published {}

impl Published {
    fn publish(&self, value: u64, ordering: Ordering) {
        // SAFETY: it is not read before it is ready.
        self.value.with_mut(|place| unsafe { *place = value });
        self.ready.store(1, ordering);
    }
    fn look(&self, ordering: Ordering) -> Option<u64> {
        // SAFETY: it is ready, so it is not written any more.
        (self.ready.load(ordering) == 1).then(|| self.value.with(|place| unsafe { *place }))
    }
}

fn message(store: Ordering, load: Ordering) -> Option<u64> {
    let shared = Arc::new(Published::default());
    let its = shared.clone();
    let publisher = thread::spawn(move || its.publish(7, store));
    let seen = shared.look(load);
    publisher.join().unwrap();
    seen
}

#[test]
fn a_relaxed_flag_synchronises_nothing() {
    let relaxed = || message(Relaxed, Relaxed);
    let failure = fails("data_race_relaxed_flag", FailureKind::DataRace, relaxed);
    let message_ = "main.1 and main touch main.1/UnsafeCell#1, and nothing in the program orders them";
    assert_eq!(failure.message(), message_);
    assert_eq!(
        notes(&failure),
        ["main.1 writes main.1/UnsafeCell#1 here", "main reads main.1/UnsafeCell#1 here"]
    );
    snapshot("data_race_relaxed_flag_lines", &lines(&Checker::dfs().run(relaxed)));
    // One side is not enough.
    for (store, load) in [(Release, Relaxed), (Relaxed, Acquire)] {
        let report = Checker::dfs().run(|| message(store, load));
        assert_eq!(report.failure().unwrap().kind(), FailureKind::DataRace);
    }
}

#[test]
fn release_and_acquire_synchronise() {
    assert_eq!(passes(|| message(Release, Acquire)).into_iter().collect::<Vec<_>>(), [None, Some(7)]);
    assert_eq!(passes(|| message(SeqCst, SeqCst)).into_iter().collect::<Vec<_>>(), [None, Some(7)]);
}

/// A counter that may or may not be locked.
#[derive(Default)]
struct Counter {
    lock: Mutex<()>,
    count: UnsafeCell<u64>,
}

// SAFETY: if the tests hold the lock.
unsafe impl Sync for Counter {}

impl Counter {
    fn add(&self) {
        // SAFETY: the caller holds the lock, or the test detects the race.
        self.count.with_mut(|count| unsafe { *count += 1 });
    }
    fn get(&self) -> u64 {
        // SAFETY: as above.
        self.count.with(|count| unsafe { *count })
    }
}

#[test]
fn two_writes() {
    let failure = fails("data_race_two_writes", FailureKind::DataRace, || {
        let counter = Arc::new(Counter::default());
        let its = counter.clone();
        let other = thread::spawn(move || its.add());
        counter.add();
        other.join().unwrap();
    });
    assert!(notes(&failure).iter().all(|fact| fact.contains("writes UnsafeCell#1 here")), "{failure:?}");
}

#[test]
fn a_read_and_a_write_of_which_one_is_locked() {
    fails("data_race_half_locked", FailureKind::DataRace, || {
        let counter = Arc::new(Counter::default());
        let its = counter.clone();
        let other = thread::spawn(move || {
            let _guard = its.lock.lock().unwrap();
            its.add();
        });
        let count = counter.get();
        other.join().unwrap();
        count
    });
}

#[test]
fn locked_accesses_do_not_race() {
    let outcomes = passes(|| {
        let counter = Arc::new(Counter::default());
        let its = counter.clone();
        let other = thread::spawn(move || {
            let _guard = its.lock.lock().unwrap();
            its.add();
        });
        let guard = counter.lock.lock().unwrap();
        counter.add();
        let count = counter.get();
        drop(guard);
        other.join().unwrap();
        (count, counter.get())
    });
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [(1, 2), (2, 2)]);
}

#[test]
fn two_reads_do_not_race() {
    passes(|| {
        let counter = Arc::new(Counter::default());
        let its = counter.clone();
        let other = thread::spawn(move || its.get());
        (counter.get(), other.join().unwrap())
    });
}
