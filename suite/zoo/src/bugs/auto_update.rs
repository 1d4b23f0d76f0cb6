//! auto-update: computes a value only on demand, and at most once per interval (Haskell's package, as
//! described in the Déjà Fu thesis).
//!
//! Bug: the worker drops the value after its delay by emptying the variable that readers read. It needs a
//! reader that sees no current value, requests a run that is already over, and reads after the value was
//! taken: it waits for ever.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form, Var};

/// A slot that is empty or full.
#[derive(Default)]
struct Slot {
    full: Mutex<bool>,
    changed: Condvar,
}

impl Slot {
    fn take(&self) {
        let mut full = self.full.lock().unwrap(); // cause
        while !*full {
            full = self.changed.wait(full).unwrap();
        }
        *full = false;
        self.changed.notify_all();
    }
    fn try_take(&self) {
        *self.full.lock().unwrap() = false;
    }
    fn put(&self) {
        *self.full.lock().unwrap() = true;
        self.changed.notify_all();
    }
    fn read(&self) {
        let mut full = self.full.lock().unwrap(); // cause
        while !*full {
            full = self.changed.wait(full).unwrap();
        }
    }
}

struct Updater {
    needed: Slot,
    last: Slot,
    current: Var,
}

fn work(updater: &Updater, form: Form) {
    updater.needed.take();
    updater.current.set(1); // cause
    updater.last.try_take();
    updater.last.put();
    // The delay is over: the value is out of date.
    updater.current.set(0); // cause
    if form != Fixed {
        updater.last.take();
    }
}

pub fn run(form: Form) {
    Crew::new(Updater { needed: Slot::default(), last: Slot::default(), current: Var::new(0) })
        .task(move |updater| work(updater, form))
        .meanwhile(|updater| {
            if updater.current.get() == 0 {
                // cause
                updater.needed.put();
                updater.last.read();
            }
        })
        .join();
}
