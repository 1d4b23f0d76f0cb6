//! The state of one process: its computation (registers, stack, program counter) and its public part
//! (mailbox, links, monitors, flags). It is plain data.

use crate::machine::Mail;
use crate::native::Native;
use crate::run::Told;
use crate::term::hash::Fingerprint;
use crate::term::{Atom, Context, Map, Pid, Ref, Term, known};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// A program counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pc {
    /// The module number.
    pub module: u32,
    /// The instruction index.
    pub at: u32,
}

/// A stack frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction after the call.
    pub ret: Pc,
    /// The number of stack slots at the call.
    pub depth: u32,
}

/// A stack. A process is mostly copied in order to run on, so a copy has room to grow.
#[derive(PartialEq, Eq, Debug)]
pub struct Stack<T>(Vec<T>);

impl<T> Default for Stack<T> {
    fn default() -> Stack<T> {
        Stack(Vec::new())
    }
}

impl<T: Clone> Clone for Stack<T> {
    fn clone(&self) -> Stack<T> {
        const ROOM: usize = 4;
        if self.0.is_empty() {
            return Stack::default();
        }
        let mut copy = Vec::with_capacity(self.0.len() + ROOM);
        copy.extend_from_slice(&self.0);
        Stack(copy)
    }
}

impl<T> Deref for Stack<T> {
    type Target = Vec<T>;
    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Stack<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

/// The continuation of a visible call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// The next instruction.
    Next,
    /// The function returns.
    Return,
}

/// The state of a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// This message of the mailbox matches.
    Message(u32),
    /// None matches so far; the wait instruction, and the deadline (nanoseconds).
    Nothing {
        /// The wait instruction.
        wait: u32,
        /// The deadline.
        deadline: Option<Deadline>,
    },
    /// The timeout is invalid: an error.
    BadTimeout {
        /// The wait instruction.
        wait: u32,
    },
}

/// The deadline of a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadline {
    /// `after 0`: at once.
    Now,
    /// At this time.
    At(u64),
}

/// The pending operation of a process.
#[derive(Clone)]
pub enum Next {
    /// A visible native; its arguments are in the x registers.
    Call(&'static Native, Then),
    /// `!`; receiver and message are in x0 and x1.
    Send(Then),
    /// A receive.
    Receive(Found),
    /// Its exit, in steps.
    Exit,
    /// It has exited.
    Gone,
}

/// The exit of a process.
#[derive(Clone)]
pub struct Exiting {
    /// The exit reason.
    pub reason: Term,
    /// The stack trace of an uncaught error.
    pub trace: Option<Term>,
    /// The remaining steps, last first, once it has begun.
    pub todo: Vec<ExitStep>,
    /// It has taken its first step.
    pub begun: bool,
    /// A signal caused it.
    pub signalled: bool,
    /// It was killed as an injected fault.
    pub injected: bool,
    /// The test process exits, and its test is not done.
    pub early: bool,
    /// Another process brought it about by `exit/2`, or was told of it before.
    pub expected: bool,
    /// The linked process whose exit it follows.
    pub follows: Option<Pid>,
    /// It is observed: by a monitor, or by a linked process that traps exits.
    pub noticed: bool,
    /// No step remains.
    pub over: bool,
}

/// One step of an exit.
#[derive(Clone, PartialEq, Debug)]
pub enum ExitStep {
    /// A table is deleted or inherited.
    Table(Term),
    /// The name and the pid are released.
    Vanish,
    /// An exit signal is sent to a linked process.
    Link(Pid),
    /// A DOWN signal is sent to a monitoring process.
    Down(Ref, Pid),
}

/// One side of a monitor.
#[derive(Clone, PartialEq, Debug)]
pub struct Monitor {
    /// Its reference.
    pub reference: Ref,
    /// The monitored process, or the monitoring one.
    pub other: Pid,
    /// The item in DOWN messages: the pid, or the name that was given.
    pub shown: Term,
    /// The first element of the message: 'DOWN', or a custom tag.
    pub tag: Term,
}

/// What deactivates an alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasKind {
    /// `unalias`.
    Explicit,
    /// The end of its monitor.
    Demonitor,
    /// The end of its monitor, or the first message through it.
    Reply,
}

