//! What orders accesses to a cell, and what does not although the steps are in order.

use super::{failure, passes};
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use raddle::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, RwLockWriteGuard};
use raddle::{Checker, FailureKind, thread};

/// A cell that the test promises to synchronise, or not.
#[derive(Default)]
struct Plain(UnsafeCell<u32>);
// SAFETY: accesses go through `with` and `with_mut`, and the execution stops before two of them race.
unsafe impl Sync for Plain {}

impl Plain {
    #[track_caller]
    fn read(&self) -> u32 {
        // SAFETY: see above.
        self.0.with(|p| unsafe { *p })
    }
    #[track_caller]
    fn write(&self, value: u32) {
        // SAFETY: see above.
        self.0.with_mut(|p| unsafe { *p = value })
    }
}

#[derive(Default)]
struct Shared {
    cell: Plain,
    /// Signals that something has happened, and synchronises nothing.
    flag: AtomicUsize,
    rwlock: RwLock<bool>,
    mutex: Mutex<bool>,
    condvar: Condvar,
    cell_of: OnceLock<u32>,
}

/// Runs `main` in parallel with `other`.
fn two(main: fn(&Shared), other: fn(&Shared)) {
    let shared: Arc<Shared> = Arc::default();
    let its = shared.clone();
    let task = thread::spawn(move || other(&its));
    main(&shared);
    task.join().unwrap();
}

#[track_caller]
fn ordered(main: fn(&Shared), other: fn(&Shared)) {
    passes(Checker::dfs(), || two(main, other));
}

#[track_caller]
fn races(main: fn(&Shared), other: fn(&Shared)) {
    assert_eq!(failure(|| two(main, other)).kind(), FailureKind::DataRace);
}

#[test]
fn a_writer_is_ordered_with_readers() {
    let reads: fn(&Shared) = |s| {
        let _guard = s.rwlock.read().unwrap();
        s.cell.read();
    };
    let writes: fn(&Shared) = |s| {
        let _guard = s.rwlock.write().unwrap();
        s.cell.write(1);
    };
    ordered(reads, writes);
    ordered(writes, reads);
    ordered(writes, writes);
    ordered(reads, reads);
    let tries: fn(&Shared) = |s| {
        if let Ok(_guard) = s.rwlock.try_write() {
            s.cell.write(1);
        }
        if let Ok(_guard) = s.rwlock.try_read() {
            s.cell.read();
        }
    };
    ordered(tries, writes);
    ordered(reads, tries);
    ordered(tries, tries);
    let downgrades: fn(&Shared) = |s| {
        let guard = s.rwlock.write().unwrap();
        s.cell.write(1);
        let _guard = RwLockWriteGuard::downgrade(guard);
        s.cell.read();
    };
    ordered(downgrades, reads);
    ordered(downgrades, writes);
}

#[test]
fn readers_are_not_ordered_with_each_other() {
    let writes: fn(&Shared) = |s| {
        let _guard = s.rwlock.read().unwrap();
        s.cell.write(1);
    };
    races(writes, writes);
    // Not even if one has surely released before the other acquires.
    races(
        |s| {
            if s.flag.load(Relaxed) == 1 {
                let _guard = s.rwlock.read().unwrap();
                s.cell.write(2);
            }
        },
        |s| {
            drop(s.rwlock.read().map(|_| s.cell.write(1)));
            s.flag.store(1, Relaxed);
        },
    );
    // A failing try synchronises nothing.
    races(
        |s| {
            if s.flag.load(Relaxed) == 1 && s.rwlock.try_write().is_err() {
                s.cell.read();
            }
        },
        |s| {
            let _guard = s.rwlock.write().unwrap();
            s.cell.write(1);
            s.flag.store(1, Relaxed);
        },
    );
    // Accesses after a downgrade are a reader's.
    races(
        |s| {
            if s.flag.load(Relaxed) == 1 {
                let _guard = s.rwlock.read().unwrap();
                s.cell.read();
            }
        },
        |s| {
            let _guard = RwLockWriteGuard::downgrade(s.rwlock.write().unwrap());
            s.cell.write(1);
            s.flag.store(1, Relaxed);
        },
    );
}

#[test]
fn a_condvar_orders_by_its_mutex_only() {
    let waits: fn(&Shared) = |s| {
        let mut guard = s.mutex.lock().unwrap();
        s.cell.read();
        while !*guard {
            guard = s.condvar.wait(guard).unwrap();
        }
        s.cell.read();
    };
    ordered(waits, |s| {
        let mut guard = s.mutex.lock().unwrap();
        s.cell.write(1);
        *guard = true;
        s.condvar.notify_one();
    });
    races(
        |s| {
            let mut guard = s.mutex.lock().unwrap();
            if !*guard {
                guard = s.condvar.wait(guard).unwrap();
            }
            drop(guard);
            s.cell.read();
        },
        |s| {
            *s.mutex.lock().unwrap() = true;
            s.cell.write(1);
            s.condvar.notify_one();
        },
    );
}

