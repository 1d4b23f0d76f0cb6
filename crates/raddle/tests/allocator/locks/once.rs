use super::{executions, failure, notes, outcomes, panic_of, passes};
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Once};
use raddle::{Checker, FailureKind, thread};

#[test]
fn it_runs_once() {
    let results = outcomes(|| {
        let state = Arc::new((Once::new(), AtomicUsize::new(0)));
        let tasks = [0, 1].map(|_| {
            let state = state.clone();
            thread::spawn(move || {
                state.0.call_once(|| {
                    state.1.fetch_add(1, SeqCst);
                });
                // A task that returns observes that it is done.
                (state.1.load(SeqCst), state.0.is_completed())
            })
        });
        tasks.map(|t| t.join().unwrap())
    });
    assert_eq!(results, [[(1, true), (1, true)]].into());
}

#[test]
fn a_closure_that_does_nothing_visible_is_one_step() {
    // Main: call_once. The other: call_once. In any order: 2. Calls after completion are no steps.
    let count = executions(|| {
        let once = Arc::new(Once::new());
        let its = once.clone();
        let task = thread::spawn(move || {
            its.call_once(|| ());
            its.call_once(|| unreachable!());
            its.wait();
        });
        once.call_once(|| ());
        assert!(once.is_completed());
        task.join().unwrap();
    });
    assert_eq!(count, 2);
}

#[test]
fn others_wait_while_it_runs() {
    // The first: call_once, fetch_add, complete, while the other is blocked. Then the other's call_once.
    let count = executions(|| {
        let state = Arc::new((Once::new(), AtomicUsize::new(0)));
        let its = state.clone();
        let task = thread::spawn(move || {
            its.0.call_once(|| {
                its.1.fetch_add(1, SeqCst);
            })
        });
        state.0.call_once(|| {
            state.1.fetch_add(1, SeqCst);
        });
        task.join().unwrap();
    });
    assert_eq!(count, 2);
}

#[test]
fn its_effect_is_seen_before_it_is_completed() {
    let results = outcomes(|| {
        let state = Arc::new((Once::new(), AtomicUsize::new(0)));
        let its = state.clone();
        let task = thread::spawn(move || its.0.call_once(|| its.1.store(1, SeqCst)));
        let seen = (state.1.load(SeqCst), state.0.is_completed());
        task.join().unwrap();
        seen
    });
    assert_eq!(results, [(0, false), (0, true), (1, false), (1, true)].into());
}

#[test]
fn a_child_of_the_closure_sees_it_incomplete() {
    let results = outcomes(|| {
        let once = Arc::new(Once::new());
        let its = once.clone();
        let mut child = None;
        once.call_once(|| child = Some(thread::spawn(move || its.is_completed())));
        child.unwrap().join().unwrap()
    });
    assert_eq!(results, [false, true].into());
}

#[test]
fn wait_waits() {
    let results = outcomes(|| {
        let state = Arc::new((Once::new(), AtomicUsize::new(0)));
        let tasks = [0, 1].map(|n| {
            let state = state.clone();
            thread::spawn(move || {
                match n {
                    0 => state.0.wait(),
                    _ => state.0.wait_force(),
                }
                state.1.load(SeqCst)
            })
        });
        state.0.call_once(|| state.1.store(1, SeqCst));
        tasks.map(|t| t.join().unwrap())
    });
    assert_eq!(results, [[1, 1]].into());
}

#[test]
fn nobody_initialises() {
    let failed = failure(|| Once::new().wait());
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits for Once#1"]);
}

