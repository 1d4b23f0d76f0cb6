//! The page of a suite: all tests with their verdicts, what these rest on, and links to the pages of the failures.

use super::document;
use crate::suite::SuiteOutcome;
use serde::Serialize;

/// The page of a suite. `assumed` is what the verdicts take for granted.
pub fn suite_page(title: &str, outcomes: &[SuiteOutcome], assumed: &[String]) -> String {
    #[derive(Serialize)]
    struct Page<'a> {
        page: &'static str,
        title: &'a str,
        outcomes: &'a [SuiteOutcome],
        assumed: &'a [String],
    }
    document(&Page { page: "suite", title, outcomes, assumed })
}
