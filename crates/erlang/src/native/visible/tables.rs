//! The `ets` module's natives.

use super::{Done, Effect, Look, Visible, bad, value, visible};
use crate::ets::spec::{self, Spec};
use crate::ets::{Kind, Protection, Table};
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, Sort};
use crate::native::{Native, Run};
use crate::run::Raise;
use crate::term::{Atom, Term, known, number, order};
use std::rc::Rc;

pub(super) fn table<'a>(m: &'a Machine, task: usize, id: &Term, write: bool) -> Result<&'a Rc<Table>, Raise> {
    let me = m.process(task).pid;
    m.tables.get(id).filter(|t| t.allows(me, write)).ok_or_else(Raise::badarg)
}

fn table_mut<'a>(m: &'a mut Machine, task: usize, id: &Term) -> Result<&'a mut Table, Raise> {
    let id = table(m, task, id, true)?.id;
    Rc::make_mut(&mut m.tables).get_mut(id).ok_or_else(Raise::badarg)
}

/// The object of a whole table.
fn whole(look: &Look<'_>) -> Object {
    let id = &look.args[0];
    look.machine.tables.get(id).map_or_else(|| Object::table(id), |t| Object::table(&t.shown()))
}

/// What operations on keys touch depends on the table alone: which it is, who may use it, where its keys are.
pub(super) fn basis(look: &Look<'_>) -> Object {
    whole(look)
}

/// Touches all of a table.
fn touches_all(look: &Look<'_>, touch: Touch) -> Touch {
    touch.write(whole(look))
}

/// A native that touches all of its table and waits for nothing.
pub(super) const fn on_whole_table(act: fn(&mut Machine, usize, &[Term]) -> Done) -> Visible {
    Visible { touches: touches_all, ready: None, act }
}

fn keys(look: &Look<'_>, touch: Touch, keys: &[Term], write: bool) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    let shown = table.shown();
    let mut touch = touch.read(Object::table(&shown));
    if keys.len() > 1 {
        // More than fit: the table as a whole.
        return touch.write(Object::table(&shown));
    }
    for key in keys {
        let object = Object::table_key(&shown, key);
        touch = if write { touch.write(object) } else { touch.read(object) };
    }
    touch
}

/// Whether the most usual operations on a table are seen at a glance to succeed.
pub(super) fn succeeds(function: &str, look: &Look<'_>) -> bool {
    let allows =
        |write: bool| look.machine.tables.get(&look.args[0]).filter(|t| t.allows(look.me.pid, write));
    match (function, look.args) {
        ("lookup", [_, _]) => allows(false).is_some(),
        ("insert", [_, object @ Term::Tuple(_)]) => allows(true).is_some_and(|t| t.key_of(object).is_some()),
        _ => false,
    }
}

fn reads_key(look: &Look<'_>, touch: Touch) -> Touch {
    keys(look, touch, &look.args[1..2], false)
}

fn writes_key(look: &Look<'_>, touch: Touch) -> Touch {
    keys(look, touch, &look.args[1..2], true)
}

fn objects(t: &Term) -> Option<Vec<Term>> {
    match t {
        Term::Tuple(_) => Some(vec![t.clone()]),
        _ => t.to_vec(),
    }
}

fn writes_objects(look: &Look<'_>, touch: Touch) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    let list: Vec<Term> =
        objects(&look.args[1]).unwrap_or_default().iter().filter_map(|o| table.key_of(o)).collect();
    keys(look, touch, &list, true)
}

fn keyed(table: &Table, t: &Term) -> Result<Vec<Term>, Raise> {
    let list = objects(t).ok_or_else(Raise::badarg)?;
    if list.iter().all(|o| table.key_of(o).is_some()) { Ok(list) } else { bad() }
}

