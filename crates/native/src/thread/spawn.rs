//! Spawning and joining. A panic of a thread is handled by a join. If its handle is dropped, before or after
//! the panic, no task can join it, and the execution fails.

use super::builder::Builder;
use super::handle::{Explored, Thread, used_outside};
use super::packet::Packet;
use crate::runtime::context::{self, Current};
use crate::runtime::judge::panics;
use crate::runtime::log::{Effect, Shape, Sync as Synchronises};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::tasks::task::{Came, ENDED, RETURNED, SEEN_FINISHED};
use crate::runtime::teardown::catch;
use raddle_core::operation::{Accesses, ObjectId};
use raddle_core::verdict::{Cause, Defect, PanicDuring};
use std::any::Any;
use std::fmt;
use std::io;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

/// Its object is the exit of the task.
static JOIN: OperationKind = OperationKind::new("join", |view, op| {
    Evaluation::when(view.object().words[0] & ENDED != 0, Accesses::read(op.object))
})
.by_itself();
/// A task that has returned may still appear unfinished, until a task has observed that it is finished or has
/// joined it: option 1. It conflicts with everything, since no operation announces the last step of a task.
static IS_FINISHED: OperationKind = OperationKind::new("is_finished", |view, op| {
    let open = view.object().words[0] & (RETURNED | SEEN_FINISHED) == RETURNED && op.args[0] == 0;
    Evaluation { accesses: Accesses::EVERYTHING_THERE_IS, options: if open { 2 } else { 1 } }
})
.looks()
.may_be_late()
.same_accesses();

/// The parameters of a new task.
#[derive(Default)]
pub(super) struct How {
    pub label: Option<Arc<str>>,
    pub stack_size: Option<usize>,
    /// The scope that waits for it.
    pub scope: Option<ObjectId>,
}

/// A task of an execution with a result of type `T`.
pub(super) struct Task<T> {
    id: Explored,
    packet: Packet<T>,
}

/// Starts a task.
///
/// # Safety
/// What `f` and its result borrow outlives the task.
pub(super) unsafe fn start<T, F: FnOnce() -> T>(
    current: Current,
    how: How,
    place: &'static Location<'static>,
    f: F,
) -> Task<T> {
    let (result, packet) = current.with(Packet::new);
    let body = move || {
        let Ok(outcome) = catch(f) else { return Came::Down };
        note_end(outcome.as_ref().err());
        result.set(outcome);
        // A result that cannot be joined is destroyed here.
        match catch(move || drop(result)) {
            Ok(Ok(())) => Came::ToItsEnd,
            Ok(Err(payload)) => result_panicked(&*payload),
            Err(_) => Came::Down,
        }
    };
    // SAFETY: the caller's.
    Task { id: unsafe { begin(current, how, place, body) }, packet }
}

/// The function of a thread. Where operations are compiled once for all programs, its type depends on the
/// type of the result only, and not on the spawn.
#[cfg(feature = "outlined")]
pub(super) fn packed<'a, T>(f: impl FnOnce() -> T + Send + 'a) -> Box<dyn FnOnce() -> T + Send + 'a> {
    let _own = crate::arena::own();
    Box::new(f)
}
#[cfg(not(feature = "outlined"))]
#[inline(always)]
pub(super) fn packed<F>(f: F) -> F {
    f
}

/// # Safety
/// What `body` borrows outlives the task.
#[cfg(feature = "outlined")]
unsafe fn begin(
    current: Current,
    how: How,
    place: &'static Location<'static>,
    body: impl FnOnce() -> Came,
) -> Explored {
    let own = crate::arena::own();
    let body: Box<dyn FnOnce() -> Came + '_> = Box::new(body);
    drop(own);
    // SAFETY: the caller's.
    unsafe { begin_boxed(current, how, place, body) }
}

/// # Safety
/// What `body` borrows outlives the task.
#[cfg(feature = "outlined")]
#[inline(never)]
unsafe fn begin_boxed(
    current: Current,
    how: How,
    place: &'static Location<'static>,
    body: Box<dyn FnOnce() -> Came + '_>,
) -> Explored {
    // SAFETY: the caller's.
    unsafe { begin_as_it_is(current, how, place, body) }
}

#[cfg(not(feature = "outlined"))]
use begin_as_it_is as begin;

