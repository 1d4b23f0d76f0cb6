//! A place where one task leaves its waker and others find it: `AtomicWaker` as the crate `futures` has it.

use super::signal::wake_at;
use crate::label::{Labelled, Sealed};
use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::object::{Identity, Kind};
use crate::runtime::operation::{Op, Verb};
use crate::runtime::overlay::here;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};
use std::task::Waker;

const KIND: Kind = "AtomicWaker";

static REGISTER: Verb = Verb::write("register");
static WAKE: Verb = Verb::write("wake");
static TAKE: Verb = Verb::write("take");

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

    /// Waits for the turn of an operation, then puts `new` in the place of the waker and returns the old one.
    #[track_caller]
    fn exchange(&self, verb: &'static Verb, new: Option<Waker>) -> Option<Waker> {
        let place = Location::caller();
        let current = context::current();
        match current {
            None => self.identity.used_outside(),
            Some(current) => {
                current.perform(Op::new(verb, self.object(current), place));
            }
        }
        // What is taken out is dropped or woken by the caller: that may be the program's own code.
        let old = std::mem::replace(&mut *self.waker.lock().unwrap_or_else(PoisonError::into_inner), new);
        if let Some(current) = current {
            let effect = match (std::ptr::eq(verb, &REGISTER), &old) {
                (false, None) => Effect::Word("nobody"),
                _ => Effect::None,
            };
            current.did(effect, Synchronises::AcquireRelease);
        }
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
