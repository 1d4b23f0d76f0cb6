//! circular buffer: a sender and a receiver alternate, and the receiver expects the elements in order.
//!
//! Bug: an iteration out of turn counts. It needs an iteration of the receiver that comes too early: from
//! then on it expects the wrong element.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

const N: usize = 4;

#[derive(Default)]
struct Buffer {
    elements: [usize; N],
    first: usize,
    next: usize,
    receives: bool,
}

pub fn run(form: Form) {
    Crew::new(Mutex::new(Buffer::default()))
        .task(|buffer| {
            let mut sent = 0;
            for _ in 0..N {
                let mut buffer = buffer.lock().unwrap(); // cause
                if !buffer.receives {
                    let next = buffer.next;
                    buffer.elements[next] = sent;
                    buffer.next = (next + 1) % N;
                    buffer.receives = true;
                    sent += 1;
                }
            }
        })
        .task(move |buffer| {
            let mut received = 0;
            for round in 0..N {
                let mut buffer = buffer.lock().unwrap(); // cause
                if buffer.receives {
                    let element = buffer.elements[buffer.first];
                    buffer.first = (buffer.first + 1) % N;
                    buffer.receives = false;
                    let expected = if form == Fixed { received } else { round };
                    assert_eq!(element, expected, "out of order");
                    received += 1;
                }
            }
        })
        .join();
}
