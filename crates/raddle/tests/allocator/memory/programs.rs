//! Small programs of all kinds under weak memory: depth-first search and the reduction find the same outcomes and failures.

use super::MODELS;
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, fence};
use raddle::sync::{Barrier, Condvar, Mutex, Once, RwLock, mpsc};
use raddle::{Checker, FailureKind, Memory, Report, SearchKind, Time, hint, thread};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, *};
use std::time::Duration;

fn explored<T: Ord + Debug + Send>(memory: Memory, program: impl Fn() -> T + Send + Sync) -> Report<T> {
    agreed(Checker::exhaustive().memory(memory), program)
}

/// What the reduction finds. Depth-first search finds the same, as far as it comes.
fn agreed<T: Ord + Debug + Send>(checker: Checker, program: impl Fn() -> T + Send + Sync) -> Report<T> {
    let reduced = checker.clone().keep_going().run(&program);
    let all = checker.kind(SearchKind::Dfs).keep_going().max_executions(3_000).run(&program);
    let kinds = |report: &Report<T>| report.failures_by_kind().keys().copied().collect::<BTreeSet<_>>();
    let (outcomes, failures) = (reduced.outcomes(), kinds(&reduced));
    assert!(all.outcomes().keys().all(|outcome| outcomes.contains_key(outcome)), "{:?}", all.outcomes());
    assert!(kinds(&all).is_subset(&failures), "{reduced}\n{all}");
    if all.coverage().is_exhaustive() {
        assert!(outcomes.keys().eq(all.outcomes().keys()), "{outcomes:?}, not {:?}", all.outcomes());
        assert_eq!(kinds(&all), failures, "{reduced}\n{all}");
    }
    println!("{} executions for {}", reduced.executions(), all.executions());
    reduced
}

/// The outcomes under RC11.
fn outcomes<T: Ord + Clone + Debug + Send>(program: impl Fn() -> T + Send + Sync) -> BTreeSet<T> {
    let report = explored(Memory::Rc11, program);
    assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{report}");
    report.outcomes().keys().cloned().collect()
}

/// What the main task reads of data that another one has stored, relaxed, before it passed something on.
fn passed<S: Send + Sync + 'static>(
    shared: impl Fn() -> S + Send + Sync,
    pass: fn(&S),
    receive: fn(&S),
) -> BTreeSet<u64> {
    outcomes(move || {
        let shared = Arc::new((AtomicU64::new(0), shared()));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(1, Relaxed);
            pass(&theirs.1);
        });
        receive(&shared.1);
        let read = shared.0.load(Relaxed);
        other.join().unwrap();
        read
    })
}

#[test]
fn what_synchronises_brings_stores_along() {
    let only_new = BTreeSet::from([1]);
    assert_eq!(
        passed(AtomicBool::default, |f| f.store(true, Release), |f| while !f.load(Acquire) {}),
        only_new
    );
    let both = BTreeSet::from([0, 1]);
    assert_eq!(passed(AtomicBool::default, |f| f.store(true, Relaxed), |f| while !f.load(Acquire) {}), both);
    assert_eq!(passed(AtomicBool::default, |f| f.store(true, Release), |f| while !f.load(Relaxed) {}), both);
    let fences = passed(
        AtomicBool::default,
        |flag| {
            fence(Release);
            flag.store(true, Relaxed);
        },
        |flag| {
            while !flag.load(Relaxed) {
                hint::spin_loop();
            }
            fence(Acquire);
        },
    );
    assert_eq!(fences, only_new);

    let lock = passed(
        || Mutex::new(false),
        |done| *done.lock().unwrap() = true,
        |done| while !*done.lock().unwrap() {},
    );
    assert_eq!(lock, only_new);
    let readers = passed(
        || RwLock::new(false),
        |done| *done.write().unwrap() = true,
        |done| while !*done.read().unwrap() {},
    );
    assert_eq!(readers, only_new);
    let condvar = passed(
        || (Mutex::new(false), Condvar::new()),
        |(done, changed)| {
            *done.lock().unwrap() = true;
            changed.notify_one();
        },
        |(done, changed)| drop(changed.wait_while(done.lock().unwrap(), |done| !*done).unwrap()),
    );
    assert_eq!(condvar, only_new);
    assert_eq!(passed(|| Barrier::new(2), |b| _ = b.wait(), |b| _ = b.wait()), only_new);
    let once = passed(Once::new, |once| once.call_once(|| ()), |once| while !once.is_completed() {});
    assert_eq!(once, only_new);
    let channel = passed(
        || {
            let (sender, receiver) = mpsc::channel();
            (Mutex::new(sender), Mutex::new(receiver))
        },
        |(sender, _)| sender.lock().unwrap().send(()).unwrap(),
        |(_, receiver)| receiver.lock().unwrap().recv().unwrap(),
    );
    assert_eq!(channel, only_new);
}

