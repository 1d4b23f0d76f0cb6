//! Exceptions: classes, reasons, stack traces, and unwinding to the handler.

use super::{Flow, Runner, Stop, Uncaught};
use crate::beam::{Dst, Mfa, Src};
use crate::process::{Pc, Then};
use crate::term::number::ArithError;
use crate::term::{Atom, Map, Term, TooLarge, known};
use crate::watch::Halt;

/// The class of an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A run-time error.
    Error,
    /// An exit.
    Exit,
    /// A thrown value.
    Throw,
}

impl Class {
    /// The class as an atom.
    pub fn atom(self) -> Atom {
        match self {
            Class::Error => known::ERROR,
            Class::Exit => known::EXIT,
            Class::Throw => known::THROW,
        }
    }
    /// The class that a term names.
    pub fn of(t: &Term) -> Option<Class> {
        [Class::Error, Class::Exit, Class::Throw].into_iter().find(|c| t.is_atom(c.atom()))
    }
}

/// An exception in flight; or the end of the execution, for an unsupported feature.
#[derive(Clone, Debug)]
pub enum Raise {
    /// An exception.
    Exception {
        /// Its class.
        class: Class,
        /// Its reason.
        reason: Term,
        /// Its stack trace, if it has one already.
        trace: Option<Term>,
        /// The arguments of the function that it came from, where they are shown.
        args: Option<Vec<Term>>,
        /// The native that it came from.
        native: Option<Mfa>,
        /// That native was a tail call, so its caller is no longer on the stack.
        tail: bool,
    },
    /// An unsupported feature, as text.
    Unsupported(String),
    /// A value would take too much memory.
    TooLarge,
}

/// A native's result.
pub type Res = Result<Term, Raise>;

impl From<TooLarge> for Raise {
    fn from(_: TooLarge) -> Raise {
        Raise::TooLarge
    }
}

impl Raise {
    /// An exception.
    pub fn new(class: Class, reason: Term) -> Raise {
        Raise::Exception { class, reason, trace: None, args: None, native: None, tail: false }
    }
    /// An error.
    pub fn error(reason: Term) -> Raise {
        Raise::new(Class::Error, reason)
    }
    /// `badarg`
    pub fn badarg() -> Raise {
        Raise::error(Term::Atom(known::BADARG))
    }
    /// `function_clause`
    pub fn function_clause() -> Raise {
        Raise::error(Term::atom("function_clause"))
    }
    /// `badarith`
    pub fn badarith() -> Raise {
        Raise::error(Term::Atom(known::BADARITH))
    }
    /// An unsupported feature.
    pub fn unsupported(what: impl Into<String>) -> Raise {
        Raise::Unsupported(what.into())
    }
    /// With a given stack trace.
    pub fn with_trace(class: Class, reason: Term, trace: Term) -> Raise {
        Raise::Exception { class, reason, trace: Some(trace), args: None, native: None, tail: false }
    }
    /// Raises an exception again, from its raw trace.
    pub fn again(raw: Term, reason: Term) -> Raise {
        match raw.as_tuple() {
            Some([class, trace]) => {
                Raise::with_trace(Class::of(class).unwrap_or(Class::Error), reason, trace.clone())
            }
            _ => Raise::error(reason),
        }
    }
    /// With the arguments of the function that raises it.
    pub fn with_args(mut self, given: Vec<Term>) -> Raise {
        if let Raise::Exception { args, .. } = &mut self {
            *args = Some(given);
        }
        self
    }
    /// Raised by a native with these arguments.
    pub fn in_native(mut self, mfa: Mfa, given: Vec<Term>) -> Raise {
        if let Raise::Exception { class: Class::Error, args, native, trace: None, .. } = &mut self
            && native.is_none()
            && args.is_none()
        {
            *native = Some(mfa);
            *args = Some(given);
        }
        self
    }
    /// Raised for an undefined function.
    pub fn undef(mfa: Mfa, args: Vec<Term>) -> Raise {
        Raise::Exception {
            class: Class::Error,
            reason: Term::Atom(known::UNDEF),
            trace: None,
            args: Some(args),
            native: Some(mfa),
            tail: false,
        }
    }
    /// Raised by a call with this continuation.
    pub fn then(mut self, then: Then) -> Raise {
        if let Raise::Exception { tail, native: Some(_), .. } = &mut self {
            *tail = then == Then::Return;
        }
        self
    }
    /// Whether the program can catch it.
    pub fn is_exception(&self) -> bool {
        matches!(self, Raise::Exception { .. })
    }
}

impl From<ArithError> for Raise {
    fn from(e: ArithError) -> Raise {
        match e {
            ArithError::Bad => Raise::badarith(),
            ArithError::SystemLimit => Raise::error(Term::Atom(known::SYSTEM_LIMIT)),
        }
    }
}

/// The list in a raw trace.
pub(super) fn cooked(raw: &Term) -> Term {
    match raw.as_tuple() {
        Some([_, trace]) => trace.clone(),
        _ => raw.clone(),
    }
}

