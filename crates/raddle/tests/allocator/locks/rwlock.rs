use super::{executions, failure, notes, outcomes, passes};
use raddle::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use raddle::{Checker, FailureKind, thread};
use std::collections::BTreeSet;

/// The result of a try.
fn word<G>(result: Result<G, TryLockError<G>>) -> &'static str {
    match result {
        Ok(_) => "taken",
        Err(TryLockError::Poisoned(_)) => "poisoned",
        Err(TryLockError::WouldBlock) => "would block",
    }
}

fn set<const N: usize>(words: [&'static str; N]) -> BTreeSet<&'static str> {
    words.into()
}

/// Runs `other` in a task in parallel with `main`, with one lock.
fn two<T>(main: impl FnOnce(&RwLock<u32>) -> T, other: impl FnOnce(&RwLock<u32>) + Send + 'static) -> T {
    let lock = Arc::new(RwLock::new(0));
    let its = lock.clone();
    let task = thread::spawn(move || other(&its));
    let result = main(&lock);
    task.join().unwrap();
    result
}

#[test]
fn readers_do_not_wait_for_each_other() {
    // Main: read, unlock. The other: read, unlock. Nothing blocks, so all interleavings of 2 with 2 steps: 6.
    let count = executions(|| two(|l| drop(l.read().unwrap()), |l| drop(l.read().unwrap())));
    assert_eq!(count, 6);
}

#[test]
fn writers_exclude_writers_and_readers() {
    // Both lock and unlock: sequentially, 2 ways.
    let writers = || two(|l| *l.write().unwrap() += 1, |l| *l.write().unwrap() += 1);
    assert_eq!(executions(writers), 2);
    let reader = || two(|l| drop(l.read().unwrap()), |l| *l.write().unwrap() += 1);
    assert_eq!(executions(reader), 2);
    let other_reader = || two(|l| *l.write().unwrap() += 1, |l| drop(l.read().unwrap()));
    assert_eq!(executions(other_reader), 2);
}

#[test]
fn no_update_is_lost_under_a_write_lock() {
    let results = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let increments = [0, 1].map(|_| {
            let lock = lock.clone();
            thread::spawn(move || *lock.write().unwrap() += 1)
        });
        let seen = *lock.read().unwrap();
        super::join(increments);
        (seen, *lock.read().unwrap())
    });
    assert_eq!(results, [(0, 2), (1, 2), (2, 2)].into());
}

#[test]
fn tries_succeed_and_fail() {
    fn words(main: fn(&RwLock<u32>) -> &'static str, other: fn(&RwLock<u32>)) -> BTreeSet<&'static str> {
        outcomes(move || two(main, other))
    }
    fn try_read(lock: &RwLock<u32>) -> &'static str {
        word(lock.try_read())
    }
    fn try_write(lock: &RwLock<u32>) -> &'static str {
        word(lock.try_write())
    }
    fn read(lock: &RwLock<u32>) {
        drop(lock.read().unwrap());
    }
    fn write(lock: &RwLock<u32>) {
        drop(lock.write().unwrap());
    }
    assert_eq!(words(try_read, read), set(["taken"]));
    assert_eq!(words(try_read, write), set(["taken", "would block"]));
    assert_eq!(words(try_write, read), set(["taken", "would block"]));
    assert_eq!(words(try_write, write), set(["taken", "would block"]));
}

#[test]
fn both_of_two_tries_to_write_never_succeed_at_once() {
    let results = outcomes(|| {
        let lock = Arc::new(RwLock::new(()));
        let its = lock.clone();
        // The guard lives until the task exits, which is not joined while main tries.
        let task = thread::spawn(move || {
            let guard = its.try_write();
            guard.is_ok()
        });
        let mine = lock.try_write().is_ok();
        (mine, task.join().unwrap())
    });
    assert_eq!(results, [(false, true), (true, false), (true, true)].into());
}

#[test]
fn a_failing_try_to_write_is_not_independent_of_a_reader_that_leaves() {
    // With two readers, main gets the lock only after both have released it.
    let results = outcomes(|| {
        let lock = Arc::new(RwLock::new(()));
        let readers = [0, 1].map(|_| {
            let lock = lock.clone();
            thread::spawn(move || drop(lock.read().unwrap()))
        });
        let word = word(lock.try_write());
        super::join(readers);
        word
    });
    assert_eq!(results, set(["taken", "would block"]));
}

#[test]
fn a_task_may_read_twice() {
    // Main: read, try_read, unlock, unlock; the other: write, unlock. The other comes first or last, never
    // between. (With a second `read` that waits: see rereads.rs.)
    let count = executions(|| {
        two(
            |l| {
                let (one, two) = (l.read().unwrap(), l.try_read().unwrap());
                assert_eq!(*one, *two);
            },
            |l| *l.write().unwrap() += 1,
        )
    });
    assert_eq!(count, 2);
}

