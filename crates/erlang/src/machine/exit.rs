//! How processes end: for others, not all at once. First the tables go, then name and pid, then each linked
//! and each monitoring process is told. Grain `thesis` takes all of it in one step.

use super::local_run_cache::Given;
use super::{Machine, Task};
use crate::process::{ExitStep, Exiting, Monitor, Next, Process};
use crate::settings::{Delivery, Grain, Judgement};
use crate::term::{Pid, Term, known};
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::Birth;
use std::rc::Rc;

/// Ends are numbered apart from other phantoms.
const END: u32 = 1 << 29;

impl Machine {
    /// The process comes to its end by itself.
    pub(crate) fn comes_to_its_end(&mut self, task: usize, reason: Term, trace: Option<Term>) {
        self.start_exit(task, reason, trace, false, false);
    }

    /// A signal makes the process end.
    pub(crate) fn signalled_to_exit(&mut self, task: usize, reason: Term) {
        self.start_exit(task, reason, None, true, false);
    }

    /// The process is killed as an injected fault.
    pub(super) fn injected_kill(&mut self, task: usize) {
        self.start_exit(task, Term::Atom(known::KILLED), None, true, true);
    }

    fn start_exit(
        &mut self,
        task: usize,
        reason: Term,
        trace: Option<Term>,
        signalled: bool,
        injected: bool,
    ) {
        let p = self.process_mut(task);
        let exiting = Exiting {
            reason,
            trace,
            todo: Vec::new(),
            begun: false,
            signalled,
            injected,
            noticed: false,
            over: false,
        };
        p.exiting = Some(Rc::new(exiting));
        p.ys.clear();
        p.frames.clear();
        p.fr.clear();
        p.receiving = false;
        p.led_by_others |= signalled;
        if signalled && self.is_order_open() && self.mover != task {
            // What it was about to do might have been before, so that stays pending, and its end is a task of its own.
            let end = Task::End(self.process(task).pid);
            let number = END | self.process(task).pid.hash64() as u32 & (END - 1);
            self.add_task(end, self.mover, Birth::PHANTOM | number);
            return;
        }
        let p = self.process_mut(task);
        p.next = Next::Exit;
        p.x.clear();
    }

    /// What the next step of an ending process is.
    pub(super) fn next_exit_step(&self, task: usize) -> ExitStep {
        let p = self.process(task);
        let exiting = p.exiting.as_ref().expect("a process that ends");
        if exiting.begun {
            return exiting.todo.last().expect("something left to do").clone();
        }
        self.tables.owned_by(p.pid).into_iter().next().map_or(ExitStep::Vanish, ExitStep::Table)
    }

    /// Takes the next step of an ending process; says whether anything is left.
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
        self.log_exit(task, &step);
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

    fn exiting(&self, task: usize) -> &Exiting {
        self.process(task).exiting.as_ref().expect("a process that ends")
    }

    fn exiting_mut(&mut self, task: usize) -> &mut Exiting {
        Rc::make_mut(self.process_mut(task).exiting.as_mut().expect("a process that ends"))
    }

    /// Name and pid go; from now on it is known who has to be told.
    fn vanish(&mut self, task: usize) {
        let open = self.is_order_open();
        let p = self.process_mut(task);
        let (pid, name) = (p.pid, p.name.take());
        let links = std::mem::take(&mut p.links);
        let watchers = std::mem::take(&mut p.monitored_by);
        let watched = if open {
            // What comes later is treated as if it came in time, since it might have.
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
        // Where messages have an order, the dead watch nobody. This step touches everything if it may fail, so that it
        // may know who is dead; otherwise they are told, which nobody sees.
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
            // Nobody is told any more; at once, since nobody could tell the difference.
            if let Some(other) = self.find(monitor.other)
                && self.process(other).monitored_by.iter().any(|m| m.reference == monitor.reference)
            {
                self.process_mut(other).monitored_by.retain(|m| m.reference != monitor.reference);
            }
        }
        self.cancel_timers_of(pid);
        self.judge(task);
    }

    /// Whether it matters if somebody notices the end of this process.
    pub(super) fn may_fail(&self, task: usize) -> bool {
        self.env.settings.judgement == Judgement::Usual
            && !self.exiting(task).reason.is_atom(known::NORMAL)
            && !self.exiting(task).injected
    }

    fn would_be_noticed(&self, pid: Pid, links: &[Pid], watchers: &[Monitor]) -> bool {
        // Monitors that are on their way count: whoever set them will hear of it. (Grain `full` alone looks at everything
        // where an end may be a failure.)
        let watches = |(task, p): (usize, &Rc<Process>)| {
            p.monitors.iter().any(|m| m.other == pid) && !self.has_vanished(task)
        };
        (self.env.settings.grain == Grain::Full && self.processes().any(watches))
            || watchers.iter().any(|w| self.find(w.other).is_some_and(|t| !self.has_vanished(t)))
            || links.iter().any(|l| self.alive(*l).is_some_and(|t| self.process(t).trap_exit))
    }

    /// Whether name and pid of a process are gone.
    pub(super) fn has_vanished(&self, task: usize) -> bool {
        let p = self.process(task);
        p.is_gone() || p.exiting.as_ref().is_some_and(|e| e.begun && !e.todo.contains(&ExitStep::Vanish))
    }

