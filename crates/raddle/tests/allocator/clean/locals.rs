//! Thread-locals belong to tasks: they are fresh in every task of every execution, and their destructors run
//! before a join of the task returns.

use super::{failure, outcomes};
use raddle::sync::atomic::AtomicUsize;
use raddle::sync::mpsc;
use raddle::{Checker, FailureKind, thread, thread_local};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize as StdAtomicUsize, Ordering::*};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(1) };
    static NAMES: RefCell<Vec<String>> = RefCell::new(vec!["first".to_owned()]);
}

fn use_them() -> (usize, usize) {
    NAMES.with_borrow_mut(|names| names.push("another".to_owned()));
    (COUNT.replace(COUNT.get() + 1), NAMES.with_borrow(Vec::len))
}

#[test]
fn they_begin_anew_in_every_task_of_every_execution() {
    for workers in [1, 3] {
        let seen = outcomes(Checker::random(500).workers(workers), || {
            let task = thread::spawn(|| [use_them(), use_them()]);
            let main = [use_them(), use_them()];
            (main, task.join().unwrap())
        });
        let clean = [(1, 2), (2, 3)];
        assert_eq!(seen, [(clean, clean)]);
    }
    // A thread outside has its own.
    assert_eq!(use_them(), (1, 2));
}

/// Counts its instances.
struct Counted(&'static StdAtomicUsize);
impl Counted {
    fn new(alive: &'static StdAtomicUsize) -> Counted {
        alive.fetch_add(1, SeqCst);
        Counted(alive)
    }
}
impl Drop for Counted {
    fn drop(&mut self) {
        thread::yield_now();
        self.0.fetch_sub(1, SeqCst);
    }
}

/// Regression: the next execution started with the static as this destructor had left it.
#[test]
fn destructors_that_run_when_an_execution_is_put_away_leave_statics_clean() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    struct Alive;
    impl Drop for Alive {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, SeqCst);
        }
    }
    thread_local! {
        static MINE: Alive = {
            ALIVE.fetch_add(1, SeqCst);
            Alive
        };
    }
    let seen = outcomes(Checker::random(100), || {
        let before = ALIVE.load(SeqCst);
        thread::spawn(|| {
            MINE.with(|_| ());
            thread::park();
        });
        before
    });
    assert_eq!(seen, [0]);
}

#[test]
fn they_are_destroyed_before_a_join_returns() {
    static ALIVE: StdAtomicUsize = StdAtomicUsize::new(0);
    thread_local! {
        static COUNTED: Counted = Counted::new(&ALIVE);
    }
    let seen = outcomes(Checker::dfs(), || {
        let other = thread::spawn(thread::yield_now);
        let task = thread::spawn(|| COUNTED.with(|c| c.0.load(SeqCst)));
        let during = task.join().unwrap();
        let after = ALIVE.load(SeqCst);
        other.join().unwrap();
        (during, after)
    });
    assert_eq!(seen, [(1, 0)]);
}

#[test]
fn they_are_destroyed_with_tasks_that_are_torn_down() {
    static ALIVE: StdAtomicUsize = StdAtomicUsize::new(0);
    thread_local! {
        static COUNTED: Counted = Counted::new(&ALIVE);
    }
    let failed = failure(|| {
        COUNTED.with(|_| ());
        let (_sender, receiver) = mpsc::channel::<()>();
        let task = thread::spawn(move || {
            COUNTED.with(|_| ());
            receiver.recv()
        });
        let _ = task.join();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert!(failed.afterwards.is_empty());
    assert_eq!(ALIVE.load(SeqCst), 0);
}
