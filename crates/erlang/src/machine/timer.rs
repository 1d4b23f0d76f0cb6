//! Timers: tasks with a deadline in virtual time. A timer that fired or was cancelled stays a task, as
//! [`Task::Spent`].

use super::{Machine, Signal, Task};
use crate::process::{Pc, Process};
use crate::run::Env;
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
    /// Whether its deadline ever comes: see `Settings::after_timeout`.
    pub fires: bool,
    /// The calls in which it was set.
    pub place: u64,
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

/// After the end of the test, a timeout or timer that is set in the same calls fires at most so many times: a program
/// whose timers tick for ever comes to its end.
pub const LATE_FIRINGS: u32 = 3;

/// The calls that a process is in, as one number.
pub(crate) fn place_of(p: &Process) -> u64 {
    let add = |sum: u64, pc: Pc| {
        let word = (pc.module as u64) << 32 | pc.at as u64;
        (sum.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    p.frames.iter().map(|frame| frame.ret).fold(add(0, p.pc), add)
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
    /// The deadline of a timer or of a receive.
    pub(super) fn deadline_of(&self, task: usize) -> Option<u64> {
        match &self.tasks[task] {
            Task::Timer(timer) => timer.fires.then_some(timer.deadline),
            Task::Process(p) if p.round > 0 => self.deadline_of_loop(task),
            Task::Process(p) => p.deadline(),
            _ => None,
        }
    }
    /// The earliest deadline of timers and receives.
    pub(super) fn earliest(&self) -> Option<u64> {
        (0..self.tasks.len()).filter_map(|task| self.deadline_of(task)).min()
    }
    /// Whether the timers with the earliest deadline no longer fire: the test is over, and one of them is set again and
    /// again. Later ones do not fire either, since time would have to pass the earliest.
    pub(super) fn is_cut_short(&self, earliest: u64) -> bool {
        if self.late_firings.is_empty() || !self.test_is_over() {
            return false;
        }
        let often = |task: &usize| {
            let fired = self.late_key(*task).and_then(|key| self.late_firings.get(&key));
            fired.is_some_and(|times| *times >= LATE_FIRINGS)
        };
        let is_cut = (0..self.tasks.len())
            .filter(|task| self.deadline_of(*task) == Some(earliest))
            .any(|task| often(&task));
        if is_cut {
            self.env.timers_were_cut.set(true);
        }
        is_cut
    }
    /// Whether timers were cut short in an execution so far.
    pub(crate) fn timers_were_cut(&self) -> bool {
        self.env.timers_were_cut.get()
    }
    /// Whether rounds of loops that poll were left out that could make a difference: they sleep, or a process asks what
    /// others do at the moment.
    pub(crate) fn rounds_were_left_out(&self) -> bool {
        let Env { loops_were_cut, sleeps_were_cut, activity_is_read, .. } = &*self.env;
        sleeps_were_cut.get() || loops_were_cut.get() && activity_is_read.get()
    }
    fn late_key(&self, task: usize) -> Option<(Pid, u64)> {
        match &self.tasks[task] {
            Task::Timer(timer) => Some((timer.owner, timer.place)),
            Task::Process(p) => Some((p.pid, place_of(p))),
            _ => None,
        }
    }
    /// A timer or the timeout of a receive fires: counts it, if the test is over.
    pub(super) fn count_late(&mut self, task: usize) {
        if self.test_is_over()
            && let Some(key) = self.late_key(task)
        {
            *Rc::make_mut(&mut self.late_firings).entry(key).or_insert(0) += 1;
        }
    }
    /// Whether a timer is armed that will send a message to this process.
    pub(super) fn has_timer(&self, p: &Process) -> bool {
        self.any_timer()
            && self.tasks.iter().any(|task| match task {
                Task::Timer(timer) if timer.fires => match &timer.to {
                    Term::Pid(pid) => *pid == p.pid,
                    Term::Atom(name) => Some(*name) == p.name,
                    _ => false,
                },
                _ => false,
            })
    }
    /// A timer fires.
    pub(super) fn fire(&mut self, task: usize) {
        let Task::Timer(timer) = &self.tasks[task] else { return };
        let timer = timer.clone();
        self.count_late(task);
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
