//! deadlock01: two locks, taken in two orders.
//!
//! Bug: it needs each thread to hold one lock.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

pub fn run(form: Form) {
    Crew::new((Mutex::new(0), Mutex::new(0)))
        .task(|(a, b)| {
            let mut a = a.lock().unwrap(); // cause
            let mut b = b.lock().unwrap(); // cause
            *a += 1;
            *b += 1;
        })
        .task(move |(a, b)| {
            let (first, second) = if form == Fixed { (a, b) } else { (b, a) };
            let mut first = first.lock().unwrap(); // cause
            let mut second = second.lock().unwrap(); // cause
            *first += 1;
            *second += 1;
        })
        .join();
}
