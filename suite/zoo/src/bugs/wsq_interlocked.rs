//! A work-stealing queue in which thieves move the head by compare-exchange (after Chase and Lev, SPAA 2005).
//!
//! Bug: the owner takes the last element without competing for it. It takes a thief that has read the tail before
//! the owner moved it, and wins the head afterwards: both get the element.

use super::{Crew, Fixed, Form, Var};

const ITEMS: usize = 3;

struct Queue {
    head: Var,
    tail: Var,
    items: [Var; ITEMS],
    taken: [Var; ITEMS],
}

impl Queue {
    fn push(&self, item: i64) {
        let tail = self.tail.get();
        self.items[tail as usize].set(item);
        self.tail.set(tail + 1);
    }

    fn take(&self, form: Form) -> Option<i64> {
        let tail = self.tail.get() - 1;
        self.tail.set(tail);
        let head = self.head.get();
        if head > tail {
            self.tail.set(tail + 1);
            return None;
        }
        let item = self.items[tail as usize].get();
        if head < tail || form != Fixed {
            return Some(item);
        }
        let won = self.head.change(head, head + 1).is_ok();
        self.tail.set(tail + 1);
        won.then_some(item)
    }

    fn steal(&self) -> Option<i64> {
        let head = self.head.get();
        if head >= self.tail.get() {
            return None;
        }
        let item = self.items[head as usize].get();
        self.head.change(head, head + 1).is_ok().then_some(item)
    }

    fn got(&self, item: Option<i64>) {
        if let Some(item) = item {
            assert_eq!(self.taken[item as usize].swap(1), 0, "item {item} was taken twice");
        }
    }
}

pub fn run(form: Form) {
    let zeros = || [0; ITEMS].map(Var::new);
    Crew::new(Queue { head: Var::new(0), tail: Var::new(0), items: zeros(), taken: zeros() })
        .task(|queue| {
            queue.got(queue.steal());
            queue.got(queue.steal());
        })
        .meanwhile(|queue| {
            queue.push(0);
            queue.push(1);
            queue.got(queue.take(form));
            queue.got(queue.take(form));
        })
        .join();
}
