//! Reference counts are operations only where they matter: for types whose count some execution observes, or whose
//! destructor does something that others can notice.
//!
//! A search assumes that this is so for no type. An execution that asks for a count (`upgrade`, `strong_count`, `get_mut`,
//! `try_unwrap`, `into_inner`) or whose destructor takes a step refutes that for all types under which the object was
//! seen, since an `Arc` may be coerced; the search restarts with their clones and drops as steps. A search without
//! a refutation is complete: up to the first observation no task can tell in which order counts changed. Types are named by
//! a hash of their name, which is the same in every process of one program.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug, Default)]
struct Known {
    /// All counts are operations, whatever is found.
    all: bool,
    /// The types whose counts are operations.
    assumed: BTreeSet<u64>,
    /// The types that refute this.
    found: BTreeSet<u64>,
}

/// The types whose reference counts are operations. All clones share them.
#[derive(Clone, Debug, Default)]
pub struct Counted(Arc<Mutex<Known>>);

/// A copy of it for one search.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountedTypes {
    all: bool,
    types: Vec<u64>,
}

impl CountedTypes {
    pub fn contains(&self, name: u64) -> bool {
        self.all || self.types.contains(&name)
    }
}

/// The hash of a type's name (FNV-1a).
pub(crate) fn hash_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
}

impl Counted {
    /// All counts are operations.
    #[must_use]
    pub fn all() -> Counted {
        Counted(Arc::new(Mutex::new(Known { all: true, ..Known::default() })))
    }
    /// A copy that no longer shares them.
    #[must_use]
    pub fn fork(&self) -> Counted {
        Counted(Arc::new(Mutex::new(self.known().clone())))
    }
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(crate) fn types(&self) -> CountedTypes {
        let known = self.known();
        CountedTypes { all: known.all, types: known.assumed.iter().copied().collect() }
    }
    pub(crate) fn refute(&self, types: impl IntoIterator<Item = u64>) {
        self.known().found.extend(types);
    }
    /// Whether the counts of further types matter.
    pub fn are_refuted(&self) -> bool {
        let known = self.known();
        !known.all && !known.found.is_subset(&known.assumed)
    }
    /// Adopts what was found. Says whether any of it is new.
    pub fn learn(&self) -> bool {
        let is_new = self.are_refuted();
        let mut known = self.known();
        let found = std::mem::take(&mut known.found);
        known.assumed.extend(found);
        is_new
    }
    /// As text, for tickets and files; empty if no count is an operation.
    pub fn to_word(&self) -> String {
        let known = self.known();
        match known.all {
            true => "all".to_owned(),
            false => known.assumed.iter().map(|name| format!("{name:x}")).collect::<Vec<_>>().join(","),
        }
    }
    /// Parses the text of [`Counted::to_word`].
    pub fn apply(&self, word: &str) -> Result<(), String> {
        let mut known = Known { all: word == "all", ..Known::default() };
        for name in word.split(',').filter(|name| !known.all && !name.is_empty()) {
            let name = u64::from_str_radix(name, 16);
            known.assumed.insert(name.map_err(|_| format!("`{word}` does not say which counts are seen"))?);
        }
        *self.known() = known;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_adopted_and_written_down() {
        let counted = Counted::default();
        let (a, b) = (hash_of("A"), hash_of("B"));
        assert!(!counted.types().contains(a) && !counted.learn());
        counted.refute([a, b]);
        assert!(counted.are_refuted() && !counted.types().contains(a), "not before it begins anew");
        assert!(counted.learn() && !counted.are_refuted());
        assert!(counted.types().contains(a) && counted.types().contains(b));
        counted.refute([a]);
        assert!(!counted.are_refuted() && !counted.learn());
        let copy = Counted::default();
        copy.apply(&counted.to_word()).unwrap();
        assert_eq!(copy.to_word(), counted.to_word());
        assert!(copy.apply("nonsense").is_err());
        copy.apply("all").unwrap();
        copy.refute([7]);
        assert!(copy.types().contains(7) && !copy.are_refuted() && copy.to_word() == "all");
    }
}
