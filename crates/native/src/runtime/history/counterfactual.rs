//! What could have happened earlier in the present execution: a reduction asks whether an operation would have
//! been blocked before some step, and what it would have touched.
//!
//! Invariant: an operation is evaluated in another state by the same function as in the present one, on a copy
//! of the [state](crate::runtime::state::State) as it was, which the snapshots of the [history](super::History) hold.

use super::happened;
use crate::runtime::execution::Execution;
use crate::runtime::log::Effect;
use crate::runtime::objects::ObjectState;
use crate::runtime::operation::{Changes, Evaluation, Op};
use crate::runtime::scheduler::{CutLoop, SpinThen, Stage};
use crate::runtime::tasks::task::Role;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::world::{Counterfactual, Pending, Variation};

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
        if also.is_empty() {
            let omitted = self.history.changes(object).take_while(|(step, _)| *step as usize > before);
            return omitted.last().map_or(later, |(_, state)| state);
        }
        let mut added = ObjectState::default();
        for (step, state) in self.history.changes(object).take_while(|(step, _)| *step as usize > before) {
            if also.contains(&(step - 1)) {
                added.add(state, later);
            }
            later = state;
        }
        later.add(ObjectState::default(), added);
        later
    }

    /// `object` is an atomic, which holds this where it is first touched.
    pub fn note_first_value(&mut self, object: ObjectId, value: u64) {
        self.history.note_first_value(object, value);
    }

    /// The first step of `id` that is left out by the first `before` steps and then `also`, if there is one.
    fn first_left_out(&self, id: TaskId, before: usize, also: &[u32]) -> Option<u32> {
        let later = &self.history.steps[before.min(self.history.steps.len())..];
        // Mostly it has taken none of them, or only those that it needs to come here.
        let last = before + later.iter().rposition(|was| was.task == id)?;
        if also.contains(&(last as u32)) {
            return None;
        }
        let mut left_out =
            later.iter().zip(before as u32..).filter(|(was, at)| was.task == id && !also.contains(at));
        Some(left_out.next()?.1)
    }

    /// The evaluation of `op` after the first `before` steps and then `also`.
    fn evaluation_of(&self, mut op: Op, before: usize, also: &[u32]) -> Evaluation {
        self.host.looked_back();
        op.wake = op.wake.then(|step| happened(step, before, also));
        let mut shadow = self.history.shadow.borrow_mut();
        for object in op.objects() {
            shadow.show_object(object, self.state_then(object, before, also));
        }
        let bits = op.kind.by_value.then(|| self.value_then(op.object, before, also));
        let spent = self.history.spent_then(before, also);
        shadow.show(&self.state, self.settings.spurious - spent, bits);
        op.evaluation(&shadow)
    }

    /// The value of an atomic after the first `before` steps and then `also`: what the last of them that shows it left, or
    /// else what the first of the others found, or else the first value there was.
    fn value_then(&self, object: ObjectId, before: usize, also: &[u32]) -> u64 {
        let effect = |step: u32| self.log.lines()[self.history.steps[step as usize - 1].line as usize].effect;
        let mut found = None;
        for step in self.history.changes(object).map(|(step, _)| step) {
            let (old, new) = match effect(step) {
                Effect::Read(_, value) | Effect::Refused(_, value) => (Some(value), value),
                Effect::Updated(_, old, new) => (Some(old), new),
                Effect::Wrote(_, new) => (None, new),
                // It failed for no reason, and saw nothing.
                _ => continue,
            };
            if happened(step, before, also) {
                return new;
            }
            found = old;
        }
        found.unwrap_or_else(|| self.history.first_values.get(object.index()).copied().unwrap_or(0))
    }

    /// The pending operation `op` of a cut loop, as it was with that loop, after the first `before` steps and then `also`.
    #[cold]
    fn pending_of_cut_loop(
        &self,
        id: TaskId,
        op: Op,
        spin: CutLoop<'_>,
        before: usize,
        also: &[u32],
    ) -> Pending {
        let Evaluation { accesses, options } = self.evaluation_of(op, before, also);
        let has_changed = |object: &ObjectId| self.has_changed_then(*object, spin.since, before, also);
        let is_blocked = match spin.stage {
            Stage::Free | Stage::Last | Stage::Alone => false,
            Stage::Awaiting => {
                !spin.reads.iter().any(has_changed) && !self.has_time_passed_then(&spin, before, also)
            }
            Stage::Exhausted => !self.has_time_passed_then(&spin, before, also),
            Stage::Released | Stage::GivesWay => true,
        };
        if !is_blocked {
            let accesses = spin.accesses(accesses, |object| self.counted_beside(object));
            return Pending { accesses, options, ..Pending::NOTHING };
        }
        // As a timer that fires when nothing else can happen.
        let release = self.history.spin(before as u32).map(SpinThen::cut);
        let release = release.filter(|spin| spin.stage == Stage::Released);
        if release.is_some_and(|release| release.released.contains(&id)) {
            return Pending { accesses: Accesses::EVERYTHING_THERE_IS, options, ..Pending::NOTHING };
        }
        let blocked = CutLoop { stage: Stage::Exhausted, ..spin };
        let accesses = blocked.accesses(accesses, |object| self.counted_beside(object));
        Pending { accesses, options: 0, ..Pending::NOTHING }
    }

    /// Whether time has passed for loops that read the clock, since `spin`, which does, was blocked.
    fn has_time_passed_then(&self, spin: &CutLoop<'_>, before: usize, also: &[u32]) -> bool {
        let Some(clock) = self.state.objects.known_clock().filter(|clock| spin.reads.contains(clock)) else {
            return false;
        };
        let passes = |(step, release): &(u32, SpinThen)| {
            release.cut().passes_time
                && self.history.steps[*step as usize].line > spin.held_at
                && happened(step + 1, before, also)
        };
        self.history.spins.iter().any(passes) || self.has_changed_then(clock, spin.held_at, before, also)
    }

    /// Whether a step after line `since` has changed `object`, of the first `before` and then `also`.
    fn has_changed_then(&self, object: ObjectId, since: u32, before: usize, also: &[u32]) -> bool {
        let mut later = self.state.objects.state(object);
        for (step, state) in self.history.changes(object) {
            let Some(was) = (step as usize).checked_sub(1).map(|at| &self.history.steps[at]) else { break };
            if was.line <= since {
                break;
            }
            let changed = later != state || self.log.lines()[was.line as usize].wrote;
            if changed && happened(step, before, also) {
                return true;
            }
            later = state;
        }
        false
    }

    /// Whether timer `id` could have fired after the first `before` steps and then the steps `also`.
    fn could_fire(&self, id: TaskId, before: usize, also: &[u32]) -> bool {
        let is_armed = |timer: TaskId| {
            let happened = |step| happened(step, before, also);
            happened(self.history.births[timer.index()].after)
                && !happened(self.tasks[timer].timer.disarmed())
        };
        let deadline = |timer: TaskId| self.tasks[timer].timer.deadline();
        let is_timer = |id: TaskId| matches!(self.tasks[id].role(), Role::Timer { .. });
        is_armed(id)
            && match self.settings.time {
                // Nothing else could happen where another one fired.
                Time::Idle => self
                    .history
                    .steps
                    .get(before)
                    .is_some_and(|was| is_timer(was.task) && deadline(was.task) == deadline(id)),
                Time::Any => {
                    let earlier = |other: &TaskId| is_timer(*other) && deadline(*other) < deadline(id);
                    !self.tasks.ids().filter(earlier).any(is_armed)
                }
            }
    }
}