#[test]
fn a_barrier_orders_what_was_before_with_what_comes_after() {
    let program = |rounds: usize| {
        let shared = Arc::new((Barrier::new(2), Plain::default(), Plain::default()));
        let its = shared.clone();
        let task = thread::spawn(move || {
            its.1.write(1);
            its.0.wait();
            let seen = its.2.read();
            if rounds == 2 {
                its.0.wait();
            }
            seen
        });
        shared.2.write(2);
        shared.0.wait();
        let seen = shared.1.read();
        if rounds == 2 {
            shared.0.wait();
            // A read may be followed by a write.
            shared.2.write(3);
        }
        (seen, task.join().unwrap())
    };
    for rounds in [1, 2] {
        assert_eq!(super::outcomes(|| program(rounds)), [(1, 2)].into());
    }
    let failed = failure(|| {
        let shared = Arc::new((Barrier::new(2), Plain::default()));
        let its = shared.clone();
        let task = thread::spawn(move || {
            its.0.wait();
            its.1.read();
        });
        shared.0.wait();
        shared.1.write(1);
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::DataRace);
}

#[test]
fn whoever_passes_a_barrier_late_learns_nothing_of_the_next_round() {
    // The first two meet. One of them writes and is the first to arrive in the next round, before the other
    // has passed; the other then sees that by the flag, which synchronises nothing.
    let failed = failure(|| {
        let shared = Arc::new((Barrier::new(2), Shared::default()));
        let its = shared.clone();
        let task = thread::spawn(move || {
            its.0.wait();
            its.1.cell.write(1);
            its.1.flag.store(1, Relaxed);
            its.0.wait();
        });
        shared.0.wait();
        if shared.1.flag.load(Relaxed) == 1 {
            shared.1.cell.read();
        }
        shared.0.wait();
        task.join().unwrap();
    });
    assert_eq!(failed.kind(), FailureKind::DataRace);
}

#[test]
fn an_initialisation_is_ordered_with_those_who_know_of_it() {
    let once = |visible: bool, ask: fn(&Once) -> bool| {
        passes(Checker::dfs(), move || {
            let shared = Arc::new((Once::new(), Plain::default()));
            let its = shared.clone();
            let task = thread::spawn(move || {
                its.0.call_once(|| {
                    if visible {
                        thread::yield_now();
                    }
                    its.1.write(1);
                });
                its.1.read();
            });
            if ask(&shared.0) {
                assert_eq!(shared.1.read(), 1);
            }
            task.join().unwrap();
        });
    };
    for visible in [false, true] {
        once(visible, Once::is_completed);
        once(visible, |once| {
            once.wait();
            true
        });
        once(visible, |once| {
            let mut mine = false;
            once.call_once(|| mine = true);
            !mine && once.is_completed()
        });
    }
}

#[test]
fn values_are_ordered_with_their_readers() {
    passes(Checker::dfs(), || {
        let cell = Arc::new(OnceLock::new());
        let its = cell.clone();
        let task = thread::spawn(move || {
            let value = Plain::default();
            value.write(7);
            drop(its.set(value));
        });
        if let Some(value) = cell.get() {
            assert_eq!(value.read(), 7);
        }
        assert_eq!(cell.wait().read(), 7);
        task.join().unwrap();
    });
    passes(Checker::dfs(), || {
        let lazy = Arc::new(LazyLock::new(|| {
            let value = Plain::default();
            value.write(7);
            value
        }));
        let its = lazy.clone();
        let task = thread::spawn(move || its.read());
        assert_eq!((lazy.read(), task.join().unwrap()), (7, 7));
    });
}

#[test]
fn who_learns_of_nothing_races() {
    // It has not started, or it runs; or only the flag was observed.
    races(
        |s| {
            if s.cell_of.get().is_none() {
                s.cell.read();
            }
        },
        |s| {
            s.cell_of.get_or_init(|| {
                s.cell.write(1);
                1
            });
        },
    );
    races(
        |s| {
            if s.flag.load(Relaxed) == 1 {
                s.cell.read();
            }
        },
        |s| {
            s.cell_of.get_or_init(|| {
                s.cell.write(1);
                1
            });
            s.flag.store(1, Relaxed);
        },
    );
}

#[test]
fn a_poisoned_initialisation_is_ordered_with_the_next() {
    passes(Checker::dfs(), || {
        let shared = Arc::new((Once::new(), Plain::default()));
        let its = shared.clone();
        let task = thread::spawn(move || {
            super::panic_of(|| {
                its.0.call_once_force(|_| {
                    its.1.write(its.1.read() + 1);
                    panic!("the closure");
                })
            })
        });
        shared.0.call_once_force(|_| shared.1.write(shared.1.read() + 1));
        task.join().unwrap();
    });
}
