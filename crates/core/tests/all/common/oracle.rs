//! The oracle: all executions of a program by plain recursion over copied states. It shares the operations
//! with the world and nothing else: no picks, no points, no traces.

use super::{Op, Outcome, Program};
use raddle_core::verdict::FailureKind;
use std::collections::BTreeMap;

/// One maximal execution.
pub struct Execution {
    pub end: Result<Outcome, FailureKind>,
    pub preemptions: u32,
}

#[derive(Clone)]
struct State {
    left: Vec<Vec<Op>>,
    holder: BTreeMap<usize, usize>,
    outcome: Outcome,
    last: Option<usize>,
    preemptions: u32,
}

/// All executions, in no particular order.
pub fn executions(program: &Program) -> Vec<Execution> {
    let left: Vec<Vec<Op>> = program.tasks.iter().map(|ops| ops.iter().rev().copied().collect()).collect();
    let outcome = Outcome { vars: [0; 3], noted: vec![Vec::new(); left.len()] };
    let start = State { left, holder: BTreeMap::new(), outcome, last: None, preemptions: 0 };
    let mut found = Vec::new();
    explore(&program.phantoms, start, &mut found);
    found
}

fn explore(phantoms: &[usize], state: State, found: &mut Vec<Execution>) {
    let mut moved = false;
    for task in 0..state.left.len() {
        for option in 0..ways(&state, task) {
            moved = true;
            let mut next = state.clone();
            next.preemptions += preempts(phantoms, &state, task) as u32;
            next.last = Some(task);
            match apply(&mut next, task, option as i64) {
                Ok(()) => explore(phantoms, next, found),
                Err(kind) => found.push(Execution { end: Err(kind), preemptions: next.preemptions }),
            }
        }
    }
    if !moved {
        let finished = state.left.iter().all(Vec::is_empty);
        let end = if finished { Ok(state.outcome) } else { Err(FailureKind::Deadlock) };
        found.push(Execution { end, preemptions: state.preemptions });
    }
}

fn ways(state: &State, task: usize) -> u32 {
    match state.left[task].last() {
        None => 0,
        Some(Op::Lock(lock)) if state.holder.contains_key(lock) => 0,
        Some(Op::Choose(n)) => *n,
        Some(_) => 1,
    }
}

/// A preemption: another task takes over from one that could have continued and did not yield.
fn preempts(phantoms: &[usize], state: &State, task: usize) -> bool {
    state.last.is_some_and(|last| {
        last != task
            && ways(state, last) > 0
            && state.left[last].last() != Some(&Op::Yield)
            && !phantoms.contains(&last)
            && !phantoms.contains(&task)
    })
}

fn apply(state: &mut State, task: usize, option: i64) -> Result<(), FailureKind> {
    let op = state.left[task].pop().expect("an enabled task has an operation left");
    let noted = &mut state.outcome.noted[task];
    let vars = &mut state.outcome.vars;
    match op {
        Op::Read(x) => noted.push(vars[x]),
        Op::Write(x, value) => vars[x] = value,
        Op::Add(x, value) => vars[x] += value,
        Op::Choose(_) => noted.push(option),
        Op::Yield => {}
        Op::Lock(lock) => assert_eq!(state.holder.insert(lock, task), None),
        Op::TryLock(lock) => {
            let free = !state.holder.contains_key(&lock);
            noted.push(free as i64);
            state.holder.entry(lock).or_insert(task);
        }
        Op::Unlock(lock) => {
            if state.holder.get(&lock) == Some(&task) {
                state.holder.remove(&lock);
            }
        }
        Op::Expect(x, value, kind) => {
            if vars[x] != value {
                return Err(kind);
            }
        }
        Op::Again | Op::Sleep(_) | Op::Boom => unreachable!("not for the oracle"),
    }
    Ok(())
}

/// The outcomes of those that passed, and how often each came.
pub fn outcomes<'a>(of: impl IntoIterator<Item = &'a Execution>) -> BTreeMap<Outcome, u64> {
    let mut map = BTreeMap::new();
    for outcome in of.into_iter().filter_map(|e| e.end.as_ref().ok()) {
        *map.entry(outcome.clone()).or_insert(0) += 1;
    }
    map
}
