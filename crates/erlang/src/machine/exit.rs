//! The exit of a process, which other processes observe in steps: its tables are deleted or inherited, its
//! name and pid are released, then one exit or DOWN signal is sent per link and monitor. With grain `thesis`
//! all of this is one step.

use super::local_run_cache::Given;
use super::spawn::SpawnOptions;
use super::{Machine, Task};
use crate::native::visible::CONFIGURATION;
use crate::process::{ExitStep, Exiting, Lost, Monitor, Next};
use crate::run::Uncaught;
use crate::settings::{Delivery, Grain, Judgement};
use crate::term::{Atom, Pid, Term, known};
use raddle_core::world::Birth;
use std::rc::Rc;

/// Exits are numbered apart from other phantom tasks.
const END: u32 = 1 << 29;

/// Why a process exits.
enum Cause {
    /// Its first function returned.
    Returned,
    /// It does not handle an exception: see [`Uncaught`].
    Exception { is_told: bool, follows: Option<Pid> },
    /// An exit signal of `exit/2`.
    Told { by_itself: bool },
    /// An exit signal of this linked process.
    Linked(Pid),
    /// An injected fault.
    Fault,
}

impl Machine {
    /// The first function of the process returned.
    pub(super) fn returned(&mut self, task: usize) {
        self.start_exit(task, Term::Atom(known::NORMAL), None, Cause::Returned);
    }

    /// The process does not handle an exception.
    pub(crate) fn comes_to_its_end(&mut self, task: usize, uncaught: Uncaught) {
        let Uncaught { reason, trace, is_told, follows } = uncaught;
        if trace.is_some()
            && self.process(task).pid != Pid::root()
            && self.env.settings.dynamic.is_known(*CONFIGURATION)
        {
            self.report_by_the_emulator(task, &reason);
        }
        self.start_exit(task, reason, trace, Cause::Exception { is_told, follows });
    }

    /// The emulator's own report of an error that neither `proc_lib` nor the test reports, for the handlers of `logger` that
    /// the program has added.
    fn report_by_the_emulator(&mut self, task: usize, reason: &Term) {
        let p = self.process(task);
        let args = Term::list([Term::Pid(p.pid), Term::Pid(p.group_leader), reason.clone()]);
        let (module, function) = (Atom::new("raddle_logger"), Atom::new("emulator_report"));
        self.spawn(task, module, function, args, SpawnOptions::default());
    }

    /// An exit signal of `exit/2` terminates the process.
    pub(super) fn told_to_exit(&mut self, task: usize, reason: Term, from: Pid) {
        let by_itself = self.process(task).pid == from;
        self.start_exit(task, reason, None, Cause::Told { by_itself });
    }

    /// The exit of a linked process terminates the process.
    pub(super) fn exits_with(&mut self, task: usize, reason: Term, from: Pid) {
        self.start_exit(task, reason, None, Cause::Linked(from));
    }

    /// An injected fault kills the process.
    pub(super) fn injected_kill(&mut self, task: usize) {
        self.start_exit(task, Term::Atom(known::KILLED), None, Cause::Fault);
    }

    fn start_exit(&mut self, task: usize, reason: Term, trace: Option<Term>, cause: Cause) {
        let early = self.process(task).pid == Pid::root() && self.result.is_none();
        let p = self.process_mut(task);
        let (signalled, expected, follows) = match cause {
            Cause::Returned => (false, false, None),
            Cause::Exception { is_told, follows } => (false, is_told, follows),
            Cause::Told { by_itself } => (true, !by_itself, None),
            Cause::Linked(other) => (true, false, Some(other)),
            Cause::Fault => (true, false, None),
        };
        let exiting = Exiting {
            reason,
            trace,
            todo: Vec::new(),
            begun: false,
            signalled,
            injected: matches!(cause, Cause::Fault),
            early,
            expected,
            follows,
            noticed: false,
            over: false,
        };
        p.exiting = Some(Rc::new(exiting));
        p.acts();
        p.ys.clear();
        p.frames.clear();
        p.fr.clear();
        p.receiving = false;
        if signalled && self.is_order_open() && self.current != task {
            // Its pending operation could have come first, so it stays pending, and the exit is a task of its
            // own.
            let end = Task::End(self.process(task).pid);
            let number = END | self.process(task).pid.hash64() as u32 & (END - 1);
            self.add_task(end, self.current, Birth::PHANTOM | number);
            return;
        }
        let p = self.process_mut(task);
        p.next = Next::Exit;
        p.x.clear();
    }

