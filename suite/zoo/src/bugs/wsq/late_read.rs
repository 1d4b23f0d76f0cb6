//! A work-stealing queue whose slots are reused.
//!
//! Bug: a thief reads its element after it has won the head. It needs an owner that pushes into the freed
//! slot in between: the thief gets the new element, which is taken a second time, and the old one is lost.

use super::{Crew, Fixed, Form, ITEMS, Queue};

const SLOTS: usize = 2;

/// Does nothing if there is no room.
fn push(queue: &Queue, item: i64) {
    let tail = queue.tail.get();
    if tail - queue.head.get() < SLOTS as i64 {
        queue.slot(tail).set(item); // cause
        queue.tail.set(tail + 1);
    }
}

fn steal(queue: &Queue, form: Form) -> Option<i64> {
    let head = queue.head.get();
    if head >= queue.tail.get() {
        return None;
    }
    if form == Fixed {
        let item = queue.slot(head).get();
        return queue.head.change(head, head + 1).is_ok().then_some(item);
    }
    queue.head.change(head, head + 1).ok()?; // cause
    Some(queue.slot(head).get()) // cause
}

pub fn run(form: Form) {
    let queue = Crew::new(Queue::new(SLOTS))
        .task(move |queue| {
            queue.got(steal(queue, form));
            queue.got(steal(queue, form));
        })
        .meanwhile(|queue| {
            for item in 0..ITEMS as i64 {
                push(queue, item);
            }
        })
        .join();
    while queue.head.get() < queue.tail.get() {
        queue.got(steal(&queue, form));
    }
}
