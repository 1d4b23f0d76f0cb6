//! Unordered mailboxes, for reductions: a message that arrives is a task, and its only step is that its
//! process receives it.
//!
//! So two messages to one process do not conflict where they are sent, only where they are received, and only
//! if both match. A message may be received before one that arrived earlier unless their arrivals are ordered
//! by happens-before, which [`Known`] tracks. The observations of several processes may fit no single order
//! of arrivals; [`crate::linear`] checks that at the end of an execution. A receive that depends on the
//! absence of messages (`after 0`) takes them in steps of its process.

use super::access::{Object, Objects, Touch};
use super::local_run_cache::Given;
use super::{Machine, Signal, Task};
use crate::native::Run;
use crate::process::{Deadline, ExitStep, Found, Next, Process};
use crate::run::{self, Mode, Stop};
use crate::settings::Grain;
use crate::term::{Pid, Term, known};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, Mode as Touches, TaskId};
use raddle_core::world::{Birth, Manner, Pending, Pick};
use std::rc::Rc;

/// Whether a task is enabled, as far as that does not depend on other tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It is blocked.
    Waits,
    /// It is enabled.
    Goes,
    /// It depends on other tasks.
    Other,
}

/// A set of messages.
#[derive(Clone, Default, Debug)]
pub struct Set(Vec<u64>);

impl Set {
    fn insert(&mut self, message: u32) {
        let at = message as usize / 64;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (message % 64);
    }
    fn contains(&self, message: u32) -> bool {
        self.0.get(message as usize / 64).is_some_and(|word| word >> (message % 64) & 1 == 1)
    }
    fn join(&mut self, other: &Set) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
}

/// A message that has arrived and was not received.
#[derive(Clone, Debug)]
pub struct UnorderedMessage {
    /// Its receiver.
    pub to: Pid,
    /// Its number among all messages.
    pub number: u32,
    /// The messages whose arrival happens before its own.
    after: Set,
}

/// A message in its process's mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mail {
    /// Its task.
    pub task: u32,
    /// The current receive of its process matches it.
    pub fits: bool,
}

/// The arrivals that happen before the next step of each task, and before the next access to each object.
#[derive(Clone, Default)]
pub struct Known {
    messages: u32,
    tasks: Vec<Set>,
    /// The number of messages that arrived in steps of each task.
    brought: Vec<u32>,
    /// For the next read of an object, and for the next write.
    objects: Vec<(Set, Set)>,
    /// For every task.
    all: Set,
    /// For the present step.
    present: Set,
    /// A message was received before one that had arrived earlier.
    overtaken: bool,
}

impl Known {
    fn begin(&mut self, task: usize, accesses: Accesses) {
        let mut present = self.tasks.get(task).cloned().unwrap_or_default();
        present.join(&self.all);
        if accesses.is_everything() {
            self.tasks.iter().for_each(|set| present.join(set));
        }
        for access in accesses.iter() {
            if let Some((to_readers, to_writers)) = self.objects.get(access.object.index()) {
                present.join(if access.mode == Touches::Write { to_writers } else { to_readers });
            }
        }
        self.present = present;
    }
    fn end(&mut self, current: usize, accesses: Accesses, tasks: usize) {
        let present = std::mem::take(&mut self.present);
        // A new task inherits from its parent.
        self.tasks.resize(tasks.max(self.tasks.len()), present.clone());
        if accesses.is_everything() {
            self.all = present.clone();
        }
        for access in accesses.iter() {
            let at = access.object.index();
            if self.objects.len() <= at {
                self.objects.resize(at + 1, Default::default());
            }
            let (to_readers, to_writers) = &mut self.objects[at];
            to_writers.join(&present);
            if access.mode == Touches::Write {
                to_readers.join(&present);
            }
        }
        self.tasks[current] = present;
    }
    /// A message arrives: its number, its index among those of the task, and the arrivals that happen before
    /// it.
    fn post(&mut self, current: usize, task: usize) -> (u32, u32, Set) {
        if self.messages == 0 {
            self.tasks.resize(task, Set::default());
        }
        if self.brought.len() <= current {
            self.brought.resize(current + 1, 0);
        }
        self.brought[current] += 1;
        let (number, after) = (self.messages, self.present.clone());
        self.messages += 1;
        self.present.insert(number);
        (number, self.brought[current], after)
    }
}

