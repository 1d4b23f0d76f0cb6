//! A place where one task leaves its waker and others find it: `AtomicWaker` as the crate `futures` has it.

use super::signal::wake_at;
use crate::label::{Labelled, Sealed};
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::object::{Identity, ObjectKind};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::overlay::here;
use raddle_core::operation::{Accesses, ObjectId};
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

const KIND: ObjectKind = "AtomicWaker";

/// To register the waker that is there already is to look: the arguments say whether it was when that was
/// announced, and after how many changes, which word 0 counts.
static REGISTER: OperationKind = OperationKind::new("register", |view, op| {
    let changes_nothing = op.args == [1, view.object().words[0]];
    Evaluation::ready(if changes_nothing { Accesses::read(op.object) } else { Accesses::write(op.object) })
});
static WAKE: OperationKind = OperationKind::write("wake");
static TAKE: OperationKind = OperationKind::write("take");

/// A waker that can be registered by one task and woken by others.
///
/// Each method is one operation, and all of them synchronise with each other. A task that registers must look
/// at what it waits for *after* it has registered, or it may miss its wake-up: a search finds that as a deadlock.
pub struct AtomicWaker {
    identity: Identity,
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// Without a waker.
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

    /// Waits for the turn of an operation, then puts `new` in the place of the waker and returns the old one.
    #[track_caller]
    fn exchange(&self, kind: &'static OperationKind, new: Option<Waker>) -> Option<Waker> {
        let place = Location::caller();
        let Some(current) = context::current() else {
            self.identity.used_outside();
            return std::mem::replace(&mut *self.waker(), new);
        };
        let object = self.object(current);
        let same = self.waker().as_ref().zip(new.as_ref()).is_some_and(|(old, new)| old.will_wake(new));
        let changes = current.with(|e| e.objects[object].words[0]);
        current.perform(Op::new(kind, object, place).args([same as u64, changes]));
        // What is taken out is dropped or woken by the caller: that may be the program's own code.
        let old = std::mem::replace(&mut *self.waker(), new);
        current.with(|e| {
            if !same || e.objects[object].words[0] != changes {
                e.objects[object].words[0] += 1;
                e.touch(object);
            }
        });
        let nobody = old.is_none() && !std::ptr::eq(kind, &REGISTER);
        let effect = if nobody { Effect::Word("nobody") } else { Effect::None };
        current.did(effect, Synchronises::AcquireRelease);
        old
    }

    /// Leaves a waker here, in the place of the one before.
    #[track_caller]
    pub fn register(&self, waker: &Waker) {
        let waker = waker.clone();
        drop(here(self).exchange(&REGISTER, Some(waker)));
    }

    /// Wakes whoever registered last, if nobody has done so yet.
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = here(self).exchange(&WAKE, None) {
            wake_at(waker, Location::caller());
        }
    }

    /// Takes the waker away without waking it.
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
