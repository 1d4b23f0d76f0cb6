//! sync02: a signal that is given while nobody waits yet.
//!
//! Bug: the waiting one looks, lets go of the lock, and takes it again to wait. It takes a signal in between: it is
//! lost.

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
            let must_wait = !*ready.lock().unwrap();
            if must_wait {
                drop(changed.wait(ready.lock().unwrap()).unwrap());
            }
        })
        .task(|(ready, changed)| {
            *ready.lock().unwrap() = true;
            changed.notify_one();
        })
        .join();
}
