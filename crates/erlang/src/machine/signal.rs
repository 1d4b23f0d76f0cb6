//! Signals between processes: when they arrive, and their effects. The signals of one process to another
//! arrive in the order of their sends. It follows the Erlang Reference Manual, "Processes".

use super::local_run_cache::Given;
use super::{Machine, Mail, Pair, Task};
use crate::process::{AliasKind, ExitStep, Lost, Monitor, Process};
use crate::settings::Delivery;
use crate::term::hash::Fingerprint;
use crate::term::{Atom, Pid, Ref, Term, known};
use raddle_core::world::Birth;
use std::rc::Rc;
use std::sync::LazyLock;

/// A signal from one process to another.
#[derive(Clone, Debug)]
pub enum Signal {
    /// A message.
    Message(Term),
    /// A message to an alias.
    Aliased(Ref, Term),
    /// A link request.
    Link(Pid),
    /// A link request that was withdrawn in transit and has no effect.
    TakenBack(Pid),
    /// An exit signal from a linked process that exited.
    LinkedExit(Pid, Term),
    /// An exit signal from `exit/2`.
    Exit(Pid, Term),
    /// A monitor request.
    Monitor(Monitor),
    /// A DOWN signal of a monitored process.
    Down(Ref, Term),
    /// A change of the group leader.
    GroupLeader(Pid),
}

/// Signals by their accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Messages.
    Message,
    /// Messages to an alias.
    Aliased(Ref),
    /// Sent to a monitoring process on exit.
    Down(Ref),
    /// Sent to a linked process on exit; may terminate it.
    LinkedExit {
        /// The exit reason is `normal`.
        normal: bool,
    },
    /// An exit signal from `exit/2`.
    Exit {
        /// It cannot be trapped.
        kill: bool,
        /// Its reason is `normal`.
        normal: bool,
    },
    /// Link and monitor requests.
    Watching,
    /// Signals that change a process.
    Changing,
}

impl Sort {
    /// An exit signal with this reason.
    pub fn exit(reason: &Term) -> Sort {
        Sort::Exit { kill: reason.is_atom(known::KILL), normal: reason.is_atom(known::NORMAL) }
    }
}

impl Signal {
    /// Adds it to a fingerprint.
    pub fn fingerprint(&self, f: &mut Fingerprint) {
        match self {
            Signal::Message(m) => {
                f.word(1);
                f.term(m);
            }
            Signal::Aliased(r, m) => {
                f.word(2);
                f.term(&Term::Ref(*r));
                f.term(m);
            }
            Signal::Link(p) => f.word(3 ^ p.hash64()),
            Signal::TakenBack(p) => f.word(4 ^ p.hash64()),
            Signal::LinkedExit(p, r) | Signal::Exit(p, r) => {
                f.word(5 + matches!(self, Signal::Exit(..)) as u64);
                f.word(p.hash64());
                f.term(r);
            }
            Signal::Monitor(m) => {
                f.word(7);
                f.term(&Term::Ref(m.reference));
                f.term(&m.shown);
                f.term(&m.tag);
            }
            Signal::Down(r, reason) => {
                f.word(9);
                f.term(&Term::Ref(*r));
                f.term(reason);
            }
            Signal::GroupLeader(p) => f.word(10 ^ p.hash64()),
        }
    }
    /// The signal as text, for step lines.
    pub fn words(&self) -> String {
        match self {
            Signal::Message(m) | Signal::Aliased(_, m) => format!("message {m}"),
            Signal::Link(p) => format!("link from {p}"),
            Signal::TakenBack(p) => format!("link from {p} that was taken back"),
            Signal::LinkedExit(p, reason) | Signal::Exit(p, reason) => {
                format!("exit signal from {p} ({reason})")
            }
            Signal::Monitor(m) => format!("monitor {} from {}", m.reference, m.other),
            Signal::Down(r, reason) => format!("down {r} ({reason})"),
            Signal::GroupLeader(p) => format!("group leader {p}"),
        }
    }
    pub(super) fn sort(&self) -> Sort {
        match self {
            Signal::Message(_) => Sort::Message,
            Signal::Aliased(alias, _) => Sort::Aliased(*alias),
            Signal::LinkedExit(_, reason) => Sort::LinkedExit { normal: reason.is_atom(known::NORMAL) },
            Signal::Down(reference, _) => Sort::Down(*reference),
            Signal::Exit(_, reason) => Sort::exit(reason),
            Signal::GroupLeader(_) => Sort::Changing,
            Signal::Link(_) | Signal::TakenBack(_) | Signal::Monitor(_) => Sort::Watching,
        }
    }
}

