//! What could have happened earlier in the present execution: a reduction asks whether an operation would have
//! been blocked before some step, and what it would have touched.
//!
//! Each step notes how its objects were before it. An operation is evaluated in a past state by the same
//! function as in the present one, on a [`View`] of its objects as they were.

use super::execution::Execution;
use super::log::Effect;
use super::object::Objects;
use super::operation::{Changes, Evaluation, NO_OBJECT, Op};
use super::task::{Role, Task};
use super::view::{Ambient, State, View};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::trace::Step;
use raddle_core::world::{Birth, BlockingEffect, Counterfactual, Pending, Variation};
use std::cell::RefCell;

/// A step, and how its objects were before it.
#[derive(Clone, Copy)]
pub(crate) struct StepSnapshot {
    task: TaskId,
    option: u32,
    /// Its line in the log.
    line: u32,
    /// What it means to operations that wait for its object.
    effect: BlockingEffect,
    objects: [Before; 2],
}

/// How an object was before a step.
#[derive(Clone, Copy)]
struct Before {
    object: ObjectId,
    state: State,
    /// What changed it before that.
    earlier: Change,
}

/// What changed an object: a step, plus 1; or with [`Change::ASIDE`] the number of a change that is no step of its
/// own; or 0.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Change(u32);

impl Change {
    const ASIDE: u32 = 1 << 31;
}

/// A change that is no step of its own, but a consequence of one that did not announce it: nobody can tell when it
/// happened.
#[derive(Clone, Copy)]
struct Aside {
    /// The step that it followed, plus 1.
    step: u32,
    before: Before,
}

impl State {
    /// Steps that leave the order of others open may count in an object, and what they add commutes.
    fn add(&mut self, from: State, to: State) {
        for word in 0..2 {
            self.words[word] = self.words[word].wrapping_add(to.words[word].wrapping_sub(from.words[word]));
        }
        self.tasks = self.tasks.wrapping_add(to.tasks.wrapping_sub(from.tasks));
    }
}

/// The operation of a step, and what it depended on besides its objects.
#[derive(Clone, Copy)]
struct TakenOperation {
    op: Op,
    step: u32,
    /// The step that woke its task, plus 1.
    woken: u32,
    notified: bool,
    timed_out: bool,
}

/// The past of the present execution.
#[derive(Default)]
pub(crate) struct History {
    steps: Vec<StepSnapshot>,
    births: Vec<Birth>,
    asides: Vec<Aside>,
    /// What changed an object last, by object.
    last: Vec<Change>,
    /// The steps that used up a spurious wake-up or failure, plus 1.
    spent: Vec<u32>,
    /// The operations of steps that depended on the state, in the order of the steps.
    taken: Vec<TakenOperation>,
    /// What atomics held when they were first touched, by object.
    first_values: Vec<u64>,
    /// While steps of the execution before are taken again, for which all this is known: how many of the steps, and of
    /// the changes that are none, have been.
    again: Option<(u32, u32)>,
    /// Objects as they were, for one evaluation.
    shadow: RefCell<Objects>,
}

impl History {
    pub fn reset(&mut self) {
        self.steps.clear();
        self.births.clear();
        self.asides.clear();
        self.last.clear();
        self.spent.clear();
        self.taken.clear();
        self.again = None;
    }
    pub fn births(&self) -> &[Birth] {
        &self.births
    }
    /// Step `step`, plus 1, used up a spurious wake-up or failure.
    pub fn spend(&mut self, step: u32) {
        self.spent.push(step);
    }
    /// How many steps there were.
    pub fn len(&self) -> u32 {
        self.again.map_or(self.steps.len() as u32, |(steps, _)| steps)
    }
    /// Whether the first steps were these.
    pub fn begins_with(&self, steps: &[Step]) -> bool {
        let same = |(was, step): (&StepSnapshot, &Step)| was.task == step.task && was.option == step.option;
        steps.len() < self.steps.len() && self.spent.is_empty() && self.steps.iter().zip(steps).all(same)
    }
    /// The first `steps` are taken again.
    pub fn begin_again(&mut self, steps: usize) {
        let later = self.asides.iter().rev().take_while(|aside| aside.step as usize > steps).count();
        self.undo(steps, self.asides.len() - later);
        let born = self.births.iter().rposition(|birth| birth.after as usize <= steps);
        self.births.truncate(born.map_or(0, |last| last + 1));
        self.again = Some((0, 0));
    }
    /// One of them is.
    #[inline]
    fn walk(&mut self) {
        if let Some((steps, _)) = &mut self.again {
            *steps += 1;
        }
    }
    /// No more of them are: what has not come again is forgotten. There are so many tasks now.
    pub fn go_on(&mut self, tasks: usize) {
        if let Some((steps, asides)) = self.again.take() {
            self.undo(steps as usize, asides as usize);
            self.births.truncate(tasks);
        }
    }
    /// Only the first `steps` and `asides` are left.
    fn undo(&mut self, steps: usize, asides: usize) {
        while self.taken.pop_if(|taken| taken.step as usize >= steps).is_some() {}
        let History { steps: all, asides: beside, last, .. } = self;
        let mut take_back = |before: &Before| {
            if before.object != NO_OBJECT {
                last[before.object.index()] = before.earlier;
            }
        };
        while all.len() > steps || beside.len() > asides {
            let is_step = beside.last().is_none_or(|aside| (aside.step as usize) < all.len());
            if is_step && let Some(was) = all.pop() {
                // The second may be the same object again.
                was.objects.iter().rev().for_each(&mut take_back);
            } else if let Some(aside) = beside.pop() {
                take_back(&aside.before);
            }
        }
    }
    /// A task is born, as the next one. There were so many before.
    pub fn bear(&mut self, tasks: usize, role: Role, parent: TaskId, number: u32) {
        if self.again.is_some() && tasks < self.births.len() {
            return;
        }
        let number = match role {
            Role::Timer { .. } => number | Birth::PHANTOM,
            _ => number,
        };
        self.births.push(Birth { parent, number, after: self.len() });
    }
}

