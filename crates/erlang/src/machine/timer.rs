//! Timers: tasks with a deadline.

use super::{Machine, Signal, Task};
use crate::term::hash::Fingerprint;
use crate::term::{Pid, Ref, Term};
use raddle_core::world::Birth;
use std::rc::Rc;

/// A timer that has not fired.
#[derive(Clone)]
pub struct Timer {
    /// Who set it.
    pub owner: Pid,
    /// Its number there.
    pub number: u32,
    /// Its reference.
    pub reference: Ref,
    /// A pid or a name.
    pub to: Term,
    /// What is sent.
    pub message: Term,
    /// When, in nanoseconds.
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
        // The end of a process takes its timers away.
        self.ends_are_observed();
        self.ticking += 1;
        self.add_task(Task::Timer(Rc::new(timer)), parent, number);
    }
    /// The task of a timer that has not fired.
    pub(crate) fn timer(&self, reference: Ref) -> Option<(usize, &Timer)> {
        self.tasks.iter().enumerate().find_map(|(i, t)| match t {
            Task::Timer(timer) if timer.reference == reference => Some((i, &**timer)),
            _ => None,
        })
    }
    /// Whom a timer is or was for.
    pub(crate) fn addressee(&self, reference: Ref) -> Option<&Term> {
        self.tasks.iter().find_map(|t| match t {
            Task::Timer(timer) | Task::Spent(timer) if timer.reference == reference => Some(&timer.to),
            _ => None,
        })
    }
    /// Takes a timer away.
    pub(crate) fn disarm(&mut self, task: usize) {
        if let Task::Timer(timer) = &self.tasks[task] {
            self.tasks[task] = Task::Spent(timer.clone());
            self.ticking -= 1;
        }
    }
    /// Whether there are timers that have not fired.
    pub(super) fn any_timer(&self) -> bool {
        debug_assert_eq!(self.ticking > 0, self.tasks.iter().any(|t| matches!(t, Task::Timer(_))));
        self.ticking > 0
    }
    /// Timers to a process that has ended never matter; those to names live on.
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
    /// The earliest deadline there is, of timers and of receives.
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