    /// The same for whoever had this pid.
    pub(super) fn is_pid_gone(&self, pid: Pid) -> bool {
        self.find(pid).is_some_and(|task| self.has_vanished(task))
    }

    /// Whether the end of this process, which has not vanished yet, will be a failure.
    pub(super) fn will_fail(&self, task: usize) -> bool {
        let p = self.process(task);
        self.is_failure(task, self.would_be_noticed(p.pid, &p.links, &p.monitored_by))
    }

    /// Somebody watches a process that is dying of a signal, and is told so: its end is noticed, though not its reason.
    pub(super) fn is_known_to_end(&mut self, pid: Pid) {
        let Some(task) = self.find(pid).filter(|t| self.process(*t).is_doomed() && !self.has_vanished(*t))
        else {
            return;
        };
        if self.may_fail(task) && !self.exiting(task).noticed {
            self.exiting_mut(task).noticed = true;
        }
    }

    fn is_failure(&self, task: usize, noticed: bool) -> bool {
        let exiting = self.exiting(task);
        let noticed = noticed || exiting.noticed;
        let reason = &exiting.reason;
        if reason.is_atom(known::NORMAL) || exiting.injected {
            return false;
        }
        let shutdown = reason.is_atom(known::SHUTDOWN)
            || reason.as_tuple().is_some_and(|t| t.len() == 2 && t[0].is_atom(known::SHUTDOWN));
        // The test fails with its process, whoever else is told.
        let test = self.process(task).pid == Pid::root();
        match self.env.settings.judgement {
            Judgement::Strict => true,
            Judgement::Usual => !shutdown && (!noticed || test),
            Judgement::Lenient => test,
        }
    }

    /// Notes a failure if this end is one. By the thesis's rules the run is over then; otherwise it goes on,
    /// since others may still do what nobody has seen.
    fn judge(&mut self, task: usize) {
        let exiting = self.exiting(task);
        if !self.is_failure(task, exiting.noticed) {
            return;
        }
        let reason = &exiting.reason;
        let pid = self.process(task).pid;
        let mut message = match &exiting.trace {
            Some(_) => {
                let what = reason.as_tuple().map_or(reason.clone(), |t| t[0].clone());
                format!("{pid} crashed: {what}")
            }
            None => format!("{pid} exited abnormally: {reason}"),
        };
        let place = exiting.trace.as_ref().and_then(super::ending::place_of);
        if let Some(place) = &place {
            message += &format!(" at {place}");
        }
        let mut defect = Defect::new(FailureKind::Panic, message);
        for line in exiting.trace.as_ref().map(super::ending::trace_lines).unwrap_or_default() {
            defect = defect.note(line.0, line.1);
        }
        if self.env.settings.grain == Grain::Thesis {
            self.over = Some(Rc::new(defect));
        } else if self.failed.is_none() {
            self.failed = Some(Rc::new(defect));
        }
    }

    fn gone(&mut self, task: usize) {
        // What it was about to do stays pending if somebody else made it end.
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

    /// Whether the end of a process and all news of it are one step, whoever watches.
    pub(crate) fn tells_ends_at_once(&self) -> bool {
        let settings = &self.env.settings;
        self.is_order_open()
            && settings.grain != Grain::Full
            && settings.delivery == Delivery::Instant
            && settings.judgement != Judgement::Usual
    }

    /// Whether the end of a process is one step that nobody is told of and that takes nothing away.
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
            && !self.any_timer()
    }

    /// The process of `task`, which has just moved, ends in the same step if nobody observes that.
    pub(super) fn end_unobserved(&mut self, task: usize) {
        let Some(process) = self.receiver_of(task) else { return };
        // Whoever could have given up waiting, and not received what led to this, is asked about that at its next step.
        if !self.is_ending(process) || !self.ends_alone(process) || self.process(process).may_give_up {
            return;
        }
        // What is written down of it is no step.
        let log = self.log.take();
        self.exit_by_grain(process);
        self.log = log;
        if self.log.is_some() {
            let text = self.exit_words(process, &ExitStep::Vanish);
            self.note(process, text, String::new(), None, false);
        }
    }

    /// Whether a process is about to begin to end by itself.
    pub(crate) fn is_ending(&self, process: usize) -> bool {
        let p = self.process(process);
        matches!(p.next, Next::Exit) && p.exiting.as_ref().is_some_and(|e| !e.begun && !e.signalled)
    }

    /// Whether the process with this name has ended by itself.
    pub(crate) fn has_ended(&self, key: u64) -> bool {
        self.with_key(key).is_some_and(|t| matches!(&self.tasks[t], Task::Process(p) if p.is_gone()))
    }

    /// Somebody changes, or depends on, what the end of a process does.
    pub(crate) fn ends_are_observed(&self) {
        if let Some(unobserved) = &self.env.unobserved {
            unobserved.refute();
        }
    }

    /// Whether somebody observes ends, though it was taken for granted that nobody does.
    pub(crate) fn are_ends_observed(&self) -> bool {
        self.env.unobserved.as_ref().is_some_and(|unobserved| unobserved.is_refuted())
    }

    /// Takes all steps of an end that belong together.
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
        // In an order that does not depend on who was there first.
        victims.sort_by_key(|t| self.process(*t).pid);
        victims
    }
}

use super::Signal;
