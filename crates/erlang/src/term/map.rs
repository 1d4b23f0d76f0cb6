//! Maps, sorted by key: iteration is in term order, independent of the insertions.

use super::Term;
use super::order::cmp_keys;
use std::cmp::Ordering;

/// A map. Keys ascend in the order in which integers come before floats.
#[derive(Clone, Default)]
pub struct Map {
    entries: Vec<(Term, Term)>,
}

impl Map {
    /// `#{}`
    pub fn new() -> Map {
        Map::default()
    }
    /// From entries in any order; of equal keys the last counts.
    pub fn from_entries(mut entries: Vec<(Term, Term)>) -> Map {
        // Stable, so that the last of equal keys is the last of its run.
        entries.sort_by(|a, b| cmp_keys(&a.0, &b.0));
        let mut kept: Vec<(Term, Term)> = Vec::with_capacity(entries.len());
        for entry in entries {
            match kept.last_mut() {
                Some(last) if cmp_keys(&last.0, &entry.0) == Ordering::Equal => *last = entry,
                _ => kept.push(entry),
            }
        }
        Map { entries: kept }
    }
    fn find(&self, key: &Term) -> Result<usize, usize> {
        self.entries.binary_search_by(|(k, _)| cmp_keys(k, key))
    }
    /// The value of a key.
    pub fn get(&self, key: &Term) -> Option<&Term> {
        self.find(key).ok().map(|at| &self.entries[at].1)
    }
    /// Inserts or replaces the value of a key.
    pub fn insert(&mut self, key: Term, value: Term) {
        match self.find(&key) {
            Ok(at) => self.entries[at].1 = value,
            Err(at) => self.entries.insert(at, (key, value)),
        }
    }
    /// Removes a key.
    pub fn remove(&mut self, key: &Term) -> Option<Term> {
        self.find(key).ok().map(|at| self.entries.remove(at).1)
    }
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// `#{}`
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// The entries, by ascending key.
    pub fn entries(&self) -> &[(Term, Term)] {
        &self.entries
    }
}
