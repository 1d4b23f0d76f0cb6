//! Unordered mailboxes, for reductions: a message that arrives is a task, and its only step is that its
//! process receives it.
//!
//! So two messages to one process do not conflict where they are sent, only where they are received, and only
//! if both match. A message may be received before one that arrived earlier unless their arrivals are ordered
//! by happens-before, which [`ArrivalClocks`](super::arrival_clocks) track. The observations of several processes may fit no single order
//! of arrivals; [`crate::arrival_order`] checks that at the end of an execution. A receive that depends on the
//! absence of messages (`after 0`) takes them in steps of its process.

use super::access::{Object, Objects, Touch};
use super::arrival_clocks::Arrival;
use super::local_run_cache::Given;
use super::{Machine, Signal, Task};
use crate::beam::Instr;
use crate::native::Run;
use crate::process::{Deadline, ExitStep, Found, Next, Process};
use crate::run::{self, Mode, Stop};
use crate::settings::Grain;
use crate::term::{Pid, Term, known};
use raddle_core::clock::Time;
use raddle_core::operation::{Accesses, TaskId};
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

/// A message that has arrived and was not received.
#[derive(Clone, Debug)]
pub struct UnorderedMessage {
    /// Its receiver.
    pub to: Pid,
    /// Its content.
    pub content: Term,
    /// Its place among all arrivals.
    pub arrival: Arrival,
}