impl Counterfactual for Execution {
    fn pending_then(&self, id: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let task = &self.tasks[id];
        if matches!(task.role(), Role::Timer { .. }) {
            let can_fire = self.could_fire(id, prefix, also);
            let accesses = task.evaluation(&self.state).accesses;
            return Pending { accesses, options: can_fire as u32, ..Pending::NOTHING };
        }
        let left_out = self.first_left_out(id, prefix, also);
        // Only if it depended on the state.
        let taken = left_out.and_then(|step| self.history.taken(step));
        let spin = match taken {
            Some(_) => left_out.and_then(|step| self.history.spin(step)).map(SpinThen::cut),
            None => task.spin.is_cut().then(|| task.spin.cut()),
        };
        if let Some(spin) = spin {
            return self.pending_of_cut_loop(id, taken.unwrap_or(task.op), spin, prefix, also);
        }
        let accesses = self.scheduler.pending(id).accesses;
        if taken.is_none() && (task.op.kind.by_itself || id == TaskId::MAIN && self.scheduler.main_waits()) {
            // It waits for others and is never picked.
            return Pending { accesses, ..Pending::NOTHING };
        }
        if taken.is_none() && (task.op.kind.changes == Changes::Never || task.role() != Role::Thread) {
            return Pending { accesses, options: 1, ..Pending::NOTHING };
        }
        let Evaluation { accesses, options } = self.evaluation_of(taken.unwrap_or(task.op), prefix, also);
        Pending { accesses, options, ..Pending::NOTHING }
    }

    #[inline]
    fn variation(&self, task: TaskId) -> Variation {
        let is_main = task == TaskId::MAIN;
        let task = &self.tasks[task];
        let kind = task.op.kind;
        if matches!(task.role(), Role::Timer { .. }) || is_main && self.scheduler.main_waits() {
            return Variation::Enabledness;
        }
        if task.spin.is_cut() {
            return Variation::State;
        }
        match kind.changes {
            Changes::Never => Variation::Steady,
            _ if kind.same_accesses && kind.blocked_by_several => Variation::JointlyBlocked,
            _ if kind.same_accesses => Variation::Enabledness,
            _ if kind.last_of_several => Variation::LastOfSeveral,
            _ if self.settings.spurious > 0 || self.settings.time == Time::Any => Variation::State,
            _ => Variation::Local,
        }
    }

    #[inline]
    fn blocks(&self, step: usize, task: TaskId) -> bool {
        // A lock that is taken is a change that a cut loop may await.
        self.history.steps[step].acquires && !self.tasks[task].spin.is_cut()
    }
}