/// Messages are numbered apart from other phantom tasks.
const UNORDERED: u32 = Birth::PHANTOM | 1 << 30;

impl Machine {
    /// Whether mailboxes are unordered.
    #[inline]
    pub fn is_order_open(&self) -> bool {
        self.unordered_mailbox.is_some()
    }

    /// Makes mailboxes unordered from now on.
    pub fn leave_order_open(&mut self) {
        self.unordered_mailbox = Some(Rc::default());
        for task in 0..self.tasks.len() {
            if matches!(&self.tasks[task], Task::Process(p) if matches!(p.next, Next::Receive(_))) {
                self.look(task);
            }
        }
        self.refresh();
    }

    /// A step with these accesses begins.
    pub(super) fn step_begins(&mut self, task: usize, accesses: Accesses) {
        if let Some(known) = self.unordered_mailbox.as_mut().filter(|known| known.messages > 0) {
            Rc::make_mut(known).begin(task, accesses);
        }
    }

    /// The step is over.
    pub(super) fn step_ends(&mut self, accesses: Accesses) {
        let (current, tasks) = (self.current, self.tasks.len());
        if let Some(known) = self.unordered_mailbox.as_mut().filter(|known| known.messages > 0) {
            Rc::make_mut(known).end(current, accesses, tasks);
        }
    }

    /// A message arrives at a process.
    pub(super) fn post(&mut self, task: usize, message: Term) {
        let message_task = self.tasks.len();
        let parent = self.current;
        let known = Rc::make_mut(self.unordered_mailbox.as_mut().expect("the order is open"));
        let (number, nth, after) = known.post(parent, message_task);
        let to = self.process(task).pid;
        self.add_task(
            Task::UnorderedMessage(Rc::new(UnorderedMessage { to, number, after })),
            parent,
            UNORDERED | nth,
        );
        let delivered_by = message_task as u32;
        self.again(
            task,
            self.process(task).clone(),
            Given::Message(message, delivered_by),
            |machine, given| {
                let Given::Message(message, delivered_by) = given else { unreachable!("it was a message") };
                let fits = machine.fits(task, &message);
                let p = machine.process_mut(task);
                p.mailbox.push(message);
                p.messages.push(Mail { task: delivered_by, fits });
            },
        );
    }

    /// Whether the current receive of a process matches a message.
    pub(crate) fn fits(&mut self, task: usize, message: &Term) -> bool {
        let p = self.process(task);
        if !matches!(p.next, Next::Receive(_)) {
            return false;
        }
        let mut copy = p.for_matching();
        copy.mailbox = vec![message.clone()];
        match run::run(&mut copy, &self.env, &self.versions, self.now, Mode::Matching) {
            Stop::Matched(_) => true,
            Stop::Waits(..) => false,
            Stop::Halted(why) => {
                self.halt(why);
                false
            }
            other => {
                self.unsupported(format!("a receive does more than matching: {other:?}"));
                false
            }
        }
    }

    /// A process has reached a receive: marks the messages that match.
    pub(super) fn evaluate_unordered_messages(&mut self, task: usize) {
        for at in 0..self.process(task).mailbox.len() {
            let message = self.process(task).mailbox[at].clone();
            let fits = self.fits(task, &message);
            if self.process(task).messages[at].fits != fits {
                self.process_mut(task).messages[at].fits = fits;
            }
        }
    }

    /// A process continues: no message matches any more.
    fn forget_fits(&mut self, task: usize) {
        if self.process(task).messages.iter().any(|mail| mail.fits) {
            self.process_mut(task).messages.iter_mut().for_each(|mail| mail.fits = false);
        }
    }

    /// Removes a message from a mailbox.
    pub(crate) fn take_from_mailbox(&mut self, task: usize, at: usize) -> Term {
        let p = self.process_mut(task);
        let message = p.mailbox.remove(at);
        if !p.messages.is_empty() {
            let message = p.messages.remove(at).task;
            self.tasks[message as usize] = Task::Received(self.process(task).pid);
        }
        message
    }

    fn unordered(&self, task: u32) -> &UnorderedMessage {
        match &self.tasks[task as usize] {
            Task::UnorderedMessage(message) => message,
            _ => unreachable!("task {task} is no message"),
        }
    }

