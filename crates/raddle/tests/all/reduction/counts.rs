//! Programs whose numbers of traces are known. No observers, no merging of loops, sequential consistency.

use super::programs::*;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, RwLock};
use raddle::{Checker, thread};

/// The number of executions of an exhaustive check, for one worker and for more.
fn count(f: impl Fn() + Send + Sync) -> u64 {
    let counts: Vec<u64> = [1, 2, 4]
        .into_iter()
        .map(|workers| {
            let report = Checker::exhaustive().workers(workers).run(&f);
            assert!(report.failure().is_none(), "{report}");
            assert!(report.coverage().is_exhaustive(), "{:?}", report.coverage());
            report.executions()
        })
        .collect();
    assert_eq!(counts, [counts[0]; 3]);
    counts[0]
}

#[test]
fn increments_under_a_mutex() {
    let multinomials =
        [(2, 2, 6), (2, 3, 20), (2, 4, 70), (3, 1, 6), (3, 2, 90), (3, 3, 1_680), (3, 4, 34_650)];
    for (threads, each, traces) in multinomials {
        assert_eq!(count(|| mutex_counter(threads, each)), traces, "{threads} x {each}");
    }
}

#[test]
fn racy_increments() {
    for (threads, rounds, traces) in [(2, 1, 4), (2, 2, 34), (3, 1, 36)] {
        assert_eq!(count(|| racy(threads, rounds, false)), traces, "{threads} x {rounds}");
    }
}

#[test]
fn philosophers_with_a_fixed_order() {
    for (philosophers, rounds, traces) in [(3, 1, 6), (3, 2, 90), (4, 1, 14)] {
        assert_eq!(count(|| phil(philosophers, rounds, true)), traces, "{philosophers} x {rounds}");
    }
}

#[test]
fn independent_threads() {
    for threads in [1, 2, 5, 12] {
        assert_eq!(count(|| indep(threads, 3)), 1);
        assert_eq!(count(|| readers(threads, 3)), 1);
    }
}

#[test]
fn read_write_locks() {
    for (readers, writers, each, traces) in [(2, 1, 1, 4), (2, 1, 2, 36), (2, 2, 1, 18)] {
        assert_eq!(count(|| rwlock(readers, writers, each)), traces, "{readers}, {writers} x {each}");
    }
}

#[test]
fn the_last_zero() {
    for n in 2..=12 {
        assert_eq!(count(|| lastzero(n)), (n as u64 + 3) << (n - 2), "{n}");
    }
}

#[test]
fn one_writer_and_many_readers() {
    for n in 1..=13 {
        assert_eq!(count(|| writer_and_readers(n)), 1 << n, "{n}");
    }
}

#[test]
fn an_index() {
    assert_eq!(count(|| indexer(11, 128, 4)), 1);
    assert_eq!(count(|| indexer(12, 128, 4)), 8);
    assert_eq!(count(|| indexer(15, 128, 4)), 4_096);
}

#[test]
fn a_stack() {
    assert_eq!(count(|| treiber(2, 2)), 46);
}

#[test]
fn increments_in_one_step() {
    for (threads, each, traces) in [(2, 1, 2), (3, 1, 6), (4, 1, 24), (5, 1, 120), (2, 3, 20)] {
        assert_eq!(count(|| faa(threads, each)), traces, "{threads} x {each}");
    }
}

/// Each of two threads takes both locks, in opposite orders: one section comes before the other, in either
/// order, or each has one lock and waits for the other.
#[test]
fn a_deadlock_is_a_trace() {
    let report = Checker::exhaustive().keep_going().run(abba);
    assert_eq!((report.executions(), report.failures()), (3, 1));
}

/// With a preemption bound, depth-first search explores every interleaving within the bound, and the
/// reduction one per trace with an interleaving within it.
#[test]
fn bounds_are_reduced_too() {
    let [all, some] =
        [Checker::dfs(), Checker::exhaustive()].map(|checker| checker.preemptions(1).run(|| indep(2, 2)));
    assert_eq!((all.executions(), some.executions()), (4, 1));
}