#[test]
fn parking_and_joining_synchronise() {
    let unparked = outcomes(|| {
        let data = Arc::new(AtomicU64::new(0));
        let (theirs, main) = (data.clone(), thread::current());
        let other = thread::spawn(move || {
            theirs.store(1, Relaxed);
            main.unpark();
        });
        thread::park();
        let read = data.load(Relaxed);
        other.join().unwrap();
        read
    });
    assert_eq!(unparked, BTreeSet::from([1]));
    let scoped = outcomes(|| {
        let data = AtomicU64::new(0);
        thread::scope(|scope| _ = scope.spawn(|| data.store(1, Relaxed)));
        data.load(Relaxed)
    });
    assert_eq!(scoped, BTreeSet::from([1]));
}

/// It reads that the lock is taken, and synchronises with nothing; on a machine with store buffers it is a barrier.
#[test]
fn a_try_lock_that_fails_synchronises_with_nothing() {
    let program = || {
        let shared = Arc::new((AtomicU64::new(0), Mutex::new(())));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(1, Relaxed);
            let _guard = theirs.1.lock().unwrap();
        });
        let failed = shared.1.try_lock().is_err();
        let read = shared.0.load(Relaxed);
        other.join().unwrap();
        (failed, read)
    };
    assert!(outcomes(program).contains(&(true, 0)));
    for memory in [Memory::Sc, Memory::Tso, Memory::Pso] {
        assert!(!explored(memory, program).outcomes().contains_key(&(true, 0)), "{memory}");
    }
}

/// A loop that reads the same old store again and again reads a newer one in the end.
#[test]
fn loops_see_stores_in_the_end() {
    for memory in MODELS {
        let yields = || {
            let flag = Arc::new(AtomicBool::new(false));
            let theirs = flag.clone();
            let other = thread::spawn(move || theirs.store(true, Relaxed));
            while !flag.load(Relaxed) {
                thread::yield_now();
            }
            other.join().unwrap();
        };
        let exchanges = || {
            let flag = Arc::new(AtomicBool::new(true));
            let theirs = flag.clone();
            let other = thread::spawn(move || theirs.store(false, Relaxed));
            while flag.compare_exchange_weak(false, true, Relaxed, Relaxed).is_err() {}
            other.join().unwrap();
        };
        let swaps = || {
            let flag = Arc::new(AtomicBool::new(true));
            let theirs = flag.clone();
            let other = thread::spawn(move || theirs.store(false, Relaxed));
            while flag.swap(true, Relaxed) {
                hint::spin_loop();
            }
            other.join().unwrap();
        };
        for program in [yields as fn(), exchanges, swaps] {
            let report = explored(memory, program);
            assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{memory}: {report}");
        }
    }
}

#[test]
fn a_loop_that_reads_the_last_stores_and_never_ends_is_a_livelock() {
    for memory in MODELS {
        let report = explored(memory, || {
            let flag = Arc::new(AtomicU64::new(0));
            let theirs = flag.clone();
            thread::spawn(move || theirs.store(1, Relaxed)).join().unwrap();
            while flag.load(Relaxed) != 2 {
                hint::spin_loop();
            }
        });
        assert_eq!(report.failure().unwrap().kind(), FailureKind::Livelock, "{memory}");
        assert_eq!(report.failures(), report.executions(), "{memory}");
    }
}

/// The lock does not synchronise, so what is read under it may be old; with the usual orderings it is not.
#[test]
fn a_spin_lock_needs_acquire_and_release() {
    let counted = |memory, lock: Ordering, unlock: Ordering| {
        let report = explored(memory, move || {
            let shared = Arc::new((AtomicBool::new(false), AtomicU64::new(0)));
            let threads = [0, 1].map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    while shared.0.compare_exchange(false, true, lock, Relaxed).is_err() {
                        hint::spin_loop();
                    }
                    shared.1.store(shared.1.load(Relaxed) + 1, Relaxed);
                    shared.0.store(false, unlock);
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            shared.1.load(Relaxed)
        });
        assert!(report.failure().is_none(), "{report}");
        report.outcomes().keys().copied().collect::<Vec<_>>()
    };
    assert_eq!(counted(Memory::Rc11, Acquire, Release), [2]);
    assert_eq!(counted(Memory::Rc11, Acquire, Relaxed), [1, 2]);
    assert_eq!(counted(Memory::Rc11, Relaxed, Release), [1, 2]);
    assert_eq!(counted(Memory::Tso, Acquire, Release), [2]);
    assert_eq!(counted(Memory::Tso, Relaxed, Relaxed), [2]);
    assert_eq!(counted(Memory::Pso, Acquire, Relaxed), [1, 2]);
    assert_eq!(counted(Memory::Sc, Relaxed, Relaxed), [2]);
}

