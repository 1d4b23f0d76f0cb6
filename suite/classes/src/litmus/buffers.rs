//! The oracle of the outcomes under TSO and PSO: a machine with store buffers whose stores are flushed at any time, by a
//! plain search of its states.
//!
//! A load reads the newest store to its place in the buffer of its task, or else memory. Full barriers wait until the
//! buffer is empty. Under TSO the oldest store is flushed first; under PSO the oldest of its place, where a release
//! store waits for all older ones, and no store passes a release fence.

use super::{Op, Outcome, Program};
use raddle_core::memory::Model;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering::{AcqRel, Release, SeqCst};

#[derive(Clone, PartialEq, Eq, Hash)]
enum Buffered {
    Store { place: usize, value: u64, releases: bool },
    Fence,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Vec<u64>,
    buffers: Vec<Vec<Buffered>>,
    read: Vec<Vec<u64>>,
    held: Vec<bool>,
}

/// All outcomes of `program`.
pub fn outcomes(program: &Program, model: Model) -> BTreeSet<Outcome> {
    let tasks = program.threads.len();
    let start = State {
        memory: vec![0; program.places],
        buffers: vec![Vec::new(); tasks],
        read: vec![Vec::new(); tasks],
        held: vec![false; program.locks],
    };
    let (mut met, mut found, mut left) = (HashSet::new(), BTreeSet::new(), vec![start]);
    while let Some(state) = left.pop() {
        if !met.insert(state.clone()) {
            continue;
        }
        let before = left.len();
        for task in 0..tasks {
            left.extend(executed(program, &state, task));
            left.extend(flushed(model, &state, task));
        }
        if left.len() == before {
            found.insert(Outcome { read: state.read, places: state.memory });
        }
    }
    found
}

fn executed(program: &Program, state: &State, task: usize) -> Option<State> {
    let op = (program.threads[task])(&state.read[task])?;
    let mut next = state.clone();
    let buffer = &state.buffers[task];
    let is_full = !matches!(op, Op::Load(..) | Op::Store(..) | Op::Fence(_))
        || matches!(op, Op::Store(_, _, SeqCst) | Op::Fence(SeqCst));
    if is_full && !buffer.is_empty() {
        return None;
    }
    let mut read = 0;
    match op {
        Op::Load(place, _) => {
            let own = buffer.iter().rev().find_map(|b| match b {
                Buffered::Store { place: p, value, .. } if *p == place => Some(*value),
                _ => None,
            });
            read = own.unwrap_or(state.memory[place]);
        }
        Op::Store(place, value, SeqCst) => next.memory[place] = value,
        Op::Store(place, value, order) => {
            next.buffers[task].push(Buffered::Store { place, value, releases: order == Release });
        }
        Op::Fence(Release | AcqRel) if !buffer.is_empty() => next.buffers[task].push(Buffered::Fence),
        Op::Fence(_) => {}
        Op::Lock(lock) if state.held[lock] => return None,
        Op::Lock(lock) => next.held[lock] = true,
        Op::Unlock(lock) => next.held[lock] = false,
        Op::Stuck => return None,
        Op::TryLock(_) | Op::Read(_) | Op::ReadUnlock(_) | Op::Write(_) | Op::WriteUnlock(_) => unknown(op),
        Op::Send(..) | Op::Receive(_) | Op::Refuse(..) | Op::Spawn(_) | Op::Join(_) | Op::Barrier => {
            unknown(op)
        }
        Op::Add(place, ..) | Op::Swap(place, ..) | Op::CompareExchange(place, ..) => {
            read = state.memory[place];
            next.memory[place] = op.written(read).unwrap_or(read);
        }
    }
    next.read[task].push(read);
    Some(next)
}

fn unknown(op: Op) -> ! {
    panic!("the oracle does not know {op:?}")
}

fn flushed(model: Model, state: &State, task: usize) -> Vec<State> {
    let buffer = &state.buffers[task];
    let may_go = |at: usize| match &buffer[at] {
        Buffered::Fence => at == 0,
        Buffered::Store { place, releases, .. } => {
            let passes =
                |b: &Buffered| matches!(b, Buffered::Store { place: p, .. } if p != place && !releases);
            at == 0 || model == Model::Pso && buffer[..at].iter().all(passes)
        }
    };
    let ways = (0..buffer.len()).filter(|at| may_go(*at)).map(|at| {
        let mut next = state.clone();
        if let Buffered::Store { place, value, .. } = next.buffers[task].remove(at) {
            next.memory[place] = value;
        }
        next
    });
    ways.collect()
}
