//! ETS tables as plain data. Iteration is in term order for every type of table.

pub mod spec;

use crate::machine::{Machine, Signal, system};
use crate::term::hash::Fingerprint;
use crate::term::{Atom, Pid, Ref, Term, known, order};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::rc::Rc;

/// The type of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Kind {
    Set,
    OrderedSet,
    Bag,
    DuplicateBag,
}

/// The access rights of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Protection {
    Public,
    Protected,
    Private,
}

/// A table.
#[derive(Clone)]
pub struct Table {
    /// Its identifier.
    pub id: Ref,
    /// Its name, registered or not.
    pub name: Atom,
    /// Whether it is a named table.
    pub named: bool,
    /// Its type.
    pub kind: Kind,
    /// The position of the key in an object, from 1.
    pub keypos: usize,
    /// Its access rights.
    pub protection: Protection,
    /// Its owner.
    pub owner: Pid,
    /// The heir and its data: the process that inherits the table when the owner exits.
    pub heir: Option<(Pid, Term)>,
    /// The processes that fixed it, once per fixation.
    pub fixed: Vec<Pid>,
    /// The objects of each key, by ascending key.
    rows: Vec<(Term, Row)>,
}

/// The objects of one key, at least one, the newest last. Copies of a table share them, and every lookup
/// returns the same list.
#[derive(Clone)]
struct Row(Rc<Objects>);

#[derive(Clone)]
struct Objects {
    all: Vec<Term>,
    list: OnceCell<Term>,
}

impl Row {
    fn new(all: Vec<Term>) -> Row {
        Row(Rc::new(Objects { all, list: OnceCell::new() }))
    }
    fn list(&self) -> Term {
        self.0.list.get_or_init(|| Term::list(self.0.all.iter().cloned())).clone()
    }
    fn push(&mut self, object: Term) {
        let objects = Rc::make_mut(&mut self.0);
        objects.all.push(object);
        objects.list.take();
    }
}

