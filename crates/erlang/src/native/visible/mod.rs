//! Natives that other processes may observe, or that depend on them. Each announces its accesses before its
//! step.

pub(crate) mod code;
mod files;
mod info;
mod links;
mod logging;
mod looks;
mod names;
mod numbers;
mod portions;
mod processes;
mod storage;
mod tables;
mod timers;

pub(crate) use logging::CONFIGURATION;
pub(crate) use looks::{fixes_table, is_look};

use super::{Native, Run};
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, Sort, system};
use crate::process::Process;
use crate::run::Raise;
use crate::term::{Atom, Pid, Term, known};

/// A visible native.
pub struct Visible {
    /// Its accesses, beyond those of every operation of its process.
    pub touches: fn(&Look<'_>, Touch) -> Touch,
    /// Whether it is enabled; always, if none.
    pub ready: Option<fn(&Look<'_>) -> bool>,
    /// Its effect.
    pub act: fn(&mut Machine, usize, &[Term]) -> Done,
}

/// The state in which a native is evaluated.
pub struct Look<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The calling process.
    pub me: &'a Process,
    /// The arguments.
    pub args: &'a [Term],
}

/// The outcome of a visible native.
pub enum Effect {
    /// A value.
    Value(Term),
    /// The process continues with this call and an empty stack.
    Jump(Atom, Atom, Term),
    /// The process enters the function that it announced: see `code.rs`.
    Enter,
    /// The execution is over.
    Over,
}

/// The outcome of a visible native, or an exception.
pub type Done = Result<Effect, Raise>;

pub(super) fn value(t: impl Into<Term>) -> Done {
    Ok(Effect::Value(t.into()))
}

pub(super) fn yes() -> Done {
    value(true)
}

pub(super) fn bad<T>() -> Result<T, Raise> {
    Err(Raise::badarg())
}

pub(super) const fn visible(
    module: &'static str,
    function: &'static str,
    arity: u32,
    how: &'static Visible,
) -> Native {
    Native { module, function, arity, run: Run::Visible(how) }
}

/// The accesses of `!`.
pub fn send_touches(look: &Look<'_>, touch: Touch) -> Touch {
    send_to_touches(look, touch, &look.args[0])
}

fn send_to_touches(look: &Look<'_>, touch: Touch, to: &Term) -> Touch {
    let send = |touch, to, sort| look.machine.sending_touches(touch, look.me.pid, to, sort);
    let sending = |touch, to| send(touch, to, Sort::Message);
    match to {
        Term::Pid(pid) if pid.is_system() => system_touches(look, touch, *pid),
        Term::Pid(pid) => sending(touch, *pid),
        Term::Ref(alias) => send(touch, alias.maker, Sort::Aliased(*alias)),
        Term::Atom(name) => {
            let touch = touch.read(Object::Name(*name));
            let now = look.machine.names.get(name).copied();
            if let Some(pid) = now.filter(|pid| pid.is_system()) {
                return system_touches(look, touch, pid);
            }
            // Earlier it would have been sent to the owner of the name then.
            look.machine.once_named(*name, now).chain(now).fold(touch, sending)
        }
        Term::Tuple(t) if t.len() == 2 => send_to_touches(look, touch, &t[0]),
        _ => touch,
    }
}

/// The accesses of a message to a system process, which may reply.
fn system_touches(look: &Look<'_>, touch: Touch, system: Pid) -> Touch {
    match look.args.get(1).and_then(system::request) {
        Some((from, _, _)) => look.machine.sending_touches(touch, system, from, Sort::Message),
        None => touch,
    }
}

/// `!`
pub fn send(m: &mut Machine, task: usize, args: &[Term]) -> Done {
    let me = m.process(task).pid;
    let message = args[1].clone();
    match &args[0] {
        Term::Pid(to) if to.is_system() => m.send_to_system(task, *to, &message)?,
        Term::Pid(to) => m.send_message(me, *to, message.clone()),
        Term::Ref(alias) => m.send(me, alias.maker, crate::machine::Signal::Aliased(*alias, message.clone())),
        Term::Atom(name) => match m.names.get(name) {
            Some(to) => {
                let to = *to;
                match to.is_system() {
                    true => m.send_to_system(task, to, &message)?,
                    false => m.send_message(me, to, message.clone()),
                }
            }
            None => return bad(),
        },
        Term::Tuple(t) if t.len() == 2 => match (&t[0], &t[1]) {
            // A name on a node: on this node a missing name is no error.
            (Term::Atom(name), Term::Atom(node)) if *node == known::NONODE => {
                if let Some(to) = m.names.get(name).copied() {
                    match to.is_system() {
                        true => m.send_to_system(task, to, &message)?,
                        false => m.send_message(me, to, message.clone()),
                    }
                }
            }
            (Term::Atom(_), Term::Atom(_)) => {
                return Err(Raise::unsupported("sending to another node (distribution) is not supported"));
            }
            _ => return bad(),
        },
        _ => return bad(),
    }
    value(message)
}

/// `!` as a function.
pub static SEND: Native = visible("erlang", "!", 2, &SEND_OP);
static SEND_OP: Visible = Visible { touches: send_touches, ready: None, act: send };

static SEND3: Visible = Visible {
    touches: send_touches,
    ready: None,
    act: |m, task, a| {
        for option in a[2].to_vec().ok_or_else(Raise::badarg)? {
            if !matches!(option.as_atom().map(Atom::text), Some("nosuspend" | "noconnect")) {
                return bad();
            }
        }
        send(m, task, a)?;
        value(known::OK)
    },
};

static SEND_NOSUSPEND: Visible = Visible {
    touches: send_touches,
    ready: None,
    act: |m, task, a| {
        send(m, task, a)?;
        yes()
    },
};

/// Whether a native is known to succeed; false if it may raise an exception.
pub(crate) fn succeeds(native: &Native, look: &Look<'_>) -> bool {
    matches!(&native.run, Run::Visible(visible) if tables::succeeds(visible, look))
}

/// Whether a native changes only tables, depending only on its arguments and the tables.
pub(crate) fn changes_tables(native: &Native) -> bool {
    matches!(&native.run, Run::Visible(visible) if tables::changes_keys(visible))
}

/// The single object that the accesses and the success of a native depend on, if there is one.
pub(crate) fn basis(native: &Native, look: &Look<'_>) -> Option<Object> {
    succeeds(native, look).then(|| tables::basis(look))
}

/// The natives of this file.
static SENDS: &[Native] = &[
    visible("erlang", "!", 2, &SEND_OP),
    visible("erlang", "send", 2, &SEND_OP),
    visible("erlang", "send", 3, &SEND3),
    visible("erlang", "send_nosuspend", 2, &SEND_NOSUSPEND),
];

/// All visible natives.
pub fn all() -> impl Iterator<Item = &'static Native> {
    [
        SENDS,
        processes::TABLE,
        names::TABLE,
        links::TABLE,
        info::TABLE,
        timers::TABLE,
        portions::TABLE,
        storage::TABLE,
        logging::TABLE,
        numbers::TABLE,
        code::TABLE,
    ]
    .into_iter()
    .chain(tables::ALL)
    .chain(files::TABLES)
    .flatten()
}
