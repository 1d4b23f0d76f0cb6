//! Helpers of the programs: tasks that share a state, and variables as in a C program.

use super::rt::sync::Arc;
use super::rt::sync::atomic::{AtomicI64, Ordering::SeqCst};
use super::rt::thread::{self, JoinHandle};

/// Tasks that share a state.
pub struct Crew<T> {
    shared: Arc<T>,
    handles: Vec<JoinHandle<()>>,
}

impl<T: Send + Sync + 'static> Crew<T> {
    pub fn new(shared: T) -> Crew<T> {
        Crew { shared: Arc::new(shared), handles: Vec::new() }
    }
    /// Spawns another task.
    pub fn task(mut self, body: impl FnOnce(&T) + Send + 'static) -> Crew<T> {
        let shared = self.shared.clone();
        self.handles.push(thread::spawn(move || body(&shared)));
        self
    }
    /// Runs a function on the main task in parallel.
    pub fn meanwhile(self, body: impl FnOnce(&T)) -> Crew<T> {
        body(&self.shared);
        self
    }
    /// Joins all tasks.
    pub fn join(self) -> Arc<T> {
        for handle in self.handles {
            handle.join().unwrap();
        }
        self.shared
    }
}

/// A shared variable as in C: reads and writes are atomic, but nothing else is.
pub struct Var(AtomicI64);

impl Var {
    pub fn new(value: i64) -> Var {
        Var(AtomicI64::new(value))
    }
    #[track_caller]
    pub fn get(&self) -> i64 {
        self.0.load(SeqCst)
    }
    #[track_caller]
    pub fn set(&self, value: i64) {
        self.0.store(value, SeqCst);
    }
    /// A read and a write, in two steps.
    #[track_caller]
    pub fn add(&self, n: i64) {
        let value = self.get();
        self.set(value + n);
    }
    /// Adds in one step and returns the old value.
    #[track_caller]
    pub fn fetch_add(&self, n: i64) -> i64 {
        self.0.fetch_add(n, SeqCst)
    }
    /// Stores a value and returns the old one.
    #[track_caller]
    pub fn swap(&self, value: i64) -> i64 {
        self.0.swap(value, SeqCst)
    }
    /// Changes `from` to `to`; the error is the value that was found instead.
    #[track_caller]
    pub fn change(&self, from: i64, to: i64) -> Result<(), i64> {
        self.0.compare_exchange(from, to, SeqCst, SeqCst).map(|_| ())
    }
}