fn new(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    let Term::Atom(name) = a[0] else { return bad() };
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

static INSERT: Visible = Visible {
    touches: writes_objects,
    ready: None,
    act: |m, task, a| {
        let list = keyed(table(m, task, &a[0], true)?, &a[1])?;
        let table = table_mut(m, task, &a[0])?;
        list.into_iter().for_each(|o| table.insert(o));
        value(true)
    },
};

static INSERT_NEW: Visible = Visible {
    touches: writes_objects,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], true)?;
        let list = keyed(t, &a[1])?;
        if list.iter().filter_map(|o| t.key_of(o)).any(|k| !t.lookup(&k).is_empty()) {
            return value(false);
        }
        let table = table_mut(m, task, &a[0])?;
        list.into_iter().for_each(|o| table.insert(o));
        value(true)
    },
};

static LOOKUP: Visible = Visible {
    touches: reads_key,
    ready: None,
    act: |m, task, a| value(Term::list(table(m, task, &a[0], false)?.lookup(&a[1]).to_vec())),
};

static LOOKUP_ELEMENT: Visible = Visible {
    touches: reads_key,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], false)?;
        let at = a[2].as_usize().filter(|n| *n > 0).ok_or_else(Raise::badarg)? - 1;
        let found = t.lookup(&a[1]);
        if found.is_empty() {
            return a.get(3).map_or_else(bad, |default| value(default.clone()));
        }
        let elements: Option<Vec<Term>> = found.iter().map(|o| o.as_tuple()?.get(at).cloned()).collect();
        let mut elements = elements.ok_or_else(Raise::badarg)?;
        match t.kind {
            Kind::Set | Kind::OrderedSet => value(elements.remove(0)),
            _ => value(Term::list(elements)),
        }
    },
};

static MEMBER: Visible = Visible {
    touches: reads_key,
    ready: None,
    act: |m, task, a| value(!table(m, task, &a[0], false)?.lookup(&a[1]).is_empty()),
};

static DELETE_TABLE: Visible = on_whole_table(|m, task, a| {
    let id = table(m, task, &a[0], true)?.id;
    Rc::make_mut(&mut m.tables).remove(id);
    value(true)
});

static DELETE_KEY: Visible = Visible {
    touches: writes_key,
    ready: None,
    act: |m, task, a| {
        table_mut(m, task, &a[0])?.remove(&a[1]);
        value(true)
    },
};

static TAKE: Visible = Visible {
    touches: writes_key,
    ready: None,
    act: |m, task, a| value(Term::list(table_mut(m, task, &a[0])?.remove(&a[1]))),
};

static DELETE_OBJECT: Visible = Visible {
    touches: writes_objects,
    ready: None,
    act: |m, task, a| {
        let t = table_mut(m, task, &a[0])?;
        keyed(t, &a[1])?;
        t.remove_object(&a[1]);
        value(true)
    },
};

static DELETE_ALL: Visible = on_whole_table(|m, task, a| {
    let t = table_mut(m, task, &a[0])?;
    let n = t.len();
    t.clear();
    value(n)
});

fn end(m: &Machine, task: usize, a: &[Term], last: bool) -> Done {
    let t = table(m, task, &a[0], false)?;
    let last = last && t.kind == Kind::OrderedSet;
    value(t.end(last).cloned().unwrap_or(Term::Atom(known::END_OF_TABLE)))
}

fn neighbour(m: &Machine, task: usize, a: &[Term], before: bool) -> Done {
    let t = table(m, task, &a[0], false)?;
    match t.neighbour(&a[1], before) {
        Some(key) => value(key.cloned().unwrap_or(Term::Atom(known::END_OF_TABLE))),
        None => bad(),
    }
}

static FIRST: Visible = on_whole_table(|m, task, a| end(m, task, a, false));
static LAST: Visible = on_whole_table(|m, task, a| end(m, task, a, true));
static NEXT: Visible = on_whole_table(|m, task, a| neighbour(m, task, a, false));
static PREV: Visible = on_whole_table(|m, task, a| neighbour(m, task, a, true));

