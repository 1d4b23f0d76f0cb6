//! Memory models: programs with atomics beside the axioms of each model.

mod auto;
mod classics;
mod litmus;
mod loom;
mod programs;
mod settings;
mod strengthening;

use raddle::sync::atomic::{AtomicU64, fence};
use raddle::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc};
use raddle::{Checker, Memory, Report, thread};
use raddle_core::memory::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use trace_classes::litmus::{Op, Outcome, Program};

/// Each model.
const MODELS: [Memory; 4] = [Memory::Sc, Memory::Tso, Memory::Pso, Memory::Rc11];

fn model(memory: Memory) -> Model {
    memory.model().expect("no choice of models")
}

/// Store buffering: both tasks read 0 where stores wait.
fn buffers(store: Ordering, load: Ordering) -> (u64, u64) {
    let shared = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let theirs = shared.clone();
    let other = thread::spawn(move || {
        theirs.0.store(1, store);
        theirs.1.load(load)
    });
    shared.1.store(1, store);
    let read = shared.0.load(load);
    (other.join().unwrap(), read)
}

/// The places, locks and channel of a litmus program, and what its tasks have read.
struct Shared {
    program: Program,
    places: Vec<AtomicU64>,
    locks: Vec<Mutex<()>>,
    both: Vec<RwLock<()>>,
    sender: mpsc::Sender<u64>,
    receiver: Mutex<mpsc::Receiver<u64>>,
    /// No object of the execution: it is never waited for.
    read: std::sync::Mutex<Vec<Vec<u64>>>,
}

/// A lock that a task holds.
enum Held<'s> {
    Mutex(usize, #[expect(dead_code, reason = "it is held")] Option<MutexGuard<'s, ()>>),
    Read(usize, #[expect(dead_code, reason = "it is held")] RwLockReadGuard<'s, ()>),
    Write(usize, #[expect(dead_code, reason = "it is held")] RwLockWriteGuard<'s, ()>),
}

/// Executes what a task of a litmus program does. Returns what its operations read.
fn execute(shared: &Arc<Shared>, thread: usize) -> Vec<u64> {
    let (mut read, mut held, mut children) = (Vec::new(), Vec::new(), BTreeMap::new());
    while let Some(op) = (shared.program.threads[thread])(&read) {
        let place = |at: usize| &shared.places[at];
        let mut release = |is: &dyn Fn(&Held<'_>) -> bool| {
            let last = held.iter().rposition(is).expect("a task gives back what it holds");
            drop(held.remove(last));
            0
        };
        read.push(match op {
            Op::Load(at, order) => place(at).load(order),
            Op::Refuse(at, refused, order) => {
                let read = place(at).load(order);
                assert_ne!(read, refused);
                read
            }
            Op::Store(at, value, order) => {
                place(at).store(value, order);
                0
            }
            Op::Add(at, by, order) => place(at).fetch_add(by, order),
            Op::Swap(at, value, order) => place(at).swap(value, order),
            Op::CompareExchange(at, expected, new, success, failure) => {
                place(at).compare_exchange(expected, new, success, failure).unwrap_or_else(|found| found)
            }
            Op::Fence(order) => {
                fence(order);
                0
            }
            Op::Unlock(at) => release(&|held| matches!(held, Held::Mutex(lock, _) if *lock == at)),
            Op::ReadUnlock(at) => release(&|held| matches!(held, Held::Read(lock, _) if *lock == at)),
            Op::WriteUnlock(at) => release(&|held| matches!(held, Held::Write(lock, _) if *lock == at)),
            Op::Lock(at) => {
                held.push(Held::Mutex(at, Some(shared.locks[at].lock().unwrap())));
                0
            }
            Op::TryLock(at) => {
                let guard = shared.locks[at].try_lock().ok();
                let has_taken = guard.is_some();
                held.push(Held::Mutex(at, guard));
                has_taken as u64
            }
            Op::Read(at) => {
                held.push(Held::Read(at, shared.both[at].read().unwrap()));
                0
            }
            Op::Write(at) => {
                held.push(Held::Write(at, shared.both[at].write().unwrap()));
                0
            }
            Op::Send(_, value) => {
                shared.sender.send(value).unwrap();
                0
            }
            Op::Receive(_) => shared.receiver.lock().unwrap().recv().unwrap(),
            Op::Spawn(child) => {
                let theirs = shared.clone();
                children.insert(child, thread::spawn(move || execute(&theirs, child)));
                0
            }
            Op::Join(child) => {
                let done = children.remove(&child).expect("it was created");
                let done = done.join().unwrap();
                shared.read.lock().unwrap()[child] = done;
                0
            }
            op => unreachable!("{op:?} is none of these programs"),
        });
    }
    // Some end with a lock that they never give back.
    held.into_iter().for_each(std::mem::forget);
    read
}

/// A litmus program: each task is a thread, and main only joins them; or the first task creates the others.
fn run(program: &Program) -> Outcome {
    let (sender, receiver) = mpsc::channel();
    let threads = program.threads.len();
    let shared = Arc::new(Shared {
        program: program.clone(),
        places: (0..program.places).map(|_| AtomicU64::new(0)).collect(),
        locks: (0..program.locks).map(|_| Mutex::new(())).collect(),
        both: (0..program.locks).map(|_| RwLock::new(())).collect(),
        sender,
        receiver: Mutex::new(receiver),
        read: std::sync::Mutex::new(vec![Vec::new(); threads]),
    });
    let first = if program.spawns { 1 } else { threads };
    let start = |thread: usize| {
        let shared = shared.clone();
        thread::spawn(move || execute(&shared, thread))
    };
    let started: Vec<_> = (0..first).map(start).collect();
    for (thread, started) in started.into_iter().enumerate() {
        let read = started.join().unwrap();
        shared.read.lock().unwrap()[thread] = read;
    }
    // Main has seen all that they did.
    let places = shared.places.iter().map(|place| place.load(std::sync::atomic::Ordering::Relaxed)).collect();
    let read = shared.read.lock().unwrap().clone();
    Outcome { read, places }
}

/// What a litmus program does.
fn explored(checker: Checker, program: &Program, memory: Memory) -> Report<Outcome> {
    checker.memory(memory).keep_going().run(|| run(program))
}

fn outcomes_of(report: &Report<Outcome>) -> BTreeSet<Outcome> {
    report.outcomes().keys().cloned().collect()
}

/// The outcomes of a litmus program, and how many executions there were.
fn outcomes(checker: Checker, program: &Program, memory: Memory) -> (BTreeSet<Outcome>, u64) {
    let report = explored(checker, program, memory);
    (outcomes_of(&report), report.executions())
}

/// All outcomes of a program under the model that its orderings ask for.
fn outcomes_under_auto<T: Ord + Clone + std::fmt::Debug + Send>(
    program: impl Fn() -> T + Send + Sync,
) -> BTreeSet<T> {
    let report = Checker::exhaustive().run(program);
    assert!(report.coverage().is_exhaustive(), "{report}");
    report.outcomes().keys().cloned().collect()
}
