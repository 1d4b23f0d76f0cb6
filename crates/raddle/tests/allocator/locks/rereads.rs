//! A task that reads a lock for the second time waits for ever if a writer waits by then: found wherever the
//! writer may come in between, and nowhere else.

use super::passes;
use raddle::sync::mpsc::channel;
use raddle::sync::{Arc, RwLock};
use raddle::{Checker, FailureKind, thread};

/// A function that reads, and calls another that reads.
fn sum(lock: &RwLock<u32>) -> u32 {
    let all = lock.read().unwrap();
    *all + *lock.read().unwrap()
}

fn beside_a_writer() {
    let lock = Arc::new(RwLock::new(1));
    let its = lock.clone();
    let writer = thread::spawn(move || *its.write().unwrap() = 2);
    assert!(matches!(sum(&lock), 2 | 4));
    writer.join().unwrap();
}

#[test]
fn a_writer_may_come_in_between() {
    let searches = [
        Checker::dfs(),
        Checker::exhaustive(),
        Checker::random(100).seed(1),
        Checker::exhaustive().preemptions(1),
    ];
    for search in searches {
        let report = search.run(beside_a_writer);
        let failure = report.failure().expect("the deadlock is found");
        assert_eq!(failure.kind(), FailureKind::Deadlock);
        assert_eq!(
            failure.message(),
            "main reads RwLock#1 again while it reads it, and main.1 may already wait to write it: std's RwLock keeps \
             new readers out while a writer waits, and then they wait for each other for ever"
        );
        let notes: Vec<String> = failure.defect.facts.iter().map(raddle_report::fact).collect();
        assert_eq!(
            notes,
            ["main reads it since here", "main reads it again here", "main.1 wants to write it here"]
        );
        let again = Checker::replay(failure.ticket().to_string()).run(beside_a_writer);
        assert_eq!(again.failure().unwrap().message(), failure.message());
    }
}

/// The writer is a child that is spawned, or unblocked, after both reads: it cannot wait before.
#[test]
fn a_writer_that_comes_later() {
    passes(Checker::dfs(), || {
        let lock = Arc::new(RwLock::new(1));
        assert_eq!(sum(&lock), 2);
        let its = lock.clone();
        thread::spawn(move || *its.write().unwrap() = 2).join().unwrap();
    });
    for search in [Checker::dfs(), Checker::exhaustive(), Checker::random(200).seed(1)] {
        let report = search.run(|| {
            let (go, come) = channel();
            let lock = Arc::new(RwLock::new(1));
            let its = lock.clone();
            let writer = thread::spawn(move || {
                come.recv().unwrap();
                *its.write().unwrap() = 2;
            });
            assert_eq!(sum(&lock), 2);
            go.send(()).unwrap();
            writer.join().unwrap();
        });
        assert_eq!(report.failure().map(|f| f.message()), None);
    }
}

/// Earlier steps of the writer may come before or after the reads, and one order is explored: the writer may
/// wait all the same.
#[test]
fn what_the_writer_did_before_does_not_matter() {
    let report = Checker::exhaustive().run(|| {
        let lock = Arc::new(RwLock::new(1));
        let its = lock.clone();
        let writer = thread::spawn(move || {
            let (send, _receive) = channel();
            for n in 0..3 {
                send.send(n).unwrap();
            }
            *its.write().unwrap() = 2;
        });
        sum(&lock);
        writer.join().unwrap();
    });
    assert_eq!(report.failure().map(|f| f.kind()), Some(FailureKind::Deadlock));
}

#[test]
fn without_a_writer_that_waits() {
    passes(Checker::dfs(), || {
        let lock = Arc::new(RwLock::new(1));
        let its = lock.clone();
        let other = thread::spawn(move || {
            drop(its.try_write());
            sum(&its)
        });
        sum(&lock);
        other.join().unwrap();
    });
    // Two tasks read, in sequence and in parallel, but neither of them twice.
    passes(Checker::dfs(), || {
        let lock = Arc::new(RwLock::new(1));
        let (one, two) = (lock.clone(), lock.clone());
        let reader = thread::spawn(move || *one.read().unwrap());
        let writer = thread::spawn(move || *two.write().unwrap() = 2);
        drop(lock.read().unwrap());
        drop(lock.read().unwrap());
        reader.join().unwrap();
        writer.join().unwrap();
    });
    // A second read that does not wait.
    passes(Checker::dfs(), || {
        let lock = Arc::new(RwLock::new(1));
        let its = lock.clone();
        let writer = thread::spawn(move || *its.write().unwrap() = 2);
        let held = lock.read().unwrap();
        drop(lock.try_read());
        drop(held);
        writer.join().unwrap();
    });
}
