//! Programs that loom judges wrongly, by the numbers of its open issues (<https://github.com/tokio-rs/loom/issues>): here they
//! have the outcomes of RC11.

use super::outcomes_under_auto as outcomes;
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use raddle::thread;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Issue 166: with a load that nothing depends on, outcomes are missing.
#[test]
fn a_redundant_load_hides_no_outcome() {
    let program = |loads: bool| {
        move || {
            let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
            let theirs = shared.clone();
            let writer = thread::spawn(move || {
                theirs.0.store(1, SeqCst);
                theirs.1.store(1, SeqCst);
                theirs.1.store(0, SeqCst);
                if loads {
                    theirs.0.load(SeqCst);
                }
                theirs.0.store(0, SeqCst);
            });
            let reader = thread::spawn(move || (shared.1.load(SeqCst), shared.0.load(SeqCst)));
            writer.join().unwrap();
            reader.join().unwrap()
        }
    };
    let all = BTreeSet::from([(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!((outcomes(program(false)), outcomes(program(true))), (all.clone(), all));
}

/// Issue 180: store buffering with `SeqCst`, where loom has both tasks read the old values.
#[test]
fn sequentially_consistent_accesses_are() {
    let program = || {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let [one, other] = [shared.clone(), shared];
        let first = thread::spawn(move || {
            one.0.store(1, SeqCst);
            one.1.load(SeqCst)
        });
        let second = thread::spawn(move || {
            other.1.store(1, SeqCst);
            other.0.load(SeqCst)
        });
        (first.join().unwrap(), second.join().unwrap())
    };
    assert_eq!(outcomes(program), BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
}

/// Issue 254: a store comes between the two halves of a read-modify-write.
#[test]
fn an_update_is_atomic() {
    let program = || {
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = flag.clone();
        let other = thread::spawn(move || theirs.swap(false, Relaxed));
        flag.store(true, Relaxed);
        let before = other.join().unwrap();
        (before, flag.load(Relaxed))
    };
    assert_eq!(outcomes(program), BTreeSet::from([(false, true), (true, false)]));
}

/// Issue 282: two loads of one atomic, and what an update read, contradict each other about the order of the stores.
#[test]
fn all_tasks_agree_on_modification_order() {
    let program = || {
        let value = Arc::new(AtomicUsize::new(0));
        let [first, second] = [value.clone(), value.clone()];
        let store = thread::spawn(move || first.store(1, Relaxed));
        let swap = thread::spawn(move || second.swap(2, Relaxed));
        let read = (value.load(Relaxed), value.load(Relaxed));
        store.join().unwrap();
        (swap.join().unwrap(), read, value.load(Relaxed))
    };
    let found = outcomes(program);
    let order = |swapped: usize| if swapped == 1 { [0, 1, 2] } else { [0, 2, 1] };
    let mut expected = BTreeSet::new();
    for swapped in [0, 1] {
        let order = order(swapped);
        for (one, other) in (0..3).flat_map(|one| (one..3).map(move |other| (one, other))) {
            expected.insert((swapped, (order[one], order[other]), order[2]));
        }
    }
    assert_eq!(found, expected);
}
