//! An execution ends clean. Unfinished tasks are unwound, children before parents, and their destructors'
//! operations happen at once, without the search. A task that would wait there is abandoned with its stack.
//!
//! The program cannot swallow the unwinding: a task that caught it is unwound again at its next operation, and
//! abandoned if it never stops doing so.

use crate::runtime::context::Current;
use crate::runtime::execution::Execution;
use crate::runtime::tasks::task::{Came, Phase, Role};
use raddle_core::operation::TaskId;
use raddle_core::verdict::FailureKind;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What unwinds tasks.
pub(crate) struct Teardown;

/// How a task is torn down.
#[derive(Default)]
pub(crate) struct Unwinding {
    /// Operations done meanwhile.
    operations: u32,
    /// How often it was unwound; more than once if it catches that.
    times: u32,
}

/// A destructor that does more operations than this does not end.
const PATIENCE: u32 = 1_000;

/// A task that catches its own unwinding more often than this does not end.
const CATCHES: u32 = 100;

/// The operation that was written into a task that is torn down.
#[cold]
pub(in crate::runtime) fn perform(current: Current) -> u32 {
    let (role, kind) = current.with(|e| (e.tasks.running().role(), e.tasks.running().op.kind));
    if kind.name == "return" {
        return 0;
    }
    if role != Role::Janitor && !kind.in_destructors && !std::thread::panicking() {
        throw(current);
    }
    let blocked = current.with(|e| {
        let task = e.tasks.running_mut();
        task.unwinding.operations += 1;
        let tired = task.unwinding.operations > PATIENCE;
        tired || task.evaluation(&e.state).options == 0
    });
    if blocked {
        current.suspend_for_ever();
    }
    0
}

/// A task that had failed is resumed to be torn down.
pub(in crate::runtime) fn resume(current: Current) -> ! {
    if std::thread::panicking() {
        // Throwing while it unwinds would abort the process.
        current.suspend_for_ever();
    }
    throw(current)
}

fn throw(current: Current) -> ! {
    let caught = current.with(|e| {
        let unwinding = &mut e.tasks.running_mut().unwinding;
        unwinding.times += 1;
        unwinding.times - 1
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
    /// Puts away what is left of the execution.
    pub fn tear_down(&mut self) {
        let passed = self.judge.failure().is_none() && self.tasks.is_over();
        // Where an atomic made it crash there may be no memory, and nothing that is left behind.
        if !passed && self.judge.failure().is_none_or(|defect| defect.kind != FailureKind::Crash) {
            self.leave_behind();
        }
        self.scheduler.begin_teardown();
        self.plain.end();
        self.tasks.watch(false);
        self.state.objects.begin_teardown();
        if self.tasks.fibers() > 0 {
            for id in self.tasks.ids().rev() {
                if self.tasks[id].has_fiber() && self.tasks[id].phase() != Phase::Abandoned && !passed {
                    self.resume(id);
                }
            }
        }
        self.destroy_remains();
        if self.tasks.fibers() > 0 {
            for id in self.tasks.ids().rev() {
                self.drop_stack(id);
            }
        }
        self.tasks.drop_labels();
        self.leftovers.free();
    }

    /// Destroys the copies of statics, and the thread-locals of tasks that did not come to their end.
    fn destroy_remains(&mut self) {
        let remains = self.tasks.take_locals();
        if remains.is_empty() && self.state.memory.overlays().is_empty() {
            return;
        }
        let janitor = self.add_task(Role::Janitor, TaskId::MAIN, 0);
        let body = move || {
            for local in remains {
                // A panic of a destructor is noted by the hook; the others still get their turn.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(local)));
            }
            let current =
                crate::runtime::context::current().expect("the janitor works inside of an execution");
            // What destructors have made anew is the janitor's own.
            for _ in 0..CATCHES {
                let own = current.with(|e| e.tasks.take_own_locals());
                if own.is_empty() {
                    break;
                }
                for local in own.into_iter().rev() {
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(local)));
                }
            }
            // Thread-locals may use statics to their end, and statics each other.
            for _ in 0..CATCHES {
                let copies = current.with(|e| e.state.memory.overlays().take());
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
        unsafe { self.tasks.equip(janitor, None, body) };
        self.resume(janitor);
        self.tasks.note_remaining_locals(janitor);
        // What a destructor that never came to its end still used is leaked. The next execution has its own.
        drop(self.state.memory.overlays().take());
    }

    /// Takes the stack of a task that will never go on, without unwinding it.
    fn drop_stack(&mut self, id: TaskId) {
        if self.tasks.abandon(id) {
            self.retire(id);
        }
    }
}
