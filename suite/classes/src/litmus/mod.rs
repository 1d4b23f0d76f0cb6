//! Litmus programs: what a few tasks do to a few places, for the memory models.
//!
//! Invariant: the oracles here ([`axioms`], [`buffers`]) share nothing with the engine's graphs: executions are compared by
//! [`Graph`], outcomes by [`Outcome`].

#![allow(missing_docs)]

pub mod axioms;
pub mod buffers;
pub mod random;
mod relation;
pub mod table;

use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One operation of a task. Places and locks are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Load(usize, Ordering),
    Store(usize, u64, Ordering),
    Add(usize, u64, Ordering),
    Swap(usize, u64, Ordering),
    /// Place, expected, new, and the orderings of success and failure.
    CompareExchange(usize, u64, u64, Ordering, Ordering),
    Fence(Ordering),
    Lock(usize),
    Unlock(usize),
    /// Reads 1 and takes the lock, or reads 0. This and the following are unknown to the oracles here.
    TryLock(usize),
    /// A lock for readers and writers.
    Read(usize),
    ReadUnlock(usize),
    Write(usize),
    WriteUnlock(usize),
    /// A channel that has no bound.
    Send(usize, u64),
    Receive(usize),
    /// A load that ends the execution for all tasks if it reads this value.
    Refuse(usize, u64, Ordering),
    /// Creates the task of this number. Not a step.
    Spawn(usize),
    /// Waits for the end of the task of this number. Happens by itself.
    Join(usize),
    /// Conflicts with every operation.
    Barrier,
    /// The task goes no further.
    Stuck,
}

impl Op {
    /// The place that it accesses.
    pub fn place(&self) -> Option<usize> {
        match self {
            Op::Load(x, _) | Op::Refuse(x, ..) | Op::Store(x, ..) | Op::Add(x, ..) | Op::Swap(x, ..) => {
                Some(*x)
            }
            Op::CompareExchange(x, ..) => Some(*x),
            _ => None,
        }
    }
    /// Whether it reads its place.
    pub fn reads(&self) -> bool {
        self.place().is_some() && !matches!(self, Op::Store(..))
    }
    /// What it writes if it reads this value.
    pub fn written(&self, read: u64) -> Option<u64> {
        match *self {
            Op::Store(_, value, _) | Op::Swap(_, value, _) => Some(value),
            Op::Add(_, value, _) => Some(read.wrapping_add(value)),
            Op::CompareExchange(_, expected, new, ..) => (read == expected).then_some(new),
            _ => None,
        }
    }
}

/// What a task does next, given what its operations so far have read (0 if they read nothing).
pub type Thread = Arc<dyn Fn(&[u64]) -> Option<Op> + Send + Sync>;

/// A program. All places are 0 at first.
#[derive(Clone)]
pub struct Program {
    pub threads: Vec<Thread>,
    pub places: usize,
    pub locks: usize,
    /// Only the first task exists from the start.
    pub spawns: bool,
}

/// A task that executes a list.
pub fn list(ops: Vec<Op>) -> Thread {
    Arc::new(move |read| ops.get(read.len()).copied())
}

impl Program {
    /// Each task executes a list.
    pub fn of(lists: &[Vec<Op>]) -> Program {
        let all = || lists.iter().flatten();
        let locks = all().filter_map(|op| match op {
            Op::Lock(lock) | Op::Unlock(lock) => Some(lock + 1),
            _ => None,
        });
        Program {
            places: all().filter_map(|op| op.place()).map(|place| place + 1).max().unwrap_or(0),
            locks: locks.max().unwrap_or(0),
            threads: lists.iter().cloned().map(list).collect(),
            spawns: false,
        }
    }
}

/// An event, by its task and its number there; the initial value of a place.
pub type Name = Option<(u8, u8)>;

/// An execution graph in a form that can be compared: for each task what each of its operations read, and whether it
/// wrote; each place's stores in modification order; each operation on a lock, after those that it conflicts with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Graph {
    pub events: Vec<Vec<(Name, bool)>>,
    pub modification: Vec<Vec<Name>>,
    pub locks: Vec<Vec<Name>>,
}

/// What each task's operations read, and what the places hold at the end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Outcome {
    pub read: Vec<Vec<u64>>,
    pub places: Vec<u64>,
}