/// What other processes removed from a process. In an earlier state it would have existed, so operations also
/// have the accesses that they would have had then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// A monitor whose DOWN arrived.
    Monitor(Ref, Pid),
    /// A link that the other process removed.
    Link(Pid),
    /// A table that another process deleted.
    Table(Term),
}

/// A process.
#[derive(Clone)]
pub struct Process {
    /// Its pid.
    pub pid: Pid,
    /// Its program counter.
    pub pc: Pc,
    /// The x registers in use.
    pub x: Vec<Term>,
    /// The stack slots, the newest last.
    pub ys: Stack<Term>,
    /// The stack frames.
    pub frames: Stack<Frame>,
    /// The float registers.
    pub fr: Vec<f64>,
    /// An exception has just been caught.
    pub caught: bool,
    /// It has matched a binary: there may be match contexts in its registers.
    pub has_contexts: bool,
    /// Its pending operation.
    pub next: Next,
    /// Its mailbox.
    pub mailbox: Vec<Term>,
    /// The tasks of these messages, with unordered mailboxes.
    pub messages: Vec<Mail>,
    /// The position of a receive in the mailbox.
    pub save: u32,
    /// A receive that was picked is in progress.
    pub receiving: bool,
    /// It received a message where its receive could have timed out.
    pub may_give_up: bool,
    /// The number of its children.
    pub children: u32,
    /// The number of references it has made.
    pub refs: u32,
    /// The number of unique integers it has made.
    pub uniques: u32,
    /// The number of timers it has set.
    pub timers: u32,
    /// The process dictionary.
    pub dictionary: Map,
    /// The `trap_exit` flag.
    pub trap_exit: bool,
    /// `process_flag(priority, ...)`
    pub priority: Atom,
    /// Other flags, stored because they can be read.
    pub flags: Vec<(Atom, Term)>,
    /// Its group leader.
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
    /// What other processes removed from it. Programs cannot observe this, so the fingerprint omits it.
    pub lost: Vec<Lost>,
    /// How it was started: module, function, arity.
    pub initial_call: (Atom, Atom, u32),
    /// It holds an opened file for its owner (`file_io_server`), and has no code of the program.
    pub holds_file: bool,
    /// Its exit, if it is exiting.
    pub exiting: Option<Rc<Exiting>>,
    /// What OTP's behaviours have told of its exit.
    pub told: Told,
    /// What it has printed.
    pub output: Option<Rc<Output>>,
    /// Its state before its last look, as long as it only looks: see `machine/polling.rs`. Programs cannot observe this, so
    /// the fingerprint omits it.
    pub looked: Option<Rc<Process>>,
    /// How many looks it has taken in a row.
    pub looks: u32,
    /// So many of them led it back to where it was before them; 0 if they did not.
    pub round: u32,
    /// It has read the clock since its last operation.
    pub reads_clock: bool,
}

/// The output of a process, newest text first.
pub struct Output {
    /// The newest text.
    pub text: String,
    /// The output before.
    pub before: Option<Rc<Output>>,
}

impl Drop for Output {
    /// Iterative: a recursive drop of much output would overflow the stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut output) = before.and_then(Rc::into_inner) {
            before = output.before.take();
        }
    }
}