/// The number of calls in a stack trace.
const DEPTH: usize = 8;

impl Runner<'_> {
    pub(super) fn error_with(&self, tag: Atom, src: &Src) -> Flow {
        Flow::Raise(Raise::error(Term::tagged(tag, self.value(src))))
    }

    /// Unwinds to the handler of an exception; or says how the process exits.
    pub(super) fn unwind(&mut self, raise: Raise) -> Option<Stop> {
        let (class, reason, trace, args, native, tail) = match raise {
            Raise::Exception { class, reason, trace, args, native, tail } => {
                (class, reason, trace, args, native, tail)
            }
            Raise::Unsupported(what) => return Some(Stop::Unsupported(what)),
            Raise::TooLarge => return Some(Stop::Halted(Halt::Memory)),
        };
        let trace = trace.unwrap_or_else(|| self.trace(native, args, tail));
        let found = self.p.ys.iter().enumerate().rev().find_map(|(at, slot)| match slot {
            Term::Catch(module, label) => Some((at, *module, *label)),
            _ => None,
        });
        let Some((at, module, label)) = found else {
            let is_told = self.is_told(class, &trace);
            let follows = self.followed(class, &reason);
            let reason = match class {
                Class::Exit => reason,
                Class::Error => Term::tuple([reason, trace.clone()]),
                Class::Throw => Term::tuple([Term::tagged(known::NOCATCH, reason), trace.clone()]),
            };
            let shown = if class == Class::Exit { None } else { Some(trace) };
            return Some(Stop::Ended(Uncaught { reason, trace: shown, is_told, follows }));
        };
        let mut depth = self.p.ys.len();
        while let Some(frame) = self.p.frames.last()
            && frame.depth as usize > at
        {
            depth = frame.depth as usize;
            self.p.frames.pop();
        }
        self.p.ys.truncate(depth);
        self.p.pc = Pc { module, at: label };
        self.p.caught = true;
        self.p.receiving = false;
        self.p.save = 0;
        self.p.x.clear();
        let raw = Term::tuple([Term::Atom(class.atom()), trace]);
        self.p.x.extend([Term::Atom(class.atom()), reason, raw]);
        None
    }

    pub(super) fn catch_end(&mut self, y: u16) -> Flow {
        self.set(Dst::Y(y), Term::Nil);
        if std::mem::take(&mut self.p.caught) {
            let (class, reason, raw) = (self.x(0), self.x(1), self.x(2));
            let value = match Class::of(&class) {
                Some(Class::Throw) => reason,
                Some(Class::Exit) => Term::tagged(known::EXIT_SIGNAL, reason),
                _ => {
                    let with_trace = Term::tuple([reason, cooked(&raw)]);
                    Term::tagged(known::EXIT_SIGNAL, with_trace)
                }
            };
            self.p.x.clear();
            self.p.x.push(value);
        }
        Flow::Next
    }

    /// The current stack trace, for an exception of the function itself.
    pub fn stack_trace(&self, args: Option<Vec<Term>>) -> Term {
        self.trace(None, args, false)
    }

    /// The current stack trace, for an exception of `native` or of the function itself.
    fn trace(&self, native: Option<Mfa>, args: Option<Vec<Term>>, tail: bool) -> Term {
        let mut entries = Vec::new();
        let mut args = args;
        if let Some(mfa) = native {
            let is_bif = self.env.code.is_native(mfa);
            let info = if is_bif && mfa.module == known::ERLANG {
                let module =
                    Map::from_entries(vec![(Term::Atom(known::MODULE), Term::atom("erl_erts_errors"))]);
                Term::list([Term::tagged(known::ERROR_INFO, Term::map(module))])
            } else {
                Term::Nil
            };
            let shown = args.take().map_or(Term::Int(mfa.arity as i64), Term::list);
            entries.push(Term::tuple([Term::Atom(mfa.module), Term::Atom(mfa.function), shown, info]));
        }
        let here = std::iter::once(self.p.pc);
        let callers =
            self.p.frames.iter().rev().map(|f| Pc { module: f.ret.module, at: f.ret.at.saturating_sub(1) });
        for pc in here.chain(callers).skip(tail as usize).take(DEPTH - entries.len()) {
            let module = self.env.code.module(pc.module);
            let Some(mfa) = module.function_at(pc.at) else { continue };
            let arity = args.take().map_or(Term::Int(mfa.arity as i64), Term::list);
            let place = match module.line_at(pc.at) {
                Some((file, line)) => Term::list([
                    Term::tagged(known::FILE, Term::string(file)),
                    Term::tagged(known::LINE, Term::Int(line as i64)),
                ]),
                None => Term::Nil,
            };
            entries.push(Term::tuple([Term::Atom(mfa.module), Term::Atom(mfa.function), arity, place]));
        }
        Term::list(entries)
    }
}
