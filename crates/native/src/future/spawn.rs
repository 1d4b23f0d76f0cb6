//! Futures that run as their own tasks, and handles that wait for them.

use super::block_on::run;
use super::signal::{Signal, wake_at};
use crate::runtime::context;
use crate::runtime::judge::panics;
use crate::runtime::log::{Effect, Sync as Synchronises};
use crate::runtime::objects::{Identity, ObjectKind};
use crate::runtime::operation::{Evaluation, Op, OperationKind};
use crate::runtime::teardown::catch;
use crate::thread;
use raddle_core::operation::{Accesses, TaskId};
use std::any::Any;
use std::fmt;
use std::panic::{Location, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

const KIND: ObjectKind = "JoinHandle";

static FINISH: OperationKind = OperationKind::write("finish");
/// Takes the result, or registers a waker; registering the same waker again is a read. Argument 0 says
/// whether it is the same, word 0 whether the task has finished.
static JOIN: OperationKind = OperationKind::new("join", |view, op| {
    let changes_nothing = op.args[0] == 1 && view.object().words[0] == 0;
    Evaluation::ready(if changes_nothing { Accesses::read(op.object) } else { Accesses::write(op.object) })
});
static IS_FINISHED: OperationKind = OperationKind::read("is_finished");

/// The state that a task and its handle share.
struct Shared<T> {
    identity: Identity,
    /// The number of the task.
    task: AtomicU32,
    signal: Arc<Signal>,
    state: Mutex<State<T>>,
}

enum State<T> {
    /// With the waker of the waiting task.
    Runs(Option<Waker>),
    Finished(Result<T, JoinError>),
    /// The result was taken.
    Joined,
}

/// Runs a future as its own task.
///
/// The task continues if the handle is dropped. A panic is reported to the task that waits for the handle; if
/// there is none, the execution fails.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let place = Location::caller();
    let shared = Arc::new(Shared {
        identity: Identity::new(),
        task: AtomicU32::new(0),
        signal: Signal::new(place),
        state: Mutex::new(State::Runs(None)),
    });
    if let Some(current) = context::current() {
        // Named by the spawning task, not by the first access.
        current.object(&shared.identity, KIND, [0; 2]);
    }
    let task = shared.clone();
    let thread = thread::spawn(move || task.run(future, place));
    JoinHandle { shared, _thread: thread }
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole run of the task.
    fn run(&self, future: impl Future<Output = T>, place: &'static Location<'static>) {
        if let Some(current) = context::current() {
            self.task.store(current.me().0, Ordering::Relaxed);
        }
        let result = match catch(|| run(&self.signal, future)) {
            Ok(Ok(Some(output))) => Ok(output),
            Ok(Ok(None)) => Err(JoinError(Reason::Cancelled)),
            Ok(Err(payload)) => Err(JoinError(Reason::Panicked(Mutex::new(payload)))),
            Err(teardown) => resume_unwind(Box::new(teardown)),
        };
        let panicked = match &result {
            Err(JoinError(Reason::Panicked(payload))) => Some(JoinError::message(payload)),
            _ => None,
        };
        self.finish(result, place);
        if let Some(message) = panicked {
            // The owner of the handle gets the panic itself; for all others, the task has panicked.
            resume_unwind(Box::new(message));
        }
    }

    fn finish(&self, result: Result<T, JoinError>, place: &'static Location<'static>) {
        let before = match context::current() {
            None => {
                self.identity.used_outside();
                std::mem::replace(&mut *self.state(), State::Finished(result))
            }
            Some(current) => {
                let object = current.object(&self.identity, KIND, [0; 2]);
                current.perform(Op::new(&FINISH, object, place));
                let before = std::mem::replace(&mut *self.state(), State::Finished(result));
                current.with(|e| {
                    e.words_mut(object)[0] = 1;
                    e.touch(object);
                });
                current.did(Effect::None, Synchronises::Release);
                before
            }
        };
        if let State::Runs(Some(waker)) = before {
            wake_at(waker, place);
        }
    }
}

