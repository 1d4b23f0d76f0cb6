//! `std::sync::OnceLock`: a latch and the value in place. The value is there exactly when the latch is done.

use super::latch::{Found, Latch, Poison, forcing, waiting_on};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::memory::overlay::here;
use crate::runtime::operation::OperationKind;
use raddle_core::operation::ObjectId;
use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

const KIND: &str = "OnceLock";

static GET: OperationKind = OperationKind::read("get");
static SET: OperationKind = forcing("set");
static GET_OR_INIT: OperationKind = forcing("get_or_init");
static WAIT: OperationKind = waiting_on("wait");

/// See [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    latch: Latch,
    /// Written by the initialising task, read when the latch is done.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: as for std's: a reader of the value synchronises with its initialisation.
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for OnceLock<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// See [`std::sync::OnceLock::new`].
    #[must_use]
    #[inline]
    pub const fn new() -> OnceLock<T> {
        OnceLock { latch: Latch::new(), value: UnsafeCell::new(None) }
    }

    /// The value of a latch that is done.
    fn value(&self) -> &T {
        // SAFETY: the value is never written once the latch is done.
        unsafe { &*self.value.get() }.as_ref().expect("the latch is done")
    }

    /// See [`std::sync::OnceLock::get`].
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        let this = here(self);
        this.latch.look(KIND, &GET).then(|| this.value())
    }

    /// See [`std::sync::OnceLock::get_mut`].
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// See [`std::sync::OnceLock::wait`].
    #[track_caller]
    pub fn wait(&self) -> &T {
        let this = here(self);
        this.latch.wait(KIND, &WAIT, Poison::Ignored);
        this.value()
    }

    /// See [`std::sync::OnceLock::set`].
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let this = here(self);
        let mut value = Some(value);
        match context::current() {
            None => this.latch.run_outside(Poison::Ignored, |_| this.put(value.take())),
            Some(current) => {
                if let Found::Turn(turn) = this.latch.begin(current, KIND, &SET, Poison::Ignored) {
                    this.put(value.take());
                    turn.done_at_once();
                }
            }
        }
        value.map_or(Ok(()), Err)
    }

    /// See [`std::sync::OnceLock::get_or_init`].
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        let this = here(self);
        match context::current() {
            None => this.latch.run_outside(Poison::Ignored, |_| this.put(Some(f()))),
            Some(current) => {
                if let Found::Turn(turn) = this.latch.begin(current, KIND, &GET_OR_INIT, Poison::Ignored) {
                    this.put(Some(f()));
                    turn.done();
                }
            }
        }
        this.value()
    }

    /// Initialises; only for the task that holds the turn.
    fn put(&self, value: Option<T>) {
        // SAFETY: no other task accesses the value before the latch is done.
        unsafe { *self.value.get() = value }
    }

    /// See [`std::sync::OnceLock::into_inner`].
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// See [`std::sync::OnceLock::take`].
    pub fn take(&mut self) -> Option<T> {
        let value = self.value.get_mut().take()?;
        self.latch.reset();
        Some(value)
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> OnceLock<T> {
        OnceLock { latch: Latch::done(), value: UnsafeCell::new(Some(value)) }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> OnceLock<T> {
        self.get().cloned().map_or_else(OnceLock::new, OnceLock::from)
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => d.field(value),
            None => d.field(&format_args!("<uninit>")),
        };
        d.finish()
    }
}

impl<T> Labelled for OnceLock<T> {}
impl<T> Sealed for OnceLock<T> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).latch.object(current, KIND))
    }
}
