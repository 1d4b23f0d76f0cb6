//! Random programs over the real primitives, explored by depth-first search and by the reduction: the same
//! outcomes, the same failures, and one execution per trace of depth-first search.

use super::oracle::{self, Notes, Panics, Seen, config, run};
use proptest::prelude::*;
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use raddle::sync::{Barrier, Condvar, Mutex, Once, RwLock};
use raddle::thread::{self, JoinHandle, Thread};
use raddle_core::clock::Time;
use raddle_core::search::Findings;
use raddle_core::strategy::{OptimalDpor, Random};
use raddle_native::{Settings, Spins};
use std::sync::Arc;
use std::time::Duration;

/// An operation of a task.
#[derive(Clone, Debug)]
pub enum Do {
    Load(usize),
    Store(usize, i64),
    Add(usize),
    Exchange(usize, i64),
    /// May fail spuriously.
    WeakExchange(usize, i64),
    Lock(usize, Vec<Do>),
    TryLock(usize, Vec<Do>),
    Read(usize, Vec<Do>),
    Write(usize, Vec<Do>),
    TryRead(usize),
    TryWrite(usize),
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
    /// Joins, whether or not the child has panicked.
    JoinAny,
    /// Panics if the variable is not 0.
    Expect(usize),
}
use Do::*;

struct Shared {
    panics: Arc<Panics>,
    vars: [AtomicI64; 2],
    mutexes: [Mutex<i64>; 2],
    condvar: Condvar,
    rwlocks: [RwLock<i64>; 2],
    sender: Sender<i64>,
    bounded: SyncSender<i64>,
    /// Receivers take turns.
    receivers: Mutex<(Receiver<i64>, Receiver<i64>)>,
    barrier: Barrier,
    once: Once,
    main: Thread,
}

/// Runs the task with this name. `spawned` counts its children so far.
fn play(program: &[Do], shared: &Arc<Shared>, name: &[u32], spawned: &mut u32, notes: &mut Notes) {
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
            WeakExchange(x, value) => {
                let result = shared.vars[*x].compare_exchange_weak(*value, value + 1, SeqCst, SeqCst);
                notes.push(result.unwrap_or_else(|found| 100 + found));
            }
            Lock(m, inner) => {
                let locked = shared.mutexes[*m].lock();
                notes.push(locked.is_err() as i64);
                let mut guard = locked.unwrap_or_else(|e| e.into_inner());
                *guard += 1;
                notes.push(*guard);
                play(inner, shared, name, spawned, notes);
            }
            TryLock(m, inner) => {
                let guard = shared.mutexes[*m].try_lock();
                notes.push(guard.is_ok() as i64);
                if guard.is_ok() {
                    play(inner, shared, name, spawned, notes);
                }
            }
            Read(l, inner) => {
                let locked = shared.rwlocks[*l].read();
                notes.push(locked.is_err() as i64);
                let guard = locked.unwrap_or_else(|e| e.into_inner());
                notes.push(*guard);
                play(inner, shared, name, spawned, notes);
            }
            Write(l, inner) => {
                let mut guard = shared.rwlocks[*l].write().unwrap_or_else(|e| e.into_inner());
                *guard += 1;
                play(inner, shared, name, spawned, notes);
            }
            TryRead(l) => notes.push(shared.rwlocks[*l].try_read().map_or(-1, |guard| *guard)),
            TryWrite(l) => notes.push(shared.rwlocks[*l].try_write().is_ok() as i64),
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
                *spawned += 1;
                let name = [name, &[*spawned]].concat();
                children.push(thread::spawn(move || {
                    let mut notes = Notes::new();
                    play(&inner, &shared, &name, &mut 0, &mut notes);
                    notes
                }));
            }
            Join => children.pop().into_iter().for_each(|child| notes.extend(child.join().unwrap())),
            JoinAny => children.pop().into_iter().for_each(|child| match child.join() {
                Ok(its) => notes.extend(its),
                Err(_) => notes.push(-5),
            }),
            Expect(x) => {
                let found = shared.vars[*x].load(SeqCst);
                if found != 0 {
                    notes.push(found);
                    shared.panics.note(name, notes);
                    panic!("it is {found}");
                }
            }
        }
    }
}

fn receivers(shared: &Shared) -> raddle::sync::MutexGuard<'_, (Receiver<i64>, Receiver<i64>)> {
    shared.receivers.lock().unwrap_or_else(|e| e.into_inner())
}

