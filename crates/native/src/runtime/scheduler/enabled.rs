//! What could happen next: the pending operation of every task, evaluated in the present state.
//!
//! Invariant: a step evaluates again only what depends on the objects that it changed, and what was not evaluated again
//! is as it was; debug builds compare with a full evaluation.

use super::task_set::Members;
use super::{Mode, Scheduler};
use crate::runtime::execution::Execution;
use crate::runtime::operation::{Changes, Evaluation, OperationKind};
use crate::runtime::tasks::task::Phase;
use raddle_core::clock::Time;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::Pending;

impl Scheduler {
    /// Whether it is not only a matter of what depends on what has changed which tasks are enabled.
    #[inline(always)]
    fn needs_care(&self) -> bool {
        self.halted
            | self.needs_care
            | self.main_exit.waits()
            | !self.idle_timers.is_empty()
            | !self.released.is_empty()
    }
}

impl Execution {
    /// All that depends on `object` is evaluated again after this step.
    #[inline]
    pub fn touch(&mut self, object: ObjectId) {
        // What a loop does alone leaves things as they were.
        if self.state.objects.is_awaited(object) && !self.tasks.running().spin.is_alone() {
            self.scheduler.changed.push(object);
        }
    }

    /// All that depends on `object` is evaluated again, but it did not change for loops that wait for that.
    pub fn reconsider(&mut self, object: ObjectId) {
        for at in 0..self.state.objects.watchers(object).words() {
            for id in Members::new(self.state.objects.watchers(object).word(at), at) {
                if id != self.tasks.current() {
                    self.evaluate(id);
                }
            }
        }
    }

    /// The running task will go on for no reason, or fails for none. Where that is left open it is an option
    /// of an operation that can happen anyway, never what enables one: a program may not count on it.
    pub fn spend_spurious(&mut self) {
        let left = self.state.objects.spend_spurious();
        self.history.spend();
        if left == 0 {
            self.evaluate_all();
        }
    }

    /// Evaluates the pending operations of all tasks but the one that runs.
    pub(in crate::runtime) fn evaluate_all(&mut self) {
        for id in self.tasks.ids() {
            let task = &self.tasks[id];
            let waits = task.is_waiting_thread() && !task.op.kind.by_itself;
            if waits && id != self.tasks.current() {
                self.evaluate(id);
            }
        }
    }

    #[inline]
    pub(super) fn watch_objects(&mut self, id: TaskId) {
        for object in self.tasks[id].op.objects() {
            self.state.objects.watch(object, id);
        }
    }

    #[inline]
    pub(super) fn unwatch_objects(&mut self, id: TaskId) {
        let op = &self.tasks[id].op;
        if op.kind.is_watched(self.scheduler.mode.is_logged()) {
            for object in op.objects() {
                self.state.objects.unwatch(object, id);
            }
        }
    }

    #[inline(always)]
    pub(in crate::runtime) fn evaluation(&self, id: TaskId) -> Pending {
        let task = &self.tasks[id];
        let evaluation = task.evaluation(&self.state);
        let options = if task.spin.held { 0 } else { evaluation.options };
        let accesses = match task.spin.is_cut() {
            false => evaluation.accesses,
            true => self.accesses_of_cut_loop(id, evaluation.accesses),
        };
        let signature = if self.scheduler.mode.is_drawn() { 0 } else { task.op.signature() };
        Pending { accesses, options, signature, manner: task.op.kind.manner }
    }

    /// Evaluates the pending operation of a task in the present state.
    #[inline(always)]
    pub fn evaluate(&mut self, id: TaskId) {
        let pending = self.evaluation(id);
        self.scheduler.set_pending(id, pending);
    }

