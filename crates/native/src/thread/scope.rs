//! Scoped threads. Word 0 of a scope's object is the number of its threads whose function is not over, and its queue
//! holds them.
//!
//! The scope waits for all of them in one step, also when its own closure panicked, so nothing that a thread
//! borrows is gone before the thread is. As with std, it does not wait for the destructors of thread-locals.

use super::builder::Builder;
use super::handle::{Thread, used_outside};
use super::spawn::{Task, packed, start};
use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::teardown;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use std::cell::UnsafeCell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::panic::{Location, resume_unwind};

const KIND: &str = "scope";

static JOIN: OperationKind = OperationKind::new("join", |view, op| {
    Evaluation::when(view.object().words[0] == 0, Accesses::read(op.object))
})
.held_by(|blocked| blocked.queue().to_vec())
.by_itself();

enum Inner<'scope, 'env> {
    Outside(&'scope std::thread::Scope<'scope, 'env>),
    Explored { object: ObjectId, owner: Thread },
}

/// See [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    inner: Inner<'scope, 'env>,
    // Invariant, as std's is.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// See [`std::thread::scope`].
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    match context::current() {
        None => outside(f),
        Some(current) => inside(current, f),
    }
}

fn outside<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    // Threads may use our scope until std's has joined all of them, so it must not live in the closure.
    let place: UnsafeCell<Option<Scope<'static, 'static>>> = UnsafeCell::new(None);
    std::thread::scope(|theirs| {
        let ours = Scope { inner: Inner::Outside(theirs), scope: PhantomData, env: PhantomData };
        // SAFETY: the lifetimes that are erased here come back below, and std does not let them end before
        // `place` does.
        let ours = unsafe { std::mem::transmute::<Scope<'_, '_>, Scope<'static, 'static>>(ours) };
        // SAFETY: `place` is not shared yet, and is not changed afterwards.
        let ours = unsafe { (*place.get()).insert(ours) as *const Scope<'static, 'static> };
        // SAFETY: as above.
        f(unsafe { &*ours.cast() })
    })
}

#[track_caller]
fn inside<'env, F, T>(current: Current, f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let (object, owner) = open(current);
    let scope = Scope { inner: Inner::Explored { object, owner }, scope: PhantomData, env: PhantomData };
    let result = match teardown::catch(|| f(&scope)) {
        Ok(result) => result,
        // Children are torn down before their parents: no task borrows from here any more.
        Err(down) => teardown::go_on(down),
    };
    let panicked = close(current, object, Location::caller());
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

fn open(current: Current) -> (ObjectId, Thread) {
    let object = current.with(|e| e.new_object(KIND, [0; 2]));
    (object, Thread::of_task(current, current.me()))
}

/// Waits for all threads of a scope. Says whether an unjoined one panicked.
fn close(current: Current, scope: ObjectId, place: &'static Location<'static>) -> bool {
    if !current.with(|e| e.threads_of(scope).any(|t| !e.is_joined(t))) {
        return false;
    }
    current.perform(Op::new(&JOIN, scope, place));
    current.did(Effect::None, Synchronises::Acquire);
    current.with(|e| take_leave(e, scope))
}

/// All threads of a scope have finished. Says whether an unjoined one panicked; the scope's own panic reports
/// that.
fn take_leave(e: &mut Execution, scope: ObjectId) -> bool {
    let mut panicked = false;
    let threads: Vec<TaskId> = e.threads_of(scope).filter(|t| !e.is_joined(*t)).collect();
    for id in threads {
        panicked |= e.set_joined(id);
    }
    panicked
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// See [`std::thread::Scope::spawn`].
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(Builder::new(), f).expect("failed to spawn thread")
    }

    #[track_caller]
    pub(super) fn start<F, T>(&'scope self, builder: Builder, f: F) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start_packed(builder, packed(f))
    }

    #[track_caller]
    fn start_packed<F, T>(&'scope self, builder: Builder, f: F) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match &self.inner {
            Inner::Outside(scope) => {
                used_outside("Scope");
                let handle = builder.outside().spawn_scoped(scope, f)?;
                let thread = Thread::outside(handle.thread().clone());
                Ok(ScopedJoinHandle { inner: InnerHandle::Outside(handle), thread })
            }
            Inner::Explored { object, owner } => {
                let current = owner.here("Scope");
                let mut how = builder.inside()?;
                how.scope = Some(*object);
                // SAFETY: the scope waits for the task before anything is dropped that it borrows.
                let task = unsafe { start(current, how, Location::caller(), f) };
                let thread = task.thread(current);
                Ok(ScopedJoinHandle { inner: InnerHandle::Explored(task, PhantomData), thread })
            }
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.inner {
            Inner::Outside(scope) => scope.fmt(f),
            // The number of running threads is not shown: reading it would be an operation.
            Inner::Explored { owner, .. } => {
                f.debug_struct("Scope").field("main_thread", owner).finish_non_exhaustive()
            }
        }
    }
}

enum InnerHandle<'scope, T> {
    Outside(std::thread::ScopedJoinHandle<'scope, T>),
    Explored(Task<T>, PhantomData<&'scope ()>),
}

/// See [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    inner: InnerHandle<'scope, T>,
    thread: Thread,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// See [`std::thread::ScopedJoinHandle::thread`].
    #[must_use]
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// See [`std::thread::ScopedJoinHandle::join`].
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.inner {
            InnerHandle::Outside(handle) => {
                used_outside("ScopedJoinHandle");
                handle.join()
            }
            InnerHandle::Explored(task, _) => task.join("ScopedJoinHandle"),
        }
    }

    /// See [`std::thread::ScopedJoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.inner {
            InnerHandle::Outside(handle) => {
                used_outside("ScopedJoinHandle");
                handle.is_finished()
            }
            InnerHandle::Explored(task, _) => task.is_finished("ScopedJoinHandle"),
        }
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").finish_non_exhaustive()
    }
}
