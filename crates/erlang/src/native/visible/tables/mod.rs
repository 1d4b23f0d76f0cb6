//! The natives of the `ets` module, by their effect on a table; this file holds their common part.

mod about;
mod keys;
mod owner;
mod search;
mod walk;

use super::{Done, Look, Visible, bad};
use crate::ets::Table;
use crate::machine::access::{Object, Touch};
use crate::machine::{Machine, system};
use crate::native::Native;
use crate::run::Raise;
use crate::term::Term;
use std::rc::Rc;

const T: &str = "ets";

/// All of them.
pub(super) static ALL: [&[Native]; 5] = [owner::TABLE, keys::TABLE, walk::TABLE, search::TABLE, about::TABLE];

pub(in super::super) fn table<'a>(
    m: &'a Machine,
    task: usize,
    id: &Term,
    write: bool,
) -> Result<&'a Rc<Table>, Raise> {
    let me = m.process(task).pid;
    match m.tables.get(id) {
        Some(t) if t.allows(me, write) => Ok(t),
        Some(_) => Err(Raise::badarg()),
        None => Err(system::no_table(id)),
    }
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

/// The accesses of key operations depend on the table alone: its identity, its owner and rights, its key
/// position.
pub(in super::super) fn basis(look: &Look<'_>) -> Object {
    whole(look)
}

/// Writes the whole table.
fn touches_all(look: &Look<'_>, touch: Touch) -> Touch {
    touch.write(whole(look))
}

/// A native that writes its whole table and is always enabled.
pub(in super::super) const fn on_whole_table(act: fn(&mut Machine, usize, &[Term]) -> Done) -> Visible {
    Visible { touches: touches_all, ready: None, act }
}

fn touches_keys(look: &Look<'_>, touch: Touch, keys: &[Term], write: bool) -> Touch {
    let Some(table) = look.machine.tables.get(&look.args[0]) else { return touch.read(whole(look)) };
    let shown = table.shown();
    let mut touch = touch.read(Object::table(&shown));
    if keys.len() > 1 {
        // Too many accesses: the table as a whole.
        return touch.write(Object::table(&shown));
    }
    for key in keys {
        let object = Object::table_key(&shown, key);
        touch = if write { touch.write(object) } else { touch.read(object) };
    }
    touch
}

/// Whether the most frequent operations on a table are known to succeed.
pub(in super::super) fn succeeds(visible: &Visible, look: &Look<'_>) -> bool {
    let allows =
        |write: bool| look.machine.tables.get(&look.args[0]).filter(|t| t.allows(look.me.pid, write));
    if std::ptr::eq(visible, &keys::LOOKUP) {
        return allows(false).is_some();
    }
    std::ptr::eq(visible, &keys::INSERT)
        && matches!(look.args[1], Term::Tuple(_))
        && allows(true).is_some_and(|t| t.key_of(&look.args[1]).is_some())
}

/// Whether an operation changes objects of one table only.
pub(in super::super) fn changes_keys(visible: &Visible) -> bool {
    std::ptr::eq(visible, &keys::INSERT)
}

fn reads_key(look: &Look<'_>, touch: Touch) -> Touch {
    touches_keys(look, touch, &look.args[1..2], false)
}

fn writes_key(look: &Look<'_>, touch: Touch) -> Touch {
    touches_keys(look, touch, &look.args[1..2], true)
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
    touches_keys(look, touch, &list, true)
}

fn keyed(table: &Table, t: &Term) -> Result<Vec<Term>, Raise> {
    let list = objects(t).ok_or_else(Raise::badarg)?;
    if list.iter().all(|o| table.key_of(o).is_some()) { Ok(list) } else { bad() }
}
