//! `raddle::cell`: which accesses are data races.

use crate::common::{dfs, fails};
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
use raddle::sync::mpsc::channel;
use raddle::sync::{Arc, Barrier, Condvar, Mutex, OnceLock, RwLock};
use raddle::{Checker, FailureKind, thread};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

mod random_programs;

/// A cell that the test promises to synchronise, or not.
#[derive(Default)]
struct Shared<T: ?Sized>(UnsafeCell<T>);
// SAFETY: accesses go through `with` and `with_mut`, and the execution stops before two of them race.
unsafe impl<T: ?Sized + Send> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    const fn new(value: T) -> Shared<T> {
        Shared(UnsafeCell::new(value))
    }
    #[track_caller]
    fn read(&self) -> T {
        // SAFETY: see above.
        self.0.with(|p| unsafe { *p })
    }
    #[track_caller]
    fn look(&self) {
        self.read();
    }
    #[track_caller]
    fn write(&self, value: T) {
        // SAFETY: see above.
        self.0.with_mut(|p| unsafe { *p = value })
    }
}

#[track_caller]
fn passes(f: impl Fn() + Send + Sync) {
    if let Some(failure) = dfs(f).failure() {
        panic!("{}: {} {:#?}", failure.kind(), failure.message(), failure.trace());
    }
}

/// Runs `first` and `second` in two tasks, with one cell and one atomic.
fn two_tasks(
    first: impl Fn(&Shared<u32>, &AtomicUsize) + Copy + Send + 'static,
    second: impl Fn(&Shared<u32>, &AtomicUsize) + Copy + Send + 'static,
) -> impl Fn() + Send + Sync {
    let programs = std::sync::Mutex::new((first, second));
    move || {
        let (first, second) = *programs.lock().unwrap();
        let shared = Arc::new((Shared::new(0), AtomicUsize::new(0)));
        let other = shared.clone();
        let t = thread::spawn(move || second(&other.0, &other.1));
        first(&shared.0, &shared.1);
        t.join().unwrap();
    }
}

#[test]
fn two_writes_that_nothing_orders_are_a_race_in_the_very_first_execution() {
    let failure = fails(FailureKind::DataRace, two_tasks(|c, _| c.write(1), |c, _| c.write(2)));
    assert_eq!(failure.execution(), 1);
    // Main runs up to its join before the new task starts.
    assert_eq!(
        failure.message(),
        "main and main.1 touch UnsafeCell#1, and nothing in the program orders them"
    );
    let notes: Vec<String> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["main writes UnsafeCell#1 here", "main.1 writes UnsafeCell#1 here"]);
    let here: Vec<_> = failure.defect.facts.iter().map(|n| n.place.clone().unwrap()).collect();
    assert!(here.iter().all(|p| p.file.ends_with("cells.rs")) && here[0].column < here[1].column);
}

#[test]
fn a_read_and_a_write_race_and_two_reads_do_not() {
    fails(FailureKind::DataRace, two_tasks(|c, _| c.look(), |c, _| c.write(2)));
    fails(FailureKind::DataRace, two_tasks(|c, _| c.write(2), |c, _| c.look()));
    passes(two_tasks(|c, _| c.look(), |c, _| c.look()));
}

#[test]
fn accesses_are_no_steps() {
    let count = |touch: bool| {
        dfs(move || {
            let shared = Arc::new((Mutex::new(()), Shared::new(0)));
            let work = move |shared: &(Mutex<()>, Shared<u32>)| {
                let _guard = shared.0.lock().unwrap();
                if touch {
                    shared.1.write(shared.1.read() + 1);
                }
            };
            let other = shared.clone();
            let t = thread::spawn(move || work(&other));
            work(&shared);
            t.join().unwrap();
        })
        .executions()
    };
    // Either main or the other locks first. Then only its unlock is enabled; after that it exits, or waits in
    // the join, and only the other task has operations left.
    assert_eq!(count(false), 2);
    assert_eq!(count(true), count(false));
}

