//! Loops that wait are explored up to the number of rounds that the coverage line names, whatever they look with; none
//! hangs, and what was cut is said.

use raddle::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, RwLock, mpsc};
use raddle::time::{Duration, Instant};
use raddle::{Checker, FailureKind, Report, Time, hint, thread};
use std::ptr::null_mut;

const SAID: &str = "fair spins (3 rounds)";

/// A spin lock: what a task with this number does to take it, and to give it back.
struct SpinLock {
    lock: Box<dyn Fn(usize) + Send + Sync>,
    unlock: Box<dyn Fn(usize) + Send + Sync>,
}

impl SpinLock {
    fn new<S: Send + Sync + 'static>(state: S, lock: fn(&S, usize), unlock: fn(&S, usize)) -> SpinLock {
        let state = Arc::new(state);
        let same = state.clone();
        SpinLock { lock: Box::new(move |me| lock(&state, me)), unlock: Box::new(move |me| unlock(&same, me)) }
    }
}

fn swap() -> SpinLock {
    SpinLock::new(
        AtomicBool::new(false),
        |taken, _| {
            while taken.swap(true, SeqCst) {
                hint::spin_loop();
            }
        },
        |taken, _| taken.store(false, SeqCst),
    )
}

fn swap_without_a_hint() -> SpinLock {
    SpinLock::new(
        AtomicBool::new(false),
        |taken, _| while taken.swap(true, SeqCst) {},
        |taken, _| taken.store(false, SeqCst),
    )
}

fn fetch_or() -> SpinLock {
    SpinLock::new(
        AtomicUsize::new(0),
        |word, _| {
            while word.fetch_or(1, SeqCst) & 1 != 0 {
                thread::yield_now();
            }
        },
        |word, _| {
            word.fetch_and(!1, SeqCst);
        },
    )
}

fn compare_exchange() -> SpinLock {
    SpinLock::new(
        AtomicUsize::new(0),
        |word, _| {
            while word.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
                hint::spin_loop();
            }
        },
        |word, _| word.store(0, SeqCst),
    )
}

/// Test and test-and-set, with a pause that grows.
fn backoff() -> SpinLock {
    SpinLock::new(
        AtomicBool::new(false),
        |taken, _| {
            let mut pause = 1;
            loop {
                while taken.load(SeqCst) {
                    (0..pause).for_each(|_| hint::spin_loop());
                    pause = (2 * pause).min(64);
                }
                if !taken.swap(true, SeqCst) {
                    return;
                }
            }
        },
        |taken, _| taken.store(false, SeqCst),
    )
}

fn ticket() -> SpinLock {
    SpinLock::new(
        (AtomicUsize::new(0), AtomicUsize::new(0)),
        |(next, served), _| {
            let mine = next.fetch_add(1, SeqCst);
            while served.load(SeqCst) != mine {
                hint::spin_loop();
            }
        },
        |(_, served), _| {
            served.fetch_add(1, SeqCst);
        },
    )
}

#[derive(Default)]
struct Node {
    next: AtomicPtr<Node>,
    waits: AtomicBool,
}

type Mcs = (AtomicPtr<Node>, Vec<Node>);

fn mcs() -> SpinLock {
    SpinLock::new(
        (AtomicPtr::new(null_mut()), (0..2).map(|_| Node::default()).collect()),
        |(tail, nodes): &Mcs, me| {
            let node = &nodes[me];
            node.next.store(null_mut(), SeqCst);
            let before = tail.swap(&raw const *node as *mut Node, SeqCst);
            if !before.is_null() {
                node.waits.store(true, SeqCst);
                // SAFETY: nodes live as long as the lock.
                unsafe { &*before }.next.store(&raw const *node as *mut Node, SeqCst);
                while node.waits.load(SeqCst) {
                    hint::spin_loop();
                }
            }
        },
        |(tail, nodes), me| {
            let node = &nodes[me];
            let own = &raw const *node as *mut Node;
            if node.next.load(SeqCst).is_null() {
                if tail.compare_exchange(own, null_mut(), SeqCst, SeqCst).is_ok() {
                    return;
                }
                while node.next.load(SeqCst).is_null() {
                    hint::spin_loop();
                }
            }
            // SAFETY: as above.
            unsafe { &*node.next.load(SeqCst) }.waits.store(false, SeqCst);
        },
    )
}

fn clh() -> SpinLock {
    let taken = (0..3).map(|_| AtomicBool::new(false)).collect::<Vec<_>>();
    SpinLock::new(
        (AtomicUsize::new(2), taken),
        |(tail, taken), me| {
            taken[me].store(true, SeqCst);
            let before = tail.swap(me, SeqCst);
            while taken[before].load(SeqCst) {
                hint::spin_loop();
            }
        },
        |(_, taken), me| taken[me].store(false, SeqCst),
    )
}

