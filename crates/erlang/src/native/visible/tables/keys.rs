//! Operations on single keys: insert, look up, take, delete, update.

use super::super::{Done, Visible, bad, value, visible};
use super::{T, keyed, reads_key, table, table_mut, writes_key, writes_objects};
use crate::ets::Kind;
use crate::machine::Machine;
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Term, number, order};

pub(super) static INSERT: Visible = Visible {
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

pub(super) static LOOKUP: Visible = Visible {
    touches: reads_key,
    ready: None,
    act: |m, task, a| value(table(m, task, &a[0], false)?.lookup_list(&a[1])),
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
    act: |m, task, a| {
        // A table that stays as it is is not copied.
        match table(m, task, &a[0], true)?.lookup(&a[1]).is_empty() {
            true => value(Term::Nil),
            false => value(table_mut(m, task, &a[0])?.remove(&a[1])),
        }
    },
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

pub(super) static TABLE: &[Native] = &[
    visible(T, "insert", 2, &INSERT),
    visible(T, "insert_new", 2, &INSERT_NEW),
    visible(T, "lookup", 2, &LOOKUP),
    visible(T, "lookup_element", 3, &LOOKUP_ELEMENT),
    visible(T, "lookup_element", 4, &LOOKUP_ELEMENT),
    visible(T, "member", 2, &MEMBER),
    visible(T, "delete", 2, &DELETE_KEY),
    visible(T, "take", 2, &TAKE),
    visible(T, "delete_object", 2, &DELETE_OBJECT),
    visible(T, "update_counter", 3, &UPDATE_COUNTER),
    visible(T, "update_counter", 4, &UPDATE_COUNTER),
    visible(T, "update_element", 3, &UPDATE_ELEMENT),
    visible(T, "update_element", 4, &UPDATE_ELEMENT),
];
