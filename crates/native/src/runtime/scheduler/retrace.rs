//! The first steps of an execution that are those of the one before it. Their order is known, and so nobody is asked, and
//! what else could have happened is not evaluated until the last of them was taken. What is known of the past is
//! true again.
//!
//! This may end at any step: the driver then decides from there on, as it would have from the beginning. So it does
//! where anything comes up but operations of threads that go about their business, and where what happens is not what
//! happened before: it is for the driver to say so.

use crate::runtime::execution::{By, Execution, Turn};
use crate::runtime::tasks::task::{Phase, Role};
use raddle_core::operation::TaskId;
use raddle_core::trace::Step;
use raddle_core::world::{Decision, Driver, Pending};
use std::ops::Range;

/// The steps that an execution begins with.
pub(in crate::runtime) struct Script {
    /// Some of them may be left.
    pub is_on: bool,
    first: *const Step,
    next: *const Step,
    end: *const Step,
}

impl Script {
    pub const NOTHING: Script =
        Script { is_on: false, first: std::ptr::null(), next: std::ptr::null(), end: std::ptr::null() };

    fn new(steps: &[Step]) -> Script {
        let Range { start, end } = steps.as_ptr_range();
        Script { is_on: true, first: start, next: start, end }
    }

    /// The next one.
    #[inline(always)]
    fn next<'a>(&self) -> Option<&'a Step> {
        // SAFETY: they are the driver's, who does not touch them before it is asked, and it is not asked before this is
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

    /// How many were taken.
    fn taken(&self) -> usize {
        (self.next.addr() - self.first.addr()) / size_of::<Step>()
    }
}

impl Execution {
    /// The next execution begins with what `driver` has kept, if that is how the last one began.
    pub(crate) fn set_out_to_retrace(&mut self, driver: &dyn Driver) {
        let kept = driver.kept();
        let is_plain = self.settings.spurious == 0 && !self.time_may_pass && driver.asks_counterfactuals();
        self.retraces = Script::NOTHING;
        if !kept.is_empty() && is_plain && self.history.begins_with(kept) {
            self.history.begin_again(kept.len());
            self.retraces = Script::new(kept);
        }
    }

    /// From here on the driver decides.
    pub(in crate::runtime) fn retrace_no_further(&mut self) {
        self.retraces.end = self.retraces.next;
    }

    /// The running task announces its operation. None if that is not one of the known steps any more.
    #[inline(never)]
    pub(in crate::runtime) fn announce_again(&mut self, id: TaskId) -> Option<Turn> {
        if self.task(id).slow_path {
            self.retrace_no_further();
        }
        // Whoever runs by himself comes first, one after the other.
        if self.auto_run.is_empty() {
            self.evaluate_changed();
        }
        if !self.auto_run.is_empty() && self.retraces.next().is_some() {
            return Some(Turn::Wait);
        }
        let step = self.next_again(Some(id))?;
        if step.task == id {
            self.option = step.option;
            self.log_step(id);
            return Some(Turn::Go);
        }
        self.decided = Decision::take(step.pick());
        Some(Turn::Wait)
    }

    /// What happens next, as it did the last time. None if that is not known.
    pub(in crate::runtime) fn decide_again(&mut self) -> Option<Decision> {
        self.next_again(None).map(|step| Decision::take(step.pick()))
    }

    /// The step that came next the last time is taken. None if there is none or it cannot happen; `running` has announced an
    /// operation that is not evaluated yet.
    #[inline(always)]
    fn next_again<'a>(&mut self, running: Option<TaskId>) -> Option<&'a Step> {
        if let Some(step) = self.retraces.next()
            && !(self.halted | self.main_waits)
            && self.is_possible(step)
        {
            self.retraces.take();
            self.pending_mut(step.task).accesses = step.accesses;
            return Some(step);
        }
        self.end_retracing(running);
        None
    }

    /// Whether its task is about to take this step and can.
    #[inline(always)]
    fn is_possible(&self, step: &Step) -> bool {
        if step.by_itself | (step.task.index() >= self.used) {
            return false;
        }
        let task = self.task(step.task);
        let op = &task.op;
        matches!(task.phase, Phase::Alive | Phase::Ending)
            && op.signature() == step.signature
            && step.option < op.kind.options(self, op)
    }

    /// Whether this step, which happens by itself, is the one that did so the last time.
    pub(in crate::runtime) fn happens_again(&mut self, id: TaskId, pending: &Pending) -> bool {
        if let Some(step) = self.retraces.next()
            && step.by_itself
            && step.task == id
            && step.signature == pending.signature
            && !self.halted
        {
            self.retraces.take();
            return true;
        }
        self.end_retracing(Some(id));
        false
    }

    /// The driver decides from here on: all that it may ask for is brought up to date, but for the operation of `running`.
    #[inline(never)]
    fn end_retracing(&mut self, running: Option<TaskId>) {
        let script = std::mem::replace(&mut self.retraces, Script::NOTHING);
        self.history.go_on(self.used);
        self.keeps_history = true;
        if let Some(By::Driver(driver)) = self.driver {
            // SAFETY: as in `decide`.
            unsafe { &mut *driver }.retraced(script.taken());
        }
        for id in self.task_ids() {
            let task = self.task(id);
            let kind = task.op.kind;
            let waits = task.phase == Phase::Alive && task.role == Role::Thread && Some(id) != running;
            if waits && !kind.by_itself {
                self.evaluate(id);
                if kind.is_watched(true) {
                    self.watch_objects(id);
                }
            }
        }
    }
}
