//! Registered names: `register`, `unregister`, `whereis`, `registered`.

use super::{Visible, bad, value, visible, yes};
use crate::machine::access::{Object, Touch};
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Term, known};
use std::rc::Rc;

static REGISTER: Visible = Visible {
    touches: |look, touch| match (&look.args[0], &look.args[1]) {
        (Term::Atom(name), Term::Pid(pid)) => {
            // A registration that would fail only reads the name; in an earlier state it might succeed.
            let taken = look.machine.names.contains_key(name);
            let touch =
                if taken { touch.read(Object::Name(*name)) } else { touch.write(Object::Name(*name)) };
            touch.write(Object::Watch(*pid))
        }
        _ => touch,
    },
    ready: None,
    act: |m, _, a| {
        let (Term::Atom(name), Term::Pid(pid)) = (&a[0], &a[1]) else { return bad() };
        let task = m.alive(*pid).ok_or_else(Raise::badarg)?;
        if *name == known::UNDEFINED || m.names.contains_key(name) || m.process(task).name.is_some() {
            return bad();
        }
        Rc::make_mut(&mut m.names).insert(*name, *pid);
        m.process_mut(task).name = Some(*name);
        yes()
    },
};

static UNREGISTER: Visible = Visible {
    touches: |look, touch| match &look.args[0] {
        Term::Atom(name) => match look.machine.names.get(name) {
            // This commutes with monitors and links to the process, not with another registration of it.
            Some(pid) => touch.write(Object::Name(*name)).read(Object::Watch(*pid)),
            None => touch.read(Object::Name(*name)),
        },
        _ => touch,
    },
    ready: None,
    act: |m, _, a| {
        let Term::Atom(name) = &a[0] else { return bad() };
        let Some(pid) = m.take_name(*name) else { return bad() };
        if let Some(task) = m.find(pid) {
            m.process_mut(task).name = None;
        }
        yes()
    },
};

static WHEREIS: Visible = Visible {
    touches: |look, touch| match &look.args[0] {
        Term::Atom(name) => touch.read(Object::Name(*name)),
        _ => touch,
    },
    ready: None,
    act: |m, _, a| {
        let Term::Atom(name) = &a[0] else { return bad() };
        match m.names.get(name) {
            Some(pid) => value(*pid),
            None => value(known::UNDEFINED),
        }
    },
};

static REGISTERED: Visible = Visible {
    touches: |_, _| Touch::EVERYTHING,
    ready: None,
    act: |m, _, _| value(Term::list(m.names.keys().map(|n| Term::Atom(*n)).collect::<Vec<_>>())),
};

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    visible(E, "register", 2, &REGISTER),
    visible(E, "unregister", 1, &UNREGISTER),
    visible(E, "whereis", 1, &WHEREIS),
    visible(E, "registered", 0, &REGISTERED),
];
