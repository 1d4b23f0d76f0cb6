//! Which exits are failures. The exit of the test process before its test is done always is one; another abnormal exit is
//! one if no process observes it and no process expects it: see [`Judgement`]. The rules are in the guide, "What is a
//! failure".

use super::Machine;
use crate::process::{Exiting, Monitor, Process};
use crate::settings::{Grain, Judgement};
use crate::term::{Pid, Term, known};
use raddle_core::verdict::{Cause, Defect, FailureKind};
use std::rc::Rc;

fn is_shutdown(reason: &Term) -> bool {
    reason.is_atom(known::SHUTDOWN)
        || reason.as_tuple().is_some_and(|t| t.len() == 2 && t[0].is_atom(known::SHUTDOWN))
}

impl Machine {
    /// Whether the verdict depends on a process that observes this exit. That of the test process is a failure or
    /// not, whatever is observed.
    pub(super) fn may_fail(&self, task: usize) -> bool {
        self.env.settings.judgement == Judgement::Usual
            && self.process(task).pid != Pid::root()
            && !self.is_peaceful(self.exiting(task))
    }

    /// Whether an exit of a process other than the test's is no failure by its reason or its cause.
    fn is_peaceful(&self, exiting: &Exiting) -> bool {
        let reason = &exiting.reason;
        exiting.injected
            || reason.is_atom(known::NORMAL)
            || self.env.is_treated_as_normal(reason)
            || self.env.settings.ignores(FailureKind::Panic)
            || self.env.settings.judgement == Judgement::Usual
                && (is_shutdown(reason) || self.is_expected(exiting))
    }

    /// Whether the exit is no surprise: another process brought it about by `exit/2`, OTP's behaviours told of it, or it
    /// follows the exit of a linked process for which that holds.
    fn is_expected(&self, exiting: &Exiting) -> bool {
        let followed = |pid: Pid| self.find(pid).and_then(|task| self.process(task).exiting.as_ref());
        exiting.expected
            || exiting
                .follows
                .and_then(followed)
                .is_some_and(|origin| origin.injected || self.is_expected(origin))
    }

    pub(super) fn would_be_noticed(&self, pid: Pid, links: &[Pid], watchers: &[Monitor]) -> bool {
        // Monitor signals in transit count, since DOWN will be sent for them. (Only with grain `full`, where
        // an exit that may fail conflicts with everything.)
        let watches = |(task, p): (usize, &Rc<Process>)| {
            p.monitors.iter().any(|m| m.other == pid) && !self.has_vanished(task)
        };
        (self.env.settings.grain == Grain::Full && self.processes().any(watches))
            || watchers.iter().any(|w| self.find(w.other).is_some_and(|t| !self.has_vanished(t)))
            || links.iter().any(|l| self.alive(*l).is_some_and(|t| self.process(t).trap_exit))
    }

    /// Whether the exit of this process, whose pid is not released yet, will be a failure.
    pub(super) fn will_fail(&self, task: usize) -> bool {
        let p = self.process(task);
        self.is_failure(task, self.would_be_noticed(p.pid, &p.links, &p.monitored_by))
    }

    /// A monitor finds the process terminated by a signal, and gets `noproc`: the exit is observed, though
    /// not its reason.
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
        if exiting.early {
            // The test is not done, observed or not.
            let settings = &self.env.settings;
            let allowed = settings.judgement == Judgement::Lenient && exiting.reason.is_atom(known::NORMAL);
            return !allowed
                && !settings.ignores(FailureKind::Panic)
                && !self.env.is_treated_as_normal(&exiting.reason);
        }
        if self.is_peaceful(exiting) {
            return false;
        }
        match self.env.settings.judgement {
            Judgement::Strict => true,
            Judgement::Usual => !(noticed || exiting.noticed) || self.process(task).pid == Pid::root(),
            Judgement::Lenient => self.process(task).pid == Pid::root(),
        }
    }

    /// Records a failure if this exit is one. By the thesis's rules the execution is over then; otherwise it
    /// continues, since other processes may show more behaviour.
    pub(super) fn judge(&mut self, task: usize) {
        let exiting = self.exiting(task);
        if !self.is_failure(task, exiting.noticed) {
            return;
        }
        let reason = &exiting.reason;
        let process = self.process(task).pid.to_string();
        let place = exiting.trace.as_ref().and_then(super::ending::place_of);
        let mut defect = Defect::of(match &exiting.trace {
            Some(_) => {
                let reason = reason.as_tuple().map_or(reason, |t| &t[0]).to_string();
                Cause::Crashed { process, reason, place: place.clone() }
            }
            None => {
                let early = exiting.early && (reason.is_atom(known::NORMAL) || is_shutdown(reason));
                Cause::Exited { process, reason: reason.to_string(), early, place: place.clone() }
            }
        });
        let undefined = exiting.trace.is_some()
            && reason
                .as_tuple()
                .map_or(reason, |t| &t[0])
                .as_atom()
                .is_some_and(|what| what.text() == "undef");
        let frames = exiting.trace.as_ref().map(super::ending::stack).unwrap_or_default();
        for (depth, frame) in frames.into_iter().enumerate() {
            defect = defect.with(frame.fact(undefined && depth == 0));
        }
        if self.env.settings.grain == Grain::Thesis {
            self.over = Some(Rc::new(defect));
        } else if self.failed.is_none() {
            self.failed = Some(Rc::new(defect));
        }
    }
}