/// When a timer fires because nothing else can happen, stores have arrived.
#[test]
fn time_that_passes_brings_all_stores() {
    let program = |last: fn()| {
        move || {
            let (one, other) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
            let theirs = (one.clone(), other.clone());
            thread::spawn(move || {
                theirs.0.store(1, Relaxed);
                theirs.1.store(1, Relaxed);
            });
            last();
            (other.load(Relaxed), one.load(Relaxed))
        }
    };
    let sleeps: fn() = || thread::sleep(Duration::from_millis(1));
    assert_eq!(outcomes(program(sleeps)), BTreeSet::from([(1, 1)]));
    let all = BTreeSet::from([(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(outcomes(program(|| ())), all);
    let report = agreed(Checker::exhaustive().memory(Memory::Rc11).time(Time::Any), program(sleeps));
    assert_eq!(report.outcomes().keys().copied().collect::<BTreeSet<_>>(), all);
}

#[test]
fn an_owner_reads_and_writes_the_last_value() {
    let found = outcomes(|| {
        let mut value = AtomicU64::new(0);
        thread::scope(|scope| {
            scope.spawn(|| value.store(1, Relaxed));
            scope.spawn(|| value.store(2, Relaxed));
        });
        let last = *value.get_mut();
        *value.get_mut() = 10;
        let read = thread::scope(|scope| {
            let reader = scope.spawn(|| value.load(Relaxed));
            value.fetch_add(1, Relaxed);
            reader.join().unwrap()
        });
        (last, read, value.into_inner())
    });
    assert_eq!(found, BTreeSet::from([(1, 10, 11), (1, 11, 11), (2, 10, 11), (2, 11, 11)]));
}

#[test]
fn pointers_and_signed_numbers_keep_their_values() {
    let found = outcomes(|| {
        let (mut one, mut two) = (1, 2);
        let two = AtomicPtr::new(&raw mut two);
        let (pointer, number) = (AtomicPtr::new(&raw mut one), AtomicI8::new(-1));
        thread::scope(|scope| {
            scope.spawn(|| {
                pointer.store(two.load(Relaxed), Release);
                number.fetch_sub(1, Relaxed);
            });
            // SAFETY: both live until the end.
            (unsafe { *pointer.load(Acquire) }, number.load(Relaxed))
        })
    });
    assert_eq!(found, BTreeSet::from([(1, -1), (1, -2), (2, -1), (2, -2)]));
}

/// An atomic at the address of one that was freed has a history of its own.
#[test]
fn an_atomic_on_the_heap_begins_anew() {
    let found = outcomes(|| {
        for value in 1..4 {
            let atomic = Box::new(AtomicU64::new(0));
            thread::scope(|scope| {
                scope.spawn(|| atomic.store(value, Relaxed));
            });
        }
        let atomic = Box::new(AtomicU64::new(7));
        atomic.load(Relaxed)
    });
    assert_eq!(found, BTreeSet::from([7]));
}

/// The low byte of a number.
fn low_byte(whole: &AtomicU32) -> &AtomicU8 {
    // SAFETY: the byte lives as long as the whole.
    unsafe { AtomicU8::from_ptr(whole.as_ptr().cast()) }
}

#[test]
fn accesses_of_different_sizes_are_refused_unless_they_are_ordered() {
    let ordered = outcomes(|| {
        let whole = AtomicU32::new(0);
        thread::scope(|scope| _ = scope.spawn(|| whole.store(0x101, Relaxed)));
        low_byte(&whole).fetch_add(1, Relaxed);
        whole.load(Relaxed)
    });
    assert_eq!(ordered, BTreeSet::from([0x102]));
    let report = explored(Memory::Rc11, || {
        let whole = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| whole.store(1, Relaxed));
            low_byte(&whole).load(Relaxed)
        })
    });
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Unsupported);
    assert!(report.to_string().contains("different sizes"), "{report}");
}

struct Cells([UnsafeCell<u64>; 2]);
// SAFETY: what the test is about.
unsafe impl Sync for Cells {}