#[test]
fn a_closure_that_needs_itself_waits_for_ever() {
    let failed = failure(|| {
        let once = Once::new();
        once.call_once(|| once.call_once(|| ()));
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits to call_once Once#1, which it holds itself"]);
}

#[test]
fn two_that_need_each_other() {
    let failed = failure(|| {
        let onces = Arc::new((Once::new(), Once::new(), AtomicUsize::new(0)));
        let its = onces.clone();
        let task = thread::spawn(move || its.1.call_once(|| its.0.call_once(|| ())));
        onces.0.call_once(|| onces.1.call_once(|| ()));
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    let expected = [
        "main waits to call_once main.1/Once#1, held by main.1",
        "main.1 waits to call_once Once#1, held by main",
        "a circle: main → main.1 → main, each waits for the next one",
    ];
    assert_eq!(notes(&failed), expected);
}

/// The states of a `Once` whose closure panics; the same for std's.
macro_rules! poisoned {
    ($Once:ty) => {{
        let once = <$Once>::new();
        let mut record = Vec::new();
        record.push(panic_of(|| once.call_once(|| panic!("the closure"))));
        record.push(Some(format!("{}", once.is_completed())));
        record.push(panic_of(|| once.call_once(|| ())));
        record.push(panic_of(|| once.wait()));
        record.push(panic_of(|| once.call_once_force(|state| panic!("again {state:?}"))));
        once.call_once_force(|state| record.push(Some(format!("{state:?} {}", state.is_poisoned()))));
        once.call_once_force(|_| unreachable!());
        once.call_once(|| unreachable!());
        once.wait();
        once.wait_force();
        record.push(Some(format!("{} {once:?}", once.is_completed())));
        let fresh = <$Once>::new();
        fresh.call_once_force(|state| record.push(Some(format!("{state:?}"))));
        record
    }};
}

#[test]
fn a_panic_poisons_as_in_std() {
    let std = poisoned!(std::sync::Once);
    assert_eq!(std[0].as_deref(), Some("the closure"));
    assert_eq!(poisoned!(Once), std);
    assert_eq!(outcomes(|| poisoned!(Once)), [std].into());
}

#[test]
fn those_who_wait_learn_of_the_panic() {
    let results = outcomes(|| {
        let state = Arc::new((Once::new(), AtomicUsize::new(0)));
        let its = state.clone();
        let task = thread::spawn(move || {
            panic_of(|| {
                its.0.call_once(|| {
                    its.1.store(1, SeqCst);
                    panic!("the closure");
                })
            })
        });
        let mine = panic_of(|| state.0.call_once(|| ()));
        (mine, task.join().unwrap())
    });
    let poisoned = Some("Once instance has previously been poisoned".to_owned());
    assert_eq!(results, [(None, None), (poisoned, Some("the closure".to_owned()))].into());
}

#[test]
fn wait_force_waits_until_somebody_succeeds() {
    let results = outcomes(|| {
        let state = Arc::new((Once::new(), AtomicUsize::new(0)));
        let its = state.clone();
        let task = thread::spawn(move || {
            its.0.wait_force();
            its.1.load(SeqCst)
        });
        panic_of(|| state.0.call_once(|| panic!("the closure"))).unwrap();
        state.0.call_once_force(|_| state.1.store(2, SeqCst));
        task.join().unwrap()
    });
    assert_eq!(results, [2].into());
}

#[test]
#[allow(deprecated)]
fn outside_it_is_the_real_one() {
    static INIT: Once = raddle::sync::ONCE_INIT;
    let count = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                INIT.call_once(|| {
                    count.fetch_add(1, SeqCst);
                });
                assert!(INIT.is_completed());
                INIT.wait();
                INIT.wait_force();
            });
        }
    });
    assert_eq!(count.into_inner(), 1);
}

#[test]
fn done_outside_is_done_inside() {
    let (done, begun) = (Once::new(), Once::new());
    done.call_once(|| ());
    passes(Checker::dfs(), || {
        assert!(done.is_completed());
        done.call_once(|| unreachable!());
        done.wait();
    });
    assert!(!begun.is_completed());
    let failed = failure(|| begun.call_once(|| ()));
    assert_eq!(failed.kind(), FailureKind::Misuse);
}

#[test]
fn done_in_another_execution_is_a_misuse() {
    let once = Once::new();
    let failed = failure(|| {
        let task = thread::spawn(thread::yield_now);
        once.call_once(|| ());
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Misuse);
    assert!(failed.message().contains("belongs to another execution"), "{}", failed.message());
}
