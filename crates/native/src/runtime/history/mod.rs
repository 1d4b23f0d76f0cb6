//! What reductions ask of the present execution: how each step found the objects that it touched.
//!
//! Invariant: for every object the steps that changed it form a chain, each with a copy of the state before it, so that
//! the state after any prefix can be put together. Changes that are no steps of their own are kept beside the steps.

mod counterfactual;

use crate::runtime::objects::{ObjectState, Objects};
use crate::runtime::operation::{Changes, NO_OBJECT, Op};
use crate::runtime::scheduler::SpinThen;
use crate::runtime::state::State;
use crate::runtime::tasks::task::Role;
use raddle_core::operation::{ObjectId, TaskId};
use raddle_core::trace::Step;
use raddle_core::world::Birth;
use std::cell::RefCell;

/// A step, and how its objects were before it.
#[derive(Clone, Copy)]
struct StepSnapshot {
    task: TaskId,
    option: u32,
    /// Its line in the log.
    line: u32,
    /// See [`acquires`](crate::runtime::operation::OperationKind::acquires).
    acquires: bool,
    objects: [Before; 2],
}

/// How an object was before a step.
#[derive(Clone, Copy)]
struct Before {
    object: ObjectId,
    state: ObjectState,
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

/// A change that is no step of its own, but a consequence of one that did not announce it: it cannot be told when it
/// happened.
#[derive(Clone, Copy)]
struct Aside {
    /// The step that it followed, plus 1.
    step: u32,
    before: Before,
}

/// The history of the present execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct History {
    steps: Vec<StepSnapshot>,
    births: Vec<Birth>,
    asides: Vec<Aside>,
    /// What changed an object last, by object.
    last: Vec<Change>,
    /// The steps that used up a spurious wake-up or failure, plus 1.
    spent: Vec<u32>,
    /// The operations of steps that depended on the state, each with its step, in the order of the steps.
    taken: Vec<(u32, Op)>,
    /// The steps with which cut loops went on, in their order.
    spins: Vec<(u32, SpinThen)>,
    /// What atomics held when they were first touched, by object.
    first_values: Vec<u64>,
    /// While steps of the execution before are taken again, for which all this is known: how many of the steps, and of
    /// the changes that are none, have been.
    again: Option<(u32, u32)>,
    /// A state as it was, for one evaluation.
    shadow: RefCell<State>,
}

