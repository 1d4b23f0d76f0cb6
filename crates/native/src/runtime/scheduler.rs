//! Taking turns: tasks announce their operations, the driver decides, and what it picks happens.
//!
//! A task that may go on at once never leaves its stack; others are suspended until they are picked.

use super::context::Switch;
use super::execution::{By, Execution, Stage, Turn};
use super::fiber::{Fiber, IS_DIRECT};
use super::operation::{NO_OBJECT, OperationKind};
use super::retrace::Script;
use super::spin::LOOK_EVERY;
use super::stale_addresses;
use super::task::{ENDED, Handle, Phase, RETURNED, Role};
use crate::settings::Detached;
use corosensei::stack::Stack;
use raddle_core::operation::TaskId;
use raddle_core::world::{Decision, Driver, Manner, Pending, Pick, Point, UniformDraws};
use std::panic::Location;

impl Execution {
    /// Lets the main task run up to its first operation, with nobody who drives.
    pub fn set_out(&mut self) {
        self.is_blind = false;
        self.settle();
    }

    /// The running task announces the operation that was written into it. If the driver decides at once
    /// that it goes on, nobody else is troubled.
    #[inline(always)]
    pub fn announce(&mut self) -> Turn {
        let id = self.current;
        let task = self.task(id);
        let kind = task.op.kind;
        let looked_at = task.slow_path | (task.steps % LOOK_EVERY == LOOK_EVERY - 1);
        if looked_at | kind.slow_path {
            if kind.by_itself & !looked_at {
                return self.happen_by_itself(id);
            }
            if let Some(turn) = self.announce_oddly(id) {
                return turn;
            }
        }
        if self.retraces.is_on
            && let Some(turn) = self.announce_again(id)
        {
            return turn;
        }
        if self.log.is_kept() {
            self.evaluate(id);
        } else {
            self.look_if_can_go_on(id);
        }
        if self.auto_run.is_empty() {
            self.decided = self.decide();
            if let Some(pick) = self.decided.pick()
                && pick.task == id
            {
                self.decided = Decision::STOP;
                self.option = pick.option;
                self.log_step(id);
                return Turn::Go;
            }
        }
        // Nothing changes before another task moves, so it need not be watched before.
        if kind.is_watched(self.log.is_kept()) {
            self.watch_objects(id);
        }
        Turn::Wait
    }

    /// What there is to see to before `id` announces, if it may go round in a loop, or if what it announces
    /// may happen by itself. None: it is announced like any other.
    #[cold]
    fn announce_oddly(&mut self, id: TaskId) -> Option<Turn> {
        let kind = self.task(id).op.kind;
        let in_circles = self.task(id).spin.circle > 0;
        if self.may_await(id) && kind.manner != Manner::Yielding {
            self.consider_await(id);
        } else if kind.manner == Manner::Yielding
            || self.task(id).steps % LOOK_EVERY == LOOK_EVERY - 1
            || self.task(id).spin.turn.is_some()
        {
            self.consider_spin(id);
        }
        let turn = if kind.by_itself {
            Some(self.happen_by_itself(id))
        } else if in_circles && self.task(id).spin.circle > 0 && self.goes_round(id) {
            Some(Turn::Go)
        } else {
            None
        };
        let task = self.task_mut(id);
        task.slow_path = task.needs_slow_path() || kind.manner == Manner::Yielding;
        turn
    }

    /// The running task waits for nothing, or until what it waits for is there; nobody has a choice.
    #[inline]
    pub(super) fn happen_by_itself(&mut self, id: TaskId) -> Turn {
        if !self.log.is_kept() {
            return self.happen_unseen(id);
        }
        let pending = self.evaluation(id);
        self.set_pending(id, Pending { options: 0, ..pending });
        if pending.options == 0 {
            self.watch_objects(id);
            return Turn::Wait;
        }
        self.note_step(id, pending);
        Turn::Go
    }

    /// A step of `id`, which is not ready, happens by itself.
    pub(super) fn note_step(&mut self, id: TaskId, pending: Pending) {
        if !self.log.is_kept() {
            return self.note_unseen(id);
        }
        self.option = 0;
        let is_known = self.retraces.is_on && self.happens_again(id, &pending);
        self.log_line(id);
        if !self.task(id).spin_reads.is_empty() {
            self.stop_watching_spin(id);
        }
        if is_known {
            return;
        }
        // SAFETY: as in `decide`.
        let goes_on = match self.driver {
            Some(By::UniformDraws(dice)) => unsafe { &mut *dice }.note(),
            Some(By::Driver(driver)) => {
                // One that waits for what it reads could not have come before that, and main ends last.
                let is_wait = self.task(id).op.kind.by_itself && !pending.accesses.any_write();
                let waits = is_wait || id == TaskId::MAIN && self.task(id).phase == Phase::Ending;
                unsafe { &mut *driver }.note(id, &Pending { options: !waits as u32, ..pending }, self)
            }
            None => true,
        };
        if !goes_on {
            self.stop_driving();
        }
    }

