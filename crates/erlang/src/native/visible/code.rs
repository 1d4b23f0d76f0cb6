//! Code that is loaded, deleted and purged while the program runs, and calls of such code. A call reads the code of its
//! module, and what changes the code writes it. The semantics are those of OTP's code server: a module has a current and
//! an old version, and loading purges the old one.

use super::{Done, Effect, Look, Visible, bad, value, visible, yes};
use crate::beam::Mfa;
use crate::machine::Machine;
use crate::machine::access::{Object, Touch};
use crate::native::{Native, READS_CODE};
use crate::process::Process;
use crate::run::Raise;
use crate::term::{Atom, Fun, Term, known};
use crate::versions::Version;
use std::rc::Rc;

/// The announced call of a function whose module is loaded while the program runs: module, function, arguments.
pub(crate) static CALL: Native = visible("raddle", "call", 3, &ENTER);
/// The announced call of a fun of such a module: the fun, arguments.
pub(crate) static CALL_FUN: Native = visible("raddle", "call", 2, &ENTER);

/// The module whose code a call reads, and whether it is loaded by the call if it is not.
fn subject(args: &[Term]) -> Option<(Atom, bool)> {
    match args {
        [Term::Fun(fun), _] => {
            let (Fun::Export { module, .. } | Fun::Local { module, .. }) = &**fun;
            Some((*module, false))
        }
        [Term::Atom(module), Term::Atom(function), list] => {
            let reads = READS_CODE.iter().any(|(m, f)| *m == module.text() && *f == function.text());
            match (reads, list.iter().next()) {
                (true, Some(Term::Atom(named))) => Some((*named, function.text() == "ensure_loaded")),
                _ => Some((*module, true)),
            }
        }
        _ => None,
    }
}

static ENTER: Visible = Visible {
    touches: |look, touch| match subject(look.args) {
        Some((module, true)) if look.machine.would_load(module).is_some() => {
            touch.write(Object::Code(module))
        }
        Some((module, _)) => touch.read(Object::Code(module)),
        None => Touch::EVERYTHING,
    },
    ready: None,
    act: |m, _, a| {
        if let Some((module, true)) = subject(a)
            && let Some(version) = m.would_load(module)
        {
            Rc::make_mut(&mut m.versions).change(module).current = Some(version);
        }
        Ok(Effect::Enter)
    },
};

impl Machine {
    /// The version of a deleted module that its next call loads from its file.
    fn would_load(&self, module: Atom) -> Option<Version> {
        let is_unloaded = self.versions.get(module).is_some_and(|entry| entry.current.is_none());
        if is_unloaded { self.in_file(module) } else { None }
    }
    /// The version in a module's file.
    fn in_file(&self, module: Atom) -> Option<Version> {
        let number = self.env.code.find(module)?;
        let file = self.env.code.file_name(module).unwrap_or_default();
        Some(Version { number, file: Term::string(&file) })
    }
    /// The current version of a module.
    fn current(&self, module: Atom) -> Option<Version> {
        match self.versions.get(module) {
            Some(entry) => entry.current.clone(),
            None => self.in_file(module),
        }
    }
    fn old(&self, module: Atom) -> Option<u32> {
        self.versions.get(module).and_then(|entry| entry.old)
    }
    /// A process that runs a version. A fun of it, as in OTP, does not count.
    fn user_of(&self, number: u32) -> Option<&Process> {
        let is_used =
            |p: &Process| p.pc.module == number || p.frames.iter().any(|frame| frame.ret.module == number);
        self.processes().map(|(_, p)| &**p).find(|p| !p.is_gone() && is_used(p))
    }
    /// Removes the old version. Its users would be killed.
    fn purge(&mut self, module: Atom) -> Result<(), Raise> {
        let Some(number) = self.old(module) else { return Ok(()) };
        if let Some(user) = self.user_of(number) {
            let what =
                format!("purging the old code of {module}, which {} still uses, is not supported", user.pid);
            return Err(Raise::unsupported(what));
        }
        Rc::make_mut(&mut self.versions).change(module).old = None;
        Ok(())
    }
    /// A new version, or none, becomes the current one; the current one becomes the old one.
    fn replace(&mut self, module: Atom, new: Option<Version>, answer: Term) -> Done {
        let before = self.current(module);
        let entry = Rc::make_mut(&mut self.versions).change(module);
        entry.old = before.map(|version| version.number);
        entry.current = new;
        self.changed(module, answer)
    }
    /// The code of a module was changed. If its calls are no steps yet, this execution is over: it says nothing, and the
    /// search begins anew.
    pub(super) fn changed(&mut self, module: Atom, answer: Term) -> Done {
        if self.env.settings.dynamic.is_known(module) {
            return value(answer);
        }
        self.env.settings.dynamic.note(module);
        self.halted = true;
        Ok(Effect::Over)
    }
    /// Whether a module can be deleted: also again, once it was loaded.
    fn is_there(&self, module: Atom) -> bool {
        self.versions.get(module).is_some() || self.in_file(module).is_some()
    }
    fn load(&mut self, module: Atom, version: Option<Version>) -> Done {
        let failed = |why: &str| value(Term::tagged(known::ERROR, Term::atom(why)));
        let Some(version) = version else { return failed("badfile") };
        let is_unstuck = self.versions.get(module).is_some_and(|entry| entry.is_unstuck);
        if self.env.code.is_sticky(module) && !is_unstuck {
            return failed("sticky_directory");
        }
        self.purge(module)?;
        self.replace(module, Some(version), Term::tagged(known::MODULE, Term::Atom(module)))
    }
}

