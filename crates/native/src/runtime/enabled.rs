//! What could happen next: the pending operation of every task, evaluated in the present state.
//!
//! A step evaluates again only what depends on the objects that it changed; debug builds compare that with a
//! full evaluation.

use super::execution::Execution;
use super::object::Object;
use super::operation::{Changes, Evaluation, OperationKind};
#[cfg(debug_assertions)]
use super::task::Task;
use super::task::{Phase, Role};
use super::task_set::Members;
use raddle_core::clock::Time;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::world::Pending;

impl Execution {
    /// Whatever depends on `object` is evaluated again after this step.
    #[inline]
    pub fn touch(&mut self, object: ObjectId) {
        let Object { watchers, spinners, .. } = &self.objects[object];
        if !watchers.is_empty() || !spinners.is_empty() {
            self.changed.push(object);
        }
    }

    /// Whatever depends on `object` is evaluated again, but it did not change for loops that wait for that.
    pub fn reconsider(&mut self, object: ObjectId) {
        for at in 0..self.objects[object].watchers.words() {
            for id in Members::new(self.objects[object].watchers.word(at), at) {
                if id != self.current {
                    self.evaluate(id);
                }
            }
        }
    }

    /// The running task will go on for no reason, or fails for none. Where that is left open it is an option
    /// of an operation that can happen anyway, never what enables one: nobody may count on it.
    pub fn spend_spurious(&mut self) {
        self.ambient.spurious_left -= 1;
        let step = self.history.len();
        self.history.spend(step);
        if self.ambient.spurious_left == 0 {
            for id in self.task_ids() {
                let task = self.task(id);
                if id != self.current && task.role == Role::Thread && task.phase == Phase::Alive {
                    self.evaluate(id);
                }
            }
        }
    }

    #[inline]
    pub(super) fn watch_objects(&mut self, id: TaskId) {
        let Execution { tasks, objects, .. } = self;
        let op = &tasks[id.index()].op;
        for object in op.objects() {
            objects[object].watchers.insert(id);
        }
    }

    #[inline]
    pub(super) fn unwatch_objects(&mut self, id: TaskId) {
        let Execution { tasks, objects, log, .. } = self;
        let op = &tasks[id.index()].op;
        if op.kind.is_watched(log.is_kept()) {
            for object in op.objects() {
                objects[object].watchers.remove(id);
            }
        }
    }

    #[inline(always)]
    pub(super) fn evaluation(&self, id: TaskId) -> Pending {
        let task = self.task(id);
        let op = &task.op;
        let evaluation = op.kind.evaluation(self, op);
        let options = if task.spin.held { 0 } else { evaluation.options };
        let accesses = match task.spin_reads.is_empty() {
            true => evaluation.accesses,
            // Whoever changes what its loop read lets it go on.
            false => self.looks_at(evaluation.accesses, &task.spin_reads),
        };
        let signature = if self.is_blind { 0 } else { op.signature() };
        Pending { accesses, options, signature, manner: op.kind.manner }
    }

    /// Evaluates the pending operation of a task in the present state.
    #[inline(always)]
    pub fn evaluate(&mut self, id: TaskId) {
        let pending = self.evaluation(id);
        self.set_pending(id, pending);
    }

