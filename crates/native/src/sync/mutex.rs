//! `std::sync::Mutex`. Word 0 of its object is the holder's number plus 1, or 0 while it is free.

use super::guard::{gives_its_value, shows_its_value};
use super::poison::Poison;
use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::memory::overlay::here;
use crate::runtime::objects::Identity;
use crate::runtime::objects::ObjectState;
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

const KIND: &str = "Mutex";

static LOCK: OperationKind = OperationKind::new("lock", |view, op| {
    Evaluation::when(is_free(view.object()), Accesses::write(op.object))
})
.held_by(|blocked| holder(blocked.view().object()).into_iter().collect())
.same_accesses()
.takes_lock()
.alike();
static TRY_LOCK: OperationKind = OperationKind::new("try_lock", |view, op| {
    Evaluation::ready(if is_free(view.object()) {
        Accesses::write(op.object)
    } else {
        Accesses::read(op.object)
    })
})
.takes_lock()
.never_waits();
static UNLOCK: OperationKind = OperationKind::write("unlock").in_destructors().gives_lock_back();
static IS_POISONED: OperationKind = OperationKind::read("is_poisoned");
static CLEAR_POISON: OperationKind = OperationKind::write("clear_poison");

#[inline]
pub(super) fn is_free(mutex: ObjectState) -> bool {
    mutex.words[0] == 0
}

#[inline]
pub(super) fn holder(mutex: ObjectState) -> Option<TaskId> {
    mutex.words[0].checked_sub(1).map(|n| TaskId(n as u32))
}

/// The running task acquires a free mutex.
#[inline]
pub(super) fn take(e: &mut Execution, mutex: ObjectId) {
    e.words_mut(mutex)[0] = e.me().0 as u64 + 1;
    e.touch(mutex);
}

/// The running task releases its mutex.
#[inline]
pub(super) fn give_back(e: &mut Execution, mutex: ObjectId) {
    e.words_mut(mutex)[0] = 0;
    e.touch(mutex);
}

// The operations, independent of the value.

#[cfg_attr(not(feature = "outlined"), inline(always))]
#[cfg_attr(feature = "outlined", inline(never))]
#[track_caller]
fn lock(current: Current, identity: &Identity) {
    let mutex = current.object(identity, KIND, [0; 2]);
    current.perform(Op::new(&LOCK, mutex, Location::caller()));
    current.with(|e| take(e, mutex));
    current.did(Effect::None, Synchronises::Acquire);
}

/// Says whether it acquired the mutex.
#[track_caller]
fn try_lock(current: Current, identity: &Identity) -> bool {
    let mutex = current.object(identity, KIND, [0; 2]);
    current.perform(Op::new(&TRY_LOCK, mutex, Location::caller()));
    if !current.with(|e| is_free(e.state(mutex))) {
        current.did(Effect::Word("would block"), Synchronises::None);
        return false;
    }
    current.with(|e| take(e, mutex));
    current.did(Effect::Word("taken"), Synchronises::Acquire);
    true
}

#[cfg_attr(not(feature = "outlined"), inline(always))]
#[cfg_attr(feature = "outlined", inline(never))]
#[track_caller]
fn unlock(current: Current, identity: &Identity, poison: &Poison, panicked_before: bool, changed: bool) {
    let mutex = current.object(identity, KIND, [0; 2]);
    current.perform(Op::new(&UNLOCK, mutex, Location::caller()));
    poison.on_release(panicked_before);
    current.with(|e| {
        give_back(e, mutex);
        if !changed {
            e.only_looked();
        }
    });
    current.did(Effect::None, Synchronises::Release);
}

/// See [`std::sync::Mutex`].
pub struct Mutex<T: ?Sized> {
    identity: Identity,
    poison: Poison,
    /// Locked by threads outside of explorations only.
    outside: std::sync::Mutex<()>,
    value: UnsafeCell<T>,
}

// SAFETY: as for std's: the value is only handed out to one holder at a time.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

/// See [`std::sync::MutexGuard`].
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized + 'a> {
    mutex: &'a Mutex<T>,
    panicked_before: bool,
    /// The value may have been changed through it.
    changed: bool,
    /// Held outside of explorations only.
    outside: Option<std::sync::MutexGuard<'a, ()>>,
    not_send: PhantomData<*const ()>,
}

