//! One process: what it computes (registers, stack, place in the code) and what others know of it (mailbox,
//! links, monitors, flags). Plain data.

use crate::machine::Mail;
use crate::native::Native;
use crate::term::hash::Fingerprint;
use crate::term::{Atom, Context, Map, Pid, Ref, Term, known};
use std::rc::Rc;

/// A place in the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pc {
    /// The module's number.
    pub module: u32,
    /// The instruction.
    pub at: u32,
}

/// Where a call returns to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction after the call.
    pub ret: Pc,
    /// How many stack slots there were at the call.
    pub depth: u32,
}

/// What happens after a visible call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// The next instruction.
    Next,
    /// The function returns.
    Return,
}

/// How a receive stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// This message of the mailbox matches.
    Message(u32),
    /// None matches so far; the place of the wait instruction, and when it gives up (nanoseconds).
    Nothing {
        /// The wait instruction.
        wait: u32,
        /// When it gives up.
        deadline: Option<Deadline>,
    },
    /// The time to wait is no time: an error.
    BadTimeout {
        /// The wait instruction.
        wait: u32,
    },
}

/// When a receive gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadline {
    /// `after 0`: at once.
    Now,
    /// At this time.
    At(u64),
}

/// What a process does next.
#[derive(Clone)]
pub enum Next {
    /// A visible native; its arguments are in the x registers.
    Call(&'static Native, Then),
    /// `!`; receiver and message are in x0 and x1.
    Send(Then),
    /// A receive.
    Receive(Found),
    /// It ends for this reason, step by step.
    Exit,
    /// It has ended.
    Gone,
}

/// Why and how a process ends.
#[derive(Clone)]
pub struct Exiting {
    /// The exit reason.
    pub reason: Term,
    /// Where an uncaught error came from.
    pub trace: Option<Term>,
    /// What is left to do, last first, once it has begun.
    pub todo: Vec<ExitStep>,
    /// It has taken its first step.
    pub begun: bool,
    /// It dies of a signal.
    pub signalled: bool,
    /// It was killed as an injected fault.
    pub injected: bool,
    /// Somebody was told: a monitor or a linked process that traps exits.
    pub noticed: bool,
    /// Nothing is left to do.
    pub over: bool,
}

/// One step of an exit.
#[derive(Clone, PartialEq, Debug)]
pub enum ExitStep {
    /// A table goes, or goes to its heir.
    Table(Term),
    /// The name and the pid go.
    Vanish,
    /// A linked process is told.
    Link(Pid),
    /// A monitoring process is told.
    Down(Ref, Pid),
}

/// Who else has a part in a monitor.
#[derive(Clone, PartialEq, Debug)]
pub struct Monitor {
    /// Its reference.
    pub reference: Ref,
    /// The monitored process, or the monitoring one.
    pub other: Pid,
    /// What DOWN messages show: the pid, or the name that was given.
    pub shown: Term,
    /// The first element of the message: 'DOWN', or a tag of the program's.
    pub tag: Term,
}

/// How an alias ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasKind {
    /// With `unalias`.
    Explicit,
    /// With its monitor.
    Demonitor,
    /// With its monitor, or with the first message through it.
    Reply,
}

/// What others took away from a process. Had it been asked for earlier, it would have been there: operations touch what
/// they would have touched then, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// The monitor of a process that it was told of.
    Monitor(Ref, Pid),
    /// A link that the other one took away.
    Link(Pid),
}

