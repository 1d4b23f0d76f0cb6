//! reorder: all threads but one set `a` and then `b`; the last expects both or neither.
//!
//! Bug: the two are set in two steps. It needs the whole check between the first `a` and the first `b`, with
//! any number of threads.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form, Var};

struct Pair {
    lock: Mutex<()>,
    a: Var,
    b: Var,
}

fn set(pair: &Pair, form: Form) {
    let _guard = (form == Fixed).then(|| pair.lock.lock().unwrap());
    pair.a.set(1); // cause
    pair.b.set(-1); // cause
}

fn check(pair: &Pair, form: Form) {
    let _guard = (form == Fixed).then(|| pair.lock.lock().unwrap());
    let neither = pair.a.get() == 0 && pair.b.get() == 0; // cause
    assert!(neither || pair.a.get() == 1 && pair.b.get() == -1, "one without the other"); // cause
}

pub fn run(threads: usize, form: Form) {
    let mut crew = Crew::new(Pair { lock: Mutex::new(()), a: Var::new(0), b: Var::new(0) });
    for _ in 1..threads {
        crew = crew.task(move |pair| set(pair, form));
    }
    crew.task(move |pair| check(pair, form)).join();
}
