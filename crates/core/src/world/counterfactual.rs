//! The pending operation of a task after another prefix of the present execution: a capability of worlds, for
//! strategies that reverse races of operations that may be blocked or whose accesses depend on the state.

use super::point::Pending;
use crate::operation::{Accesses, TaskId};

/// The effect of a step on an operation that may be blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockingEffect {
    /// The step blocks the operation until a later step, which conflicts with it, releases what it acquired.
    Acquires,
    /// The step may enable the operation and never blocks it.
    Releases,
    /// The effect is not known.
    Unknown,
}

/// Which earlier steps may block an operation that conflicts with everything, and so depends on all earlier steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blockers {
    /// All of them or none.
    All,
    /// Some of them.
    Several,
    /// One step, permanently. Others may have enabled the operation, but none would have blocked it.
    One,
}

/// How the pending operation of a task depends on the state. A hint: a later variant is always safe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variation {
    /// It is the same in all states: never blocked, always the same accesses and options.
    Steady,
    /// It is blocked in some states. Its accesses are the same in all of them.
    Enabledness,
    /// Its accesses differ, by the state of one object or one channel that it always accesses.
    Local,
    /// Its accesses differ in any way.
    State,
}

/// Queries about earlier states of the present execution.
pub trait Counterfactual {
    /// The pending operation of `task` after the first `prefix` steps of this execution and then its steps `also`, in
    /// ascending order, all after the prefix. Together they are a *closed subset* of the execution: every step that
    /// happens before one of them is among them, and so is every step before the operation by program order. If `task`
    /// took further steps in this execution, the operation is the first of them. It has no options where it is blocked.
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let options = self.could_happen(task, prefix, also) as u32;
        Pending { accesses: self.accesses_then(task, prefix, also), options, ..Pending::NOTHING }
    }
    /// How the pending operation of `task` depends on the state.
    fn variation(&self, task: TaskId) -> Variation {
        let _ = task;
        Variation::State
    }
    /// Whether step `step` blocks the pending operation of `task`, which conflicts with it, in every state after the
    /// step, until a later step that conflicts with both. A hint: `false` is always safe.
    fn blocks(&self, step: usize, task: TaskId) -> bool {
        let _ = (step, task);
        false
    }
    /// Whether the pending operation of `task` is blocked in some state.
    fn can_block(&self, task: TaskId) -> bool;
    /// Whether operations that commute with each other can block the pending operation of `task` together, as readers
    /// block a writer.
    fn has_blockers_that_commute(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether the accesses of the pending operation of `task` depend on the number of earlier operations, as the
    /// position of a message does: earlier it would depend on fewer.
    fn is_numbered(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether the pending operation of `task` may access fewer objects if it comes earlier, as an operation on a name
    /// that is not registered yet.
    fn may_touch_less(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether operations may access more objects if they come earlier, as operations on a table do while it exists.
    fn may_touch_more(&self) -> bool {
        false
    }
    /// The effect of step `step` on the pending operation of `task`.
    fn blocking_effect(&self, step: usize, task: TaskId) -> BlockingEffect {
        let _ = (step, task);
        BlockingEffect::Unknown
    }
    /// Whether the pending operation of `task` would be enabled after the first `before` steps of this execution and
    /// then its steps `also`, which come after those and depend on no omitted step.
    fn could_happen(&self, task: TaskId, before: usize, also: &[u32]) -> bool;
    /// The accesses of the pending operation of `task` there.
    fn accesses_then(&self, task: TaskId, before: usize, also: &[u32]) -> Accesses;
    /// Which steps may block the pending operation of `task`, which conflicts with everything.
    fn blockers(&self, task: TaskId) -> Blockers {
        let _ = task;
        Blockers::All
    }
}
