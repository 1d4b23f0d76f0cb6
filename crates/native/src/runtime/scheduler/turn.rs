//! Taking turns: tasks announce their operations, the driver decides, and what it picks happens.
//!
//! Invariant: a task announces one operation at a time and does nothing visible before it is picked. If the driver
//! decides at once that the task goes on, no switch of stacks takes place.

use super::retrace::Script;
use super::spin::LOOK_EVERY;
use super::{By, Mode, Turn};
use crate::runtime::context::Switch;
use crate::runtime::execution::Execution;
use crate::runtime::tasks::fiber::IS_DIRECT;
use crate::runtime::tasks::task::Phase;
use raddle_core::operation::TaskId;
use raddle_core::world::{Decision, Driver, Manner, Pending, Pick, Point, UniformDraws};

/// How much is known of pending operations in a mode.
pub(super) trait Evaluates {
    /// Whether it matters what an operation touches, and not only whether it is blocked.
    const CLOSELY: bool;
    /// The running task announces an operation that happens by itself as soon as it can.
    fn happen_by_itself(execution: &mut Execution, id: TaskId) -> Turn;
    /// Evaluates the pending operation of `id`.
    fn evaluate(execution: &mut Execution, id: TaskId);
}

/// Steps are logged.
pub(super) struct Observed;

impl Evaluates for Observed {
    const CLOSELY: bool = true;
    #[inline(always)]
    fn happen_by_itself(execution: &mut Execution, id: TaskId) -> Turn {
        execution.happen_by_itself(id)
    }
    #[inline(always)]
    fn evaluate(execution: &mut Execution, id: TaskId) {
        execution.evaluate(id);
    }
}

/// Nothing is logged.
pub(super) struct Unobserved;

impl Evaluates for Unobserved {
    const CLOSELY: bool = false;
    #[inline(always)]
    fn happen_by_itself(execution: &mut Execution, id: TaskId) -> Turn {
        execution.happen_by_itself_unobserved(id)
    }
    #[inline(always)]
    fn evaluate(execution: &mut Execution, id: TaskId) {
        execution.evaluate_options(id);
    }
}

impl Execution {
    /// Lets the main task run up to its first operation, without a driver.
    pub fn set_out(&mut self) {
        self.settle();
    }

    /// The running task announces the operation that was written into it, in a mode in which the search decides.
    #[inline(always)]
    pub fn announce(&mut self) -> Turn {
        match self.scheduler.mode {
            Mode::Unobserved | Mode::FastPath => self.announce_in::<Unobserved>(),
            Mode::Retracing => self.announce_again(),
            _ => self.announce_in::<Observed>(),
        }
    }

    /// The same where so much is known of operations.
    #[inline(always)]
    fn announce_in<E: Evaluates>(&mut self) -> Turn {
        let id = self.tasks.current();
        match self.announce_slowly::<E>(id) {
            Some(turn) => turn,
            None => self.announce_plainly::<E>(id),
        }
    }

    /// What there is to see to before `id` announces, if it may go round in a loop, or if what it announces may happen
    /// by itself. None: it is announced like any other.
    #[inline(always)]
    pub(super) fn announce_slowly<E: Evaluates>(&mut self, id: TaskId) -> Option<Turn> {
        let task = &self.tasks[id];
        let kind = task.op.kind;
        let looked_at = task.progress.slow_path | (task.progress.steps % LOOK_EVERY == LOOK_EVERY - 1);
        if looked_at | kind.slow_path {
            if kind.by_itself & !looked_at {
                return Some(E::happen_by_itself(self, id));
            }
            return self.look_for_loops::<E>(id);
        }
        None
    }

    #[cold]
    fn look_for_loops<E: Evaluates>(&mut self, id: TaskId) -> Option<Turn> {
        let kind = self.tasks[id].op.kind;
        let is_late = kind.may_be_late && self.is_cut_after_this(id);
        if self.tasks[id].spin.is_alone() {
            if self.happens_alone(id) {
                return Some(Turn::Go);
            }
        } else if self.may_await(id) && kind.manner != Manner::Yielding {
            self.consider_await(id);
        } else if kind.manner == Manner::Yielding
            || self.tasks[id].progress.steps % LOOK_EVERY == LOOK_EVERY - 1
            || self.tasks[id].spin.turn.is_some()
        {
            self.consider_spin(id);
        }
        if is_late {
            self.say_no_more(id);
        }
        let turn = kind.by_itself.then(|| E::happen_by_itself(self, id));
        let task = &mut self.tasks[id];
        task.progress.slow_path = task.needs_slow_path() || kind.manner == Manner::Yielding;
        turn
    }

    /// `id` announces an operation that the driver decides about.
    #[inline(always)]
    pub(super) fn announce_plainly<E: Evaluates>(&mut self, id: TaskId) -> Turn {
        E::evaluate(self, id);
        if self.scheduler.auto_run.is_empty() {
            self.scheduler.decided = self.decide();
            if let Some(pick) = self.scheduler.decided.pick()
                && pick.task == id
            {
                self.scheduler.decided = Decision::STOP;
                self.scheduler.option = pick.option;
                self.log_step(id);
                return Turn::Go;
            }
        }
        // Nothing changes before another task moves, so it need not be watched before.
        if self.tasks[id].op.kind.is_watched(E::CLOSELY) {
            self.watch_objects(id);
        }
        Turn::Wait
    }

