//! What steps of the [machine](crate::machine) change in a state: locks that are taken and given back, ends of channels
//! that are dropped, tasks that wake up and are joined.
//!
//! Invariant: whether a change may happen is decided before, in [`blocking`](crate::blocking).

use crate::machine::{At, Destroys, Lock, Progress, Scope, State};
use crate::program::{CHANNELS, mark};

impl State {
    /// The mutex that the task holds innermost.
    pub(crate) fn innermost(&self, id: usize) -> usize {
        match self.tasks[id].scopes.last() {
            Some(Scope::Mutex(mutex)) => *mutex,
            other => unreachable!("the innermost scope is {other:?}"),
        }
    }
    pub(crate) fn log(&mut self, id: usize, number: i8) {
        self.tasks[id].log.push(number);
    }
    /// Out of the queue of its condition variable.
    pub(crate) fn wake(&mut self, id: usize) {
        self.waiting.iter_mut().for_each(|queue| queue.retain(|t| *t != id));
        self.tasks[id].deadline = None;
        self.tasks[id].at = At::Woken;
    }
    /// Takes a lock, and logs whether it is poisoned.
    pub(crate) fn enter(&mut self, id: usize, scope: Scope) {
        let lock: &mut Lock = match scope {
            Scope::Mutex(m) => &mut self.mutexes[m],
            Scope::Read(l) | Scope::Write(l) => &mut self.locks[l],
            Scope::Once(_) | Scope::Cell(..) => unreachable!("no lock"),
        };
        let poisoned = lock.poisoned;
        let sees = match scope {
            Scope::Read(_) => {
                lock.readers += 1;
                Some(lock.data)
            }
            Scope::Write(_) => {
                lock.writer = true;
                lock.data += 1;
                None
            }
            _ => {
                lock.writer = true;
                None
            }
        };
        let task = &mut self.tasks[id];
        task.scopes.push(scope);
        task.log.extend(poisoned.then_some(mark::POISONED));
        task.log.extend(sees);
    }
    pub(crate) fn close(&mut self, id: usize) {
        let unwinds = self.tasks[id].panics;
        match self.tasks[id].scopes.pop().expect("it is open") {
            Scope::Mutex(m) => {
                self.mutexes[m].writer = false;
                self.mutexes[m].poisoned |= unwinds;
            }
            Scope::Write(l) => {
                self.locks[l].writer = false;
                self.locks[l].poisoned |= unwinds;
            }
            Scope::Read(l) => self.locks[l].readers -= 1,
            Scope::Once(o) => self.onces[o] = if unwinds { Progress::Poisoned } else { Progress::Done },
            Scope::Cell(o, _) if unwinds => self.cells[o].0 = Progress::New,
            Scope::Cell(o, value) => {
                self.cells[o] = (Progress::Done, value);
                self.log(id, value);
            }
        }
    }
    pub(crate) fn drop_end(&mut self, id: usize, end: usize) {
        self.tasks[id].ends[end] = false;
        match end.checked_sub(CHANNELS.len()) {
            None => self.channels[end].senders -= 1,
            Some(channel) => self.channels[channel].has_receiver = false,
        }
    }
    /// The task drops one of its counted references. If it is the last one, the destructor comes next.
    pub(crate) fn drop_reference(&mut self, id: usize) {
        self.strong -= 1;
        self.tasks[id].strong -= 1;
        if self.strong == 0 {
            self.tasks[id].destroys = Destroys::Begins;
        }
    }
    /// `id` joins `other`, which is over, and so ends at the latest now; logs how.
    pub(crate) fn join(&mut self, id: usize, other: usize) {
        let how = if self.tasks[other].panics { mark::PANICKED } else { mark::OK };
        self.log(id, how);
        self.tasks[other].ended = true;
        self.tasks[other].joined = true;
    }
}