/// # Safety
/// What `body` borrows outlives the task.
unsafe fn begin_as_it_is(
    current: Current,
    how: How,
    place: &'static Location<'static>,
    body: impl FnOnce() -> Came,
) -> Explored {
    // SAFETY: the caller's.
    let id = current.with(|e| unsafe { e.spawn(how.label, how.stack_size, place, body) });
    if let Some(scope) = how.scope {
        current.with(|e| e.join_scope(id, scope));
    }
    Explored::new(current, id)
}

#[cfg_attr(not(feature = "outlined"), inline(always))]
#[cfg_attr(feature = "outlined", inline(never))]
fn note_end(panic: Option<&Box<dyn Any + Send>>) {
    let current = context::current().expect("a task runs inside of an execution");
    match panic {
        None => current.with(panics::handled),
        Some(payload) => {
            let message = panics::message_of(&**payload);
            current.with(|e| e.note_panic(message));
        }
    }
}

#[cold]
fn result_panicked(payload: &(dyn Any + Send)) -> Came {
    let current = context::current().expect("a task runs inside of an execution");
    let message = panics::message_of(payload);
    current.with(|e| e.fail_for_abort(PanicDuring::DropOfResult, message));
    Came::Down
}

impl<T> Task<T> {
    pub fn thread(&self, current: Current) -> Thread {
        Thread::of_task(current, self.id.task())
    }

    /// Waits for the task and takes its result.
    #[cfg_attr(not(feature = "outlined"), inline(always))]
    #[track_caller]
    pub fn join(&self, what: &str) -> std::thread::Result<T> {
        join(&self.id, what, Location::caller());
        self.packet.take().expect("a task that has ended left its result")
    }

    /// Whether the task's function has returned. Synchronises nothing, as in std.
    #[track_caller]
    pub fn is_finished(&self, what: &str) -> bool {
        is_finished(&self.id, what, Location::caller())
    }

    /// The task can no longer be joined.
    fn detach(&self) {
        detach(&self.id);
    }
}

#[cfg_attr(not(feature = "outlined"), inline(always))]
#[cfg_attr(feature = "outlined", inline(never))]
#[track_caller]
fn join(id: &Explored, what: &str, place: &'static Location<'static>) {
    let (current, task) = id.here(what);
    let end = current.with(|e| e.end_of(task));
    current.perform(Op::new(&JOIN, end, place));
    current.did(Effect::None, Synchronises::Join(task));
    current.with(|e| {
        e.words_mut(end)[0] |= SEEN_FINISHED;
        e.set_joined(task);
    });
}

#[track_caller]
fn is_finished(id: &Explored, what: &str, place: &'static Location<'static>) -> bool {
    let (current, task) = id.here(what);
    let end = current.with(|e| e.end_of(task));
    let not_yet = current.perform(Op::new(&IS_FINISHED, end, place)) == 1;
    let finished = current.with(|e| {
        let word = &mut e.words_mut(end)[0];
        if *word & (RETURNED | SEEN_FINISHED) == RETURNED && !not_yet {
            *word |= SEEN_FINISHED;
            e.touch(end);
            e.made_progress();
        }
        e.words(end)[0] & SEEN_FINISHED != 0
    });
    current.did(Effect::Read(Shape::Bool, finished as u64), Synchronises::None);
    finished
}

fn detach(id: &Explored) {
    let Some(current) = context::current().filter(|c| id.lives_in(*c)) else { return };
    let id = id.task();
    current.with(|e| e.detach(id));
}

enum Inner<T> {
    Outside(std::thread::JoinHandle<T>),
    Explored(Task<T>),
    Joined,
}

/// See [`std::thread::JoinHandle`].
pub struct JoinHandle<T> {
    inner: Inner<T>,
    /// Created on demand.
    thread: OnceLock<Thread>,
}

// SAFETY: as for std's: results are sent from one thread to another, and the caller of spawn promised that
// they may be.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above; a shared handle gives no access to the result.
unsafe impl<T> Sync for JoinHandle<T> {}

/// See [`std::thread::spawn`].
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_packed(packed(f))
}

