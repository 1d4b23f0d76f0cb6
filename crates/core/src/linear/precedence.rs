//! Which operations a criterion keeps in order.
//!
//! Invariant: the order is partial and depends on the whole history, so that it is the same for each key; a pending
//! operation comes before none. Real-time order and quiescent points give an interval order (Herlihy and Wing 1990; Aspnes,
//! Herlihy and Shavit 1994), program order gives chains (Lamport 1979).

use super::search::Set;
use super::{Criterion, History};

/// A partial order of the operations of a history.
#[derive(Debug)]
pub(super) enum Precedence {
    /// By operation: its start and its end. It comes before those that start after its end.
    Intervals(Vec<(u64, u64)>),
    /// By operation: its task and its number there.
    Chains(Vec<(usize, usize)>),
}

impl Precedence {
    pub fn new<C, R>(criterion: Criterion, history: &History<C, R>) -> Precedence {
        let all = history.operations();
        match criterion {
            Criterion::Linearizable => Precedence::Intervals(
                all.iter().map(|o| (o.invoked, o.responded().unwrap_or(u64::MAX))).collect(),
            ),
            Criterion::Serialisable => Precedence::Intervals(vec![(0, u64::MAX); all.len()]),
            Criterion::QuiescentlyConsistent => Precedence::Intervals(quiescent_intervals(history)),
            Criterion::SequentiallyConsistent => {
                let mut chains = vec![(0, 0); all.len()];
                for (task, of_task) in history.by_task().into_iter().enumerate() {
                    of_task.into_iter().enumerate().for_each(|(number, at)| chains[at] = (task, number));
                }
                Precedence::Chains(chains)
            }
        }
    }

    /// Whether `a` comes before `b`.
    pub fn precedes(&self, a: usize, b: usize) -> bool {
        match self {
            Precedence::Intervals(intervals) => intervals[a].1 < intervals[b].0,
            Precedence::Chains(chains) => chains[a].0 == chains[b].0 && chains[a].1 < chains[b].1,
        }
    }

    /// An order of the operations as [`Precedence::minimal`] expects it.
    pub fn sort(&self, operations: &mut [usize]) {
        match self {
            Precedence::Intervals(intervals) => operations.sort_by_key(|at| (intervals[*at], *at)),
            Precedence::Chains(chains) => operations.sort_by_key(|at| chains[*at]),
        }
    }

    /// Calls `look` with the indexes in `operations`, which are sorted, of those that are not done and that come after
    /// none that is not done. All before `first` are done.
    pub fn minimal(&self, operations: &[usize], done: &Set, first: usize, mut look: impl FnMut(usize)) {
        let open = (first..operations.len()).filter(|index| !done.contains(*index));
        match self {
            Precedence::Intervals(intervals) => {
                // What starts later also ends later than any of these starts.
                let mut earliest_end = u64::MAX;
                for index in open {
                    let (start, end) = intervals[operations[index]];
                    if start > earliest_end {
                        break;
                    }
                    earliest_end = earliest_end.min(end);
                    look(index);
                }
            }
            Precedence::Chains(chains) => {
                let mut last_task = None;
                for index in open {
                    let (task, _) = chains[operations[index]];
                    if last_task.replace(task) != Some(task) {
                        look(index);
                    }
                }
            }
        }
    }

    /// Where an operation starts.
    pub fn start(&self, operation: usize) -> u64 {
        match self {
            Precedence::Intervals(intervals) => intervals[operation].0,
            Precedence::Chains(chains) => chains[operation].1 as u64,
        }
    }
}

/// The number of quiescent points before each operation, as its start and as its end.
fn quiescent_intervals<C, R>(history: &History<C, R>) -> Vec<(u64, u64)> {
    let all = history.operations();
    let mut by_invocation: Vec<usize> = (0..all.len()).collect();
    by_invocation.sort_by_key(|at| all[*at].invoked);
    let mut intervals = vec![(0, 0); all.len()];
    let (mut points, mut busy_until) = (0, None);
    for at in by_invocation {
        if busy_until.is_some_and(|until| until < all[at].invoked) {
            points += 1;
        }
        let ends = all[at].responded().unwrap_or(u64::MAX);
        busy_until = busy_until.max(Some(ends));
        intervals[at] = (points, points);
    }
    intervals
}