    /// The next step of an exiting process.
    pub(super) fn next_exit_step(&self, task: usize) -> ExitStep {
        let p = self.process(task);
        let exiting = p.exiting.as_ref().expect("a process that ends");
        if exiting.begun {
            return exiting.todo.last().expect("something left to do").clone();
        }
        self.tables.owned_by(p.pid).into_iter().next().map_or(ExitStep::Vanish, ExitStep::Table)
    }

    /// Takes the next step of an exiting process; says whether any step remains.
    pub(super) fn exit_step(&mut self, task: usize) -> bool {
        let pid = self.process(task).pid;
        if !self.exiting(task).begun {
            let mut todo = vec![ExitStep::Vanish];
            todo.extend(self.tables.owned_by(pid).into_iter().rev().map(ExitStep::Table));
            let exiting = self.exiting_mut(task);
            exiting.begun = true;
            exiting.todo = todo;
        }
        let step = self.exiting_mut(task).todo.pop().expect("something left to do");
        self.log_exit(task, &step, true);
        match step {
            ExitStep::Table(id) => self.table_owner_ends(pid, &id),
            ExitStep::Vanish => self.vanish(task),
            ExitStep::Link(other) => {
                let reason = self.exiting(task).reason.clone();
                self.send(pid, other, Signal::LinkedExit(pid, reason));
            }
            ExitStep::Down(reference, other) => {
                let reason = self.exiting(task).reason.clone();
                self.send(pid, other, Signal::Down(reference, reason));
            }
        }
        if !self.exiting(task).todo.is_empty() {
            return true;
        }
        self.gone(task);
        false
    }

    pub(super) fn exiting(&self, task: usize) -> &Exiting {
        self.process(task).exiting.as_ref().expect("a process that ends")
    }

    pub(super) fn exiting_mut(&mut self, task: usize) -> &mut Exiting {
        Rc::make_mut(self.process_mut(task).exiting.as_mut().expect("a process that ends"))
    }

    /// Releases name and pid, and fixes the links and monitors that are to be signalled.
    fn vanish(&mut self, task: usize) {
        let open = self.is_order_open();
        let p = self.process_mut(task);
        let (pid, name) = (p.pid, p.name.take());
        let links = std::mem::take(&mut p.links);
        let watchers = std::mem::take(&mut p.monitored_by);
        let watched = if open {
            // A later message is handled as if it came in time, since it could have.
            Vec::new()
        } else {
            p.mailbox.clear();
            p.aliases.clear();
            std::mem::take(&mut p.monitors)
        };
        if let Some(name) = name {
            self.take_name(name);
        }
        let may_fail = self.may_fail(task);
        let noticed = may_fail && self.would_be_noticed(pid, &links, &watchers);
        // With ordered mailboxes an exited process monitors nothing. If this step may fail, it conflicts with
        // everything and so may read who has exited; otherwise the DOWN signal is sent, with no visible
        // effect.
        let is_told = |watcher: &&Monitor| {
            !(open && may_fail && self.env.settings.grain == Grain::Full)
                || self.find(watcher.other).is_some_and(|t| !self.has_vanished(t))
        };
        let watchers: Vec<Monitor> = watchers.iter().filter(is_told).cloned().collect();
        let exiting = self.exiting_mut(task);
        exiting.noticed |= noticed;
        exiting.todo.extend(watchers.iter().rev().map(|m| ExitStep::Down(m.reference, m.other)));
        exiting.todo.extend(links.iter().rev().map(|l| ExitStep::Link(*l)));
        for monitor in watched {
            // The monitor is removed at once, which no process can observe.
            if let Some(other) = self.find(monitor.other)
                && self.process(other).monitored_by.iter().any(|m| m.reference == monitor.reference)
            {
                self.process_mut(other).monitored_by.retain(|m| m.reference != monitor.reference);
            }
        }
        self.cancel_timers_of(pid);
        self.judge(task);
    }

