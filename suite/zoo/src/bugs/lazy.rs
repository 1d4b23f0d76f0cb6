//! lazy01: two threads add to a number, a third does not expect that both are done.
//!
//! Bug: it needs a schedule in which the third comes last.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

pub fn run(form: Form) {
    Crew::new(Mutex::new(0))
        .task(|data| *data.lock().unwrap() += 1) // cause
        .task(|data| *data.lock().unwrap() += 2) // cause
        .task(move |data| {
            let most = if form == Fixed { 3 } else { 2 };
            assert!(*data.lock().unwrap() <= most, "both have come first"); // cause
        })
        .join();
}
