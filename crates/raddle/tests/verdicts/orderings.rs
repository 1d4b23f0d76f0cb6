//! Failures that need weak memory, and what is said of the program's orderings; and failures that need none.

use crate::fails_under;
use raddle::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use raddle::{Checker, FailureKind, thread};
use std::sync::Arc;

#[test]
fn a_message_that_is_not_published() {
    fails_under(Checker::exhaustive(), "orderings_message", FailureKind::Panic, || {
        let shared = Arc::new((AtomicU64::new(0), AtomicBool::new(false)));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(1, Relaxed);
            theirs.1.store(true, Relaxed);
        });
        if shared.1.load(Relaxed) {
            assert_eq!(shared.0.load(Relaxed), 1, "the message is there");
        }
        other.join().unwrap();
    });
}

#[test]
fn two_tasks_that_do_not_see_each_other() {
    fails_under(Checker::exhaustive(), "orderings_store_buffering", FailureKind::Panic, || {
        let shared = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(true, Release);
            theirs.1.load(Acquire)
        });
        shared.1.store(true, Release);
        let seen = shared.0.load(Acquire);
        assert!(other.join().unwrap() || seen, "one of them sees the other");
    });
}

#[test]
fn an_update_that_is_lost_under_sequential_consistency_too() {
    fails_under(Checker::exhaustive(), "orderings_lost_update", FailureKind::Panic, || {
        let shared = Arc::new(AtomicU64::new(0));
        let theirs = shared.clone();
        let other = thread::spawn(move || theirs.store(theirs.load(Acquire) + 1, Release));
        shared.store(shared.load(Acquire) + 1, Release);
        other.join().unwrap();
        assert_eq!(shared.load(Acquire), 2);
    });
}
