//! Whether the configuration of `logger` is that of a booted node. To read it is no step then; the first change of it
//! refutes that, and the search begins anew, as with code that is loaded (see `code.rs`).

use super::{Visible, value, visible};
use crate::machine::access::Object;
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Atom, Term, hash, known};
use std::rc::Rc;
use std::sync::LazyLock;

/// Stands for the configuration among the modules that a program changes. No module has this name.
pub(crate) static CONFIGURATION: LazyLock<Atom> = LazyLock::new(|| Atom::new("$logger_config$"));

/// The process that changes it.
fn changes_it() -> Term {
    Term::tagged(*CONFIGURATION, Term::Atom(known::PROCESS))
}

static CONFIGURE: Visible = Visible {
    touches: |_, touch| touch.write(Object::Persistent(hash::of(&changes_it()))),
    ready: None,
    act: |m, task, a| {
        let (me, begins) = (Term::Pid(m.process(task).pid), a[0].is_atom(known::TRUE));
        match m.persistent.get(&changes_it()) {
            Some(other) if begins && *other != me => {
                let what =
                    format!("configuring logger in two processes at once is not supported: {other} does so");
                return Err(Raise::unsupported(what));
            }
            _ if begins => Rc::make_mut(&mut m.persistent).insert(changes_it(), me),
            _ => _ = Rc::make_mut(&mut m.persistent).remove(&changes_it()),
        }
        m.changed(*CONFIGURATION, Term::Atom(known::OK))
    },
};

fn configuration() -> Object {
    Object::Persistent(hash::of(&Term::Atom(*CONFIGURATION)))
}
static GET: Visible = Visible {
    touches: |_, touch| touch.read(configuration()),
    ready: None,
    act: |m, _, _| {
        let found = m.persistent.get(&Term::Atom(*CONFIGURATION)).cloned();
        value(found.unwrap_or_else(|| Term::atom("default")))
    },
};
static SET: Visible = Visible {
    touches: |_, touch| touch.write(configuration()),
    ready: None,
    act: |m, _, a| {
        Rc::make_mut(&mut m.persistent).insert(Term::Atom(*CONFIGURATION), a[0].clone());
        value(known::OK)
    },
};

pub static TABLE: &[Native] = &[
    visible("raddle", "logger_config", 0, &GET),
    visible("raddle", "set_logger_config", 1, &SET),
    visible("raddle", "configure_logger", 1, &CONFIGURE),
    Native::local("raddle", "is_logger_configured", 0, |r, _| {
        Ok(Term::bool(r.env.settings.dynamic.is_known(*CONFIGURATION)))
    }),
    Native::local("error_logger", "warning_map", 0, |_, _| Ok(Term::atom("warning"))),
    Native::local("raddle", "is_of_otp", 1, |r, a| {
        Ok(Term::bool(a[0].as_atom().is_none_or(|module| !r.env.code.is_own(module))))
    }),
];
