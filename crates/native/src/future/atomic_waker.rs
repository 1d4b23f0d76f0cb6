//! `AtomicWaker` of the crate `futures`: a slot where one task registers its waker and others wake it.

use super::signal::wake_at;
use crate::label::{Labelled, Sealed};
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::memory::overlay::here;
use crate::runtime::objects::{Identity, ObjectKind};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::operation::{Accesses, ObjectId};
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

const KIND: ObjectKind = "AtomicWaker";

/// Registering the same waker again is a read: the arguments say whether it was the same when this was
/// announced, and after how many changes, which word 0 counts.
static REGISTER: OperationKind = OperationKind::new("register", |view, op| {
    let changes_nothing = op.args == [1, view.object().words[0]];
    Evaluation::ready(if changes_nothing { Accesses::read(op.object) } else { Accesses::write(op.object) })
});
static WAKE: OperationKind = OperationKind::write("wake");
static TAKE: OperationKind = OperationKind::write("take");

/// A waker that can be registered by one task and woken by others.
///
/// Each method is one operation, and all of them synchronise with each other. A task must check its condition
/// *after* it has registered, or it may miss its wake-up: a search finds that as a deadlock.
pub struct AtomicWaker {
    identity: Identity,
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// An empty slot.
    pub const fn new() -> AtomicWaker {
        AtomicWaker { identity: Identity::new(), waker: Mutex::new(None) }
    }

    #[track_caller]
    fn object(&self, current: Current) -> ObjectId {
        current.object(&self.identity, KIND, [0; 2])
    }

    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs an operation that replaces the waker by `new`, and returns the old one.
    #[track_caller]
    fn exchange(&self, kind: &'static OperationKind, new: Option<Waker>) -> Option<Waker> {
        let place = Location::caller();
        let Some(current) = context::current() else {
            self.identity.used_outside();
            return std::mem::replace(&mut *self.waker(), new);
        };
        let object = self.object(current);
        let same = self.waker().as_ref().zip(new.as_ref()).is_some_and(|(old, new)| old.will_wake(new));
        let changes = current.with(|e| e.words(object)[0]);
        current.perform(Op::new(kind, object, place).args([same as u64, changes]));
        // The caller drops or wakes the old one: that may run code of the program.
        let old = std::mem::replace(&mut *self.waker(), new);
        current.with(|e| {
            if !same || e.words(object)[0] != changes {
                e.words_mut(object)[0] += 1;
                e.touch(object);
            }
        });
        let is_empty = old.is_none() && !std::ptr::eq(kind, &REGISTER);
        let effect = if is_empty { Effect::Word("no waker") } else { Effect::None };
        current.did(effect, Synchronises::AcquireRelease);
        old
    }

    /// Registers a waker in place of the one before.
    #[track_caller]
    pub fn register(&self, waker: &Waker) {
        let waker = waker.clone();
        drop(here(self).exchange(&REGISTER, Some(waker)));
    }

    /// Wakes the registered waker, if there is one.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = here(self).exchange(&WAKE, None) {
            wake_at(waker, Location::caller());
        }
    }

    /// Removes the waker without waking it.
    #[track_caller]
    pub fn take(&self) -> Option<Waker> {
        here(self).exchange(&TAKE, None)
    }
}

impl Default for AtomicWaker {
    fn default() -> AtomicWaker {
        AtomicWaker::new()
    }
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AtomicWaker")
    }
}

impl Labelled for AtomicWaker {}
impl Sealed for AtomicWaker {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).object(current))
    }
}
