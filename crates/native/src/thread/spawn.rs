//! Spawning and joining.

use crate::runtime::context::{self, Current};
use crate::runtime::execution::Execution;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::operation::{Op, Sense, Verb};
use crate::runtime::panics;
use crate::runtime::task::{Came, Handle, Panic, Phase};
use crate::runtime::teardown::catch;
use raddle_core::operation::{Accesses, TaskId};
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

static JOIN: Verb = Verb::new("join", |e, op| {
    let ended = e.task(TaskId(op.args[0] as u32)).phase == Phase::Ended;
    Sense::when(ended, Accesses::read(op.object))
})
.by_itself();

/// Where a task leaves its result. All tasks of an execution live on one operating-system thread, and so
/// do their packets.
pub(super) struct Packet<T>(Rc<Cell<Option<std::thread::Result<T>>>>);

// SAFETY: used only by tasks of one execution, which all run on the execution's own thread.
unsafe impl<T: Send> Send for Packet<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Packet<T> {}

/// A task of the present execution that will leave a `T`.
pub(super) struct Task<T> {
    pub id: TaskId,
    pub packet: Packet<T>,
}

/// Starts a task.
///
/// # Safety
/// What `f` and its result borrow outlives the task.
pub(super) unsafe fn start<T, F: FnOnce() -> T>(
    current: Current,
    label: Option<Arc<str>>,
    stack_size: Option<usize>,
    place: &'static Location<'static>,
    f: F,
) -> Task<T> {
    let packet = Rc::new(Cell::new(None));
    let result = packet.clone();
    let body = move || {
        let Ok(outcome) = catch(f) else { return Came::Down };
        let current = context::current().expect("a task runs inside of an execution");
        match &outcome {
            Ok(_) => current.with(panics::handled),
            Err(payload) => {
                panics::caught(current);
                current.with(|e| note_silent_panic(e, &**payload));
            }
        }
        result.set(Some(outcome));
        Came::ToItsEnd
    };
    // SAFETY: the caller's.
    let id = current.with(|e| unsafe { e.spawn(label, stack_size, place, body) });
    Task { id, packet: Packet(packet) }
}

/// `resume_unwind` does not call the panic hook, but it is a panic all the same.
fn note_silent_panic(e: &mut Execution, payload: &(dyn Any + Send)) {
    let me = e.current;
    if e.task(me).panic.is_none() {
        let message = panics::message_of(payload);
        e.task_mut(me).panic = Some(Panic { message, place: None });
    }
}

impl<T> Task<T> {
    /// Waits for the task's end and takes its result.
    #[inline]
    pub fn join(&self, current: Current, place: &'static Location<'static>) -> std::thread::Result<T> {
        let end = current.with(|e| e.task(self.id).end);
        current.perform(Op::new(&JOIN, end, place).arg(self.id.0 as u64));
        current.did(Effect::None, Synchronises::Join(self.id));
        current.with(|e| e.task_mut(self.id).handle = Handle::Joined);
        self.packet.0.take().expect("a task that has ended left its result")
    }
}

enum Inner<T> {
    Outside(std::thread::JoinHandle<T>),
    Explored { task: Task<T>, serial: u64 },
}

/// See [`std::thread::JoinHandle`].
pub struct JoinHandle<T>(Option<Inner<T>>);

/// See [`std::thread::spawn`].
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match context::current() {
        None => JoinHandle(Some(Inner::Outside(std::thread::spawn(f)))),
        Some(current) => {
            // SAFETY: the closure borrows nothing.
            let task = unsafe { start(current, None, None, Location::caller(), f) };
            JoinHandle(Some(Inner::Explored { task, serial: current.with(|e| e.serial) }))
        }
    }
}

impl<T> JoinHandle<T> {
    /// See [`std::thread::JoinHandle::join`].
    #[track_caller]
    pub fn join(mut self) -> std::thread::Result<T> {
        match self.0.take().expect("only join and drop take it") {
            Inner::Outside(handle) => handle.join(),
            Inner::Explored { task, .. } => {
                let current = context::current().expect("raddle: joined outside of the execution");
                task.join(current, Location::caller())
            }
        }
    }
}

impl<T> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        let (Some(Inner::Explored { task, serial }), Some(current)) = (&self.0, context::current()) else {
            return;
        };
        current.with(|e| {
            if e.serial == *serial && e.task(task.id).handle == Handle::Held {
                e.task_mut(task.id).handle = Handle::Dropped;
                if e.task(task.id).phase == Phase::Ended {
                    e.fail_for_panic(task.id);
                }
            }
        });
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