/// A process.
#[derive(Clone)]
pub struct Process {
    /// Who it is.
    pub pid: Pid,
    /// Where it is in the code.
    pub pc: Pc,
    /// The x registers, as far as they are in use.
    pub x: Vec<Term>,
    /// The stack slots, the newest last.
    pub ys: Vec<Term>,
    /// The calls in progress.
    pub frames: Vec<Frame>,
    /// The float registers.
    pub fr: Vec<f64>,
    /// An exception has just been caught.
    pub caught: bool,
    /// What it does next.
    pub next: Next,
    /// The messages it has.
    pub mailbox: Vec<Term>,
    /// The tasks of these messages, where their order is left open.
    pub messages: Vec<Mail>,
    /// The message that a receive looks at.
    pub save: u32,
    /// A receive that was picked is under way.
    pub receiving: bool,
    /// Where the order of messages is left open: others have had a part in where it is now, not only its own steps.
    pub led_by_others: bool,
    /// It has received a message where it could have given up waiting.
    pub may_give_up: bool,
    /// How many children it has.
    pub children: u32,
    /// How many references it has made.
    pub refs: u32,
    /// How many unique integers it has made.
    pub uniques: u32,
    /// How many timers it has set.
    pub timers: u32,
    /// Its own notes.
    pub dictionary: Map,
    /// Whether exit signals become messages.
    pub trap_exit: bool,
    /// `process_flag(priority, ...)`
    pub priority: Atom,
    /// Other flags, kept because they can be asked for.
    pub flags: Vec<(Atom, Term)>,
    /// Whoever its output goes to.
    pub group_leader: Pid,
    /// Its registered name.
    pub name: Option<Atom>,
    /// The processes it is linked to, in order.
    pub links: Vec<Pid>,
    /// Its monitors of others.
    pub monitors: Vec<Monitor>,
    /// Others' monitors of it.
    pub monitored_by: Vec<Monitor>,
    /// Its aliases.
    pub aliases: Vec<(Ref, AliasKind)>,
    /// What others took away from it. Nobody sees that, so it is no part of the fingerprint.
    pub lost: Vec<Lost>,
    /// How it was started: module, function, arity.
    pub initial_call: (Atom, Atom, u32),
    /// Why it ends.
    pub exiting: Option<Rc<Exiting>>,
    /// What it has printed.
    pub output: Option<Rc<Output>>,
}

/// What a process has printed, newest first.
pub struct Output {
    /// The newest text.
    pub text: String,
    /// What came before.
    pub before: Option<Rc<Output>>,
}

impl Drop for Output {
    /// One after the other: a process that prints much would need a deep stack to let go of all of it at once.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut output) = before.and_then(Rc::into_inner) {
            before = output.before.take();
        }
    }
}