pub fn body(program: &[Do], panics: &Arc<Panics>) -> Notes {
    let (sender, receiver) = channel();
    let (bounded, other) = sync_channel(1);
    let shared = Arc::new(Shared {
        panics: panics.clone(),
        vars: Default::default(),
        mutexes: Default::default(),
        condvar: Condvar::new(),
        rwlocks: Default::default(),
        sender,
        bounded,
        receivers: Mutex::new((receiver, other)),
        barrier: Barrier::new(2),
        once: Once::new(),
        main: thread::current(),
    });
    let mut notes = Notes::new();
    play(program, &shared, &[], &mut 0, &mut notes);
    // Not dropped during the observed part: the order of drops by other tasks is not compared.
    std::mem::forget(shared);
    notes
}

/// Explores a program and returns the classes of its executions.
pub fn explore(
    program: &[Do],
    settings: &Settings,
    workers: usize,
    most: u64,
    strategy: impl raddle_core::strategy::Strategy + 'static,
) -> (Findings<Notes>, Seen) {
    let panics = Arc::default();
    oracle::explore(&|| body(program, &panics), settings, workers, most, strategy)
}

/// With uniform sampling the world draws unobserved. An observed run must be the same.
fn compare_blind(program: &[Do], settings: &Settings) -> Result<(), String> {
    const MOST: u64 = 60;
    let (open, _) = explore(program, settings, 1, MOST, Random::new(7));
    let panics = Arc::default();
    let blind = run(&|| body(program, &panics), settings, 1, MOST, Random::new(7));
    let told = |found: &Findings<Notes>| {
        let failure = found.failure.as_ref().map(|f| (f.execution, f.defect.message(), f.ticket.clone()));
        (found.executions, found.steps, found.failures, found.outcomes.clone(), failure)
    };
    match told(&open) == told(&blind) {
        true => Ok(()),
        false => Err(format!("{:?}\nis not {:?}\n{program:?}", told(&blind), told(&open))),
    }
}

fn op() -> impl Strategy<Value = Do> {
    let leaf = prop_oneof![
        3 => (0..2usize).prop_map(Load),
        2 => (0..2usize, 1..3i64).prop_map(|(x, v)| Store(x, v)),
        1 => (0..2usize).prop_map(Add),
        2 => (0..2usize, 0..2i64).prop_map(|(x, v)| Exchange(x, v)),
        1 => (0..2usize, 0..2i64).prop_map(|(x, v)| WeakExchange(x, v)),
        1 => (0..2usize).prop_map(TryWrite),
        1 => (0..2usize).prop_map(TryRead),
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
        2 => (0..2usize).prop_map(Expect),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let inner = prop::collection::vec(inner, 0..2);
        prop_oneof![
            2 => (0..2usize, inner.clone()).prop_map(|(m, inner)| Lock(m, inner)),
            1 => (0..2usize, inner.clone()).prop_map(|(m, inner)| TryLock(m, inner)),
            1 => (0..2usize, inner.clone()).prop_map(|(l, inner)| Read(l, inner)),
            1 => (0..2usize, inner).prop_map(|(l, inner)| Write(l, inner)),
        ]
    })
}

/// Readers and writers of two locks, nested or in sequence.
fn lock_op() -> impl Strategy<Value = Do> {
    let leaf = prop_oneof![
        2 => (0..2usize).prop_map(|l| Write(l, vec![])),
        2 => (0..2usize).prop_map(|l| Read(l, vec![])),
        1 => (0..2usize).prop_map(TryWrite),
        1 => (0..2usize).prop_map(TryRead),
        1 => Just(Load(0)),
        1 => Just(Store(0, 1)),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        let inner = prop::collection::vec(inner, 0..2);
        prop_oneof![
            (0..2usize, inner.clone()).prop_map(|(l, inner)| Read(l, inner)),
            (0..2usize, inner).prop_map(|(l, inner)| Write(l, inner)),
        ]
    })
}

pub fn programs() -> impl Strategy<Value = Vec<Do>> {
    programs_of(op().boxed())
}

fn programs_of(op: BoxedStrategy<Do>) -> impl Strategy<Value = Vec<Do>> {
    let ops = |most| prop::collection::vec(op.clone(), 0..most);
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
    (prop::collection::vec(child, 1..3), ops(3), 0..6u8).prop_map(|(children, ops, joins)| {
        let count = children.len();
        let mut program: Vec<Do> = children.into_iter().map(Spawn).collect();
        program.extend(ops);
        if joins > 1 {
            program.extend((0..count).map(|_| if joins > 3 { Join } else { JoinAny }));
        }
        program
    })
}

