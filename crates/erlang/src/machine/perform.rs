//! Takes steps: one operation of a task, and the local code after it. Between steps every process is just
//! before a visible operation, which [`Process::next`] announces.

use super::local_run_cache::Given;
use super::{Machine, Signal, Task};
use crate::native::visible::{self, Effect};
use crate::native::{Native, Run};
use crate::process::{Deadline, Found, Next, Process, Then};
use crate::run::{self, Mode, Raise, Stop};
use crate::settings::Grain;
use crate::term::{Pid, Term, known};
use crate::watch::Halt;
use raddle_core::record::Place;
use raddle_core::verdict::{Cause, Defect, FailureKind};
use raddle_core::world::Pick;
use std::rc::Rc;

/// The log entry of an operation.
struct Told {
    text: String,
    place: Option<Place>,
    step: bool,
}

/// A process before its operation: itself, or only the arguments if it is large. A large process must not be shared, or the
/// operation copies it.
enum Before {
    Process(Rc<Process>),
    Arguments(Vec<Term>),
}

impl Before {
    fn of(process: &Rc<Process>) -> Before {
        match process.is_large() {
            true => Before::Arguments(process.x.clone()),
            false => Before::Process(process.clone()),
        }
    }
    fn arguments(&self) -> &[Term] {
        match self {
            Before::Process(process) => &process.x,
            Before::Arguments(x) => x,
        }
    }
}

/// Whether an operation raised an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Went {
    Well,
    Wrong,
}

impl Machine {
    /// Takes the step `pick`.
    pub fn step(&mut self, pick: Pick) {
        let task = pick.task.index();
        match self.step_quietly(task, self.pending[task].accesses) {
            Ok(()) => {}
            Err(None) => self.take_step(pick),
            Err(Some(before)) => {
                self.take_step(pick);
                self.remember_quiet(task, before);
            }
        }
    }

    /// The same without the cache.
    pub(super) fn take_step(&mut self, pick: Pick) {
        let task = pick.task.index();
        let accesses = self.pending[task].accesses;
        let tasks = self.tasks.len();
        self.steps += 1;
        self.current = task;
        self.step_begins(task, accesses);
        match &self.tasks[task] {
            Task::Process(p) => {
                if p.round > 0
                    && let Some(time) = self.deadline_of_loop(task)
                {
                    self.now = self.now.max(time);
                }
                self.step_process(task, pick.option)
            }
            Task::End(pid) => {
                let process = self.find(*pid).expect("its process is there");
                self.exit_by_grain(process);
            }
            Task::UnorderedMessage(_) => {
                self.hurried = None;
                self.receive_unordered(task);
            }
            Task::Pair(_) => {
                self.log_phantom(task);
                self.deliver(task);
            }
            Task::Timer(_) => {
                self.log_phantom(task);
                self.fire(task);
            }
            Task::Faults => self.fault(task, pick.option as usize),
            Task::Received(_) | Task::Spent(..) => unreachable!("what is over cannot move"),
        }
        if self.env.unobserved.is_some() && !self.is_cut() {
            self.end_unobserved(task);
        }
        self.step_ends(accesses, tasks);
        self.stale.add(task);
        self.refresh_after(accesses);
    }

    fn log_phantom(&mut self, task: usize) {
        if self.log.is_some() {
            let text = self.words(task);
            self.note(task, text, String::new(), None, true);
        }
    }

    fn fault(&mut self, task: usize, option: usize) {
        match self.victims().get(option).copied() {
            Some(victim) => {
                self.kills_left -= 1;
                let name = self.process(victim).pid;
                self.note(task, format!("kills {name}"), String::new(), None, true);
                self.injected_kill(victim);
            }
            None => {
                self.kills_left = 0;
                self.note(task, "kills no process".to_owned(), String::new(), None, true);
            }
        }
    }

    fn step_process(&mut self, task: usize, option: u32) {
        let mut first = true;
        self.hurried = None;
        loop {
            let went = self.perform(task, first, option);
            first = false;
            if self.over.is_some() || self.halted {
                return;
            }
            let on = match self.env.settings.grain {
                Grain::Full => false,
                Grain::Thesis => went == Went::Wrong,
                Grain::Receive => !matches!(self.process(task).next, Next::Receive(_)),
            };
            if on && self.is_order_open() && matches!(self.process(task).next, Next::Receive(_)) {
                // Which message it receives is a choice of its own, and no other step comes between.
                let p = self.process(task);
                let goes_on = p.messages.iter().any(|mail| mail.fits) || self.is_ready(task);
                self.hurried = goes_on.then_some(task as u32);
                return;
            }
            if !on || !self.is_ready(task) {
                return;
            }
        }
    }

