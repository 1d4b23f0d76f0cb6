//! The programs that every tool runs, written once and included by each side as a module. The including
//! module provides `rt`: that tool's `thread`, `sync` and atomics, and `std`'s `Arc` for all of them. Every
//! thread is joined, so that the joins are part of the exploration, and no program has a bug.

use super::rt::{
    Arc,
    sync::atomic::{AtomicUsize, Ordering::*},
    sync::{Condvar, Mutex, RwLock, mpsc},
    thread::{self, JoinHandle},
};
use crate::catalogue::Program;
use crate::record;

/// Runs `program` once, inside an execution of the including tool.
pub fn run(program: Program) {
    match program {
        Program::MutexCounter(threads, rounds) => mutex_counter(threads, rounds),
        Program::Racy(threads, rounds) => racy(threads, rounds),
        Program::Philosophers(seats, rounds) => philosophers(seats, rounds),
        Program::Channel(producers, messages) => channel(producers, messages),
        Program::Treiber(threads, ops) => treiber(threads, ops),
        Program::BoundedBuffer(producers, items, capacity) => bounded_buffer(producers, items, capacity),
        Program::RwLock(readers, writers, rounds) => rwlock(readers, writers, rounds),
        Program::FetchAdd(threads, rounds) => fetch_add(threads, rounds),
        Program::Independent(threads, rounds) => independent(threads, rounds),
        Program::LastZero(writers) => last_zero(writers),
        Program::WriterAndReaders(readers) => writer_and_readers(readers),
        Program::Readers(threads, rounds) => readers(threads, rounds),
    }
}

fn atomics(n: usize) -> Arc<Vec<AtomicUsize>> {
    Arc::new((0..n).map(|_| AtomicUsize::new(0)).collect())
}

fn join_all(handles: Vec<JoinHandle<()>>) {
    for handle in handles {
        handle.join().unwrap();
    }
}

/// Each thread increments one counter under one mutex.
fn mutex_counter(threads: usize, rounds: usize) {
    let counter = Arc::new(Mutex::new(0usize));
    let handles = (0..threads)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..rounds {
                    *counter.lock().unwrap() += 1;
                }
            })
        })
        .collect();
    join_all(handles);
    assert_eq!(*counter.lock().unwrap(), threads * rounds);
}

/// Each thread increments a counter by a load and a store; updates get lost, and the result is only recorded.
fn racy(threads: usize, rounds: usize) {
    let counter = Arc::new(AtomicUsize::new(0));
    let handles = (0..threads)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..rounds {
                    let value = counter.load(SeqCst);
                    counter.store(value + 1, SeqCst);
                }
            })
        })
        .collect();
    join_all(handles);
    record(&[counter.load(SeqCst)]);
}

/// Dining philosophers; the last one takes the forks in the other order, so there is no deadlock.
fn philosophers(seats: usize, rounds: usize) {
    let forks: Arc<Vec<Mutex<usize>>> = Arc::new((0..seats).map(|_| Mutex::new(0)).collect());
    let handles = (0..seats)
        .map(|seat| {
            let forks = forks.clone();
            thread::spawn(move || {
                let next = (seat + 1) % seats;
                let (first, second) = (seat.min(next), seat.max(next));
                for _ in 0..rounds {
                    let _first = forks[first].lock().unwrap();
                    let _second = forks[second].lock().unwrap();
                }
            })
        })
        .collect();
    join_all(handles);
}

/// Producers send to one channel; main receives, and checks that each producer's messages stay in order.
fn channel(producers: usize, messages: usize) {
    let (sender, receiver) = mpsc::channel::<usize>();
    let handles = (0..producers)
        .map(|producer| {
            let sender = sender.clone();
            thread::spawn(move || {
                for message in 0..messages {
                    sender.send(producer * 100 + message).unwrap();
                }
            })
        })
        .collect();
    let mut last = vec![None; producers];
    for _ in 0..producers * messages {
        let value = receiver.recv().unwrap();
        let (producer, message) = (value / 100, value % 100);
        assert!(last[producer].is_none_or(|last| last < message));
        last[producer] = Some(message);
    }
    join_all(handles);
}