impl Machine {
    /// The task of the signals in transit from one process to another.
    pub(crate) fn pair(&self, from: Pid, to: Pid) -> Option<usize> {
        let is_it =
            |t: &u32| matches!(&self.tasks[*t as usize], Task::Pair(p) if p.from == from && p.to == to);
        self.pairs.iter().copied().find(is_it).map(|task| task as usize)
    }

    /// Whether signals are in transit from one process to another.
    pub(crate) fn on_the_way(&self, from: Pid, to: Pid) -> bool {
        self.pair(from, to).is_some_and(|t| matches!(&self.tasks[t], Task::Pair(p) if !p.queue.is_empty()))
    }

    /// Whether a process holds an opened file. Signals to and from it arrive at once: there is nothing between it and its
    /// owner that a program sees.
    fn holds_file(&self, pid: Pid) -> bool {
        self.find(pid).is_some_and(|task| self.process(task).holds_file)
    }

    /// Whether a process makes a call of OTP's behaviours: the functions in which it monitors the server, sends the request
    /// and waits. A monitor that arrives late there is none that begins late: between it and its arrival the process takes
    /// no step but sends to the same server, which come behind it, so these steps can be delayed until then. Only the
    /// reply, the DOWN message and the timeout end the wait, and each ends the monitor.
    fn makes_call(&self, pid: Pid) -> bool {
        static CALLS: LazyLock<[(Atom, Atom); 2]> = LazyLock::new(|| {
            [("gen", "do_call"), ("proc_lib", "stop")].map(|(m, f)| (Atom::new(m), Atom::new(f)))
        });
        let Some(p) = self.find(pid).map(|task| self.process(task)) else { return false };
        let module = self.env.code.module(p.pc.module);
        CALLS.iter().any(|(name, function)| {
            *name == module.name && module.function_at(p.pc.at).is_some_and(|f| f.function == *function)
        })
    }

    /// Whether a signal would arrive at once.
    pub(crate) fn arrives_at_once(&self, from: Pid, to: Pid, sort: Sort) -> bool {
        match self.env.settings.delivery {
            Delivery::Instant => true,
            // A signal to the sender itself is never in transit.
            _ if from == to => true,
            // The steps of an exit are separate already.
            Delivery::Local => {
                let at_once = match sort {
                    Sort::Exit { .. } | Sort::Changing => false,
                    Sort::Watching => self.makes_call(from),
                    _ => true,
                };
                (at_once || self.holds_file(from) || self.holds_file(to)) && !self.on_the_way(from, to)
            }
            Delivery::Pairs => false,
        }
    }

    /// Sends a signal, which arrives at once or later, by the delivery setting.
    pub(crate) fn send(&mut self, from: Pid, to: Pid, signal: Signal) {
        let at_once = self.arrives_at_once(from, to, signal.sort());
        if at_once {
            return self.arrive(to, signal);
        }
        match self.pair(from, to) {
            Some(task) => {
                self.stale.add(task);
                if let Task::Pair(pair) = &mut self.tasks[task] {
                    Rc::make_mut(pair).queue.push(signal);
                }
            }
            None => {
                let parent = self.find(from).unwrap_or(0);
                self.set_out(from, to, signal, parent);
            }
        }
    }

    /// A signal is the first in transit of its pair; the pair is a child of task `parent`.
    fn set_out(&mut self, from: Pid, to: Pid, signal: Signal, parent: usize) {
        let pair = Task::Pair(Rc::new(Pair { from, to, queue: vec![signal] }));
        self.add_task(pair, parent, Birth::PHANTOM | to.hash64() as u32);
    }

