use super::{executions, failure, failure_of, notes, outcomes, outcomes_of, passes};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Checker, FailureKind, thread};

type Flag = Arc<(Mutex<bool>, Condvar)>;

fn flag() -> Flag {
    Arc::default()
}

#[test]
fn a_flag_is_waited_for() {
    // The other: lock, unlock, notify_one. Main: lock, and if the flag is not set, wait and wake; unlock.
    // - The other locks first. Main comes after its unlock; then main's lock and unlock and the other's
    //   notify_one come in any order: 3.
    // - Main locks first and waits; the other's lock, unlock, notify_one follow, and then main's wake and
    //   unlock: 1.
    let count = executions(|| {
        let flag = flag();
        let its = flag.clone();
        let task = thread::spawn(move || {
            *its.0.lock().unwrap() = true;
            its.1.notify_one();
        });
        let mut set = flag.0.lock().unwrap();
        while !*set {
            set = flag.1.wait(set).unwrap();
        }
        drop(set);
        task.join().unwrap();
    });
    assert_eq!(count, 4);
}

#[test]
fn a_wake_up_is_lost() {
    // The waiter cannot observe a notification before its wait.
    let failed = failure(|| {
        let flag = flag();
        let its = flag.clone();
        let task = thread::spawn(move || drop(its.1.wait(its.0.lock().unwrap()).unwrap()));
        flag.1.notify_one();
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    let expected = [
        "main waits to join main.1",
        "main.1 waits to be notified by Condvar#1",
        "main notified Condvar#1 too early, here: no task waited yet, and a notification is not kept",
    ];
    assert_eq!(notes(&failed), expected);
}

#[test]
fn a_flag_that_is_set_without_the_lock_loses_a_wake_up() {
    use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    let failed = failure(|| {
        let shared = Arc::new((AtomicUsize::new(0), Mutex::new(()), Condvar::new()));
        let its = shared.clone();
        let task = thread::spawn(move || {
            let mut guard = its.1.lock().unwrap();
            while its.0.load(SeqCst) == 0 {
                guard = its.2.wait(guard).unwrap();
            }
        });
        // Between the load and the wait.
        shared.0.store(1, SeqCst);
        shared.2.notify_one();
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    let verbs: Vec<&str> = failed.trace().lines.iter().map(|l| l.operation.as_str()).collect();
    let at = |operation| verbs.iter().position(|v| *v == operation).unwrap();
    assert!(at("load") < at("store") && at("notify_one") < at("wait"), "{verbs:?}");
}

#[test]
fn notify_one_may_wake_either_of_two() {
    let results = outcomes(|| {
        let state = Arc::new((Mutex::new((0, Vec::new())), Condvar::new(), Condvar::new()));
        let waiters = [1, 2].map(|n| {
            let state = state.clone();
            thread::spawn(move || {
                let mut guard = state.0.lock().unwrap();
                guard.0 += 1;
                state.2.notify_one();
                guard = state.1.wait(guard).unwrap();
                guard.1.push(n);
                state.2.notify_one();
            })
        });
        let (lock, wake, changed) = &*state;
        let guard = changed.wait_while(lock.lock().unwrap(), |s| s.0 < 2).unwrap();
        wake.notify_one();
        let guard = changed.wait_while(guard, |s| s.1.is_empty()).unwrap();
        // The other one, the only waiter.
        wake.notify_one();
        drop(guard);
        super::join(waiters);
        lock.lock().unwrap().1.clone()
    });
    assert_eq!(results, [vec![1, 2], vec![2, 1]].into());
}

#[test]
fn which_waiter_is_woken_is_a_choice_of_one_step() {
    let report = Checker::dfs().preemptions(0).run(|| {
        let state = Arc::new((Mutex::new(()), Condvar::new()));
        let waiters = [1, 2].map(|_| {
            let state = state.clone();
            thread::spawn(move || {
                drop(state.1.wait(state.0.lock().unwrap()).unwrap());
                state.1.notify_one();
            })
        });
        // Both wait when no task is enabled: time passes.
        let pause = Condvar::new();
        let unused = Mutex::new(());
        drop(pause.wait_timeout(unused.lock().unwrap(), std::time::Duration::from_secs(1)).unwrap());
        state.1.notify_one();
        super::join(waiters);
    });
    assert!(report.failure().is_none());
    // There are no preemptions. The order in which the three start to wait: 6 ways. Then main times out, and
    // it notifies one of two: 2 ways. That one notifies the other.
    assert_eq!(report.executions(), 6 * 2);
}

#[test]
fn notify_all_wakes_all_who_wait_and_nobody_else() {
    let results = outcomes(|| {
        let state = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters = [0, 1].map(|_| {
            let state = state.clone();
            thread::spawn(move || {
                let guard = state.0.lock().unwrap();
                drop(state.1.wait_while(guard, |n| *n == 0).unwrap());
            })
        });
        *state.0.lock().unwrap() = 1;
        state.1.notify_all();
        super::join(waiters);
    });
    assert_eq!(results, [()].into());
}

#[test]
fn notify_one_is_not_enough_for_two() {
    let failed = failure(|| {
        let state = Arc::new((Mutex::new(0), Condvar::new()));
        let waiters = [0, 1].map(|_| {
            let state = state.clone();
            thread::spawn(move || {
                let guard = state.0.lock().unwrap();
                drop(state.1.wait_while(guard, |n| *n == 0).unwrap());
            })
        });
        *state.0.lock().unwrap() = 1;
        state.1.notify_one();
        super::join(waiters);
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
}

/// One waits for an item with `wait`; a thief may take it after the waiter was notified; then another item
/// comes.
fn stolen(wait: fn(&Condvar, raddle::sync::MutexGuard<'_, Vec<u32>>)) {
    let state = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let (waiter, thief) = (state.clone(), state.clone());
    let waiter = thread::spawn(move || wait(&waiter.1, waiter.0.lock().unwrap()));
    let thief = thread::spawn(move || thief.0.lock().unwrap().pop());
    for item in 0..2 {
        state.0.lock().unwrap().push(item);
        state.1.notify_one();
    }
    thief.join().unwrap();
    waiter.join().unwrap();
}

#[test]
fn a_wake_up_that_looks_spurious_is_handled_by_wait_while() {
    passes(Checker::dfs(), || {
        stolen(|condvar, guard| {
            let mut items = condvar.wait_while(guard, |items| items.is_empty()).unwrap();
            items.pop().expect("an item");
        })
    });
}

#[test]
fn a_wake_up_that_looks_spurious_breaks_an_if() {
    let failed = failure(|| {
        stolen(|condvar, mut items| {
            if items.is_empty() {
                items = condvar.wait(items).unwrap();
            }
            items.pop().expect("an item");
        })
    });
    assert_eq!(failed.kind(), FailureKind::Panic);
    assert!(failed.message().contains("an item"));
}

/// Waits for a flag that is surely set and notified.
fn waits(with: fn(&Condvar, raddle::sync::MutexGuard<'_, bool>)) {
    let flag = flag();
    let its = flag.clone();
    let task = thread::spawn(move || {
        *its.0.lock().unwrap() = true;
        its.1.notify_one();
    });
    with(&flag.1, flag.0.lock().unwrap());
    task.join().unwrap();
}

fn with_if(condvar: &Condvar, mut set: raddle::sync::MutexGuard<'_, bool>) {
    if !*set {
        set = condvar.wait(set).unwrap();
    }
    assert!(*set, "woken for nothing");
}

#[test]
fn spurious_wake_ups_break_an_if() {
    passes(Checker::dfs(), || waits(with_if));
    let failed = failure_of(Checker::dfs().spurious(1), || waits(with_if));
    assert_eq!(failed.kind(), FailureKind::Panic);
    assert_eq!(failed.message(), "main panicked: woken for nothing");
    let wake = failed.trace().lines.iter().find(|l| l.operation == "wake").unwrap();
    assert_eq!(wake.result, "for no reason");
}

#[test]
fn spurious_wake_ups_do_not_break_a_while() {
    for spurious in 1..3 {
        passes(Checker::dfs().spurious(spurious), || {
            waits(|condvar, guard| assert!(*condvar.wait_while(guard, |set| !*set).unwrap()))
        });
    }
}

#[test]
fn nobody_may_count_on_a_spurious_wake_up() {
    let program = || {
        let (lock, condvar) = (Mutex::new(()), Condvar::new());
        drop(condvar.wait(lock.lock().unwrap()).unwrap());
    };
    let failed = failure_of(Checker::dfs().spurious(5), program);
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits to be notified by Condvar#1"]);
}

#[test]
fn spurious_wake_ups_are_counted_for_all_together() {
    // Each of two waiters has at most one spurious wake-up, and only one of them has it.
    let results = outcomes_of(Checker::dfs().spurious(1), || {
        let state = Arc::new((Mutex::new(false), Condvar::new()));
        let waiters = [0, 1].map(|_| {
            let state = state.clone();
            thread::spawn(move || {
                let mut spurious = 0;
                let mut set = state.0.lock().unwrap();
                while !*set {
                    set = state.1.wait(set).unwrap();
                    spurious += !*set as u32;
                }
                spurious
            })
        });
        *state.0.lock().unwrap() = true;
        state.1.notify_all();
        let [a, b] = waiters.map(|t| t.join().unwrap());
        (a, b)
    });
    assert_eq!(results, [(0, 0), (0, 1), (1, 0)].into());
}

#[test]
fn waiting_gives_the_mutex_back_and_takes_it_again() {
    let results = outcomes(|| {
        let flag = flag();
        let its = flag.clone();
        let task = thread::spawn(move || {
            let mut set = its.0.lock().unwrap();
            *set = true;
            its.1.notify_one();
            // Still held: the waiter cannot continue yet.
            *set = false;
            *set = true;
        });
        let mut set = flag.0.lock().unwrap();
        let mut waited = false;
        while !*set {
            assert!(!waited, "woken while the other still held the mutex");
            set = flag.1.wait(set).unwrap();
            waited = true;
        }
        assert!(flag.0.try_lock().is_err(), "not taken again");
        drop(set);
        task.join().unwrap();
        waited
    });
    assert_eq!(results, [false, true].into());
}

#[test]
fn a_woken_task_waits_for_whoever_holds_the_mutex() {
    let failed = failure(|| {
        let flag = flag();
        let its = flag.clone();
        let task = thread::spawn(move || {
            let set = its.0.lock().unwrap();
            drop(its.1.wait_while(set, |set| !*set).unwrap());
        });
        let mut set = flag.0.lock().unwrap();
        *set = true;
        flag.1.notify_one();
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    // In the first schedule main runs first, and the other task does not reach its wait.
    let expected = [
        "main waits to join main.1",
        "main.1 waits to lock Mutex#1, held by main",
        "a circle: main → main.1 → main, each waits for the next one",
    ];
    assert_eq!(notes(&failed), expected);

    let failed = failure(|| {
        let flag = flag();
        let its = flag.clone();
        let task = thread::spawn(move || {
            let set = its.0.lock().unwrap();
            drop(its.1.wait(set).unwrap());
        });
        let until_it_waits = Condvar::new();
        let other = Mutex::new(());
        drop(until_it_waits.wait_timeout(other.lock().unwrap(), std::time::Duration::from_secs(1)).unwrap());
        let _set = flag.0.lock().unwrap();
        flag.1.notify_one();
        task.join().unwrap();
    });
    let expected = [
        "main waits to join main.1",
        "main.1 was woken by main.1/Condvar#1 and needs main.1/Mutex#1, held by main",
        "a circle: main → main.1 → main, each waits for the next one",
    ];
    assert_eq!(notes(&failed), expected);
}

#[test]
fn a_mutex_that_was_poisoned_meanwhile() {
    passes(Checker::dfs(), || {
        let flag = flag();
        let its = flag.clone();
        let task = thread::spawn(move || {
            let mut set = its.0.lock().unwrap();
            *set = true;
            its.1.notify_one();
            panic!("with the guard");
        });
        let set = match flag.0.lock() {
            Ok(set) if !*set => {
                let poisoned = flag.1.wait(set).unwrap_err();
                let set = poisoned.into_inner();
                assert!(*set);
                set
            }
            Ok(_) => unreachable!("set and not poisoned"),
            Err(poisoned) => poisoned.into_inner(),
        };
        // Though poisoned, waiting for a condition that holds does not wait.
        let set = flag.1.wait_while(set, |set| !*set).unwrap();
        drop(set);
        assert!(task.join().is_err());
    });
}

#[test]
fn one_condvar_for_two_mutexes_one_after_the_other() {
    passes(Checker::dfs(), || {
        let state = Arc::new((Mutex::new(false), Mutex::new(false), Condvar::new()));
        let its = state.clone();
        let task = thread::spawn(move || {
            for lock in [&its.0, &its.1] {
                *lock.lock().unwrap() = true;
                its.2.notify_one();
            }
        });
        for lock in [&state.0, &state.1] {
            drop(state.2.wait_while(lock.lock().unwrap(), |set| !*set).unwrap());
        }
        task.join().unwrap();
    });
}

#[test]
fn outside_it_is_the_real_one() {
    let flag = flag();
    let its = flag.clone();
    let task = std::thread::spawn(move || {
        *its.0.lock().unwrap() = true;
        its.1.notify_one();
        its.1.notify_all();
    });
    let mut set = flag.0.lock().unwrap();
    while !*set {
        set = flag.1.wait(set).unwrap();
    }
    set = flag.1.wait_while(set, |set| !*set).unwrap();
    assert!(flag.0.try_lock().is_err());
    drop(set);
    task.join().unwrap();
    assert_eq!(format!("{:?}", flag.1), "Condvar { .. }");

    let its = flag.clone();
    let panicking = std::thread::spawn(move || {
        let mut set = its.0.lock().unwrap();
        *set = false;
        while !*set {
            set = its.1.wait(set).unwrap();
        }
        panic!("with the guard");
    });
    while !panicking.is_finished() {
        if let Ok(mut set) = flag.0.lock() {
            *set = true;
        }
        flag.1.notify_all();
        std::thread::yield_now();
    }
    assert!(panicking.join().is_err());
    assert!(flag.0.is_poisoned());
    let failed = failure(|| flag.1.notify_one());
    assert_eq!(failed.kind(), FailureKind::Misuse);
}
