//! Thread-locals belong to tasks. Values are made on first use and destroyed by their task at its end, before
//! the tasks that join it go on; a scope does not wait for that, as std's does not.
//!
//! Invariant: a value without a destructor can be used to the very end of its task, all others only until their
//! destructor has begun (see [`std::thread::LocalKey`]).

use super::Tasks;
use super::end::RETURN;
use super::task::{Came, Role};
use crate::runtime::context::Current;
use crate::runtime::judge::panics;
use crate::runtime::operation::Op;
use crate::runtime::teardown;
use raddle_core::operation::TaskId;
use raddle_core::verdict::PanicDuring;
use std::any::Any;
use std::panic::Location;

/// The value of one key in one task.
pub(crate) struct Local {
    /// The key's address, which tells keys apart.
    key: usize,
    value: Slot,
}

pub(crate) enum Slot {
    /// Has a destructor, which has not begun.
    Alive(Box<dyn Any>),
    /// Has no destructor.
    Plain(Box<dyn Any>),
    /// Its destructor has begun: it cannot be used any more.
    Destroyed,
}

impl Tasks {
    /// What the running task has for `key`.
    pub fn local(&mut self, key: usize) -> Option<&mut Slot> {
        self.running_mut().locals.iter_mut().find(|l| l.key == key).map(|l| &mut l.value)
    }

    /// The running task has a value for `key`. Returns what it had before.
    pub fn set_local(&mut self, key: usize, value: Slot) -> Option<Slot> {
        if let Some(slot) = self.local(key) {
            return Some(std::mem::replace(slot, value));
        }
        self.running_mut().locals.push(Local { key, value });
        self.has_locals = true;
        None
    }

    /// Whether thread-locals were made that are not destroyed yet.
    pub fn has_locals(&self) -> bool {
        self.has_locals
    }

    /// Takes the thread-locals of the running task.
    pub fn take_own_locals(&mut self) -> Vec<Local> {
        std::mem::take(&mut self.running_mut().locals)
    }

    /// Takes the thread-locals of all tasks, those that were made last first.
    pub fn take_locals(&mut self) -> Vec<Local> {
        let mut all = Vec::new();
        if std::mem::take(&mut self.has_locals) {
            for id in self.ids() {
                all.extend(std::mem::take(&mut self[id].locals).into_iter().rev());
            }
        }
        all
    }

    /// `janitor` has destroyed what there was; destructors may have made new ones that are never destroyed.
    pub fn note_remaining_locals(&mut self, janitor: TaskId) {
        self.has_locals = !self[janitor].locals.is_empty();
    }

    fn last_alive(&mut self) -> Option<&mut Slot> {
        let locals = self.running_mut().locals.iter_mut().rev();
        locals.map(|l| &mut l.value).find(|v| matches!(v, Slot::Alive(_)))
    }
}

/// Destroys the thread-locals of the running task, the last one made first. Destructors may make new ones.
pub(in crate::runtime) fn destroy(current: Current) -> Came {
    if current.with(|e| e.tasks.running().locals.is_empty()) {
        return Came::ToItsEnd;
    }
    let mut announced =
        current.with(|e| e.tasks.current() == TaskId::MAIN || e.tasks.running().role != Role::Thread);
    while current.with(|e| e.tasks.last_alive().is_some()) {
        if !announced {
            announced = true;
            let arguments = current.with(|e| e.tasks.running().end_arguments());
            current.perform(Op::plain(&RETURN, Location::caller()).args(arguments));
            if current.is_in_teardown() {
                return Came::Down;
            }
            current.with(|e| e.function_returned());
        }
        let value = current.with(|e| {
            let slot = e.tasks.last_alive().expect("no other task takes them");
            std::mem::replace(slot, Slot::Destroyed)
        });
        match teardown::catch(move || drop(value)) {
            Ok(Ok(())) => {}
            Ok(Err(payload)) => {
                let message = panics::message_of(&*payload);
                current.with(|e| {
                    e.fail_for_abort(PanicDuring::DropOfThreadLocal, message);
                });
                return Came::Down;
            }
            Err(_) => return Came::Down,
        }
    }
    let plain = current.with(|e| e.tasks.take_own_locals());
    drop(plain);
    Came::ToItsEnd
}
