//! Operations on a whole table: create, give away, rename, clear, delete.

use super::super::{Done, Visible, bad, value, visible};
use super::{T, on_whole_table, table, table_mut, touches_all};
use crate::ets::{Kind, Protection, Table};
use crate::machine::access::Object;
use crate::machine::{Machine, Sort, system};
use crate::native::Native;
use crate::process::Lost;
use crate::run::Raise;
use crate::term::{Atom, Term, known};
use std::rc::Rc;

fn new(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    let Term::Atom(name) = a[0] else { return bad() };
    let is_taken = m.tables.get(&a[0]).is_some() || system::has_table(name);
    if is_taken && a[1].iter().any(|option| option.is_atom(known::NAMED_TABLE)) {
        // Nothing changes: a loop may try it again and again.
        return bad();
    }
    let p = m.process_mut(task);
    let mut table = Table::new(p.make_ref(), name, p.pid);
    for option in a[1].to_vec().ok_or_else(Raise::badarg)? {
        match (option.as_atom().map(Atom::text), option.as_tuple()) {
            (Some("set"), _) => table.kind = Kind::Set,
            (Some("ordered_set"), _) => table.kind = Kind::OrderedSet,
            (Some("bag"), _) => table.kind = Kind::Bag,
            (Some("duplicate_bag"), _) => table.kind = Kind::DuplicateBag,
            (Some("public"), _) => table.protection = Protection::Public,
            (Some("protected"), _) => table.protection = Protection::Protected,
            (Some("private"), _) => table.protection = Protection::Private,
            (Some("named_table"), _) => table.named = true,
            (Some("compressed"), _) => {}
            (_, Some([key, v])) => match key.as_atom().map(Atom::text) {
                Some("keypos") => table.keypos = v.as_usize().filter(|n| *n > 0).ok_or_else(Raise::badarg)?,
                Some("heir") if v.is_atom(known::NONE) => table.heir = None,
                Some("read_concurrency" | "write_concurrency" | "decentralized_counters") => {}
                _ => return bad(),
            },
            (_, Some([key, Term::Pid(heir), data])) if key.is_atom(known::HEIR) => {
                table.heir = Some((*heir, data.clone()));
            }
            _ => return bad(),
        }
    }
    let shown = table.shown();
    if Rc::make_mut(&mut m.tables).add(table) { value(shown) } else { bad() }
}

static NEW: Visible = Visible {
    touches: |look, touch| {
        let named = look.args[1].iter().any(|o| o.is_atom(known::NAMED_TABLE));
        if named { touch.write(Object::table(&look.args[0])) } else { touch }
    },
    ready: None,
    act: new,
};

static DELETE_TABLE: Visible = on_whole_table(|m, task, a| {
    let t = table(m, task, &a[0], true)?;
    let (id, owner) = (t.id, t.owner);
    if owner != m.process(task).pid {
        // The exit of its owner has fewer effects now.
        m.ends_are_observed();
        let shown = t.shown();
        if let Some(owner) = m.find(owner) {
            m.process_mut(owner).lost.push(Lost::Table(shown));
        }
    }
    Rc::make_mut(&mut m.tables).remove(id);
    value(true)
});

static DELETE_ALL: Visible = on_whole_table(|m, task, a| {
    let t = table_mut(m, task, &a[0])?;
    let n = t.len();
    t.clear();
    value(n)
});

static GIVE_AWAY: Visible = Visible {
    touches: |look, touch| {
        let touch = touches_all(look, touch);
        look.args[1].as_pid().map_or(touch, |to| {
            look.machine.sending_touches(touch.read(Object::Watch(to)), look.me.pid, to, Sort::Message)
        })
    },
    ready: None,
    act: |m, task, a| {
        let me = m.process(task).pid;
        let t = table(m, task, &a[0], true)?.clone();
        let Term::Pid(to) = a[1] else { return bad() };
        if t.owner != me || to == me || m.alive(to).is_none() {
            return bad();
        }
        m.hand_over(me, to, &t, a[2].clone());
        value(true)
    },
};

static SETOPTS: Visible = on_whole_table(|m, task, a| {
    let me = m.process(task).pid;
    let options = match &a[1] {
        Term::Tuple(_) => vec![a[1].clone()],
        list => list.to_vec().ok_or_else(Raise::badarg)?,
    };
    let t = table_mut(m, task, &a[0])?;
    if t.owner != me {
        return bad();
    }
    for option in options {
        match option.as_tuple() {
            Some([key, Term::Pid(heir), data]) if key.is_atom(known::HEIR) => {
                t.heir = Some((*heir, data.clone()));
            }
            Some([key, none]) if key.is_atom(known::HEIR) && none.is_atom(known::NONE) => t.heir = None,
            _ => return bad(),
        }
    }
    value(true)
});

static RENAME: Visible = Visible {
    touches: |look, touch| touches_all(look, touch).write(Object::table(&look.args[1])),
    ready: None,
    act: |m, task, a| {
        let Term::Atom(name) = a[1] else { return bad() };
        let t = table(m, task, &a[0], true)?;
        // An unnamed table keeps its identifier.
        let (id, shown) = (t.id, if t.named { Term::Atom(name) } else { Term::Ref(t.id) });
        if Rc::make_mut(&mut m.tables).rename(id, name) { value(shown) } else { bad() }
    },
};

static FIX: Visible = on_whole_table(|m, task, a| {
    let me = m.process(task).pid;
    let on = a[1].as_bool().ok_or_else(Raise::badarg)?;
    let id = table(m, task, &a[0], false)?.id;
    let t = Rc::make_mut(&mut m.tables).get_mut(id).ok_or_else(Raise::badarg)?;
    if on {
        t.fixed.push(me);
    } else if let Some(at) = t.fixed.iter().position(|p| *p == me) {
        t.fixed.remove(at);
    }
    value(true)
});

pub(super) static TABLE: &[Native] = &[
    visible(T, "new", 2, &NEW),
    visible(T, "delete", 1, &DELETE_TABLE),
    visible(T, "internal_delete_all", 2, &DELETE_ALL),
    visible(T, "give_away", 3, &GIVE_AWAY),
    visible(T, "setopts", 2, &SETOPTS),
    visible(T, "rename", 2, &RENAME),
    visible(T, "safe_fixtable", 2, &FIX),
];