// SAFETY: as for std's: a shared guard only gives shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// See [`std::sync::Mutex::new`].
    #[inline]
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            identity: Identity::new(),
            poison: Poison::new(),
            outside: std::sync::Mutex::new(()),
            value: UnsafeCell::new(value),
        }
    }

    /// See [`std::sync::Mutex::into_inner`].
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.poison.is_set();
        let value = self.value.into_inner();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: ?Sized> Mutex<T> {
    #[inline]
    #[track_caller]
    pub(crate) fn object(&self, current: Current) -> ObjectId {
        current.object(&self.identity, KIND, [0; 2])
    }

    /// A guard for the running task, which holds the mutex.
    #[inline]
    pub(super) fn guard(&self) -> LockResult<MutexGuard<'_, T>> {
        let panicked_before = std::thread::panicking();
        self.poison.wrap(MutexGuard {
            mutex: self,
            panicked_before,
            changed: false,
            outside: None,
            not_send: PhantomData,
        })
    }

    #[inline]
    fn guard_outside<'a>(&'a self, outside: std::sync::MutexGuard<'a, ()>) -> LockResult<MutexGuard<'a, T>> {
        let panicked_before = std::thread::panicking();
        let outside = Some(outside);
        self.poison.wrap(MutexGuard {
            mutex: self,
            panicked_before,
            changed: false,
            outside,
            not_send: PhantomData,
        })
    }

    /// See [`std::sync::Mutex::lock`].
    #[inline(always)]
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let this = here(self);
        let Some(current) = context::current() else {
            this.identity.used_outside();
            return this.guard_outside(this.outside.lock().unwrap_or_else(PoisonError::into_inner));
        };
        lock(current, &this.identity);
        this.guard()
    }

    /// See [`std::sync::Mutex::try_lock`].
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        let this = here(self);
        let Some(current) = context::current() else {
            this.identity.used_outside();
            let outside = match this.outside.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(e)) => e.into_inner(),
                Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            };
            return Ok(this.guard_outside(outside)?);
        };
        match try_lock(current, &this.identity) {
            true => Ok(this.guard()?),
            false => Err(TryLockError::WouldBlock),
        }
    }

    /// See [`std::sync::Mutex::is_poisoned`].
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        let this = here(self);
        let Some(current) = context::current() else { return this.poison.is_set() };
        let mutex = this.object(current);
        current.perform(Op::new(&IS_POISONED, mutex, Location::caller()));
        let poisoned = this.poison.is_set();
        current.did(Effect::Read(Shape::Bool, poisoned as u64), Synchronises::None);
        poisoned
    }

    /// See [`std::sync::Mutex::clear_poison`].
    #[track_caller]
    pub fn clear_poison(&self) {
        let this = here(self);
        if let Some(current) = context::current() {
            let mutex = this.object(current);
            current.perform(Op::new(&CLEAR_POISON, mutex, Location::caller()));
        }
        this.poison.clear();
    }

    /// See [`std::sync::Mutex::get_mut`].
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.poison.is_set();
        let value = self.value.get_mut();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => d.field("data", &&*guard),
            Err(TryLockError::Poisoned(e)) => d.field("data", &&**e.get_ref()),
            Err(TryLockError::WouldBlock) => d.field("data", &format_args!("<locked>")),
        };
        d.field("poisoned", &here(self).poison.is_set());
        d.finish_non_exhaustive()
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex of this guard.
    pub(super) fn mutex(guard: &MutexGuard<'a, T>) -> &'a Mutex<T> {
        guard.mutex
    }
    /// The guard of a mutex that was released and acquired again, as an error if it is poisoned by now.
    pub(super) fn again(guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        guard.mutex.poison.wrap(guard)
    }
    /// The lock that threads outside of explorations hold, for their condition variables.
    pub(super) fn take_outside(guard: &mut MutexGuard<'a, T>) -> Option<std::sync::MutexGuard<'a, ()>> {
        guard.outside.take()
    }
    pub(super) fn put_outside(guard: &mut MutexGuard<'a, T>, outside: std::sync::MutexGuard<'a, ()>) {
        guard.outside = Some(outside);
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline(always)]
    #[track_caller]
    fn drop(&mut self) {
        if self.outside.is_some() {
            self.mutex.poison.on_release(self.panicked_before);
            return;
        }
        let Some(current) = context::current() else { return };
        unlock(current, &self.mutex.identity, &self.mutex.poison, self.panicked_before, self.changed);
    }
}

gives_its_value!(MutexGuard, mutex);
shows_its_value!(MutexGuard);