/// A key with its objects: what `first_lookup` and its like give.
fn with_objects(m: &Machine, task: usize, a: &[Term], key: Done) -> Done {
    match key? {
        Effect::Value(key) if !key.is_atom(known::END_OF_TABLE) => {
            let found = table(m, task, &a[0], false)?.lookup(&key).to_vec();
            value(Term::tuple([key, Term::list(found)]))
        }
        other => Ok(other),
    }
}

static FIRST_LOOKUP: Visible = on_whole_table(|m, task, a| with_objects(m, task, a, end(m, task, a, false)));
static LAST_LOOKUP: Visible = on_whole_table(|m, task, a| with_objects(m, task, a, end(m, task, a, true)));
static NEXT_LOOKUP: Visible =
    on_whole_table(|m, task, a| with_objects(m, task, a, neighbour(m, task, a, false)));
static PREV_LOOKUP: Visible =
    on_whole_table(|m, task, a| with_objects(m, task, a, neighbour(m, task, a, true)));

/// In an ordered set, the object with this number; in other tables slots are keys in order.
static SLOT: Visible = on_whole_table(|m, task, a| {
    let t = table(m, task, &a[0], false)?;
    let number = a[1].as_usize().ok_or_else(Raise::badarg)?;
    let mut key = t.end(false);
    for _ in 0..number {
        key = match key {
            Some(before) => t.neighbour_of_any(before, false),
            None => return bad(),
        };
    }
    match key {
        Some(key) => value(Term::list(t.lookup(key).to_vec())),
        None => value(known::END_OF_TABLE),
    }
});

/// The touches of a match: one key, if the pattern fixes it.
fn touches_pattern(look: &Look<'_>, touch: Touch) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    match spec::fixed_key(&look.args[1], table.keypos) {
        Some(key) => keys(look, touch, &[key], false),
        None => touches_all(look, touch),
    }
}

static MATCH: Visible = Visible {
    touches: touches_pattern,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], false)?;
        let found = t.objects().filter_map(|o| spec::match_values(&a[1], o)).map(Term::list);
        value(Term::list(found.collect::<Vec<_>>()))
    },
};

static MATCH_OBJECT: Visible = Visible {
    touches: touches_pattern,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], false)?;
        value(Term::list(t.objects().filter(|o| spec::is_match(&a[1], o)).cloned().collect::<Vec<_>>()))
    },
};

fn touches_spec(look: &Look<'_>, touch: Touch, write: bool) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    // One clause with a fixed key touches that key only.
    let clauses = look.args[1].to_vec().unwrap_or_default();
    let key = match clauses.as_slice() {
        [clause] => clause.as_tuple().and_then(|c| spec::fixed_key(c.first()?, table.keypos)),
        _ => None,
    };
    match key {
        Some(key) => keys(look, touch, &[key], write),
        None => touches_all(look, touch),
    }
}

fn selected(m: &Machine, task: usize, a: &[Term], write: bool) -> Result<Vec<(Term, Term)>, Raise> {
    let t = table(m, task, &a[0], write)?;
    let spec = Spec::parse(&a[1], m.process(task).pid)?;
    let mut found = Vec::new();
    for object in t.objects() {
        if let Some(result) = spec.run(object)? {
            found.push((object.clone(), result));
        }
    }
    Ok(found)
}

static SELECT: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, false),
    ready: None,
    act: |m, task, a| {
        value(Term::list(selected(m, task, a, false)?.into_iter().map(|f| f.1).collect::<Vec<_>>()))
    },
};

static SELECT_REVERSE: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, false),
    ready: None,
    act: |m, task, a| {
        let mut found = selected(m, task, a, false)?;
        if table(m, task, &a[0], false)?.kind == Kind::OrderedSet {
            found.reverse();
        }
        value(Term::list(found.into_iter().map(|f| f.1).collect::<Vec<_>>()))
    },
};

static SELECT_COUNT: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, false),
    ready: None,
    act: |m, task, a| value(selected(m, task, a, false)?.iter().filter(|f| f.1.is_atom(known::TRUE)).count()),
};

