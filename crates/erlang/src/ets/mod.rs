//! ETS tables as plain data. Iteration is in term order for every type of table.

pub mod spec;

use crate::machine::{Machine, Signal};
use crate::term::hash::Fingerprint;
use crate::term::{Atom, Pid, Ref, Term, known, order};
use std::cmp::Ordering;
use std::collections::BTreeMap;
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

/// Who may use a table.
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
    /// Whether the name is registered.
    pub named: bool,
    /// Its type.
    pub kind: Kind,
    /// Which element of an object is its key, from 1.
    pub keypos: usize,
    /// Who may use it.
    pub protection: Protection,
    /// Whose it is.
    pub owner: Pid,
    /// Who gets it when its owner ends, and with what.
    pub heir: Option<(Pid, Term)>,
    /// How often it is fixed, by whom.
    pub fixed: Vec<Pid>,
    /// The objects of each key, by ascending key.
    rows: Vec<(Term, Vec<Term>)>,
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
    /// What the program calls it.
    pub fn shown(&self) -> Term {
        if self.named { Term::Atom(self.name) } else { Term::Ref(self.id) }
    }
    fn compare(&self, a: &Term, b: &Term) -> Ordering {
        if self.kind == Kind::OrderedSet { order::cmp(a, b) } else { order::cmp_keys(a, b) }
    }
    fn find(&self, key: &Term) -> Result<usize, usize> {
        self.rows.binary_search_by(|(k, _)| self.compare(k, key))
    }
    /// The key of an object; none if it has none.
    pub fn key_of(&self, object: &Term) -> Option<Term> {
        object.as_tuple().and_then(|t| t.get(self.keypos - 1)).cloned()
    }
    /// The objects with this key.
    pub fn lookup(&self, key: &Term) -> &[Term] {
        self.find(key).map_or(&[], |at| &self.rows[at].1)
    }
    /// Adds an object, which has a key.
    pub fn insert(&mut self, object: Term) {
        let Some(key) = self.key_of(&object) else { return };
        match self.find(&key) {
            Ok(at) => match self.kind {
                Kind::Set | Kind::OrderedSet => self.rows[at] = (key, vec![object]),
                Kind::Bag => {
                    // Bags keep equal objects once, as the newest.
                    let row = &mut self.rows[at].1;
                    if !row.contains(&object) {
                        row.push(object);
                    }
                }
                Kind::DuplicateBag => self.rows[at].1.push(object),
            },
            Err(at) => self.rows.insert(at, (key, vec![object])),
        }
    }
    /// Takes a key away, with its objects.
    pub fn remove(&mut self, key: &Term) -> Vec<Term> {
        self.find(key).map_or(Vec::new(), |at| self.rows.remove(at).1)
    }
    /// Takes one object away.
    pub fn remove_object(&mut self, object: &Term) {
        if let Some(key) = self.key_of(object)
            && let Ok(at) = self.find(&key)
        {
            self.rows[at].1.retain(|o| o != object);
            if self.rows[at].1.is_empty() {
                self.rows.remove(at);
            }
        }
    }
    /// Takes everything away.
    pub fn clear(&mut self) {
        self.rows.clear();
    }
    /// All objects, by ascending key.
    pub fn objects(&self) -> impl DoubleEndedIterator<Item = &Term> {
        self.rows.iter().flat_map(|(_, objects)| objects)
    }
    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|(_, objects)| objects.len()).sum()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The first or last key.
    pub fn end(&self, last: bool) -> Option<&Term> {
        if last { self.rows.last() } else { self.rows.first() }.map(|(key, _)| key)
    }
    /// The key after (or before) this one, if there is one; none if this one must be there and is not.
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
    /// The key after (or before) this one, whether it is there or not.
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

/// All tables.
#[derive(Clone, Default)]
pub struct Tables {
    by_id: BTreeMap<Ref, Rc<Table>>,
    by_name: BTreeMap<Atom, Ref>,
}

impl Tables {
    /// A table, by identifier or name.
    pub fn get(&self, id: &Term) -> Option<&Rc<Table>> {
        let id = match id {
            Term::Ref(id) => *id,
            Term::Atom(name) => *self.by_name.get(name)?,
            _ => return None,
        };
        self.by_id.get(&id)
    }
    /// A table, to change it.
    pub fn get_mut(&mut self, id: Ref) -> Option<&mut Table> {
        self.by_id.get_mut(&id).map(Rc::make_mut)
    }
    /// Adds a table; says whether its name was free.
    pub fn add(&mut self, table: Table) -> bool {
        if table.named {
            if self.by_name.contains_key(&table.name) {
                return false;
            }
            self.by_name.insert(table.name, table.id);
        }
        self.by_id.insert(table.id, Rc::new(table));
        true
    }
    /// Takes a table away.
    pub fn remove(&mut self, id: Ref) {
        if let Some(table) = self.by_id.remove(&id)
            && table.named
        {
            self.by_name.remove(&table.name);
        }
    }
    /// Gives a table another name; says whether it was free.
    pub fn rename(&mut self, id: Ref, name: Atom) -> bool {
        let Some(table) = self.by_id.get(&id) else { return false };
        if table.named {
            if self.by_name.contains_key(&name) {
                return false;
            }
            self.by_name.remove(&table.name);
            self.by_name.insert(name, id);
        }
        if let Some(table) = self.get_mut(id) {
            table.name = name;
        }
        true
    }
    /// Whether a process has tables.
    pub fn owns_some(&self, pid: Pid) -> bool {
        self.by_id.values().any(|t| t.owner == pid)
    }
    /// The tables of a process, as it calls them.
    pub fn owned_by(&self, pid: Pid) -> Vec<Term> {
        self.by_id.values().filter(|t| t.owner == pid).map(|t| t.shown()).collect()
    }
    /// All tables, as the program calls them.
    pub fn all(&self) -> Vec<Term> {
        self.by_id.values().map(|t| t.shown()).collect()
    }
    /// Adds all of it to a fingerprint.
    pub fn fingerprint(&self, f: &mut Fingerprint) {
        for table in self.by_id.values() {
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
    /// The owner of a table ends: it goes to its heir, or it goes.
    pub(crate) fn table_owner_ends(&mut self, owner: Pid, id: &Term) {
        let Some(table) = self.tables.get(id).cloned() else { return };
        let heir = table.heir.clone().filter(|(heir, _)| *heir != owner && self.alive(*heir).is_some());
        match heir {
            Some((heir, data)) => self.hand_over(owner, heir, &table, data),
            None => Rc::make_mut(&mut self.tables).remove(table.id),
        }
    }

    /// A table goes to another owner, who is told.
    pub(crate) fn hand_over(&mut self, from: Pid, to: Pid, table: &Table, data: Term) {
        if let Some(table) = Rc::make_mut(&mut self.tables).get_mut(table.id) {
            table.owner = to;
        }
        let message = Term::tuple([Term::Atom(known::ETS_TRANSFER), table.shown(), Term::Pid(from), data]);
        self.send(from, to, Signal::Message(message));
    }
}