    /// Whether the message at this position of a mailbox may be received next.
    fn may_be_received(&self, p: &Process, at: usize) -> bool {
        let mail = p.messages[at];
        mail.fits && {
            let after = &self.unordered(mail.task).after;
            !p.messages.iter().any(|other| other.fits && after.contains(self.unordered(other.task).number))
        }
    }

    /// Whether a process receives in its own steps, since its receive may also time out.
    fn takes_by_itself(&self, p: &Process) -> bool {
        match &p.next {
            Next::Receive(Found::Nothing { deadline, .. }) => match deadline {
                None => false,
                Some(Deadline::Now) => true,
                Some(Deadline::At(_)) => self.env.settings.time == Time::Any,
            },
            Next::Receive(_) => true,
            _ => false,
        }
    }

    /// The messages that a process may receive next, in an order that does not depend on the schedule.
    fn candidates(&self, p: &Process) -> Vec<usize> {
        let mut found: Vec<usize> = (0..p.messages.len()).filter(|at| self.may_be_received(p, *at)).collect();
        found.sort_by_key(|at| self.key_of(p.messages[*at].task as usize));
        found
    }

    /// The accesses of a receive in a step of its process, and its number of options.
    pub(super) fn open_receive(&self, p: &Process, mine: Touch) -> (Touch, u32) {
        if !self.takes_by_itself(p) {
            return (Touch::NOTHING, 0);
        }
        let waits = matches!(p.next, Next::Receive(Found::Nothing { deadline: Some(Deadline::At(_)), .. }));
        // A timeout advances the clock, so nothing is reordered across it, whether it fires or not.
        let touch = if waits { Touch::EVERYTHING } else { self.absence(mine, p) };
        match self.candidates(p).len() as u32 {
            0 => (touch, !waits as u32),
            n => (touch, n),
        }
    }

    fn is_enabled_unordered(&self, task: usize, message: &UnorderedMessage) -> bool {
        let receiver = self.find(message.to).map(|t| self.process(t));
        receiver.is_some_and(|p| {
            matches!(p.next, Next::Receive(_))
                && p.exiting.is_none()
                && !self.takes_by_itself(p)
                && p.messages
                    .iter()
                    .position(|mail| mail.task as usize == task)
                    .is_some_and(|at| self.may_be_received(p, at))
        })
    }

    /// The pending operation of a message.
    pub(super) fn evaluate_unordered(
        &self,
        task: usize,
        message: &UnorderedMessage,
        objects: &mut Objects,
    ) -> Pending {
        let touch = Touch::NOTHING.write(Object::Itself(message.to));
        let ready = self.is_enabled_unordered(task, message);
        let signature = (message.to.hash64() ^ self.key_of(task).rotate_left(7)) as u32;
        let accesses = touch.accesses(objects);
        Pending { accesses, options: ready as u32, signature, manner: Manner::Ordinary }
    }

    /// The process of a message receives it.
    pub(super) fn receive_unordered(&mut self, message_task: usize) {
        let to = self.unordered(message_task as u32).to;
        let task = self.find(to).expect("its process is there");
        let at = self.process(task).messages.iter().position(|mail| mail.task as usize == message_task);
        self.receive_at(task, at.expect("it is in the mailbox"));
    }

    /// A process receives a message in its own step; says whether there was one.
    pub(super) fn take_unordered(&mut self, task: usize, option: u32) -> bool {
        let found = self.candidates(self.process(task)).get(option as usize).copied();
        match found {
            Some(at) => self.receive_at(task, at),
            None => self.forget_fits(task),
        }
        found.is_some()
    }

    /// The content of a message task.
    pub(crate) fn message_of(&self, message_task: usize) -> Term {
        let p =
            self.process(self.find(self.unordered(message_task as u32).to).expect("its process is there"));
        let at = p.messages.iter().position(|mail| mail.task as usize == message_task);
        p.mailbox[at.expect("it is in the mailbox")].clone()
    }