#[test]
fn what_a_mutex_protects_does_not_race() {
    let report = dfs(|| {
        let shared = Arc::new((Mutex::new(()), Shared::new(0)));
        let tasks: Vec<_> = (1..3)
            .map(|n| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let _guard = shared.0.lock().unwrap();
                    shared.1.write(10 * shared.1.read() + n);
                })
            })
            .collect();
        tasks.into_iter().for_each(|t| t.join().unwrap());
        shared.1.read()
    });
    assert!(report.failure().is_none());
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [12, 21]);
    // The other mutex creates no happens-before.
    fails(FailureKind::DataRace, || {
        let shared = Arc::new((Mutex::new(()), Mutex::new(()), Shared::new(0)));
        let other = shared.clone();
        let t = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.2.write(1);
        });
        let guard = shared.1.lock().unwrap();
        shared.2.write(2);
        drop(guard);
        t.join().unwrap();
    });
}

/// One task writes and raises a flag, the other reads if it sees the flag.
fn hand_over(raise: Ordering, look: Ordering) -> impl Fn() + Send + Sync {
    let orderings = (raise, look);
    move || {
        let (raise, look) = orderings;
        let shared = Arc::new((Shared::new(0), AtomicUsize::new(0)));
        let other = shared.clone();
        let t = thread::spawn(move || {
            if other.1.load(look) == 1 {
                assert_eq!(other.0.read(), 42);
            }
        });
        shared.0.write(42);
        shared.1.store(1, raise);
        t.join().unwrap();
    }
}

#[test]
fn a_flag_hands_over_only_what_it_releases_and_acquires() {
    passes(hand_over(Release, Acquire));
    passes(hand_over(SeqCst, SeqCst));
    for (raise, look) in [(Relaxed, Acquire), (Release, Relaxed), (Relaxed, Relaxed), (SeqCst, Relaxed)] {
        let failure = fails(FailureKind::DataRace, hand_over(raise, look));
        assert_eq!(
            failure.message(),
            "main and main.1 touch UnsafeCell#1, and nothing in the program orders them"
        );
    }
}

#[test]
fn a_release_sequence_survives_updates_but_no_store() {
    let middle = |change: fn(&AtomicUsize)| {
        move || {
            let shared = Arc::new((Shared::new(0), AtomicUsize::new(0)));
            let [one, two] = [shared.clone(), shared.clone()];
            let tasks = [
                thread::spawn(move || {
                    one.0.write(1);
                    one.1.store(1, Release);
                }),
                thread::spawn(move || {
                    if two.1.load(Relaxed) == 1 {
                        change(&two.1);
                    }
                }),
            ];
            if shared.1.load(Acquire) == 2 {
                shared.0.read();
            }
            tasks.into_iter().for_each(|t| t.join().unwrap());
        }
    };
    passes(middle(|a| _ = a.fetch_add(1, Relaxed)));
    passes(middle(|a| _ = a.swap(2, Relaxed)));
    passes(middle(|a| _ = a.compare_exchange(1, 2, Relaxed, Relaxed)));
    fails(FailureKind::DataRace, middle(|a| a.store(2, Relaxed)));
    // A release store synchronises only with its own task, which has not acquired the write.
    fails(FailureKind::DataRace, middle(|a| a.store(2, Release)));
}

#[test]
fn a_failed_compare_exchange_is_a_load_with_its_own_ordering() {
    let look = |failure: Ordering| {
        two_tasks_with(failure, |order, cell, flag| {
            if flag.compare_exchange(7, 8, AcqRel, order) == Err(1) {
                cell.read();
            }
        })
    };
    passes(look(Acquire));
    fails(FailureKind::DataRace, look(Relaxed));
}

/// Main writes the cell and then 1 to the atomic; the other task does `second`.
fn two_tasks_with(
    ordering: Ordering,
    second: fn(Ordering, &Shared<u32>, &AtomicUsize),
) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((Shared::new(0), AtomicUsize::new(0)));
        let other = shared.clone();
        let t = thread::spawn(move || second(ordering, &other.0, &other.1));
        shared.0.write(1);
        shared.1.store(1, Release);
        t.join().unwrap();
    }
}

