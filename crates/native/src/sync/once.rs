//! `std::sync::Once`: a latch without a value.

use super::latch::{Found, Latch, Poison, forcing, initialising, waiting, waiting_on};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::memory::overlay::here;
use crate::runtime::operation::OperationKind;
use raddle_core::operation::ObjectId;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};

const KIND: &str = "Once";

static CALL_ONCE: OperationKind = initialising("call_once");
static CALL_ONCE_FORCE: OperationKind = forcing("call_once_force");
static IS_COMPLETED: OperationKind = OperationKind::read("is_completed");
static WAIT: OperationKind = waiting("wait");
static WAIT_FORCE: OperationKind = waiting_on("wait_force");

/// See [`std::sync::Once`].
pub struct Once(Latch);

impl UnwindSafe for Once {}
impl RefUnwindSafe for Once {}

/// See [`std::sync::OnceState`].
pub struct OnceState {
    poisoned: bool,
    /// Not `Sync`, as std's.
    not_sync: PhantomData<Cell<()>>,
}

impl OnceState {
    fn new(poisoned: bool) -> OnceState {
        OnceState { poisoned, not_sync: PhantomData }
    }
}

/// See [`std::sync::ONCE_INIT`].
#[deprecated(since = "1.38.0", note = "the `Once::new()` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ONCE_INIT: Once = Once::new();

#[cold]
#[track_caller]
fn panic_poisoned() -> ! {
    panic!("Once instance has previously been poisoned");
}

impl Once {
    /// See [`std::sync::Once::new`].
    // std's has no default either.
    #[allow(clippy::new_without_default)]
    #[must_use]
    #[inline]
    pub const fn new() -> Once {
        Once(Latch::new())
    }

    /// See [`std::sync::Once::call_once`].
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        let latch = &here(self).0;
        let Some(current) = context::current() else {
            return latch.run_outside(Poison::Matters, |_| f());
        };
        match latch.begin(current, KIND, &CALL_ONCE, Poison::Matters) {
            Found::Done => {}
            Found::Poisoned => panic_poisoned(),
            Found::Turn(turn) => {
                f();
                turn.done();
            }
        }
    }

    /// See [`std::sync::Once::call_once_force`].
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        let latch = &here(self).0;
        let Some(current) = context::current() else {
            return latch.run_outside(Poison::Ignored, |poisoned| f(&OnceState::new(poisoned)));
        };
        if let Found::Turn(turn) = latch.begin(current, KIND, &CALL_ONCE_FORCE, Poison::Ignored) {
            f(&OnceState::new(turn.was_poisoned));
            turn.done();
        }
    }

    /// See [`std::sync::Once::is_completed`].
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        here(self).0.look(KIND, &IS_COMPLETED)
    }

    /// See [`std::sync::Once::wait`].
    #[track_caller]
    pub fn wait(&self) {
        if !here(self).0.wait(KIND, &WAIT, Poison::Matters) {
            panic_poisoned();
        }
    }

    /// See [`std::sync::Once::wait_force`].
    #[track_caller]
    pub fn wait_force(&self) {
        here(self).0.wait(KIND, &WAIT_FORCE, Poison::Ignored);
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl OnceState {
    /// See [`std::sync::OnceState::is_poisoned`].
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState").field("poisoned", &self.is_poisoned()).finish()
    }
}

impl Labelled for Once {}
impl Sealed for Once {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).0.object(current, KIND))
    }
}
