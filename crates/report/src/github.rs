//! Failures as annotations of a pull request on GitHub: workflow commands, one line each, which its runner takes from standard
//! output.
//!
//! No text of a program begins a command of its own: line breaks and what separates properties are escaped.

use crate::suite::{SuiteOutcome, Word};

/// One line for each failure, and for each test without a verdict.
pub fn github(outcomes: &[SuiteOutcome]) -> String {
    outcomes.iter().filter_map(annotation).collect()
}

fn annotation(outcome: &SuiteOutcome) -> Option<String> {
    let (level, text) = match outcome.verdict {
        Word::Failed => ("error", outcome.message.as_deref().or(outcome.failure.as_deref())),
        Word::NoVerdict => ("warning", outcome.because.as_deref().or(outcome.failure.as_deref())),
        _ => return None,
    };
    let place = outcome.place.as_ref().map(|place| {
        let column = if place.column > 0 { format!(",col={}", place.column) } else { String::new() };
        format!("file={},line={}{column},", property(&place.file), place.line)
    });
    let title = property(&format!("{}: {}", outcome.program, outcome.test));
    let text = data(text.unwrap_or(outcome.verdict.word()));
    Some(format!("::{level} {}title={title}::{text}\n", place.unwrap_or_default()))
}

fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
