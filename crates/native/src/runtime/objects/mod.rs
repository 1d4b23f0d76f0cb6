//! The objects of an execution: their names, their whole state, and the tasks that wait for them.
//!
//! Invariant: all that the evaluation of an operation looks at is a [`ObjectState`] of an object or one of the [`Ambient`]
//! facts, both of which are copied with a few words; a reduction asks about copies. An object is named by the task that
//! first touched it and its number there, never by its address.

mod identity;
pub(crate) mod view;
pub(crate) mod wake;

use super::operation::NO_OBJECT;
use super::scheduler::task_set::TaskSet;
use crate::settings::Drops;
pub(crate) use identity::{Identity, Known};
use raddle_core::clock::Time;
use raddle_core::operation::{ObjectId, TaskId};

/// The type of an object, for people.
pub(crate) type ObjectKind = &'static str;

/// The state of an object that operations depend on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ObjectState {
    pub words: [u64; 2],
    /// How many tasks there are in its queue.
    pub tasks: u64,
}

/// The facts of an execution that belong to no object.
#[derive(Clone, Copy, Debug)]
struct Ambient {
    time: Time,
    /// The object that readings of the clock read.
    clock_object: ObjectId,
    /// The object that an operation writes that may happen spuriously, if there are any.
    spurious_object: ObjectId,
    /// How many spurious wake-ups and failures are left.
    spurious_left: u32,
    /// Which drops of references conflict.
    drops: Drops,
    /// What is left is unwound: no sleep takes time any more.
    is_teardown: bool,
}

impl Default for Ambient {
    fn default() -> Ambient {
        let (clock_object, spurious_object) = (NO_OBJECT, NO_OBJECT);
        let (time, drops) = (Time::Idle, Drops::Commute);
        Ambient { time, clock_object, spurious_object, spurious_left: 0, drops, is_teardown: false }
    }
}

/// How an atomic has been accessed so far.
#[derive(Clone, Copy, Default)]
struct AtomicAccesses {
    /// By another task than the first one.
    are_shared: bool,
    /// With an ordering weaker than `SeqCst`.
    are_weaker: bool,
}

/// An object of the present execution.
struct Object {
    kind: ObjectKind,
    creator: TaskId,
    /// How it has been accessed, if it is an atomic.
    accesses: AtomicAccesses,
    /// Its number among the objects of its kind that its creator touched first, from 1.
    number: u32,
    label: Option<Box<str>>,
    /// ObjectState that belongs to the primitive.
    words: [u64; 2],
    /// Tasks that its primitive keeps in a list: those that wait for it, or that share it.
    queue: Vec<TaskId>,
    /// Tasks whose pending operation depends on this object's state.
    watchers: TaskSet,
    /// Tasks whose loop waits for this object to change.
    spinners: Vec<TaskId>,
}

impl Object {
    fn name(&self, owner: impl Fn() -> String) -> String {
        let name = match (self.number, &self.label, self.creator) {
            // An atomic step has only the name that the program gave it.
            (0, Some(label), _) => return format!("\"{label}\""),
            // The end or the token of a task.
            (0, None, _) => return owner(),
            (number, _, TaskId::MAIN) => format!("{}#{number}", self.kind),
            (number, ..) => format!("{}/{}#{number}", owner(), self.kind),
        };
        match &self.label {
            Some(label) => format!("{name} \"{label}\""),
            None => name,
        }
    }
}

/// All objects of the present execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct Objects {
    list: Vec<Object>,
    used: usize,
    ambient: Ambient,
    /// The objects of the atomic steps, by name.
    atomic_steps: Vec<(&'static str, ObjectId)>,
    /// The objects of the execution before this one, for what is told of it.
    last: Vec<Object>,
    last_used: usize,
}

