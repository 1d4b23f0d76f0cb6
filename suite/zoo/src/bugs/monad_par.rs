//! monad-par: idle workers join a list and sleep; the last one wakes all (found by Déjà Fu).
//!
//! Bug: the list is not cleared when the sleepers are woken, so when all come back a second time, the last
//! one does not see that it is the last. It needs every worker idle twice before there is work.

use super::rt::sync::{Condvar, Mutex};
use super::{Crew, Fixed, Form};

const WORKERS: usize = 2;

#[derive(Default)]
struct Pool {
    idle: Mutex<Vec<usize>>,
    woken: [Mutex<bool>; WORKERS],
    wake: [Condvar; WORKERS],
    work: Mutex<usize>,
    /// Whether some worker is done: then no worker sleeps any more.
    finished: Mutex<bool>,
}

/// Takes a piece of work, if there is one.
fn steal(pool: &Pool) -> bool {
    let mut work = pool.work.lock().unwrap(); // cause
    let some = *work > 0;
    *work -= usize::from(some);
    some
}

fn go_idle(pool: &Pool, me: usize, form: Form) {
    let sleepers = {
        let mut idle = pool.idle.lock().unwrap(); // cause
        let sleepers = idle.clone();
        idle.push(me);
        if form == Fixed && sleepers.len() == WORKERS - 1 {
            idle.clear();
        }
        sleepers
    };
    if sleepers.len() == WORKERS - 1 {
        for sleeper in sleepers {
            *pool.woken[sleeper].lock().unwrap() = true;
            pool.wake[sleeper].notify_one();
        }
        return;
    }
    let mut woken = pool.woken[me].lock().unwrap();
    while !*woken && !*pool.finished.lock().unwrap() {
        woken = pool.wake[me].wait(woken).unwrap();
    }
    *woken = false;
}

/// Searches for work twice, and wakes the others in the end.
fn worker(pool: &Pool, me: usize, form: Form) {
    for _ in 0..2 {
        if !steal(pool) {
            go_idle(pool, me, form);
        }
    }
    *pool.finished.lock().unwrap() = true;
    for sleeper in 0..WORKERS {
        *pool.woken[sleeper].lock().unwrap() = true;
        pool.wake[sleeper].notify_one();
    }
}

pub fn run(form: Form) {
    let mut crew = Crew::new(Pool::default());
    for me in 0..WORKERS {
        crew = crew.task(move |pool| worker(pool, me, form));
    }
    crew.meanwhile(|pool| *pool.work.lock().unwrap() = WORKERS).join(); // cause
}
