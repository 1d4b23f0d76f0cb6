//! Distributes jobs among the workers of a search. Each job is taken by exactly one worker.

use super::worker::Job;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

struct State {
    jobs: Vec<Job>,
    /// Workers that explore. When there are none and no jobs, the search is over.
    busy: usize,
    /// Those of them that wait for a checkpoint, and how many checkpoints there were.
    paused: usize,
    checkpoints: u64,
}

/// The jobs that no worker has taken.
pub(super) struct Pool {
    state: Mutex<State>,
    changed: Condvar,
    hungry: AtomicUsize,
    /// A checkpoint is wanted.
    due: AtomicBool,
    closed: AtomicBool,
}

impl Pool {
    pub fn new(jobs: Vec<Job>) -> Pool {
        Pool {
            state: Mutex::new(State { jobs, busy: 0, paused: 0, checkpoints: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            due: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        }
    }
    /// Whether a worker waits for a job.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }
    /// Ends the search. Takes the lock, so that a worker that is about to wait does not miss it.
    pub fn close(&self) {
        let state = self.state.lock().unwrap();
        self.closed.store(true, Ordering::Relaxed);
        self.call(&state);
    }
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
    /// Adds a job.
    pub fn give(&self, job: Job) {
        let mut state = self.state.lock().unwrap();
        state.jobs.push(job);
        self.call(&state);
    }
    /// Wakes the waiting workers. Called under the lock, under which a worker registers before it waits. To notify
    /// without a waiting worker costs a system call, and a small search takes less time than that.
    fn call(&self, state: &State) {
        if self.is_wanted() || state.paused > 0 {
            self.changed.notify_all();
        }
    }
    /// The jobs that no worker has taken.
    pub fn take_all(&self) -> Vec<Job> {
        std::mem::take(&mut self.state.lock().unwrap().jobs)
    }
    /// The worker that took a job has finished it.
    pub fn done(&self) {
        let mut state = self.state.lock().unwrap();
        state.busy -= 1;
        self.call(&state);
    }
    /// A checkpoint is wanted: each worker pauses after its execution.
    pub fn demand_checkpoint(&self) {
        self.due.store(true, Ordering::Relaxed);
    }
    /// Whether a checkpoint is wanted.
    #[inline]
    pub fn is_checkpoint_due(&self) -> bool {
        self.due.load(Ordering::Relaxed)
    }
    /// Waits until all workers that have a job are between two executions, as the calling one is. One of them calls
    /// `take` with the jobs that no worker has taken, and returns its result; then all go on.
    pub fn pause<R>(&self, take: impl FnOnce(&mut [Job]) -> R) -> Option<R> {
        let mut state = self.state.lock().unwrap();
        let present = state.checkpoints;
        state.paused += 1;
        loop {
            if state.checkpoints != present {
                return None;
            }
            if self.is_closed() {
                state.paused -= 1;
                return None;
            }
            if state.paused == state.busy {
                let taken = take(&mut state.jobs);
                self.call(&state);
                (state.paused, state.checkpoints) = (0, present + 1);
                self.due.store(false, Ordering::Relaxed);
                return Some(taken);
            }
            state = self.changed.wait(state).unwrap();
        }
    }
    /// Waits for a job; none when the search is over.
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
