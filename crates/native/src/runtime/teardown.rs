//! An execution ends clean. Unfinished tasks are unwound, children before parents, and their destructors'
//! operations happen at once, without the search. A task that would wait there is abandoned with its stack.
//!
//! The program cannot swallow the unwinding: a task that caught it is unwound again at its next operation, and
//! abandoned if it never stops doing so.

use super::context::Current;
use super::execution::{Execution, Stage};
use super::stale_addresses;
use super::task::{Came, Phase, Role};
use raddle_core::operation::TaskId;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What unwinds tasks.
pub(crate) struct Teardown;

/// A destructor that does more operations than this does not end.
const PATIENCE: u32 = 1_000;

/// A task that catches its own unwinding more often than this does not end.
const CATCHES: u32 = 100;

/// The operation that was written into a task that is torn down.
#[cold]
pub(super) fn perform(current: Current) -> u32 {
    let (role, kind) = current.with(|e| (e.task(e.current).role, e.task(e.current).op.kind));
    if kind.name == "return" {
        return 0;
    }
    if role != Role::Janitor && !kind.in_destructors && !std::thread::panicking() {
        throw(current);
    }
    let blocked = current.with(|e| {
        let me = e.current;
        let task = e.task_mut(me);
        task.operations_in_teardown += 1;
        let tired = task.operations_in_teardown > PATIENCE;
        let op = e.task(me).op;
        tired || op.kind.evaluation(e, &op).options == 0
    });
    if blocked {
        current.suspend_for_ever();
    }
    0
}

/// A task that had failed is resumed to be torn down.
pub(super) fn resume(current: Current) -> ! {
    if std::thread::panicking() {
        // Throwing while it unwinds would abort the process.
        current.suspend_for_ever();
    }
    throw(current)
}

fn throw(current: Current) -> ! {
    let caught = current.with(|e| {
        let me = e.current;
        let task = e.task_mut(me);
        task.unwound += 1;
        task.unwound - 1
    });
    if caught > CATCHES {
        current.suspend_for_ever();
    }
    resume_unwind(Box::new(Teardown))
}

/// Runs program code. Its panics come back as an error, but the end of the execution does not.
#[cfg_attr(not(feature = "outlined"), inline(always))]
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<std::thread::Result<T>, Teardown> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => Ok(Ok(value)),
        Err(payload) => told_apart(payload).map(Err),
    }
}

#[cold]
#[inline(never)]
fn told_apart(payload: Box<dyn Any + Send>) -> Result<Box<dyn Any + Send>, Teardown> {
    match payload.downcast::<Teardown>() {
        Ok(_) => Err(Teardown),
        Err(payload) => Ok(payload),
    }
}

/// Goes on with a teardown that [`catch`] stopped.
pub(crate) fn go_on(teardown: Teardown) -> ! {
    resume_unwind(Box::new(teardown))
}

impl Execution {
    /// Puts away whatever is left of the execution.
    pub fn tear_down(&mut self) {
        let passed = self.failure.is_none() && self.over;
        if !passed {
            self.leave_behind();
        }
        self.fast_path = false;
        self.stage = Stage::Teardown;
        self.ambient.is_teardown = true;
        if self.fibers > 0 {
            for id in self.task_ids().rev() {
                if self.task(id).fiber.is_some() && self.task(id).phase != Phase::Abandoned && !passed {
                    self.resume(id);
                }
            }
        }
        self.destroy_remains();
        if self.fibers > 0 {
            for id in self.task_ids().rev() {
                self.drop_stack(id);
            }
        }
        if std::mem::take(&mut self.has_labels) {
            for id in self.task_ids() {
                self.task_mut(id).label = None;
            }
        }
    }

    /// The run is over: what is still there and is not freed from now on was not made by the next execution.
    pub fn leave_behind(&self) {
        stale_addresses::remember(self.addresses.all().chain(self.races.all()));
    }

    /// Destroys the copies of statics, and the thread-locals of tasks that did not come to their end.
    fn destroy_remains(&mut self) {
        let mut remains: Vec<Box<dyn FnOnce()>> = Vec::new();
        if std::mem::take(&mut self.has_locals) {
            for id in self.task_ids() {
                for local in std::mem::take(&mut self.task_mut(id).locals).into_iter().rev() {
                    remains.push(Box::new(move || drop(local)));
                }
            }
        }
        if remains.is_empty() && self.overlays.is_empty() {
            return;
        }
        let janitor = self.add_task(Role::Janitor, TaskId::MAIN, 0);
        let body = move || {
            for destroy in remains {
                // A panic of a destructor is noted by the hook; the others still get their turn.
                let _ = catch_unwind(AssertUnwindSafe(destroy));
            }
            let current = super::context::current().expect("the janitor works inside of an execution");
            // What destructors have made anew is the janitor's own.
            for _ in 0..CATCHES {
                let own = current.with(|e| std::mem::take(&mut e.task_mut(e.current).locals));
                if own.is_empty() {
                    break;
                }
                for local in own.into_iter().rev() {
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(local)));
                }
            }
            // Thread-locals may use statics to their end, and statics each other.
            for _ in 0..CATCHES {
                let copies = current.with(|e| e.overlays.take());
                if copies.is_empty() {
                    break;
                }
                for copy in copies {
                    let _ = catch_unwind(AssertUnwindSafe(|| copy.destroy()));
                }
            }
            Came::Down
        };
        // SAFETY: what is left borrows nothing.
        unsafe { self.equip(janitor, None, body) };
        self.resume(janitor);
        self.has_locals = !self.task(janitor).locals.is_empty();
        // What a destructor that never came to its end still used is leaked. The next execution has its own.
        drop(self.overlays.take());
    }

    /// Takes the stack of a task that will never go on, without unwinding it.
    fn drop_stack(&mut self, id: TaskId) {
        let task = self.task_mut(id);
        if let Some(fiber) = &mut task.fiber {
            if fiber.started() {
                // SAFETY: nothing refers to the stack any more: all other tasks are gone. What its frames
                // own is leaked, as at the exit of a process.
                unsafe { fiber.force_reset() };
            } else {
                // Never ran: dropping it destroys its closure.
                task.fiber = None;
                self.fibers -= 1;
                return;
            }
            self.retire(id);
        }
    }
}
