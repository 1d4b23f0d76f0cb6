//! Detached tasks that are still alive when main returns end with it, as at the exit of a process: without
//! destructors.

use crate::outcomes;
use raddle::sync::{Arc, Mutex, mpsc};
use raddle::{Checker, Detached, FailureKind, thread};
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
        // It waits for ever: somebody might still send.
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
