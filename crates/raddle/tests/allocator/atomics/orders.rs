//! The number of interleavings, and the values of loads in them: sequential consistency.

use super::*;

type Pair = (AtomicUsize, AtomicUsize);

fn pair() -> Pair {
    Default::default()
}

/// Each task has two operations: C(4, 2) ways to merge them. Exits and joins are automatic, and then main is
/// alone.
const TWO_BY_TWO: u64 = 6;

#[test]
fn store_buffering_has_three_outcomes() {
    for order in [(Relaxed, Relaxed), (Release, Acquire), (SeqCst, SeqCst)] {
        let report = explore(move || {
            let order = std::sync::Arc::new(order);
            let (x, y, _) = two(
                (pair(), order),
                |((x, y), order)| {
                    x.store(1, order.0);
                    y.load(order.1)
                },
                |((x, y), order)| {
                    y.store(1, order.0);
                    x.load(order.1)
                },
            );
            (x, y)
        });
        assert_eq!(set(&report), BTreeSet::from([(0, 1), (1, 0), (1, 1)]));
        assert_eq!(report.executions(), TWO_BY_TWO);
    }
}

#[test]
fn independent_looking_operations_have_all_their_interleavings() {
    let report = explore(|| {
        let (_, _, shared) = two(
            pair(),
            |(x, _)| {
                x.store(1, SeqCst);
                x.fetch_add(1, SeqCst);
            },
            |(_, y)| {
                y.store(1, SeqCst);
                y.fetch_add(2, SeqCst);
            },
        );
        (shared.0.load(SeqCst), shared.1.load(SeqCst))
    });
    assert_eq!(*report.outcomes(), BTreeMap::from([((2, 3), TWO_BY_TWO)]));
}

#[test]
fn message_passing() {
    let report = explore(|| {
        let (_, seen, _) = two(
            pair(),
            |(data, flag)| {
                data.store(1, Relaxed);
                flag.store(1, Release);
            },
            |(data, flag)| (flag.load(Acquire), data.load(Relaxed)),
        );
        seen
    });
    assert_eq!(set(&report), BTreeSet::from([(0, 0), (0, 1), (1, 1)]));
    assert_eq!(report.executions(), TWO_BY_TWO);
}

#[test]
fn load_buffering() {
    let report = explore(|| {
        let (a, b, _) = two(
            pair(),
            |(x, y)| {
                let seen = x.load(Relaxed);
                y.store(1, Relaxed);
                seen
            },
            |(x, y)| {
                let seen = y.load(Relaxed);
                x.store(1, Relaxed);
                seen
            },
        );
        (a, b)
    });
    assert_eq!(set(&report), BTreeSet::from([(0, 0), (0, 1), (1, 0)]));
}

/// A load and a store lose updates, a read-modify-write does not.
#[test]
fn lost_updates() {
    fn load_and_store(x: &AtomicU32) {
        let seen = x.load(SeqCst);
        x.store(seen + 1, SeqCst);
    }
    fn fetch_add(x: &AtomicU32) {
        x.fetch_add(1, SeqCst);
    }
    let lossy = explore(|| two(AtomicU32::new(0), load_and_store, load_and_store).2.load(SeqCst));
    assert_eq!(set(&lossy), BTreeSet::from([1, 2]));
    assert_eq!(lossy.executions(), TWO_BY_TWO);
    let exact = explore(|| two(AtomicU32::new(0), fetch_add, fetch_add).2.load(SeqCst));
    // Either of the two is first.
    assert_eq!(*exact.outcomes(), BTreeMap::from([(2, 2)]));
}

/// Independent reads of independent writes: two readers always agree on the order of two writes.
#[test]
fn readers_agree_on_the_order_of_writes() {
    let report = passed(Checker::dfs().preemptions(2).run(|| {
        let shared = Arc::new(pair());
        let (one, two, three, four) = (shared.clone(), shared.clone(), shared.clone(), shared.clone());
        let writers =
            [thread::spawn(move || one.0.store(1, Relaxed)), thread::spawn(move || two.1.store(1, Relaxed))];
        let left = thread::spawn(move || (three.0.load(Relaxed), three.1.load(Relaxed)));
        let right = thread::spawn(move || (four.1.load(Relaxed), four.0.load(Relaxed)));
        writers.into_iter().for_each(|w| w.join().unwrap());
        (left.join().unwrap(), right.join().unwrap())
    }));
    assert!(!report.outcomes().contains_key(&((1, 0), (1, 0))));
    assert_eq!(report.outcomes().len(), 15);
}

/// Six tasks with one operation each run in each of 6! orders, without a preemption: a task exits after its
/// step.
#[test]
fn six_tasks() {
    let report = passed(Checker::dfs().preemptions(0).run(|| {
        let next = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..6)
            .map(|_| {
                let next = next.clone();
                thread::spawn(move || next.fetch_add(1, AcqRel))
            })
            .collect();
        tasks.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>()
    }));
    assert_eq!(report.outcomes().len(), 720);
    assert_eq!(report.executions(), 720);
    assert_eq!(next_of(&report), (0..6).collect());
}

/// The tickets that were drawn, in any execution.
fn next_of(report: &Report<Vec<usize>>) -> BTreeSet<usize> {
    report.outcomes().keys().flatten().copied().collect()
}

/// Seven tasks, all interleavings of one operation each: one write, six reads.
#[test]
fn seven_tasks_at_random() {
    let report = passed(Checker::random(3_000).seed(7).run(|| {
        let x = Arc::new(AtomicBool::new(false));
        let looks: Vec<_> = (0..6)
            .map(|_| {
                let x = x.clone();
                thread::spawn(move || x.load(SeqCst))
            })
            .collect();
        x.store(true, SeqCst);
        looks.into_iter().map(|t| t.join().unwrap() as usize).sum::<usize>()
    }));
    assert_eq!(set(&report), (0..=6).collect());
}

/// A fence is a step; a compiler fence is none, since no other task can observe it.
#[test]
fn fences() {
    let steps = |f: fn()| {
        let report = explore(move || {
            let other = thread::spawn(thread::yield_now);
            f();
            other.join().unwrap();
        });
        report.executions()
    };
    // The other task's yield has one position more than main has fences.
    assert_eq!(steps(|| ()), 1);
    assert_eq!(steps(|| compiler_fence(SeqCst)), 1);
    assert_eq!(steps(|| fence(SeqCst)), 2);
    assert_eq!(steps(|| [fence(Acquire), fence(Release)].into_iter().collect()), 3);
}