/// A message in its process's mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mail {
    /// Its task.
    pub task: u32,
    /// The task in whose step it arrived.
    pub bringer: u32,
    /// The current receive of its process matches it, and no earlier message of the same bringer. A later one comes after
    /// that in every order.
    pub fits: bool,
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
        if let Some(known) = self.unordered_mailbox.as_mut().filter(|known| !known.is_empty()) {
            Rc::make_mut(known).begin(task, accesses);
        }
    }

    /// The step is over. There were `tasks` tasks before it.
    pub(super) fn step_ends(&mut self, accesses: Accesses, tasks: usize) {
        let current = self.current;
        let takes_more = !matches!(self.tasks[current], Task::Received(_));
        let new = tasks..self.tasks.len();
        if let Some(known) = self.unordered_mailbox.as_mut().filter(|known| !known.is_empty()) {
            Rc::make_mut(known).end(current, accesses, new, takes_more);
        }
    }

    /// A message arrives at a process.
    pub(super) fn post(&mut self, task: usize, message: Term) {
        let message_task = self.tasks.len();
        let parent = self.current;
        let known = Rc::make_mut(self.unordered_mailbox.as_mut().expect("the order is open"));
        let arrival = known.post(parent);
        let to = self.process(task).pid;
        let number = UNORDERED | arrival.index;
        let posted = UnorderedMessage { to, content: message.clone(), arrival };
        self.add_task(Task::UnorderedMessage(Rc::new(posted)), parent, number);
        let mail = Mail { task: message_task as u32, bringer: parent as u32, fits: false };
        self.again(task, self.process(task).clone(), Given::Message(message, mail), |machine, given| {
            let Given::Message(message, mail) = given else { unreachable!("it was a message") };
            let p = machine.process(task);
            let is_behind = p.messages.iter().any(|other| other.fits && other.bringer == mail.bringer);
            let fits = !is_behind && machine.fits(task, &message);
            let p = machine.process_mut(task);
            p.mailbox.push(message);
            p.messages.push(Mail { fits, ..mail });
        });
    }

    /// Whether the current receive of a process matches a message.
    fn fits(&mut self, task: usize, message: &Term) -> bool {
        let p = self.process(task);
        if !matches!(p.next, Next::Receive(_)) {
            return false;
        }
        let stop = self.match_one(p, &mut None, message);
        self.is_match(stop)
    }

    /// The same in a state that has taken the step already, so that matching succeeded.
    pub(crate) fn would_fit(&self, task: usize, message: &Term) -> bool {
        let p = self.process(task);
        matches!(p.next, Next::Receive(_))
            && matches!(self.match_one(p, &mut None, message), Stop::Matched(_))
    }

    /// Whether the receive that a process has reached takes every message: its code does so without a test.
    pub(crate) fn takes_any(&self, p: &Process) -> bool {
        let module = self.env.code.module(p.pc.module);
        let [Instr::LoopRec(..), then @ ..] = module.code.get(p.pc.at as usize..).unwrap_or_default() else {
            return false;
        };
        matches!(then.iter().find(|instr| !matches!(instr, Instr::Move(..))), Some(Instr::RemoveMessage))
    }

    /// The instruction with which the receive that a process has reached waits without a timeout; none if it does more.
    fn waits_at(&self, p: &Process) -> Option<u32> {
        let module = self.env.code.module(p.pc.module);
        let Some(Instr::LoopRec(wait, _)) = module.code.get(p.pc.at as usize) else { return None };
        matches!(module.code.get(*wait as usize), Some(Instr::Wait(_))).then_some(*wait)
    }

    /// Matches one message with a process. The copy, if it was made, is used again until a message matches.
    fn match_one(&self, p: &Process, copy: &mut Option<Process>, message: &Term) -> Stop {
        if self.takes_any(p) {
            debug_assert!(matches!(self.match_by_running(&mut p.for_matching(), message), Stop::Matched(0)));
            return Stop::Matched(0);
        }
        let stop = self.match_by_running(copy.get_or_insert_with(|| p.for_matching()), message);
        if matches!(stop, Stop::Matched(_)) {
            *copy = None;
        }
        stop
    }

    fn match_by_running(&self, copy: &mut Process, message: &Term) -> Stop {
        let pc = copy.pc;
        copy.mailbox.clear();
        copy.mailbox.push(message.clone());
        copy.save = 0;
        let stop = run::run(copy, &self.env, &self.versions, self.now, Mode::Matching);
        copy.pc = pc;
        stop
    }

    fn is_match(&mut self, stop: Stop) -> bool {
        match stop {
            Stop::Matched(_) => return true,
            Stop::Waits(..) => {}
            Stop::Halted(why) => self.halt(why),
            other => self.unsupported(format!("a receive does more than matching: {other:?}")),
        }
        false
    }

    /// A process has reached a receive: marks the messages that match, of each bringer the first.
    pub(super) fn evaluate_unordered_messages(&mut self, task: usize) {
        if self.takes_any(self.process(task)) {
            return self.fit_first_of_each_bringer(task);
        }
        let p = self.process(task).clone();
        let mut copy = None;
        let mut found: Vec<usize> = Vec::new();
        for (at, message) in p.mailbox.iter().enumerate() {
            let bringer = p.messages[at].bringer;
            if found.iter().any(|other| p.messages[*other].bringer == bringer) {
                continue;
            }
            let stop = self.match_one(&p, &mut copy, message);
            if self.is_match(stop) {
                found.push(at);
            }
        }
        let mut next = found.iter().peekable();
        let is_known = p
            .messages
            .iter()
            .enumerate()
            .all(|(at, mail)| mail.fits == next.next_if(|f| **f == at).is_some());
        drop(p);
        if !is_known {
            let messages = &mut self.process_mut(task).messages;
            messages.iter_mut().for_each(|mail| mail.fits = false);
            found.into_iter().for_each(|at| messages[at].fits = true);
        }
    }

    /// A process has reached a receive that takes every message.
    fn fit_first_of_each_bringer(&mut self, task: usize) {
        let is_first = |messages: &[Mail], at: usize| {
            messages[..at].iter().all(|mail| !mail.fits || mail.bringer != messages[at].bringer)
        };
        let messages = &self.process(task).messages;
        if !messages.is_empty() {
            let messages = &mut self.process_mut(task).messages;
            messages.iter_mut().for_each(|mail| mail.fits = false);
            for at in 0..messages.len() {
                messages[at].fits = is_first(messages, at);
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
            self.stale.add(message as usize);
        }
        message
    }

    pub(crate) fn unordered(&self, task: u32) -> &UnorderedMessage {
        match &self.tasks[task as usize] {
            Task::UnorderedMessage(message) => message,
            _ => unreachable!("task {task} is no message"),
        }
    }

    /// Whether the message at this position of a mailbox may be received next.
    fn may_be_received(&self, p: &Process, at: usize) -> bool {
        let mail = p.messages[at];
        mail.fits && {
            let arrival = &self.unordered(mail.task).arrival;
            let is_after = |other: &Mail| arrival.is_after(&self.unordered(other.task).arrival);
            !p.messages.iter().any(|other| other.fits && is_after(other))
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
                && p.place_of(task).is_some_and(|at| self.may_be_received(p, at))
        })
    }

    /// Whether a task is a process with messages.
    #[inline]
    pub(super) fn has_messages(&self, task: usize) -> bool {
        matches!(&self.tasks[task], Task::Process(p) if !p.messages.is_empty())
    }

    /// A process may have changed: which of its messages among the first `known` tasks are enabled now and were not, or the
    /// other way round. The tasks `enabled` are those that were. Adds them to `changed`.
    pub(super) fn find_changed_messages(
        &self,
        receiver: usize,
        enabled: &[TaskId],
        known: usize,
        changed: &mut Vec<(usize, bool)>,
    ) {
        let p = self.process(receiver);
        let may_receive =
            matches!(p.next, Next::Receive(_)) && p.exiting.is_none() && !self.takes_by_itself(p);
        for task in enabled {
            let is_its = matches!(&self.tasks[task.index()], Task::UnorderedMessage(m) if m.to == p.pid);
            let stays = |at: usize| may_receive && self.may_be_received(p, at);
            if is_its && !p.place_of(task.index()).is_some_and(stays) {
                changed.push((task.index(), false));
            }
        }
        if may_receive {
            for (at, mail) in p.messages.iter().enumerate().filter(|(_, mail)| mail.fits) {
                let is_known =
                    (mail.task as usize) < known && enabled.binary_search(&TaskId(mail.task)).is_err();
                if is_known && self.may_be_received(p, at) {
                    changed.push((mail.task as usize, true));
                }
            }
        }
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
        let at = self.process(task).place_of(message_task).expect("it is in the mailbox");
        self.receive_at(task, at);
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

    /// The receiver of the message that the step `pick` takes, and its position in the mailbox; none if it takes none.
    pub(crate) fn receipt_of(&self, pick: Pick) -> Option<(usize, usize)> {
        let task = pick.task.index();
        match &self.tasks[task] {
            Task::UnorderedMessage(message) => {
                let receiver = self.find(message.to)?;
                Some((receiver, self.process(receiver).place_of(task)?))
            }
            Task::Process(p) if self.is_order_open() && matches!(p.next, Next::Receive(_)) => {
                Some((task, *self.candidates(p).get(pick.option as usize)?))
            }
            _ => None,
        }
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

    /// The process that a step of the task is known to change: itself, or the receiver of a message.
    pub(crate) fn process_changed_by(&self, task: usize) -> Option<usize> {
        match &self.tasks[task] {
            Task::Process(_) => Some(task),
            Task::UnorderedMessage(message) => self.find(message.to),
            _ => None,
        }
    }

    /// Whether a task is a process.
    pub(crate) fn is_process(&self, task: usize) -> bool {
        matches!(&self.tasks[task], Task::Process(_))
    }

    /// Whether a task is a message, received or not.
    pub(crate) fn is_mail(&self, task: usize) -> bool {
        matches!(&self.tasks[task], Task::UnorderedMessage(_) | Task::Received(_))
    }

    /// The standing of a task.
    pub(crate) fn standing(&self, task: usize) -> Standing {
        match &self.tasks[task] {
            Task::Process(p) => match &p.next {
                _ if p.is_doomed() || p.round > 0 => Standing::Other,
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

    /// Whether a message has arrived.
    pub(crate) fn has_arrivals(&self) -> bool {
        self.unordered_mailbox.as_ref().is_some_and(|known| !known.is_empty())
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
        self.stale.add(message as usize);
        if self.log.is_some() {
            let place = super::ending::own_place(&self.env, self.process(task));
            let message = self.process(task).mailbox[at].to_short_text();
            self.note(task, "receives a message".to_owned(), message, place, true);
        }
        self.again(task, self.process(task).clone(), Given::Turn(at as u32), |machine, _| {
            machine.process_mut(task).messages.remove(at);
            machine.forget_fits(task);
            let p = machine.process_mut(task);
            p.acts();
            p.save = at as u32;
            p.receiving = true;
            p.may_give_up |=
                matches!(p.next, Next::Receive(Found::Nothing { deadline: Some(Deadline::At(_)), .. }));
            machine.advance(task);
        });
    }

    /// How a receive waits when no message matches.
    pub(super) fn look_at_ordered_mailbox(&mut self, task: usize) -> Option<(u32, Option<Term>)> {
        if let Some(wait) = self.waits_at(self.process(task)) {
            return Some((wait, None));
        }
        let mut copy = self.process(task).for_matching();
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