/// Waits for a spawned future: itself a future, with the result of the task.
pub struct JoinHandle<T> {
    shared: Arc<Shared<T>>,
    /// Dropped with the handle: then no task can observe a panic.
    _thread: thread::JoinHandle<()>,
}

impl<T> JoinHandle<T> {
    /// Whether the task has finished.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match context::current() {
            None => self.shared.identity.used_outside(),
            Some(current) => {
                let object = current.object(&self.shared.identity, KIND, [0; 2]);
                current.perform(Op::new(&IS_FINISHED, object, Location::caller()));
            }
        }
        let finished = !matches!(*self.shared.state(), State::Runs(_));
        if let Some(current) = context::current() {
            current.did(Effect::Word(if finished { "yes" } else { "no" }), Synchronises::None);
        }
        finished
    }

    /// Requests cancellation. The next time the task waits or yields, its future is dropped and the handle
    /// gets an error; if it finishes before, nothing happens.
    #[track_caller]
    pub fn abort(&self) {
        self.shared.signal.abort(Location::caller());
    }
}

impl<T> Unpin for JoinHandle<T> {}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    #[track_caller]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let shared = &*self.shared;
        let waker = context.waker().clone();
        let current = context::current();
        match current {
            None => shared.identity.used_outside(),
            Some(current) => {
                let object = current.object(&shared.identity, KIND, [0; 2]);
                let same = matches!(&*shared.state(), State::Runs(Some(old)) if old.will_wake(&waker));
                current.perform(Op::new(&JOIN, object, Location::caller()).arg(same as u64));
            }
        }
        let mut state = shared.state();
        let poll = match std::mem::replace(&mut *state, State::Joined) {
            State::Finished(result) => Ok(result),
            State::Runs(before) => {
                *state = State::Runs(Some(waker));
                Err(before)
            }
            State::Joined => panic!("JoinHandle polled after completion"),
        };
        drop(state);
        if let Some(current) = current {
            let (word, learns) = match poll {
                Ok(_) => ("finished", Synchronises::Acquire),
                Err(_) => ("not finished", Synchronises::None),
            };
            current.did(Effect::Word(word), learns);
            if poll.is_ok() {
                let task = TaskId(shared.task.load(Ordering::Relaxed));
                current.with(|e| e.set_joined(task));
            }
        }
        poll.map_or(Poll::Pending, Poll::Ready)
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// Why a spawned future has no result.
pub struct JoinError(Reason);

enum Reason {
    Cancelled,
    Panicked(Mutex<Box<dyn Any + Send + 'static>>),
}

impl JoinError {
    /// Whether the task was aborted.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0, Reason::Cancelled)
    }
    /// Whether the task panicked.
    pub fn is_panic(&self) -> bool {
        matches!(self.0, Reason::Panicked(_))
    }
    /// The panic payload of the task. Panics if there is none.
    #[track_caller]
    pub fn into_panic(self) -> Box<dyn Any + Send + 'static> {
        match self.try_into_panic() {
            Ok(payload) => payload,
            Err(_) => panic!("`JoinError` reason is not a panic."),
        }
    }
    /// The panic payload of the task, or this error if there is none.
    pub fn try_into_panic(self) -> Result<Box<dyn Any + Send + 'static>, JoinError> {
        match self.0 {
            Reason::Panicked(payload) => Ok(payload.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Reason::Cancelled => Err(self),
        }
    }
    fn message(payload: &Mutex<Box<dyn Any + Send + 'static>>) -> String {
        panics::message_of(&**payload.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Cancelled => f.write_str("JoinError::Cancelled"),
            Reason::Panicked(payload) => write!(f, "JoinError::Panic({:?})", JoinError::message(payload)),
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::Cancelled => f.write_str("task was cancelled"),
            Reason::Panicked(payload) => write!(f, "task panicked: {}", JoinError::message(payload)),
        }
    }
}

impl std::error::Error for JoinError {}
