//! The pending operation of a task after another prefix of the present execution: a capability of worlds, for
//! strategies that reverse races of operations that may be blocked or whose accesses depend on the state.
//!
//! There is one query, [`Counterfactual::pending_then`]. The other methods are hints: they save queries and
//! executions, and never decide what is explored.

use super::point::Pending;
use crate::operation::TaskId;

/// How the pending operation of a task depends on the state. A hint: a later variant is always safe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variation {
    /// It is the same in all states: never blocked, always the same accesses and options.
    Steady,
    /// It is blocked in some states. Its accesses are the same in all of them.
    Enabledness,
    /// The same, and steps that commute with each other can block it together, as readers block a writer.
    JointlyBlocked,
    /// It is never blocked, and commutes with other steps that change the same count; but the last of them conflicts with
    /// all of them, as the drop of the last reference does.
    LastOfSeveral,
    /// Its accesses differ, by the state of one object or one channel that it always accesses.
    Local,
    /// Its accesses differ in any way.
    State,
}

impl Variation {
    /// Whether its accesses are the same in all states.
    #[inline]
    pub fn has_fixed_accesses(self) -> bool {
        self <= Variation::JointlyBlocked
    }
}

/// Queries about earlier states of the present execution.
pub trait Counterfactual {
    /// The pending operation of `task` after the first `prefix` steps of this execution and then its steps `also`, in
    /// ascending order, all after the prefix. Together they are a *closed subset* of the execution: every step that
    /// happens before one of them is among them, and so is every step before the operation by program order. If `task`
    /// took further steps in this execution, the operation is the first of them. It has no options where it is blocked.
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending;
    /// How the pending operation of `task` depends on the state.
    fn variation(&self, task: TaskId) -> Variation {
        let _ = task;
        Variation::State
    }
    /// Whether step `step` blocks the pending operation of `task`, which conflicts with it, in every state after the
    /// step, until a later step that happens after it and conflicts with the operation. A hint: `false` is always safe.
    fn blocks(&self, step: usize, task: TaskId) -> bool {
        let _ = (step, task);
        false
    }
    /// The pending operation of `task`, which has taken no step since, is blocked after the first `prefix` steps: it is
    /// blocked after each shorter prefix down to this length. A hint: `prefix` is always safe.
    fn blocked_since(&self, task: TaskId, prefix: usize) -> usize {
        let _ = task;
        prefix
    }
}
