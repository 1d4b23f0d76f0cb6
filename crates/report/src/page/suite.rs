//! The page of a suite: all tests with their verdicts, what these rest on, and links to the pages of the failures.

use super::document;
use serde::Serialize;

/// A test as the page of its suite shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SuiteOutcome {
    /// The program that holds it.
    pub program: String,
    /// Its name.
    pub test: String,
    /// One word: "passed", "failed", "skipped", "ignored", "interrupted", "no verdict".
    pub verdict: &'static str,
    /// Why it neither passed nor failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What the verdict rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered: Option<String>,
    /// How many executions there were.
    pub executions: u64,
    /// How long it took.
    pub seconds: f64,
    /// The kind and the message of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The page of its failure, from the folder of this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

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