/// Whether step `step`, plus 1, is one of the first `before` or of `also`.
fn happened(step: u32, before: usize, also: &[u32]) -> bool {
    step as usize <= before || also.contains(&(step - 1))
}

impl Execution {
    /// A step of `id` is about to happen, with this line in the log.
    #[inline(always)]
    pub(super) fn note_history(&mut self, id: TaskId, line: u32) {
        let Task { op, notified, timed_out, woken, .. } = self.task(id);
        let (object, other, effect) = (op.object, op.other, op.kind.effect);
        if op.kind.changes != Changes::Never {
            // In other states it would be another one.
            let (op, notified, timed_out, woken) = (*op, *notified, *timed_out, *woken);
            let step = self.history.steps.len() as u32;
            self.history.taken.push(TakenOperation { op, woken, step, notified, timed_out });
        }
        let objects = [self.before(object), self.before(other)];
        self.history.steps.push(StepSnapshot { task: id, option: self.option, line, effect, objects });
    }

    /// `object` is an atomic, which holds this where it is first touched.
    pub fn note_first_value(&mut self, object: ObjectId, value: u64) {
        let first = &mut self.history.first_values;
        if first.len() <= object.index() {
            first.resize(object.index() + 1, 0);
        }
        first[object.index()] = value;
    }

    /// A step of `id` is about to happen again, with this line in the log.
    #[inline]
    pub(super) fn note_again(&mut self, id: TaskId, line: u32) {
        #[cfg(debug_assertions)]
        self.check_history(id, line);
        let _ = (id, line);
        self.history.walk();
    }

    /// What is known of the step is still true.
    #[cfg(debug_assertions)]
    fn check_history(&self, id: TaskId, line: u32) {
        let was = &self.history.steps[self.history.len() as usize];
        assert_eq!((was.task, was.option, was.line), (id, self.option, line), "raddle: another step");
        let op = &self.task(id).op;
        for (before, object) in was.objects.iter().zip([op.object, op.other]) {
            assert_eq!(before.object, object, "raddle: another object");
            assert!(object == NO_OBJECT || before.state == self.state_of(object), "raddle: another state");
        }
    }

    #[inline(always)]
    fn before(&mut self, object: ObjectId) -> Before {
        let step = Change(self.history.steps.len() as u32 + 1);
        self.changed_by(object, step)
    }

    #[inline(always)]
    fn changed_by(&mut self, object: ObjectId, change: Change) -> Before {
        if object == NO_OBJECT {
            return Before { object, state: State::default(), earlier: Change(0) };
        }
        let state = self.state_of(object);
        let last = &mut self.history.last;
        if last.len() <= object.index() {
            last.resize(object.index() + 1, Change(0));
        }
        let earlier = std::mem::replace(&mut last[object.index()], change);
        Before { object, state, earlier }
    }

    /// The running task is about to change `object` in a way that is no step of its own.
    pub fn note_aside(&mut self, object: ObjectId) {
        if self.keeps_history {
            let number = self.history.asides.len() as u32;
            let before = self.changed_by(object, Change(number | Change::ASIDE));
            self.history.asides.push(Aside { step: self.history.len(), before });
        } else if let Some((_, asides)) = &mut self.history.again {
            *asides += 1;
        }
    }

