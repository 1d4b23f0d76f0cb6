//! Runs a process until just before its next visible operation. Everything here is local to the process:
//! instructions, local natives, exceptions. A visible operation stops the run and is announced in
//! [`Process::next`].

mod binaries;
mod calls;
mod exceptions;
mod registers;
mod told;

pub use calls::place_of;
pub use exceptions::{Class, Raise, Res};
pub use told::Told;

use crate::beam::{Dst, Instr, Module, Src, Test1, Test2};
use crate::code::{Code, Target};
use crate::ends::Unobserved;
use crate::machine::{EtsStepCache, LocalRunCache};
use crate::native::Run;
use crate::process::{Found, Frame, Next, Pc, Process, Then};
use crate::settings::Settings;
use crate::term::{Map, Pid, Term, known, number, order};
use crate::versions::Versions;
use crate::watch::Halt;
use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

/// The immutable environment of all processes.
pub struct Env {
    /// The code.
    pub code: Rc<Code>,
    /// The settings.
    pub settings: Settings,
    /// The cache of local runs.
    pub run_cache: LocalRunCache,
    /// The cache of steps that only read tables.
    pub ets_cache: EtsStepCache,
    /// The assumption that exits are unobserved, if it is made.
    pub unobserved: Option<Unobserved>,
    /// The exit reasons of `Settings::treat_as_normal`.
    pub treat_as_normal: Vec<Term>,
    /// Whether the watch of the settings is listened to: only where an execution takes a step for the first time, since
    /// a step that is taken again must go the same way.
    pub listens: Cell<bool>,
    /// Timers that tick for ever after the test were cut short.
    pub timers_were_cut: Cell<bool>,
    /// A loop that polls was blocked.
    pub loops_were_cut: Cell<bool>,
    /// One that sleeps, or fixes a table, was blocked.
    pub sleeps_were_cut: Cell<bool>,
    /// A process asks what another one does at the moment.
    pub activity_is_read: Cell<bool>,
    /// A buffer that each step uses: the messages that it has enabled or disabled.
    pub changed: Cell<Vec<(usize, bool)>>,
}

impl Env {
    /// Why the execution must end now, if it must.
    #[inline]
    pub fn halted(&self) -> Option<Halt> {
        if self.listens.get() { self.settings.watch.halted() } else { None }
    }
    /// Whether an exit with this reason is no failure.
    pub fn is_treated_as_normal(&self, reason: &Term) -> bool {
        let first = reason.as_tuple().and_then(|t| t.first());
        self.treat_as_normal.iter().any(|normal| normal == reason || Some(normal) == first)
    }
}

/// The purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The process continues.
    Real,
    /// A copy finds the message that a receive would take.
    Matching,
}

/// Why a run stopped.
#[derive(Debug)]
pub enum Stop {
    /// The process is about to do something visible: see [`Process::next`].
    Announced,
    /// It reached a receive.
    Receive,
    /// Its first function returned.
    Returned,
    /// It exits by an exception that it does not handle.
    Ended(Uncaught),
    /// It uses an unsupported feature.
    Unsupported(String),
    /// It exceeded the instruction limit.
    TooLong,
    /// The search wants it to stop, or a value would take too much memory.
    Halted(Halt),
    /// While matching: this message matches.
    Matched(u32),
    /// While matching: no message matches. The wait instruction, and the timeout.
    Waits(u32, Option<Term>),
}

/// An exception that a process does not handle.
#[derive(Debug)]
pub struct Uncaught {
    /// The exit reason.
    pub reason: Term,
    /// The stack trace of an error.
    pub trace: Option<Term>,
    /// Other processes were told of this exit by OTP's behaviours before: see [`Told`].
    pub is_told: bool,
    /// The parent, if the process exits because its parent did.
    pub follows: Option<Pid>,
}

/// The limit of instructions between two visible operations.
const ENDLESS: u64 = 200_000_000;

/// So many instructions are executed before the search is asked whether to stop.
const BREATH: u64 = 8_192;

/// The effect of an instruction on control flow.
pub(crate) enum Flow {
    Next,
    Jump(u32),
    /// A jump into another module.
    Far(Pc),
    Return,
    Raise(Raise),
    Stop(Stop),
}

/// A run in progress.
pub struct Runner<'a> {
    /// The process.
    pub p: &'a mut Process,
    /// The shared environment.
    pub env: &'a Env,
    /// The virtual time in nanoseconds.
    pub now: u64,
    /// The code that the program has loaded or deleted.
    pub versions: &'a Versions,
    mode: Mode,
    /// The call that is made was announced.
    is_announced: bool,
}