/// Two tasks count under the lock, in two steps each.
fn counts(lock: fn() -> SpinLock) -> i64 {
    let shared = Arc::new((lock(), AtomicI64::new(0)));
    let add = |(lock, count): &(SpinLock, AtomicI64), me| {
        (lock.lock)(me);
        count.store(count.load(SeqCst) + 1, SeqCst);
        (lock.unlock)(me);
    };
    let its = shared.clone();
    let other = thread::spawn(move || add(&its, 1));
    add(&shared, 0);
    other.join().unwrap();
    shared.1.load(SeqCst)
}

#[test]
fn textbook_spin_locks_are_exhausted() {
    type Row = (&'static str, fn() -> SpinLock, u64);
    let locks: [Row; 8] = [
        ("swap", swap, 12),
        ("swap without a hint", swap_without_a_hint, 56),
        ("fetch_or", fetch_or, 12),
        ("compare_exchange", compare_exchange, 12),
        ("backoff", backoff, 26),
        ("ticket", ticket, 12),
        ("MCS", mcs, 86),
        ("CLH", clh, 12),
    ];
    for (name, lock, executions) in locks {
        let report = Checker::exhaustive().run(|| counts(lock));
        is_cut(&report, name);
        assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [2], "{name}");
        assert_eq!((report.executions(), report.abandoned()), (executions, 0), "{name}");
    }
}

fn is_cut<T>(report: &Report<T>, name: &str) {
    assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{name}: {report}");
    assert!(report.covered().contains(SAID), "{name}: {report}");
}

/// Looks up to `rounds` times whether another task has stored; the round in which it had, or `rounds`.
fn counting(rounds: i64, pause: fn()) -> i64 {
    let flag = Arc::new(AtomicBool::new(false));
    let its = flag.clone();
    let other = thread::spawn(move || its.store(true, SeqCst));
    let seen = (0..rounds).find(|_| {
        let is_set = flag.load(SeqCst);
        if !is_set {
            pause();
        }
        is_set
    });
    other.join().unwrap();
    seen.unwrap_or(rounds)
}

/// What a counting loop may see is found up to the rounds that are named, and so is that it gives up.
#[test]
fn a_counting_loop_loses_nothing_that_is_not_said() {
    for rounds in [1, 2, 3, 4, 12, 20, 120, 150, 900] {
        for pause in [hint::spin_loop as fn(), thread::yield_now, || {}] {
            for checker in [Checker::exhaustive(), Checker::dfs(), Checker::iterative()] {
                let report = checker.run(|| counting(rounds, pause));
                let found: Vec<i64> = report.outcomes().keys().copied().collect();
                let all: Vec<i64> = (0..=rounds).collect();
                assert!(report.coverage().is_exhaustive(), "{report}");
                match report.covered().contains(SAID) {
                    false => assert_eq!(found, all),
                    true => {
                        assert!(found.starts_with(&[0, 1, 2, 3]) && found.ends_with(&[rounds]), "{found:?}")
                    }
                }
            }
        }
    }
}

/// A loop that no other task can notice says nothing.
#[test]
fn a_loop_of_the_only_task_is_not_cut() {
    let report = Checker::exhaustive().run(|| {
        let flag = AtomicBool::new(false);
        (0..200).filter(|_| !flag.load(SeqCst)).inspect(|_| hint::spin_loop()).count()
    });
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [200]);
    assert!(!report.covered().contains("fair spins"), "{report}");
}

/// A function that looks three times is called twice: its loops count as one, and that is said.
#[test]
fn two_loops_in_a_row() {
    let look = |flag: &AtomicBool| {
        let looks = (0..3).find(|_| {
            let is_set = flag.load(SeqCst);
            hint::spin_loop();
            is_set
        });
        looks.unwrap_or(3)
    };
    let report = Checker::exhaustive().run(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let its = flag.clone();
        let other = thread::spawn(move || its.store(true, SeqCst));
        let seen = match look(&flag) {
            3 => 3 + look(&flag),
            seen => seen,
        };
        other.join().unwrap();
        seen
    });
    is_cut(&report, "two loops");
    assert!(report.outcomes().keys().copied().collect::<Vec<i32>>().starts_with(&[0, 1, 2, 3]), "{report}");
}

fn stores(value: &Arc<AtomicI64>) -> thread::JoinHandle<()> {
    let its = value.clone();
    thread::spawn(move || its.store(1, SeqCst))
}