    /// Whether name and pid of a process are released.
    pub(super) fn has_vanished(&self, task: usize) -> bool {
        let p = self.process(task);
        p.is_gone() || p.exiting.as_ref().is_some_and(|e| e.begun && !e.todo.contains(&ExitStep::Vanish))
    }

    /// The same by pid.
    pub(super) fn is_pid_gone(&self, pid: Pid) -> bool {
        self.find(pid).is_some_and(|task| self.has_vanished(task))
    }

    fn gone(&mut self, task: usize) {
        // The pending operation stays if a signal terminated the process.
        let stays =
            self.is_order_open() && self.exiting(task).signalled && self.has_end(self.process(task).pid);
        let p = self.process_mut(task);
        p.dictionary = Default::default();
        let exiting = Rc::make_mut(p.exiting.as_mut().expect("a process that ends"));
        exiting.trace = None;
        exiting.over = true;
        if !stays {
            p.next = Next::Gone;
        }
    }

    /// Whether an exit and all its signals are one step, with any links and monitors.
    pub(crate) fn tells_ends_at_once(&self) -> bool {
        let settings = &self.env.settings;
        self.is_order_open()
            && settings.grain != Grain::Full
            && settings.delivery == Delivery::Instant
            && settings.judgement != Judgement::Usual
    }

    /// Whether the exit is a single step that sends no signal and releases nothing.
    pub(super) fn ends_alone(&self, task: usize) -> bool {
        let p = self.process(task);
        let exiting = self.exiting(task);
        !exiting.begun
            && exiting.reason.is_atom(known::NORMAL)
            && p.name.is_none()
            && p.links.is_empty()
            && p.monitored_by.is_empty()
            && p.monitors.is_empty()
            && !self.tables.owns_some(p.pid)
            && !p.lost.iter().any(|lost| matches!(lost, Lost::Table(_)))
            && !self.any_timer()
    }

    /// The process of `task`, which has just taken a step, exits in the same step if no process observes
    /// that.
    pub(super) fn end_unobserved(&mut self, task: usize) {
        let Some(process) = self.receiver_of(task) else { return };
        // If its receive could have timed out instead, this is decided at its next step.
        if !self.is_ending(process) || !self.ends_alone(process) || self.process(process).may_give_up {
            return;
        }
        // The log entry of the exit is not a step.
        let log = self.log.take();
        self.exit_by_grain(process);
        self.log = log;
        self.log_exit(process, &ExitStep::Vanish, false);
    }

    /// Whether a process is about to start its exit by itself.
    pub(crate) fn is_ending(&self, process: usize) -> bool {
        let p = self.process(process);
        matches!(p.next, Next::Exit) && p.exiting.as_ref().is_some_and(|e| !e.begun && !e.signalled)
    }

    /// Whether the process with this key has exited.
    pub(crate) fn has_ended(&self, key: u64) -> bool {
        self.with_key(key).is_some_and(|t| matches!(&self.tasks[t], Task::Process(p) if p.is_gone()))
    }

    /// An operation changes, or depends on, what an exit does.
    pub(crate) fn ends_are_observed(&self) {
        if let Some(unobserved) = &self.env.unobserved {
            unobserved.refute();
        }
    }

    /// Whether exits are observed, though the search assumed otherwise.
    pub(crate) fn are_ends_observed(&self) -> bool {
        self.env.unobserved.as_ref().is_some_and(|unobserved| unobserved.is_refuted())
    }

    /// Takes all steps of an exit that are one step with this grain.
    pub(super) fn exit_by_grain(&mut self, task: usize) {
        if self.ends_alone(task) {
            return self.again(task, self.process(task).clone(), Given::Rest, |machine, _| {
                machine.exit_step(task);
            });
        }
        while self.exit_step(task) && self.env.settings.grain != Grain::Full && self.over.is_none() {}
    }

    /// Processes that may be killed as an injected fault.
    pub(super) fn victims(&self) -> Vec<usize> {
        let alive = self.processes().filter(|(t, p)| p.pid != Pid::root() && self.is_alive(*t));
        let mut victims: Vec<usize> = alive.map(|(t, _)| t).collect();
        // The order does not depend on the schedule.
        victims.sort_by_key(|t| self.process(*t).pid);
        victims
    }
}

use super::Signal;
