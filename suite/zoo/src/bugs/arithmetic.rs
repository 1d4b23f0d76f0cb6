//! arithmetic progression: a producer and a consumer hand over the numbers from 1 to n, and the sum is checked.
//!
//! Bug: the check is inverted. Every schedule that runs to completion shows it.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form};

const N: i64 = 3;

#[derive(Default)]
struct Sum {
    waiting: i64,
    total: i64,
}

struct Shared {
    sum: Mutex<Sum>,
    empty: Condvar,
    full: Condvar,
}

pub fn run(form: Form) {
    let shared = Shared { sum: Mutex::new(Sum::default()), empty: Condvar::new(), full: Condvar::new() };
    let shared = Crew::new(shared)
        .task(|shared| {
            for _ in 1..=N {
                let mut sum = shared.sum.lock().unwrap();
                while sum.waiting > 0 {
                    sum = shared.empty.wait(sum).unwrap();
                }
                sum.waiting += 1;
                shared.full.notify_one();
            }
        })
        .task(|shared| {
            for i in 1..=N {
                let mut sum = shared.sum.lock().unwrap();
                while sum.waiting == 0 {
                    sum = shared.full.wait(sum).unwrap();
                }
                sum.total += i;
                sum.waiting -= 1;
                shared.empty.notify_one();
            }
        })
        .join();
    let total = shared.sum.lock().unwrap().total;
    assert_eq!(total == N * (N + 1) / 2, form == Fixed, "the sum is {total}");
}