    /// The next signal of a pair arrives.
    pub(super) fn deliver(&mut self, task: usize) {
        if let Task::Pair(pair) = &mut self.tasks[task] {
            let to = pair.to;
            let signal = Rc::make_mut(pair).queue.remove(0);
            self.arrive(to, signal);
        }
    }

    /// A signal arrives.
    pub(crate) fn arrive(&mut self, to: Pid, signal: Signal) {
        let Some(task) = self.find(to) else { return };
        let p = self.process(task);
        // A process that is about to exit by itself is still alive.
        let too_late = p.is_gone() || p.exiting.as_ref().is_some_and(|e| e.begun || e.signalled);
        // With unordered mailboxes they reach an exited process too: they could have arrived earlier.
        let always = matches!(signal, Signal::Message(_) | Signal::Aliased(..) | Signal::Down(..));
        if too_late && !(always && self.is_order_open()) {
            return self.arrive_too_late(to, signal);
        }
        match signal {
            Signal::Message(message) => self.put_in_mailbox(task, message),
            Signal::Aliased(alias, message) => {
                let p = self.process_mut(task);
                let Some(at) = p.aliases.iter().position(|(a, _)| *a == alias) else { return };
                if p.aliases[at].1 == AliasKind::Reply {
                    p.aliases.remove(at);
                    self.forget_monitor(task, alias);
                }
                self.put_in_mailbox(task, message);
            }
            // It may have been withdrawn in transit.
            Signal::Monitor(monitor) if !self.has_monitor(monitor.other, monitor.reference) => {}
            Signal::TakenBack(_) => {}
            Signal::Link(from) => {
                let links = &mut self.process_mut(task).links;
                // The order does not depend on the schedule.
                if let Err(at) = links.binary_search(&from) {
                    links.insert(at, from);
                }
            }
            Signal::LinkedExit(from, reason) => {
                let p = self.process_mut(task);
                let Some(at) = p.links.iter().position(|l| *l == from) else { return };
                p.links.remove(at);
                if p.trap_exit {
                    let message = Term::tuple([Term::Atom(known::EXIT_SIGNAL), Term::Pid(from), reason]);
                    self.put_in_mailbox(task, message);
                } else if !reason.is_atom(known::NORMAL) {
                    self.exits_with(task, reason, from);
                }
            }
            Signal::Exit(from, reason) => {
                let p = self.process(task);
                if reason.is_atom(known::KILL) {
                    self.told_to_exit(task, Term::Atom(known::KILLED), from);
                } else if p.trap_exit {
                    let message = Term::tuple([Term::Atom(known::EXIT_SIGNAL), Term::Pid(from), reason]);
                    self.put_in_mailbox(task, message);
                } else if !reason.is_atom(known::NORMAL) || from == to {
                    self.told_to_exit(task, reason, from);
                }
            }
            Signal::Monitor(monitor) => {
                let all = &mut self.process_mut(task).monitored_by;
                let at = all.partition_point(|m| m.reference < monitor.reference);
                all.insert(at, monitor);
            }
            Signal::Down(reference, reason) => {
                let p = self.process_mut(task);
                let Some(at) = p.monitors.iter().position(|m| m.reference == reference) else { return };
                let monitor = p.monitors.remove(at);
                p.lost.push(Lost::Monitor(reference, monitor.other));
                p.aliases.retain(|(a, kind)| *a != reference || *kind == AliasKind::Explicit);
                let message = Term::tuple([
                    monitor.tag,
                    Term::Ref(reference),
                    Term::Atom(known::PROCESS),
                    monitor.shown,
                    reason,
                ]);
                self.put_in_mailbox(task, message);
            }
            Signal::GroupLeader(leader) => {
                self.process_mut(task).group_leader = leader;
            }
        }
    }