#[cfg_attr(not(feature = "outlined"), inline(always))]
#[cfg_attr(feature = "outlined", inline(never))]
#[track_caller]
fn spawn_packed<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match context::current() {
        None => JoinHandle::outside(std::thread::spawn(f)),
        // SAFETY: neither the closure nor its result borrows anything.
        Some(current) => unsafe { JoinHandle::inside(current, How::default(), Location::caller(), f) },
    }
}

impl<T> JoinHandle<T> {
    fn outside(handle: std::thread::JoinHandle<T>) -> JoinHandle<T> {
        JoinHandle { inner: Inner::Outside(handle), thread: OnceLock::new() }
    }

    /// # Safety
    /// What `f` and its result borrow outlives the task.
    unsafe fn inside<F: FnOnce() -> T>(
        current: Current,
        how: How,
        place: &'static Location<'static>,
        f: F,
    ) -> JoinHandle<T> {
        // SAFETY: the caller's.
        let task = unsafe { start(current, how, place, f) };
        JoinHandle { inner: Inner::Explored(task), thread: OnceLock::new() }
    }

    /// # Safety
    /// What `f` and its result borrow outlives the thread.
    #[track_caller]
    pub(super) unsafe fn start<F>(builder: Builder, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        // SAFETY: the caller's.
        unsafe { JoinHandle::start_packed(builder, packed(f)) }
    }

    /// # Safety
    /// What `f` and its result borrow outlives the thread.
    #[track_caller]
    unsafe fn start_packed<F>(builder: Builder, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send,
        T: Send,
    {
        match context::current() {
            // SAFETY: the caller's.
            None => unsafe { builder.outside().spawn_unchecked(f) }.map(JoinHandle::outside),
            Some(current) => {
                // SAFETY: the caller's.
                Ok(unsafe { JoinHandle::inside(current, builder.inside()?, Location::caller(), f) })
            }
        }
    }

    /// See [`std::thread::JoinHandle::thread`].
    #[must_use]
    #[track_caller]
    pub fn thread(&self) -> &Thread {
        self.thread.get_or_init(|| match &self.inner {
            Inner::Outside(handle) => Thread::outside(handle.thread().clone()),
            Inner::Explored(task) => task.thread(task.id.here("JoinHandle").0),
            Inner::Joined => unreachable!("joining takes the handle"),
        })
    }

    /// See [`std::thread::JoinHandle::join`].
    #[cfg_attr(not(feature = "outlined"), inline(always))]
    #[track_caller]
    pub fn join(mut self) -> std::thread::Result<T> {
        match std::mem::replace(&mut self.inner, Inner::Joined) {
            Inner::Outside(handle) => {
                used_outside("JoinHandle");
                handle.join()
            }
            Inner::Explored(task) => task.join("JoinHandle"),
            Inner::Joined => unreachable!("joining takes the handle"),
        }
    }

    /// See [`std::thread::JoinHandle::is_finished`].
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.inner {
            Inner::Outside(handle) => {
                used_outside("JoinHandle");
                handle.is_finished()
            }
            Inner::Explored(task) => task.is_finished("JoinHandle"),
            Inner::Joined => unreachable!("joining takes the handle"),
        }
    }
}

/// A task is no thread of the operating system: asking for one is an error inside explorations.
#[cfg(unix)]
impl<T> std::os::unix::thread::JoinHandleExt for JoinHandle<T> {
    #[track_caller]
    fn as_pthread_t(&self) -> std::os::unix::thread::RawPthread {
        match &self.inner {
            Inner::Outside(handle) => std::os::unix::thread::JoinHandleExt::as_pthread_t(handle),
            Inner::Explored(_) | Inner::Joined => no_pthread(),
        }
    }
    #[track_caller]
    fn into_pthread_t(mut self) -> std::os::unix::thread::RawPthread {
        match std::mem::replace(&mut self.inner, Inner::Joined) {
            Inner::Outside(handle) => std::os::unix::thread::JoinHandleExt::into_pthread_t(handle),
            Inner::Explored(_) | Inner::Joined => no_pthread(),
        }
    }
}

#[cold]
#[track_caller]
fn no_pthread() -> ! {
    match context::current() {
        Some(current) => current.misuse(Defect::of(Cause::NoPthread)),
        None => panic!("raddle: {}", Cause::NoPthread),
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if let Inner::Explored(task) = &self.inner {
            task.detach();
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
