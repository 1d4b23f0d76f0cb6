//! The events of a graph: what a task asks of memory, and what happened then.

use crate::operation::TaskId;
use std::sync::atomic::Ordering;

/// An event: its index in the order in which events were added; or the initial store of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EventId(u32);

impl EventId {
    const INITIAL: u32 = 1 << 31;
    /// The initial store of `place`.
    #[inline]
    pub fn initial(place: Place) -> EventId {
        EventId(EventId::INITIAL | place.0)
    }
    /// Event number `index`.
    #[inline]
    pub fn at(index: usize) -> EventId {
        EventId(index as u32)
    }
    /// Its index among the events, unless it is an initial store.
    #[inline]
    pub fn index(self) -> Option<usize> {
        (self.0 & EventId::INITIAL == 0).then_some(self.0 as usize)
    }
}

/// A place in memory that is accessed atomically, numbered in the order of [`Graph::add_place`](super::Graph::add_place).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place(pub u32);

impl Place {
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a task asks of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// A load. Its options are the stores that it may read.
    Load {
        /// Where.
        place: Place,
        /// Its ordering.
        order: Ordering,
    },
    /// A store. Its options are the stores right after which it may stand in modification order.
    Store {
        /// Where.
        place: Place,
        /// Its ordering.
        order: Ordering,
        /// What is stored.
        bits: u64,
    },
    /// A read-modify-write that always writes. Its options are the stores that it may read.
    Update {
        /// Where.
        place: Place,
        /// Its ordering.
        order: Ordering,
    },
    /// A compare-exchange: an update with the first ordering if it reads what it expects, otherwise a load with the second.
    CompareExchange {
        /// Where.
        place: Place,
        /// What it expects.
        expected: u64,
        /// What it stores then.
        new: u64,
        /// The ordering of a success.
        success: Ordering,
        /// The ordering of a failure.
        failure: Ordering,
    },
    /// A fence. It has one option.
    Fence(Ordering),
}

impl Request {
    /// Where it accesses memory.
    #[inline]
    pub fn place(&self) -> Option<Place> {
        match self {
            Request::Load { place, .. }
            | Request::Store { place, .. }
            | Request::Update { place, .. }
            | Request::CompareExchange { place, .. } => Some(*place),
            Request::Fence(_) => None,
        }
    }
    /// Whether it is an update if it reads these bits.
    #[inline]
    pub fn updates(&self, read: u64) -> bool {
        self.label(read).0 == Label::Update
    }
    /// What kind of event it becomes if it reads these bits.
    #[inline]
    pub(super) fn label(&self, read: u64) -> (Label, Ordering) {
        match *self {
            Request::Load { order, .. } => (Label::Load, order),
            Request::Store { order, .. } => (Label::Store, order),
            Request::Update { order, .. } => (Label::Update, order),
            Request::CompareExchange { expected, success, failure, .. } => match read == expected {
                true => (Label::Update, success),
                false => (Label::FailedUpdate, failure),
            },
            Request::Fence(order) => (Label::Fence, order),
        }
    }
}

/// The kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write, or a compare-exchange that succeeded.
    Update,
    /// A compare-exchange that failed: a load.
    FailedUpdate,
    /// A fence.
    Fence,
    /// No access to a place of this graph: an operation on a lock, a spawn, an end.
    Other,
}

/// An event of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The task.
    pub task: TaskId,
    /// Its index among the events of its task, from 1.
    pub time: u32,
    /// What it is.
    pub label: Label,
    /// The ordering that it has.
    pub order: Ordering,
    /// What it accesses; meaningless for a fence.
    pub place: Place,
    /// The store that it reads; of a store, the one right before it in modification order when it was added.
    pub source: EventId,
    /// What it wrote, or read if it does not write.
    pub bits: u64,
    /// The event before it of its task, or of the parent before the task was created, plus 1.
    pub(super) before: u32,
    /// The last release fence of its task up to it, plus 1.
    pub(super) fence: u32,
    /// The last event that reads it, plus 1; and the one before this event that reads what it reads, plus 1.
    pub(super) reader: u32,
    pub(super) other_reader: u32,
    /// The update that reads it, plus 1.
    pub(super) update: u32,
    /// Where the events begin that it comes after by a lock or the like.
    pub(super) after: u32,
}

impl Event {
    /// Whether it reads a store.
    #[inline]
    pub fn reads(&self) -> bool {
        matches!(self.label, Label::Load | Label::Update | Label::FailedUpdate)
    }
    /// Whether it is a store.
    #[inline]
    pub fn writes(&self) -> bool {
        matches!(self.label, Label::Store | Label::Update)
    }
    /// Whether it accesses a place.
    #[inline]
    pub fn accesses(&self) -> bool {
        self.reads() || self.writes()
    }
    /// Whether it is sequentially consistent.
    #[inline]
    pub fn is_sc(&self) -> bool {
        self.order == Ordering::SeqCst && self.label != Label::Other
    }
    /// Whether it is a sequentially consistent fence.
    #[inline]
    pub(super) fn is_sc_fence(&self) -> bool {
        self.order == Ordering::SeqCst && self.label == Label::Fence
    }
    /// Whether it is an acquire operation or fence.
    #[inline]
    pub(super) fn acquires(&self) -> bool {
        matches!(self.order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
    }
    /// Whether it is a release operation or fence.
    #[inline]
    pub(super) fn releases(&self) -> bool {
        matches!(self.order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
    }
}
