//! twostage: threads write one number under one lock, then another that depends on it under a second one.
//!
//! Bug: between the two stages the numbers are inconsistent. It needs a reader that sees the first stage of
//! one thread and comes before the second stage of all, with any number of threads.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

#[derive(Default)]
struct Stages {
    first: Mutex<i64>,
    second: Mutex<i64>,
    whole: Mutex<()>,
}

fn write(stages: &Stages, form: Form) {
    let _guard = (form == Fixed).then(|| stages.whole.lock().unwrap());
    *stages.first.lock().unwrap() = 1; // cause
    *stages.second.lock().unwrap() = 2; // cause
}

fn read(stages: &Stages, form: Form) {
    let _guard = (form == Fixed).then(|| stages.whole.lock().unwrap());
    let first = *stages.first.lock().unwrap(); // cause
    if first == 0 {
        return;
    }
    let second = *stages.second.lock().unwrap(); // cause
    assert_eq!(second, first + 1, "the stages do not fit");
}

pub fn run(threads: usize, form: Form) {
    let mut crew = Crew::new(Stages::default());
    for _ in 1..threads {
        crew = crew.task(move |stages| write(stages, form));
    }
    crew.task(move |stages| read(stages, form)).join();
}