/// Spurious wake-ups conflict only through their budget: tasks without them stay independent.
#[test]
fn spurious_wake_ups_are_reduced_too() {
    let count = |spurious, program: fn()| Checker::exhaustive().spurious(spurious).run(program).executions();
    assert_eq!(count(3, || indep(3, 4)), 1);
    let parks = || {
        let parked = thread::spawn(thread::park);
        parked.thread().unpark();
        parked.join().unwrap();
    };
    // It returns spuriously, or takes the token; with 0 there is no choice.
    assert_eq!([count(0, parks), count(1, parks)], [1, 2]);
}

/// Two readers block a writer, and one of them waits for a task that is blocked for ever.
#[test]
fn readers_who_keep_a_writer_out_for_ever() {
    let program = || {
        let shared = Arc::new((RwLock::new(()), Mutex::new(())));
        let (reads, writes) = (shared.clone(), shared.clone());
        thread::spawn(move || {
            let inner = reads.clone();
            thread::spawn(move || {
                let _read = inner.0.read().unwrap();
                drop(inner.1.lock());
            });
            drop(reads.0.read());
        });
        thread::spawn(move || {
            let _write = writes.0.write().unwrap();
            thread::park();
        });
        let _held = shared.1.lock().unwrap();
        thread::park();
    };
    let report = Checker::exhaustive().keep_going().run(program);
    assert_eq!((report.executions(), report.failures()), (5, 5), "main waits for ever");
    assert!(report.coverage().is_exhaustive());
}

/// Detached threads that main does not join: their steps are explored to completion, and their progress when
/// main returned is no choice of its own.
#[test]
fn detached_threads() {
    let idle = |threads: usize, steps: usize| {
        count(move || {
            let all = Arc::new((0..threads).map(|_| AtomicUsize::new(0)).collect::<Vec<_>>());
            for own in 0..threads {
                let all = all.clone();
                thread::spawn(move || (0..steps).for_each(|step| all[own].store(step, SeqCst)));
            }
        })
    };
    assert_eq!([idle(1, 1), idle(3, 1), idle(3, 20)], [1, 1, 1]);
    // The last operation of main sees the thread's write or not, however many other steps the thread takes.
    let seen = |before: usize, after: usize| {
        let report = Checker::exhaustive().run(move || {
            let shared = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let its = shared.clone();
            thread::spawn(move || {
                (0..before).for_each(|step| its[1].store(step, SeqCst));
                its[0].store(1, SeqCst);
                (0..after).for_each(|step| its[1].store(step, SeqCst));
            });
            shared[0].load(SeqCst)
        });
        assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [0, 1]);
        report.executions()
    };
    assert_eq!([seen(0, 0), seen(2, 0), seen(10, 10)], [2, 2, 2]);
    // A thread blocked for ever is no deadlock; a failure after main has returned fails the check.
    let waits = count(|| drop(thread::spawn(thread::park)));
    assert_eq!(waits, 1);
    let late = Checker::exhaustive().run(|| drop(thread::spawn(|| panic!("late"))));
    assert_eq!(late.failures(), 1);
}

/// If every step compared itself with all earlier ones, this would take minutes.
#[test]
fn a_loop_that_reads_very_often() {
    /// The iteration count is an operation, too: without it this would be a spin loop.
    fn read_often(value: &AtomicUsize) -> usize {
        let round = AtomicUsize::new(0);
        std::iter::repeat_with(|| value.load(SeqCst))
            .take_while(|_| round.fetch_add(1, SeqCst) < 50_000)
            .sum()
    }
    let report = Checker::exhaustive().max_steps(1_000_000).run(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let theirs = value.clone();
        let other = thread::spawn(move || read_often(&theirs));
        let sum = read_often(&value) + other.join().unwrap();
        value.store(sum, SeqCst);
    });
    assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{report}");
    assert_eq!(report.executions(), 1);
}

/// Clocks of many tasks are wide, and grow while tasks are spawned.
#[test]
fn two_of_very_many_tasks_conflict() {
    let two_conflict = || {
        let (shared, own) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let threads: Vec<_> = (0..150)
            .map(|n| {
                let value = if n == 3 || n == 140 { shared.clone() } else { Arc::new(AtomicUsize::new(n)) };
                thread::spawn(move || value.fetch_add(1, SeqCst))
            })
            .collect();
        own.store(threads.into_iter().map(|t| t.join().unwrap()).sum(), SeqCst);
    };
    assert_eq!(count(two_conflict), 2);
}
