//! sync02: a notification while no thread waits yet.
//!
//! Bug: the waiter checks, releases the lock, and acquires it again to wait. It needs a notification in
//! between, which is lost.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form};

pub fn run(form: Form) {
    Crew::new((Mutex::new(false), Condvar::new()))
        .task(move |(ready, changed)| {
            if form == Fixed {
                let mut ready = ready.lock().unwrap();
                while !*ready {
                    ready = changed.wait(ready).unwrap();
                }
                return;
            }
            let must_wait = !*ready.lock().unwrap(); // cause
            if must_wait {
                drop(changed.wait(ready.lock().unwrap()).unwrap()); // cause
            }
        })
        .task(|(ready, changed)| {
            *ready.lock().unwrap() = true; // cause
            changed.notify_one(); // cause
        })
        .join();
}