    /// The step in which a process receives its first matching message.
    pub(crate) fn first_to_take(&self, task: usize) -> Option<Pick> {
        let Task::Process(p) = &self.tasks[task] else { return None };
        if p.is_doomed()
            && let Some(end) = self.tasks.iter().position(|t| matches!(t, Task::End(pid) if *pid == p.pid))
        {
            return Some(Pick { task: TaskId(end as u32), option: 0 });
        }
        let first = p.messages.iter().position(|mail| mail.fits).filter(|_| self.is_receiving(task))?;
        if !self.takes_by_itself(p) {
            return Some(Pick { task: TaskId(p.messages[first].task), option: 0 });
        }
        let option = self.candidates(p).iter().position(|at| *at == first).expect("nothing is before it");
        Some(Pick { task: TaskId(task as u32), option: option as u32 })
    }

    /// The process of a task: itself, or the receiver of a message.
    pub(crate) fn receiver_of(&self, task: usize) -> Option<usize> {
        match &self.tasks[task] {
            Task::Process(_) => Some(task),
            Task::UnorderedMessage(message) => self.find(message.to),
            Task::Received(to) | Task::End(to) => self.find(*to),
            _ => None,
        }
    }

    /// Whether a task is a message, received or not.
    pub(crate) fn is_mail(&self, task: usize) -> bool {
        matches!(&self.tasks[task], Task::UnorderedMessage(_) | Task::Received(_))
    }

    /// The standing of a task.
    pub(crate) fn standing(&self, task: usize) -> Standing {
        match &self.tasks[task] {
            Task::Process(p) => match &p.next {
                _ if p.is_doomed() => Standing::Other,
                Next::Receive(_) if !self.takes_by_itself(p) => Standing::Waits,
                Next::Call(native, _) if matches!(&native.run, Run::Visible(v) if v.ready.is_none()) => {
                    Standing::Goes
                }
                Next::Send(_) => Standing::Goes,
                Next::Exit if !p.is_gone() => Standing::Goes,
                _ => Standing::Other,
            },
            // Its own operation counts, even if another process must take the next step.
            Task::UnorderedMessage(message) => match self.is_enabled_unordered(task, message) {
                true => Standing::Goes,
                false => Standing::Waits,
            },
            _ => Standing::Other,
        }
    }

    /// Whether a pending operation depends on more than its process.
    pub(crate) fn depends_on_others(&self, task: usize) -> bool {
        match &self.tasks[task] {
            Task::Process(p) => p.deadline().is_some(),
            Task::Timer(_) | Task::Faults | Task::End(_) => true,
            _ => false,
        }
    }

    /// Whether the next step of `task` sends DOWN to a process that has already exited in the state `other`,
    /// where DOWN is not sent.
    pub(crate) fn tells_the_dead(&self, task: usize, other: &Machine, its: usize) -> bool {
        let Some(process) =
            self.receiver_of(task).filter(|_| !matches!(self.tasks[task], Task::UnorderedMessage(_)))
        else {
            return false;
        };
        let p = self.process(process);
        if p.exiting.is_none() || p.is_gone() || self.env.settings.grain != Grain::Full {
            return false;
        }
        let step = self.next_exit_step(process);
        let there = other.process(its);
        matches!(step, ExitStep::Down(..))
            && (there.is_gone() || there.exiting.is_none() || other.next_exit_step(its) != step)
    }

    /// Whether the next step of `task` delivers a DOWN signal that was not sent in the state `other`, since
    /// its receiver had exited.
    pub(crate) fn delivers_to_the_dead(&self, task: usize, other: &Machine) -> bool {
        let Task::Pair(pair) = &self.tasks[task] else { return false };
        let Some(Signal::Down(reference, _)) = pair.queue.first() else { return false };
        let there = other.pair(pair.from, pair.to).map(|t| &other.tasks[t]);
        let is_sent = matches!(there, Some(Task::Pair(pair))
            if matches!(pair.queue.first(), Some(Signal::Down(sent, _)) if sent == reference));
        other.is_pid_gone(pair.to) && !is_sent
    }

    /// Whether the next step of `task` only sends DOWN to a process that has exited.
    pub(crate) fn tells_the_gone(&self, task: usize) -> bool {
        let Some(process) =
            self.receiver_of(task).filter(|_| !matches!(self.tasks[task], Task::UnorderedMessage(_)))
        else {
            return false;
        };
        let p = self.process(process);
        p.exiting.is_some()
            && !p.is_gone()
            && matches!(self.next_exit_step(process), ExitStep::Down(_, other)
                if self.is_pid_gone(other))
    }