static SELECT_DELETE: Visible = Visible {
    touches: |look, touch| touches_spec(look, touch, true),
    ready: None,
    act: |m, task, a| {
        let gone: Vec<Term> = selected(m, task, a, true)?
            .into_iter()
            .filter(|f| f.1.is_atom(known::TRUE))
            .map(|f| f.0)
            .collect();
        let t = table_mut(m, task, &a[0])?;
        gone.iter().for_each(|o| t.remove_object(o));
        value(gone.len())
    },
};

static SELECT_REPLACE: Visible = on_whole_table(|m, task, a| {
    let found = selected(m, task, a, true)?;
    let t = table_mut(m, task, &a[0])?;
    if t.kind == Kind::Bag {
        return bad();
    }
    for (old, new) in &found {
        match (t.key_of(old), t.key_of(new)) {
            (Some(x), Some(y)) if x == y => {}
            _ => return bad(),
        }
    }
    for (old, new) in &found {
        t.remove_object(old);
        t.insert(new.clone());
    }
    value(found.len())
});

fn update_counter(m: &mut Machine, task: usize, a: &[Term]) -> Done {
    let (id, key) = (&a[0], &a[1]);
    let t = table(m, task, id, true)?;
    if matches!(t.kind, Kind::Bag | Kind::DuplicateBag) {
        return bad();
    }
    let object = match (t.lookup(key).first(), a.get(3)) {
        (Some(found), _) => found.clone(),
        (None, Some(default)) => {
            let mut elements = default.as_tuple().ok_or_else(Raise::badarg)?.to_vec();
            *elements.get_mut(t.keypos - 1).ok_or_else(Raise::badarg)? = key.clone();
            Term::tuple(elements)
        }
        (None, None) => return bad(),
    };
    let keypos = t.keypos;
    let mut elements = object.as_tuple().ok_or_else(Raise::badarg)?.to_vec();
    let mut one = |op: &Term| -> Result<Term, Raise> {
        let (pos, incr, limit) = match op.as_tuple() {
            None if op.is_integer() => (keypos + 1, op.clone(), None),
            Some([pos, incr]) => (pos.as_usize().ok_or_else(Raise::badarg)?, incr.clone(), None),
            Some([pos, incr, threshold, set]) => (
                pos.as_usize().ok_or_else(Raise::badarg)?,
                incr.clone(),
                Some((threshold.clone(), set.clone())),
            ),
            _ => return bad(),
        };
        if pos == keypos || !incr.is_integer() {
            return bad();
        }
        let slot = pos.checked_sub(1).and_then(|p| elements.get_mut(p)).ok_or_else(Raise::badarg)?;
        if !slot.is_integer() {
            return bad();
        }
        let mut sum = number::add(slot, &incr)?;
        if let Some((threshold, set)) = limit {
            if !threshold.is_integer() || !set.is_integer() {
                return bad();
            }
            let down = order::cmp(&incr, &Term::Int(0)).is_lt();
            let beyond = order::cmp(&sum, &threshold);
            if if down { beyond.is_lt() } else { beyond.is_gt() } {
                sum = set;
            }
        }
        *slot = sum.clone();
        Ok(sum)
    };
    let result = match a[2].to_vec() {
        Some(ops) => Term::list(ops.iter().map(&mut one).collect::<Result<Vec<_>, _>>()?),
        None => one(&a[2])?,
    };
    table_mut(m, task, id)?.insert(Term::tuple(elements));
    value(result)
}

static UPDATE_COUNTER: Visible = Visible { touches: writes_key, ready: None, act: update_counter };