impl Process {
    /// A process that has not begun.
    pub fn new(pid: Pid, pc: Pc, initial_call: (Atom, Atom, u32), group_leader: Pid) -> Process {
        Process {
            pid,
            pc,
            x: Vec::new(),
            ys: Vec::new(),
            frames: Vec::new(),
            fr: Vec::new(),
            caught: false,
            next: Next::Gone,
            mailbox: Vec::new(),
            messages: Vec::new(),
            save: 0,
            receiving: false,
            led_by_others: false,
            may_give_up: false,
            children: 0,
            refs: 0,
            uniques: 0,
            timers: 0,
            dictionary: Map::new(),
            trap_exit: false,
            priority: known::NORMAL,
            flags: Vec::new(),
            group_leader,
            name: None,
            links: Vec::new(),
            monitors: Vec::new(),
            monitored_by: Vec::new(),
            aliases: Vec::new(),
            lost: Vec::new(),
            initial_call,
            exiting: None,
            output: None,
        }
    }
    /// Whom a monitor watches, or watched until its process was told.
    pub fn watched_by(&self, reference: Ref) -> Option<Pid> {
        let told = self.lost.iter().find_map(|lost| match lost {
            Lost::Monitor(other, pid) if *other == reference => Some(*pid),
            _ => None,
        });
        told.or_else(|| self.monitors.iter().find(|m| m.reference == reference).map(|m| m.other))
    }
    /// A reference nobody else has.
    pub fn make_ref(&mut self) -> Ref {
        self.refs += 1;
        Ref { maker: self.pid, number: self.refs }
    }
    /// Prints.
    pub fn print(&mut self, text: String) {
        self.output = Some(Rc::new(Output { text, before: self.output.take() }));
    }
    /// All that was printed, in order.
    pub fn printed(&self) -> String {
        let mut parts = Vec::new();
        let mut at = self.output.as_ref();
        while let Some(output) = at {
            parts.push(output.text.as_str());
            at = output.before.as_ref();
        }
        parts.into_iter().rev().collect()
    }
    /// Binary matches in progress share their position among the copies in the registers; a copied state must
    /// not share it with the original.
    pub fn unshare_contexts(&mut self) {
        let mut fresh: Vec<(Rc<Context>, Rc<Context>)> = Vec::new();
        for slot in self.x.iter_mut().chain(self.ys.iter_mut()) {
            if let Term::Context(old) = slot {
                let known = fresh.iter().find(|(o, _)| Rc::ptr_eq(o, old)).map(|(_, n)| n.clone());
                let new = known.unwrap_or_else(|| {
                    let new = Rc::new(Context { bits: old.bits.clone(), at: old.at.clone() });
                    fresh.push((old.clone(), new.clone()));
                    new
                });
                *slot = Term::Context(new);
            }
        }
    }
    /// Adds all of it to a fingerprint. `module_hash` names a module independently of when it was loaded.
    pub fn fingerprint(&self, f: &mut Fingerprint, module_hash: &dyn Fn(u32) -> u64) {
        f.word(self.pid.hash64());
        let pc = |f: &mut Fingerprint, pc: Pc| {
            f.word(module_hash(pc.module));
            f.word(pc.at as u64);
        };
        pc(f, self.pc);
        for terms in [&self.x, &self.ys] {
            f.word(terms.len() as u64);
            terms.iter().for_each(|t| f.term(t));
        }
        if self.exiting.as_ref().is_some_and(|e| e.begun || e.signalled) {
            // Nobody will ever know what it has not read.
        } else if self.messages.is_empty() {
            f.word(self.mailbox.len() as u64);
            self.mailbox.iter().for_each(|t| f.term(t));
        } else {
            // Their order is left open.
            f.word(self.mailbox.len() as u64);
            let one = |t: &Term| {
                let mut f = Fingerprint::default();
                f.term(t);
                f.value() as u64
            };
            f.word(self.mailbox.iter().map(one).fold(0, u64::wrapping_add));
        }
        f.word(self.frames.len() as u64);
        for frame in &self.frames {
            pc(f, frame.ret);
            f.word(frame.depth as u64);
        }
        self.fr.iter().for_each(|x| f.word(x.to_bits()));
        f.word(self.caught as u64 | (self.trap_exit as u64) << 1 | (self.receiving as u64) << 2);
        f.word(self.save as u64);
        for n in [self.children, self.refs, self.uniques, self.timers] {
            f.word(n as u64);
        }
        for (key, value) in self.dictionary.entries() {
            f.term(key);
            f.term(value);
        }
        f.word(self.priority.hash64());
        for (name, value) in &self.flags {
            f.word(name.hash64());
            f.term(value);
        }
        f.word(self.group_leader.hash64());
        f.word(self.name.map_or(0, Atom::hash64));
        f.word(self.links.len() as u64);
        self.links.iter().for_each(|p| f.word(p.hash64()));
        for monitors in [&self.monitors, &self.monitored_by] {
            f.word(monitors.len() as u64);
            for m in monitors.iter() {
                f.term(&Term::Ref(m.reference));
                f.word(m.other.hash64());
                f.term(&m.shown);
                f.term(&m.tag);
            }
        }
        for (alias, kind) in &self.aliases {
            f.term(&Term::Ref(*alias));
            f.word(*kind as u64);
        }
        match &self.next {
            Next::Call(native, then) => {
                f.word(1 + *then as u64);
                f.word(Atom::new(native.function).hash64());
            }
            Next::Send(then) => f.word(3 + *then as u64),
            Next::Receive(found) => {
                f.word(5);
                if let Found::Nothing { deadline: Some(Deadline::At(at)), .. } = found {
                    f.word(*at);
                }
            }
            Next::Exit => f.word(6),
            Next::Gone => f.word(7),
        }
        if let Some(exiting) = &self.exiting {
            f.term(&exiting.reason);
            let flags = [exiting.begun, exiting.signalled, exiting.injected, exiting.noticed, exiting.over];
            f.word(flags.iter().fold(exiting.todo.len() as u64, |all, flag| all << 1 | *flag as u64));
        }
    }
}

impl Process {
    /// Whether it has ended.
    pub fn is_gone(&self) -> bool {
        matches!(self.next, Next::Gone) || self.exiting.as_ref().is_some_and(|e| e.over)
    }
    /// Whether it is to die of a signal.
    pub fn is_doomed(&self) -> bool {
        self.exiting.as_ref().is_some_and(|e| e.signalled)
    }
    /// When its receive gives up, if it waits for that.
    pub fn deadline(&self) -> Option<u64> {
        match self.next {
            // Not while a message fits.
            Next::Receive(Found::Nothing { deadline: Some(Deadline::At(at)), .. })
                if !self.is_doomed() && !self.messages.iter().any(|mail| mail.fits) =>
            {
                Some(at)
            }
            _ => None,
        }
    }
}

impl Process {
    /// A copy that is good enough to find out which message a receive takes.
    pub fn for_matching(&self) -> Process {
        let mut copy = Process::new(self.pid, self.pc, self.initial_call, self.group_leader);
        copy.x = self.x.clone();
        copy.ys = self.ys.clone();
        copy.mailbox = self.mailbox.clone();
        // The calls in progress do not matter: a receive does not return while it matches.
        copy.next = Next::Gone;
        copy
    }
}