    pub(super) fn perform(&mut self, task: usize, step: bool, option: u32) -> Went {
        let told = self.log.is_some().then(|| {
            let place = super::ending::own_place(&self.env, self.process(task));
            Box::new(Told { text: self.words(task), place, step })
        });
        let next = self.process(task).next.clone();
        match next {
            Next::Call(native, then) => {
                let before = Before::of(self.process(task));
                let Run::Visible(visible) = native.run else {
                    unreachable!("only visible natives are announced")
                };
                // Snapshots share these tables.
                let tables = (Rc::strong_count(&self.tables) > 1 && visible::changes_tables(native))
                    .then(|| self.tables.clone());
                let done = (visible.act)(self, task, before.arguments());
                if let (Some(tables), Before::Process(before)) = (tables, &before) {
                    self.share_tables(before, tables);
                }
                self.done(task, native, then, done, before, told)
            }
            Next::Send(then) => {
                let before = Before::of(self.process(task));
                let done = visible::send(self, task, before.arguments());
                self.done(task, &visible::SEND, then, done, before, told)
            }
            Next::Receive(found) => {
                if !self.is_order_open() || !self.take_unordered(task, option) {
                    self.receive(task, found, told);
                }
                Went::Well
            }
            Next::Exit => {
                self.exit_by_grain(task);
                Went::Well
            }
            Next::Gone => unreachable!("a process that has ended cannot move"),
        }
    }

    fn done(
        &mut self,
        task: usize,
        native: &'static Native,
        then: Then,
        done: Result<Effect, Raise>,
        before: Before,
        told: Option<Box<Told>>,
    ) -> Went {
        // A look has left the process as it was.
        let look = visible::is_look(native, &done).then(|| self.process(task).clone());
        if let Some(told) = told {
            let result = match &done {
                Ok(Effect::Value(value)) => value.to_short_text(),
                Ok(_) => String::new(),
                Err(Raise::Exception { reason, .. }) => format!("raises {reason}"),
                Err(Raise::Unsupported(_)) => "is not supported".to_owned(),
                Err(Raise::TooLarge) => "takes too much memory".to_owned(),
            };
            self.note(task, told.text, result, told.place, told.step);
        }
        match done {
            Ok(Effect::Value(value)) => {
                if self.process(task).exiting.is_some() {
                    // It killed itself.
                    return Went::Well;
                }
                let go_on = |machine: &mut Machine, given| {
                    let Given::Value(value) = given else { unreachable!("it was a value") };
                    let p = machine.process_mut(task);
                    p.acts();
                    match run::complete(p, then, value) {
                        Some(stop) => machine.settle(task, stop),
                        None => machine.advance(task),
                    }
                    look.into_iter().for_each(|before| machine.has_looked(task, before));
                };
                match before {
                    Before::Process(before) => self.again(task, before, Given::Value(value), go_on),
                    Before::Arguments(_) => go_on(self, Given::Value(value)),
                }
                Went::Well
            }
            Ok(Effect::Jump(module, function, args)) => {
                let p = self.process_mut(task);
                p.acts();
                p.frames.clear();
                p.ys.clear();
                super::spawn::set_up_call(p, module, function, args);
                self.advance(task);
                Went::Well
            }
            Ok(Effect::Enter) => {
                drop(before);
                let (env, versions, now) = (self.env.clone(), self.versions.clone(), self.now);
                let stop = run::enter(self.process_mut(task), &env, &versions, now, then);
                self.settle(task, stop);
                Went::Well
            }
            Ok(Effect::Over) => Went::Well,
            Err(Raise::Unsupported(what)) => {
                let place = run::place_of(&self.env, self.process(task));
                self.unsupported(format!("{what} (called at {place})"));
                Went::Wrong
            }
            Err(Raise::TooLarge) => {
                self.halt(Halt::Memory);
                Went::Wrong
            }
            Err(raise) => {
                let env = self.env.clone();
                let args = before.arguments().to_vec();
                drop(before);
                let p = self.process_mut(task);
                p.acts();
                match run::raise(p, &env, raise.in_native(native.mfa(), args)) {
                    Ok(()) => self.advance(task),
                    Err(stop) => self.settle(task, stop),
                }
                look.into_iter().for_each(|before| self.has_looked(task, before));
                Went::Wrong
            }
        }
    }

    fn receive(&mut self, task: usize, found: Found, told: Option<Box<Told>>) {
        let (place, step) = told.map_or((None, false), |told| (told.place, told.step));
        match found {
            Found::Message(index) => {
                if self.log.is_some() {
                    let message = self.process(task).mailbox[index as usize].to_short_text();
                    self.note(task, "receives a message".to_owned(), message, place, step);
                }
                self.again(task, self.process(task).clone(), Given::Turn(index), |machine, _| {
                    let p = machine.process_mut(task);
                    p.acts();
                    p.save = index;
                    p.receiving = true;
                    machine.advance(task);
                });
            }
            Found::Nothing { wait, deadline } => {
                if let Some(Deadline::At(at)) = deadline {
                    self.count_late(task);
                    self.now = self.now.max(at);
                }
                self.note(task, "waits for a message".to_owned(), "times out".to_owned(), place, step);
                let before = self.process(task).clone();
                let p = self.process_mut(task);
                p.acts();
                p.save = 0;
                p.pc.at = wait + 1;
                self.advance(task);
                self.has_looked(task, before);
            }
            Found::BadTimeout { wait } => {
                let env = self.env.clone();
                self.note(
                    task,
                    "waits for a message".to_owned(),
                    "raises timeout_value".to_owned(),
                    place,
                    step,
                );
                let p = self.process_mut(task);
                p.pc.at = wait;
                match run::raise(p, &env, Raise::error(Term::Atom(known::TIMEOUT_VALUE))) {
                    Ok(()) => self.advance(task),
                    Err(stop) => self.settle(task, stop),
                }
            }
        }
    }

