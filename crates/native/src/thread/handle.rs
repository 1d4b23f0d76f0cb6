//! The identity of a thread: its handle, its id, and queries about itself. A handle is valid only in the
//! execution that created it; using one in another execution, or outside, is an error.

use crate::runtime::context::{self, Current};
use raddle_core::operation::TaskId;
use raddle_core::verdict::{Cause, Defect, Elsewhere};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::num::NonZero;
use std::sync::Arc;

/// A task and its execution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Explored {
    serial: u64,
    task: TaskId,
}

impl Explored {
    pub fn new(current: Current, task: TaskId) -> Explored {
        Explored { serial: current.with(|e| e.serial()), task }
    }

    /// The execution of the task, and the task. `what` is the kind of handle.
    #[track_caller]
    pub fn here(self, what: &str) -> (Current, TaskId) {
        match context::current() {
            Some(current) if current.with(|e| e.serial()) == self.serial => (current, self.task),
            Some(current) => current.misuse(foreign(Elsewhere::Handle(what.to_owned()))),
            None => panic!("raddle: a {what} of a task is used outside of its execution"),
        }
    }

    /// Whether `current` is the execution of the task.
    pub fn lives_in(self, current: Current) -> bool {
        current.with(|e| e.serial()) == self.serial
    }

    pub fn task(self) -> TaskId {
        self.task
    }
}

/// A handle of a real thread is used, which is a misuse inside an execution.
#[track_caller]
pub(super) fn used_outside(what: &str) {
    if let Some(current) = context::current() {
        current.misuse(foreign(Elsewhere::HandleOfThread(what.to_owned())));
    }
}

fn foreign(what: Elsewhere) -> Defect {
    Defect::of(Cause::Elsewhere(what))
}

#[derive(Clone)]
pub(super) enum Inner {
    Outside(std::thread::Thread),
    Explored { id: Explored, name: Option<Arc<str>> },
}

/// See [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread(pub(super) Inner);

impl Thread {
    pub(super) fn outside(thread: std::thread::Thread) -> Thread {
        Thread(Inner::Outside(thread))
    }

    pub(super) fn of_task(current: Current, task: TaskId) -> Thread {
        let name = current.with(|e| e.task_label(task));
        Thread(Inner::Explored { id: Explored::new(current, task), name })
    }

    /// The execution of the task; for operations that only tasks have.
    #[track_caller]
    pub(super) fn here(&self, what: &str) -> Current {
        match &self.0 {
            Inner::Explored { id, .. } => id.here(what).0,
            Inner::Outside(_) => unreachable!("only tasks have it"),
        }
    }

    /// See [`std::thread::Thread::id`].
    #[must_use]
    pub fn id(&self) -> ThreadId {
        match &self.0 {
            Inner::Outside(thread) => ThreadId(Id::Outside(thread.id())),
            Inner::Explored { id, .. } => ThreadId(Id::Explored(*id)),
        }
    }

    /// See [`std::thread::Thread::name`].
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Inner::Outside(thread) => thread.name(),
            Inner::Explored { id, .. } if id.task == TaskId::MAIN => Some("main"),
            Inner::Explored { name, .. } => name.as_deref(),
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Id {
    Outside(std::thread::ThreadId),
    Explored(Explored),
}

/// See [`std::thread::ThreadId`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ThreadId(Id);

// Programs choose shards by the hash of an id, so it must be the same in every execution.
impl Hash for ThreadId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Id::Outside(id) => id.hash(state),
            Id::Explored(id) => (id.task.0 as u64 + 1).hash(state),
        }
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Id::Outside(id) => id.fmt(f),
            Id::Explored(id) => f.debug_tuple("ThreadId").field(&(id.task.0 as u64 + 1)).finish(),
        }
    }
}

/// See [`std::thread::current`].
#[must_use]
pub fn current() -> Thread {
    match context::current() {
        None => Thread::outside(std::thread::current()),
        Some(current) => Thread::of_task(current, current.me()),
    }
}

/// See [`std::thread::panicking`]. Inside an exploration it concerns the calling task alone.
#[must_use]
pub fn panicking() -> bool {
    // std's panic count is per task here: see `panic_count`.
    std::thread::panicking()
}

/// The parallelism that an exploration reports: executions must not depend on the real machine.
const PARALLELISM: NonZero<usize> = NonZero::new(4).unwrap();

/// See [`std::thread::available_parallelism`]. Inside of an exploration it is always 4.
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    match context::current() {
        None => std::thread::available_parallelism(),
        Some(_) => Ok(PARALLELISM),
    }
}
