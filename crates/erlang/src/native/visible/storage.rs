//! State that outlives processes: persistent terms, and application environments.

use super::{Visible, bad, value, visible};
use crate::machine::access::{Object, Touch};
use crate::native::Native;
use crate::term::{Term, hash, known};
use std::rc::Rc;

fn key(t: &Term) -> Object {
    Object::Persistent(hash::of(t))
}

static PUT: Visible = Visible {
    touches: |look, touch| touch.write(key(&look.args[0])),
    ready: None,
    act: |m, _, a| {
        Rc::make_mut(&mut m.persistent).insert(a[0].clone(), a[1].clone());
        value(known::OK)
    },
};
static GET: Visible = Visible {
    touches: |look, touch| touch.read(key(&look.args[0])),
    ready: None,
    act: |m, _, a| match (m.persistent.get(&a[0]), a.get(1)) {
        (Some(found), _) => value(found.clone()),
        (None, Some(default)) => value(default.clone()),
        (None, None) => bad(),
    },
};
static GET_ALL: Visible = Visible {
    touches: |_, _| Touch::EVERYTHING,
    ready: None,
    act: |m, _, _| {
        let pair = |(k, v): &(Term, Term)| Term::tuple([k.clone(), v.clone()]);
        value(Term::list(m.persistent.entries().iter().map(pair).collect::<Vec<_>>()))
    },
};
static ERASE: Visible = Visible {
    touches: |look, touch| touch.write(key(&look.args[0])),
    ready: None,
    act: |m, _, a| value(Rc::make_mut(&mut m.persistent).remove(&a[0]).is_some()),
};

static GET_ENV: Visible = Visible {
    touches: |_, touch| touch.read(Object::Environment),
    ready: None,
    act: |m, _, a| {
        let (Term::Atom(app), Term::Atom(key)) = (&a[0], &a[1]) else { return value(known::UNDEFINED) };
        match m.environment.get(&(*app, *key)) {
            Some(found) => value(Term::tagged(known::OK, found.clone())),
            None => value(known::UNDEFINED),
        }
    },
};
static ALL_ENV: Visible = Visible {
    touches: |_, touch| touch.read(Object::Environment),
    ready: None,
    act: |m, _, a| {
        let Term::Atom(app) = &a[0] else { return bad() };
        let own = m.environment.iter().filter(|((owner, _), _)| owner == app);
        value(Term::list(own.map(|((_, key), value)| Term::tagged(*key, value.clone())).collect::<Vec<_>>()))
    },
};
static SET_ENV: Visible = Visible {
    touches: |_, touch| touch.write(Object::Environment),
    ready: None,
    act: |m, _, a| {
        let (Term::Atom(app), Term::Atom(key)) = (&a[0], &a[1]) else { return bad() };
        Rc::make_mut(&mut m.environment).insert((*app, *key), a[2].clone());
        value(known::OK)
    },
};
static UNSET_ENV: Visible = Visible {
    touches: |_, touch| touch.write(Object::Environment),
    ready: None,
    act: |m, _, a| {
        let (Term::Atom(app), Term::Atom(key)) = (&a[0], &a[1]) else { return bad() };
        Rc::make_mut(&mut m.environment).remove(&(*app, *key));
        value(known::OK)
    },
};

const P: &str = "persistent_term";

pub static TABLE: &[Native] = &[
    visible(P, "put", 2, &PUT),
    visible(P, "get", 1, &GET),
    visible(P, "get", 2, &GET),
    visible(P, "get", 0, &GET_ALL),
    visible(P, "erase", 1, &ERASE),
    visible("raddle", "get_env", 2, &GET_ENV),
    visible("raddle", "all_env", 1, &ALL_ENV),
    visible("raddle", "set_env", 3, &SET_ENV),
    visible("raddle", "unset_env", 2, &UNSET_ENV),
];