#[test]
fn downgrading_lets_readers_in_and_keeps_writers_out() {
    let results = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let (reader, writer) = (lock.clone(), lock.clone());
        let reader = thread::spawn(move || reader.try_read().map(|g| *g).ok());
        let writer = thread::spawn(move || *writer.write().unwrap() += 10);
        let mut guard = lock.write().unwrap();
        *guard += 1;
        let before = *guard;
        let guard: RwLockReadGuard<'_, i32> = RwLockWriteGuard::downgrade(guard);
        assert_eq!(*guard, before, "a writer came between");
        drop(guard);
        let seen = reader.join().unwrap();
        writer.join().unwrap();
        seen
    });
    // 1 and 11 also while main reads; none while it or the writer writes.
    assert_eq!(results, [None, Some(0), Some(1), Some(10), Some(11)].into());
}

#[test]
fn after_a_downgrade_a_reader_gets_in() {
    let words = outcomes(|| {
        let lock = RwLock::new(0);
        let guard = RwLockWriteGuard::downgrade(lock.write().unwrap());
        let words = (word(lock.try_read()), word(lock.try_write()));
        drop(guard);
        (words, word(lock.try_write()))
    });
    assert_eq!(words, [(("taken", "would block"), "taken")].into());
}

#[test]
fn a_panicking_writer_poisons() {
    let report = passes(Checker::dfs(), || {
        let lock = Arc::new(RwLock::new(1));
        let its = lock.clone();
        let task = thread::spawn(move || {
            let mut guard = its.write().unwrap();
            *guard = 2;
            panic!("with the guard");
        });
        assert!(task.join().is_err());
        assert!(lock.is_poisoned());
        assert_eq!(*lock.read().unwrap_err().into_inner(), 2);
        assert_eq!(**lock.write().unwrap_err().get_ref(), 2);
        assert_eq!(word(lock.try_read()), "poisoned");
        assert_eq!(word(lock.try_write()), "poisoned");
        assert_eq!(format!("{lock:?}"), "RwLock { data: 2, poisoned: true, .. }");
        lock.clear_poison();
        assert!(!lock.is_poisoned());
        assert!(lock.read().is_ok());
    });
    assert!(report.executions() > 0);
}

#[test]
fn is_poisoned_races_with_the_panic() {
    let results = outcomes(|| {
        let lock = Arc::new(RwLock::new(1));
        let its = lock.clone();
        let task = thread::spawn(move || {
            let _guard = its.write().unwrap();
            panic!("with the guard");
        });
        let poisoned = lock.is_poisoned();
        assert!(task.join().is_err());
        poisoned
    });
    assert_eq!(results, [false, true].into());
}

#[test]
fn readers_and_those_who_panicked_before_do_not_poison() {
    passes(Checker::dfs(), || {
        let lock = Arc::new(RwLock::new(1));
        let its = lock.clone();
        let reader = thread::spawn(move || {
            let _guard = its.read().unwrap();
            panic!("reading");
        });
        assert!(reader.join().is_err());
        assert!(!lock.is_poisoned());

        let its = lock.clone();
        let downgraded = thread::spawn(move || {
            let _guard = RwLockWriteGuard::downgrade(its.write().unwrap());
            panic!("reading");
        });
        assert!(downgraded.join().is_err());
        assert!(!lock.is_poisoned());

        struct Writes(Arc<RwLock<i32>>);
        impl Drop for Writes {
            fn drop(&mut self) {
                *self.0.write().unwrap() += 1;
            }
        }
        let its = Writes(lock.clone());
        let unwinding = thread::spawn(move || {
            let _its = its;
            panic!("writes while it unwinds");
        });
        assert!(unwinding.join().is_err());
        assert!(!lock.is_poisoned());
        assert_eq!(*lock.read().unwrap(), 2);
    });
}

#[test]
fn poisoned_values_are_still_there() {
    passes(Checker::dfs(), || {
        let mut lock = RwLock::new(1);
        let panicked = super::panic_of(|| {
            let _guard = lock.write().unwrap();
            panic!("with the guard");
        });
        assert_eq!(panicked.as_deref(), Some("with the guard"));
        *lock.get_mut().unwrap_err().into_inner() += 1;
        assert_eq!(lock.into_inner().unwrap_err().into_inner(), 2);
    });
}

