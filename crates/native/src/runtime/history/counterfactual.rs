//! What could have happened earlier in the present execution: a reduction asks whether an operation would have
//! been blocked before some step, and what it would have touched.
//!
//! Invariant: an operation is evaluated in another state by the same function as in the present one, on a copy
//! of the [state](crate::runtime::state::State) as it was, which the snapshots of the [history](super::History) hold.

use super::happened;
use crate::runtime::execution::Execution;
use crate::runtime::log::Effect;
use crate::runtime::objects::ObjectState;
use crate::runtime::operation::{Changes, Evaluation};
use crate::runtime::tasks::task::Role;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::world::{BlockingEffect, Counterfactual};

impl ObjectState {
    /// Steps that leave the order of others open may count in an object, and what they add commutes.
    fn add(&mut self, from: ObjectState, to: ObjectState) {
        for word in 0..2 {
            self.words[word] = self.words[word].wrapping_add(to.words[word].wrapping_sub(from.words[word]));
        }
        self.tasks = self.tasks.wrapping_add(to.tasks.wrapping_sub(from.tasks));
    }
}

impl Execution {
    /// How `object` was after the first `before` steps and then the steps `also`.
    fn state_then(&self, object: ObjectId, before: usize, also: &[u32]) -> ObjectState {
        let mut later = self.state.objects.state(object);
        let mut added: Vec<(ObjectState, ObjectState)> = Vec::new();
        for (step, state) in self.history.changes(object).take_while(|(step, _)| *step as usize > before) {
            if also.contains(&(step - 1)) {
                added.push((state, later));
            }
            later = state;
        }
        for (from, to) in added {
            later.add(from, to);
        }
        later
    }

    /// What the pending operation of `id` would have done after the first `before` steps and then `also`, where its
    /// atomic has these bits, or those that it has now.
    fn evaluation_then(&self, id: TaskId, before: usize, also: &[u32], bits: Option<u64>) -> Evaluation {
        self.host.looked_back();
        let mut op = self.tasks[id].op;
        op.wake = op.wake.then(|step| happened(step, before, also));
        let mut shadow = self.history.shadow.borrow_mut();
        for object in op.objects() {
            shadow.show_object(object, self.state_then(object, before, also));
        }
        let spent = self.history.spent_then(before, also);
        shadow.show(&self.state, self.settings.spurious - spent, bits);
        op.evaluation(&shadow)
    }

    /// Whether timer `id` could have fired in the place of step `before`.
    fn could_fire(&self, id: TaskId, before: usize) -> bool {
        let (was, timer) = (&self.history.steps[before], &self.tasks[id]);
        let fired = &self.tasks[was.task];
        let is_timer = matches!(fired.role(), Role::Timer { .. });
        match self.settings.time {
            Time::Idle => is_timer && fired.timer.deadline() == timer.timer.deadline(),
            Time::Any => self.tasks.ids().all(|other| {
                let (born, other) = (self.history.births[other.index()].after as usize, &self.tasks[other]);
                let is_armed = matches!(other.role(), Role::Timer { .. })
                    && born <= before
                    && other.timer.is_armed_after(before);
                !is_armed || other.timer.deadline() >= timer.timer.deadline()
            }),
        }
    }

    /// What an operation would have touched that looks at the value of an atomic. None if the value is not known.
    fn by_value_then(&self, id: TaskId, before: usize, also: &[u32]) -> Option<Accesses> {
        let object = self.tasks[id].op.object;
        let changes = self.history.changes(object).map(|(step, _)| step);
        let value = changes.filter(|step| *step as usize <= before).find_map(|step| {
            let line = self.history.steps[step as usize - 1].line;
            match self.log.lines()[line as usize].effect {
                Effect::Read(_, value) | Effect::Wrote(_, value) | Effect::Refused(_, value) => Some(value),
                Effect::Updated(_, _, value) => Some(value),
                // It failed for no reason, and saw nothing.
                _ => None,
            }
        })?;
        Some(self.evaluation_then(id, before, also, Some(value)).accesses)
    }
}

impl Counterfactual for Execution {
    #[inline]
    fn can_block(&self, task: TaskId) -> bool {
        let is_main = task == TaskId::MAIN;
        let task = &self.tasks[task];
        let kind = task.op.kind;
        kind.changes != Changes::Never && !kind.by_value
            || matches!(task.role(), Role::Timer { .. })
            || is_main && self.scheduler.main_waits()
    }

    #[inline]
    fn has_blockers_that_commute(&self, task: TaskId) -> bool {
        self.tasks[task].op.kind.blocked_by_several
    }

    #[inline]
    fn is_numbered(&self, task: TaskId) -> bool {
        self.tasks[task].op.kind.numbered
    }

    fn blocking_effect(&self, step: usize, _task: TaskId) -> BlockingEffect {
        self.history.steps[step].effect
    }

    fn could_happen(&self, id: TaskId, before: usize, also: &[u32]) -> bool {
        match self.tasks[id].role() {
            Role::Timer { .. } => self.could_fire(id, before),
            // Those are not picked, and they wait for others.
            _ if self.tasks[id].op.kind.by_itself => false,
            _ if id == TaskId::MAIN && self.scheduler.main_waits() => false,
            _ => self.evaluation_then(id, before, also, None).options > 0,
        }
    }

    fn accesses_then(&self, id: TaskId, before: usize, also: &[u32]) -> Accesses {
        let (task, now) = (&self.tasks[id], self.scheduler.pending(id).accesses);
        let kind = task.op.kind;
        if matches!(task.role(), Role::Timer { .. }) {
            task.evaluation(&self.state).accesses
        } else if kind.by_value {
            self.by_value_then(id, before, also).unwrap_or(now)
        } else if kind.changes == Changes::Never || task.role() != Role::Thread {
            now
        } else {
            self.evaluation_then(id, before, also, None).accesses
        }
    }
}
