//! alarm: a program that counts its reminders and exits when none is left (Marlow 2013).
//!
//! Bug: the count is changed by a read and a write. It needs two concurrent changes: one undoes the other,
//! and the program exits before its reminders, or never.

use super::rt::{hint, thread};
use super::{Crew, Fixed, Form, Var};

struct Alarms {
    outstanding: Var,
    rung: Var,
}

fn change(alarms: &Alarms, by: i64, form: Form) {
    match form {
        Fixed => drop(alarms.outstanding.fetch_add(by)),
        _ => alarms.outstanding.add(by), // cause
    }
}

pub fn run(form: Form) {
    let mut crew = Crew::new(Alarms { outstanding: Var::new(0), rung: Var::new(0) });
    for _ in 0..2 {
        crew = crew.meanwhile(|alarms| change(alarms, 1, form)).task(move |alarms| {
            alarms.rung.fetch_add(1);
            change(alarms, -1, form);
        });
    }
    crew.meanwhile(|alarms| {
        while alarms.outstanding.get() != 0 {
            hint::spin_loop();
            thread::yield_now();
        }
        assert_eq!(alarms.rung.get(), 2, "left before all reminders were given");
    })
    .join();
}
