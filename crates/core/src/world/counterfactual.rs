//! What a pending operation would have been after another prefix of the present execution: a capability of worlds, for
//! strategies that reverse races of operations that may be blocked or whose accesses depend on the state.

use super::point::Pending;
use crate::operation::{Accesses, TaskId};

/// What a step means to an operation that may be blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockingEffect {
    /// It blocks it until a later step, which conflicts with it, gives back what it took.
    Acquires,
    /// It may let it happen and never blocks it.
    Releases,
    /// Nothing is known.
    Unknown,
}

/// How an operation that touches everything, and so depends on all that came before it, may have come to be blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blockers {
    /// By all of it or by none.
    All,
    /// By some of it and not by the rest.
    Several,
    /// By one step, for good. Of the rest, some may have let it happen, but none would have kept it from that.
    One,
}

/// How the pending operation of a task depends on the state. A hint: the later variants are always right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variation {
    /// It is the same in all states: never blocked, always the same accesses and options.
    Steady,
    /// It is blocked in some states. Its accesses are the same in all of them.
    Enabledness,
    /// Its accesses differ, by the state of one object or one channel that it always touches.
    Local,
    /// Its accesses differ in any way.
    State,
}

/// What a world knows of the states that the present execution went through.
pub trait Counterfactual {
    /// The pending operation of `task` after the first `prefix` steps of this execution and then its steps `also`, in
    /// ascending order, which lie behind those. Together they are a *closed subset* of the execution: whatever happened
    /// before one of them is among them, and so is all that happened before the operation by program order. If `task` took
    /// further steps in this execution, the operation is that of the first of them. It has no options where it is blocked.
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let options = self.could_happen(task, prefix, also) as u32;
        Pending { accesses: self.accesses_then(task, prefix, also), options, ..Pending::NOTHING }
    }
    /// How the pending operation of `task` depends on the state.
    fn variation(&self, task: TaskId) -> Variation {
        let _ = task;
        Variation::State
    }
    /// Whether step `step` blocks the pending operation of `task`, which conflicts with it, in every state that the step led
    /// to, until a later step that conflicts with both. A hint: `false` is always right.
    fn blocks(&self, step: usize, task: TaskId) -> bool {
        let _ = (step, task);
        false
    }
    /// Whether there are states in which the pending operation of `task` would be blocked.
    fn can_block(&self, task: TaskId) -> bool;
    /// Whether operations that commute with each other can block the pending operation of `task` together, as
    /// readers do a writer.
    fn has_blockers_that_commute(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether what the pending operation of `task` touches depends on how many others have happened, as the place of a
    /// message does: earlier it would depend on less.
    fn is_numbered(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether the pending operation of `task` may touch less if it comes earlier, as what goes by a name does that nobody
    /// has yet.
    fn may_touch_less(&self, task: TaskId) -> bool {
        let _ = task;
        false
    }
    /// Whether operations may touch more if they come earlier, as what is done to a table does while that is there.
    fn may_touch_more(&self) -> bool {
        false
    }
    /// What step `step` means to the pending operation of `task`.
    fn blocking_effect(&self, step: usize, task: TaskId) -> BlockingEffect {
        let _ = (step, task);
        BlockingEffect::Unknown
    }
    /// Whether the pending operation of `task` could happen, and not be blocked, after the first `before` steps
    /// of this execution and then its steps `also`, which lie behind those and depend on nothing that is left
    /// out.
    fn could_happen(&self, task: TaskId, before: usize, also: &[u32]) -> bool;
    /// What the pending operation of `task` would have touched there.
    fn accesses_then(&self, task: TaskId, before: usize, also: &[u32]) -> Accesses;
    /// How the pending operation of `task`, which touches everything, may have come to be blocked.
    fn blockers(&self, task: TaskId) -> Blockers {
        let _ = task;
        Blockers::All
    }
}
