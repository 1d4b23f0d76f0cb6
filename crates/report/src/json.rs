//! The whole failure as JSON, for other programs: the trace format that `schema/trace.schema.json` describes. Versioned:
//! a change that a reader could trip over makes a new [`VERSION`].

use crate::escape;
use raddle_core::verdict::{Coverage, Failure};
use serde::Serialize;

/// The version of the JSON form of a failure.
pub const VERSION: u32 = 4;

/// The failure, its record in full and its ticket, and what the search covered, as JSON.
pub fn to_json(failure: &Failure, coverage: &Coverage) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        version: u32,
        coverage: &'a Coverage,
        failure: &'a Failure,
    }
    let document = Document { version: VERSION, coverage, failure };
    let mut text = serde_json::to_string_pretty(&document).expect("a failure is plain data");
    text.push('\n');
    escape::json(&text)
}