    /// Runs the process until just before its next visible operation.
    pub(super) fn advance(&mut self, task: usize) {
        let env = self.env.clone();
        let (versions, now) = (self.versions.clone(), self.now);
        let stop = run::run(self.process_mut(task), &env, &versions, now, Mode::Real);
        self.settle(task, stop);
    }

    fn settle(&mut self, task: usize, stop: Stop) {
        match stop {
            Stop::Announced => {}
            Stop::Receive => self.look(task),
            Stop::Returned => {
                let p = self.process(task);
                if p.pid == Pid::root() {
                    self.result = p.x.first().cloned();
                }
                self.returned(task);
            }
            Stop::Ended(uncaught) => self.comes_to_its_end(task, uncaught),
            Stop::Unsupported(what) => {
                // It has no next operation: its registers are no arguments of the last call.
                self.process_mut(task).next = Next::Gone;
                self.unsupported(what);
            }
            Stop::TooLong => {
                let name = self.process(task).pid;
                self.process_mut(task).next = Next::Gone;
                self.over = Some(Rc::new(Defect::of(Cause::Endless { process: name.to_string() })));
            }
            Stop::Halted(why) => {
                self.process_mut(task).next = Next::Gone;
                self.halt(why);
            }
            Stop::Matched(_) | Stop::Waits(..) => unreachable!("only while matching"),
        }
    }

    /// From now on, or no longer, the execution ends when the watch of the settings wants it.
    pub(crate) fn listen(&self, listens: bool) {
        self.env.listens.set(listens);
    }

    /// The execution ends if the watch wants it.
    pub(crate) fn halt_if_wanted(&mut self) {
        if let Some(why) = self.env.halted() {
            self.halt(why);
        }
    }

    /// The limit that ended the execution in the middle of a step.
    pub(crate) fn halted_by(&self) -> Option<Defect> {
        self.over.as_deref().filter(|defect| defect.kind == FailureKind::MemoryLimit).cloned()
    }

    /// The execution ends at once.
    pub(crate) fn halt(&mut self, why: Halt) {
        let defect = match why {
            // The search drops it.
            Halt::Interrupted => Defect::of(Cause::NotSupported { what: "interrupted".to_owned() }),
            Halt::Memory => {
                let mebibytes = self.env.settings.memory_limit.unwrap_or(0) >> 20;
                Defect::of(Cause::MemoryLimit { mebibytes })
            }
        };
        self.over = Some(Rc::new(defect));
        self.enabled.clear();
    }

    pub(super) fn unsupported(&mut self, what: String) {
        self.over = Some(Rc::new(Defect::of(Cause::NotSupported { what })));
    }

    /// Finds the message that a receive would take.
    pub(super) fn look(&mut self, task: usize) {
        if self.is_order_open() {
            if let Some((wait, time)) = self.look_at_ordered_mailbox(task) {
                self.process_mut(task).next = Next::Receive(self.found_nothing(wait, time));
                self.evaluate_unordered_messages(task);
            }
            return;
        }
        let found = match self.try_match(task, 0) {
            Ok(Stop::Matched(index)) => Found::Message(index),
            Ok(Stop::Waits(wait, time)) => self.found_nothing(wait, time),
            Ok(other) => return self.settle(task, other),
            Err(()) => return,
        };
        self.process_mut(task).next = Next::Receive(found);
    }

    /// A message has arrived: finds out whether the receive takes it.
    pub(super) fn look_again(&mut self, task: usize) {
        let p = self.process(task);
        if !matches!(p.next, Next::Receive(Found::Nothing { .. } | Found::BadTimeout { .. })) {
            return;
        }
        let newest = p.mailbox.len() as u32 - 1;
        if let Ok(Stop::Matched(index)) = self.try_match(task, newest) {
            self.process_mut(task).next = Next::Receive(Found::Message(index));
        }
    }

    /// Runs the match code of a receive on a copy, starting at one message.
    fn try_match(&mut self, task: usize, from: u32) -> Result<Stop, ()> {
        let mut copy = self.process(task).for_matching();
        copy.mailbox = self.process(task).mailbox.clone();
        copy.save = from;
        match run::run(&mut copy, &self.env, &self.versions, self.now, Mode::Matching) {
            stop @ (Stop::Matched(_) | Stop::Waits(..)) => Ok(stop),
            Stop::Unsupported(what) => {
                self.unsupported(what);
                Err(())
            }
            Stop::Halted(why) => {
                self.halt(why);
                Err(())
            }
            other => {
                self.unsupported(format!("a receive does more than matching: {other:?}"));
                Err(())
            }
        }
    }

    /// Sends a message on behalf of a process.
    pub(crate) fn send_message(&mut self, from: Pid, to: Pid, message: Term) {
        self.send(from, to, Signal::Message(message));
    }
}