static UPDATE_ELEMENT: Visible = Visible {
    touches: writes_key,
    ready: None,
    act: |m, task, a| {
        let t = table(m, task, &a[0], true)?;
        if matches!(t.kind, Kind::Bag | Kind::DuplicateBag) {
            return bad();
        }
        let (keypos, found) = (t.keypos, t.lookup(&a[1]).first().cloned());
        let changes = match &a[2] {
            Term::Tuple(_) => vec![a[2].clone()],
            list => list.to_vec().ok_or_else(Raise::badarg)?,
        };
        let mut elements = found.as_ref().and_then(Term::as_tuple).map(<[Term]>::to_vec);
        if let (None, Some(default)) = (&elements, a.get(3)) {
            let mut new = default.as_tuple().ok_or_else(Raise::badarg)?.to_vec();
            *new.get_mut(keypos - 1).ok_or_else(Raise::badarg)? = a[1].clone();
            elements = Some(new);
        }
        for change in &changes {
            let Some([pos, new]) = change.as_tuple() else { return bad() };
            let pos = pos.as_usize().filter(|p| *p > 0 && *p != keypos).ok_or_else(Raise::badarg)?;
            if let Some(elements) = &mut elements {
                *elements.get_mut(pos - 1).ok_or_else(Raise::badarg)? = new.clone();
            }
        }
        let Some(elements) = elements else { return value(false) };
        table_mut(m, task, &a[0])?.insert(Term::tuple(elements));
        value(true)
    },
};

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
        // A table that has no name of its own is still known by its identifier.
        let (id, shown) = (t.id, if t.named { Term::Atom(name) } else { Term::Ref(t.id) });
        if Rc::make_mut(&mut m.tables).rename(id, name) { value(shown) } else { bad() }
    },
};

