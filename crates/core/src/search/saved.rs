//! A search that was stopped, as a file from which it can go on: what it has found and what it has left.
//!
//! Results are kept in words: they are values of the program, which cannot be written down in general.

use super::Findings;
use crate::fact::Assumption;
use crate::strategy::SavedSubtree;
use crate::verdict::{Failure, FailureKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What a search had found when it was stopped.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Counted {
    /// Executions that count.
    pub executions: u64,
    /// Executions that were given up.
    pub abandoned: u64,
    /// Those of them that could not be decided.
    pub undecided: u64,
    /// How many steps all of them took.
    pub steps: u64,
    /// Results in words, and how often each came.
    pub outcomes: BTreeMap<String, u64>,
    /// How many executions failed, by kind.
    pub failures: BTreeMap<FailureKind, u64>,
    /// The first failure of each kind, the very first one first.
    pub first: Vec<Failure>,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
}

impl Counted {
    /// Nothing was tried.
    pub fn is_nothing(&self) -> bool {
        self.executions + self.abandoned == 0
    }

    /// What a search has found, after what earlier parts of it had found.
    pub fn of<T: Debug>(earlier: &Counted, found: &Findings<T>) -> Counted {
        let mut all = earlier.clone();
        for (outcome, times) in &found.outcomes {
            *all.outcomes.entry(format!("{outcome:?}")).or_insert(0) += times;
        }
        for (kind, times) in &found.failures_by_kind {
            *all.failures.entry(*kind).or_insert(0) += times;
        }
        for failure in found.failure.iter().chain(&found.others) {
            if all.first.iter().all(|known| known.kind() != failure.kind()) {
                all.first.push(failure.clone());
            }
        }
        all.executions += found.executions;
        all.abandoned += found.abandoned;
        all.undecided += found.undecided;
        all.steps += found.steps;
        all.assumptions.extend(found.coverage.assumptions.iter().cloned());
        all.assumptions.sort();
        all.assumptions.dedup();
        all
    }

    /// Adds what was found before to what a search that went on has found. Results stay with whoever saw them.
    pub fn add_to<T>(&self, found: &mut Findings<T>) {
        found.executions += self.executions;
        found.abandoned += self.abandoned;
        found.undecided += self.undecided;
        found.steps += self.steps;
        for (kind, times) in &self.failures {
            *found.failures_by_kind.entry(*kind).or_insert(0) += times;
            found.failures += times;
        }
        let later = found.failure.take().into_iter().chain(found.others.drain(..));
        let mut firsts = self.first.clone();
        for failure in later {
            if firsts.iter().all(|known| known.kind() != failure.kind()) {
                firsts.push(failure);
            }
        }
        let mut firsts = firsts.into_iter();
        found.failure = firsts.next();
        found.others = firsts.collect();
        found.coverage.executions = found.executions;
        found.coverage.assumptions.extend(self.assumptions.iter().cloned());
        found.coverage.assumptions.sort();
        found.coverage.assumptions.dedup();
    }
}

/// A search that was stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The version of this format.
    pub search: u32,
    /// The test that it is a search of.
    pub test: Option<String>,
    /// What kind of search it is, in words: only the same kind can go on.
    pub kind: String,
    /// The settings that shape executions.
    pub settings: BTreeMap<String, String>,
    /// The bound on preemptions that was being explored, where it grows.
    pub round: Option<u32>,
    /// How much of the whole tree was explored.
    pub explored: f64,
    /// What was found.
    pub counted: Counted,
    /// What is left.
    pub left: Vec<SavedSubtree>,
}

impl Saved {
    /// The version that is written.
    pub const VERSION: u32 = 3;

    /// As the content of a file.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("it has only strings as keys")
    }

    /// Reads the content of a file.
    pub fn parse(text: &str) -> Result<Saved, String> {
        let no_search = |why: String| format!("this is no search that was stopped: {why}");
        #[derive(Deserialize)]
        struct Version {
            search: Option<u64>,
        }
        // Plain structures only: the JSON of the facades of std has no values.
        let version: Version = serde_json::from_str(text).map_err(|e| no_search(e.to_string()))?;
        match version.search {
            Some(version) if version == Saved::VERSION as u64 => {}
            Some(version) => {
                let expected = Saved::VERSION;
                return Err(format!(
                    "this search was stopped by another version of raddle: its format is {version}, not {expected}"
                ));
            }
            None => return Err(no_search("it has no version".to_owned())),
        }
        let saved: Saved = serde_json::from_str(text).map_err(|e| no_search(e.to_string()))?;
        match saved.left.is_empty() {
            true => Err(no_search("nothing is left to explore".to_owned())),
            false => Ok(saved),
        }
    }
}
