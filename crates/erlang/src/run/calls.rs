//! Calls of functions by name, of funs, and of natives.

use super::{Env, Flow, Raise, Runner, Stop};
use crate::beam::{Mfa, Module};
use crate::code::Target;
use crate::machine::own_pc;
use crate::native::visible::code;
use crate::native::{Native, READS_CODE, Run, Special};
use crate::process::{Frame, Next, Pc, Process, Then};
use crate::term::{Atom, Fun, Pid, Term, known};
use std::rc::Rc;

/// A fun of `module` with these free variables.
pub(super) fn make_fun(module: &Module, index: u32, free: Vec<Term>, creator: Pid) -> Term {
    let lambda = &module.lambdas[index as usize];
    Term::Fun(Rc::new(Fun::Local {
        module: module.name,
        index,
        arity: lambda.arity - lambda.free,
        uniq: module.md5,
        old_uniq: lambda.old_uniq,
        free,
        creator,
    }))
}

impl Runner<'_> {
    /// The location of the process, for messages.
    pub fn place(&self) -> String {
        place_of(self.env, self.p)
    }

    /// "erlang:foo/2 is not supported yet (called at reg_server.erl:17)"
    pub(super) fn not_supported(&self, mfa: Mfa) -> String {
        let place = self.place();
        match crate::refused::needs(mfa.module.text(), mfa.function.text()) {
            Some(what) => format!("{mfa} is not supported: it needs {what} (called at {place})"),
            None => format!("{mfa} is not supported yet (called at {place})"),
        }
    }

    /// Whether the program may have loaded or deleted this module.
    #[inline]
    fn is_versioned(&self, module: Atom) -> bool {
        !(self.env.settings.dynamic.is_empty() && self.versions.is_empty())
            && (self.env.settings.dynamic.is_known(module) || self.versions.get(module).is_some())
    }

    /// A call of a module that the program may have loaded or deleted: a step of its own.
    fn call_versioned(&mut self, mfa: Mfa, then: Then) -> Flow {
        if self.env.settings.dynamic.is_known(mfa.module) && !self.is_announced {
            return self.announce_call(mfa, then);
        }
        let target = self.resolve(mfa);
        self.call(target, mfa, then)
    }

    fn call_mfa(&mut self, mfa: Mfa, then: Then) -> Flow {
        if self.is_versioned(mfa.module) {
            return self.call_versioned(mfa, then);
        }
        let target = self.env.code.resolve(mfa);
        self.call(target, mfa, then)
    }

    /// What a call of a function enters. A module that is not loaded is found in its file.
    pub fn resolve(&self, mfa: Mfa) -> Target {
        match self.versions.get(mfa.module).and_then(|entry| entry.current.as_ref()) {
            Some(version) if self.env.code.find(mfa.module) != Some(version.number) => {
                self.env.code.resolve_in(version.number, mfa)
            }
            _ => self.env.code.resolve(mfa),
        }
    }

    /// The number of the current version of a module, if it is loaded.
    pub fn current(&self, module: Atom) -> Option<u32> {
        match self.versions.get(module) {
            Some(entry) => entry.current.as_ref().map(|version| version.number),
            None => self.env.code.find(module),
        }
    }

    /// The version of a module that a fun belongs to.
    pub fn version_of_fun(&self, module: Atom, uniq: [u8; 16]) -> Option<u32> {
        let Some(entry) = self.versions.get(module) else { return self.env.code.find(module) };
        let current = entry.current.as_ref().map(|version| version.number);
        let versions = current.into_iter().chain(entry.old).chain(self.env.code.find(module));
        versions.into_iter().find(|number| self.env.code.module(*number).md5 == uniq)
    }

    /// Whether a native depends on code that is loaded while the program runs.
    fn reads_dynamic_code(&self, native: &Native) -> bool {
        !self.env.settings.dynamic.is_empty()
            && !self.is_announced
            && READS_CODE.contains(&(native.module, native.function))
            && self.x(0).as_atom().is_some_and(|module| self.env.settings.dynamic.is_known(module))
    }

    fn announce_call(&mut self, mfa: Mfa, then: Then) -> Flow {
        let args = Term::list((0..mfa.arity as usize).map(|i| self.x(i)).collect::<Vec<_>>());
        self.p.x = vec![Term::Atom(mfa.module), Term::Atom(mfa.function), args];
        self.announce(Next::Call(&code::CALL, then), 3)
    }

    /// The call that was announced.
    pub(super) fn call_announced(&mut self, then: Then) -> Flow {
        let registers = std::mem::take(&mut self.p.x);
        let args = registers.last().and_then(Term::to_vec).unwrap_or_default();
        let arity = args.len() as u32;
        self.p.x = args;
        match code::called(&registers) {
            Some(mfa) => {
                let target = self.resolve(mfa);
                self.call(target, mfa, then)
            }
            None => self.call_fun_then(&registers[0], arity, then),
        }
    }

    fn push_frame(&mut self) {
        let ret = Pc { module: self.p.pc.module, at: self.p.pc.at + 1 };
        self.p.frames.push(Frame { ret, depth: self.p.ys.len() as u32 });
    }

    pub(super) fn call_import(&mut self, module: &Module, import: u32, then: Then) -> Flow {
        let import = &module.imports[import as usize];
        if self.is_versioned(import.mfa.module) {
            return self.call_versioned(import.mfa, then);
        }
        let target = *import.target.get_or_init(|| self.env.code.resolve(import.mfa));
        self.call(target, import.mfa, then)
    }

    /// Calls a function with the arguments in the x registers.
    pub(super) fn call(&mut self, target: Target, mfa: Mfa, then: Then) -> Flow {
        match target {
            Target::Code(module, at) => {
                if then == Then::Next {
                    self.push_frame();
                }
                Flow::Far(Pc { module, at })
            }
            Target::Native(native) => self.call_native(native, then),
            Target::Stub => Flow::Stop(Stop::Unsupported(self.not_supported(mfa))),
            Target::Missing => self.missing(mfa, then),
        }
    }

    fn missing(&mut self, mfa: Mfa, then: Then) -> Flow {
        let args: Vec<Term> = (0..mfa.arity as usize).map(|i| self.x(i)).collect();
        if let Some(error) = self.env.code.load_error(mfa.module) {
            return Flow::Stop(Stop::Unsupported(format!("{error} (called at {})", self.place())));
        }
        if crate::replaced::module(mfa.module.text()).is_some() {
            return Flow::Stop(Stop::Unsupported(self.not_supported(mfa)));
        }
        Flow::Raise(Raise::undef(mfa, args).then(then))
    }

    fn call_native(&mut self, native: &'static Native, then: Then) -> Flow {
        let arity = native.arity as usize;
        match &native.run {
            Run::Local(_) if self.reads_dynamic_code(native) => self.announce_call(native.mfa(), then),
            Run::Local(run) => {
                self.p.x.resize(arity.max(self.p.x.len()), Term::Nil);
                let args: Vec<Term> = self.p.x.drain(..arity).collect();
                let done = run(self, &args);
                // It may have made much at once.
                if let Some(why) = self.env.halted() {
                    return Flow::Stop(Stop::Halted(why));
                }
                match done {
                    Ok(value) => {
                        self.p.x.clear();
                        self.p.x.push(value);
                        match then {
                            Then::Next => Flow::Next,
                            Then::Return => Flow::Return,
                        }
                    }
                    Err(Raise::Unsupported(what)) => {
                        Flow::Stop(Stop::Unsupported(format!("{what} (called at {})", self.place())))
                    }
                    Err(raise) => Flow::Raise(raise.in_native(native.mfa(), args)),
                }
            }
            Run::Visible(_) => self.announce(Next::Call(native, then), arity),
            Run::Special(Special::ApplyFun) => {
                let fun = self.x(0);
                let Some(args) = self.x(1).to_vec() else { return Flow::Raise(Raise::badarg()) };
                let arity = args.len() as u32;
                self.p.x = args;
                self.call_fun_then(&fun, arity, then)
            }
            Run::Special(Special::ApplyMfa) => {
                let (Term::Atom(module), Term::Atom(function), Some(args)) =
                    (self.x(0), self.x(1), self.x(2).to_vec())
                else {
                    let args = vec![self.x(0), self.x(1), self.x(2)];
                    return Flow::Raise(Raise::badarg().in_native(native.mfa(), args));
                };
                self.call_named(module, function, args, then)
            }
            Run::Special(Special::NifError) => {
                // The body of a NIF stub.
                let module = self.env.code.module(self.p.pc.module);
                let Some(mfa) = module.function_at(self.p.pc.at) else {
                    return Flow::Stop(Stop::Unsupported("a native is not supported yet".to_owned()));
                };
                let caller = self.p.frames.last().map_or_else(
                    || "the start of a process".to_owned(),
                    |f| place(&self.env.code.module(f.ret.module), f.ret.at.saturating_sub(1)),
                );
                Flow::Stop(Stop::Unsupported(format!("{mfa} is not supported yet (called at {caller})")))
            }
        }
    }

    /// `apply(M, F, Args)`
    pub(super) fn call_named(&mut self, module: Atom, function: Atom, args: Vec<Term>, then: Then) -> Flow {
        let mfa = Mfa { module, function, arity: args.len() as u32 };
        self.p.x = args;
        self.call_mfa(mfa, then)
    }

    /// The `apply` instruction: module and function follow the arguments.
    pub(super) fn apply(&mut self, arity: usize, then: Then) -> Flow {
        let (module, function) = (self.x(arity), self.x(arity + 1));
        self.p.x.truncate(arity);
        let (Term::Atom(module), Term::Atom(function)) = (&module, &function) else {
            let args = vec![module, function, Term::list((0..arity).map(|i| self.x(i)).collect::<Vec<_>>())];
            return Flow::Raise(Raise::badarg().in_native(Mfa::new("erlang", "apply", 3), args));
        };
        let args = (0..arity).map(|i| self.x(i)).collect();
        self.call_named(*module, *function, args, then)
    }

    pub(super) fn call_fun(&mut self, fun: &Term, arity: u32) -> Flow {
        self.call_fun_then(fun, arity, Then::Next)
    }

    fn call_fun_then(&mut self, fun: &Term, arity: u32, then: Then) -> Flow {
        let Term::Fun(f) = fun else {
            return Flow::Raise(Raise::error(Term::tagged(known::BADFUN, fun.clone())));
        };
        self.p.x.resize((arity as usize).max(self.p.x.len()), Term::Nil);
        if f.arity() != arity {
            let args = Term::list(self.p.x[..arity as usize].to_vec());
            let pair = Term::tuple([fun.clone(), args]);
            return Flow::Raise(Raise::error(Term::tagged(known::BADARITY, pair)));
        }
        match &**f {
            Fun::Export { module, function, .. } => {
                let mfa = Mfa { module: *module, function: *function, arity };
                self.call_mfa(mfa, then)
            }
            Fun::Local { module, index, free, uniq, .. } => {
                if self.env.settings.dynamic.is_known(*module) && !self.is_announced {
                    let args = Term::list(self.p.x[..arity as usize].to_vec());
                    self.p.x = vec![fun.clone(), args];
                    return self.announce(Next::Call(&code::CALL_FUN, then), 2);
                }
                let number = self.version_of_fun(*module, *uniq);
                let lambda =
                    number.and_then(|n| self.env.code.module(n).lambdas.get(*index as usize).cloned());
                let (Some(number), Some(lambda)) = (number, lambda) else {
                    return Flow::Raise(Raise::error(Term::tagged(known::BADFUN, fun.clone())));
                };
                if lambda.arity != arity + free.len() as u32 {
                    return Flow::Raise(Raise::error(Term::tagged(known::BADFUN, fun.clone())));
                }
                self.p.x.truncate(arity as usize);
                self.p.x.extend(free.iter().cloned());
                if then == Then::Next {
                    self.push_frame();
                }
                Flow::Far(Pc { module: number, at: lambda.entry })
            }
        }
    }
}

/// The location of a process, for messages: the innermost one that is not in a module of OTP that calls for others.
pub fn place_of(env: &Env, p: &Process) -> String {
    let pc = own_pc(env, p).filter(|pc| env.code.module(pc.module).line_at(pc.at).is_some()).unwrap_or(p.pc);
    place(&env.code.module(pc.module), pc.at)
}

/// A source location, for messages.
pub fn place(module: &Module, at: u32) -> String {
    match module.line_at(at) {
        Some((file, line)) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        None => module.function_at(at).map_or_else(|| module.name.to_string(), |mfa| mfa.to_string()),
    }
}