/// A Treiber stack over indices, without reclamation; each thread pushes and pops in turn.
/// A retry loop reloads after a failed compare-exchange.
fn treiber(threads: usize, ops: usize) {
    let stack = Arc::new(Stack::new(threads * ops));
    let handles: Vec<_> = (0..threads)
        .map(|thread| {
            let stack = stack.clone();
            thread::spawn(move || {
                let mut popped = 0;
                for op in 0..ops {
                    if op % 2 == 0 {
                        stack.push(1 + thread * ops + op);
                    } else {
                        popped += usize::from(stack.pop().is_some());
                    }
                }
                popped
            })
        })
        .collect();
    let popped: usize = handles.into_iter().map(|handle| handle.join().unwrap()).sum();
    assert_eq!(popped, threads * (ops / 2));
}

/// Nodes are indices from 1; 0 is the end of the list.
struct Stack {
    head: AtomicUsize,
    next: Vec<AtomicUsize>,
}

impl Stack {
    fn new(nodes: usize) -> Self {
        Stack { head: AtomicUsize::new(0), next: (0..=nodes).map(|_| AtomicUsize::new(0)).collect() }
    }

    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(Relaxed);
            self.next[node].store(head, Relaxed);
            if self.head.compare_exchange(head, node, AcqRel, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            if head == 0 {
                return None;
            }
            let next = self.next[head].load(Relaxed);
            if self.head.compare_exchange(head, next, AcqRel, Relaxed).is_ok() {
                return Some(head);
            }
        }
    }
}

/// Producers fill a buffer guarded by a mutex and two condition variables; main empties it.
fn bounded_buffer(producers: usize, items: usize, capacity: usize) {
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
    let handles = (0..producers)
        .map(|producer| {
            let buffer = buffer.clone();
            thread::spawn(move || {
                for item in 0..items {
                    let mut queue = buffer.queue.lock().unwrap();
                    while queue.len() == capacity {
                        queue = buffer.not_full.wait(queue).unwrap();
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
    join_all(handles);
}

/// Writers increment and readers read one value under one reader-writer lock.
fn rwlock(readers: usize, writers: usize, rounds: usize) {
    let lock = Arc::new(RwLock::new(0usize));
    let mut handles = Vec::new();
    for _ in 0..writers {
        let lock = lock.clone();
        handles.push(thread::spawn(move || {
            for _ in 0..rounds {
                *lock.write().unwrap() += 1;
            }
        }));
    }
    for _ in 0..readers {
        let lock = lock.clone();
        handles.push(thread::spawn(move || {
            for _ in 0..rounds {
                let _ = *lock.read().unwrap();
            }
        }));
    }
    join_all(handles);
}

/// Each thread adds to one atomic: every order is a trace of its own.
fn fetch_add(threads: usize, rounds: usize) {
    let counter = atomics(1);
    let handles = (0..threads)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..rounds {
                    counter[0].fetch_add(1, SeqCst);
                }
            })
        })
        .collect();
    join_all(handles);
}

/// Each thread stores to an atomic of its own: one trace.
fn independent(threads: usize, rounds: usize) {
    let cells = atomics(threads);
    let handles = (0..threads)
        .map(|thread| {
            let cells = cells.clone();
            thread::spawn(move || {
                for round in 0..rounds {
                    cells[thread].store(round, SeqCst);
                }
            })
        })
        .collect();
    join_all(handles);
}

/// `lastzero` of the optimal-reduction papers: writer i copies its left neighbour plus one, while main
/// searches for the last cell that is still zero.
fn last_zero(writers: usize) {
    let cells = atomics(writers + 1);
    let handles = (1..=writers)
        .map(|writer| {
            let cells = cells.clone();
            thread::spawn(move || {
                let left = cells[writer - 1].load(SeqCst);
                cells[writer].store(left + 1, SeqCst);
            })
        })
        .collect();
    let mut last = writers;
    while cells[last].load(SeqCst) != 0 {
        last -= 1;
    }
    join_all(handles);
    record(&[last]);
}

/// One store and n loads of one location: 2^n traces.
fn writer_and_readers(readers: usize) {
    let cell = atomics(1);
    let written = cell.clone();
    let mut handles = vec![thread::spawn(move || written[0].store(1, SeqCst))];
    for _ in 0..readers {
        let cell = cell.clone();
        handles.push(thread::spawn(move || record(&[cell[0].load(SeqCst)])));
    }
    join_all(handles);
}

/// All threads only read one location: one trace.
fn readers(threads: usize, rounds: usize) {
    let cell = atomics(1);
    let handles = (0..threads)
        .map(|_| {
            let cell = cell.clone();
            thread::spawn(move || {
                for _ in 0..rounds {
                    record(&[cell[0].load(SeqCst)]);
                }
            })
        })
        .collect();
    join_all(handles);
}