/// Runs `p` until just before its next visible operation.
pub fn run(p: &mut Process, env: &Env, versions: &Versions, now: u64, mode: Mode) -> Stop {
    Runner { p, env, now, versions, mode, is_announced: false }.run()
}

/// Makes the call that `p` announced, of code that is loaded while the program runs, and runs it on.
pub fn enter(p: &mut Process, env: &Env, versions: &Versions, now: u64, then: Then) -> Stop {
    let mut runner = Runner { p, env, now, versions, mode: Mode::Real, is_announced: true };
    let flow = runner.call_announced(then);
    runner.is_announced = false;
    match runner.follow(flow) {
        Some(stop) => stop,
        None => runner.run(),
    }
}

/// The current stack trace of a process.
pub fn stack_trace(p: &Process, env: &Env) -> Term {
    let mut copy = p.clone();
    let versions = Versions::default();
    Runner { p: &mut copy, env, now: 0, versions: &versions, mode: Mode::Real, is_announced: false }
        .stack_trace(None)
}

/// Raises an exception in `p`, which must then be run; or says that it exits.
pub fn raise(p: &mut Process, env: &Env, raise: Raise) -> Result<(), Stop> {
    let versions = Versions::default();
    let mut runner = Runner { p, env, now: 0, versions: &versions, mode: Mode::Real, is_announced: false };
    match runner.unwind(raise) {
        Some(stop) => Err(stop),
        None => Ok(()),
    }
}

/// A visible native of `p` is complete: stores its value.
pub fn complete(p: &mut Process, then: Then, value: Term) -> Option<Stop> {
    p.x.clear();
    p.x.push(value);
    match then {
        Then::Next => p.pc.at += 1,
        Then::Return => match p.frames.pop() {
            Some(frame) => p.pc = frame.ret,
            None => return Some(Stop::Returned),
        },
    }
    None
}