fn check(program: &[Do], settings: Settings) -> Result<(), TestCaseError> {
    let panics = Arc::default();
    let several = [0, 1].iter().all(|lock| writes(program, *lock));
    oracle::check_panics(&program, &|| body(program, &panics), settings, &panics, several)
}

/// Whether a task writes this read-write lock.
fn writes(program: &[Do], lock: usize) -> bool {
    program.iter().any(|op| match op {
        Write(written, inner) => *written == lock || writes(inner, lock),
        Lock(_, inner) | TryLock(_, inner) | Read(_, inner) | Spawn(inner) => writes(inner, lock),
        _ => false,
    })
}

/// A task that could have joined the panicking task decides, so its last step ends the execution, and no
/// earlier step does.
#[test]
fn a_panic_that_is_noticed_later() {
    let child = |inner: Do| Spawn(vec![Write(0, vec![inner])]);
    let program = [Spawn(vec![child(Add(1))]), Spawn(vec![child(Expect(1)), Send(1)])];
    check(&program, Settings::default()).unwrap();
}

/// The second task reads for ever: only a reader can continue, and "it has read before the writer, and the
/// first task has not" is abandoned. Each trace is explored once all the same.
#[test]
fn a_reader_who_keeps_the_writer_out_for_ever() {
    let first = Spawn(vec![Write(1, vec![Read(0, vec![])])]);
    let second = Spawn(vec![Write(1, vec![]), Read(0, vec![Write(0, vec![])])]);
    let program = [first, second, Write(0, vec![])];
    check(&program, Settings::default()).unwrap();
    let panics = Arc::default();
    let found = run(&|| body(&program, &panics), &Settings::default(), 1, 100, OptimalDpor::new());
    assert_eq!((found.executions, found.abandoned), (6, 1));
}

/// The end of main conflicts with everything and happens by itself after the steps of main, with which the writer does not
/// conflict: whether those come before it makes no difference. This trace was once explored twice.
#[test]
fn a_writer_that_is_blocked_when_main_ends() {
    let reads_for_ever = Spawn(vec![Read(1, vec![Write(1, vec![])])]);
    let program = [reads_for_ever, Spawn(vec![Write(1, vec![])]), Write(0, vec![])];
    check(&program, Settings::default()).unwrap();
    let panics = Arc::default();
    let found = run(&|| body(&program, &panics), &Settings::default(), 1, 100, OptimalDpor::new());
    assert_eq!((found.executions, found.abandoned), (2, 0));
}

proptest! {
    #![proptest_config(config(300, 7))]

    #[test]
    fn drawing_blindly_is_the_same_as_looking(program in programs(), any_time in any::<bool>(), spurious in 0..2u32) {
        let time = if any_time { Time::Any } else { Time::Idle };
        let compared = compare_blind(&program, &Settings { time, spurious, ..Settings::default() });
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    /// Some repeated operations are taken for spin loops, and are observed.
    #[test]
    fn drawing_blindly_is_the_same_as_looking_at_loops(program in programs(), times in 4..9usize) {
        let in_loops = program.into_iter().map(|op| match op {
            Spawn(inner) => Spawn(vec![inner; times].concat()),
            op => op,
        });
        let compared = compare_blind(&in_loops.collect::<Vec<_>>(), &Settings::default());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
    }

    #[test]
    fn each_trace_once(program in programs()) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn each_trace_of_two_locks_once(program in programs_of(lock_op().boxed())) {
        check(&program, Settings::default())?;
    }

    #[test]
    fn where_timers_fire_at_any_point(program in programs()) {
        check(&program, Settings { time: Time::Any, ..Settings::default() })?;
    }

    #[test]
    fn where_loops_wait(program in programs()) {
        check(&program, Settings { spins: Spins::Await, ..Settings::default() })?;
    }

    #[test]
    fn where_tasks_wake_up_for_no_reason(program in programs(), spurious in 1..3u32) {
        check(&program, Settings { spurious, ..Settings::default() })?;
    }
}

/// What is left over when main ends, by itself, after all others have come to rest.
#[test]
fn what_waits_for_ever_could_have_come_first() {
    let program = [Spawn(vec![Write(0, vec![Write(0, vec![])])]), Spawn(vec![Write(0, vec![])])];
    check(&program, Settings::default()).unwrap();
    let program = [Spawn(vec![Lock(0, vec![])]), Spawn(vec![Lock(0, vec![]), Lock(0, vec![Meet])])];
    check(&program, Settings { spurious: 1, ..Settings::default() }).unwrap();
}