    /// The running task waits for nothing, or until what it waits for is there; that is no choice.
    #[inline]
    pub(super) fn happen_by_itself(&mut self, id: TaskId) -> Turn {
        let pending = self.evaluation(id);
        self.scheduler.set_pending(id, Pending { options: 0, ..pending });
        if pending.options == 0 {
            self.watch_objects(id);
            return Turn::Wait;
        }
        self.note_step(id, pending);
        Turn::Go
    }

    /// A step of `id`, which is not enabled, happens by itself.
    pub(super) fn note_step(&mut self, id: TaskId, pending: Pending) {
        let mode = self.scheduler.mode;
        if !mode.is_logged() {
            return self.note_step_unobserved(id);
        }
        self.scheduler.option = 0;
        let is_known = mode == Mode::Retracing && self.happens_again(id, &pending);
        self.log_line(id);
        if self.tasks[id].spin.is_cut() {
            self.stop_watching_spin(id);
        }
        if is_known {
            return;
        }
        // SAFETY: as in `decide`.
        let goes_on = match self.scheduler.driver {
            Some(By::UniformDraws(dice)) => unsafe { &mut *dice }.note(),
            Some(By::Driver(driver)) => {
                // One that waits for what it reads could not have come before that, and main ends last.
                let is_wait = self.tasks[id].op.kind.by_itself && !pending.accesses.any_write();
                let waits = is_wait || id == TaskId::MAIN && self.tasks[id].phase() == Phase::Ending;
                unsafe { &mut *driver }.note(id, &Pending { options: !waits as u32, ..pending }, self)
            }
            None => true,
        };
        if !goes_on {
            self.scheduler.stop_driving();
        }
    }

    /// Asks the driver what happens next. No pick if the run is over, or if there is no driver.
    #[inline(always)]
    pub(super) fn decide(&mut self) -> Decision {
        let Some(driver) = self.scheduler.driver else { return Decision::STOP };
        if !self.settle() {
            return Decision::STOP;
        }
        // SAFETY: the driver outlives `drive`, which is under way, and is not used in any other way meanwhile.
        let decision = match driver {
            By::UniformDraws(dice) => {
                let Execution { scheduler, .. } = self;
                unsafe { &mut *dice }.draw(scheduler.enabled.tasks(), &scheduler.pending)
            }
            By::Driver(driver) => unsafe { &mut *driver }.next(&self.point(), self),
        };
        if decision.pick().is_none() {
            self.scheduler.stop_driving();
        }
        decision
    }

    /// Lets the driver decide until the run is over, or until it stops the run.
    pub fn drive(&mut self, driver: &mut dyn Driver) {
        self.scheduler.mode = match self.scheduler.mode {
            kept @ (Mode::Retracing | Mode::Weak) => kept,
            _ if driver.asks_counterfactuals() => Mode::Observed,
            _ => Mode::Logged,
        };
        self.scheduler.follows_graph = self.scheduler.is_weak && driver.asks_counterfactuals();
        // SAFETY: `self.scheduler.driver` is cleared before this returns.
        let driver = unsafe { std::mem::transmute::<*mut dyn Driver, *mut (dyn Driver + 'static)>(driver) };
        self.scheduler.driver = Some(By::Driver(driver));
        self.let_decide();
    }

    /// Draws what happens until the run is over, or until the dice are used up.
    pub fn draw(&mut self, dice: &mut UniformDraws) {
        self.log.leave_out();
        self.scheduler.mode = if self.log.is_kept() { Mode::Drawn } else { Mode::Unobserved };
        self.scheduler.driver = Some(By::UniformDraws(dice));
        self.let_decide();
    }

    fn let_decide(&mut self) {
        self.scheduler.decided = Decision::STOP;
        loop {
            let Some(pick) = self.scheduler.decided.pick() else {
                self.run_unpicked();
                self.scheduler.decided = match self.scheduler.mode {
                    Mode::Retracing => self.decide_again(),
                    _ => self.decide(),
                };
                match self.scheduler.decided.pick() {
                    Some(_) => continue,
                    None => break,
                }
            };
            self.scheduler.decided = Decision::STOP;
            self.take(pick);
        }
        self.scheduler.driver = None;
        if self.scheduler.mode == Mode::Retracing {
            self.scheduler.script = Script::NOTHING;
            self.scheduler.mode = Mode::Observed;
        }
    }

    /// Where the running task goes that waits: to the task that was decided to be the next, or to the driver.
    #[inline(always)]
    pub(in crate::runtime) fn switch_from_here(&mut self) -> Switch {
        let mut way = self.tasks.switch_to_driver();
        if let Some(pick) = self.scheduler.decided.pick()
            && IS_DIRECT
            && !self.tasks[pick.task].progress.slow_path
        {
            self.scheduler.decided = Decision::STOP;
            self.begin_step(pick);
            self.tasks.set_current(pick.task);
            way.to = self.tasks.at(pick.task);
        }
        way
    }

    /// What could happen next, once that is settled.
    #[inline(always)]
    pub(crate) fn point(&self) -> Point<'_> {
        let births = self.history.births();
        let Execution { scheduler, .. } = self;
        let point = Point::new(scheduler.enabled.tasks(), &scheduler.pending)
            .with_births(births)
            .with_counterfactual(self);
        match self.state.memory.weak() {
            Some(weak) if scheduler.mode == Mode::Weak => point.with_memory(weak),
            _ => point,
        }
    }

    /// Lets `pick` happen.
    pub fn step(&mut self, pick: Pick) {
        self.take(pick);
        self.settle();
    }
}
