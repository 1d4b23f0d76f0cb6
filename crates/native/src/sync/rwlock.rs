//! `std::sync::RwLock`. Word 0 of its object is the writer's number plus 1, or 0 without a writer; its tasks
//! are the readers, one entry per lock that they hold.
//!
//! Operations of readers read the object, so they commute; those of writers write it. Waiting writers do not
//! block readers: std leaves that open, and blocking them adds no behaviour except deadlocks. The deadlock of
//! a task that reads a second time is found all the same.

use super::guard::{gives_its_value, shows_its_value};
use super::poison::Poison;
use crate::label::{Labelled, Sealed};
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
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

const KIND: &str = "RwLock";

static READ: OperationKind = OperationKind::new("read", |view, op| {
    Evaluation::when(is_shareable(view.object()), Accesses::read(op.object))
})
.held_by(|blocked| writer(blocked.view().object()).into_iter().collect())
.acquires()
.same_accesses()
.alike();
static TRY_READ: OperationKind = OperationKind::read("try_read");
static WRITE: OperationKind = OperationKind::new("write", |view, op| {
    let free = is_shareable(view.object()) && view.object().tasks == 0;
    Evaluation::when(free, Accesses::write(op.object))
})
.held_by(|blocked| match writer(blocked.view().object()) {
    Some(writer) => vec![writer],
    None => {
        let mut readers = blocked.queue().to_vec();
        readers.sort();
        readers.dedup();
        readers
    }
})
.blocked_by_several()
.acquires()
.takes_lock()
.same_accesses()
.alike();
/// A failure because of readers could be a success after a reader's unlock, which only reads: so it writes.
static TRY_WRITE: OperationKind = OperationKind::new("try_write", |view, op| {
    Evaluation::ready(match is_shareable(view.object()) {
        false => Accesses::read(op.object),
        true => Accesses::write(op.object),
    })
})
.never_waits()
.takes_lock()
.alike();
static READ_UNLOCK: OperationKind = OperationKind::read("unlock").in_destructors();
static WRITE_UNLOCK: OperationKind = OperationKind::write("unlock").in_destructors().gives_lock_back();
static DOWNGRADE: OperationKind = OperationKind::write("downgrade");
static IS_POISONED: OperationKind = OperationKind::read("is_poisoned");
static CLEAR_POISON: OperationKind = OperationKind::write("clear_poison");

/// Whether there is no writer.
fn is_shareable(lock: ObjectState) -> bool {
    lock.words[0] == 0
}

fn writer(lock: ObjectState) -> Option<TaskId> {
    lock.words[0].checked_sub(1).map(|n| TaskId(n as u32))
}

fn readers(e: &Execution, lock: ObjectId) -> &[TaskId] {
    e.queue(lock)
}

/// Adds the running task to the readers, once more if it is one.
fn add_reader(e: &mut Execution, lock: ObjectId) {
    let me = e.me();
    e.queue_mut(lock).push(me);
    if readers(e, lock).len() == 1 {
        e.reconsider(lock);
    }
}

fn remove_reader(e: &mut Execution, lock: ObjectId) {
    let me = e.me();
    let readers = e.queue_mut(lock);
    if let Some(at) = readers.iter().rposition(|t| *t == me) {
        readers.swap_remove(at);
    }
    if readers.is_empty() {
        e.reconsider(lock);
    }
}

fn set_writer(e: &mut Execution, lock: ObjectId, writer: Option<TaskId>) {
    e.words_mut(lock)[0] = writer.map_or(0, |t| t.0 as u64 + 1);
    e.touch(lock);
}

/// All fields but the value.
struct Raw {
    identity: Identity,
    poison: Poison,
    /// Locked by threads outside of explorations only.
    outside: std::sync::RwLock<()>,
}

impl Raw {
    #[track_caller]
    fn object(&self, current: Current) -> ObjectId {
        current.object(&self.identity, KIND, [0; 2])
    }
}

/// See [`std::sync::RwLock`].
pub struct RwLock<T: ?Sized> {
    raw: Raw,
    value: UnsafeCell<T>,
}

// SAFETY: as for std's: the value is handed out to one writer or to readers.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