    /// What changed `object`, the latest first: a step, plus 1, and how the object was before it.
    fn changes(&self, object: ObjectId) -> impl Iterator<Item = (u32, State)> {
        let History { last, steps, asides, .. } = &self.history;
        let mut next = last.get(object.index()).copied().unwrap_or_default();
        std::iter::from_fn(move || {
            let (step, before) = match next.0 {
                0 => return None,
                aside if aside & Change::ASIDE != 0 => {
                    let Aside { step, before } = asides[(aside & !Change::ASIDE) as usize];
                    (step, before)
                }
                step => {
                    let was = &steps[step as usize - 1];
                    (step, *was.objects.iter().find(|b| b.object == object).expect("it touched it"))
                }
            };
            next = before.earlier;
            Some((step, before.state))
        })
    }

    /// How `object` was after the first `before` steps and then the steps `also`.
    fn state_then(&self, object: ObjectId, before: usize, also: &[u32]) -> State {
        let mut later = self.state_of(object);
        let mut added: Vec<(State, State)> = Vec::new();
        for (step, state) in self.changes(object).take_while(|(step, _)| *step as usize > before) {
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

    /// The operation that `id` takes next after the first `before` steps and then `also`.
    fn operation_then(&self, id: TaskId, before: usize, also: &[u32]) -> TakenOperation {
        let History { steps, taken, .. } = &self.history;
        let is_left_out =
            |(at, was): &(usize, &StepSnapshot)| was.task == id && !also.contains(&(*at as u32));
        let task = self.task(id);
        let moved = steps.get(before).is_some_and(|was| task.last_line > was.line);
        let step = match moved {
            true => steps.iter().enumerate().skip(before).find(is_left_out).map(|(at, _)| at as u32),
            false => None,
        };
        let Task { op, notified, timed_out, woken, .. } = task;
        let now = || TakenOperation {
            step: u32::MAX,
            op: *op,
            notified: *notified,
            timed_out: *timed_out,
            woken: *woken,
        };
        let of = |step: u32| taken.binary_search_by_key(&step, |taken| taken.step).ok().map(|at| taken[at]);
        step.and_then(of).unwrap_or_else(now)
    }

    /// What the pending operation of `id` would have done after the first `before` steps and then `also`.
    fn sense_then(&self, id: TaskId, before: usize, also: &[u32]) -> Evaluation {
        self.evaluation_then(&self.operation_then(id, before, also), before, also)
    }

    fn evaluation_then(&self, taken: &TakenOperation, before: usize, also: &[u32]) -> Evaluation {
        self.watch.looked_back();
        let mut shadow = self.history.shadow.borrow_mut();
        for object in taken.op.objects() {
            shadow.show(object, self.state_then(object, before, also));
        }
        let value = taken.op.kind.by_value.then(|| self.value_then(taken.op.object, before, also));
        self.sense_in_shadow(&shadow, taken, before, also, value)
    }

    /// The same, with these objects and this value of an atomic.
    fn sense_in_shadow(
        &self,
        objects: &Objects,
        taken: &TakenOperation,
        before: usize,
        also: &[u32],
        value: Option<u64>,
    ) -> Evaluation {
        let op = &taken.op;
        let woken = happened(taken.woken, before, also);
        let (notified, timed_out) = (taken.notified && woken, taken.timed_out && woken);
        let ambient = Ambient { spurious_left: self.spurious_then(before, also), ..self.ambient };
        op.kind.sense_in(&View { objects, op, ambient: &ambient, notified, timed_out, value })
    }

    /// The value of an atomic after the first `before` steps and then `also`: what the last of them that shows it left, or
    /// else what the first of the others found, or else the first value there was.
    fn value_then(&self, object: ObjectId, before: usize, also: &[u32]) -> u64 {
        let effect = |step: u32| self.log.lines[self.history.steps[step as usize - 1].line as usize].effect;
        let mut found = None;
        for step in self.changes(object).map(|(step, _)| step) {
            let (old, new) = match effect(step) {
                Effect::Read(_, value) | Effect::Refused(_, value) => (Some(value), Some(value)),
                Effect::Updated(_, old, new) => (Some(old), Some(new)),
                Effect::Wrote(_, new) => (None, Some(new)),
                // It failed for no reason, and saw nothing.
                _ => continue,
            };
            if happened(step, before, also) {
                return new.expect("it left a value");
            }
            found = old;
        }
        found.unwrap_or_else(|| self.history.first_values.get(object.index()).copied().unwrap_or(0))
    }

    /// How many spurious wake-ups and failures were left after the first `before` steps and then `also`.
    fn spurious_then(&self, before: usize, also: &[u32]) -> u32 {
        let spent = self.history.spent.iter().filter(|step| happened(**step, before, also));
        self.settings.spurious - spent.count() as u32
    }

    /// Whether timer `id` could have fired in the place of step `before`.
    fn could_fire(&self, id: TaskId, before: usize) -> bool {
        let (was, timer) = (&self.history.steps[before], self.task(id));
        let fired = self.task(was.task);
        let is_timer = matches!(fired.role, Role::Timer { .. });
        match self.settings.time {
            Time::Idle => is_timer && fired.deadline == timer.deadline,
            Time::Any => self.task_ids().all(|other| {
                let (born, other) = (self.history.births[other.index()].after as usize, self.task(other));
                let is_armed = matches!(other.role, Role::Timer { .. })
                    && born <= before
                    && other.disarmed as usize > before;
                !is_armed || other.deadline >= timer.deadline
            }),
        }
    }
}

impl Counterfactual for Execution {
    fn pending_then(&self, id: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let task = self.task(id);
        if matches!(task.role, Role::Timer { .. }) {
            let can_fire = prefix < self.history.steps.len() && self.could_fire(id, prefix);
            let accesses = task.op.kind.evaluation(self, &task.op).accesses;
            return Pending { accesses, options: can_fire as u32, ..Pending::NOTHING };
        }
        let taken = self.operation_then(id, prefix, also);
        let is_present = taken.step == u32::MAX;
        let accesses = self.pending[id.index()].accesses;
        if is_present && (taken.op.kind.by_itself || id == TaskId::MAIN && self.main_waits) {
            // It waits for others and is never picked.
            return Pending { accesses, ..Pending::NOTHING };
        }
        if is_present && (taken.op.kind.changes == Changes::Never || task.role != Role::Thread) {
            return Pending { accesses, options: 1, ..Pending::NOTHING };
        }
        let Evaluation { accesses, options } = self.evaluation_then(&taken, prefix, also);
        Pending { accesses, options, ..Pending::NOTHING }
    }

    #[inline]
    fn variation(&self, task: TaskId) -> Variation {
        let is_main = task == TaskId::MAIN;
        let task = self.task(task);
        let kind = task.op.kind;
        if matches!(task.role, Role::Timer { .. }) || is_main && self.main_waits {
            return Variation::Enabledness;
        }
        match kind.changes {
            Changes::Never => Variation::Steady,
            _ if kind.same_accesses => Variation::Enabledness,
            _ if self.settings.spurious > 0 || self.settings.time == Time::Any => Variation::State,
            _ => Variation::Local,
        }
    }

    #[inline]
    fn blocks(&self, step: usize, _task: TaskId) -> bool {
        self.history.steps[step].effect == BlockingEffect::Acquires
    }

    #[inline]
    fn can_block(&self, task: TaskId) -> bool {
        let is_main = task == TaskId::MAIN;
        let task = self.task(task);
        let kind = task.op.kind;
        kind.changes != Changes::Never && !kind.by_value
            || matches!(task.role, Role::Timer { .. })
            || is_main && self.main_waits
    }

    #[inline]
    fn has_blockers_that_commute(&self, task: TaskId) -> bool {
        self.task(task).op.kind.blocked_by_several
    }

    #[inline]
    fn is_numbered(&self, task: TaskId) -> bool {
        self.task(task).op.kind.numbered
    }

    fn blocking_effect(&self, step: usize, _task: TaskId) -> BlockingEffect {
        self.history.steps[step].effect
    }

    fn could_happen(&self, id: TaskId, before: usize, also: &[u32]) -> bool {
        match self.task(id).role {
            Role::Timer { .. } => self.could_fire(id, before),
            // Nobody picks those, and they wait for others.
            _ if self.task(id).op.kind.by_itself => false,
            _ if id == TaskId::MAIN && self.main_waits => false,
            _ => self.sense_then(id, before, also).options > 0,
        }
    }

    fn accesses_then(&self, id: TaskId, before: usize, also: &[u32]) -> Accesses {
        let (task, now) = (self.task(id), self.pending[id.index()].accesses);
        let kind = task.op.kind;
        if matches!(task.role, Role::Timer { .. }) {
            kind.evaluation(self, &task.op).accesses
        } else if kind.by_value {
            self.sense_then(id, before, also).accesses
        } else if kind.changes == Changes::Never || task.role != Role::Thread {
            now
        } else {
            self.sense_then(id, before, also).accesses
        }
    }
}