impl History {
    pub fn reset(&mut self) {
        self.steps.clear();
        self.births.clear();
        self.asides.clear();
        self.last.clear();
        self.spent.clear();
        self.taken.clear();
        self.spins.clear();
        self.again = None;
    }
    pub fn births(&self) -> &[Birth] {
        &self.births
    }
    /// The step that is being taken uses up a spurious wake-up or failure.
    pub fn spend(&mut self) {
        self.spent.push(self.len());
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
    /// No more of them are: what has not come again is forgotten. There are so many tasks now.
    pub fn go_on(&mut self, tasks: usize) {
        if let Some((steps, asides)) = self.again.take() {
            self.undo(steps as usize, asides as usize);
            self.births.truncate(tasks);
        }
    }
    /// Only the first `steps` and `asides` are left.
    fn undo(&mut self, steps: usize, asides: usize) {
        while self.taken.pop_if(|(step, _)| *step as usize >= steps).is_some() {}
        while self.spins.pop_if(|(step, _)| *step as usize >= steps).is_some() {}
        let History { steps: all, asides: beside, last, .. } = self;
        let mut take_back = |before: &Before| {
            if before.object != NO_OBJECT {
                last[before.object.index()] = before.earlier;
            }
        };
        let mut end = all.len();
        loop {
            let aside = beside[asides.min(beside.len())..].last().copied();
            let from = aside.map_or(steps, |aside| steps.max(aside.step as usize)).min(end);
            for was in all[from..end].iter().rev() {
                // The second may be the same object again.
                take_back(&was.objects[1]);
                take_back(&was.objects[0]);
            }
            end = from;
            let Some(aside) = aside else { break };
            take_back(&aside.before);
            beside.pop();
        }
        all.truncate(end);
    }
    /// A task is born, as the next one. There were so many before.
    #[inline]
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

    /// A step of `op` is about to happen, with this option and this line in the log.
    #[inline(always)]
    pub fn note(&mut self, op: &Op, option: u32, line: u32, objects: &Objects) {
        let step = Change(self.steps.len() as u32 + 1);
        let before = [self.changed_by(op.object, step, objects), self.changed_by(op.other, step, objects)];
        if op.kind.changes != Changes::Never {
            // In other states it would be another one.
            self.taken.push((self.steps.len() as u32, *op));
        }
        let acquires = op.kind.acquires;
        self.steps.push(StepSnapshot { task: op.task, option, line, acquires, objects: before });
    }

    /// The step that is being taken is `op`, with which a cut loop goes on.
    pub fn note_spin(&mut self, op: Op, spin: SpinThen) {
        let step = self.len() - 1;
        if self.taken.last().is_none_or(|(last, _)| *last != step) {
            self.taken.push((step, op));
        }
        self.spins.push((step, spin));
    }

    /// The loop that went on with step `step`, if one did.
    fn spin(&self, step: u32) -> Option<&SpinThen> {
        self.spins.binary_search_by_key(&step, |(step, _)| *step).ok().map(|at| &self.spins[at].1)
    }

    /// `object` is an atomic, which holds this where it is first touched.
    pub fn note_first_value(&mut self, object: ObjectId, value: u64) {
        if self.first_values.len() <= object.index() {
            self.first_values.resize(object.index() + 1, 0);
        }
        self.first_values[object.index()] = value;
    }

    /// The operation of step `step`, if it depended on the state.
    fn taken(&self, step: u32) -> Option<Op> {
        self.taken.binary_search_by_key(&step, |(step, _)| *step).ok().map(|at| self.taken[at].1)
    }

    /// A step that is known is about to happen again.
    #[inline]
    pub fn note_again(&mut self, op: &Op, option: u32, line: u32, objects: &Objects) {
        #[cfg(debug_assertions)]
        self.check(op, option, line, objects);
        let _ = (op, option, line, objects);
        if let Some((steps, _)) = &mut self.again {
            *steps += 1;
        }
    }

    /// What is known of the step is still true.
    #[cfg(debug_assertions)]
    fn check(&self, op: &Op, option: u32, line: u32, objects: &Objects) {
        let was = &self.steps[self.len() as usize];
        assert_eq!((was.task, was.option, was.line), (op.task, option, line), "raddle: another step");
        for (before, object) in was.objects.iter().zip([op.object, op.other]) {
            assert_eq!(before.object, object, "raddle: another object");
            assert!(object == NO_OBJECT || before.state == objects.state(object), "raddle: another state");
        }
    }

    #[inline(always)]
    fn changed_by(&mut self, object: ObjectId, change: Change, objects: &Objects) -> Before {
        if object == NO_OBJECT {
            return Before { object, state: ObjectState::default(), earlier: Change(0) };
        }
        let state = objects.state(object);
        if self.last.len() <= object.index() {
            self.last.resize(object.index() + 1, Change(0));
        }
        let earlier = std::mem::replace(&mut self.last[object.index()], change);
        Before { object, state, earlier }
    }

    /// The running task is about to change `object` in a way that is no step of its own.
    pub fn note_aside(&mut self, object: ObjectId, objects: &Objects) {
        let number = self.asides.len() as u32;
        let before = self.changed_by(object, Change(number | Change::ASIDE), objects);
        self.asides.push(Aside { step: self.len(), before });
    }

    /// The same, while steps are taken again.
    pub fn note_aside_again(&mut self) {
        if let Some((_, asides)) = &mut self.again {
            *asides += 1;
        }
    }

    /// What changed `object`, the latest first: a step, plus 1, and how the object was before it.
    fn changes(&self, object: ObjectId) -> impl Iterator<Item = (u32, ObjectState)> {
        let History { last, steps, asides, .. } = self;
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

    /// How many operations have happened spuriously of the first `before` steps and the steps `also`.
    fn spent_then(&self, before: usize, also: &[u32]) -> u32 {
        self.spent.iter().filter(|step| happened(**step, before, also)).count() as u32
    }
}

/// Whether step `step`, plus 1, is one of the first `before` or of `also`.
fn happened(step: u32, before: usize, also: &[u32]) -> bool {
    step as usize <= before || also.contains(&(step - 1))
}
