//! Nothing leaks, over many executions and with any end.

use crate::child;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Condvar, LazyLock, Mutex, mpsc};
use raddle::{Checker, thread};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// The resident memory of this process, in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

static TABLE: LazyLock<Vec<usize>> = LazyLock::new(|| (0..100).collect());
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Uses every primitive, on the heap and in statics.
fn everything(fails: bool) -> usize {
    let (sender, receiver) = mpsc::channel();
    let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new(), AtomicUsize::new(0)));
    let its = shared.clone();
    let task = thread::spawn(move || {
        its.0.lock().unwrap().push(vec![1u8; 1_000]);
        its.1.notify_one();
        sender.send(TABLE[7]).unwrap();
        its.2.fetch_add(1, SeqCst);
        if fails {
            let guard = its.0.lock().unwrap();
            drop(its.1.wait(guard));
        }
    });
    LOG.lock().unwrap().push("x".repeat(1_000));
    let received = receiver.recv().unwrap();
    if fails && shared.2.load(SeqCst) == 1 {
        panic!("while the other waits");
    }
    task.join().unwrap();
    received
}

/// The growth of memory over many repetitions, after a warm-up.
fn growth(mut work: impl FnMut(u64)) -> usize {
    work(200);
    let before = resident();
    work(10_000);
    resident().saturating_sub(before)
}

#[test]
fn measured() {
    if !child::is_one() {
        return;
    }
    let passing = growth(|n| {
        let report = Checker::random(20 * n).run(|| everything(false));
        assert_eq!((report.executions(), report.failures()), (20 * n, 0), "{report}");
    });
    let failing = growth(|n| {
        let report = Checker::random(2 * n).keep_going().run(|| everything(true));
        assert_eq!((report.executions(), report.failures()), (2 * n, 2 * n));
    });
    assert!(passing < 2 << 20, "200,000 executions cost {passing} bytes");
    assert!(failing < 2 << 20, "20,000 failing executions cost {failing} bytes");
}

#[test]
fn is_flat() {
    // In a separate process, where no other test allocates memory.
    let (status, text) = child::run(&mut child::of("clean::memory::measured"));
    assert!(status.success(), "{text}");
}

/// Maps of all executions have the same seeds, but between checks the thread's own seeds continue unchanged.
#[test]
fn hash_maps_between_checks_are_seeded_as_before() {
    let hash = || RandomState::new().hash_one(1);
    let seen = std::thread::spawn(move || {
        let inside = || Checker::exhaustive().run(hash).outcomes().keys().copied().collect::<Vec<_>>();
        let [before, first, between, second, after] =
            [vec![hash()], inside(), vec![hash()], inside(), vec![hash()]];
        assert_eq!(first, second);
        [before, first, between, after]
    });
    let mut seen = seen.join().unwrap();
    seen.sort();
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "{seen:?}");
}
