//! The objects of an execution: who they are, who waits for them, and two words of state for their primitive.
//!
//! An object is named by the task that first touched it and its number there, never by its address. Lock-like
//! types carry an [`Identity`], so they may move; atomics have no room for one and are found by address.

use super::operation::NO_OBJECT;
use super::task_set::TaskSet;
use super::view::State;
use raddle_core::operation::{ObjectId, TaskId};
use std::sync::atomic::{AtomicU64, Ordering};

/// The type of an object, for people.
pub(crate) type ObjectKind = &'static str;

/// Who an object is in the execution that touched it last. Lives inside the object.
pub(crate) struct Identity(AtomicU64);

/// The bits of an [`Identity`] that hold the object's number; the others hold the execution's serial.
const NUMBER_BITS: u32 = 24;
const OUTSIDE: u64 = u64::MAX;

/// What an [`Identity`] says about its object in the present execution.
pub(crate) enum Known {
    /// Touched before in this execution.
    Here(ObjectId),
    /// Never touched by anyone.
    New,
    /// Touched by another execution.
    Elsewhere,
    /// Used by threads outside any execution.
    Outside,
}

impl Identity {
    pub const fn new() -> Identity {
        Identity(AtomicU64::new(0))
    }
    #[inline]
    pub fn lookup(&self, serial: u64) -> Known {
        let word = self.0.load(Ordering::Relaxed);
        if word >> NUMBER_BITS == serial {
            Known::Here(ObjectId((word & ((1 << NUMBER_BITS) - 1)) as u32))
        } else if word == 0 {
            Known::New
        } else if word == OUTSIDE {
            Known::Outside
        } else {
            Known::Elsewhere
        }
    }
    pub fn settle(&self, serial: u64, object: ObjectId) {
        assert!(
            object.0 < 1 << NUMBER_BITS,
            "raddle: more than {} objects in one execution",
            1 << NUMBER_BITS
        );
        self.0.store(serial << NUMBER_BITS | object.0 as u64, Ordering::Relaxed);
    }
    /// The object is used outside any execution.
    #[inline]
    pub fn used_outside(&self) {
        if self.0.load(Ordering::Relaxed) != OUTSIDE {
            self.0.store(OUTSIDE, Ordering::Relaxed);
        }
    }
}

impl Default for Identity {
    fn default() -> Identity {
        Identity::new()
    }
}

/// An object of the present execution.
pub(crate) struct Object {
    pub kind: ObjectKind,
    pub creator: TaskId,
    /// Its number among the objects of its kind that its creator touched first, from 1.
    pub number: u32,
    pub label: Option<Box<str>>,
    /// State that belongs to the primitive.
    pub words: [u64; 2],
    /// Tasks that its primitive keeps a list of: who waits for it, who shares it.
    pub tasks: Vec<TaskId>,
    /// Tasks whose pending operation depends on this object's state.
    pub watchers: TaskSet,
    /// Tasks whose loop waits for this object to change.
    pub spinners: Vec<TaskId>,
}

/// All objects of the present execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct Objects {
    list: Vec<Object>,
    used: usize,
}

impl Objects {
    pub fn reset(&mut self) {
        for object in &mut self.list[..self.used] {
            object.watchers.clear();
            object.spinners.clear();
            object.tasks.clear();
            object.label = None;
        }
        self.used = 0;
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
            number: 0,
            label: None,
            words: [0; 2],
            tasks: Vec::new(),
            watchers: TaskSet::default(),
            spinners: Vec::new(),
        });
    }
    /// `id` is seen in this state. Objects that nothing is known of are filled in before it.
    pub fn show(&mut self, id: ObjectId, state: State) {
        while !self.contains(id) {
            self.add("shadow", TaskId::MAIN, 0, [0; 2]);
        }
        let object = &mut self[id];
        object.words = state.words;
        object.tasks.clear();
        object.tasks.resize(state.tasks as usize, TaskId::MAIN);
    }
    /// Where it is not certain that there is such an object: panics if there is none.
    #[inline(always)]
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.list[id.index()]
    }
    pub fn contains(&self, id: ObjectId) -> bool {
        id.index() < self.used
    }
}

impl std::ops::Index<ObjectId> for Objects {
    type Output = Object;
    #[inline]
    fn index(&self, id: ObjectId) -> &Object {
        debug_assert!(id != NO_OBJECT && id.index() < self.used);
        // SAFETY: ids are only made by `add`, and the list never gets shorter.
        unsafe { self.list.get_unchecked(id.index()) }
    }
}

impl std::ops::IndexMut<ObjectId> for Objects {
    #[inline]
    fn index_mut(&mut self, id: ObjectId) -> &mut Object {
        debug_assert!(id != NO_OBJECT && id.index() < self.used);
        // SAFETY: as above.
        unsafe { self.list.get_unchecked_mut(id.index()) }
    }
}
