//! Iteration over keys: first, last, next, previous, slot.

use super::super::{Done, Effect, Visible, bad, value, visible};
use super::{T, on_whole_table, table};
use crate::ets::Kind;
use crate::machine::Machine;
use crate::native::Native;
use crate::run::Raise;
use crate::term::{Term, known};

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

/// A key with its objects, for `first_lookup` and similar functions.
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

/// In an ordered set, the object with this index; in other tables slots are keys in order.
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

pub(super) static TABLE: &[Native] = &[
    visible(T, "first", 1, &FIRST),
    visible(T, "last", 1, &LAST),
    visible(T, "next", 2, &NEXT),
    visible(T, "prev", 2, &PREV),
    visible(T, "first_lookup", 1, &FIRST_LOOKUP),
    visible(T, "last_lookup", 1, &LAST_LOOKUP),
    visible(T, "next_lookup", 2, &NEXT_LOOKUP),
    visible(T, "prev_lookup", 2, &PREV_LOOKUP),
    visible(T, "slot", 2, &SLOT),
];
