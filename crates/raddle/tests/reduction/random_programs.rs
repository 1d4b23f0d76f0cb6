//! Random programs over the real primitives, explored by depth-first search and by the reduction: the same
//! outcomes, the same failures, and one execution for each trace that depth-first search sees.

#[path = "../../../core/tests/common/classes.rs"]
#[allow(dead_code, reason = "core's tests use all of it")]
mod classes;

use classes::{Seen, classifier};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use raddle::sync::{Barrier, Condvar, Mutex, Once, RwLock};
use raddle::thread::{self, JoinHandle, Thread};
use raddle_core::clock::Time;
use raddle_core::search::{Budget, Findings, NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Dfs, Optimal, Random};
use raddle_native::{NativeWorld, Settings, Spins};
use std::sync::Arc;
use std::time::Duration;

/// What a task does.
#[derive(Clone, Debug)]
pub enum Do {
    Load(usize),
    Store(usize, i64),
    Add(usize),
    Exchange(usize, i64),
    Lock(usize, Vec<Do>),
    TryLock(usize, Vec<Do>),
    Read(Vec<Do>),
    Write(Vec<Do>),
    TryWrite,
    Send(i64),
    SendBounded(i64),
    Recv,
    TryRecv,
    RecvBounded,
    /// Waits on the condition variable of mutex 0, once.
    Wait,
    WaitTimeout,
    NotifyOne,
    NotifyAll,
    Choose,
    Yield,
    Meet,
    Once,
    Park,
    /// Unparks main.
    Unpark,
    Spawn(Vec<Do>),
    Join,
    /// Panics if the variable is not 0.
    Expect(usize),
}
use Do::*;

struct Shared {
    vars: [AtomicI64; 2],
    mutexes: [Mutex<i64>; 2],
    condvar: Condvar,
    rwlock: RwLock<i64>,
    sender: Sender<i64>,
    bounded: SyncSender<i64>,
    /// Whoever receives takes turns.
    receivers: Mutex<(Receiver<i64>, Receiver<i64>)>,
    barrier: Barrier,
    once: Once,
    main: Thread,
}

/// What tasks noted: their own notes, and those of the children that they joined.
type Notes = Vec<i64>;

fn play(program: &[Do], shared: &Arc<Shared>, notes: &mut Notes) {
    let mut children: Vec<JoinHandle<Notes>> = Vec::new();
    for op in program {
        match op {
            Load(x) => notes.push(shared.vars[*x].load(SeqCst)),
            Store(x, value) => shared.vars[*x].store(*value, SeqCst),
            Add(x) => notes.push(shared.vars[*x].fetch_add(10, SeqCst)),
            Exchange(x, value) => {
                let result = shared.vars[*x].compare_exchange(*value, value + 1, SeqCst, SeqCst);
                notes.push(result.unwrap_or_else(|found| 100 + found));
            }
            Lock(m, inner) => {
                let mut guard = shared.mutexes[*m].lock().unwrap_or_else(|e| e.into_inner());
                *guard += 1;
                notes.push(*guard);
                play(inner, shared, notes);
            }
            TryLock(m, inner) => {
                let guard = shared.mutexes[*m].try_lock();
                notes.push(guard.is_ok() as i64);
                if guard.is_ok() {
                    play(inner, shared, notes);
                }
            }
            Read(inner) => {
                let guard = shared.rwlock.read().unwrap_or_else(|e| e.into_inner());
                notes.push(*guard);
                play(inner, shared, notes);
            }
            Write(inner) => {
                let mut guard = shared.rwlock.write().unwrap_or_else(|e| e.into_inner());
                *guard += 1;
                play(inner, shared, notes);
            }
            TryWrite => notes.push(shared.rwlock.try_write().is_ok() as i64),
            Send(value) => shared.sender.send(*value).unwrap(),
            SendBounded(value) => shared.bounded.send(*value).unwrap(),
            Recv => notes.push(receivers(shared).0.recv().unwrap()),
            TryRecv => notes.push(receivers(shared).0.try_recv().unwrap_or(-1)),
            RecvBounded => notes.push(receivers(shared).1.recv().unwrap()),
            Wait => {
                let guard = shared.mutexes[0].lock().unwrap_or_else(|e| e.into_inner());
                drop(shared.condvar.wait(guard));
            }
            WaitTimeout => {
                let guard = shared.mutexes[0].lock().unwrap_or_else(|e| e.into_inner());
                let waited = shared.condvar.wait_timeout(guard, Duration::from_secs(1));
                notes.push(waited.is_ok_and(|(_, result)| result.timed_out()) as i64);
            }
            NotifyOne => shared.condvar.notify_one(),
            NotifyAll => shared.condvar.notify_all(),
            Choose => notes.push(raddle::choose(2) as i64),
            Yield => thread::yield_now(),
            Meet => notes.push(shared.barrier.wait().is_leader() as i64),
            Once => shared.once.call_once(|| shared.vars[0].store(7, SeqCst)),
            Park => thread::park(),
            Unpark => shared.main.unpark(),
            Spawn(inner) => {
                let (inner, shared) = (inner.clone(), shared.clone());
                children.push(thread::spawn(move || {
                    let mut notes = Notes::new();
                    play(&inner, &shared, &mut notes);
                    notes
                }));
            }
            Join => children.pop().into_iter().for_each(|child| notes.extend(child.join().unwrap())),
            Expect(x) => assert_eq!(shared.vars[*x].load(SeqCst), 0),
        }
    }
}

