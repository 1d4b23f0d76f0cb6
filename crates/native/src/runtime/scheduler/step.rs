//! Taking a step: the line of the log, the history, the switch to the task's stack, and the end of a task.
//!
//! Invariant: a step is logged before its task goes on. A task is resumed on the driver's stack only, or goes straight
//! from the stack of the task that waits (see [`super::turn`]).

use super::Mode;
use crate::runtime::context;
use crate::runtime::execution::Execution;
use crate::runtime::judge::panics::Handle;
use crate::runtime::memory::stale_addresses;
use crate::runtime::operation::{NO_OBJECT, OperationKind};
use crate::runtime::tasks::task::{ENDED, Phase, RETURNED, Role};
use crate::settings::Detached;
use raddle_core::operation::TaskId;
use raddle_core::world::{Pending, Pick};
use std::panic::Location;

impl Execution {
    /// Lets `pick` happen. What could happen next is not settled then.
    // Inlined, as is `resume`: a return after a switch of stacks is always mispredicted.
    #[inline(always)]
    pub(super) fn take(&mut self, pick: Pick) {
        let id = pick.task;
        self.begin_step(pick);
        if !self.tasks[id].progress.slow_path {
            return self.resume(id);
        }
        match self.tasks[id].role() {
            Role::Thread if !self.tasks[id].has_fiber() => self.end(id),
            Role::Thread | Role::Janitor => self.resume(id),
            Role::Timer { of, .. } => self.fire(id, of),
        }
    }

    /// A step was picked; its task no longer waits.
    #[inline(always)]
    pub(super) fn begin_step(&mut self, pick: Pick) {
        self.scheduler.option = pick.option;
        self.unwatch_objects(pick.task);
        self.log_step(pick.task);
    }

    /// Begins the line of a step that was picked; the task no longer waits.
    #[inline(always)]
    pub(super) fn log_step(&mut self, id: TaskId) {
        self.log_line(id);
        if self.tasks[id].progress.slow_path {
            self.step_slowly(id);
        }
    }

    #[cold]
    fn step_slowly(&mut self, id: TaskId) {
        if self.tasks[id].spin.goes_round() {
            self.step_in_loop(id);
        }
        if self.tasks[id].returned() {
            self.goes_on_after_return(id);
        }
    }

    /// A step of `id` begins. Where steps are logged it gets a line, and the history a snapshot.
    #[inline(always)]
    pub(super) fn log_line(&mut self, id: TaskId) {
        let task = &mut self.tasks[id];
        self.host.moved(id, task.op.place);
        task.progress.step(task.op.kind.surely_writes);
        let mode = self.scheduler.mode;
        if !mode.is_logged() {
            return;
        }
        let op = &task.op;
        let wrote = self.scheduler.pending(id).accesses.any_write() & !op.kind.looks;
        debug_assert!(wrote || !op.kind.surely_writes);
        self.log.step(op, wrote, task.progress.last_line);
        task.progress.last_line = self.log.len() as u32;
        self.scheduler.changes += wrote as u32;
        match mode {
            Mode::Observed => {
                let (line, option) = (self.log.present(), self.scheduler.option);
                self.history.note(&self.tasks[id].op, option, line, &self.state.objects);
            }
            Mode::Weak => self.begin_event(id),
            Mode::Retracing => {
                let (line, option) = (self.log.present(), self.scheduler.option);
                self.history.note_again(&self.tasks[id].op, option, line, &self.state.objects);
            }
            _ => {}
        }
        if self.judge.follows_accesses() {
            let accesses = self.scheduler.pending(id).accesses;
            self.judge.rereads_mut().follow(id, self.log.present(), accesses);
        }
    }

    /// Goes on with a task, until it or another one that went on after it comes to its end, or no task on their stacks
    /// can tell what is next.
    #[inline(always)]
    pub(in crate::runtime) fn resume(&mut self, id: TaskId) {
        self.tasks.set_current(id);
        if self.tasks[id].progress.slow_path {
            self.restore_panics(id);
        }
        let (fiber, driver) = self.tasks.fiber_and_driver(id);
        context::inside(self, || {
            // SAFETY: tasks are boxed and their fiber is only taken when it does not run.
            unsafe { (*fiber).resume(driver) }
        });
        if self.tasks.has_left_for_good() {
            self.came_back();
        }
    }

    #[cold]
    fn restore_panics(&mut self, id: TaskId) {
        let panics = self.tasks[id].fate.take_under_way();
        if panics > 0 {
            self.host.restore_panics(panics);
        }
    }

    /// The function of the running task's fiber has come to its end.
    fn came_back(&mut self) {
        let id = self.tasks.current();
        self.tasks.reset_fiber();
        self.retire(id);
        let waits = id == TaskId::MAIN && self.scheduler.main_waits();
        if self.tasks[id].phase() == Phase::Ending && self.scheduler.pending(id).options == 0 && !waits {
            self.end(id);
        }
    }

    /// The running task has nothing left to do but to end.
    #[inline(always)]
    pub(in crate::runtime) fn announce_end(
        &mut self,
        kind: &'static OperationKind,
        place: &'static Location<'static>,
    ) {
        let mode = self.scheduler.mode;
        if mode == Mode::Teardown {
            return;
        }
        let id = self.tasks.current();
        if self.tasks[id].spin.is_cut() {
            self.leave_alone(id);
        }
        let task = &mut self.tasks[id];
        task.op.write(kind, NO_OBJECT, place, id);
        task.op.args = task.end_arguments();
        task.set_phase(Phase::Ending);
        if !mode.is_logged() && id != TaskId::MAIN {
            self.scheduler.set_options(id, 0);
            return self.note_step_unobserved(id);
        }
        let pending = self.evaluation(id);
        if id == TaskId::MAIN && !self.tasks.is_main_alone() {
            if self.settings.detached == Detached::Allowed {
                self.let_main_wait();
            } else {
                self.scheduler.set_pending(id, pending);
            }
        } else {
            // A task that waits for the end could not tell if it came later.
            self.scheduler.set_pending(id, Pending { options: 0, ..pending });
            self.note_step(id, pending);
        }
    }

    /// A task's fiber has returned: its stack can be used again.
    pub(in crate::runtime) fn retire(&mut self, id: TaskId) {
        if let Some(stack) = self.tasks.retire(id) {
            let (from, size) = (stack.start, stack.len());
            self.state.memory.forget(from, size);
            self.judge.forget(from, size);
            stale_addresses::forget(from, size);
            self.plain.forget_stack(&stack);
        }
        if self.tasks[id].phase() != Phase::Ending {
            self.scheduler.set_pending(id, Pending::NOTHING);
        }
    }

    /// A task comes to its end.
    pub(super) fn end(&mut self, id: TaskId) {
        self.tasks.set_current(id);
        self.scheduler.set_pending(id, Pending::NOTHING);
        self.tasks[id].set_phase(Phase::Ended);
        if id == TaskId::MAIN {
            self.scheduler.halt();
        } else {
            self.returned(RETURNED | ENDED);
            if self.tasks[id].fate.handle() == Handle::Dropped {
                self.fail_for_panic(id);
            }
        }
    }
}
