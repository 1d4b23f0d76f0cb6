//! phase01: a second phase starts without releasing the locks of the first one.
//!
//! Bug: a thread locks a mutex that it holds. Every schedule shows it.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

fn phases((x, y): &(Mutex<i64>, Mutex<i64>), form: Form) {
    let first = x.lock().unwrap();
    *y.lock().unwrap() += *first;
    if form == Fixed {
        drop(first);
    }
    *x.lock().unwrap() += 1;
}

pub fn run(form: Form) {
    Crew::new((Mutex::new(0), Mutex::new(0)))
        .task(move |both| phases(both, form))
        .task(move |both| phases(both, form))
        .join();
}
