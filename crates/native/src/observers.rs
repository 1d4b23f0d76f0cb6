//! Which messages are received at all: the order of those that never are is of no consequence.
//!
//! A search takes for granted that of each channel without bound, named by the place that makes it, no execution
//! receives more than so many messages. Up to that number their order matters, and behind it sends commute. It begins
//! with none, and an execution that receives more refutes it: then the search begins anew with what was found. A search
//! in which nothing was refuted has explored everything, since up to the first receive of a message behind that number
//! nobody can tell in which order the sends were, so one of the executions that it explored would have had that receive,
//! too (the idea of observers is that of Aronis, Jonsson, Lång and Sagonas, TACAS 2018).

use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// A channel is made there, and no execution receives more than so many messages of it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Limit {
    file: String,
    line: u32,
    column: u32,
    most: u32,
}

impl Limit {
    fn is_of(&self, place: &Location<'_>) -> bool {
        (self.line, self.column) == (place.line(), place.column()) && self.file == place.file()
    }
}

#[derive(Clone, Debug, Default)]
struct Limits {
    /// What is taken for granted.
    assumed: Vec<Limit>,
    /// What refutes it.
    found: Vec<Limit>,
}

/// How many messages of each channel are received at most, as far as is known; all clones know the same.
#[derive(Clone, Debug, Default)]
pub struct Observers(Arc<Mutex<Limits>>);

impl Observers {
    /// The same, but from now on each learns for itself.
    #[must_use]
    pub fn fork(&self) -> Observers {
        Observers(Arc::new(Mutex::new(self.limits().clone())))
    }
    fn limits(&self) -> std::sync::MutexGuard<'_, Limits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// How many messages of a channel that is made there are taken to be received at most.
    pub(crate) fn most(&self, place: &Location<'_>) -> u32 {
        let limits = self.limits();
        limits.assumed.iter().find(|limit| limit.is_of(place)).map_or(0, |limit| limit.most)
    }
    /// So many messages of a channel that was made there are received.
    pub(crate) fn refute(&self, place: &Location<'_>, received: u32) {
        let mut limits = self.limits();
        match limits.found.iter_mut().find(|limit| limit.is_of(place)) {
            Some(limit) => limit.most = limit.most.max(received),
            None => limits.found.push(Limit {
                file: place.file().to_owned(),
                line: place.line(),
                column: place.column(),
                most: received,
            }),
        }
    }
    /// Whether what was taken for granted does not hold.
    pub fn are_refuted(&self) -> bool {
        !self.limits().found.is_empty()
    }
    /// From now on what was found is taken for granted. Says whether that is something new.
    pub fn learn(&self) -> bool {
        let mut limits = self.limits();
        let found = std::mem::take(&mut limits.found);
        let is_new = !found.is_empty();
        for new in found {
            let same =
                |old: &&mut Limit| (old.line, old.column) == (new.line, new.column) && old.file == new.file;
            match limits.assumed.iter_mut().find(same) {
                Some(old) => old.most = old.most.max(new.most),
                None => limits.assumed.push(new),
            }
        }
        is_new
    }
    /// What is taken for granted, as a word for files.
    pub fn to_word(&self) -> String {
        let limits = self.limits();
        let words = limits.assumed.iter().map(|l| format!("{}:{}:{}={}", l.file, l.line, l.column, l.most));
        words.collect::<Vec<_>>().join("|")
    }
    /// Takes over what [`Observers::to_word`] wrote.
    pub fn apply(&self, word: &str) -> Result<(), String> {
        let parse = |word: &str| {
            let (place, most) = word.rsplit_once('=')?;
            let (place, column) = place.rsplit_once(':')?;
            let (file, line) = place.rsplit_once(':')?;
            let (line, column, most) = (line.parse().ok()?, column.parse().ok()?, most.parse().ok()?);
            Some(Limit { file: file.to_owned(), line, column, most })
        };
        let words = word.split('|').filter(|word| !word.is_empty());
        let assumed: Option<Vec<Limit>> = words.map(parse).collect();
        self.limits().assumed = assumed.ok_or_else(|| format!("`{word}` does not say what is received"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_taken_for_granted_and_written_down() {
        let observers = Observers::default();
        let (here, there) = (Location::caller(), place());
        assert_eq!((observers.most(here), observers.learn()), (0, false));
        observers.refute(here, 3);
        observers.refute(here, 2);
        assert!(observers.are_refuted());
        assert_eq!(observers.most(here), 0, "not before it begins anew");
        assert!(observers.learn() && !observers.are_refuted());
        observers.refute(there, 1);
        assert!(observers.learn());
        let copy = Observers::default();
        copy.apply(&observers.to_word()).unwrap();
        assert_eq!([here, there].map(|place| copy.most(place)), [3, 1]);
        assert!(copy.apply("nonsense").is_err());
        copy.apply("").unwrap();
        assert_eq!(copy.most(here), 0);
    }

    #[track_caller]
    fn place() -> &'static Location<'static> {
        Location::caller()
    }
}
