//! Work-stealing queues with the bugs of the CHESS paper (Musuvathi and others, OSDI 2008): the owner pushes
//! and takes at the tail, a thief steals at the head. This file holds the common part.

pub mod cilk;
pub mod interlocked;
pub mod late_read;

use super::{Crew, Fixed, Form, Var};

const ITEMS: usize = 3;

/// A queue of numbers below [`ITEMS`], each of which must be taken once.
struct Queue {
    head: Var,
    tail: Var,
    /// Reused when the end is reached.
    slots: Vec<Var>,
    taken: [Var; ITEMS],
}

impl Queue {
    fn new(slots: usize) -> Queue {
        let slots = (0..slots).map(|_| Var::new(0)).collect();
        Queue { head: Var::new(0), tail: Var::new(0), slots, taken: [0; ITEMS].map(Var::new) }
    }

    fn slot(&self, at: i64) -> &Var {
        &self.slots[at as usize % self.slots.len()]
    }

    /// Pushes an item at the tail, where there must be room.
    fn push(&self, item: i64) {
        let tail = self.tail.get();
        self.slot(tail).set(item);
        self.tail.set(tail + 1);
    }

    fn got(&self, item: Option<i64>) {
        if let Some(item) = item {
            assert_eq!(self.taken[item as usize].swap(1), 0, "item {item} was taken twice");
        }
    }
}