/// A load that reads an older store synchronises with that one, and not with the last.
#[test]
fn races_are_judged_by_what_was_read() {
    let program = |read_second: bool| {
        move || {
            let cells = Arc::new(Cells([UnsafeCell::new(0), UnsafeCell::new(0)]));
            let flag = Arc::new(AtomicU64::new(0));
            let (theirs, their_flag) = (cells.clone(), flag.clone());
            let other = thread::spawn(move || {
                // SAFETY: what this test is about.
                theirs.0[0].with_mut(|cell| unsafe { *cell = 1 });
                their_flag.store(1, Release);
                // SAFETY: the same.
                theirs.0[1].with_mut(|cell| unsafe { *cell = 1 });
                their_flag.store(2, Release);
            });
            let seen = flag.load(Acquire);
            if seen >= 1 {
                // SAFETY: the same.
                cells.0[(read_second && seen < 2) as usize].with(|cell| unsafe { *cell });
            }
            other.join().unwrap();
        }
    };
    assert!(explored(Memory::Rc11, program(false)).failure().is_none());
    let report = explored(Memory::Rc11, program(true));
    assert_eq!(report.failure().unwrap().kind(), FailureKind::DataRace);
}

#[test]
fn a_weak_compare_exchange_may_fail_for_no_reason() {
    let program = || AtomicU64::new(3).compare_exchange_weak(3, 4, AcqRel, Acquire);
    assert_eq!(outcomes(program), BTreeSet::from([Ok(3)]));
    let report = agreed(Checker::exhaustive().memory(Memory::Rc11).spurious(1), program);
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [Ok(3), Err(3)]);
}

/// Detached tasks store after main has returned.
#[test]
fn detached_tasks_go_on() {
    let found = outcomes(|| {
        let value = Arc::new(AtomicU64::new(0));
        let theirs = value.clone();
        thread::spawn(move || {
            theirs.store(1, Relaxed);
            theirs.store(2, Relaxed);
        });
        (value.load(Relaxed), value.load(Relaxed))
    });
    assert_eq!(found, BTreeSet::from([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]));
}

/// One that waits does not keep main from ending.
#[test]
fn detached_loops_are_left_behind() {
    let found = outcomes(|| {
        let value = Arc::new(AtomicU64::new(0));
        let theirs = value.clone();
        thread::spawn(move || {
            while theirs.load(Relaxed) != 3 {
                hint::spin_loop();
            }
            theirs.store(4, Relaxed);
        });
        value.store(1, Relaxed);
        value.load(Relaxed)
    });
    assert_eq!(found, BTreeSet::from([1]));
    let never_rests = || {
        let value = Arc::new(AtomicU64::new(0));
        let theirs = value.clone();
        thread::spawn(move || {
            for _ in 0..1_100 {
                theirs.store(1, Relaxed);
            }
        });
        value.load(SeqCst)
    };
    let report = Checker::exhaustive().memory(Memory::Rc11).max_executions(20).run(never_rests);
    assert!(!report.coverage().is_exhaustive() && report.failure().is_none(), "{report}");
}

/// What comes after a loop that gives up is explored.
#[test]
fn loops_that_give_up() {
    let found = outcomes(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let theirs = flag.clone();
        let other = thread::spawn(move || theirs.store(true, Relaxed));
        let mut rounds = 0;
        while !flag.load(Relaxed) && rounds < 20 {
            rounds += 1;
            thread::yield_now();
        }
        other.join().unwrap();
        rounds == 20
    });
    assert_eq!(found, BTreeSet::from([false, true]));
}

/// Two loops that wait for each other's stores, each of which the other could read.
#[test]
fn loops_that_wait_for_each_other() {
    let found = outcomes(|| {
        let shared = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let wait = |shared: &[AtomicU64; 2], own: usize| {
            shared[own].store(1, Relaxed);
            while shared[1 - own].load(Relaxed) == 0 {
                hint::spin_loop();
            }
        };
        let theirs = shared.clone();
        let other = thread::spawn(move || wait(&theirs, 1));
        wait(&shared, 0);
        other.join().unwrap();
    });
    assert_eq!(found.len(), 1);
    // Each waits before it stores: a livelock.
    let report = agreed(Checker::exhaustive().memory(Memory::Rc11).spin_rounds(1), || {
        let shared = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let wait = |shared: &[AtomicU64; 2], own: usize| {
            while shared[1 - own].load(Relaxed) == 0 {
                hint::spin_loop();
            }
            shared[own].store(1, Relaxed);
        };
        let theirs = shared.clone();
        let other = thread::spawn(move || wait(&theirs, 1));
        wait(&shared, 0);
        other.join().unwrap();
    });
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Livelock);
}

/// A loop that takes a value out of a stream of stores never goes back to an older one, also while it waits.
#[test]
fn loops_never_go_back() {
    let program = || {
        let value = Arc::new(AtomicU64::new(0));
        let theirs = value.clone();
        let other = thread::spawn(move || {
            theirs.store(1, Relaxed);
            theirs.store(2, Relaxed);
        });
        let mut last = 0;
        loop {
            let read = value.load(Relaxed);
            assert!(read >= last);
            last = read;
            if read == 2 {
                break;
            }
        }
        other.join().unwrap();
    };
    for memory in MODELS {
        let report = explored(memory, program);
        assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{report}");
    }
}
