//! sync01: one thread waits until there is room, the other makes room.
//!
//! Bug: the thread that makes room does not notify. It needs the first one to wait already.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form};

pub fn run(form: Form) {
    Crew::new((Mutex::new(1), Condvar::new()))
        .task(|(count, changed)| {
            let mut count = count.lock().unwrap(); // cause
            while *count > 0 {
                count = changed.wait(count).unwrap(); // cause
            }
            *count += 1;
        })
        .task(move |(count, changed)| {
            *count.lock().unwrap() -= 1; // cause
            if form == Fixed {
                changed.notify_one();
            }
        })
        .join();
}
