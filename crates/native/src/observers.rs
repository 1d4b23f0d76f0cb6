//! The order of messages that are never received has no effect, so a search need not explore it.
//!
//! A search assumes a limit for each unbounded channel, named by the location that creates it: no execution
//! receives more messages. Up to the limit the order of sends matters, and beyond it sends commute. The limit
//! starts at 0; an execution that receives more refutes it, and the search restarts with the new limit. A
//! search without a refutation is exhaustive: up to the first receive of a message beyond the limit no task
//! observes the order of the sends, so one of its executions would have had that receive (observers: Aronis,
//! Jonsson, Lång and Sagonas, TACAS 2018).

use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// The location of a channel, and the maximal number of messages that are received from it.
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
    /// The assumed limits.
    assumed: Vec<Limit>,
    /// The limits that refute them.
    found: Vec<Limit>,
}

/// The assumed limits of all channels. All clones share them.
#[derive(Clone, Debug, Default)]
pub struct Observers(Arc<Mutex<Limits>>);

impl Observers {
    /// A copy that no longer shares them.
    #[must_use]
    pub fn fork(&self) -> Observers {
        Observers(Arc::new(Mutex::new(self.limits().clone())))
    }
    fn limits(&self) -> std::sync::MutexGuard<'_, Limits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// The assumed limit of a channel that is created there.
    pub(crate) fn most(&self, place: &Location<'_>) -> u32 {
        let limits = self.limits();
        limits.assumed.iter().find(|limit| limit.is_of(place)).map_or(0, |limit| limit.most)
    }
    /// Reports that this many messages of a channel that was created there are received.
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
    /// Whether a limit was refuted.
    pub fn are_refuted(&self) -> bool {
        !self.limits().found.is_empty()
    }
    /// Adopts the limits that were found. Says whether any is new.
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
    /// The assumed limits as text, for files.
    pub fn to_word(&self) -> String {
        let limits = self.limits();
        let words = limits.assumed.iter().map(|l| format!("{}:{}:{}={}", l.file, l.line, l.column, l.most));
        words.collect::<Vec<_>>().join("|")
    }
    /// Parses the text of [`Observers::to_word`].
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
