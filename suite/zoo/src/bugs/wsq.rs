//! A work-stealing queue after Cilk's THE protocol: the owner takes from the tail without a lock, thieves from the
//! head with one (the first of the bugs that CHESS was shown with).
//!
//! Bug: the owner looks at the head before it has moved the tail. It takes a thief in between, at the last element:
//! both get it.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form, Var};

const ITEMS: usize = 3;

struct Queue {
    head: Var,
    tail: Var,
    lock: Mutex<()>,
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
        let head;
        if form == Fixed {
            self.tail.set(tail);
            head = self.head.get();
        } else {
            head = self.head.get();
            self.tail.set(tail);
        }
        if head <= tail {
            return Some(self.items[tail as usize].get());
        }
        let _guard = self.lock.lock().unwrap();
        if self.head.get() <= tail {
            return Some(self.items[tail as usize].get());
        }
        self.tail.set(tail + 1);
        None
    }

    fn steal(&self) -> Option<i64> {
        let _guard = self.lock.lock().unwrap();
        let head = self.head.get();
        self.head.set(head + 1);
        if head + 1 > self.tail.get() {
            self.head.set(head);
            return None;
        }
        Some(self.items[head as usize].get())
    }

    fn got(&self, item: Option<i64>) {
        if let Some(item) = item {
            assert_eq!(self.taken[item as usize].swap(1), 0, "item {item} was taken twice");
        }
    }
}

pub fn run(form: Form) {
    let zeros = || [0; ITEMS].map(Var::new);
    let (head, tail) = (Var::new(0), Var::new(0));
    Crew::new(Queue { head, tail, lock: Mutex::new(()), items: zeros(), taken: zeros() })
        .task(|queue| {
            queue.got(queue.steal());
            queue.got(queue.steal());
        })
        .meanwhile(|queue| {
            queue.push(0);
            queue.push(1);
            queue.got(queue.take(form));
            queue.push(2);
            queue.got(queue.take(form));
            queue.got(queue.take(form));
        })
        .join();
}