    /// Whether only such steps remain, which have no effect. With ordered mailboxes a process that had
    /// already exited is sent no DOWN at all.
    pub(super) fn only_tells_the_gone(&self, task: usize) -> bool {
        if !self.tells_the_gone(task) {
            return false;
        }
        let process = self.receiver_of(task).map(|process| self.process(process));
        let exiting = process.and_then(|p| p.exiting.as_ref());
        exiting.is_some_and(|e| {
            e.todo.iter().all(|step| matches!(step, ExitStep::Down(_, other) if self.is_pid_gone(*other)))
        })
    }

    /// Whether the exit of a process is a task of its own.
    pub(super) fn has_end(&self, pid: Pid) -> bool {
        self.tasks.iter().any(|t| matches!(t, Task::End(other) if *other == pid))
    }

    /// Whether a process is at a receive.
    pub(crate) fn is_receiving(&self, task: usize) -> bool {
        matches!(self.process(task).next, Next::Receive(_))
    }

    /// Whether a message was received before one that had arrived earlier.
    pub(crate) fn has_overtaken(&self) -> bool {
        self.unordered_mailbox.as_ref().is_some_and(|known| known.overtaken)
    }

    /// Whether only the process of the last step may continue, in what is one step with ordered mailboxes.
    pub(crate) fn is_hurried(&self) -> bool {
        self.hurried.is_some()
    }

    fn receive_at(&mut self, task: usize, at: usize) {
        if self.process(task).messages[..at].iter().any(|mail| mail.fits)
            && let Some(known) = &mut self.unordered_mailbox
        {
            Rc::make_mut(known).overtaken = true;
        }
        let message = self.process(task).messages[at].task;
        self.tasks[message as usize] = Task::Received(self.process(task).pid);
        if self.log.is_some() {
            let place = super::ending::own_place(&self.env, self.process(task));
            let message = self.process(task).mailbox[at].to_string();
            self.note(task, "receives a message".to_owned(), message, place, true);
        }
        self.again(task, self.process(task).clone(), Given::Turn(at as u32), |machine, _| {
            machine.process_mut(task).messages.remove(at);
            machine.forget_fits(task);
            let p = machine.process_mut(task);
            p.save = at as u32;
            p.receiving = true;
            p.may_give_up |=
                matches!(p.next, Next::Receive(Found::Nothing { deadline: Some(Deadline::At(_)), .. }));
            machine.advance(task);
        });
    }

    /// How a receive waits when no message matches.
    pub(super) fn look_at_ordered_mailbox(&mut self, task: usize) -> Option<(u32, Option<Term>)> {
        let mut copy = self.process(task).for_matching();
        copy.mailbox = Vec::new();
        match run::run(&mut copy, &self.env, &self.versions, self.now, Mode::Matching) {
            Stop::Waits(wait, time) => Some((wait, time)),
            Stop::Unsupported(what) => {
                self.unsupported(what);
                None
            }
            Stop::Halted(why) => {
                self.halt(why);
                None
            }
            other => {
                self.unsupported(format!("a receive does more than matching: {other:?}"));
                None
            }
        }
    }

    /// What a receive waits for, by its timeout.
    pub(super) fn found_nothing(&self, wait: u32, time: Option<Term>) -> Found {
        /// The longest timeout of a receive, in milliseconds.
        const LONGEST_WAIT: i64 = 0xffff_ffff;
        match time {
            None => Found::Nothing { wait, deadline: None },
            Some(Term::Atom(a)) if a == known::INFINITY => Found::Nothing { wait, deadline: None },
            Some(Term::Int(0)) => Found::Nothing { wait, deadline: Some(Deadline::Now) },
            Some(Term::Int(ms))
                if (0..=LONGEST_WAIT).contains(&ms) && !self.env.settings.fires(ms as u64) =>
            {
                Found::Nothing { wait, deadline: None }
            }
            Some(Term::Int(ms)) if (0..=LONGEST_WAIT).contains(&ms) => {
                let at = self.now + ms as u64 * 1_000_000;
                Found::Nothing { wait, deadline: Some(Deadline::At(at)) }
            }
            Some(_) => Found::BadTimeout { wait },
        }
    }
}
