//! A work-stealing queue whose slots are used again.
//!
//! Bug: a thief reads its element after it has won the head. It takes an owner that pushes into the freed slot in
//! between: the thief gets the new element, which somebody else gets as well, and the old one is lost.

use super::{Crew, Fixed, Form, Var};

const SLOTS: i64 = 2;
const ITEMS: usize = 3;

struct Queue {
    head: Var,
    tail: Var,
    slots: [Var; SLOTS as usize],
    taken: [Var; ITEMS],
}

impl Queue {
    fn slot(&self, at: i64) -> &Var {
        &self.slots[(at % SLOTS) as usize]
    }

    /// Says whether there was room.
    fn push(&self, item: i64) -> bool {
        let tail = self.tail.get();
        if tail - self.head.get() >= SLOTS {
            return false;
        }
        self.slot(tail).set(item);
        self.tail.set(tail + 1);
        true
    }

    fn steal(&self, form: Form) -> Option<i64> {
        let head = self.head.get();
        if head >= self.tail.get() {
            return None;
        }
        if form == Fixed {
            let item = self.slot(head).get();
            return self.head.change(head, head + 1).is_ok().then_some(item);
        }
        self.head.change(head, head + 1).ok()?;
        Some(self.slot(head).get())
    }

    fn got(&self, item: Option<i64>) {
        if let Some(item) = item {
            assert_eq!(self.taken[item as usize].swap(1), 0, "item {item} was taken twice");
        }
    }
}

pub fn run(form: Form) {
    let slots = [0; SLOTS as usize].map(Var::new);
    let taken = [0; ITEMS].map(Var::new);
    let queue = Crew::new(Queue { head: Var::new(0), tail: Var::new(0), slots, taken })
        .task(move |queue| {
            queue.got(queue.steal(form));
            queue.got(queue.steal(form));
        })
        .meanwhile(|queue| {
            for item in 0..ITEMS as i64 {
                queue.push(item);
            }
        })
        .join();
    while queue.head.get() < queue.tail.get() {
        queue.got(queue.steal(form));
    }
}
