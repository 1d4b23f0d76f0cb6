//! The possible picks: the pending operation of every task, and which tasks are enabled.
//!
//! A point borrows from its world, which keeps it up to date. The accesses of a pending operation are those in the
//! present state.

use super::counterfactual::{Counterfactual, Variation};
use crate::memory::WeakMemory;
use crate::operation::{Accesses, TaskId};

/// Which task takes its pending operation, and with which option.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pick {
    /// The task that takes the step.
    pub task: TaskId,
    /// Which of its operation's options it takes, from 0.
    pub option: u32,
}

/// The kind of a task at this point: it decides what counts as a preemption.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Manner {
    /// An ordinary operation; switching away from it while it is enabled is a preemption.
    #[default]
    Ordinary,
    /// The task yields: switching away from it is not a preemption.
    Yielding,
    /// A timer, a delivery, a flush: not a thread of the program; neither preempts nor is preempted.
    Phantom,
}

/// The operation that a task will take next, evaluated in the present state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Its accesses.
    pub accesses: Accesses,
    /// The number of its options; 0 while it is blocked.
    pub options: u32,
    /// Distinguishes operations cheaply: equal in equal executions. Worlds whose operations have a source location make
    /// the upper half depend on the location only, and equal in every process.
    pub signature: u32,
    /// Its kind.
    pub manner: Manner,
}

impl Pending {
    /// A task that has ended.
    pub const NOTHING: Pending =
        Pending { accesses: Accesses::NONE, options: 0, signature: 0, manner: Manner::Ordinary };

    /// The operation and its location in the program, whatever its object: the upper half of the signature.
    #[inline]
    pub fn site(&self) -> u16 {
        (self.signature >> 16) as u16
    }
}

/// The origin of a task. Unlike its number in the order of creation, its parent and its number there are the same in
/// every execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Birth {
    /// The task that created it; itself, if it exists from the start.
    pub parent: TaskId,
    /// Its number there. Phantoms are numbered apart from children: see [`Birth::PHANTOM`].
    pub number: u32,
    /// How many steps preceded its creation.
    pub after: u32,
}

impl Birth {
    /// Set in the numbers of phantoms.
    pub const PHANTOM: u32 = 1 << 31;
}

/// The possible picks. Borrowed from the world, which keeps it up to date.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    enabled: &'a [TaskId],
    pending: &'a [Pending],
    births: &'a [Birth],
    past: Option<&'a dyn Counterfactual>,
    memory: Option<&'a dyn WeakMemory>,
    /// `enabled` holds only some of the tasks that have options.
    restricted: bool,
}

impl<'a> Point<'a> {
    /// A point at which all of `pending` that have options are enabled; `enabled` lists them in ascending
    /// order.
    #[inline]
    pub fn new(enabled: &'a [TaskId], pending: &'a [Pending]) -> Point<'a> {
        Point { enabled, pending, births: &[], past: None, memory: None, restricted: false }
    }
    /// The same point of a world that creates tasks later.
    #[inline]
    #[must_use]
    pub fn with_births(self, births: &'a [Birth]) -> Point<'a> {
        Point { births, ..self }
    }
    /// The same point of a world in which operations may be blocked, for strategies that ask about counterfactuals.
    #[inline]
    #[must_use]
    pub fn with_counterfactual(self, past: &'a dyn Counterfactual) -> Point<'a> {
        Point { past: Some(past), ..self }
    }
    /// The same point of a world with a memory model.
    #[inline]
    #[must_use]
    pub fn with_memory(self, memory: &'a dyn WeakMemory) -> Point<'a> {
        Point { memory: Some(memory), ..self }
    }
    /// Memory, if the world has a model of it.
    #[inline]
    pub fn memory(&self) -> Option<&'a dyn WeakMemory> {
        self.memory
    }
    /// The origin of `task`. Tasks that exist from the start are their own parents.
    #[inline]
    pub fn birth(&self, task: TaskId) -> Birth {
        let first = Birth { parent: task, number: task.0, after: 0 };
        self.births.get(task.index()).copied().unwrap_or(first)
    }
    /// See [`Counterfactual::pending_then`]. In worlds without counterfactuals no operation depends on the state.
    #[inline]
    pub fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        match self.past {
            Some(past) => past.pending_then(task, prefix, also),
            None => Pending { options: self.pending(task).options.max(1), ..*self.pending(task) },
        }
    }
    /// See [`Counterfactual::variation`].
    #[inline]
    pub fn variation(&self, task: TaskId) -> Variation {
        self.past.map_or(Variation::Steady, |past| past.variation(task))
    }
    /// See [`Counterfactual::blocks`].
    #[inline]
    pub fn blocks(&self, step: usize, task: TaskId) -> bool {
        self.past.is_some_and(|past| past.blocks(step, task))
    }
    /// See [`Counterfactual::blocked_since`].
    #[inline]
    pub fn blocked_since(&self, task: TaskId, prefix: usize) -> usize {
        self.past.map_or(prefix, |past| past.blocked_since(task, prefix))
    }
    /// The enabled tasks, in ascending order.
    #[inline]
    pub fn enabled(&self) -> &'a [TaskId] {
        self.enabled
    }
    /// The pending operation of a task, enabled or not.
    #[inline]
    pub fn pending(&self, task: TaskId) -> &'a Pending {
        &self.pending[task.index()]
    }
    /// The pending operations of all tasks, by task.
    #[inline]
    pub fn all(&self) -> &'a [Pending] {
        self.pending
    }
    /// No task is enabled: the execution is over.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.enabled.is_empty()
    }
    /// Whether `task` is enabled.
    #[inline]
    pub fn is_enabled(&self, task: TaskId) -> bool {
        self.pending.get(task.index()).is_some_and(|p| p.options > 0)
            && (!self.restricted || self.enabled.binary_search(&task).is_ok())
    }
    /// The only possible pick, if there is only one.
    #[inline]
    pub fn only(&self) -> Option<Pick> {
        match self.enabled {
            [task] if self.pending(*task).options == 1 => Some(Pick { task: *task, option: 0 }),
            _ => None,
        }
    }
    /// The same point with fewer tasks to choose from.
    #[inline]
    pub fn restricted(&self, enabled: &'a [TaskId]) -> Point<'a> {
        Point { enabled, restricted: true, ..*self }
    }
    /// Whether a step of `task` after one of `last` is a preemption.
    #[inline]
    pub fn is_preemption(&self, last: Option<TaskId>, task: TaskId) -> bool {
        let Some(last) = last else { return false };
        let (before, next) = (self.pending(last), self.pending(task));
        // Branch-free: a branch would be mispredicted often.
        (last != task)
            & (before.options > 0)
            & (before.manner == Manner::Ordinary)
            & (next.manner != Manner::Phantom)
    }
}

impl std::fmt::Debug for Point<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Point").field("enabled", &self.enabled).field("pending", &self.pending).finish()
    }
}
