//! What a primitive tells the runtime about an operation: a verb and what it is applied to.
//!
//! A [`Verb`] carries the one function that decides, in the present state, whether the operation is blocked,
//! in how many ways it can go and what it touches. Primitives define their verbs beside their code; nothing
//! else in the runtime knows them.

use super::execution::Execution;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::world::Manner;
use std::panic::Location;

/// What an operation would do in the present state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sense {
    pub accesses: Accesses,
    /// In how many ways it can go; 0: it is blocked.
    pub options: u32,
}

impl Sense {
    /// Can happen, in one way.
    #[inline]
    pub fn ready(accesses: Accesses) -> Sense {
        Sense { accesses, options: 1 }
    }
    /// Can happen if `condition` holds.
    #[inline]
    pub fn when(condition: bool, accesses: Accesses) -> Sense {
        Sense { accesses, options: condition as u32 }
    }
}

/// Whether the sense of a verb's operations depends on the state of their objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Changes {
    /// Always ready, always the same accesses.
    Never,
    /// Evaluated again whenever one of its objects changes.
    WithItsObjects,
    /// The same, and at any moment all operations of this verb on one object have the same sense.
    Alike,
}

/// What operations touch that are always ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fixed {
    Nothing,
    ReadsItsObject,
    WritesItsObject,
}

/// A kind of operation.
pub(crate) struct Verb {
    /// The user's word for it.
    pub name: &'static str,
    pub sense: fn(&Execution, &Op) -> Sense,
    pub changes: Changes,
    /// What it touches, if that is always the same: spares a call of `sense`.
    pub fixed: Option<Fixed>,
    pub manner: Manner,
    /// Who keeps it from happening, for reports of deadlocks.
    pub holders: fn(&Execution, &Op) -> Vec<TaskId>,
    /// What they hold, for the same reports.
    pub held: fn(&Execution, &Op) -> ObjectId,
    /// Whether it can happen for no reason only: nobody may count on it.
    pub for_no_reason: fn(&Execution, &Op) -> bool,
}

fn its_object(_: &Execution, op: &Op) -> ObjectId {
    op.object
}

fn never(_: &Execution, _: &Op) -> bool {
    false
}

fn nobody(_: &Execution, _: &Op) -> Vec<TaskId> {
    Vec::new()
}

impl Verb {
    /// An operation that may be blocked or whose accesses depend on the state.
    pub const fn new(name: &'static str, sense: fn(&Execution, &Op) -> Sense) -> Verb {
        Verb {
            name,
            sense,
            changes: Changes::WithItsObjects,
            fixed: None,
            manner: Manner::Ordinary,
            holders: nobody,
            held: its_object,
            for_no_reason: never,
        }
    }
    /// An operation that is always ready with the same accesses.
    pub const fn always(name: &'static str, sense: fn(&Execution, &Op) -> Sense) -> Verb {
        let verb = Verb::new(name, sense);
        Verb { changes: Changes::Never, ..verb }
    }
    /// Says who keeps it from happening.
    pub const fn held_by(mut self, holders: fn(&Execution, &Op) -> Vec<TaskId>) -> Verb {
        self.holders = holders;
        self
    }
    /// Says what they hold, if it is not always the operation's object.
    pub const fn holding(mut self, held: fn(&Execution, &Op) -> ObjectId) -> Verb {
        self.held = held;
        self
    }
    /// Says when it can happen for no reason only.
    pub const fn spurious(mut self, for_no_reason: fn(&Execution, &Op) -> bool) -> Verb {
        self.for_no_reason = for_no_reason;
        self
    }
    /// At any moment, all operations of this verb on one object have the same sense.
    pub const fn alike(mut self) -> Verb {
        self.changes = Changes::Alike;
        self
    }
    /// What `op`, an operation of this verb, would do in the present state.
    #[inline(always)]
    pub fn sense(&self, e: &Execution, op: &Op) -> Sense {
        match self.fixed {
            None => (self.sense)(e, op),
            Some(Fixed::Nothing) => Sense::ready(Accesses::NONE),
            Some(Fixed::ReadsItsObject) => Sense::ready(Accesses::read(op.object)),
            Some(Fixed::WritesItsObject) => Sense::ready(Accesses::write(op.object)),
        }
    }
    /// Switching away from it is not a preemption.
    pub const fn yielding(mut self) -> Verb {
        self.manner = Manner::Yielding;
        self
    }
    /// Reads its object, always ready.
    pub const fn read(name: &'static str) -> Verb {
        let verb = Verb::always(name, |_, op| Sense::ready(Accesses::read(op.object)));
        Verb { fixed: Some(Fixed::ReadsItsObject), ..verb }
    }
    /// Writes its object, always ready.
    pub const fn write(name: &'static str) -> Verb {
        let verb = Verb::always(name, |_, op| Sense::ready(Accesses::write(op.object)));
        Verb { fixed: Some(Fixed::WritesItsObject), ..verb }
    }
    /// Touches nothing but its own task.
    pub const fn local(name: &'static str) -> Verb {
        let verb = Verb::always(name, |_, _| Sense::ready(Accesses::NONE));
        Verb { fixed: Some(Fixed::Nothing), ..verb }
    }
}

/// No object.
pub(crate) const NO_OBJECT: ObjectId = ObjectId(u32::MAX);

/// An operation that a task is about to do.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    pub verb: &'static Verb,
    pub object: ObjectId,
    /// A second object, where the verb has one.
    pub other: ObjectId,
    /// Whatever the verb's sense needs.
    pub args: [u64; 2],
    pub place: &'static Location<'static>,
    /// Who does it; set when it is announced.
    pub task: TaskId,
}

impl Op {
    #[inline]
    pub fn new(verb: &'static Verb, object: ObjectId, place: &'static Location<'static>) -> Op {
        Op { verb, object, other: NO_OBJECT, args: [0; 2], place, task: TaskId::MAIN }
    }
    /// Without an object.
    #[inline]
    pub fn plain(verb: &'static Verb, place: &'static Location<'static>) -> Op {
        Op::new(verb, NO_OBJECT, place)
    }
    #[inline]
    pub fn arg(mut self, arg: u64) -> Op {
        self.args[0] = arg;
        self
    }
    #[inline]
    pub fn args(mut self, args: [u64; 2]) -> Op {
        self.args = args;
        self
    }
    #[inline]
    pub fn with(mut self, other: ObjectId) -> Op {
        self.other = other;
        self
    }
    #[inline]
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        [self.object, self.other].into_iter().filter(|o| *o != NO_OBJECT)
    }
    /// Equal in equal executions, cheap, and different for different operations as a rule.
    #[inline]
    pub fn signature(&self) -> u32 {
        let verb = self.verb as *const Verb as u64;
        let place = self.place as *const Location<'_> as u64;
        let mix = verb.rotate_left(32) ^ place ^ (self.object.0 as u64) << 17;
        (mix.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }
}