impl Table {
    /// An empty table.
    pub fn new(id: Ref, name: Atom, owner: Pid) -> Table {
        Table {
            id,
            name,
            named: false,
            kind: Kind::Set,
            keypos: 1,
            protection: Protection::Protected,
            owner,
            heir: None,
            fixed: Vec::new(),
            rows: Vec::new(),
        }
    }
    /// The table identifier that the program sees.
    pub fn shown(&self) -> Term {
        if self.named { Term::Atom(self.name) } else { Term::Ref(self.id) }
    }
    fn compare(&self, a: &Term, b: &Term) -> Ordering {
        if self.kind == Kind::OrderedSet { order::cmp(a, b) } else { order::cmp_keys(a, b) }
    }
    fn find(&self, key: &Term) -> Result<usize, usize> {
        self.rows.binary_search_by(|(k, _)| self.compare(k, key))
    }
    /// The key of an object, if it has one.
    pub fn key_of(&self, object: &Term) -> Option<Term> {
        object.as_tuple().and_then(|t| t.get(self.keypos - 1)).cloned()
    }
    /// The objects with this key.
    pub fn lookup(&self, key: &Term) -> &[Term] {
        self.find(key).map_or(&[], |at| &self.rows[at].1.0.all)
    }
    /// The objects with this key as a list.
    pub fn lookup_list(&self, key: &Term) -> Term {
        self.find(key).map_or(Term::Nil, |at| self.rows[at].1.list())
    }
    /// Inserts an object, which has a key.
    pub fn insert(&mut self, object: Term) {
        let Some(key) = self.key_of(&object) else { return };
        match self.find(&key) {
            Ok(at) => match self.kind {
                Kind::Set | Kind::OrderedSet => self.rows[at] = (key, Row::new(vec![object])),
                Kind::Bag => {
                    // Bags keep equal objects once, as the newest.
                    let row = &mut self.rows[at].1;
                    if !row.0.all.contains(&object) {
                        row.push(object);
                    }
                }
                Kind::DuplicateBag => self.rows[at].1.push(object),
            },
            Err(at) => self.rows.insert(at, (key, Row::new(vec![object]))),
        }
    }
    /// Removes a key with its objects, and returns these as a list.
    pub fn remove(&mut self, key: &Term) -> Term {
        self.find(key).map_or(Term::Nil, |at| self.rows.remove(at).1.list())
    }
    /// Removes one object.
    pub fn remove_object(&mut self, object: &Term) {
        if let Some(key) = self.key_of(object)
            && let Ok(at) = self.find(&key)
        {
            let left: Vec<Term> = self.rows[at].1.0.all.iter().filter(|o| *o != object).cloned().collect();
            if left.is_empty() {
                self.rows.remove(at);
            } else {
                self.rows[at].1 = Row::new(left);
            }
        }
    }
    /// Removes all objects.
    pub fn clear(&mut self) {
        self.rows.clear();
    }
    /// All objects, by ascending key.
    pub fn objects(&self) -> impl DoubleEndedIterator<Item = &Term> {
        self.rows.iter().flat_map(|(_, row)| row.0.all.iter())
    }
    /// The number of objects.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|(_, row)| row.0.all.len()).sum()
    }
    /// Whether it has no objects.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The first or last key.
    pub fn end(&self, last: bool) -> Option<&Term> {
        if last { self.rows.last() } else { self.rows.first() }.map(|(key, _)| key)
    }
    /// The key after (or before) this one; the outer none if this key must exist and does not.
    pub fn neighbour(&self, key: &Term, before: bool) -> Option<Option<&Term>> {
        let found = self.find(key);
        if found.is_err() && self.kind != Kind::OrderedSet && self.fixed.is_empty() {
            return None;
        }
        let at = match (found, before) {
            // Other tables have no direction: previous is next.
            (Ok(at), false) => Some(at + 1),
            (Ok(at), true) if self.kind != Kind::OrderedSet => Some(at + 1),
            (Ok(at) | Err(at), true) => at.checked_sub(1),
            (Err(at), false) => Some(at),
        };
        Some(at.and_then(|at| self.rows.get(at)).map(|(key, _)| key))
    }
    /// The key after (or before) this one, which need not exist.
    pub fn neighbour_of_any(&self, key: &Term, before: bool) -> Option<&Term> {
        let at = match (self.find(key), before) {
            (Ok(at), false) => at + 1,
            (Err(at), false) => at,
            (Ok(at) | Err(at), true) => at.checked_sub(1)?,
        };
        self.rows.get(at).map(|(key, _)| key)
    }
    /// Whether a process may read (or write) it.
    pub fn allows(&self, pid: Pid, write: bool) -> bool {
        pid == self.owner
            || match self.protection {
                Protection::Public => true,
                Protection::Protected => !write,
                Protection::Private => false,
            }
    }
}

/// All tables. Usually there are few.
#[derive(Clone, Default)]
pub struct Tables {
    /// By ascending identifier.
    by_id: Vec<(Ref, Rc<Table>)>,
    by_name: Vec<(Atom, Ref)>,
}

