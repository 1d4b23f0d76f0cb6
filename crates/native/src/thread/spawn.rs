//! Spawning and joining.

use crate::runtime::context::{self, Current};
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::operation::{Op, Sense, Verb};
use crate::runtime::panics;
use crate::runtime::task::{Handle, Phase};
use crate::runtime::teardown::unless_teardown;
use raddle_core::operation::{Accesses, TaskId};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::{Arc, Mutex};

static JOIN: Verb = Verb::new("join", |e, op| {
    let ended = e.task(TaskId(op.args[0] as u32)).phase == Phase::Ended;
    Sense::when(ended, Accesses::read(op.object))
});

/// Where a task leaves its result.
pub(super) type Packet<T> = Arc<Mutex<Option<std::thread::Result<T>>>>;

/// A task of the present execution that will leave a `T`.
pub(super) struct Task<T> {
    pub id: TaskId,
    pub packet: Packet<T>,
}

/// Starts a task. The closure may borrow: the caller sees to it that what it borrows outlives the task.
pub(super) unsafe fn start<'a, T, F>(
    current: Current,
    label: Option<Arc<str>>,
    stack_size: Option<usize>,
    place: &'static Location<'static>,
    f: F,
) -> Task<T>
where
    F: FnOnce() -> T + 'a,
    T: 'a,
{
    let packet: Packet<T> = Arc::new(Mutex::new(None));
    let result = packet.clone();
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(f)).map_err(unless_teardown);
        if outcome.is_err() {
            let current = context::current().expect("a task runs inside of an execution");
            panics::caught(current);
            current.with(|e| note_silent_panic(e, outcome.as_ref().err()));
        }
        *result.lock().unwrap() = Some(outcome);
    };
    let body: Box<dyn FnOnce() + 'a> = Box::new(body);
    // SAFETY: the caller's.
    let body: Box<dyn FnOnce()> = unsafe { std::mem::transmute(body) };
    let id = current.with(|e| e.spawn(label, stack_size, place, body));
    Task { id, packet }
}

/// `resume_unwind` does not call the panic hook, but it is a panic all the same.
fn note_silent_panic(e: &mut crate::runtime::execution::Execution, payload: Option<&Box<dyn Any + Send>>) {
    let me = e.current;
    if let (None, Some(payload)) = (&e.task(me).panic, payload) {
        let message = panics::message_of(&**payload);
        e.task_mut(me).panic = Some(crate::runtime::task::Panic { message, place: None });
    }
}

impl<T> Task<T> {
    /// Waits for the task's end and takes its result.
    pub fn join(&self, current: Current, place: &'static Location<'static>) -> std::thread::Result<T> {
        let end = current.with(|e| e.end_of(self.id));
        current.perform(Op::new(&JOIN, end, place).arg(self.id.0 as u64));
        current.did(Effect::None, Synchronises::Join(self.id));
        current.with(|e| e.task_mut(self.id).handle = Handle::Joined);
        self.packet.lock().unwrap().take().expect("a task that has ended left its result")
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