fn receivers(shared: &Shared) -> raddle::sync::MutexGuard<'_, (Receiver<i64>, Receiver<i64>)> {
    shared.receivers.lock().unwrap_or_else(|e| e.into_inner())
}

fn body(program: &[Do]) -> Notes {
    let (sender, receiver) = channel();
    let (bounded, other) = sync_channel(1);
    let shared = Arc::new(Shared {
        vars: Default::default(),
        mutexes: Default::default(),
        condvar: Condvar::new(),
        rwlock: RwLock::new(0),
        sender,
        bounded,
        receivers: Mutex::new((receiver, other)),
        barrier: Barrier::new(2),
        once: Once::new(),
        main: thread::current(),
    });
    let mut notes = Notes::new();
    play(program, &shared, &mut notes);
    // Not dropped while the run is observed: the order in which others let go of it is of no interest here.
    std::mem::forget(shared);
    notes
}

pub fn explore(
    program: &[Do],
    settings: &Settings,
    workers: usize,
    most: u64,
    strategy: impl raddle_core::strategy::Strategy + 'static,
) -> (Findings<Notes>, Seen) {
    let (strategy, seen) = classifier(strategy);
    let found = run(program, settings, workers, most, strategy);
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (found, seen)
}

fn run(
    program: &[Do],
    settings: &Settings,
    workers: usize,
    most: u64,
    strategy: impl raddle_core::strategy::Strategy + 'static,
) -> Findings<Notes> {
    let budget = Budget { executions: Some(most), steps: 2_000, time: None };
    let plan = Plan { budget, workers, on_failure: OnFailure::KeepGoing, ..Plan::default() };
    let program = || body(program);
    search(
        &plan,
        Box::new(strategy),
        || NativeWorld::new(&program, settings.clone()),
        std::sync::Arc::new(NoListener),
    )
}

/// Uniform random lets the world draw without looking. Whoever looks must see the same.
fn compare_blind(program: &[Do], settings: &Settings) -> Result<(), String> {
    const MOST: u64 = 60;
    let (open, _) = explore(program, settings, 1, MOST, Random::new(7));
    let blind = run(program, settings, 1, MOST, Random::new(7));
    let told = |found: &Findings<Notes>| {
        let failure =
            found.failure.as_ref().map(|f| (f.execution, f.defect.message.clone(), f.ticket.clone()));
        (found.executions, found.steps, found.failures, found.outcomes.clone(), failure)
    };
    match told(&open) == told(&blind) {
        true => Ok(()),
        false => Err(format!("{:?}\nis not {:?}\n{program:?}", told(&blind), told(&open))),
    }
}

/// Whether two readers can block a writer and one of them may have to wait for the other: the one case in which
/// the reduction learns only on the way that there is nothing to explore.
fn may_be_abandoned(program: &[Do]) -> bool {
    let words = format!("{program:?}");
    words.matches("Read(").count() > 1 && words.contains("Write(")
}

