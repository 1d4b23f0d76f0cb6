//! queue: like the circular buffer, but a longer queue whose first element is there before the turns start.
//!
//! Bug: an iteration out of turn counts. It needs an iteration of the consumer that comes too early.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};
use std::collections::VecDeque;

const N: usize = 20;

struct Queue {
    elements: VecDeque<usize>,
    dequeues: bool,
}

pub fn run(form: Form) {
    Crew::new(Mutex::new(Queue { elements: VecDeque::new(), dequeues: false }))
        .task(|queue| {
            let mut next = 0;
            for _ in 0..N {
                let mut queue = queue.lock().unwrap(); // cause
                if !queue.dequeues {
                    queue.elements.push_back(next);
                    queue.dequeues = true;
                    next += 1;
                }
            }
        })
        .task(move |queue| {
            let mut received = 0;
            for round in 0..N {
                let mut queue = queue.lock().unwrap(); // cause
                if queue.dequeues {
                    let element = queue.elements.pop_front().expect("not empty");
                    queue.dequeues = false;
                    let expected = if form == Fixed { received } else { round };
                    assert_eq!(element, expected, "out of order");
                    received += 1;
                }
            }
        })
        .join();
}
