//! A search that was stopped, as a file from which it can be resumed: its findings and its unexplored subtrees.
//!
//! Outcomes are stored as text: they are values of the program, which cannot be serialised in general.

use super::{FailureGroup, Tally};
use crate::sealed::Head;
use crate::strategy::SavedSubtree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A search that was stopped.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The version of this format.
    pub search: u32,
    /// The test that was explored.
    pub test: Option<String>,
    /// The kind of the search: only the same kind can resume it.
    pub kind: String,
    /// The reduction could not decide, and the search continues without it.
    pub fallen_back: bool,
    /// The settings that shape executions.
    pub settings: BTreeMap<String, String>,
    /// The parts of the program, each with the checksum of its code, as
    /// [`Program::parts`](crate::check::Program::parts) says.
    pub program: BTreeMap<String, String>,
    /// What the reduced world assumes of the program, as [`Refinable::assumed`](crate::check::Refinable::assumed) says.
    pub assumed: Option<String>,
    /// The bound on preemptions that was being explored, where it grows.
    pub round: Option<u32>,
    /// The fraction of the tree that is explored.
    #[serde(with = "crate::plain::fraction")]
    pub explored: f64,
    /// The findings, with outcomes as text.
    pub found: Tally<String>,
    /// Failures among these findings whose schedules are those of the reduced world: see
    /// [`Reducible::concretise`](crate::check::Reducible::concretise).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unconverted: Vec<FailureGroup>,
    /// The unexplored subtrees.
    pub left: Vec<SavedSubtree>,
}

impl Saved {
    /// The version that is written.
    pub const VERSION: u32 = 7;

    /// As the content of a file.
    pub fn to_json(&self) -> String {
        Saved::seal(&serde_json::to_string(self).expect("it has only strings as keys"))
    }

    /// A file with this content.
    pub fn seal(content: &str) -> String {
        Head { search: Some(Saved::VERSION as u64), ..Head::default() }.seal(content)
    }

    /// Reads the content of a file.
    pub fn parse(text: &str) -> Result<Saved, String> {
        let no_search = |why: String| format!("this is no search that was stopped: {why}");
        let (head, content) = Head::read(text).map_err(|e| no_search(e.to_string()))?;
        match head.search {
            Some(version) if version == Saved::VERSION as u64 => {}
            Some(version) => {
                let expected = Saved::VERSION;
                return Err(format!(
                    "this search was stopped by another version of raddle: its format is {version}, not {expected}"
                ));
            }
            None if head.ticket.is_some() => return Err(no_search("it is a ticket".to_owned())),
            None => return Err(no_search("it has no version".to_owned())),
        }
        if !head.is_of(content) {
            return Err(no_search(
                "it was changed or cut since it was written; start the search again".to_owned(),
            ));
        }
        let saved: Saved = serde_json::from_str(content).map_err(|e| no_search(e.to_string()))?;
        match saved.left.is_empty() {
            true => Err(no_search("nothing is left to explore".to_owned())),
            false => Ok(saved),
        }
    }
}
