//! A test of a suite and its verdict, as pages, JUnit XML and annotations show it.

use raddle_core::record::Place;
use raddle_core::verdict::Failure;
use serde::Serialize;

/// The verdict in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// No failure in what was explored.
    #[default]
    Passed,
    /// A failure.
    Failed,
    /// It could not be explored.
    Skipped,
    /// Its author ignores it.
    Ignored,
    /// The user interrupted it.
    Interrupted,
    /// It came to no verdict.
    #[serde(rename = "no verdict")]
    NoVerdict,
}

impl Word {
    /// As people read it.
    pub fn word(self) -> &'static str {
        match self {
            Word::Passed => "passed",
            Word::Failed => "failed",
            Word::Skipped => "skipped",
            Word::Ignored => "ignored",
            Word::Interrupted => "interrupted",
            Word::NoVerdict => "no verdict",
        }
    }
}

/// A test and its verdict.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SuiteOutcome {
    /// The program that holds it.
    pub program: String,
    /// Its name.
    pub test: String,
    /// The verdict.
    pub verdict: Word,
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
    /// The kind and the beginning of the message of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The whole message of its failure.
    #[serde(skip)]
    pub message: Option<String>,
    /// Where it went wrong.
    #[serde(skip)]
    pub place: Option<Place>,
    /// The page of its failure, from the folder of the page of the suite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// Of a longer message only the beginning is told in a table.
const LONGEST: usize = 300;

impl SuiteOutcome {
    /// The same with what is told of its failure.
    #[must_use]
    pub fn with(self, failure: &Failure) -> SuiteOutcome {
        let message = crate::text::without_ansi(&failure.message());
        let first: String = message.lines().next().unwrap_or_default().chars().take(LONGEST).collect();
        let kind = failure.kind();
        let told = if first.is_empty() { kind.to_string() } else { format!("{kind}: {first}") };
        SuiteOutcome { failure: Some(told), message: Some(message), place: place(failure), ..self }
    }
}

/// Where a failure is, in the code under test if that is known.
fn place(failure: &Failure) -> Option<Place> {
    let in_program =
        |place: &Option<Place>, caller: Option<&Place>| caller.cloned().or_else(|| place.clone());
    let guilty = crate::view_model::guilty(failure);
    let lines = guilty.iter().rev().map(|at| &failure.record.lines[*at]);
    let of_lines =
        lines.map(|line| in_program(&line.place, line.caller.as_ref().map(|caller| &caller.place)));
    let facts = failure.defect.facts.iter();
    let of_facts =
        facts.map(|fact| in_program(&fact.place, fact.caller.as_ref().map(|caller| &caller.place)));
    // Where a process crashed is not always the place of its last event.
    let of_cause = failure.defect.cause.place().cloned();
    std::iter::once(of_cause).chain(of_lines).chain(of_facts).flatten().next()
}