impl Objects {
    /// There are no objects. Timers fire by this policy, and so many operations may happen spuriously.
    pub fn reset(&mut self, time: Time, spurious: u32) {
        std::mem::swap(&mut self.list, &mut self.last);
        let used = std::mem::replace(&mut self.last_used, self.used);
        for object in &mut self.list[..used] {
            object.watchers.clear();
            object.spinners.clear();
            object.queue.clear();
            object.label = None;
        }
        self.used = 0;
        self.atomic_steps.clear();
        self.ambient = Ambient { time, spurious_left: spurious, ..Ambient::default() };
        if spurious > 0 {
            self.ambient.spurious_object = self.add("spurious", TaskId::MAIN, 0, [0; 2]);
        }
    }
    // Inlined: `words` are hardly ever more than constants.
    #[inline]
    pub fn add(&mut self, kind: ObjectKind, creator: TaskId, number: u32, words: [u64; 2]) -> ObjectId {
        let id = ObjectId(self.used as u32);
        if self.used == self.list.len() {
            self.make_room();
        }
        let object = &mut self.list[self.used];
        object.kind = kind;
        object.creator = creator;
        object.accesses = AtomicAccesses::default();
        object.number = number;
        object.words = words;
        self.used += 1;
        id
    }
    #[cold]
    fn make_room(&mut self) {
        self.list.push(Object {
            kind: "",
            creator: TaskId::MAIN,
            accesses: AtomicAccesses::default(),
            number: 0,
            label: None,
            words: [0; 2],
            queue: Vec::new(),
            watchers: TaskSet::default(),
            spinners: Vec::new(),
        });
    }
    pub fn contains(&self, id: ObjectId) -> bool {
        id.index() < self.used
    }
    #[inline(always)]
    fn get(&self, id: ObjectId) -> &Object {
        debug_assert!(id != NO_OBJECT && id.index() < self.used);
        // SAFETY: ids are only made by `add`, and the list never gets shorter.
        unsafe { self.list.get_unchecked(id.index()) }
    }
    #[inline(always)]
    fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        debug_assert!(id != NO_OBJECT && id.index() < self.used);
        // SAFETY: as above.
        unsafe { self.list.get_unchecked_mut(id.index()) }
    }

    /// `task` accesses an atomic with an ordering that is weaker than `SeqCst`, or is not. Says whether one was, and several
    /// tasks access it.
    #[inline(always)]
    pub fn note_ordering(&mut self, id: ObjectId, task: TaskId, is_weaker: bool) -> bool {
        let object = self.get_mut(id);
        object.accesses.are_shared |= object.creator != task;
        object.accesses.are_weaker |= is_weaker;
        object.accesses.are_shared & object.accesses.are_weaker
    }
    /// What operations on an object depend on.
    #[inline(always)]
    pub fn state(&self, id: ObjectId) -> ObjectState {
        let object = self.get(id);
        ObjectState { words: object.words, tasks: object.queue.len() as u64 }
    }
    /// The same where it is not certain that there is such an object: panics if there is none.
    #[inline(always)]
    fn state_checked(&self, id: ObjectId) -> ObjectState {
        let object = &self.list[id.index()];
        ObjectState { words: object.words, tasks: object.queue.len() as u64 }
    }
    #[inline(always)]
    pub fn words(&self, id: ObjectId) -> [u64; 2] {
        self.get(id).words
    }
    #[inline(always)]
    pub fn words_mut(&mut self, id: ObjectId) -> &mut [u64; 2] {
        &mut self.get_mut(id).words
    }
    /// The tasks that its primitive keeps in a list.
    #[inline(always)]
    pub fn queue(&self, id: ObjectId) -> &[TaskId] {
        &self.get(id).queue
    }
    #[inline(always)]
    pub fn queue_mut(&mut self, id: ObjectId) -> &mut Vec<TaskId> {
        &mut self.get_mut(id).queue
    }
    pub fn remove_from_queue(&mut self, id: ObjectId, task: TaskId) {
        self.queue_mut(id).retain(|waiting| *waiting != task);
    }

    /// The pending operation of `task` is evaluated again when this object changes.
    #[inline(always)]
    pub fn watch(&mut self, id: ObjectId, task: TaskId) {
        self.get_mut(id).watchers.insert(task);
    }
    #[inline(always)]
    pub fn unwatch(&mut self, id: ObjectId, task: TaskId) {
        self.get_mut(id).watchers.remove(task);
    }
    #[inline(always)]
    pub fn watchers(&self, id: ObjectId) -> &TaskSet {
        &self.get(id).watchers
    }
    /// A loop of `task` waits for this object to change.
    pub fn add_spinner(&mut self, id: ObjectId, task: TaskId) {
        self.get_mut(id).spinners.push(task);
    }
    pub fn remove_spinner(&mut self, id: ObjectId, task: TaskId) {
        self.get_mut(id).spinners.retain(|waiting| *waiting != task);
    }
    #[inline(always)]
    pub fn spinners(&self, id: ObjectId) -> &[TaskId] {
        &self.get(id).spinners
    }
    /// Whether a change of this object has consequences for tasks that wait.
    #[inline(always)]
    pub fn is_awaited(&self, id: ObjectId) -> bool {
        let object = self.get(id);
        !object.watchers.is_empty() || !object.spinners.is_empty()
    }

    pub fn kind(&self, id: ObjectId) -> ObjectKind {
        self.get(id).kind
    }
    /// Names an object for reports. Returns the name that it had.
    pub fn set_label(&mut self, id: ObjectId, label: Box<str>) -> Option<Box<str>> {
        self.get_mut(id).label.replace(label)
    }
    /// `Mutex#2 "accounts"`, or `main.1/Mutex#2` if another task than main touched it first; `name` names tasks.
    pub fn name(&self, id: ObjectId, name: impl Fn(TaskId) -> String) -> String {
        let object = self.get(id);
        object.name(|| name(object.creator))
    }
    /// The same for an object of the execution before this one.
    pub fn name_before(&self, id: ObjectId, name: impl Fn(TaskId) -> String) -> String {
        let object = &self.last[..self.last_used][id.index()];
        object.name(|| name(object.creator))
    }

    /// The object that all atomic steps of this name write.
    pub fn atomic_step(&mut self, name: &'static str) -> ObjectId {
        if let Some((_, object)) = self.atomic_steps.iter().find(|(n, _)| *n == name) {
            return *object;
        }
        let object = self.add("step", TaskId::MAIN, 0, [0; 2]);
        self.get_mut(object).label = Some(name.into());
        self.atomic_steps.push((name, object));
        object
    }
    /// The object that readings of the clock read and timers that fire write. There is one, whichever task is the first
    /// to need it.
    pub fn clock(&mut self) -> ObjectId {
        if self.ambient.clock_object == NO_OBJECT {
            self.ambient.clock_object = self.add("Clock", TaskId::MAIN, 1, [0; 2]);
        }
        self.ambient.clock_object
    }
    /// The object that readings of the clock read, if there is one.
    pub fn known_clock(&self) -> Option<ObjectId> {
        Some(self.ambient.clock_object).filter(|object| *object != NO_OBJECT)
    }
    /// The object that an operation writes that may happen spuriously; [`NO_OBJECT`] if there are none.
    #[inline]
    pub fn spurious_left(&self) -> u32 {
        self.ambient.spurious_left
    }
    /// The object that an operation writes that may happen spuriously; none if there are none.
    pub fn spurious(&self) -> ObjectId {
        self.ambient.spurious_object
    }
    /// An operation happens spuriously. Says how many others may.
    pub fn spend_spurious(&mut self) -> u32 {
        self.ambient.spurious_left -= 1;
        self.ambient.spurious_left
    }
    /// Which drops of references conflict in this execution.
    pub fn set_drops(&mut self, drops: Drops) {
        self.ambient.drops = drops;
    }
    /// The execution is put away: no sleep takes time any more.
    pub fn begin_teardown(&mut self) {
        self.ambient.is_teardown = true;
    }

    /// Shows the facts of `present` with another number of spurious wake-ups and failures. For a copy.
    pub fn show_ambient(&mut self, present: &Objects, spurious_left: u32) {
        self.ambient = Ambient { spurious_left, ..present.ambient };
    }
    /// Shows `id` in this state. Objects that nothing is known of are filled in before it. For a copy.
    pub fn show(&mut self, id: ObjectId, state: ObjectState) {
        while !self.contains(id) {
            self.add("shadow", TaskId::MAIN, 0, [0; 2]);
        }
        let object = self.get_mut(id);
        object.words = state.words;
        object.queue.clear();
        object.queue.resize(state.tasks as usize, TaskId::MAIN);
    }
}