/// See [`std::sync::RwLockReadGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized + 'a> {
    // Not a reference: the value may be written while the guard is dropped. Covariant, as std's.
    value: NonNull<T>,
    raw: &'a Raw,
    /// Held outside of explorations only.
    outside: Option<std::sync::RwLockReadGuard<'a, ()>>,
}

// SAFETY: as for std's: a shared guard only gives shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

/// See [`std::sync::RwLockWriteGuard`].
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized + 'a> {
    lock: &'a RwLock<T>,
    panicked_before: bool,
    /// The value may have been changed through it.
    changed: bool,
    /// Held outside of explorations only.
    outside: Option<std::sync::RwLockWriteGuard<'a, ()>>,
    not_send: std::marker::PhantomData<*const ()>,
}

// SAFETY: as for std's: a shared guard only gives shared access to the value.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// See [`std::sync::RwLock::new`].
    #[inline]
    pub const fn new(value: T) -> RwLock<T> {
        let outside = std::sync::RwLock::new(());
        let raw = Raw { identity: Identity::new(), poison: Poison::new(), outside };
        RwLock { raw, value: UnsafeCell::new(value) }
    }

    /// See [`std::sync::RwLock::into_inner`].
    pub fn into_inner(self) -> LockResult<T> {
        let poisoned = self.raw.poison.is_set();
        let value = self.value.into_inner();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// A guard of a reader, which holds the lock.
    fn reading<'a>(
        &'a self,
        outside: Option<std::sync::RwLockReadGuard<'a, ()>>,
    ) -> LockResult<RwLockReadGuard<'a, T>> {
        // SAFETY: a pointer to what the lock owns is not null.
        let value = unsafe { NonNull::new_unchecked(self.value.get()) };
        self.raw.poison.wrap(RwLockReadGuard { value, raw: &self.raw, outside })
    }

    /// A guard of the writer, which holds the lock.
    fn writing<'a>(
        &'a self,
        outside: Option<std::sync::RwLockWriteGuard<'a, ()>>,
    ) -> LockResult<RwLockWriteGuard<'a, T>> {
        let panicked_before = std::thread::panicking();
        let not_send = std::marker::PhantomData;
        self.raw.poison.wrap(RwLockWriteGuard {
            lock: self,
            panicked_before,
            changed: false,
            outside,
            not_send,
        })
    }

    /// See [`std::sync::RwLock::read`].
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let this = here(self);
        let Some(current) = context::current() else {
            this.raw.identity.used_outside();
            let outside = this.raw.outside.read().unwrap_or_else(PoisonError::into_inner);
            return this.reading(Some(outside));
        };
        let lock = this.raw.object(current);
        current.perform(Op::new(&READ, lock, Location::caller()));
        current.with(|e| {
            if readers(e, lock).contains(&e.me()) {
                e.note_reread(lock);
            }
            add_reader(e, lock);
        });
        current.did(Effect::None, Synchronises::AcquireShared);
        this.reading(None)
    }

    /// See [`std::sync::RwLock::try_read`].
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let this = here(self);
        let Some(current) = context::current() else {
            this.raw.identity.used_outside();
            let outside = unpoisoned(this.raw.outside.try_read()).ok_or(TryLockError::WouldBlock)?;
            return Ok(this.reading(Some(outside))?);
        };
        let lock = this.raw.object(current);
        current.perform(Op::new(&TRY_READ, lock, Location::caller()));
        if current.with(|e| writer(e.state(lock)).is_some()) {
            current.did(Effect::Word("would block"), Synchronises::None);
            return Err(TryLockError::WouldBlock);
        }
        current.with(|e| add_reader(e, lock));
        current.did(Effect::Word("taken"), Synchronises::AcquireShared);
        Ok(this.reading(None)?)
    }

    /// See [`std::sync::RwLock::write`].
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let this = here(self);
        let Some(current) = context::current() else {
            this.raw.identity.used_outside();
            let outside = this.raw.outside.write().unwrap_or_else(PoisonError::into_inner);
            return this.writing(Some(outside));
        };
        let lock = this.raw.object(current);
        current.perform(Op::new(&WRITE, lock, Location::caller()));
        if let Some(defect) = current.with(|e| e.deadlock_by_reread(lock)) {
            current.fail(defect);
        }
        current.with(|e| set_writer(e, lock, Some(e.me())));
        current.did(Effect::None, Synchronises::Acquire);
        this.writing(None)
    }

    /// See [`std::sync::RwLock::try_write`].
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let this = here(self);
        let Some(current) = context::current() else {
            this.raw.identity.used_outside();
            let outside = unpoisoned(this.raw.outside.try_write()).ok_or(TryLockError::WouldBlock)?;
            return Ok(this.writing(Some(outside))?);
        };
        let lock = this.raw.object(current);
        current.perform(Op::new(&TRY_WRITE, lock, Location::caller()));
        if current.with(|e| writer(e.state(lock)).is_some() || !readers(e, lock).is_empty()) {
            current.did(Effect::Word("would block"), Synchronises::None);
            return Err(TryLockError::WouldBlock);
        }
        current.with(|e| set_writer(e, lock, Some(e.me())));
        current.did(Effect::Word("taken"), Synchronises::Acquire);
        Ok(this.writing(None)?)
    }

    /// See [`std::sync::RwLock::is_poisoned`].
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        let this = here(self);
        let Some(current) = context::current() else { return this.raw.poison.is_set() };
        let lock = this.raw.object(current);
        current.perform(Op::new(&IS_POISONED, lock, Location::caller()));
        let poisoned = this.raw.poison.is_set();
        current.did(Effect::Read(Shape::Bool, poisoned as u64), Synchronises::None);
        poisoned
    }

    /// See [`std::sync::RwLock::clear_poison`].
    #[track_caller]
    pub fn clear_poison(&self) {
        let this = here(self);
        if let Some(current) = context::current() {
            let lock = this.raw.object(current);
            current.perform(Op::new(&CLEAR_POISON, lock, Location::caller()));
        }
        this.raw.poison.clear();
    }

    /// See [`std::sync::RwLock::get_mut`].
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.raw.poison.is_set();
        let value = self.value.get_mut();
        if poisoned { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}

