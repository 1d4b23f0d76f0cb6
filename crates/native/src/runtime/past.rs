//! What could have happened earlier in the present execution: a reduction asks whether an operation would have
//! been blocked before some step, and what it would have touched.
//!
//! Each step notes how its objects were before it. An operation is evaluated in a past state by the same
//! function as in the present one, on a shadow of the execution that holds nothing but its objects as they were.

use super::execution::Execution;
use super::log::Effect;
use super::operation::{Changes, NO_OBJECT, Op, Sense};
use super::task::Role;
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::world::{Birth, Past};
use std::cell::RefCell;

/// A step, and how its objects were before it.
#[derive(Clone, Copy)]
pub(crate) struct Was {
    task: TaskId,
    /// Its line in the log.
    line: u32,
    objects: [Before; 2],
}

/// How an object was before a step.
#[derive(Clone, Copy)]
struct Before {
    object: ObjectId,
    state: State,
    /// The step before this one that touched the object, plus 1.
    step: u32,
}

/// What operations depend on.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct State {
    words: [u64; 2],
    tasks: u64,
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

/// The past of the present execution.
#[derive(Default)]
pub(crate) struct History {
    steps: Vec<Was>,
    births: Vec<Birth>,
    /// The last step that touched an object, plus 1, by object.
    last: Vec<u32>,
    shadow: RefCell<Option<Box<Execution>>>,
}

impl History {
    pub fn reset(&mut self) {
        self.steps.clear();
        self.births.clear();
        self.last.clear();
    }
    pub fn births(&self) -> &[Birth] {
        &self.births
    }
    /// How many steps there were.
    pub fn len(&self) -> u32 {
        self.steps.len() as u32
    }
    /// A task is born, as the next one.
    pub fn bear(&mut self, role: Role, parent: TaskId, number: u32) {
        let number = match role {
            Role::Timer { .. } => number | Birth::PHANTOM,
            _ => number,
        };
        self.births.push(Birth { parent, number, after: self.len() });
    }
}

impl Execution {
    fn state_of(&self, object: ObjectId) -> State {
        let object = &self.objects[object];
        State { words: object.words, tasks: object.tasks.len() as u64 }
    }

    /// A step of `id` is about to happen, with this line in the log.
    #[inline(always)]
    pub(super) fn note_past(&mut self, id: TaskId, line: u32) {
        let op = &self.task(id).op;
        let (object, other) = (op.object, op.other);
        let objects = [self.before(object), self.before(other)];
        self.history.steps.push(Was { task: id, line, objects });
    }

    #[inline(always)]
    fn before(&mut self, object: ObjectId) -> Before {
        if object == NO_OBJECT {
            return Before { object, state: State::default(), step: 0 };
        }
        let state = self.state_of(object);
        let History { last, steps, .. } = &mut self.history;
        if last.len() <= object.index() {
            last.resize(object.index() + 1, 0);
        }
        let step = std::mem::replace(&mut last[object.index()], steps.len() as u32 + 1);
        Before { object, state, step }
    }

    /// How `object` was after the first `before` steps and then the steps `also`.
    fn state_then(&self, object: ObjectId, before: usize, also: &[u32]) -> State {
        let mut later = self.state_of(object);
        let mut step = self.history.last.get(object.index()).copied().unwrap_or(0) as usize;
        let mut added: Vec<(State, State)> = Vec::new();
        while step > before {
            let was = &self.history.steps[step - 1];
            let Before { state, step: earlier, .. } =
                *was.objects.iter().find(|b| b.object == object).expect("it touched it");
            if also.contains(&(step as u32 - 1)) {
                added.push((state, later));
            }
            later = state;
            step = earlier as usize;
        }
        for (from, to) in added {
            later.add(from, to);
        }
        later
    }

    /// What the pending operation of `id` would have done after the first `before` steps and then `also`.
    fn sense_then(&self, id: TaskId, before: usize, also: &[u32]) -> Sense {
        let task = self.task(id);
        let op = &task.op;
        let happened = |step: u32| (step as usize) <= before || also.contains(&(step - 1));
        let mut shadow = self.history.shadow.borrow_mut();
        let shadow = shadow.get_or_insert_with(|| Box::new(Execution::new(self.settings.clone())));
        while shadow.task_ids().len() <= id.index() {
            shadow.add_task(Role::Thread, TaskId::MAIN, 0);
        }
        for object in op.objects() {
            let State { words, tasks } = self.state_then(object, before, also);
            while !shadow.objects.contains(object) {
                shadow.objects.add("shadow", TaskId::MAIN, 0, [0; 2]);
            }
            let shadow = &mut shadow.objects[object];
            shadow.words = words;
            shadow.tasks.clear();
            shadow.tasks.resize(tasks as usize, TaskId::MAIN);
        }
        shadow.settings.time = self.settings.time;
        shadow.clock_object = self.clock_object;
        shadow.spurious_object = self.spurious_object;
        shadow.spurious_left = self.spurious_left;
        let copy = shadow.task_mut(id);
        copy.notified = task.notified && happened(task.woken);
        copy.timed_out = task.timed_out && happened(task.woken);
        op.verb.sense(shadow, op)
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

    /// What a compare-exchange would have touched, by the value that was there.
    fn exchange_then(&self, op: &Op, before: usize) -> Option<Accesses> {
        let mut step = self.history.last.get(op.object.index()).copied().unwrap_or(0) as usize;
        while step > before {
            let was = &self.history.steps[step - 1];
            step = was.objects.iter().find(|b| b.object == op.object)?.step as usize;
        }
        let line = self.history.steps[step.checked_sub(1)?].line;
        let value = match self.log.lines[line as usize].effect {
            Effect::Read(_, value) | Effect::Wrote(_, value) | Effect::Refused(_, value) => value,
            Effect::Updated(_, _, value) => value,
            _ => return None,
        };
        Some(if value == op.args[1] { Accesses::write(op.object) } else { Accesses::read(op.object) })
    }
}

impl Past for Execution {
    #[inline]
    fn can_block(&self, task: TaskId) -> bool {
        let task = self.task(task);
        let verb = task.op.verb;
        verb.changes != Changes::Never && !verb.by_value || matches!(task.role, Role::Timer { .. })
    }

    fn could_happen(&self, id: TaskId, before: usize, also: &[u32]) -> bool {
        match self.task(id).role {
            Role::Timer { .. } => self.could_fire(id, before),
            // Nobody picks those, and they wait for others.
            _ if self.task(id).op.verb.by_itself => false,
            _ => self.sense_then(id, before, also).options > 0,
        }
    }

    fn accesses_then(&self, id: TaskId, before: usize, also: &[u32]) -> Accesses {
        let (task, now) = (self.task(id), self.pending[id.index()].accesses);
        let verb = task.op.verb;
        if matches!(task.role, Role::Timer { .. }) {
            verb.sense(self, &task.op).accesses
        } else if verb.by_value {
            self.exchange_then(&task.op, before).unwrap_or(now)
        } else if verb.changes == Changes::Never || task.role != Role::Thread {
            now
        } else {
            self.sense_then(id, before, also).accesses
        }
    }
}
