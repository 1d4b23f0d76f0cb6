//! racy: two threads increment a counter by a read and a write.
//!
//! Bug: it needs a read between the other's read and write.

use super::{Crew, Fixed, Form, Var};

fn increment(counter: &Var, form: Form) {
    match form {
        Fixed => drop(counter.fetch_add(1)),
        _ => counter.add(1), // cause
    }
}

pub fn run(form: Form) {
    let counter = Crew::new(Var::new(0))
        .task(move |counter| increment(counter, form))
        .task(move |counter| increment(counter, form))
        .join();
    assert_eq!(counter.get(), 2, "an increment was lost");
}