fn until_finished() -> i64 {
    let value = Arc::new(AtomicI64::new(0));
    let other = stores(&value);
    while !other.is_finished() {
        thread::yield_now();
    }
    other.join().unwrap();
    value.load(SeqCst)
}

fn until_received() -> i64 {
    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || (1..3).for_each(|n| sender.send(n).unwrap()));
    let mut sum = 0;
    while sum < 3 {
        match receiver.try_recv() {
            Ok(n) => sum += n,
            Err(_) => thread::yield_now(),
        }
    }
    other.join().unwrap();
    sum - 2
}

fn under_try_lock() -> i64 {
    let value = Arc::new(Mutex::new(0));
    let its = value.clone();
    let other = thread::spawn(move || *its.lock().unwrap() = 1);
    let seen = loop {
        if let Ok(value) = value.try_lock()
            && *value != 0
        {
            break *value;
        }
        thread::yield_now();
    };
    other.join().unwrap();
    seen
}

fn under_lock() -> i64 {
    let value = Arc::new((Mutex::new(0), RwLock::new(0)));
    let its = value.clone();
    let other = thread::spawn(move || {
        *its.0.lock().unwrap() = 1;
        *its.1.write().unwrap() = 1;
    });
    while *value.0.lock().unwrap() == 0 {
        thread::yield_now();
    }
    while *value.1.read().unwrap() == 0 {
        thread::yield_now();
    }
    other.join().unwrap();
    1
}

fn until_a_deadline() -> i64 {
    let value = Arc::new(AtomicI64::new(0));
    let other = stores(&value);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(10) && value.load(SeqCst) == 0 {
        thread::yield_now();
    }
    other.join().unwrap();
    value.load(SeqCst)
}

#[test]
fn polling_ends_whatever_it_polls() {
    type Row = (&'static str, fn() -> i64, u64);
    let polls: [Row; 5] = [
        ("is_finished", until_finished, 16),
        ("try_recv", until_received, 95),
        ("try_lock", under_try_lock, 22),
        ("lock", under_lock, 33),
        ("Instant", until_a_deadline, 6),
    ];
    for (name, program, executions) in polls {
        let report = Checker::exhaustive().run(program);
        is_cut(&report, name);
        assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [1], "{name}");
        assert_eq!(report.executions(), executions, "{name}");
        is_cut(&Checker::dfs().run(program), name);
        let report = Checker::random(300).run(program);
        assert!(report.failure().is_none(), "{name}: {report}");
    }
}

#[derive(Clone, Copy)]
enum Waits {
    No,
    Sleeps(u64),
    Polls(u64),
}

/// Each task waits so many milliseconds, in its own way; the order in which they are done is the outcome.
fn order_of(tasks: &[Waits]) -> Vec<usize> {
    let begin = Instant::now();
    let order = Arc::new(Mutex::new(Vec::new()));
    let handles = (0..tasks.len()).map(|task| {
        let (order, waits) = (order.clone(), tasks[task]);
        thread::spawn(move || {
            match waits {
                Waits::No => (),
                Waits::Sleeps(time) => thread::sleep(Duration::from_millis(time)),
                Waits::Polls(time) => {
                    while begin.elapsed() < Duration::from_millis(time) {
                        thread::yield_now();
                    }
                }
            }
            order.lock().unwrap().push(task);
        })
    });
    handles.collect::<Vec<_>>().into_iter().for_each(|handle| handle.join().unwrap());
    let order = order.lock().unwrap();
    order.clone()
}