/// The accesses of what changes the code of the module in the first argument. A purge depends on what all processes run.
fn changes(look: &Look<'_>, touch: Touch) -> Touch {
    match look.args.first().and_then(Term::as_atom) {
        Some(module) if look.machine.old(module).is_none() => touch.write(Object::Code(module)),
        Some(_) => Touch::EVERYTHING,
        None => touch,
    }
}

/// The first argument: a module.
fn module(a: &[Term]) -> Result<Atom, Raise> {
    a[0].as_atom().ok_or_else(Raise::function_clause)
}

static LOAD_BINARY: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| {
        let name = module(a)?;
        let bytes = a[2].as_bytes().filter(|_| a[1].as_atom().is_some() || a[1].to_text().is_some());
        let bytes = bytes.ok_or_else(Raise::function_clause)?;
        let number = m.env.code.load_bytes(name, bytes)?;
        m.load(name, number.map(|number| Version { number, file: a[1].clone() }))
    },
};
static LOAD_FILE: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| {
        let name = module(a)?;
        match m.in_file(name) {
            Some(version) => m.load(name, Some(version)),
            None => value(Term::tagged(known::ERROR, Term::atom("nofile"))),
        }
    },
};
static DELETE: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| {
        let name = module(a)?;
        match m.old(name).is_none() && m.is_there(name) {
            true => m.replace(name, None, Term::bool(true)),
            false => value(false),
        }
    },
};
static DELETE_MODULE: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| {
        let Some(name) = a[0].as_atom() else { return bad() };
        match (m.old(name), m.is_there(name)) {
            (Some(_), _) => bad(),
            (None, false) => value(known::UNDEFINED),
            (None, true) => m.replace(name, None, Term::bool(true)),
        }
    },
};
static PURGE: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| {
        m.purge(module(a)?)?;
        value(false)
    },
};
static SOFT_PURGE: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| {
        let name = module(a)?;
        let is_used = m.old(name).is_some_and(|number| m.user_of(number).is_some());
        if !is_used {
            m.purge(name)?;
        }
        value(!is_used)
    },
};
static PURGE_MODULE: Visible = Visible {
    touches: changes,
    ready: None,
    act: |m, _, a| match a[0].as_atom() {
        Some(name) if m.old(name).is_some() => {
            m.purge(name)?;
            yes()
        }
        _ => bad(),
    },
};
static UNSTICK: Visible = Visible { touches: changes, ready: None, act: |m, _, a| stick(m, a, true) };
static STICK: Visible = Visible { touches: changes, ready: None, act: |m, _, a| stick(m, a, false) };

fn stick(m: &mut Machine, a: &[Term], is_unstuck: bool) -> Done {
    let name = module(a)?;
    let current = m.current(name);
    let entry = Rc::make_mut(&mut m.versions).change(name);
    (entry.current, entry.is_unstuck) = (current, is_unstuck);
    m.changed(name, Term::bool(true))
}

const C: &str = "code";

pub static TABLE: &[Native] = &[
    visible(C, "load_binary", 3, &LOAD_BINARY),
    visible(C, "load_file", 1, &LOAD_FILE),
    visible(C, "delete", 1, &DELETE),
    visible(C, "purge", 1, &PURGE),
    visible(C, "soft_purge", 1, &SOFT_PURGE),
    visible(C, "unstick_mod", 1, &UNSTICK),
    visible(C, "stick_mod", 1, &STICK),
    visible("erlang", "delete_module", 1, &DELETE_MODULE),
    visible("erlang", "purge_module", 1, &PURGE_MODULE),
];

/// The function that an announced call enters.
pub(crate) fn called(args: &[Term]) -> Option<Mfa> {
    match args {
        [Term::Atom(module), Term::Atom(function), list] => {
            Some(Mfa { module: *module, function: *function, arity: list.iter().count() as u32 })
        }
        _ => None,
    }
}