/// The guard, if there is one. The poison of the outside lock has no meaning.
fn unpoisoned<G>(result: TryLockResult<G>) -> Option<G> {
    match result {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(e)) => Some(e.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => d.field("data", &&*guard),
            Err(TryLockError::Poisoned(e)) => d.field("data", &&**e.get_ref()),
            Err(TryLockError::WouldBlock) => d.field("data", &format_args!("<locked>")),
        };
        d.field("poisoned", &here(self).raw.poison.is_set());
        d.finish_non_exhaustive()
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// See [`std::sync::RwLockWriteGuard::downgrade`].
    #[track_caller]
    pub fn downgrade(guard: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        if let (None, Some(current)) = (&guard.outside, context::current()) {
            let lock = guard.lock.raw.object(current);
            // Until the step is taken, the guard is a writer's.
            current.perform(Op::new(&DOWNGRADE, lock, Location::caller()));
            current.with(|e| {
                set_writer(e, lock, None);
                add_reader(e, lock);
            });
            current.did(Effect::None, Synchronises::Release);
        }
        let mut guard = ManuallyDrop::new(guard);
        let outside = guard.outside.take().map(std::sync::RwLockWriteGuard::downgrade);
        guard.lock.reading(outside).unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        if self.outside.is_some() {
            return;
        }
        let Some(current) = context::current() else { return };
        let lock = self.raw.object(current);
        current.perform(Op::new(&READ_UNLOCK, lock, Location::caller()));
        current.with(|e| remove_reader(e, lock));
        current.did(Effect::None, Synchronises::ReleaseShared);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        let raw = &self.lock.raw;
        if self.outside.is_some() {
            raw.poison.on_release(self.panicked_before);
            return;
        }
        let Some(current) = context::current() else { return };
        let lock = raw.object(current);
        current.perform(Op::new(&WRITE_UNLOCK, lock, Location::caller()));
        raw.poison.on_release(self.panicked_before);
        let changed = self.changed;
        current.with(|e| {
            set_writer(e, lock, None);
            if !changed {
                e.only_looked();
            }
        });
        current.did(Effect::None, Synchronises::Release);
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's owner is a reader.
        unsafe { self.value.as_ref() }
    }
}

gives_its_value!(RwLockWriteGuard, lock);
shows_its_value!(RwLockReadGuard);
shows_its_value!(RwLockWriteGuard);

impl<T: ?Sized> Labelled for RwLock<T> {}
impl<T: ?Sized> Sealed for RwLock<T> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).raw.object(current))
    }
}
