//! Thread-locals belong to tasks. Values are made on first use and destroyed by their task at its end, before
//! anyone who joins it goes on; a scope does not wait for that, as std's does not.
//!
//! Values without a destructor can be used to the very end, all others only until theirs has begun.

use super::context::Current;
use super::execution::{Execution, Stage};
use super::log::{Effect, Sync};
use super::operation::{Op, OperationKind};
use super::panics;
use super::task::{Came, RETURNED, Role, SEEN_FINISHED};
use super::teardown;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::verdict::{Defect, FailureKind};
use std::any::Any;
use std::panic::Location;

/// The value of one key in one task.
pub(crate) struct Local {
    /// The key's address, which tells keys apart.
    pub key: usize,
    pub value: Slot,
}

pub(crate) enum Slot {
    /// Has a destructor, which has not begun.
    Alive(Box<dyn Any>),
    /// Has no destructor.
    Plain(Box<dyn Any>),
    /// Its destructor has begun: it cannot be used any more.
    Destroyed,
}

/// The function of a task is over, and the destructors of its thread-locals begin: those who only wait for
/// the function go on.
static RETURN: OperationKind = OperationKind::always("return", super::names::sense_of_end).by_itself();

impl Execution {
    /// What the running task has for `key`.
    pub fn local(&mut self, key: usize) -> Option<&mut Slot> {
        let me = self.current;
        self.task_mut(me).locals.iter_mut().find(|l| l.key == key).map(|l| &mut l.value)
    }

    /// The running task has a value for `key`. Returns what it had before.
    pub fn set_local(&mut self, key: usize, value: Slot) -> Option<Slot> {
        if let Some(slot) = self.local(key) {
            return Some(std::mem::replace(slot, value));
        }
        let me = self.current;
        self.task_mut(me).locals.push(Local { key, value });
        self.has_locals = true;
        None
    }
}

/// Destroys the thread-locals of the running task, the last one made first. Destructors may make new ones.
pub(super) fn destroy(current: Current) -> Came {
    if current.with(|e| e.task(e.current).locals.is_empty()) {
        return Came::ToItsEnd;
    }
    let mut announced = current.with(|e| e.current == TaskId::MAIN || e.task(e.current).role != Role::Thread);
    while current.with(|e| last_alive(e).is_some()) {
        if !announced {
            announced = true;
            let args = current.with(|e| super::names::args_of_end(e.task(e.current)));
            current.perform(Op::plain(&RETURN, Location::caller()).args(args));
            if current.with(|e| e.stage == Stage::Teardown) {
                return Came::Down;
            }
            current.with(|e| e.returned(RETURNED));
        }
        let value = current.with(|e| {
            let slot = last_alive(e).expect("nobody else takes them");
            std::mem::replace(slot, Slot::Destroyed)
        });
        match teardown::catch(move || drop(value)) {
            Ok(Ok(())) => {}
            Ok(Err(payload)) => {
                let message = panics::message_of(&*payload);
                current.with(|e| {
                    let name = e.task_name(e.current);
                    let text = format!(
                        "{name}: a thread-local destructor panicked: {message}; the process would abort"
                    );
                    e.fail(Defect::new(FailureKind::Panic, text));
                });
                return Came::Down;
            }
            Err(_) => return Came::Down,
        }
    }
    let plain = current.with(|e| {
        let me = e.current;
        std::mem::take(&mut e.task_mut(me).locals)
    });
    drop(plain);
    Came::ToItsEnd
}

fn last_alive(e: &mut Execution) -> Option<&mut Slot> {
    let me = e.current;
    e.task_mut(me).locals.iter_mut().rev().map(|l| &mut l.value).find(|v| matches!(v, Slot::Alive(_)))
}

impl Execution {
    /// The function of the running task is over, if not more than that.
    pub(super) fn returned(&mut self, marks: u64) {
        let me = self.current;
        self.mark_end(self.task(me).end, marks);
        let task = self.task_mut(me);
        task.slow_path = true;
        if std::mem::replace(&mut task.returned, true) {
            return;
        }
        let scope = self.task(me).scope;
        if self.objects.contains(scope) {
            self.objects[scope].words[0] -= 1;
            self.touch(scope);
            self.did(Effect::None, Sync::ReleaseOf(scope));
        }
    }

    /// A destructor of a thread-local does an operation. Whoever sees it knows that the function is over, so from
    /// here on nobody is told otherwise; who might be told so has been asked before.
    #[cold]
    pub(super) fn goes_on_after_return(&mut self, id: TaskId) {
        let end = self.task(id).end;
        self.mark_end(end, SEEN_FINISHED);
    }

    /// What joins and `is_finished` look at changes, and is no step of its own: nothing announces which step of a task
    /// is its last.
    fn mark_end(&mut self, end: ObjectId, marks: u64) {
        if self.objects[end].words[0] & marks != marks {
            self.note_aside(end);
            self.objects[end].words[0] |= marks;
            self.touch(end);
        }
    }
}
