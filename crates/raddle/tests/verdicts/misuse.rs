//! Anything that would make executions depend on each other, or explorations on explorations, is an error
//! that says so.

use crate::{columns, notes, snapshot};
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Condvar, Mutex, OnceLock, RwLock, mpsc};
use raddle::{Checker, Failure, FailureKind, thread};

/// The failure of a program that uses an object that it did not create. A search of two executions finds it.
#[track_caller]
fn misused(kind: &str, program: impl Fn() + Send + Sync) -> Failure {
    let report = Checker::random(2).run(program);
    let failure = report.failure().unwrap_or_else(|| panic!("{kind} goes unnoticed")).clone();
    assert_eq!(failure.kind(), FailureKind::Misuse, "{report}");
    let message = failure.message();
    let what = message.split(" that ").next().unwrap();
    assert_eq!(what, kind);
    assert!(failure.message().contains("each execution must start clean"), "{report}");
    let used = failure.defect.facts.last().unwrap();
    assert_eq!(raddle_report::fact(used), "it is used here");
    let place = used.place.as_ref().unwrap();
    assert_eq!(place.file, file!());
    failure
}

#[test]
fn locks_that_the_closure_brought_along() {
    let accounts = Arc::new(Mutex::new([10, 20]));
    let program = || accounts.lock().unwrap()[0] += 1;
    let report = Checker::dfs().run(|| {
        program();
        raddle::choose(2)
    });
    snapshot("misuse_captured_mutex", &columns(&report));
    let failure = misused("a Mutex", program);
    assert!(failure.message().contains("belongs to another execution"), "{}", failure.message());
    let lock = RwLock::new(());
    misused("a RwLock", || drop(lock.read()));
    let condvar = Condvar::new();
    misused("a Condvar", || condvar.notify_all());
    let once = OnceLock::new();
    misused("an OnceLock", || assert!(once.set(1).is_ok()));
}

#[test]
fn a_lock_that_was_used_outside() {
    let lock = Mutex::new(0);
    *lock.lock().unwrap() += 1;
    let report = Checker::random(1).run(|| *lock.lock().unwrap());
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Misuse);
    assert!(failure.message().starts_with("a Mutex that was used outside of this execution"));
}

#[test]
fn a_channel_that_the_closure_brought_along() {
    let (sender, receiver) = mpsc::channel();
    let failure = misused("a channel", || sender.send(1).unwrap());
    drop(receiver);
    assert_eq!(notes(&failure), ["the channel was made here", "it is used here"]);
}

#[test]
fn atomics_that_the_closure_brought_along() {
    // On the heap.
    let count = Arc::new(AtomicUsize::new(0));
    let program = || {
        count.fetch_add(1, SeqCst);
    };
    let report = Checker::dfs().run(|| {
        program();
        raddle::choose(2)
    });
    snapshot("misuse_captured_atomic", &columns(&report));
    misused("an AtomicUsize", program);
    // On the stack of the test.
    let flag = AtomicBool::new(false);
    misused("an AtomicBool", || flag.store(true, SeqCst));
    // Inside a vector.
    let many: Vec<AtomicUsize> = (0..10).map(AtomicUsize::new).collect();
    misused("an AtomicUsize", || assert_eq!(many[7].load(SeqCst), 7));
}

#[test]
fn a_cell_that_the_closure_brought_along() {
    struct Shared(UnsafeCell<u32>);
    // SAFETY: there is only one task.
    unsafe impl Sync for Shared {}
    let shared = Shared(UnsafeCell::new(1));
    misused("an UnsafeCell", || {
        let shared = &shared;
        // SAFETY: as above.
        assert_eq!(shared.0.with(|value| unsafe { *value }), 1);
    });
}

#[test]
fn atomics_of_the_execution_itself() {
    // Freed memory is reused, which is correct, wherever it is freed.
    let report = Checker::dfs().run(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let its = count.clone();
        let other = thread::spawn(move || {
            let own = AtomicUsize::new(1);
            its.fetch_add(own.load(SeqCst), SeqCst);
            Box::new(AtomicUsize::new(its.load(SeqCst)))
        });
        count.fetch_add(1, SeqCst);
        other.join().unwrap().load(SeqCst)
    });
    assert!(report.failure().is_none(), "{report}");
    // The other task takes three steps, and main's can come before, between or after them.
    assert_eq!(report.executions(), 4);
    // Leaked memory is never reused.
    let report = Checker::random(1_000).run(|| {
        let lost = Box::leak(Box::new(AtomicUsize::new(0)));
        lost.fetch_add(1, SeqCst)
    });
    assert!(report.failure().is_none(), "{report}");
}

/// An outcome that owns an atomic, which is freed between executions.
#[derive(Debug)]
struct Outcome(Box<AtomicUsize>);

impl Outcome {
    fn value(&self) -> usize {
        self.0.load(Relaxed)
    }
}
impl PartialEq for Outcome {
    fn eq(&self, other: &Outcome) -> bool {
        self.value() == other.value()
    }
}
impl Eq for Outcome {}
impl PartialOrd for Outcome {
    fn partial_cmp(&self, other: &Outcome) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Outcome {
    fn cmp(&self, other: &Outcome) -> std::cmp::Ordering {
        self.value().cmp(&other.value())
    }
}

#[test]
fn atomics_that_outlive_their_execution_as_its_outcome() {
    let report = Checker::random(1_000).run(|| {
        let outcome = Outcome(Box::new(AtomicUsize::new(0)));
        outcome.0.fetch_add(1, SeqCst);
        outcome
    });
    assert!(report.failure().is_none(), "{report}");
    assert_eq!(report.outcomes().len(), 1);
}

#[test]
fn detached_tasks_leave_their_atomics_behind() {
    let report = Checker::random(1_000).run(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let its = flag.clone();
        thread::spawn(move || {
            its.store(true, SeqCst);
            let own = AtomicBool::new(true);
            own.load(SeqCst);
            thread::yield_now();
            its.load(SeqCst)
        });
        flag.load(SeqCst)
    });
    assert!(report.failure().is_none(), "{report}");
}

#[test]
fn a_check_inside_of_a_check() {
    let report = Checker::dfs().run(|| raddle::check(|| ()));
    let failure = report.failure().unwrap();
    let message = "main panicked: raddle: a check inside of a check; explore one program at a time";
    assert_eq!((failure.kind(), failure.message().as_str()), (FailureKind::Panic, message));
    assert_eq!(failure.defect.facts[0].place.as_ref().unwrap().file, file!());
    snapshot("misuse_check_inside_of_a_check", &columns(&report));
}
