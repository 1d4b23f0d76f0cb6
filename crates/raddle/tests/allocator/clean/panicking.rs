//! A panic belongs to its task: other tasks run during it, and neither observe it nor poison locks by it.

use super::outcomes;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex, RwLock};
use raddle::{Checker, thread};
use std::collections::BTreeSet;
use std::panic::catch_unwind;

/// Records in its destructor whether its task panics, and lets other tasks run before and after.
struct Looks(Arc<Mutex<Vec<bool>>>);
impl Drop for Looks {
    fn drop(&mut self) {
        thread::yield_now();
        let panicking = thread::panicking();
        self.0.lock().unwrap_or_else(|e| e.into_inner()).push(panicking);
        thread::yield_now();
        assert_eq!(thread::panicking(), panicking);
    }
}

#[test]
fn panicking_is_a_tasks_own() {
    let seen: BTreeSet<_> = outcomes(Checker::dfs(), || {
        let (bad, good) = (Arc::<Mutex<Vec<bool>>>::default(), Arc::<Mutex<Vec<bool>>>::default());
        let looks = Looks(bad.clone());
        let task = thread::spawn(move || {
            let _looks = looks;
            panic!("only this one");
        });
        drop(Looks(good.clone()));
        let before = thread::panicking();
        assert!(task.join().is_err());
        let seen = (bad.lock().unwrap().clone(), good.lock().unwrap().clone());
        (seen, before, thread::panicking())
    })
    .into_iter()
    .collect();
    assert_eq!(seen, BTreeSet::from([((vec![true], vec![false]), false, false)]));
}

#[test]
fn two_that_panic_at_once() {
    let seen = outcomes(Checker::dfs(), || {
        let looked = Arc::<Mutex<Vec<bool>>>::default();
        let tasks = [0, 1].map(|_| {
            let looks = Looks(looked.clone());
            thread::spawn(move || {
                let _looks = looks;
                panic!("both");
            })
        });
        let errors = tasks.map(|task| task.join().is_err());
        (errors, looked.lock().unwrap().clone(), thread::panicking())
    });
    assert_eq!(seen, [([true, true], vec![true, true], false)]);
}

#[test]
fn a_panic_that_is_caught_is_over() {
    let seen = outcomes(Checker::dfs(), || {
        let other = thread::spawn(|| {
            let caught = catch_unwind(|| {
                let _yields = Yields;
                panic!("for a while");
            });
            (caught.is_err(), thread::panicking())
        });
        let here = catch_unwind(|| {
            let _yields = Yields;
            panic!("here, too");
        });
        (other.join().unwrap(), here.is_err(), thread::panicking())
    });
    assert_eq!(seen, [((true, false), true, false)]);
}

struct Yields;
impl Drop for Yields {
    fn drop(&mut self) {
        thread::yield_now();
    }
}

/// The guard of a task that unwinds poisons; guards of other tasks that are dropped meanwhile do not.
#[test]
fn only_the_task_that_panics_poisons() {
    let seen = outcomes(Checker::dfs(), || {
        let locks = Arc::new((Mutex::new(0), Mutex::new(0), RwLock::new(0)));
        let its = locks.clone();
        let task = thread::spawn(move || {
            let _first = its.0.lock().unwrap();
            let _yields = Yields;
            panic!("poisons the first");
        });
        *locks.1.lock().unwrap() += 1;
        *locks.2.write().unwrap() += 1;
        assert!(task.join().is_err());
        (locks.0.is_poisoned(), locks.1.is_poisoned(), locks.2.is_poisoned())
    });
    assert_eq!(seen, [(true, false, false)]);
}

/// A lock that is acquired and released within a destructor during unwinding is not poisoned.
#[test]
fn a_lock_that_a_destructor_takes_and_gives_back() {
    struct Counts(Arc<Mutex<u32>>);
    impl Drop for Counts {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let seen = outcomes(Checker::dfs(), || {
        let count = Arc::new(Mutex::new(0));
        let tasks = [0, 1].map(|n| {
            let counts = Counts(count.clone());
            thread::spawn(move || {
                let _counts = counts;
                assert_eq!(n, 0, "unwinds");
            })
        });
        let errors = tasks.map(|task| task.join().is_err());
        (errors, *count.lock().unwrap(), count.is_poisoned())
    });
    assert_eq!(seen, [([false, true], 2, false)]);
}

/// A task that waits for a lock during its unwinding continues when it gets it.
#[test]
fn waiting_while_unwinding() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let seen = outcomes(Checker::dfs(), || {
        let lock = Arc::new(Mutex::new(0));
        let guard = lock.lock().unwrap();
        let locks = Locks(lock.clone());
        let task = thread::spawn(move || {
            let _locks = locks;
            panic!("has to wait");
        });
        let started = AtomicUsize::new(0);
        started.fetch_add(1, SeqCst);
        drop(guard);
        assert!(task.join().is_err());
        (*lock.lock().unwrap(), lock.is_poisoned())
    });
    assert_eq!(seen, [(1, false)]);
}
