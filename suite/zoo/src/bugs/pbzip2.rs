//! pbzip2's queue: consumers take blocks from a queue that main frees when everything is written.
//!
//! Bug: main does not wait for the consumers. It needs a consumer that has seen that it is not done yet, and
//! main freeing the queue before the consumer takes its lock.

use super::rt::sync::Mutex;
use super::rt::thread;
use super::{Crew, Fixed, Form, Var};

struct Shared {
    queue: Mutex<Vec<u32>>,
    /// 1 when main has freed the queue.
    freed: Var,
    done: Var,
    written: Var,
}

const BLOCKS: i64 = 2;

fn consumer(shared: &Shared) {
    while shared.done.get() == 0 {
        // cause
        assert_eq!(shared.freed.get(), 0, "the queue is gone"); // cause
        let block = shared.queue.lock().unwrap().pop();
        match block {
            Some(_) if shared.written.fetch_add(1) + 1 == BLOCKS => shared.done.set(1),
            Some(_) => {}
            None => break,
        }
    }
}

fn free_when_done(shared: &Shared) {
    while shared.done.get() == 0 {
        thread::yield_now();
    }
    shared.freed.set(1); // cause
}

pub fn run(form: Form) {
    let [freed, done, written] = [(); 3].map(|()| Var::new(0));
    let crew = Crew::new(Shared { queue: Mutex::new(vec![1, 2]), freed, done, written })
        .task(consumer)
        .task(consumer);
    match form {
        Fixed => crew.join().freed.set(1),
        _ => drop(crew.meanwhile(free_when_done).join()),
    }
}