impl Runner<'_> {
    fn run(mut self) -> Stop {
        self.p.unshare_contexts();
        let mut module = self.env.code.module(self.p.pc.module);
        for _ in 0..ENDLESS / BREATH {
            if let Some(why) = self.env.halted() {
                return Stop::Halted(why);
            }
            for _ in 0..BREATH {
                let instr = &module.code[self.p.pc.at as usize];
                match self.instruction(instr, &module) {
                    Flow::Next => self.p.pc.at += 1,
                    Flow::Jump(at) => self.p.pc.at = at,
                    Flow::Far(pc) => {
                        if pc.module != self.p.pc.module {
                            module = self.env.code.module(pc.module);
                        }
                        self.p.pc = pc;
                    }
                    Flow::Return => match self.p.frames.pop() {
                        Some(frame) => {
                            if frame.ret.module != self.p.pc.module {
                                module = self.env.code.module(frame.ret.module);
                            }
                            self.p.pc = frame.ret;
                        }
                        None => return Stop::Returned,
                    },
                    Flow::Raise(raise) => {
                        if let Some(stop) = self.unwind(raise) {
                            return stop;
                        }
                        module = self.env.code.module(self.p.pc.module);
                    }
                    Flow::Stop(stop) => return stop,
                }
            }
        }
        Stop::TooLong
    }

    /// Control goes where an announced call leads. Why the run stops, if it does.
    fn follow(&mut self, flow: Flow) -> Option<Stop> {
        match flow {
            Flow::Next => self.p.pc.at += 1,
            Flow::Jump(at) => self.p.pc.at = at,
            Flow::Far(pc) => self.p.pc = pc,
            Flow::Return => match self.p.frames.pop() {
                Some(frame) => self.p.pc = frame.ret,
                None => return Some(Stop::Returned),
            },
            Flow::Raise(raise) => return self.unwind(raise),
            Flow::Stop(stop) => return Some(stop),
        }
        None
    }

    fn otherwise(&self, fail: u32, holds: bool) -> Flow {
        if holds { Flow::Next } else { Flow::Jump(fail) }
    }

    fn instruction(&mut self, instr: &Instr, module: &Rc<Module>) -> Flow {
        match instr {
            Instr::Move(src, dst) => {
                let value = self.value(src);
                self.set(*dst, value);
                Flow::Next
            }
            Instr::Test1(test, fail, src) => {
                let holds = test1(*test, self.get(src));
                self.otherwise(*fail, holds)
            }
            Instr::Test2(test, fail, a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                let holds = match test {
                    Test2::Exact => order::exact_eq(a, b),
                    Test2::NotExact => !order::exact_eq(a, b),
                    Test2::Equal => order::loose_eq(a, b),
                    Test2::NotEqual => !order::loose_eq(a, b),
                    Test2::Less => order::cmp(a, b) == Ordering::Less,
                    Test2::GreaterEqual => order::cmp(a, b) != Ordering::Less,
                };
                self.otherwise(*fail, holds)
            }
            Instr::TestArity(fail, src, arity) => {
                let holds = matches!(self.get(src), Term::Tuple(t) if t.len() == *arity as usize);
                self.otherwise(*fail, holds)
            }
            Instr::TaggedTuple(fail, src, arity, tag) => {
                let holds = match self.get(src) {
                    Term::Tuple(t) => t.len() == *arity as usize && order::exact_eq(&t[0], tag),
                    _ => false,
                };
                self.otherwise(*fail, holds)
            }
            Instr::GetTupleElement(src, index, dst) => {
                let Term::Tuple(t) = self.get(src) else { return broken("a tuple") };
                let Some(value) = t.get(*index as usize).cloned() else { return broken("a tuple element") };
                self.set(*dst, value);
                Flow::Next
            }
            Instr::Call(at) => self.call_here(*at),
            Instr::CallLast(at, n) => {
                self.drop_slots(*n);
                Flow::Jump(*at)
            }
            Instr::CallOnly(at) => Flow::Jump(*at),
            Instr::CallExt(import) => self.call_import(module, *import, Then::Next),
            Instr::CallExtLast(import, n) => {
                self.drop_slots(*n);
                self.call_import(module, *import, Then::Return)
            }
            Instr::CallExtOnly(import) => self.call_import(module, *import, Then::Return),
            Instr::Bif { import, fail, args, dst } => self.bif(module, *import, *fail, args, *dst),
            Instr::Allocate(n) => {
                (0..*n).for_each(|_| self.p.ys.push(Term::Nil));
                Flow::Next
            }
            Instr::Deallocate(n) | Instr::Trim(n) => {
                self.drop_slots(*n);
                Flow::Next
            }
            Instr::InitY(slots) => {
                slots.iter().for_each(|y| self.set(Dst::Y(*y), Term::Nil));
                Flow::Next
            }
            Instr::Return => Flow::Return,
            Instr::GetList(src, head, tail) => {
                let Term::Cons(cell) = self.get(src) else { return broken("a list") };
                let (h, t) = (cell.head.clone(), cell.tail.clone());
                self.set(*head, h);
                self.set(*tail, t);
                Flow::Next
            }
            Instr::GetHd(src, dst) => {
                let Term::Cons(cell) = self.get(src) else { return broken("a list") };
                let value = cell.head.clone();
                self.set(*dst, value);
                Flow::Next
            }
            Instr::GetTl(src, dst) => {
                let Term::Cons(cell) = self.get(src) else { return broken("a list") };
                let value = cell.tail.clone();
                self.set(*dst, value);
                Flow::Next
            }
            Instr::PutList(head, tail, dst) => {
                let cell = Term::cons(self.value(head), self.value(tail));
                self.set(*dst, cell);
                Flow::Next
            }
            Instr::PutTuple(dst, elements) => {
                let tuple: Rc<[Term]> = elements.iter().map(|e| self.value(e)).collect();
                self.set(*dst, Term::Tuple(tuple));
                Flow::Next
            }
            Instr::SelectVal(src, fail, arms) => {
                let value = self.get(src);
                let arm = arms.iter().find(|(key, _)| order::exact_eq(key, value));
                Flow::Jump(arm.map_or(*fail, |(_, at)| *at))
            }
            Instr::SelectArity(src, fail, arms) => {
                let arity = if let Term::Tuple(t) = self.get(src) { t.len() as u32 } else { u32::MAX };
                Flow::Jump(arms.iter().find(|(n, _)| *n == arity).map_or(*fail, |(_, at)| *at))
            }
            Instr::Jump(at) => Flow::Jump(*at),
            Instr::Swap(a, b) => {
                let (x, y) = (self.take(*a), self.take(*b));
                self.set(*a, y);
                self.set(*b, x);
                Flow::Next
            }
            Instr::Send => {
                self.note_told(module);
                self.announce(Next::Send(Then::Next), 2)
            }
            Instr::LoopRec(fail, dst) => {
                if self.mode == Mode::Real && !self.p.receiving {
                    // Matching may use all x registers: none is live.
                    self.p.x.clear();
                    return self.announce_receive();
                }
                match self.p.mailbox.get(self.p.save as usize).cloned() {
                    Some(message) => {
                        self.set(*dst, message);
                        Flow::Next
                    }
                    None => Flow::Jump(*fail),
                }
            }
            Instr::LoopRecEnd(at) => {
                self.p.save += 1;
                Flow::Jump(*at)
            }
            Instr::RemoveMessage => {
                if self.p.save as usize >= self.p.mailbox.len() {
                    return broken("a message");
                }
                if self.mode == Mode::Matching {
                    return Flow::Stop(Stop::Matched(self.p.save));
                }
                if !self.p.receiving {
                    return broken("the beginning of a receive");
                }
                let message = self.p.mailbox.remove(self.p.save as usize);
                self.note_received(&message);
                self.p.save = 0;
                self.p.receiving = false;
                Flow::Next
            }
            Instr::Wait(_) => match self.mode {
                Mode::Matching => Flow::Stop(Stop::Waits(self.p.pc.at, None)),
                Mode::Real => self.announce_receive(),
            },
            Instr::WaitTimeout(_, time) => match self.mode {
                Mode::Matching => Flow::Stop(Stop::Waits(self.p.pc.at, Some(self.value(time)))),
                Mode::Real => self.announce_receive(),
            },
            Instr::Timeout => {
                if self.mode == Mode::Matching {
                    // `after 0` has no wait instruction: it continues here.
                    return Flow::Stop(Stop::Waits(self.p.pc.at - 1, Some(Term::Int(0))));
                }
                self.p.save = 0;
                Flow::Next
            }
            Instr::Catch(y, at) => {
                let marker = Term::Catch(self.p.pc.module, *at);
                self.set(Dst::Y(*y), marker);
                Flow::Next
            }
            Instr::TryEnd(y) => {
                self.set(Dst::Y(*y), Term::Nil);
                Flow::Next
            }
            Instr::TryCase(y) => {
                self.p.caught = false;
                self.set(Dst::Y(*y), Term::Nil);
                Flow::Next
            }
            Instr::CatchEnd(y) => self.catch_end(*y),
            Instr::TryCaseEnd(src) => self.error_with(known::TRY_CLAUSE, src),
            Instr::Badmatch(src) => self.error_with(known::BADMATCH, src),
            Instr::CaseEnd(src) => self.error_with(known::CASE_CLAUSE, src),
            Instr::Badrecord(src) => self.error_with(known::BADRECORD, src),
            Instr::IfEnd => Flow::Raise(Raise::error(Term::Atom(known::IF_CLAUSE))),
            Instr::Raise(trace, value) => {
                let (trace, value) = (self.value(trace), self.value(value));
                Flow::Raise(Raise::again(trace, value))
            }
            Instr::RawRaise => {
                let (class, reason, trace) = (self.x(0), self.x(1), self.x(2));
                match Class::of(&class) {
                    Some(class) => Flow::Raise(Raise::with_trace(class, reason, exceptions::cooked(&trace))),
                    None => {
                        self.p.x.clear();
                        self.p.x.push(Term::Atom(known::BADARG));
                        Flow::Next
                    }
                }
            }
            Instr::BuildStacktrace => {
                let trace = exceptions::cooked(&self.x(0));
                self.set(Dst::X(0), trace);
                Flow::Next
            }
            Instr::FuncInfo => {
                let arity = module.function_at(self.p.pc.at).map_or(0, |mfa| mfa.arity as usize);
                let args = (0..arity).map(|i| self.x(i)).collect();
                Flow::Raise(Raise::error(Term::Atom(known::FUNCTION_CLAUSE)).with_args(args))
            }
            Instr::IsFunction2(fail, src, arity) => {
                let holds = match (self.get(src), self.get(arity)) {
                    (Term::Fun(fun), Term::Int(n)) => fun.arity() as i64 == *n,
                    _ => false,
                };
                self.otherwise(*fail, holds)
            }
            Instr::MakeFun(index, dst, free) => {
                let free = free.iter().map(|f| self.value(f)).collect();
                let fun = calls::make_fun(module, *index, free, self.p.pid);
                self.set(*dst, fun);
                Flow::Next
            }
            Instr::MakeFun2(index) => {
                let free = module.lambdas[*index as usize].free as usize;
                let free = (0..free).map(|i| self.x(i)).collect();
                let fun = calls::make_fun(module, *index, free, self.p.pid);
                self.set(Dst::X(0), fun);
                Flow::Next
            }
            Instr::CallFun(arity) => {
                let fun = self.x(*arity as usize);
                self.call_fun(&fun, *arity as u32)
            }
            Instr::CallFun2(arity, src) => {
                let fun = self.value(src);
                self.call_fun(&fun, *arity as u32)
            }
            Instr::Apply(arity) => self.apply(*arity as usize, Then::Next),
            Instr::ApplyLast(arity, n) => {
                self.drop_slots(*n);
                self.apply(*arity as usize, Then::Return)
            }
            Instr::SetTupleElement(value, dst, index) => {
                let value = self.value(value);
                let Term::Tuple(t) = self.take(*dst) else { return broken("a tuple") };
                let mut elements = t.to_vec();
                let Some(slot) = elements.get_mut(*index as usize) else { return broken("a tuple element") };
                *slot = value;
                self.set(*dst, Term::tuple(elements));
                Flow::Next
            }
            Instr::UpdateRecord(size, src, dst, updates) => {
                let Term::Tuple(t) = self.get(src) else { return broken("a record") };
                let mut elements = t.to_vec();
                if elements.len() != *size as usize {
                    return broken("a record");
                }
                for (index, value) in updates.iter() {
                    let value = self.value(value);
                    let slot = (*index as usize).checked_sub(1).and_then(|i| elements.get_mut(i));
                    let Some(slot) = slot else { return broken("a record field") };
                    *slot = value;
                }
                self.set(*dst, Term::tuple(elements));
                Flow::Next
            }
            Instr::PutMap { exact, fail, src, dst, pairs } => self.put_map(*exact, *fail, src, *dst, pairs),
            Instr::HasFields(fail, src, keys) => {
                let holds = match self.get(src) {
                    Term::Map(map) => keys.iter().all(|key| map.get(self.get(key)).is_some()),
                    _ => false,
                };
                self.otherwise(*fail, holds)
            }
            Instr::GetElements(fail, src, pairs) => {
                let Term::Map(map) = self.value(src) else { return Flow::Jump(*fail) };
                for (key, dst) in pairs.iter() {
                    match map.get(self.get(key)) {
                        Some(value) => self.set(*dst, value.clone()),
                        None => return Flow::Jump(*fail),
                    }
                }
                Flow::Next
            }
            Instr::FLoad(src, to) => match self.get(src) {
                Term::Float(f) => {
                    let f = *f;
                    self.set_float(*to, f);
                    Flow::Next
                }
                _ => broken("a float"),
            },
            Instr::FStore(from, dst) => {
                let value = Term::Float(self.float(*from));
                self.set(*dst, value);
                Flow::Next
            }
            Instr::FCopy(from, to) => {
                let value = self.float(*from);
                self.set_float(*to, value);
                Flow::Next
            }
            Instr::FConv(src, to) => match number::to_f64(self.get(src)) {
                Some(f) => {
                    self.set_float(*to, f);
                    Flow::Next
                }
                None => Flow::Raise(Raise::badarith()),
            },
            Instr::FArith(fail, op, a, b, to) => {
                let (a, b) = (self.float(*a), self.float(*b));
                let result = match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => a / b,
                };
                if result.is_finite() {
                    self.set_float(*to, result);
                    Flow::Next
                } else if *fail != 0 {
                    Flow::Jump(*fail)
                } else {
                    Flow::Raise(Raise::badarith())
                }
            }
            Instr::FNegate(from, to) => {
                let value = -self.float(*from);
                self.set_float(*to, value);
                Flow::Next
            }
            Instr::StartMatch(..)
            | Instr::GetInteger(_)
            | Instr::GetFloat(_)
            | Instr::GetBinary(_)
            | Instr::Skip(_)
            | Instr::TestTail(..)
            | Instr::TestUnit(..)
            | Instr::MatchString(..)
            | Instr::GetUtf(..)
            | Instr::GetTail(..)
            | Instr::GetPosition(..)
            | Instr::SetPosition(..)
            | Instr::InitWritable
            | Instr::CreateBin(_)
            | Instr::Match(_) => self.binary(instr),
            Instr::Unsupported(op) => Flow::Stop(Stop::Unsupported(format!(
                "the instruction {op} is not supported ({}); compile the module with OTP 25 to 27",
                self.place()
            ))),
            Instr::End => broken("an instruction"),
        }
    }

    /// Announces a visible operation that uses `live` x registers.
    fn announce(&mut self, next: Next, live: usize) -> Flow {
        self.p.x.resize(live, Term::Nil);
        self.p.next = next;
        Flow::Stop(Stop::Announced)
    }

    fn announce_receive(&mut self) -> Flow {
        self.note_waiting();
        self.p.save = 0;
        self.p.next = Next::Receive(Found::Nothing { wait: self.p.pc.at, deadline: None });
        Flow::Stop(Stop::Receive)
    }

    fn bif(&mut self, module: &Module, import: u32, fail: u32, args: &[Src], dst: Dst) -> Flow {
        let import = &module.imports[import as usize];
        let target = *import.target.get_or_init(|| self.env.code.resolve(import.mfa));
        let Target::Native(native) = target else {
            return Flow::Stop(Stop::Unsupported(self.not_supported(import.mfa)));
        };
        let Run::Local(run) = native.run else {
            return Flow::Stop(Stop::Unsupported(self.not_supported(import.mfa)));
        };
        if native.arity as usize != args.len() {
            return broken("an argument");
        }
        let result = match args {
            [] => run(self, &[]),
            [a] => {
                let a = [self.value(a)];
                run(self, &a)
            }
            [a, b] => {
                let args = [self.value(a), self.value(b)];
                run(self, &args)
            }
            more => {
                let args: Vec<Term> = more.iter().map(|a| self.value(a)).collect();
                run(self, &args)
            }
        };
        match result {
            Ok(value) => {
                self.set(dst, value);
                Flow::Next
            }
            Err(raise) if fail != 0 && raise.is_exception() => Flow::Jump(fail),
            Err(raise) => {
                let args = args.iter().map(|a| self.value(a)).collect();
                Flow::Raise(raise.in_native(native.mfa(), args))
            }
        }
    }

    fn put_map(&mut self, exact: bool, fail: u32, src: &Src, dst: Dst, pairs: &[(Src, Src)]) -> Flow {
        let Term::Map(map) = self.value(src) else {
            if fail != 0 {
                return Flow::Jump(fail);
            }
            return self.error_with(known::BADMAP, src);
        };
        let mut new = Map::clone(&map);
        for (key, value) in pairs {
            let key = self.value(key);
            if exact && new.get(&key).is_none() {
                if fail != 0 {
                    return Flow::Jump(fail);
                }
                return Flow::Raise(Raise::error(Term::tagged(known::BADKEY, key)));
            }
            let value = self.value(value);
            new.insert(key, value);
        }
        self.set(dst, Term::map(new));
        Flow::Next
    }

    fn call_here(&mut self, at: u32) -> Flow {
        let ret = Pc { module: self.p.pc.module, at: self.p.pc.at + 1 };
        self.p.frames.push(Frame { ret, depth: self.p.ys.len() as u32 });
        Flow::Jump(at)
    }

    fn drop_slots(&mut self, n: u16) {
        let left = self.p.ys.len().saturating_sub(n as usize);
        self.p.ys.truncate(left);
    }
}

fn broken(what: &str) -> Flow {
    Flow::Stop(Stop::Unsupported(format!("the code is corrupt: {what} is missing")))
}

fn test1(test: Test1, t: &Term) -> bool {
    match test {
        Test1::Integer => t.is_integer(),
        Test1::Float => matches!(t, Term::Float(_)),
        Test1::Number => t.is_integer() || matches!(t, Term::Float(_)),
        Test1::Atom => matches!(t, Term::Atom(_)),
        Test1::Pid => matches!(t, Term::Pid(_)),
        Test1::Reference => matches!(t, Term::Ref(_)),
        Test1::Port => false,
        Test1::Nil => matches!(t, Term::Nil),
        Test1::Binary => matches!(t, Term::Bits(b) if b.is_binary()),
        Test1::Bitstr => matches!(t, Term::Bits(_)),
        Test1::List => t.is_list(),
        Test1::NonemptyList => matches!(t, Term::Cons(_)),
        Test1::Tuple => matches!(t, Term::Tuple(_)),
        Test1::Boolean => t.as_bool().is_some(),
        Test1::Function => matches!(t, Term::Fun(_)),
        Test1::Map => matches!(t, Term::Map(_)),
    }
}
