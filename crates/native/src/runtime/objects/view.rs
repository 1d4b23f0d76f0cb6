//! What the evaluation of an operation may look at: the state of the operation's own objects, the value of its atomic,
//! whether its task was woken, and the few facts of an execution that belong to no object.
//!
//! Invariant: an evaluation reaches the execution only through a [`View`], so every state in which it may be asked,
//! the present one or one that a reduction asks about, holds all that it looks at. There is no other way in.

use super::ObjectState;
use crate::runtime::memory::Bits;
use crate::runtime::operation::Op;
use crate::runtime::state::State;
use crate::settings::Drops;
use raddle_core::clock::Time;
use raddle_core::operation::{ObjectId, TaskId};

/// The state in which an operation is evaluated.
// Two words, which are handed over in registers.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    state: &'a State,
    op: &'a Op,
}

impl<'a> View<'a> {
    /// `state`, as the evaluation of `op` sees it.
    #[inline(always)]
    pub(in crate::runtime) fn new(state: &'a State, op: &'a Op) -> View<'a> {
        View { state, op }
    }
    /// The state of the operation's object.
    #[inline(always)]
    pub fn object(self) -> ObjectState {
        self.state.objects.state_checked(self.op.object)
    }
    /// The state of its other object.
    #[inline(always)]
    pub fn other(self) -> ObjectState {
        self.state.objects.state_checked(self.op.other)
    }
    #[inline(always)]
    pub fn time(self) -> Time {
        self.state.objects.ambient.time
    }
    #[inline(always)]
    pub fn clock_object(self) -> ObjectId {
        self.state.objects.ambient.clock_object
    }
    #[inline(always)]
    pub fn spurious_object(self) -> ObjectId {
        self.state.objects.ambient.spurious_object
    }
    #[inline(always)]
    pub fn spurious_left(self) -> u32 {
        self.state.objects.ambient.spurious_left
    }
    #[inline(always)]
    pub fn drops(self) -> Drops {
        self.state.objects.ambient.drops
    }
    /// How many options the operation, an access to an atomic under a weak memory model, has; how many of these are no
    /// spurious failures; and whether one makes it write.
    pub fn choices(self) -> (u32, u32, bool) {
        self.state.memory.options(self.op.task)
    }
    /// Whether the operation's task was notified.
    #[inline(always)]
    pub fn is_notified(self) -> bool {
        self.op.wake.is_notified()
    }
    /// Whether its time is up.
    #[inline(always)]
    pub fn is_timed_out(self) -> bool {
        self.op.wake.is_timed_out()
    }
    /// Whether the operation's task was notified, or its time is up.
    #[inline(always)]
    pub fn is_woken(self) -> bool {
        self.op.wake.is_notified() || self.op.wake.is_timed_out()
    }
    /// Whether its task has to decide anew if it wakes for no reason: a timer has fired since it began to wait.
    #[inline(always)]
    pub fn is_stirred(self) -> bool {
        self.op.wake.is_stirred()
    }
    /// Whether a sleep of the operation's task is over.
    #[inline(always)]
    pub fn is_sleep_over(self) -> bool {
        self.op.wake.is_timed_out() || self.state.objects.ambient.is_teardown
    }
    /// Whether a load of the operation's atomic, at the address that is its first argument, reads the bits that are its
    /// second argument.
    #[inline(always)]
    pub fn reads_expected<T: Bits>(self) -> bool {
        // SAFETY: the task whose operation this is borrows the atomic at this address.
        (unsafe { self.state.memory.latest::<T>(self.op.args[0] as usize) }) == self.op.args[1]
    }
}

/// An operation that is blocked in the present state, for reports.
pub(crate) struct Blocked<'a>(View<'a>);

impl<'a> Blocked<'a> {
    pub(in crate::runtime) fn new(present: View<'a>) -> Blocked<'a> {
        Blocked(present)
    }
    pub fn op(&self) -> &Op {
        self.0.op
    }
    /// What its evaluation sees.
    pub fn view(&self) -> View<'a> {
        self.0
    }
    /// The tasks in the queue of its object.
    pub fn queue(&self) -> &[TaskId] {
        self.0.state.objects.queue(self.0.op.object)
    }
}