/// Compares with depth-first search, unless that takes too long.
fn compare(program: &[Do], settings: &Settings) -> Result<(), String> {
    const MOST: u64 = 3_000;
    let (slow, all) = explore(program, settings, 1, MOST, Dfs::new());
    if slow.executions == MOST {
        return Ok(());
    }
    for workers in [1, 2] {
        let (found, seen) = explore(program, settings, workers, MOST, Optimal::new());
        // It has met what it cannot decide, and must not claim more than it has explored.
        if found.abandoned > 0 {
            assert!(!found.coverage.is_exhaustive(), "{}", found.coverage);
            if !may_be_abandoned(program) && found.failures == 0 {
                return Err(format!("{} executions were abandoned\n{program:?}", found.abandoned));
            }
            continue;
        }
        // Where a panic ends a run depends on who notices it, and when; that it does is compared below.
        let missed = all.keys().filter(|class| !class.0 && !seen.contains_key(class)).count();
        let whole = |of: &Seen| of.keys().filter(|(cut, _)| !cut).count();
        let executions = |of: &Seen| of.iter().filter(|((cut, _), _)| !cut).map(|(_, n)| *n).sum::<u64>();
        let problem = |words: &str| {
            let failure = found.failure.as_ref().map(|f| &f.defect);
            Err(format!(
                "{words}: {} executions, {} abandoned, {} failures, {} classes, {missed} missed; {failure:?}\n{}\n{program:?}",
                found.executions,
                found.abandoned,
                found.failures,
                all.len(),
                found.coverage,
            ))
        };
        if missed > 0 {
            return problem("traces were missed");
        }
        if !found.outcomes.keys().eq(slow.outcomes.keys()) || (found.failures > 0) != (slow.failures > 0) {
            return problem("outcomes differ");
        }
        // A timer takes its place among all others, and some traces are explored more than once for that.
        if settings.time == Time::Any {
            continue;
        }
        let fails = all.keys().any(|(cut, _)| *cut);
        // Where a reader keeps a writer out for ever, some traces are explored more than once.
        let words = format!("{program:?}");
        let keeps_out = words.contains("Read(") && words.contains("Write(");
        if !fails && !keeps_out && executions(&seen) != whole(&all) as u64 {
            return problem("traces were explored more than once");
        }
        if !found.coverage.is_exhaustive() {
            return problem("not exhaustive");
        }
    }
    Ok(())
}

fn op() -> impl Strategy<Value = Do> {
    let leaf = prop_oneof![
        3 => (0..2usize).prop_map(Load),
        2 => (0..2usize, 1..3i64).prop_map(|(x, v)| Store(x, v)),
        1 => (0..2usize).prop_map(Add),
        2 => (0..2usize, 0..2i64).prop_map(|(x, v)| Exchange(x, v)),
        1 => Just(TryWrite),
        2 => (1..3i64).prop_map(Send),
        2 => (1..3i64).prop_map(SendBounded),
        2 => Just(Recv),
        1 => Just(TryRecv),
        2 => Just(RecvBounded),
        1 => Just(Wait),
        1 => Just(WaitTimeout),
        2 => Just(NotifyOne),
        1 => Just(NotifyAll),
        1 => Just(Choose),
        1 => Just(Yield),
        1 => Just(Meet),
        1 => Just(Once),
        1 => Just(Park),
        2 => Just(Unpark),
        1 => (0..2usize).prop_map(Expect),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let inner = prop::collection::vec(inner, 0..2);
        prop_oneof![
            2 => (0..2usize, inner.clone()).prop_map(|(m, inner)| Lock(m, inner)),
            1 => (0..2usize, inner.clone()).prop_map(|(m, inner)| TryLock(m, inner)),
            1 => inner.clone().prop_map(Read),
            1 => inner.prop_map(Write),
        ]
    })
}

pub fn programs() -> impl Strategy<Value = Vec<Do>> {
    let ops = |most| prop::collection::vec(op(), 0..most);
    let child = (ops(3), prop::option::of((any::<prop::sample::Index>(), ops(2))), any::<bool>()).prop_map(
        |(mut ops, grandchild, joins)| {
            if let Some((at, inner)) = grandchild {
                let at = at.index(ops.len() + 1);
                ops.insert(at, Spawn(inner));
                if joins {
                    ops.push(Join);
                }
            }
            ops
        },
    );
    (prop::collection::vec(child, 1..3), ops(3), 0..4u8).prop_map(|(children, ops, joins)| {
        let count = children.len();
        let mut program: Vec<Do> = children.into_iter().map(Spawn).collect();
        program.extend(ops);
        if joins > 0 {
            program.extend((0..count).map(|_| Join));
        }
        program
    })
}

/// The same programs each time, unless more of them are asked for.
fn seed() -> RngSeed {
    if std::env::var_os("RADDLE_ORACLE").is_some() { RngSeed::Random } else { RngSeed::Fixed(7) }
}

fn cases() -> u32 {
    std::env::var("RADDLE_ORACLE").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), rng_seed: seed(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn drawing_blindly_is_the_same_as_looking(program in programs(), any_time in any::<bool>(), spurious in 0..2u32) {
        let time = if any_time { Time::Any } else { Time::Idle };
        let compared = compare_blind(&program, &Settings { time, spurious, ..Settings::default() });
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn each_trace_once(program in programs()) {
        let compared = compare(&program, &Settings::default());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn nothing_is_missed_where_timers_fire_at_any_point(program in programs()) {
        let compared = compare(&program, &Settings { time: Time::Any, ..Settings::default() });
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn where_loops_wait(program in programs()) {
        let compared = compare(&program, &Settings { spins: Spins::Await, ..Settings::default() });
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }
}
