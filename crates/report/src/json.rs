//! The whole failure as JSON, for other programs: the trace format that `schema/trace.schema.json` describes. Versioned:
//! a change that a reader could trip over makes a new [`VERSION`].

use crate::escape;
use raddle_core::verdict::{Coverage, Failure};
use serde::Serialize;

/// The version of the JSON form of a failure.
pub const VERSION: u32 = 5;

/// The trace JSON of a failure.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    version: u32,
    coverage: &'a Coverage,
    failure: &'a Failure,
}

impl<'a> Document<'a> {
    pub fn new(failure: &'a Failure, coverage: &'a Coverage) -> Document<'a> {
        Document { version: VERSION, coverage, failure }
    }
}

/// The failure, its record in full and its ticket, and what the search covered, as JSON.
pub fn to_json(failure: &Failure, coverage: &Coverage) -> String {
    let document = Document::new(failure, coverage);
    let mut text = serde_json::to_string_pretty(&document).expect("a failure is plain data");
    text.push('\n');
    escape::json(&text)
}
