use super::{executions, failure, notes, outcomes, panic_of, passes};
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, OnceLock};
use raddle::{Checker, FailureKind, thread};

#[test]
fn the_first_to_initialise_wins() {
    let results = outcomes(|| {
        let cell = Arc::new(OnceLock::new());
        let its = cell.clone();
        let task = thread::spawn(move || *its.get_or_init(|| 1));
        let mine = *cell.get_or_init(|| 2);
        (mine, task.join().unwrap(), cell.get().copied())
    });
    assert_eq!(results, [(1, 1, Some(1)), (2, 2, Some(2))].into());
}

#[test]
fn setting_races_with_setting_and_getting() {
    let results = outcomes(|| {
        let cell = Arc::new(OnceLock::new());
        let its = cell.clone();
        let task = thread::spawn(move || its.set(1));
        let seen = cell.get().copied();
        let mine = cell.set(2);
        (seen, mine, task.join().unwrap())
    });
    assert_eq!(results, [(None, Ok(()), Err(1)), (None, Err(2), Ok(())), (Some(1), Err(2), Ok(()))].into());
}

#[test]
fn steps_are_taken_until_the_value_is_there() {
    // Main: set. The other: get, which was announced before and so is a step even when main is first: 2
    // orders. Later calls are no steps.
    let count = executions(|| {
        let cell = Arc::new(OnceLock::new());
        let its = cell.clone();
        let task = thread::spawn(move || {
            if its.get().is_some() {
                assert_eq!(
                    (its.get(), its.wait(), its.get_or_init(|| 2), its.set(3)),
                    (Some(&1), &1, &1, Err(3))
                );
            }
        });
        cell.set(1).unwrap();
        assert_eq!(
            (cell.get(), cell.wait(), cell.get_or_init(|| 2), cell.set(3)),
            (Some(&1), &1, &1, Err(3))
        );
        task.join().unwrap();
    });
    assert_eq!(count, 2);
}

#[test]
fn setting_waits_while_another_initialises() {
    let results = outcomes(|| {
        let state = Arc::new((OnceLock::new(), AtomicUsize::new(0)));
        let its = state.clone();
        let task = thread::spawn(move || {
            *its.0.get_or_init(|| {
                its.1.store(1, SeqCst);
                10
            })
        });
        let begun = state.1.load(SeqCst);
        let set = state.0.set(20);
        (begun, set, task.join().unwrap())
    });
    // If the other was observed to have started, it succeeds.
    assert_eq!(results, [(0, Ok(()), 20), (0, Err(20), 10), (1, Err(20), 10)].into());
}

#[test]
fn waiting_for_a_value() {
    let results = outcomes(|| {
        let cell = Arc::new(OnceLock::new());
        let its = cell.clone();
        let task = thread::spawn(move || *its.wait());
        cell.set(1).unwrap();
        task.join().unwrap()
    });
    assert_eq!(results, [1].into());
    let failed = failure(|| *OnceLock::<u8>::new().wait());
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits for OnceLock#1"]);
}

#[test]
fn a_function_that_needs_its_own_result_waits_for_ever() {
    let failed = failure(|| {
        let cell: OnceLock<u8> = OnceLock::new();
        *cell.get_or_init(|| *cell.get_or_init(|| 1))
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits to get_or_init OnceLock#1, which it holds itself"]);
}

/// The states of a `OnceLock` whose function panics, and all other operations of a single task; the same for
/// std's.
macro_rules! alone {
    ($OnceLock:ident) => {{
        let mut record = Vec::new();
        let mut cell: $OnceLock<Vec<u8>> = $OnceLock::new();
        record.push(format!("{cell:?} {:?}", cell.get()));
        record.push(format!("{:?}", cell.get_mut()));
        record.push(panic_of(|| cell.get_or_init(|| panic!("no value")).len()).unwrap());
        record.push(format!("{cell:?} {:?}", cell.get()));
        record.push(format!("{:?}", cell.take()));
        record.push(format!("{:?} {:?}", cell.get_or_init(|| vec![1]), cell.get_or_init(|| vec![2])));
        cell.get_mut().unwrap().push(5);
        record.push(format!("{cell:?} {cell:#?} {:?} {:?}", cell.set(vec![3]), cell.clone()));
        record.push(format!("{} {}", cell == cell.clone(), cell == $OnceLock::new()));
        record.push(format!("{:?} {:?}", cell.take(), cell.take()));
        record.push(format!("{cell:?}"));
        record.push(format!("{:?} {:?}", cell.set(vec![4]), cell.wait()));
        record.push(format!("{:?} {:?}", cell.clone().into_inner(), $OnceLock::<u8>::default().into_inner()));
        record.push(format!("{:?} {:?}", $OnceLock::from(7), $OnceLock::from(8).get()));
        record
    }};
}

#[test]
fn alone_it_is_like_std() {
    use std::sync::OnceLock as Std;
    let std = alone!(Std);
    assert_eq!(alone!(OnceLock), std);
    assert_eq!(outcomes(|| alone!(OnceLock)), [std].into());
}

#[test]
fn initialised_outside_and_read_inside() {
    let cell = Arc::new(OnceLock::new());
    cell.set(vec![1]).unwrap();
    let ready = OnceLock::from(2);
    passes(Checker::dfs().workers(2), || {
        let its = cell.clone();
        let task = thread::spawn(move || its.get().cloned());
        assert_eq!(cell.get_or_init(|| unreachable!()), &[1]);
        assert_eq!(cell.set(vec![2]), Err(vec![2]));
        assert_eq!((ready.get(), ready.wait()), (Some(&2), &2));
        assert_eq!(task.join().unwrap(), Some(vec![1]));
    });
    let empty = OnceLock::new();
    assert_eq!(empty.get(), None);
    let failed = failure(|| empty.set(1));
    assert_eq!(failed.kind(), FailureKind::Misuse);
    assert!(failed.message().contains("OnceLock"), "{}", failed.message());
}

#[test]
fn initialised_in_an_execution_and_read_in_the_next_is_a_misuse() {
    let cell = OnceLock::new();
    let report = Checker::dfs().run(|| {
        let task = thread::spawn(thread::yield_now);
        let value = *cell.get_or_init(|| 1);
        task.join().unwrap();
        value
    });
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Misuse);
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [1]);
}

#[test]
fn an_initialised_one_moves() {
    passes(Checker::dfs(), || {
        let cell = OnceLock::new();
        cell.set(String::from("here")).unwrap();
        let boxed = Box::new(cell);
        assert_eq!(boxed.get().unwrap(), "here");
        let task = thread::spawn(move || boxed.into_inner());
        assert_eq!(task.join().unwrap().as_deref(), Some("here"));
    });
}

#[test]
fn values_are_dropped_once() {
    passes(Checker::dfs(), || {
        let value = Arc::new(());
        let cell = OnceLock::new();
        cell.set(value.clone()).unwrap();
        assert!(cell.set(value.clone()).is_err());
        let copy = cell.clone();
        assert_eq!(Arc::strong_count(&value), 3);
        drop((cell, copy));
        assert_eq!(Arc::strong_count(&value), 1);
        drop(OnceLock::<Arc<()>>::new());
    });
}

#[test]
fn it_may_hold_what_dies_before_it() {
    let cell = OnceLock::new();
    let text = String::from("dropped first");
    let _ = cell.set(&text);
    assert_eq!(cell.get().unwrap().as_str(), "dropped first");
}
