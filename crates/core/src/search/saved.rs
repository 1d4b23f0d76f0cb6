//! A search that was stopped, as a file from which it can be resumed: its findings and its unexplored subtrees.
//!
//! Outcomes are stored as text: they are values of the program, which cannot be serialised in general.

use super::Tally;
use crate::checksum::Checksum;
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
    /// What the reduced world assumes of the program, as [`Program::assumed`](crate::check::Program::assumed) says.
    pub assumed: Option<String>,
    /// The bound on preemptions that was being explored, where it grows.
    pub round: Option<u32>,
    /// The fraction of the tree that is explored.
    #[serde(with = "crate::plain::fraction")]
    pub explored: f64,
    /// The findings, with outcomes as text.
    pub found: Tally<String>,
    /// The unexplored subtrees.
    pub left: Vec<SavedSubtree>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Head {
    search: Option<u64>,
    #[serde(default)]
    checksum: Option<String>,
}

impl Saved {
    /// The version that is written.
    pub const VERSION: u32 = 7;

    /// As the content of a file: a line with version and checksum, and one with the search.
    pub fn to_json(&self) -> String {
        let content = serde_json::to_string(self).expect("it has only strings as keys");
        let head = Head {
            search: Some(Saved::VERSION as u64),
            checksum: Some(Checksum::of(content.as_bytes()).to_string()),
        };
        format!("{}\n{content}\n", serde_json::to_string(&head).expect("it is plain data"))
    }

    /// Reads the content of a file.
    pub fn parse(text: &str) -> Result<Saved, String> {
        let no_search = |why: String| format!("this is no search that was stopped: {why}");
        let (head, content) = text.split_once('\n').unwrap_or((text, ""));
        // Plain structures only: the JSON of the facades of std has no value type.
        let head: Head = serde_json::from_str(head).map_err(|e| no_search(e.to_string()))?;
        match head.search {
            Some(version) if version == Saved::VERSION as u64 => {}
            Some(version) => {
                let expected = Saved::VERSION;
                return Err(format!(
                    "this search was stopped by another version of raddle: its format is {version}, not {expected}"
                ));
            }
            None => return Err(no_search("it has no version".to_owned())),
        }
        let content = content.strip_suffix('\n').unwrap_or(content);
        if head.checksum != Some(Checksum::of(content.as_bytes()).to_string()) {
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
