//! Timers: tasks with a deadline in virtual time. A timer that fired or was cancelled stays a task, as
//! [`Task::Spent`].

use super::{Machine, Signal, Task};
use crate::term::hash::Fingerprint;
use crate::term::{Pid, Ref, Term};
use raddle_core::world::Birth;
use std::rc::Rc;

/// An armed timer.
#[derive(Clone)]
pub struct Timer {
    /// The process that set it.
    pub owner: Pid,
    /// Its number among the timers of that process.
    pub number: u32,
    /// Its reference.
    pub reference: Ref,
    /// The receiver: a pid or a name.
    pub to: Term,
    /// The message.
    pub message: Term,
    /// The deadline, in nanoseconds.
    pub deadline: u64,
}

impl Timer {
    /// Adds it to a fingerprint.
    pub fn fingerprint(&self, f: &mut Fingerprint) {
        f.term(&Term::Ref(self.reference));
        f.term(&self.to);
        f.term(&self.message);
        f.word(self.deadline);
    }
}

impl Machine {
    /// Sets a timer.
    pub(crate) fn arm(&mut self, timer: Timer) {
        let parent = self.find(timer.owner).unwrap_or(0);
        let number = Birth::PHANTOM | timer.number;
        // The exit of a process cancels the timers addressed to it.
        self.ends_are_observed();
        self.ticking += 1;
        self.add_task(Task::Timer(Rc::new(timer)), parent, number);
    }
    /// The task of an armed timer.
    pub(crate) fn timer(&self, reference: Ref) -> Option<(usize, &Timer)> {
        self.tasks.iter().enumerate().find_map(|(i, t)| match t {
            Task::Timer(timer) if timer.reference == reference => Some((i, &**timer)),
            _ => None,
        })
    }
    /// The receiver of a timer, armed or not.
    pub(crate) fn addressee(&self, reference: Ref) -> Option<&Term> {
        self.tasks.iter().find_map(|t| match t {
            Task::Timer(timer) | Task::Spent(timer) if timer.reference == reference => Some(&timer.to),
            _ => None,
        })
    }
    /// Cancels a timer.
    pub(crate) fn disarm(&mut self, task: usize) {
        if let Task::Timer(timer) = &self.tasks[task] {
            self.tasks[task] = Task::Spent(timer.clone());
            self.ticking -= 1;
        }
    }
    /// Whether a timer is armed.
    pub(super) fn any_timer(&self) -> bool {
        debug_assert_eq!(self.ticking > 0, self.tasks.iter().any(|t| matches!(t, Task::Timer(_))));
        self.ticking > 0
    }
    /// Timers to an exited process have no effect; those to names stay armed.
    pub(super) fn cancel_timers_of(&mut self, pid: Pid) {
        for task in &mut self.tasks {
            if let Task::Timer(timer) = task
                && matches!(timer.to, Term::Pid(p) if p == pid)
            {
                self.ticking -= 1;
                *task = Task::Spent(timer.clone());
            }
        }
    }
    /// The earliest deadline of timers and receives.
    pub(super) fn earliest(&self) -> Option<u64> {
        let of_task = |task: &Task| match task {
            Task::Timer(timer) => Some(timer.deadline),
            Task::Process(p) => p.deadline(),
            _ => None,
        };
        self.tasks.iter().filter_map(of_task).min()
    }
    /// A timer fires.
    pub(super) fn fire(&mut self, task: usize) {
        let Task::Timer(timer) = &self.tasks[task] else { return };
        let timer = timer.clone();
        self.disarm(task);
        self.now = self.now.max(timer.deadline);
        let to = match &timer.to {
            Term::Pid(p) => Some(*p),
            Term::Atom(name) => self.names.get(name).copied(),
            _ => None,
        };
        if let Some(to) = to {
            self.arrive(to, Signal::Message(timer.message.clone()));
        }
    }
}
