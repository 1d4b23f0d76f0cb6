//! A work-stealing queue after Cilk's THE protocol: the owner takes from the tail without a lock, thieves from the
//! head with one.
//!
//! Bug: the owner reads the head before it has moved the tail. It needs a thief in between, at the last
//! element: both get it.

use super::super::rt::sync::Mutex;
use super::{Crew, Fixed, Form, ITEMS, Queue};

struct Cilk {
    queue: Queue,
    lock: Mutex<()>,
}

impl Cilk {
    fn take(&self, form: Form) -> Option<i64> {
        let Queue { head, tail: end, .. } = &self.queue;
        let tail = end.get() - 1;
        let first;
        if form == Fixed {
            end.set(tail);
            first = head.get();
        } else {
            first = head.get(); // cause
            end.set(tail); // cause
        }
        if first <= tail {
            return Some(self.queue.slot(tail).get());
        }
        let _guard = self.lock.lock().unwrap();
        if head.get() <= tail {
            return Some(self.queue.slot(tail).get());
        }
        end.set(tail + 1);
        None
    }

    fn steal(&self) -> Option<i64> {
        let _guard = self.lock.lock().unwrap();
        let head = self.queue.head.get();
        self.queue.head.set(head + 1); // cause
        if head + 1 > self.queue.tail.get() {
            // cause
            self.queue.head.set(head);
            return None;
        }
        Some(self.queue.slot(head).get())
    }
}

pub fn run(form: Form) {
    Crew::new(Cilk { queue: Queue::new(ITEMS), lock: Mutex::new(()) })
        .task(|cilk| {
            cilk.queue.got(cilk.steal());
            cilk.queue.got(cilk.steal());
        })
        .meanwhile(|cilk| {
            let queue = &cilk.queue;
            queue.push(0);
            queue.push(1);
            queue.got(cilk.take(form));
            queue.push(2);
            queue.got(cilk.take(form));
            queue.got(cilk.take(form));
        })
        .join();
}
