//! Memory models: programs with atomics beside the axioms of each model.

mod litmus;
mod programs;
mod settings;

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicU64, fence};
use raddle::{Checker, Memory, thread};
use std::collections::BTreeSet;
use std::sync::Arc;
use trace_classes::litmus::{Op, Outcome, Program};

/// Each model.
const MODELS: [Memory; 4] = [Memory::Sc, Memory::Tso, Memory::Pso, Memory::Rc11];

/// The places and locks of a litmus program.
struct Shared {
    places: Vec<AtomicU64>,
    locks: Vec<Mutex<()>>,
}

/// Executes what a task of a litmus program does. Returns what its operations read.
fn execute(shared: &Shared, next: &dyn Fn(&[u64]) -> Option<Op>) -> Vec<u64> {
    let (mut read, mut held) = (Vec::new(), Vec::new());
    while let Some(op) = next(&read) {
        let place = |at: usize| &shared.places[at];
        read.push(match op {
            Op::Load(at, order) => place(at).load(order),
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
            Op::Lock(at) => {
                held.push((at, shared.locks[at].lock().unwrap()));
                0
            }
            Op::Unlock(at) => {
                let last = held.iter().rposition(|(lock, _)| *lock == at).unwrap();
                drop(held.remove(last));
                0
            }
            op => unreachable!("{op:?} is none of these programs"),
        });
    }
    read
}

/// A litmus program: each task is a thread, and main only joins them.
fn run(program: &Program) -> Outcome {
    let shared = Arc::new(Shared {
        places: (0..program.places).map(|_| AtomicU64::new(0)).collect(),
        locks: (0..program.locks).map(|_| Mutex::new(())).collect(),
    });
    let threads = program.threads.iter().cloned().map(|next| {
        let shared = shared.clone();
        thread::spawn(move || execute(&shared, &*next))
    });
    let threads: Vec<_> = threads.collect();
    let read = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    // Main has seen all that they did.
    let places = shared.places.iter().map(|place| place.load(std::sync::atomic::Ordering::Relaxed)).collect();
    Outcome { read, places }
}

/// The outcomes of a litmus program. Those of executions that end in a deadlock are left out.
fn outcomes(checker: Checker, program: &Program, memory: Memory) -> (BTreeSet<Outcome>, u64) {
    let report = checker.memory(memory).keep_going().run(|| run(program));
    (report.outcomes().keys().cloned().collect(), report.executions())
}