    /// Evaluates again what depends on `object`. Operations of which all are alike are evaluated once.
    #[inline]
    pub(in crate::runtime) fn evaluate_watchers(&mut self, object: ObjectId) {
        if !self.scheduler.mode.is_logged() {
            return self.evaluate_options_of_watchers(object);
        }
        let mut alike: Option<(&'static OperationKind, Evaluation)> = None;
        for at in 0..self.state.objects.watchers(object).words() {
            for id in Members::new(self.state.objects.watchers(object).word(at), at) {
                let task = &self.tasks[id];
                let kind = task.op.kind;
                if task.spin.is_cut() {
                    self.evaluate(id);
                    continue;
                }
                let evaluation = match alike {
                    Some((same, evaluation)) if std::ptr::eq(same, kind) => evaluation,
                    _ => task.evaluation(&self.state),
                };
                if kind.by_itself {
                    // An object may have been touched twice, but its wait is over only once.
                    if evaluation.options > 0 && !self.scheduler.auto_run.contains(&id) {
                        self.scheduler.auto_run.push(id);
                    }
                    continue;
                }
                if kind.changes == Changes::Alike {
                    alike = Some((kind, evaluation));
                }
                let pending = self.scheduler.pending_mut(id);
                pending.accesses = evaluation.accesses;
                pending.options = evaluation.options;
                self.scheduler.ready.set(id, evaluation.options > 0);
            }
        }
        if self.state.objects.spinners(object).is_empty() {
            return;
        }
        for at in 0..self.state.objects.spinners(object).len() {
            let id = self.state.objects.spinners(object)[at];
            self.wake_spinner(id);
        }
    }

    /// Brings `pending` and `enabled` up to date after something happened. Says whether anything can happen.
    #[inline(always)]
    pub(in crate::runtime) fn settle(&mut self) -> bool {
        if self.scheduler.needs_care() {
            return self.settle_carefully();
        }
        self.evaluate_changed();
        if !self.scheduler.auto_run.is_empty() || self.scheduler.ready.is_empty() {
            return self.settle_carefully();
        }
        self.scheduler.enabled.list(&self.scheduler.ready);
        self.take_fast_path(true);
        #[cfg(debug_assertions)]
        self.check_against_full_evaluation();
        true
    }

    /// The same when it is not only a matter of what depends on what has changed.
    fn settle_carefully(&mut self) -> bool {
        self.scheduler.leave_fast_path();
        if crate::runtime::context::current().is_none() {
            self.run_unpicked();
        } else {
            self.evaluate_changed();
            if !self.scheduler.auto_run.is_empty() {
                // On the stack of a task, where no other task can run: `drive` goes on with this.
                self.scheduler.enabled.clear();
                return false;
            }
        }
        if self.scheduler.halted || self.scheduler.stopped {
            self.scheduler.enabled.clear();
            return false;
        }
        if !self.scheduler.idle_timers.is_empty() {
            self.disable_idle_timers();
        }
        if !self.scheduler.released.is_empty() {
            self.hold_released();
        }
        if self.scheduler.mode == Mode::Weak {
            self.find_stores();
        }
        if self.scheduler.main_waits() && self.main_ends() {
            self.scheduler.enabled.clear();
            return false;
        }
        if self.scheduler.ready.is_empty() {
            self.when_idle();
        } else if self.settings.time == Time::Any && !self.scheduler.clock.is_quiet() {
            self.enable_next_timers();
        }
        self.scheduler.enabled.list(&self.scheduler.ready);
        #[cfg(debug_assertions)]
        self.check_against_full_evaluation();
        let time_passes = self.scheduler.time_may_pass || !self.scheduler.idle_timers.is_empty();
        let is_quiet = !time_passes && self.scheduler.released.is_empty();
        self.take_fast_path(is_quiet && !self.scheduler.main_waits());
        !self.scheduler.enabled.tasks().is_empty()
    }

    /// Evaluates again what depends on what has changed.
    #[inline(always)]
    pub(in crate::runtime) fn evaluate_changed(&mut self) {
        if !self.scheduler.halted {
            while let Some(object) = self.scheduler.changed.pop() {
                self.evaluate_watchers(object);
            }
        }
    }

    /// Lets all tasks run that do so by themselves, until none is left. Only on the driver's stack.
    // Inlined, as is what it calls: a return after a switch of stacks is always mispredicted.
    #[inline(always)]
    pub(in crate::runtime) fn run_unpicked(&mut self) {
        loop {
            self.evaluate_changed();
            if self.scheduler.auto_run.is_empty() {
                return;
            }
            self.run_unpicked_once();
        }
    }

    /// New tasks run up to their first operation, and tasks whose wait is over up to their next one, in the
    /// order in which that came about.
    #[inline(always)]
    fn run_unpicked_once(&mut self) {
        self.scheduler.leave_fast_path();
        let mut next = 0;
        while next < self.scheduler.auto_run.len() {
            let id = self.scheduler.auto_run[next];
            next += 1;
            if self.scheduler.halted || self.scheduler.stopped {
                continue;
            }
            if self.tasks[id].phase() == Phase::Alive {
                self.unwatch_objects(id);
                if self.scheduler.mode.is_logged() {
                    let pending = self.evaluation(id);
                    self.note_step(id, pending);
                } else {
                    self.note_step_unobserved(id);
                }
            } else {
                self.tasks[id].set_phase(Phase::Alive);
                self.host.moved(id, self.tasks[id].op.place);
            }
            self.resume(id);
        }
        self.scheduler.auto_run.clear();
    }

    fn disable_idle_timers(&mut self) {
        for at in 0..self.scheduler.idle_timers.len() {
            let timer = self.scheduler.idle_timers[at];
            if self.tasks[timer].phase() == Phase::Alive {
                self.evaluate(timer);
            }
        }
        self.scheduler.idle_timers.clear();
    }

    /// Nothing can move by itself: time passes, or loops that wait go round again.
    fn when_idle(&mut self) {
        if self.scheduler.follows_graph && self.is_any_behind() {
            self.scheduler.is_redundant = true;
            return;
        }
        if self.scheduler.held_spins && self.release_exhausted() {
            return;
        }
        if !self.scheduler.clock.is_quiet() {
            self.enable_next_timers();
        } else {
            self.release_spins();
        }
    }

    fn enable_next_timers(&mut self) {
        self.scheduler.idle_timers.extend(self.scheduler.clock.next());
        for at in 0..self.scheduler.idle_timers.len() {
            let timer = self.scheduler.idle_timers[at];
            let mut pending = self.evaluation(timer);
            pending.options = 1;
            self.scheduler.set_pending(timer, pending);
        }
    }

    #[cfg(debug_assertions)]
    pub(in crate::runtime) fn check_against_full_evaluation(&self) {
        for id in self.tasks.ids() {
            let kept = &self.scheduler.pending[id.index()];
            let (phase, role) = (self.tasks[id].phase(), self.tasks[id].role());
            if matches!(phase, Phase::Alive | Phase::Ending)
                && role == crate::runtime::tasks::task::Role::Thread
            {
                let evaluated = self.evaluation(id);
                let same = *kept == evaluated || self.ignores_accesses() && kept.options == evaluated.options;
                assert!(same, "raddle: task {} was not evaluated again: {kept:?}, now {evaluated:?}", id.0);
            }
            assert_eq!(self.scheduler.enabled.tasks().binary_search(&id).is_ok(), kept.options > 0);
        }
    }
}
