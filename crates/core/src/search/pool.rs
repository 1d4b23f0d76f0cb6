//! Hands work from workers that have some to workers that have none, without exploring anything twice.

use super::worker::Job;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

struct State {
    jobs: Vec<Job>,
    /// Workers that explore; when none is left and there are no jobs, the search is over.
    busy: usize,
}

/// The work that nobody does yet.
pub(super) struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    hungry: AtomicUsize,
    closed: AtomicBool,
}

impl Pool {
    pub fn new(jobs: Vec<Job>) -> Pool {
        Pool {
            state: Mutex::new(State { jobs, busy: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        }
    }
    /// Whether somebody waits for work.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }
    /// Nothing more is to be explored. Under the lock, so that nobody who is about to wait misses it.
    pub fn close(&self) {
        let _state = self.state.lock().unwrap();
        self.closed.store(true, Ordering::Relaxed);
        self.call();
    }
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
    /// Offers work.
    pub fn give(&self, job: Job) {
        let mut state = self.state.lock().unwrap();
        state.jobs.push(job);
        self.call();
    }
    /// Whoever waits looks again. Called under the lock, under which whoever waits has said so: to call where nobody
    /// waits costs a system call, and many a search is over in the time that takes.
    fn call(&self) {
        if self.is_wanted() {
            self.changed.notify_all();
        }
    }
    /// The jobs that nobody has taken.
    pub fn take_all(&self) -> Vec<Job> {
        std::mem::take(&mut self.state.lock().unwrap().jobs)
    }
    /// The worker that took a job is done with it.
    pub fn done(&self) {
        let mut state = self.state.lock().unwrap();
        state.busy -= 1;
        self.call();
    }
    /// Waits for work; none when the search is over.
    pub fn take(&self) -> Option<Job> {
        let mut state = self.state.lock().unwrap();
        loop {
            if self.is_closed() {
                return None;
            }
            if let Some(job) = state.jobs.pop() {
                state.busy += 1;
                return Some(job);
            }
            if state.busy == 0 {
                return None;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            state = self.changed.wait(state).unwrap();
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
