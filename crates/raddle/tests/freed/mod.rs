//! Programs that free and allocate what raddle knows by its address. What a search finds, and in how many executions, must
//! not depend on the addresses that the allocator hands out, whether raddle hears what is freed or not: the expectations
//! hold in a program with raddle's allocator and in one without.

use raddle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Report, thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Makes the allocator hand out other addresses in every execution: holds a varying number of blocks of the usual sizes.
pub fn disturb_the_allocator() {
    type Blocks = (usize, Vec<Vec<u8>>);
    thread_local! {
        static HELD: RefCell<Blocks> = const { RefCell::new((0, Vec::new())) };
    }
    HELD.with_borrow_mut(|(executions, blocks)| {
        *executions += 1;
        blocks.clear();
        let sizes = [8, 24, 40, 56].into_iter().cycle();
        blocks.extend(sizes.take(*executions * 7 % 31).map(|size| vec![1; size]));
        // Those in the middle are freed again, so that there are holes.
        let mut at = 0;
        blocks.retain(|_| {
            at += 1;
            at % (*executions % 3 + 2) != 0
        });
    });
}

/// The number of executions, if the search passes with these outcomes.
#[track_caller]
fn passes<T: Ord + Debug + Clone>(report: Report<T>, outcomes: &[T]) -> u64 {
    assert!(report.failure().is_none(), "{report}");
    let found: BTreeSet<T> = report.outcomes().keys().cloned().collect();
    assert_eq!(found, outcomes.iter().cloned().collect());
    report.executions()
}

fn both<T: Send + 'static>(f: impl Fn() -> T + Clone + Send + 'static) -> (T, T) {
    let theirs = thread::spawn(f.clone());
    (f(), theirs.join().unwrap())
}

/// Two tasks that have nothing in common but the allocator.
#[test]
fn atomics_of_independent_tasks() {
    let program = || {
        disturb_the_allocator();
        both(|| {
            let rounds = AtomicUsize::new(0);
            (0..2).all(|n| {
                // The box comes after a step, so that the other task may have freed its own by then.
                let round = rounds.fetch_add(1, SeqCst);
                let count = Box::new(AtomicUsize::new(n));
                count.fetch_add(1, SeqCst) == round
            })
        })
    };
    let outcomes = [(true, true)];
    assert_eq!(passes(Checker::exhaustive().run(program), &outcomes), 1);
    assert_eq!(passes(Checker::exhaustive().workers(2).run(program), &outcomes), 1);
    // Four steps each, in any order.
    assert_eq!(passes(Checker::dfs().run(program), &outcomes), 70);
    assert_eq!(passes(Checker::random(1_000).run(program), &outcomes), 1_000);
    assert_eq!(passes(Checker::random(200).sampler("pct:3".parse().unwrap()).run(program), &outcomes), 200);
}

/// Locks carry their identity with them.
#[test]
fn locks_of_independent_tasks() {
    let program = || {
        disturb_the_allocator();
        both(|| {
            let rounds = AtomicUsize::new(0);
            (0..2).all(|n| {
                rounds.fetch_add(1, SeqCst);
                let count = Box::new(Mutex::new(n));
                *count.lock().unwrap() += 1;
                count.into_inner().unwrap() == n + 1
            })
        })
    };
    let outcomes = [(true, true)];
    assert_eq!(passes(Checker::exhaustive().run(program), &outcomes), 1);
    assert_eq!(passes(Checker::dfs().max_executions(500).run(program), &outcomes), 500);
    assert_eq!(passes(Checker::random(1_000).run(program), &outcomes), 1_000);
}

/// An atomic in each round, which the next one reuses the memory of: the value that a compare-exchange compares with is
/// that of its own atomic.
#[test]
fn shared_atomics_in_rounds() {
    let program = || {
        disturb_the_allocator();
        [0; 2].map(|_| {
            let winner = Arc::new(AtomicU64::new(0));
            let theirs = winner.clone();
            let other = thread::spawn(move || _ = theirs.compare_exchange(0, 1, SeqCst, SeqCst));
            let _ = winner.compare_exchange(0, 2, SeqCst, SeqCst);
            other.join().unwrap();
            winner.load(SeqCst)
        })
    };
    let outcomes = [[1, 1], [1, 2], [2, 1], [2, 2]];
    assert_eq!(passes(Checker::exhaustive().run(program), &outcomes), 4);
    assert_eq!(passes(Checker::exhaustive().workers(2).run(program), &outcomes), 4);
    passes(Checker::dfs().run(program), &outcomes);
    passes(Checker::random(500).run(program), &outcomes);
}

/// The same on the stack, where no allocator takes part.
#[test]
fn atomics_on_the_stack_in_rounds() {
    let program = || {
        [0; 2].map(|_| {
            let (winner, losers) = (AtomicU64::new(0), AtomicU64::new(0));
            thread::scope(|s| {
                for n in [1, 2] {
                    let (winner, losers) = (&winner, &losers);
                    s.spawn(move || {
                        if winner.compare_exchange(0, n, SeqCst, SeqCst).is_err() {
                            losers.fetch_add(1, SeqCst);
                        }
                    });
                }
            });
            assert_eq!(losers.into_inner(), 1);
            winner.into_inner()
        })
    };
    let outcomes = [[1, 1], [1, 2], [2, 1], [2, 2]];
    assert_eq!(passes(Checker::exhaustive().run(program), &outcomes), 4);
    passes(Checker::dfs().run(program), &outcomes);
}

/// Spin locks that come and go, each with a flag that is as it was at first when it is freed.
#[test]
fn spin_locks_that_come_and_go() {
    let program = || {
        disturb_the_allocator();
        let locked = |flag: &AtomicBool| flag.compare_exchange(false, true, SeqCst, SeqCst).is_ok();
        both(move || {
            (0..2)
                .map(|_| {
                    let flag = Arc::new(AtomicBool::new(false));
                    let theirs = flag.clone();
                    let other = thread::spawn(move || {
                        let taken = locked(&theirs);
                        if taken {
                            theirs.store(false, SeqCst);
                        }
                        taken
                    });
                    let taken = locked(&flag);
                    if taken {
                        flag.store(false, SeqCst);
                    }
                    taken as u32 * 10 + other.join().unwrap() as u32
                })
                .collect::<Vec<_>>()
        })
    };
    let one = [1, 10, 11];
    let rounds = || one.into_iter().flat_map(|a| one.map(|b| vec![a, b]));
    let outcomes: Vec<_> = rounds().flat_map(|a| rounds().map(move |b| (a.clone(), b))).collect();
    // In a round one of the two fails, or they come one after the other, in either order: 4 ways, 4 times.
    assert_eq!(passes(Checker::exhaustive().run(program), &outcomes), 256);
}
