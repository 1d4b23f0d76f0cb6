//! A work-stealing queue in which thieves move the head by compare-exchange (after Chase and Lev, SPAA 2005).
//!
//! Bug: the owner takes the last element without competing for it. It needs a thief that has read the tail
//! before the owner moved it, and wins the head afterwards: both get the element.

use super::{Crew, Fixed, Form, ITEMS, Queue};

fn take(queue: &Queue, form: Form) -> Option<i64> {
    let tail = queue.tail.get() - 1;
    queue.tail.set(tail); // cause
    let head = queue.head.get(); // cause
    if head > tail {
        queue.tail.set(tail + 1);
        return None;
    }
    let item = queue.slot(tail).get();
    if head < tail || form != Fixed {
        return Some(item);
    }
    let won = queue.head.change(head, head + 1).is_ok();
    queue.tail.set(tail + 1);
    won.then_some(item)
}

fn steal(queue: &Queue) -> Option<i64> {
    let head = queue.head.get();
    if head >= queue.tail.get() {
        // cause
        return None;
    }
    let item = queue.slot(head).get();
    queue.head.change(head, head + 1).is_ok().then_some(item) // cause
}

pub fn run(form: Form) {
    Crew::new(Queue::new(ITEMS))
        .task(|queue| {
            queue.got(steal(queue));
            queue.got(steal(queue));
        })
        .meanwhile(|queue| {
            queue.push(0);
            queue.push(1);
            queue.got(take(queue, form));
            queue.got(take(queue, form));
        })
        .join();
}
