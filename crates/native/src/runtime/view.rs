//! What the evaluation of an operation may look at: the state of the operation's own objects, whether its task was
//! woken, and the few facts of an execution that belong to no object.
//!
//! Invariant: an evaluation reaches the execution only through a [`View`], so every state in which it may be asked,
//! the present one or one that a reduction asks about, holds all that it looks at. There is no other way in.

use super::execution::Execution;
use super::object::{Object, Objects};
use super::operation::{NO_OBJECT, Op};
use raddle_core::clock::Time;
use raddle_core::operation::ObjectId;

/// The state of an object that operations depend on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct State {
    pub words: [u64; 2],
    /// How many tasks its primitive keeps in its list.
    pub tasks: u64,
}

impl State {
    #[inline(always)]
    pub fn of(object: &Object) -> State {
        State { words: object.words, tasks: object.tasks.len() as u64 }
    }
}

/// The facts of an execution that belong to no object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ambient {
    pub time: Time,
    /// The object that readings of the clock read.
    pub clock_object: ObjectId,
    /// The object that an operation writes that may happen spuriously, if there are any.
    pub spurious_object: ObjectId,
    /// How many spurious wake-ups and failures are left.
    pub spurious_left: u32,
    /// What is left is unwound: no sleep takes time any more.
    pub is_teardown: bool,
}

impl Ambient {
    pub fn new(time: Time, spurious_left: u32) -> Ambient {
        let (clock_object, spurious_object) = (NO_OBJECT, NO_OBJECT);
        Ambient { time, clock_object, spurious_object, spurious_left, is_teardown: false }
    }
}

/// The state in which an operation is evaluated.
pub(crate) struct View<'a> {
    pub(super) objects: &'a Objects,
    pub(super) op: &'a Op,
    pub(super) ambient: &'a Ambient,
    /// Whether the operation's task was notified.
    pub notified: bool,
    /// Whether its time is up.
    pub timed_out: bool,
    /// The value of the atomic, unless it is the one in memory.
    pub(super) value: Option<u64>,
}

impl View<'_> {
    /// The state of the operation's object.
    #[inline(always)]
    pub fn object(&self) -> State {
        State::of(self.objects.get(self.op.object))
    }
    /// The state of its other object.
    #[inline(always)]
    pub fn other(&self) -> State {
        State::of(self.objects.get(self.op.other))
    }
    #[inline(always)]
    pub fn time(&self) -> Time {
        self.ambient.time
    }
    #[inline(always)]
    pub fn clock_object(&self) -> ObjectId {
        self.ambient.clock_object
    }
    #[inline(always)]
    pub fn spurious_object(&self) -> ObjectId {
        self.ambient.spurious_object
    }
    #[inline(always)]
    pub fn spurious_left(&self) -> u32 {
        self.ambient.spurious_left
    }
    /// Whether the operation's task was notified, or its time is up.
    #[inline(always)]
    pub fn is_woken(&self) -> bool {
        self.notified || self.timed_out
    }
    /// Whether a sleep of the operation's task is over.
    #[inline(always)]
    pub fn is_sleep_over(&self) -> bool {
        self.timed_out || self.ambient.is_teardown
    }
    /// The value of the operation's atomic, where `in_memory` reads the present one.
    #[inline(always)]
    pub fn value(&self, in_memory: impl FnOnce() -> u64) -> u64 {
        self.value.unwrap_or_else(in_memory)
    }
}

impl Execution {
    /// The present state, as the evaluation of `op` sees it.
    #[inline(always)]
    pub(super) fn view<'a>(&'a self, op: &'a Op) -> View<'a> {
        let task = self.task(op.task);
        let (notified, timed_out) = (task.notified, task.timed_out);
        View { objects: &self.objects, op, ambient: &self.ambient, notified, timed_out, value: None }
    }

    /// The present state of an object.
    #[inline(always)]
    pub fn state_of(&self, object: ObjectId) -> State {
        State::of(&self.objects[object])
    }
}