impl Tables {
    #[inline]
    fn place(&self, id: Ref) -> Result<usize, usize> {
        // Equality is cheaper to test than order.
        if let Some((first, _)) = self.by_id.first()
            && *first == id
        {
            return Ok(0);
        }
        self.by_id.binary_search_by(|(other, _)| other.cmp(&id))
    }
    #[inline]
    fn named(&self, name: Atom) -> Option<usize> {
        self.by_name.iter().position(|(other, _)| *other == name)
    }
    /// A table by identifier or name.
    pub fn get(&self, id: &Term) -> Option<&Rc<Table>> {
        let id = match id {
            Term::Ref(id) => *id,
            Term::Atom(name) => self.by_name[self.named(*name)?].1,
            _ => return None,
        };
        self.place(id).ok().map(|at| &self.by_id[at].1)
    }
    /// A table by identifier, mutable.
    pub fn get_mut(&mut self, id: Ref) -> Option<&mut Table> {
        let at = self.place(id).ok()?;
        Some(Rc::make_mut(&mut self.by_id[at].1))
    }
    /// Adds a table; false if its name is taken.
    pub fn add(&mut self, table: Table) -> bool {
        if table.named {
            if self.named(table.name).is_some() || system::has_table(table.name) {
                return false;
            }
            self.by_name.push((table.name, table.id));
        }
        let at = self.place(table.id).unwrap_or_else(|at| at);
        self.by_id.insert(at, (table.id, Rc::new(table)));
        true
    }
    /// Removes a table.
    pub fn remove(&mut self, id: Ref) {
        if let Ok(at) = self.place(id) {
            self.by_id.remove(at);
            self.by_name.retain(|(_, other)| *other != id);
        }
    }
    /// Renames a table; false if the name is taken.
    pub fn rename(&mut self, id: Ref, name: Atom) -> bool {
        let Ok(at) = self.place(id) else { return false };
        if self.by_id[at].1.named {
            if self.named(name).is_some() || system::has_table(name) {
                return false;
            }
            self.by_name.retain(|(_, other)| *other != id);
            self.by_name.push((name, id));
        }
        if let Some(table) = self.get_mut(id) {
            table.name = name;
        }
        true
    }
    fn tables(&self) -> impl Iterator<Item = &Rc<Table>> {
        self.by_id.iter().map(|(_, table)| table)
    }
    /// Whether a process owns tables.
    pub fn owns_some(&self, pid: Pid) -> bool {
        self.tables().any(|t| t.owner == pid)
    }
    /// The identifiers of the tables of a process.
    pub fn owned_by(&self, pid: Pid) -> Vec<Term> {
        self.tables().filter(|t| t.owner == pid).map(|t| t.shown()).collect()
    }
    /// The identifiers of all tables.
    pub fn all(&self) -> Vec<Term> {
        self.tables().map(|t| t.shown()).collect()
    }
    /// Whether the same processes fix the same tables.
    pub(crate) fn have_same_fixations(&self, other: &Tables) -> bool {
        let mut fixed = self.tables().zip(other.tables());
        self.by_id.len() == other.by_id.len() && fixed.all(|(a, b)| Rc::ptr_eq(a, b) || a.fixed == b.fixed)
    }
    /// Whether both are equal.
    pub(crate) fn is_same(&self, other: &Tables) -> bool {
        let mark = |tables: &Tables| {
            let mut f = Fingerprint::default();
            tables.fingerprint(&mut f);
            f.value()
        };
        mark(self) == mark(other)
    }
    /// Adds all tables to a fingerprint.
    pub fn fingerprint(&self, f: &mut Fingerprint) {
        for table in self.tables() {
            f.term(&Term::Ref(table.id));
            f.word(table.name.hash64());
            f.word(table.owner.hash64());
            f.word(table.kind as u64 | (table.protection as u64) << 8 | (table.named as u64) << 16);
            f.word(table.keypos as u64);
            if let Some((heir, data)) = &table.heir {
                f.word(heir.hash64());
                f.term(data);
            }
            f.word(table.fixed.len() as u64);
            table.objects().for_each(|o| f.term(o));
        }
    }
}

impl Machine {
    /// The owner of a table exits: the heir inherits it, or it is deleted.
    pub(crate) fn table_owner_ends(&mut self, owner: Pid, id: &Term) {
        let Some(table) = self.tables.get(id).cloned() else { return };
        let heir = table.heir.clone().filter(|(heir, _)| *heir != owner && self.alive(*heir).is_some());
        match heir {
            Some((heir, data)) => self.hand_over(owner, heir, &table, data),
            None => Rc::make_mut(&mut self.tables).remove(table.id),
        }
    }

    /// A table gets another owner, which receives an `'ETS-TRANSFER'` message.
    pub(crate) fn hand_over(&mut self, from: Pid, to: Pid, table: &Table, data: Term) {
        if let Some(table) = Rc::make_mut(&mut self.tables).get_mut(table.id) {
            table.owner = to;
        }
        let message = Term::tuple([Term::Atom(known::ETS_TRANSFER), table.shown(), Term::Pid(from), data]);
        self.send(from, to, Signal::Message(message));
    }
}