/// Time that passes is one event, whoever polls the clock: rounds are not multiplied by it, and no order is lost.
#[test]
fn deadlines_that_are_polled_lose_no_order() {
    use Waits::{No, Polls, Sleeps};
    // When idle: outcomes and executions. At any point: outcomes.
    let programs: [(&'static [Waits], usize, u64, usize); 6] = [
        (&[Polls(5), No], 1, 1, 2),
        (&[Polls(5), Polls(5)], 2, 2, 2),
        (&[Polls(5), Polls(5), Polls(5)], 6, 6, 6),
        (&[Polls(3), Polls(500)], 1, 1, 2),
        (&[Polls(5), Sleeps(5)], 2, 2, 2),
        (&[Polls(5), Sleeps(3), No], 1, 1, 6),
    ];
    for (number, (tasks, when_idle, executions, at_any_point)) in programs.into_iter().enumerate() {
        for (time, outcomes) in [(Time::Idle, when_idle), (Time::Any, at_any_point)] {
            let reduced = Checker::exhaustive().time(time).max_executions(1_000).run(|| order_of(tasks));
            assert_eq!(reduced.outcomes().len(), outcomes, "{number} {time:?}: {reduced}");
            let sampled = Checker::random(100).time(time).run(|| order_of(tasks));
            let is_known = |order: &Vec<usize>| reduced.outcomes().contains_key(order);
            assert!(sampled.outcomes().keys().all(is_known), "{number} {time:?}: {sampled}");
            if time == Time::Idle {
                assert!(reduced.coverage().is_exhaustive(), "{number}: {reduced}");
                assert_eq!(reduced.executions(), executions, "{number}");
            }
        }
    }
}

/// A lock under which something is changed is no look: such rounds are steps, as many as there are.
#[test]
fn a_loop_that_changes_something_under_a_lock_is_not_cut() {
    let report = Checker::exhaustive().run(|| {
        let count = Arc::new(Mutex::new(0));
        let its = count.clone();
        let other = thread::spawn(move || *its.lock().unwrap());
        for _ in 0..6 {
            *count.lock().unwrap() += 1;
            thread::yield_now();
        }
        other.join().unwrap()
    });
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    assert!(report.coverage().is_exhaustive() && !report.covered().contains("fair spins"), "{report}");
}

/// Updates that change nothing wake no other loop: a livelock, and not a limit of steps.
#[test]
fn two_loops_that_change_nothing_are_a_livelock() {
    for checker in [Checker::exhaustive(), Checker::dfs(), Checker::random(10)] {
        let report = checker.run(|| {
            let taken = Arc::new(AtomicBool::new(true));
            let its = taken.clone();
            let other = thread::spawn(move || while its.swap(true, SeqCst) {});
            while taken.swap(true, SeqCst) {
                thread::yield_now();
            }
            other.join().unwrap();
        });
        assert_eq!(report.failure().unwrap().kind(), FailureKind::Livelock, "{report}");
    }
}

/// A loop that gives up only after the others are stuck is no livelock.
#[test]
fn a_loop_that_gives_up_late_frees_the_others() {
    let report = Checker::exhaustive().run(|| {
        let flags = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
        let its = flags.clone();
        let other = thread::spawn(move || {
            while !its.1.load(SeqCst) {
                hint::spin_loop();
            }
        });
        let rounds = (0..900).take_while(|_| !flags.0.load(SeqCst)).inspect(|_| thread::yield_now()).count();
        flags.1.store(true, SeqCst);
        other.join().unwrap();
        rounds
    });
    is_cut(&report, "gives up");
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [900]);
}

/// A barrier as of the crate `spin`: the first task polls a count under a spin lock of its own making, so that each of its
/// rounds changes something, and undoes it. Says how many rounds main took.
fn barrier_under_a_spin_lock() -> u32 {
    fn lock(taken: &AtomicBool) {
        while taken.compare_exchange_weak(false, true, SeqCst, SeqCst).is_err() {
            while taken.load(SeqCst) {
                hint::spin_loop();
            }
        }
    }
    fn wait((taken, count): &(AtomicBool, AtomicUsize)) -> u32 {
        lock(taken);
        let came = count.load(SeqCst) + 1;
        count.store(came, SeqCst);
        let mut rounds = 0;
        while count.load(SeqCst) < 2 {
            rounds += 1;
            taken.store(false, SeqCst);
            hint::spin_loop();
            lock(taken);
        }
        taken.store(false, SeqCst);
        rounds
    }
    let barrier = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
    let its = barrier.clone();
    let other = thread::spawn(move || wait(&its));
    let rounds = wait(&barrier);
    other.join().unwrap();
    rounds
}

/// The other task waits for the lock. It was blocked once the same change had woken it often enough, for as long as the first
/// went round: a false limit of steps.
#[test]
fn a_loop_that_changes_something_starves_no_other() {
    for checker in [Checker::random(300), Checker::exhaustive().max_executions(60)] {
        let report = checker.max_steps(20_000).run(barrier_under_a_spin_lock);
        assert!(report.failure().is_none(), "{report}");
        assert!(report.executions() > 1 && report.steps() < 2_000 * report.executions(), "{report}");
    }
}

/// The turn that it is given belongs to the schedule.
#[test]
fn what_comes_after_such_a_turn_is_replayed() {
    let late = || assert!(barrier_under_a_spin_lock() < 100, "late");
    for checker in [Checker::random(300), Checker::exhaustive(), Checker::exhaustive().workers(2)] {
        let report = checker.max_executions(2_000).run(late);
        let ticket = report.failure().unwrap_or_else(|| panic!("{report}")).ticket();
        let replayed = Checker::replay_ticket(ticket.clone()).run(late);
        let message = replayed.failure().unwrap_or_else(|| panic!("{replayed}")).message().to_string();
        assert_eq!(message, "main panicked: late", "{report}");
    }
}