#[test]
fn spawning_and_joining_order_accesses() {
    passes(|| {
        let cell = Arc::new(Shared::new(0));
        cell.write(1);
        let other = cell.clone();
        let t = thread::spawn(move || {
            assert_eq!(other.read(), 1);
            other.write(2);
        });
        t.join().unwrap();
        assert_eq!(cell.read(), 2);
        cell.write(3);
    });
    // Two children are not ordered with each other.
    fails(FailureKind::DataRace, || {
        let cell = Arc::new(Shared::new(0));
        let [one, two] = [cell.clone(), cell];
        let t = thread::spawn(move || one.write(1));
        let u = thread::spawn(move || two.write(2));
        t.join().unwrap();
        u.join().unwrap();
    });
    // An operation of the parent after the spawn is not ordered with the child.
    fails(FailureKind::DataRace, || {
        let cell = Arc::new(Shared::new(0));
        let other = cell.clone();
        let t = thread::spawn(move || other.look());
        cell.write(1);
        t.join().unwrap();
    });
}

/// Main accesses the cell under its lock and raises a relaxed flag; the other task accesses it under its lock
/// if it sees the flag.
fn under_locks(
    first: fn(&RwLock<()>, &mut dyn FnMut()),
    second: fn(&RwLock<()>, &mut dyn FnMut()),
) -> impl Fn() + Send + Sync {
    move || {
        let shared = Arc::new((Shared::new(0), AtomicUsize::new(0), RwLock::new(())));
        let other = shared.clone();
        let t = thread::spawn(move || {
            if other.1.load(Relaxed) == 1 {
                second(&other.2, &mut || other.0.look());
            }
        });
        first(&shared.2, &mut || shared.0.write(1));
        shared.1.store(1, Relaxed);
        t.join().unwrap();
    }
}

#[test]
fn readers_synchronise_with_writers_but_not_with_each_other() {
    let read: fn(&RwLock<()>, &mut dyn FnMut()) = |lock, f| {
        let _guard = lock.read().unwrap();
        f();
    };
    let write: fn(&RwLock<()>, &mut dyn FnMut()) = |lock, f| {
        let _guard = lock.write().unwrap();
        f();
    };
    passes(under_locks(write, write));
    passes(under_locks(write, read));
    passes(under_locks(read, write));
    fails(FailureKind::DataRace, under_locks(read, read));
}

#[test]
fn a_barrier_separates_what_comes_before_from_what_comes_after() {
    passes(|| {
        let shared = Arc::new((Shared::new(0), Barrier::new(2)));
        let other = shared.clone();
        let t = thread::spawn(move || {
            other.0.write(1);
            other.1.wait();
        });
        shared.1.wait();
        assert_eq!(shared.0.read(), 1);
        t.join().unwrap();
    });
    // Between two rounds nothing is ordered, however late a task passes the first.
    for seed in 0..50 {
        let report = Checker::random(1).sampler(raddle::Sampler::Uniform).seed(seed).run(|| {
            let shared = Arc::new((Shared::new(0), Barrier::new(2)));
            let work = |shared: &(Shared<u32>, Barrier)| {
                shared.1.wait();
                shared.0.write(1);
                shared.1.wait();
            };
            let other = shared.clone();
            let t = thread::spawn(move || work(&other));
            work(&shared);
            t.join().unwrap();
        });
        assert_eq!(report.failure().unwrap().kind(), FailureKind::DataRace);
    }
}

#[test]
fn a_condition_variable_hands_over_what_its_mutex_protects() {
    passes(|| {
        let shared = Arc::new((Shared::new(0), Mutex::new(false), Condvar::new()));
        let other = shared.clone();
        let t = thread::spawn(move || {
            other.0.write(1);
            *other.1.lock().unwrap() = true;
            other.2.notify_one();
        });
        let guard = shared.2.wait_while(shared.1.lock().unwrap(), |ready| !*ready).unwrap();
        drop(guard);
        assert_eq!(shared.0.read(), 1);
        t.join().unwrap();
    });
    // During the wait, other tasks may access what the mutex protects.
    passes(|| {
        let shared = Arc::new((Shared::new(0), Mutex::new(false), Condvar::new()));
        let other = shared.clone();
        let t = thread::spawn(move || {
            let mut ready = other.1.lock().unwrap();
            other.0.write(other.0.read() + 1);
            *ready = true;
            other.2.notify_all();
        });
        let mut ready = shared.1.lock().unwrap();
        shared.0.write(shared.0.read() + 1);
        while !*ready {
            ready = shared.2.wait(ready).unwrap();
        }
        assert_eq!(shared.0.read(), 2);
        drop(ready);
        t.join().unwrap();
    });
}