impl Process {
    /// A process at its start.
    pub fn new(pid: Pid, pc: Pc, initial_call: (Atom, Atom, u32), group_leader: Pid) -> Process {
        Process {
            pid,
            pc,
            x: Vec::new(),
            ys: Stack::default(),
            frames: Stack::default(),
            fr: Vec::new(),
            caught: false,
            has_contexts: false,
            next: Next::Gone,
            mailbox: Vec::new(),
            messages: Vec::new(),
            save: 0,
            receiving: false,
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
            holds_file: false,
            exiting: None,
            told: Told::default(),
            output: None,
            looked: None,
            looks: 0,
            round: 0,
            reads_clock: false,
        }
    }
    /// The target of a monitor, also after its DOWN arrived.
    pub fn watched_by(&self, reference: Ref) -> Option<Pid> {
        let told = self.lost.iter().find_map(|lost| match lost {
            Lost::Monitor(other, pid) if *other == reference => Some(*pid),
            _ => None,
        });
        told.or_else(|| self.monitors.iter().find(|m| m.reference == reference).map(|m| m.other))
    }
    /// Whether a copy costs much more than a step. Such a process is not cached: a shared one is copied by each step.
    pub fn is_large(&self) -> bool {
        self.ys.len() + self.frames.len() + self.mailbox.len() > 256
    }
    /// The position of the message of this task in the mailbox. Messages are in the order of their tasks.
    pub fn place_of(&self, message: usize) -> Option<usize> {
        self.messages.binary_search_by_key(&message, |mail| mail.task as usize).ok()
    }
    /// A fresh reference.
    pub fn make_ref(&mut self) -> Ref {
        self.refs += 1;
        Ref { maker: self.pid, number: self.refs }
    }
    /// Appends to the output.
    pub fn print(&mut self, text: String) {
        self.output = Some(Rc::new(Output { text, before: self.output.take() }));
    }
    /// The whole output.
    pub fn printed(&self) -> String {
        let mut parts = Vec::new();
        let mut at = self.output.as_ref();
        while let Some(output) = at {
            parts.push(output.text.as_str());
            at = output.before.as_ref();
        }
        parts.into_iter().rev().collect()
    }
    /// Match contexts in the registers share their position; a snapshot must not share it with the original.
    pub fn unshare_contexts(&mut self) {
        if !self.has_contexts {
            return;
        }
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
    /// Adds the process to a fingerprint. `module_hash` names a module independently of its load order.
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
            // Its unread messages have no effect any more.
        } else if self.messages.is_empty() {
            f.word(self.mailbox.len() as u64);
            self.mailbox.iter().for_each(|t| f.term(t));
        } else {
            // The mailbox is unordered.
            f.word(self.mailbox.len() as u64);
            let one = |t: &Term| {
                let mut f = Fingerprint::default();
                f.term(t);
                f.value() as u64
            };
            f.word(self.mailbox.iter().map(one).fold(0, u64::wrapping_add));
        }
        f.word(self.frames.len() as u64);
        for frame in self.frames.iter() {
            pc(f, frame.ret);
            f.word(frame.depth as u64);
        }
        self.fr.iter().for_each(|x| f.word(x.to_bits()));
        f.word(self.caught as u64 | (self.trap_exit as u64) << 1 | (self.receiving as u64) << 2);
        f.word(self.save as u64 | (self.told.replied as u64) << 32 | (self.told.start_failed as u64) << 33);
        self.told.parent.iter().for_each(|reason| f.term(reason));
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
            let flags = [
                exiting.begun,
                exiting.signalled,
                exiting.injected,
                exiting.early,
                exiting.expected,
                exiting.noticed,
                exiting.over,
            ];
            f.word(flags.iter().fold(exiting.todo.len() as u64, |all, flag| all << 1 | *flag as u64));
        }
    }
}

impl Process {
    /// Whether it has exited.
    pub fn is_gone(&self) -> bool {
        matches!(self.next, Next::Gone) || self.exiting.as_ref().is_some_and(|e| e.over)
    }
    /// Whether it has called `erlang:hibernate/3` and was not woken.
    pub fn is_hibernated(&self) -> bool {
        matches!(self.next, Next::Call(native, _) if native.function == "hibernate" && native.module == "erlang")
    }
    /// Whether a signal terminated it.
    pub fn is_doomed(&self) -> bool {
        self.exiting.as_ref().is_some_and(|e| e.signalled)
    }
    /// The deadline of its receive, if it waits for it.
    pub fn deadline(&self) -> Option<u64> {
        match self.next {
            // Not while a message matches.
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
    /// A copy without messages that is sufficient to match a receive.
    pub fn for_matching(&self) -> Process {
        let mut copy = Process::new(self.pid, self.pc, self.initial_call, self.group_leader);
        copy.x = self.x.clone();
        // Other stack slots and the frames are not needed: matching does not return from the function.
        let frame = self.frames.last().map_or(0, |frame| frame.depth as usize);
        copy.ys = Stack(self.ys.get(frame..).unwrap_or_default().to_vec());
        copy.next = Next::Gone;
        copy.has_contexts = self.has_contexts;
        copy
    }
}
