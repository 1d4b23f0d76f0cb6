//! qsort_mt: a quicksort that hands one half to a helper and waits until all threads are idle.
//!
//! Bug: the helper reports that it is idle before it has sorted its half. It needs a check by main in between.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form, Var};

struct Sort {
    numbers: [Var; 4],
    /// Whether the helper has work.
    busy: Mutex<bool>,
    changed: Condvar,
}

fn put_in_order(a: &Var, b: &Var) {
    let (x, y) = (a.get(), b.get());
    if x > y {
        a.set(y); // cause
        b.set(x); // cause
    }
}

fn help(sort: &Sort, form: Form) {
    let mut busy = sort.busy.lock().unwrap();
    while !*busy {
        busy = sort.changed.wait(busy).unwrap();
    }
    if form == Fixed {
        drop(busy);
        put_in_order(&sort.numbers[2], &sort.numbers[3]);
        *sort.busy.lock().unwrap() = false;
        sort.changed.notify_all();
        return;
    }
    *busy = false;
    drop(busy); // cause
    sort.changed.notify_all();
    put_in_order(&sort.numbers[2], &sort.numbers[3]);
}

pub fn run(form: Form) {
    let numbers = [2, 1, 4, 3].map(Var::new);
    Crew::new(Sort { numbers, busy: Mutex::new(false), changed: Condvar::new() })
        .task(move |sort| help(sort, form))
        .meanwhile(|sort| {
            // The partition is done already: the two largest are on the right.
            *sort.busy.lock().unwrap() = true;
            sort.changed.notify_all();
            put_in_order(&sort.numbers[0], &sort.numbers[1]);
            let mut busy = sort.busy.lock().unwrap();
            while *busy {
                busy = sort.changed.wait(busy).unwrap();
            }
            drop(busy);
            let sorted = sort.numbers.each_ref().map(Var::get); // cause
            assert_eq!(sorted, [1, 2, 3, 4], "not sorted");
        })
        .join();
}
