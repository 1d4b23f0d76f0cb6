//! token ring: three threads pass a token on, a fourth compares when all have.
//!
//! Bug: nothing orders the passes. It needs the fourth to come last, and any order but two of the rest.

use super::rt::sync::Mutex;
use super::{Crew, Fixed, Form};

struct Ring {
    x: [i64; 3],
    passed: [bool; 3],
}

fn pass(ring: &Mutex<Ring>, to: usize, form: Form) {
    let from = (to + 2) % 3;
    let mut ring = ring.lock().unwrap(); // cause
    let in_turn = to == 0 || ring.passed[from];
    if form == Fixed && !in_turn {
        return;
    }
    ring.x[to] = if to == 0 { (ring.x[from] + 1) % 4 } else { ring.x[from] };
    ring.passed[to] = true;
}

pub fn run(form: Form) {
    let mut crew = Crew::new(Mutex::new(Ring { x: [1, 2, 3], passed: [false; 3] }));
    // As in the original, the second of the ring is spawned first.
    for to in [1, 2, 0] {
        crew = crew.task(move |ring| pass(ring, to, form));
    }
    crew.task(|ring| {
        let ring = ring.lock().unwrap(); // cause
        if ring.passed == [true; 3] {
            assert!(ring.x[0] == ring.x[1] && ring.x[1] == ring.x[2], "the tokens differ: {:?}", ring.x);
        }
    })
    .join();
}
