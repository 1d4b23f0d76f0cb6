//! StringBuffer of Java's JDK 1.4: one buffer is appended to another.
//!
//! Bug: the length is read first and the characters are copied later, each under the lock, but not both. It
//! needs a thread that empties the buffer in between.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

struct Buffers {
    to: Mutex<Vec<char>>,
    from: Mutex<Vec<char>>,
}

fn append(buffers: &Buffers, form: Form) {
    let mut to = buffers.to.lock().unwrap();
    if form == Fixed {
        to.extend(buffers.from.lock().unwrap().iter());
        return;
    }
    let length = buffers.from.lock().unwrap().len(); // cause
    let from = buffers.from.lock().unwrap(); // cause
    assert!(length <= from.len(), "the characters are gone");
    to.extend(&from[..length]);
}

pub fn run(form: Form) {
    let from = Mutex::new("abc".chars().collect());
    Crew::new(Buffers { to: Mutex::new(Vec::new()), from })
        .task(|buffers| buffers.from.lock().unwrap().clear()) // cause
        .meanwhile(|buffers| append(buffers, form))
        .join();
}