static WHEREIS: Visible = Visible {
    touches: |look, touch| touch.read(whole(look)),
    ready: None,
    act: |m, _, a| match m.tables.get(&a[0]) {
        Some(t) => value(t.id),
        None => value(known::UNDEFINED),
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

fn info(t: &Table, what: &str) -> Option<Term> {
    Some(match what {
        "id" => Term::Ref(t.id),
        "name" => Term::Atom(t.name),
        "named_table" => Term::bool(t.named),
        "owner" => Term::Pid(t.owner),
        "size" => Term::from(t.len()),
        "keypos" => Term::from(t.keypos),
        "node" => Term::Atom(known::NONODE),
        "heir" => t.heir.as_ref().map_or(Term::Atom(known::NONE), |(heir, _)| Term::Pid(*heir)),
        "type" => Term::atom(match t.kind {
            Kind::Set => "set",
            Kind::OrderedSet => "ordered_set",
            Kind::Bag => "bag",
            Kind::DuplicateBag => "duplicate_bag",
        }),
        "protection" => Term::atom(match t.protection {
            Protection::Public => "public",
            Protection::Protected => "protected",
            Protection::Private => "private",
        }),
        "compressed" | "read_concurrency" | "write_concurrency" | "decentralized_counters" => {
            Term::bool(false)
        }
        "fixed" => Term::bool(!t.fixed.is_empty()),
        _ => return None,
    })
}

static INFO: Visible = on_whole_table(|m, _, a| {
    let Some(t) = m.tables.get(&a[0]) else {
        return if matches!(a[0], Term::Ref(_) | Term::Atom(_)) { value(known::UNDEFINED) } else { bad() };
    };
    match a.get(1) {
        Some(Term::Atom(what)) => match info(t, what.text()) {
            Some(found) => value(found),
            None if what.text() == "memory" => {
                Err(Raise::unsupported("ets:info(_, memory) is not supported: it depends on the machine"))
            }
            None => bad(),
        },
        Some(_) => bad(),
        None => {
            let all = [
                "id",
                "read_concurrency",
                "write_concurrency",
                "compressed",
                "owner",
                "heir",
                "name",
                "size",
                "node",
                "named_table",
                "type",
                "keypos",
                "protection",
            ];
            let pair = |what: &&str| info(t, what).map(|v| Term::tagged(Atom::new(what), v));
            value(Term::list(all.iter().filter_map(pair).collect::<Vec<_>>()))
        }
    }
});

static ALL: Visible = Visible {
    touches: |_, _| Touch::EVERYTHING,
    ready: None,
    act: |m, _, _| value(Term::list(m.tables.all())),
};

const T: &str = "ets";

pub static TABLE: &[Native] = &[
    visible(T, "new", 2, &NEW),
    visible(T, "insert", 2, &INSERT),
    visible(T, "insert_new", 2, &INSERT_NEW),
    visible(T, "lookup", 2, &LOOKUP),
    visible(T, "lookup_element", 3, &LOOKUP_ELEMENT),
    visible(T, "lookup_element", 4, &LOOKUP_ELEMENT),
    visible(T, "member", 2, &MEMBER),
    visible(T, "delete", 1, &DELETE_TABLE),
    visible(T, "delete", 2, &DELETE_KEY),
    visible(T, "take", 2, &TAKE),
    visible(T, "delete_object", 2, &DELETE_OBJECT),
    visible(T, "internal_delete_all", 2, &DELETE_ALL),
    visible(T, "first", 1, &FIRST),
    visible(T, "last", 1, &LAST),
    visible(T, "next", 2, &NEXT),
    visible(T, "prev", 2, &PREV),
    visible(T, "first_lookup", 1, &FIRST_LOOKUP),
    visible(T, "last_lookup", 1, &LAST_LOOKUP),
    visible(T, "next_lookup", 2, &NEXT_LOOKUP),
    visible(T, "prev_lookup", 2, &PREV_LOOKUP),
    visible(T, "slot", 2, &SLOT),
    visible(T, "match", 2, &MATCH),
    visible(T, "match_object", 2, &MATCH_OBJECT),
    visible(T, "select", 2, &SELECT),
    visible(T, "select_reverse", 2, &SELECT_REVERSE),
    visible(T, "select_count", 2, &SELECT_COUNT),
    visible(T, "internal_select_delete", 2, &SELECT_DELETE),
    visible(T, "select_replace", 2, &SELECT_REPLACE),
    visible(T, "update_counter", 3, &UPDATE_COUNTER),
    visible(T, "update_counter", 4, &UPDATE_COUNTER),
    visible(T, "update_element", 3, &UPDATE_ELEMENT),
    visible(T, "update_element", 4, &UPDATE_ELEMENT),
    visible(T, "give_away", 3, &GIVE_AWAY),
    visible(T, "setopts", 2, &SETOPTS),
    visible(T, "rename", 2, &RENAME),
    visible(T, "whereis", 1, &WHEREIS),
    visible(T, "safe_fixtable", 2, &FIX),
    visible(T, "info", 1, &INFO),
    visible(T, "info", 2, &INFO),
    visible(T, "all", 0, &ALL),
    Native {
        module: T,
        function: "is_compiled_ms",
        arity: 1,
        run: Run::Local(|_, a| {
            Ok(Term::bool(
                a[0].as_tuple().is_some_and(|t| t.len() == 2 && t[0].is_atom(Atom::new("$compiled_ms"))),
            ))
        }),
    },
    Native {
        module: T,
        function: "match_spec_compile",
        arity: 1,
        run: Run::Local(|r, a| {
            Spec::parse(&a[0], r.p.pid)?;
            Ok(Term::tagged(Atom::new("$compiled_ms"), a[0].clone()))
        }),
    },
    Native {
        module: T,
        function: "match_spec_run_r",
        arity: 3,
        run: Run::Local(|r, a| {
            let Some([_, spec]) = a[1].as_tuple() else { return bad() };
            let spec = Spec::parse(spec, r.p.pid)?;
            let mut out = a[2].clone();
            for object in a[0].to_vec().ok_or_else(Raise::badarg)? {
                if let Some(result) = spec.run(&object)? {
                    out = Term::cons(result, out);
                }
            }
            Ok(out)
        }),
    },
    Native {
        module: "erlang",
        function: "match_spec_test",
        arity: 3,
        run: Run::Local(|r, a| {
            let result = Spec::parse(&a[1], r.p.pid)?.run(&a[0])?.unwrap_or(Term::bool(false));
            let ok = [Term::Atom(known::OK), result, Term::Nil, Term::Nil];
            Ok(Term::tuple(ok))
        }),
    },
];
