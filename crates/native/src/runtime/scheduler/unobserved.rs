//! A run that is drawn and not logged: as long as nothing comes up but operations of a few tasks, what can happen next
//! need not be settled anew at every step.
//!
//! Invariant: on the [fast path](Mode::FastPath) it is known which tasks are enabled, and nothing has happened since that
//! could change it but what tasks announced and objects that changed. All else leaves the fast path;
//! [`Execution::settle`] finds out what it was, and when it may be taken again. A program that does what can only be
//! judged by the log, as loops that may wait and cells do, demands one: its run is of no use then, and begins anew with a
//! log, as do all after it.

use super::spin::LOOK_EVERY;
use super::task_set::{Few, Members};
use super::{By, Mode, Turn};
use crate::runtime::execution::Execution;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::{Decision, Pick};

impl Execution {
    /// Whether there is a log to look at. If not, the run that asks for it comes to its end.
    pub(in crate::runtime) fn has_log(&mut self) -> bool {
        let is_kept = self.log.is_kept();
        if !is_kept {
            self.log.demand();
            self.scheduler.stop_driving();
        }
        is_kept
    }

    /// Nothing is left to settle: an unobserved run takes the fast path until something comes up.
    #[inline(always)]
    pub(super) fn take_fast_path(&mut self, is_quiet: bool) {
        if matches!(self.scheduler.mode, Mode::Unobserved | Mode::FastPath) {
            let is_fast = is_quiet && self.tasks.len() <= Few::MOST;
            self.scheduler.mode = if is_fast { Mode::FastPath } else { Mode::Unobserved };
        }
    }

    /// The running task announces its operation on the fast path. None if that is not all there is to see to.
    #[inline(always)]
    pub(in crate::runtime) fn announce_on_fast_path(&mut self) -> Option<Turn> {
        let id = self.tasks.current();
        let Some(By::UniformDraws(dice)) = self.scheduler.driver else { return None };
        let task = &self.tasks[id];
        let (kind, place) = (task.op.kind, task.op.place);
        if task.progress.slow_path | kind.slow_path | (task.progress.steps % LOOK_EVERY == LOOK_EVERY - 1) {
            return None;
        }
        self.evaluate_options(id);
        while let Some(object) = self.scheduler.changed.pop() {
            self.evaluate_options_of_watchers(object);
        }
        if !self.scheduler.auto_run.is_empty() {
            return None;
        }
        let few = self.scheduler.ready.few();
        if few.is_empty() {
            return None;
        }
        #[cfg(debug_assertions)]
        {
            assert!(self.tasks.len() <= Few::MOST && !self.scheduler.halted);
            self.scheduler.enabled.list(&self.scheduler.ready);
            self.check_against_full_evaluation();
        }
        // SAFETY: as in `decide`.
        let dice = unsafe { &mut *dice };
        if !dice.note() {
            self.scheduler.stop_driving();
            return Some(Turn::Wait);
        }
        let next = few.get(dice.below(few.len()));
        let option = dice.below(self.scheduler.pending(next).options);
        if next == id {
            self.scheduler.option = option;
            self.host.moved(id, place);
            self.tasks[id].progress.step(kind.surely_writes);
            return Some(Turn::Go);
        }
        self.scheduler.decided = Decision::take(Pick { task: next, option });
        if kind.is_watched(false) {
            self.watch_objects(id);
        }
        Some(Turn::Wait)
    }

    /// The running task waits for nothing, or until what it waits for is there, in a run without a log.
    #[inline(always)]
    pub(super) fn happen_by_itself_unobserved(&mut self, id: TaskId) -> Turn {
        self.scheduler.set_options(id, 0);
        if self.tasks[id].options(&self.state) == 0 {
            self.watch_objects(id);
            return Turn::Wait;
        }
        self.note_step_unobserved(id);
        Turn::Go
    }

    /// A step of `id`, which is not enabled, happens by itself in a run without a log.
    #[inline(always)]
    pub(super) fn note_step_unobserved(&mut self, id: TaskId) {
        self.scheduler.option = 0;
        let task = &mut self.tasks[id];
        task.progress.step(task.op.kind.surely_writes);
        self.host.moved(id, task.op.place);
        // SAFETY: as in `decide`.
        if let Some(By::UniformDraws(dice)) = self.scheduler.driver
            && !unsafe { &mut *dice }.note()
        {
            self.scheduler.stop_driving();
        }
    }

    /// Looks whether `id` can go on with what it has announced, in a run without a log.
    #[inline(always)]
    pub(super) fn evaluate_options(&mut self, id: TaskId) {
        let options = self.tasks[id].options(&self.state);
        self.scheduler.set_options(id, options);
    }

    /// Looks again which tasks can go on that depend on `object`, in a run without a log.
    pub(super) fn evaluate_options_of_watchers(&mut self, object: ObjectId) {
        for at in 0..self.state.objects.watchers(object).words() {
            for id in Members::new(self.state.objects.watchers(object).word(at), at) {
                let task = &self.tasks[id];
                let options = task.options(&self.state);
                if !task.op.kind.by_itself {
                    self.scheduler.set_options(id, options);
                } else if options > 0 && !self.scheduler.auto_run.contains(&id) {
                    // An object may have been touched twice, but a wait is over only once.
                    self.scheduler.auto_run.push(id);
                }
            }
        }
    }
}
