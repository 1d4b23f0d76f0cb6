//! ctrace: a tracing library in which every thread registers itself in a table.
//!
//! Bug: the next free row is read and written without a lock. It needs two concurrent registrations: both get
//! one row, and one of them does not find itself any more.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form, Var};

struct Tracer {
    lock: Mutex<()>,
    rows: [Var; 2],
    next: Var,
}

fn trace(tracer: &Tracer, id: i64, form: Form) {
    {
        let _guard = (form == Fixed).then(|| tracer.lock.lock().unwrap());
        let row = tracer.next.get(); // cause
        tracer.rows[row as usize].set(id);
        tracer.next.set(row + 1); // cause
    }
    let found = tracer.rows.iter().any(|row| row.get() == id);
    assert!(found, "thread {id} is not in the table");
}

pub fn run(form: Form) {
    let rows = [Var::new(0), Var::new(0)];
    Crew::new(Tracer { lock: Mutex::new(()), rows, next: Var::new(0) })
        .task(move |tracer| trace(tracer, 1, form))
        .task(move |tracer| trace(tracer, 2, form))
        .join();
}
