//! wronglock: one thread changes a number under its lock, the others under another one.
//!
//! Bug: the wrong lock protects nothing. It needs a change by one of the others during the first's.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form, Var};

struct Shared {
    data_lock: Mutex<()>,
    this_lock: Mutex<()>,
    data: Var,
}

pub fn run(threads: usize, form: Form) {
    let shared = Shared { data_lock: Mutex::new(()), this_lock: Mutex::new(()), data: Var::new(0) };
    let mut crew = Crew::new(shared).task(|shared| {
        let _guard = shared.data_lock.lock().unwrap();
        let before = shared.data.get(); // cause
        shared.data.add(1); // cause
        assert_eq!(shared.data.get(), before + 1, "another thread changed the data"); // cause
    });
    for _ in 1..threads {
        crew = crew.task(move |shared| {
            let lock = if form == Fixed { &shared.data_lock } else { &shared.this_lock };
            let _guard = lock.lock().unwrap();
            shared.data.add(1); // cause
        });
    }
    crew.join();
}