    /// The driver has stopped the run.
    pub(super) fn stop_driving(&mut self) {
        self.driver = None;
        self.stopped = true;
        self.fast_path = false;
    }

    /// Asks the driver what happens next. No pick if the run is over, or if nobody drives.
    #[inline(always)]
    pub(super) fn decide(&mut self) -> Decision {
        let Some(driver) = self.driver else { return Decision::STOP };
        if self.retraces.is_on
            && let Some(decision) = self.decide_again()
        {
            return decision;
        }
        if !self.settle() {
            return Decision::STOP;
        }
        // SAFETY: the driver outlives `drive`, which is under way, and nobody else uses it meanwhile.
        let decision = match driver {
            By::UniformDraws(dice) => unsafe { &mut *dice }.draw(self.enabled.tasks(), &self.pending),
            By::Driver(driver) => unsafe { &mut *driver }.next(&self.point(), self),
        };
        if decision.pick().is_none() {
            self.stop_driving();
        }
        decision
    }

    /// Lets the driver decide until the run is over, or until it stops the run.
    pub fn drive(&mut self, driver: &mut dyn Driver) {
        self.keeps_history = driver.asks_counterfactuals() && !self.retraces.is_on;
        // SAFETY: `self.driver` is cleared before this returns.
        let driver = unsafe { std::mem::transmute::<*mut dyn Driver, *mut (dyn Driver + 'static)>(driver) };
        self.is_blind = false;
        self.driver = Some(By::Driver(driver));
        self.let_decide();
    }

    /// Draws what happens until the run is over, or until the dice are used up.
    pub fn draw(&mut self, dice: &mut UniformDraws) {
        self.keeps_history = false;
        if !self.log_wanted {
            self.log.leave_out();
        }
        self.is_blind = true;
        self.driver = Some(By::UniformDraws(dice));
        self.let_decide();
    }

    fn let_decide(&mut self) {
        self.decided = Decision::STOP;
        loop {
            let Some(pick) = self.decided.pick() else {
                self.let_newborn_run();
                self.decided = self.decide();
                match self.decided.pick() {
                    Some(_) => continue,
                    None => break,
                }
            };
            self.decided = Decision::STOP;
            self.take(pick);
        }
        self.driver = None;
        self.retraces = Script::NOTHING;
    }

    /// Lets `pick` happen.
    pub fn step(&mut self, pick: Pick) {
        self.take(pick);
        self.settle();
    }

    /// Where the running task goes that waits: to whom it was decided to be the next, or to the driver.
    #[inline(always)]
    pub(super) fn switch_from_here(&mut self) -> Switch {
        let mut way = self.switch_to_driver();
        if let Some(pick) = self.decided.pick()
            && IS_DIRECT
            && !self.task(pick.task).slow_path
        {
            self.decided = Decision::STOP;
            self.begin_step(pick);
            self.current = pick.task;
            way.to = self.task(pick.task).fiber.as_ref().expect("a task that runs has a fiber").at();
        }
        way
    }

    /// From the running task to the driver.
    #[inline(always)]
    pub(super) fn switch_to_driver(&mut self) -> Switch {
        let (id, to) = (self.current, self.driver_at);
        let from: *mut Fiber = self.task_mut(id).fiber.as_mut().expect("a task that runs has a fiber");
        Switch { from, to }
    }

    /// Lets `pick` happen. What could happen next is not settled then.
    // Inlined, as is `resume`: a return after a switch of stacks is always mispredicted.
    #[inline(always)]
    pub(super) fn take(&mut self, pick: Pick) {
        let id = pick.task;
        self.begin_step(pick);
        if !self.task(id).slow_path {
            return self.resume(id);
        }
        match self.task(id).role {
            Role::Thread if self.task(id).fiber.is_none() => self.end(id),
            Role::Thread | Role::Janitor => self.resume(id),
            Role::Timer { of, .. } => self.fire(id, of),
        }
    }

    /// A step was picked; its task no longer waits.
    #[inline(always)]
    fn begin_step(&mut self, pick: Pick) {
        self.option = pick.option;
        self.unwatch_objects(pick.task);
        self.log_step(pick.task);
    }

    /// Begins the line of a step that was picked; the task no longer waits.
    #[inline(always)]
    pub(super) fn log_step(&mut self, id: TaskId) {
        self.log_line(id);
        if self.task(id).slow_path {
            self.moves_oddly(id);
        }
    }

    #[cold]
    fn moves_oddly(&mut self, id: TaskId) {
        if !self.task(id).spin_reads.is_empty() {
            self.stop_watching_spin(id);
        }
        if self.task(id).returned {
            self.goes_on_after_return(id);
        }
    }

    #[inline(always)]
    fn log_line(&mut self, id: TaskId) {
        let Execution { tasks, pending, log, watch, .. } = self;
        // SAFETY: every task has both.
        let (task, pending) =
            unsafe { (tasks.get_unchecked_mut(id.index()), pending.get_unchecked(id.index())) };
        watch.moved(id, task.op.place);
        task.steps_on();
        if !log.is_kept() {
            return;
        }
        let op = &task.op;
        let wrote = pending.accesses.any_write() & !op.kind.looks;
        debug_assert!(wrote || !op.kind.surely_writes);
        log.step(op, wrote, task.last_line);
        task.last_line = log.lines.len() as u32;
        self.futile = if wrote { 0 } else { self.futile };
        if self.keeps_history {
            self.note_history(id, self.log.present as u32);
        } else if self.retraces.is_on {
            self.note_again(id, self.log.present as u32);
        }
        if !self.rereads.is_empty() {
            self.follow_rereads(id, self.log.present as u32);
        }
    }

    /// What could happen next, once that is settled.
    #[inline(always)]
    pub(crate) fn point(&self) -> Point<'_> {
        let births = self.history.births();
        Point::new(self.enabled.tasks(), &self.pending).with_births(births).with_counterfactual(self)
    }

    /// Goes on with a task, until it or another one that went on after it comes to its end, or nobody on their stacks
    /// can tell what is next.
    #[inline(always)]
    pub(super) fn resume(&mut self, id: TaskId) {
        self.current = id;
        if self.task(id).slow_path {
            self.restore_panics(id);
        }
        let fiber: *mut Fiber = self.task_mut(id).fiber.as_mut().expect("a task that runs has a fiber");
        let driver = &raw mut self.driver_at;
        super::context::inside(self, || {
            // SAFETY: tasks are boxed and their fiber is only taken when it does not run.
            unsafe { (*fiber).resume(driver) }
        });
        if self.is_done {
            self.came_back();
        }
    }

    #[cold]
    fn restore_panics(&mut self, id: TaskId) {
        let panics = std::mem::take(&mut self.task_mut(id).panics);
        if panics > 0 {
            self.panic_count.replace(panics);
        }
    }

    /// The function of the running task's fiber has come to its end.
    fn came_back(&mut self) {
        let id = self.current;
        self.is_done = false;
        let fiber = self.task_mut(id).fiber.as_mut().expect("a task that ran has a fiber");
        // SAFETY: it was left where nothing is left to be dropped: see `enter`.
        unsafe { fiber.force_reset() };
        self.retire(id);
        let waits = id == TaskId::MAIN && self.main_waits;
        if self.task(id).phase == Phase::Ending && self.pending[id.index()].options == 0 && !waits {
            self.end(id);
        }
    }

    /// Whether all other tasks of the program have come to their end.
    pub(super) fn is_main_alone(&self) -> bool {
        self.task_ids()
            .skip(1)
            .all(|t| self.task(t).role != Role::Thread || self.task(t).phase == Phase::Ended)
    }

    /// The running task has nothing left to do but to end.
    #[inline(always)]
    pub(super) fn announce_end(&mut self, kind: &'static OperationKind, place: &'static Location<'static>) {
        if self.stage == Stage::Teardown {
            return;
        }
        let id = self.current;
        let task = self.task_mut(id);
        task.op.write(kind, NO_OBJECT, place, id);
        task.op.args = super::names::args_of_end(task);
        task.phase = Phase::Ending;
        if !self.log.is_kept() && id != TaskId::MAIN {
            self.set_idle(id);
            return self.note_unseen(id);
        }
        let pending = self.evaluation(id);
        if id == TaskId::MAIN && !self.is_main_alone() {
            if self.settings.detached == Detached::Allowed {
                self.let_main_wait();
            } else {
                self.set_pending(id, pending);
            }
        } else {
            // Whoever waits for the end could not tell if it came later.
            self.set_pending(id, Pending { options: 0, ..pending });
            self.note_step(id, pending);
        }
    }

    /// A task's fiber has returned: its stack can be used again.
    pub(super) fn retire(&mut self, id: TaskId) {
        self.task_mut(id).slow_path = true;
        if let Some(fiber) = self.task_mut(id).fiber.take() {
            let stack = fiber.into_stack();
            self.fibers -= 1;
            let (base, limit) = (stack.base().get(), stack.limit().get());
            self.addresses.forget(limit, base - limit);
            self.races.forget(limit, base - limit);
            stale_addresses::forget(limit, base - limit);
            self.stacks.give_back(stack);
        }
        if self.task(id).phase != Phase::Ending {
            self.set_pending(id, Pending::NOTHING);
        }
    }

    /// A task comes to its end.
    pub(super) fn end(&mut self, id: TaskId) {
        self.current = id;
        self.set_pending(id, Pending::NOTHING);
        self.task_mut(id).phase = Phase::Ended;
        if id == TaskId::MAIN {
            self.over = true;
            self.halted = true;
            self.fast_path = false;
        } else {
            self.returned(RETURNED | ENDED);
            if self.task(id).handle == Handle::Dropped {
                self.fail_for_panic(id);
            }
        }
    }
}
