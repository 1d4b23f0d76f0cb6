//! The first steps of an execution that are those of the one before it. Their order is known, so the driver is not asked,
//! and what else could have happened is not evaluated until the last of them was taken. What is known of the history is
//! true again.
//!
//! Invariant: retracing may end at any step, and the driver then decides from there on, as it would have from the
//! beginning. It ends where anything comes up but operations of threads in the middle of their functions, and where what
//! happens is not what happened before: it is for the driver to say so.

use super::turn::Observed;
use super::{By, Mode, Turn};
use crate::runtime::execution::Execution;
use crate::runtime::tasks::task::Phase;
use raddle_core::operation::TaskId;
use raddle_core::trace::Step;
use raddle_core::world::{Decision, Driver, Pending};
use std::ops::Range;

/// The steps that an execution begins with.
pub(super) struct Script {
    first: *const Step,
    next: *const Step,
    end: *const Step,
}

impl Script {
    pub const NOTHING: Script =
        Script { first: std::ptr::null(), next: std::ptr::null(), end: std::ptr::null() };

    fn new(steps: &[Step]) -> Script {
        let Range { start, end } = steps.as_ptr_range();
        Script { first: start, next: start, end }
    }

    /// The next one.
    #[inline(always)]
    fn next<'a>(&self) -> Option<&'a Step> {
        // SAFETY: they are the driver's, which does not touch them before it is asked, and it is not asked before this is
        // over.
        (self.next != self.end).then(|| unsafe { &*self.next })
    }

    /// It is taken.
    #[inline(always)]
    fn take(&mut self) {
        debug_assert!(self.next != self.end);
        // SAFETY: it is one of the steps, and so the one behind it is, too, or is their end.
        self.next = unsafe { self.next.add(1) };
    }

    /// No more of them are taken.
    fn cut(&mut self) {
        self.end = self.next;
    }

    /// How many were taken.
    fn taken(&self) -> usize {
        (self.next.addr() - self.first.addr()) / size_of::<Step>()
    }
}

impl Execution {
    /// The next execution begins with what `driver` has kept, if that is how the last one began.
    pub(crate) fn set_out_to_retrace(&mut self, driver: &dyn Driver) {
        let kept = driver.kept();
        if self.scheduler.is_weak {
            return;
        }
        let is_plain =
            self.settings.spurious == 0 && !self.scheduler.time_may_pass && driver.asks_counterfactuals();
        if !kept.is_empty() && is_plain && self.history.begins_with(kept) {
            self.history.begin_again(kept.len());
            self.scheduler.script = Script::new(kept);
            self.scheduler.mode = Mode::Retracing;
        } else {
            self.scheduler.mode = Mode::Observed;
        }
    }

    /// From here on the driver decides.
    pub(in crate::runtime) fn retrace_no_further(&mut self) {
        self.scheduler.script.cut();
    }

    /// The running task announces its operation.
    #[inline(never)]
    pub(super) fn announce_again(&mut self) -> Turn {
        let id = self.tasks.current();
        if let Some(turn) = self.announce_slowly::<Observed>(id) {
            return turn;
        }
        match self.announce_known(id) {
            Some(turn) => turn,
            None => self.announce_plainly::<Observed>(id),
        }
    }

    /// None if what `id` announces is not one of the known steps any more.
    fn announce_known(&mut self, id: TaskId) -> Option<Turn> {
        if self.tasks[id].progress.slow_path {
            self.retrace_no_further();
        }
        // Tasks that run by themselves come first, one after the other.
        if self.scheduler.auto_run.is_empty() {
            self.evaluate_changed();
        }
        if !self.scheduler.auto_run.is_empty() && self.scheduler.script.next().is_some() {
            return Some(Turn::Wait);
        }
        let step = self.next_again(Some(id))?;
        if step.task == id {
            self.scheduler.option = step.option;
            self.log_step(id);
            return Some(Turn::Go);
        }
        self.scheduler.decided = Decision::take(step.pick());
        Some(Turn::Wait)
    }

    /// What happens next: what did the last time, or what the driver decides if that is not known.
    pub(super) fn decide_again(&mut self) -> Decision {
        match self.next_again(None) {
            Some(step) => Decision::take(step.pick()),
            None => self.decide(),
        }
    }

    /// The step that came next the last time is taken. None if there is none or it cannot happen; `running` has announced
    /// an operation that is not evaluated yet.
    #[inline(always)]
    fn next_again<'a>(&mut self, running: Option<TaskId>) -> Option<&'a Step> {
        if let Some(step) = self.scheduler.script.next()
            && !(self.scheduler.halted | self.scheduler.main_waits())
            && self.is_possible(step)
        {
            self.scheduler.script.take();
            self.scheduler.pending_mut(step.task).accesses = step.accesses;
            return Some(step);
        }
        self.end_retracing(running);
        None
    }

    /// Whether its task is about to take this step and can.
    #[inline(always)]
    fn is_possible(&self, step: &Step) -> bool {
        if step.by_itself | (step.task.index() >= self.tasks.len()) {
            return false;
        }
        let task = &self.tasks[step.task];
        matches!(task.phase(), Phase::Alive | Phase::Ending)
            && task.op.signature() == step.signature
            && step.option < task.options(&self.state)
    }

    /// Whether this step, which happens by itself, is the one that did so the last time.
    pub(super) fn happens_again(&mut self, id: TaskId, pending: &Pending) -> bool {
        if let Some(step) = self.scheduler.script.next()
            && step.by_itself
            && step.task == id
            && step.signature == pending.signature
            && !self.scheduler.halted
        {
            self.scheduler.script.take();
            return true;
        }
        self.end_retracing(Some(id));
        false
    }

    /// The driver decides from here on: all that it may ask for is brought up to date, but for the operation of `running`.
    #[inline(never)]
    fn end_retracing(&mut self, running: Option<TaskId>) {
        let script = std::mem::replace(&mut self.scheduler.script, Script::NOTHING);
        self.history.go_on(self.tasks.len());
        self.scheduler.mode = Mode::Observed;
        if let Some(By::Driver(driver)) = self.scheduler.driver {
            // SAFETY: as in `decide`.
            unsafe { &mut *driver }.retraced(script.taken());
        }
        for id in self.tasks.ids() {
            let task = &self.tasks[id];
            let kind = task.op.kind;
            let waits = task.is_waiting_thread() && Some(id) != running;
            if waits && !kind.by_itself {
                self.evaluate(id);
                if kind.is_watched(true) {
                    self.watch_objects(id);
                }
            }
        }
    }
}