#[test]
fn a_message_hands_over_what_its_sender_knew() {
    let program = |messages: usize| {
        move || {
            let cell = Arc::new(Shared::new(0));
            let other = cell.clone();
            let (sender, receiver) = channel();
            let t = thread::spawn(move || {
                sender.send(1).unwrap();
                other.write(1);
                sender.send(2).unwrap();
            });
            for _ in 0..messages {
                receiver.recv().unwrap();
            }
            cell.write(2);
            t.join().unwrap();
        }
    };
    fails(FailureKind::DataRace, program(1));
    passes(program(2));
}

#[test]
fn what_is_done_once_is_known_to_whoever_sees_it_done() {
    passes(|| {
        let shared = Arc::new((Shared::new(0), OnceLock::new()));
        let work = |shared: &(Shared<u32>, OnceLock<()>)| {
            shared.1.get_or_init(|| shared.0.write(1));
            assert_eq!(shared.0.read(), 1);
        };
        let other = shared.clone();
        let t = thread::spawn(move || work(&other));
        work(&shared);
        t.join().unwrap();
    });
}

#[test]
fn an_access_lasts_as_long_as_its_closure() {
    // In the only execution in which the flag is seen, the reader comes before the writer's access has ended.
    let failure = fails(FailureKind::DataRace, || {
        let shared = Arc::new((Shared::new(0), AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = shared.clone();
        let t = thread::spawn(move || {
            if other.1.load(Acquire) == 1 && other.2.load(Relaxed) == 0 {
                other.0.read();
            }
        });
        shared.0.0.with_mut(|_| {
            shared.1.store(1, Release);
            shared.2.store(1, Relaxed);
        });
        t.join().unwrap();
    });
    assert_eq!(failure.message(), "main.1 reads UnsafeCell#1 while main is still in the middle of a write");
    // Only executions in which the reader comes after the writer's access: its release was too early.
    let failure = fails(FailureKind::DataRace, || {
        let shared = Arc::new((Shared::new(0), AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = shared.clone();
        let t = thread::spawn(move || {
            if other.2.load(Relaxed) == 1 && other.1.load(Acquire) == 1 {
                other.0.read();
            }
        });
        shared.0.0.with_mut(|_| shared.1.store(1, Release));
        shared.2.store(1, Relaxed);
        t.join().unwrap();
    });
    assert_eq!(
        failure.message(),
        "main and main.1 touch UnsafeCell#1, and nothing in the program orders them"
    );
    // The record shows where the long access ended.
    let lines: Vec<_> = failure.trace().lines.iter().filter(|l| l.object.is_some()).collect();
    let told: Vec<String> =
        lines.iter().map(|l| format!("{} {}", l.expected_operation(), l.result)).collect();
    assert_eq!(
        told,
        [
            "write UnsafeCell#1 ",
            "store AtomicUsize#1 1",
            "write UnsafeCell#1 ends",
            "store main.1/AtomicUsize#1 1",
            "load main.1/AtomicUsize#1 → 1",
            "load AtomicUsize#1 → 1",
            "read UnsafeCell#1 ",
        ]
    );
    assert!(lines.iter().all(|l| l.step.is_some() == (l.operation == "store" || l.operation == "load")));
}

#[test]
fn accesses_that_overlap_are_a_race_even_if_they_began_in_order() {
    let failure = fails(FailureKind::DataRace, || {
        let cell = Arc::new(Shared::new(0));
        let other = cell.clone();
        cell.0.with(|_| thread::spawn(move || other.write(1)).join().unwrap());
    });
    assert_eq!(failure.message(), "main.1 writes UnsafeCell#1 while main is still in the middle of a read");
    passes(|| {
        let cell = Arc::new(Shared::new(0));
        let other = cell.clone();
        cell.0.with(|_| thread::spawn(move || other.look()).join().unwrap());
    });
}

#[test]
fn a_reference_to_what_is_changed_must_be_the_only_one() {
    let nested = |outer: fn(&UnsafeCell<u32>, &mut dyn FnMut()),
                  inner: fn(&UnsafeCell<u32>, &mut dyn FnMut())| {
        move || {
            let cell = UnsafeCell::new(1);
            outer(&cell, &mut || inner(&cell, &mut || ()));
        }
    };
    let read: fn(&UnsafeCell<u32>, &mut dyn FnMut()) = |c, f| c.with(|_| f());
    let write: fn(&UnsafeCell<u32>, &mut dyn FnMut()) = |c, f| c.with_mut(|_| f());
    passes(nested(read, read));
    let failure = fails(FailureKind::Misuse, nested(read, write));
    assert_eq!(
        failure.message(),
        "main writes UnsafeCell#1 inside of its own read of it: a reference to the value that is changed must \
         be the only one"
    );
    assert_eq!(failure.defect.facts.len(), 2);
    fails(FailureKind::Misuse, nested(write, read));
    fails(FailureKind::Misuse, nested(write, write));
    // Sequential accesses are fine, and so is one cell inside another's access.
    passes(|| {
        let (one, two) = (UnsafeCell::new(1), UnsafeCell::new(2));
        one.with_mut(|_| two.with_mut(|_| ()));
        two.with_mut(|_| one.with(|_| one.with(|_| ())));
        one.with_mut(|_| ());
    });
}

#[test]
fn an_access_ends_when_its_closure_panics() {
    passes(|| {
        let cell = UnsafeCell::new(1);
        let panics = catch_unwind(AssertUnwindSafe(|| cell.with_mut(|_| panic!("in the middle"))));
        assert!(panics.is_err());
        cell.with_mut(|p| unsafe { *p = 2 });
        let panics = catch_unwind(AssertUnwindSafe(|| cell.with(|_| panic!("in the middle"))));
        assert!(panics.is_err());
        cell.with_mut(|p| unsafe { *p = 3 });
    });
}

#[test]
fn cells_inside_of_cells_are_other_cells() {
    passes(|| {
        let nested = UnsafeCell::new(UnsafeCell::new(1u32));
        nested.with(|p| unsafe { (*p).with_mut(|p| *p = 2) });
        assert_eq!(nested.into_inner().into_inner(), 2);
        // An atomic at the address of a cell is another object, too.
        let atomic = UnsafeCell::new(AtomicUsize::new(1));
        atomic.with(|p| unsafe { (*p).fetch_add(1, Relaxed) });
        atomic.with_mut(|p| unsafe { *(*p).get_mut() += 1 });
        assert_eq!(atomic.into_inner().into_inner(), 3);
    });
    // Many tasks may read the outer cell while the inner one is written under a lock.
    passes(|| {
        let shared = Arc::new((Mutex::new(()), Shared(UnsafeCell::new(UnsafeCell::new(0)))));
        let work = |shared: &(Mutex<()>, Shared<UnsafeCell<u32>>)| {
            let _guard = shared.0.lock().unwrap();
            shared.1.0.with(|outer| unsafe { (*outer).with_mut(|inner| *inner += 1) });
        };
        let other = shared.clone();
        let t = thread::spawn(move || work(&other));
        work(&shared);
        t.join().unwrap();
    });
}

#[test]
fn a_view_without_a_known_size_is_the_same_cell() {
    fails(FailureKind::DataRace, || {
        let cell: Arc<Shared<[u8; 4]>> = Arc::default();
        let other: Arc<Shared<[u8]>> = cell.clone();
        // SAFETY: the execution stops before the race.
        let t = thread::spawn(move || other.0.with_mut(|p| unsafe { (*p)[0] = 1 }));
        cell.write([2; 4]);
        t.join().unwrap();
    });
    passes(|| {
        let boxed: Box<UnsafeCell<dyn Debug>> = Box::new(UnsafeCell::new(7u32));
        // SAFETY: no other task has it.
        assert_eq!(boxed.with(|p| unsafe { format!("{:?}", &*p) }), "7");
    });
}

#[test]
fn a_value_without_memory_cannot_be_raced_for() {
    passes(|| {
        let cell: Arc<Shared<()>> = Arc::default();
        let other = cell.clone();
        let t = thread::spawn(move || other.write(()));
        cell.write(());
        t.join().unwrap();
    });
}

#[test]
fn freed_memory_is_forgotten() {
    // Of a size that other code is unlikely to allocate in between.
    fn touched() -> Box<UnsafeCell<[u64; 107]>> {
        let cell = Box::new(UnsafeCell::new([0; 107]));
        // SAFETY: no other task has it.
        cell.with_mut(|p| unsafe { (*p)[0] = 1 });
        cell
    }
    let search = || {
        dfs(|| {
            // An atomic of std: it creates no happens-before here.
            let freed = Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let its = freed.clone();
            // Neither task has an operation, so the first exits before the second starts.
            let first = thread::spawn(move || its.store(&raw const *touched() as usize, SeqCst));
            // Gets the memory of the first one's box sooner or later; only the allocator orders the two.
            let second = thread::spawn(move || {
                let mut kept = Vec::with_capacity(100);
                (0..100).any(|at| {
                    kept.push(touched());
                    &raw const *kept[at] as usize == freed.load(SeqCst)
                })
            });
            first.join().unwrap();
            second.join().unwrap()
        })
    };
    // The allocator decides; one search in which it reused the memory is enough.
    let used_again = (0..100).any(|_| {
        let report = search();
        assert!(report.failure().is_none(), "{:?}", report.failure());
        report.outcomes().contains_key(&true)
    });
    assert!(used_again, "the allocator never used memory again");
}

#[test]
fn the_stack_of_an_ended_task_is_forgotten() {
    let report = dfs(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let touch = |ended: &AtomicUsize| {
            let cell = UnsafeCell::new(0u64);
            // SAFETY: no other task has it.
            cell.with_mut(|p| unsafe { *p += 1 });
            ended.fetch_add(1, Relaxed);
            &raw const cell as usize
        };
        let one = ended.clone();
        let first = thread::spawn(move || touch(&one));
        while ended.load(Relaxed) == 0 {
            thread::yield_now();
        }
        let two = ended.clone();
        let second = thread::spawn(move || touch(&two));
        first.join().unwrap() == second.join().unwrap()
    });
    assert!(report.failure().is_none(), "{:?}", report.failure());
    assert!(report.outcomes().contains_key(&true), "no stack was used again");
}

#[test]
fn statics_start_clean_in_every_execution() {
    static CELL: Shared<u32> = Shared::new(7);
    static LOCK: Mutex<()> = Mutex::new(());
    for workers in [1, 2] {
        let report = Checker::dfs().workers(workers).run(|| {
            let work = || {
                let _guard = LOCK.lock().unwrap();
                CELL.write(CELL.read() + 1);
            };
            let t = thread::spawn(work);
            work();
            t.join().unwrap();
            // SAFETY: the other task is gone.
            assert_eq!(unsafe { *CELL.0.get() }, CELL.read());
            CELL.read()
        });
        assert!(report.failure().is_none(), "{:?}", report.failure());
        assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [9]);
    }
    assert_eq!(CELL.read(), 7);
    fails(FailureKind::DataRace, || {
        let t = thread::spawn(|| CELL.write(1));
        CELL.write(2);
        t.join().unwrap();
    });
}

#[test]
fn an_execution_may_end_in_the_middle_of_an_access() {
    let failure = fails(FailureKind::Deadlock, || {
        let cell = UnsafeCell::new(vec![1]);
        let lock = Mutex::new(());
        let _guard = lock.lock().unwrap();
        cell.with_mut(|_| drop(lock.lock()));
    });
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    fails(FailureKind::Panic, || UnsafeCell::new(1).with_mut(|_| panic!("in the middle")));
    // Destructors may access cells during teardown.
    struct Touches(UnsafeCell<u32>);
    impl Drop for Touches {
        fn drop(&mut self) {
            // SAFETY: no other task has it.
            self.0.with_mut(|p| unsafe { *p += 1 });
        }
    }
    fails(FailureKind::Panic, || {
        let _touches = Touches(UnsafeCell::new(0));
        let _ended = thread::spawn(|| {
            let _touches = Touches(UnsafeCell::new(0));
            Mutex::new(()).lock().map(drop).unwrap();
        });
        panic!("first");
    });
}

#[test]
fn a_label_names_a_cell() {
    let failure = fails(FailureKind::DataRace, || {
        let cell = Arc::new(Shared::new(0));
        raddle::label(&cell.0, "balance");
        let other = cell.clone();
        let t = thread::spawn(move || other.write(1));
        cell.write(2);
        t.join().unwrap();
    });
    assert_eq!(
        failure.message(),
        "main and main.1 touch UnsafeCell#1 \"balance\", and nothing in the program orders them"
    );
}

#[test]
fn replaying_a_race_finds_it_again() {
    let found = Checker::random(100).seed(3).run(hand_over(Relaxed, Acquire)).failure().unwrap().clone();
    assert_eq!(found.kind(), FailureKind::DataRace);
    let replayed = Checker::replay_ticket(found.ticket().clone()).run(hand_over(Relaxed, Acquire));
    let again = replayed.failure().unwrap();
    assert_eq!((&again.defect, again.trace()), (&found.defect, found.trace()));
}

#[test]
fn it_has_the_face_of_std() {
    const INNER: u32 = UnsafeCell::new(1).into_inner();
    assert_eq!(INNER, 1);
    assert_eq!(size_of::<UnsafeCell<[u8; 3]>>(), 3);
    let mut cell = UnsafeCell::from(1);
    *cell.get_mut() += 1;
    // SAFETY: no other task has it.
    unsafe {
        *cell.get() += 1;
        *UnsafeCell::raw_get(&cell) += 1;
    }
    cell.with_mut(|p| unsafe { *p += 1 });
    assert_eq!(cell.with(|p| unsafe { *p }), 5);
    assert_eq!(format!("{cell:?}"), format!("{:?}", std::cell::UnsafeCell::new(5)));
    assert_eq!(cell.into_inner(), 5);
    assert_eq!(UnsafeCell::<u32>::default().into_inner(), 0);
    let mut value = 3;
    *UnsafeCell::from_mut(&mut value).get_mut() += 1;
    assert_eq!(value, 4);
    let mut bytes = [1u8, 2];
    let unsized_view: &mut UnsafeCell<[u8]> = UnsafeCell::from_mut(&mut bytes[..]);
    unsized_view.get_mut()[0] = 9;
    assert_eq!(bytes, [9, 2]);
    let sized: &UnsafeCell<[u8; 2]> = &UnsafeCell::new([1, 2]);
    let coerced: &UnsafeCell<[u8]> = sized;
    // SAFETY: no other task has it.
    assert_eq!(coerced.with(|p| unsafe { (&*p).len() }), 2);
    fn is_send<T: Send>() {}
    is_send::<UnsafeCell<u32>>();
    // The rest is std's own.
    use raddle::cell::{BorrowError, BorrowMutError, Cell, LazyCell, OnceCell, Ref, RefCell, RefMut};
    let shared = RefCell::new(1);
    let one: Ref<'_, i32> = shared.borrow();
    let refused: Result<RefMut<'_, i32>, BorrowMutError> = shared.try_borrow_mut();
    assert!(refused.is_err());
    drop(one);
    let refused: Result<Ref<'_, i32>, BorrowError> = shared.try_borrow();
    assert!(refused.is_ok());
    assert_eq!(Cell::new(1).replace(2) + *OnceCell::new().get_or_init(|| 3) + *LazyCell::new(|| 4), 8);
}