#[test]
fn a_task_waits_for_itself() {
    let failed = failure(|| {
        let lock = RwLock::new(());
        let _reading = lock.read().unwrap();
        let _writing = lock.write().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits to write RwLock#1, which it holds itself"]);

    let failed = failure(|| {
        let lock = RwLock::new(());
        let _writing = lock.write().unwrap();
        let _reading = lock.read().unwrap();
    });
    assert_eq!(notes(&failed), ["main waits to read RwLock#1, which it holds itself"]);
}

#[test]
fn a_writer_waits_for_readers_that_wait_for_it() {
    let failed = failure(|| {
        let locks = Arc::new((RwLock::new(()), RwLock::new(())));
        let its = locks.clone();
        let task = thread::spawn(move || {
            let _b = its.1.read().unwrap();
            let _a = its.0.write().unwrap();
        });
        let a = locks.0.read().unwrap();
        let b = locks.1.write().unwrap();
        drop((a, b));
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    let expected = [
        "main waits to write main.1/RwLock#1, held by main.1",
        "main.1 waits to write RwLock#1, held by main",
        "a circle: main → main.1 → main, each waits for the next one",
    ];
    assert_eq!(notes(&failed), expected);
}

#[test]
fn a_loop_that_reads_is_a_loop_that_waits() {
    // Two tasks poll through read locks; neither takes the other's read for a change.
    let report = Checker::random(200).run(|| {
        let flag = Arc::new(RwLock::new(false));
        let polling = [0, 1].map(|_| {
            let flag = flag.clone();
            thread::spawn(move || {
                while !*flag.read().unwrap() {
                    thread::yield_now();
                }
            })
        });
        *flag.write().unwrap() = true;
        super::join(polling);
    });
    assert!(report.failure().is_none());
    assert!(raddle_report::coverage(report.coverage()).contains("fair spins"), "{:?}", report.coverage());
}

#[test]
fn polling_in_vain_is_a_livelock() {
    let failed = super::failure_of(Checker::random(1), || {
        let flag = Arc::new(RwLock::new(false));
        let polling = [0, 1].map(|_| {
            let flag = flag.clone();
            thread::spawn(move || {
                while !*flag.read().unwrap() {
                    thread::yield_now();
                }
            })
        });
        super::join(polling);
    });
    assert_eq!(failed.kind(), FailureKind::Livelock);
}

#[test]
fn outside_it_is_the_real_one() {
    let lock = Arc::new(RwLock::new(0));
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let lock = lock.clone();
            std::thread::spawn(move || {
                for _ in 0..1_000 {
                    *lock.write().unwrap() += 1;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let guard = lock.read().unwrap();
    assert_eq!((*guard, word(lock.try_read()), word(lock.try_write())), (4_000, "taken", "would block"));
    assert_eq!(format!("{lock:?} {guard:?} {guard}"), "RwLock { data: 4000, poisoned: false, .. } 4000 4000");
    drop(guard);
    let guard = lock.try_write().unwrap();
    assert_eq!(
        format!("{lock:?} {guard:?} {guard}"),
        "RwLock { data: <locked>, poisoned: false, .. } 4000 4000"
    );
    assert_eq!(word(lock.try_read()), "would block");
    let guard = RwLockWriteGuard::downgrade(guard);
    assert_eq!((word(lock.try_read()), word(lock.try_write())), ("taken", "would block"));
    drop(guard);
    let its = lock.clone();
    let panicking = std::thread::spawn(move || {
        let _guard = its.write().unwrap();
        panic!("with the guard");
    });
    assert!(panicking.join().is_err());
    assert!(lock.is_poisoned());
    assert_eq!((word(lock.try_read()), word(lock.try_write())), ("poisoned", "poisoned"));
    assert!(lock.read().is_err() && lock.write().is_err());
    lock.clear_poison();
    assert_eq!(word(lock.try_write()), "taken");
    assert_eq!(Arc::into_inner(lock).unwrap().into_inner().unwrap(), 4_000);
}

#[test]
fn a_lock_from_outside_is_a_misuse() {
    let lock = RwLock::new(0);
    *lock.write().unwrap() += 1;
    let failed = failure(|| *lock.read().unwrap());
    assert_eq!(failed.kind(), FailureKind::Misuse);
    assert!(failed.message().contains("a RwLock that was used outside"), "{}", failed.message());
}

#[test]
fn unsized_values_and_conversions() {
    passes(Checker::dfs(), || {
        let slice: Arc<RwLock<[u8]>> = Arc::new(RwLock::new([1, 2, 3]));
        slice.write().unwrap()[0] = 7;
        assert_eq!(slice.read().unwrap()[..], [7, 2, 3]);
        let shown: Box<RwLock<dyn std::fmt::Display>> = Box::new(RwLock::from(5));
        assert_eq!(shown.read().unwrap().to_string(), "5");
        assert_eq!(RwLock::<u8>::default().into_inner().unwrap(), 0);
        let mut lock = RwLock::new(1);
        *lock.get_mut().unwrap() = 2;
        assert_eq!(format!("{lock:?}"), "RwLock { data: 2, poisoned: false, .. }");
    });
}

#[test]
fn a_label_names_it() {
    let report = Checker::dfs().run(|| {
        let table = RwLock::new(0);
        raddle::label(&table, "table");
        let _held = table.write().unwrap();
        let _again = table.read().unwrap();
    });
    let waits = &raddle_report::fact(&report.failure().unwrap().defect.facts[0]);
    assert!(waits.starts_with("main waits to read RwLock#1 \"table\""), "{waits}");
}