    /// A signal arrives at a process that has exited or is exiting.
    fn arrive_too_late(&mut self, to: Pid, signal: Signal) {
        match signal {
            Signal::Monitor(monitor) if !self.has_monitor(monitor.other, monitor.reference) => {}
            Signal::Link(from) => self.answer_link(to, from),
            Signal::Monitor(monitor) => {
                self.is_known_to_end(to);
                self.send(to, monitor.other, Signal::Down(monitor.reference, Term::Atom(known::NOPROC)));
            }
            _ => {}
        }
    }

    /// An exited process answers a link request with an exit signal. The answer is in transit even where its
    /// other exit signals arrive at once: that the request reaches an exited process is independent of the
    /// sender's next steps, but the answer, which may terminate the sender, is not.
    fn answer_link(&mut self, dead: Pid, to: Pid) {
        let answer = Signal::LinkedExit(dead, Term::Atom(known::NOPROC));
        if self.env.settings.delivery != Delivery::Local || self.pair(dead, to).is_some() {
            return self.send(dead, to, answer);
        }
        self.set_out(dead, to, answer, self.current);
    }

    /// Whether the `noproc` answer to a link would be the only signal in transit from an exited process to
    /// the sender.
    pub(super) fn answers_first(&self, dead: Pid, to: Pid) -> bool {
        let tells_it = |p: &Process| {
            let todo = p.exiting.iter().flat_map(|exiting| &exiting.todo);
            let mut told = todo.filter_map(|step| match step {
                ExitStep::Link(other) | ExitStep::Down(_, other) => Some(*other),
                _ => None,
            });
            p.links.contains(&to)
                || p.monitored_by.iter().any(|m| m.other == to)
                || told.any(|other| other == to)
        };
        self.env.settings.delivery == Delivery::Local
            && self.pair(dead, to).is_none()
            && !self.find(dead).is_some_and(|task| tells_it(self.process(task)))
    }

    fn has_monitor(&self, from: Pid, reference: Ref) -> bool {
        self.find(from).is_some_and(|t| self.process(t).monitors.iter().any(|m| m.reference == reference))
    }

    /// Removes a link, even if the link request is still in transit: the request stays queued, since it could
    /// have arrived before. The other process drops the link at once, which no process can observe.
    pub(crate) fn forget_link(&mut self, task: usize, other: Pid) {
        let p = self.process_mut(task);
        let me = p.pid;
        p.links.retain(|l| *l != other);
        if let Some(on_its_way) = self.pair(me, other) {
            self.stale.add(on_its_way);
            if let Task::Pair(pair) = &mut self.tasks[on_its_way] {
                let on_its_way = Rc::make_mut(pair).queue.iter_mut();
                on_its_way
                    .filter(|signal| matches!(signal, Signal::Link(_)))
                    .for_each(|signal| *signal = Signal::TakenBack(me));
            }
        }
        if let Some(other) = self.find(other)
            && self.process(other).links.contains(&me)
        {
            let p = self.process_mut(other);
            p.links.retain(|l| *l != me);
            p.lost.push(Lost::Link(me));
        }
    }

    /// Removes a monitor in the same way.
    pub(crate) fn forget_monitor(&mut self, task: usize, reference: Ref) -> bool {
        let p = self.process_mut(task);
        let Some(at) = p.monitors.iter().position(|m| m.reference == reference) else { return false };
        let monitor = p.monitors.remove(at);
        if let Some(other) = self.find(monitor.other)
            && self.process(other).monitored_by.iter().any(|m| m.reference == reference)
        {
            self.process_mut(other).monitored_by.retain(|m| m.reference != reference);
        }
        true
    }

    fn put_in_mailbox(&mut self, task: usize, message: Term) {
        if self.is_order_open() {
            return self.post(task, message);
        }
        let unlisted = Mail { task: u32::MAX, bringer: u32::MAX, fits: false };
        self.again(task, self.process(task).clone(), Given::Message(message, unlisted), |machine, given| {
            let Given::Message(message, _) = given else { unreachable!("it was a message") };
            machine.process_mut(task).mailbox.push(message);
            machine.look_again(task);
        });
    }
}
