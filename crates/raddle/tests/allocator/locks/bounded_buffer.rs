//! The bounded buffer of the benchmark programs, correct and broken.

use super::{failure_of, passes};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Checker, FailureKind, thread};

/// How a producer waits for a full buffer.
#[derive(Clone, Copy, PartialEq)]
enum Waits {
    While,
    /// The bug.
    If,
}

/// `producers` with `items` each, one consumer (main), room for `room`.
fn bounded_buffer(producers: usize, items: usize, room: usize, waits: Waits) {
    struct Buffer {
        queue: Mutex<Vec<usize>>,
        not_empty: Condvar,
        not_full: Condvar,
    }
    let buffer = Arc::new(Buffer {
        queue: Mutex::new(Vec::new()),
        not_empty: Condvar::new(),
        not_full: Condvar::new(),
    });
    let tasks: Vec<_> = (0..producers)
        .map(|producer| {
            let buffer = buffer.clone();
            thread::spawn(move || {
                for item in 0..items {
                    let mut queue = buffer.queue.lock().unwrap();
                    if waits == Waits::If {
                        if queue.len() == room {
                            queue = buffer.not_full.wait(queue).unwrap();
                        }
                        assert!(queue.len() < room, "overfull");
                    } else {
                        while queue.len() == room {
                            queue = buffer.not_full.wait(queue).unwrap();
                        }
                    }
                    queue.push(producer * 10 + item);
                    buffer.not_empty.notify_one();
                }
            })
        })
        .collect();
    for _ in 0..producers * items {
        let mut queue = buffer.queue.lock().unwrap();
        while queue.is_empty() {
            queue = buffer.not_empty.wait(queue).unwrap();
        }
        queue.pop();
        buffer.not_full.notify_one();
    }
    for task in tasks {
        task.join().unwrap();
    }
}

#[test]
fn the_right_one_passes() {
    passes(Checker::dfs(), || bounded_buffer(1, 2, 1, Waits::While));
    passes(Checker::dfs().preemptions(2), || bounded_buffer(2, 1, 1, Waits::While));
    let report = Checker::random(20_000).seed(7).run(|| bounded_buffer(3, 2, 1, Waits::While));
    assert!(report.failure().is_none());
}

#[test]
fn the_wrong_one_fails() {
    // One producer alone never finds the buffer full again after a wake-up; two do.
    passes(Checker::dfs(), || bounded_buffer(1, 2, 1, Waits::If));
    for checker in [Checker::dfs(), Checker::random(20_000)] {
        let failed = failure_of(checker, || bounded_buffer(2, 2, 1, Waits::If));
        assert_eq!(failed.kind(), FailureKind::Panic);
        assert!(failed.message().contains("overfull"), "{}", failed.message());
    }
}