    /// Evaluates again what depends on `object`. Operations of which all are alike are evaluated once.
    #[inline]
    pub(super) fn evaluate_watchers(&mut self, object: ObjectId) {
        if !self.log.is_kept() {
            return self.look_who_can_go_on(object);
        }
        let mut alike: Option<(&'static OperationKind, Evaluation)> = None;
        for at in 0..self.objects[object].watchers.words() {
            for id in Members::new(self.objects[object].watchers.word(at), at) {
                let op = &self.task(id).op;
                let kind = op.kind;
                let evaluation = match alike {
                    Some((same, evaluation)) if std::ptr::eq(same, kind) => evaluation,
                    _ => kind.evaluation(self, op),
                };
                if kind.by_itself {
                    // An object may have been touched twice, but its wait is over only once.
                    if evaluation.options > 0 && !self.auto_run.contains(&id) {
                        self.auto_run.push(id);
                    }
                    continue;
                }
                if kind.changes == Changes::Alike {
                    alike = Some((kind, evaluation));
                }
                let pending = self.pending_mut(id);
                pending.accesses = evaluation.accesses;
                pending.options = evaluation.options;
                self.ready.set(id, evaluation.options > 0);
            }
        }
        if self.objects[object].spinners.is_empty() {
            return;
        }
        for at in 0..self.objects[object].spinners.len() {
            let id = self.objects[object].spinners[at];
            self.task_mut(id).spin.held = false;
            self.evaluate(id);
        }
    }

    #[inline]
    pub(super) fn pending_mut(&mut self, id: TaskId) -> &mut Pending {
        debug_assert!(id.index() < self.pending.len());
        // SAFETY: every task has one.
        unsafe { self.pending.get_unchecked_mut(id.index()) }
    }

    #[inline(always)]
    pub(super) fn set_pending(&mut self, id: TaskId, pending: Pending) {
        self.ready.set(id, pending.options > 0);
        *self.pending_mut(id) = pending;
    }

    /// Brings `pending` and `enabled` up to date after something happened. Says whether anything can happen.
    #[inline(always)]
    pub(super) fn settle(&mut self) -> bool {
        if self.halted | self.time_may_pass | self.main_waits | !self.idle_timers.is_empty() {
            return self.settle_carefully();
        }
        self.evaluate_changed();
        if !self.auto_run.is_empty() || self.ready.is_empty() {
            return self.settle_carefully();
        }
        self.enabled.list(&self.ready);
        self.fast_path = self.allows_fast_path();
        #[cfg(debug_assertions)]
        self.check_against_full_evaluation();
        true
    }

    /// The same when it is not only a matter of what depends on what has changed.
    fn settle_carefully(&mut self) -> bool {
        self.fast_path = false;
        if super::context::current().is_none() {
            self.let_newborn_run();
        } else {
            self.evaluate_changed();
            if !self.auto_run.is_empty() {
                // On the stack of a task, where no other task can run: `drive` goes on with this.
                self.enabled.clear();
                return false;
            }
        }
        if self.halted || self.stopped {
            self.enabled.clear();
            return false;
        }
        if !self.idle_timers.is_empty() {
            self.disable_idle_timers();
        }
        if self.main_waits && self.main_ends() {
            self.enabled.clear();
            return false;
        }
        if self.ready.is_empty() {
            self.when_idle();
        } else if self.settings.time == Time::Any && !self.clock.is_quiet() {
            self.enable_next_timers();
        }
        self.enabled.list(&self.ready);
        #[cfg(debug_assertions)]
        self.check_against_full_evaluation();
        let time_passes = self.time_may_pass || !self.idle_timers.is_empty();
        self.fast_path = self.allows_fast_path() && !time_passes && !self.main_waits;
        !self.enabled.tasks().is_empty()
    }

    /// Evaluates again what depends on what has changed.
    #[inline(always)]
    pub(super) fn evaluate_changed(&mut self) {
        if !self.halted {
            while let Some(object) = self.changed.pop() {
                self.evaluate_watchers(object);
            }
        }
    }

    /// Lets everybody run who does so by himself, until nobody is left. Only on the driver's stack.
    // Inlined, as is what it calls: a return after a switch of stacks is always mispredicted.
    #[inline(always)]
    pub(super) fn let_newborn_run(&mut self) {
        loop {
            self.evaluate_changed();
            if self.auto_run.is_empty() {
                return;
            }
            self.run_newborn();
        }
    }

    /// New tasks run up to their first operation, and tasks whose wait is over up to their next one, in the
    /// order in which that came about.
    #[inline(always)]
    fn run_newborn(&mut self) {
        self.fast_path = false;
        let mut next = 0;
        while next < self.auto_run.len() {
            let id = self.auto_run[next];
            next += 1;
            if self.halted || self.stopped {
                continue;
            }
            if self.task(id).phase == Phase::Alive {
                self.unwatch_objects(id);
                if self.log.is_kept() {
                    let pending = self.evaluation(id);
                    self.note_step(id, pending);
                } else {
                    self.note_unseen(id);
                }
            } else {
                self.task_mut(id).phase = Phase::Alive;
                self.watch.moved(id, self.task(id).op.place);
            }
            self.resume(id);
        }
        self.auto_run.clear();
    }

    pub(super) fn disable_idle_timers(&mut self) {
        for at in 0..self.idle_timers.len() {
            let timer = self.idle_timers[at];
            if self.task(timer).phase == Phase::Alive {
                self.evaluate(timer);
            }
        }
        self.idle_timers.clear();
    }

    /// Nothing can move by itself: time passes, or loops that wait go round again.
    pub(super) fn when_idle(&mut self) {
        if !self.clock.is_quiet() {
            self.enable_next_timers();
        } else {
            self.release_spins();
        }
    }

    pub(super) fn enable_next_timers(&mut self) {
        self.idle_timers.extend(self.clock.next());
        for at in 0..self.idle_timers.len() {
            let timer = self.idle_timers[at];
            let mut pending = self.evaluation(timer);
            pending.options = 1;
            self.set_pending(timer, pending);
        }
    }

    #[cfg(debug_assertions)]
    pub(super) fn check_against_full_evaluation(&self) {
        for id in self.task_ids() {
            let kept = &self.pending[id.index()];
            let Task { phase, role, .. } = self.task(id);
            if matches!(phase, Phase::Alive | Phase::Ending) && *role == Role::Thread {
                let sensed = self.evaluation(id);
                let same = *kept == sensed || self.looks_away() && kept.options == sensed.options;
                assert!(same, "raddle: task {} was not evaluated again: {kept:?}, now {sensed:?}", id.0);
            }
            assert_eq!(self.enabled.tasks().binary_search(&id).is_ok(), kept.options > 0);
        }
    }
}
