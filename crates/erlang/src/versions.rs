//! Code that is loaded while a program runs: for each module that was loaded or deleted by the program, its current and
//! its old version. This is part of a program's state, in contrast to the files that [`crate::code`] loads on demand.
//!
//! A call of such a module depends on what other processes load, so it must be a step of its own. Which modules these are
//! is learnt: the first operation that loads or deletes another one refutes the search, which begins anew with it.

use crate::term::hash::Fingerprint;
use crate::term::{Atom, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// One version of a module.
#[derive(Clone)]
pub struct Version {
    /// The number of the module.
    pub number: u32,
    /// What `code:is_loaded/1` says of its file.
    pub file: Term,
}

/// The versions of one module.
#[derive(Clone, Default)]
pub struct Entry {
    /// The version that calls enter; none if the module is not loaded.
    pub current: Option<Version>,
    /// The version before, until it is purged.
    pub old: Option<u32>,
    /// `code:unstick_mod/1` was called.
    pub is_unstuck: bool,
}

/// The modules that the program has loaded or deleted.
#[derive(Clone, Default)]
pub struct Versions(BTreeMap<Atom, Entry>);

impl Versions {
    /// Whether the program has loaded and deleted nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The versions of a module, if the program has changed it.
    #[inline]
    pub fn get(&self, module: Atom) -> Option<&Entry> {
        self.0.get(&module)
    }
    /// The versions of a module that is changed now.
    pub fn change(&mut self, module: Atom) -> &mut Entry {
        self.0.entry(module).or_default()
    }
    /// Adds the versions to a fingerprint. `hash` names a module independently of its load order.
    pub fn fingerprint(&self, f: &mut Fingerprint, hash: &dyn Fn(u32) -> u64) {
        for (name, entry) in &self.0 {
            f.word(name.hash64());
            f.word(entry.current.as_ref().map_or(0, |version| hash(version.number)));
            f.word(entry.old.map_or(0, hash));
            f.word(entry.is_unstuck as u64);
            entry.current.iter().for_each(|version| f.term(&version.file));
        }
    }
}

/// The modules whose calls are steps, and those that should be. All clones share the latter.
#[derive(Clone, Debug, Default)]
pub struct Dynamic {
    known: BTreeSet<Atom>,
    found: Arc<Mutex<BTreeSet<Atom>>>,
}

impl Dynamic {
    /// With these modules known.
    pub fn of(names: impl IntoIterator<Item = Atom>) -> Dynamic {
        let known: BTreeSet<Atom> = names.into_iter().collect();
        Dynamic { found: Arc::new(Mutex::new(known.clone())), known }
    }
    /// Whether calls of a module are steps.
    #[inline]
    pub fn is_known(&self, module: Atom) -> bool {
        !self.known.is_empty() && self.known.contains(&module)
    }
    /// Whether there is no such module.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
    /// The program loads or deletes a module.
    pub(crate) fn note(&self, module: Atom) {
        if !self.is_known(module) {
            self.found.lock().unwrap_or_else(|e| e.into_inner()).insert(module);
        }
    }
    /// Whether another module should be known.
    pub fn is_refuted(&self) -> bool {
        self.found.lock().unwrap_or_else(|e| e.into_inner()).len() > self.known.len()
    }
    /// The same with all modules known that were found; none if these are all known.
    pub fn refined(&self) -> Option<Dynamic> {
        let known = self.found.lock().unwrap_or_else(|e| e.into_inner()).clone();
        (known.len() > self.known.len()).then(|| Dynamic { known, found: self.found.clone() })
    }
    /// The modules that are known.
    pub fn names(&self) -> impl Iterator<Item = Atom> + '_ {
        self.known.iter().copied()
    }
}
