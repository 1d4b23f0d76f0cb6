//! The results of a suite as JUnit XML, for build servers: a test suite for each program, a test case for each test.
//!
//! A test that could not be explored is skipped with its reason, one without a verdict is an error. Characters that XML forbids
//! are escapes.

use crate::suite::{SuiteOutcome, Word};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The results as JUnit XML.
pub fn junit(outcomes: &[SuiteOutcome]) -> String {
    let mut suites: BTreeMap<&str, Vec<&SuiteOutcome>> = BTreeMap::new();
    outcomes.iter().for_each(|outcome| suites.entry(&outcome.program).or_default().push(outcome));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (program, tests) in suites {
        let count = |words: &[Word]| tests.iter().filter(|test| words.contains(&test.verdict)).count();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
            escaped(program),
            tests.len(),
            count(&[Word::Failed]),
            count(&[Word::NoVerdict, Word::Interrupted]),
            count(&[Word::Skipped, Word::Ignored]),
            tests.iter().map(|test| test.seconds).sum::<f64>(),
        );
        tests.iter().for_each(|test| case(program, test, &mut out));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(program: &str, test: &SuiteOutcome, out: &mut String) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        escaped(program),
        escaped(&test.test),
        test.seconds
    );
    let because = test.because.as_deref().unwrap_or_default();
    let _ = match test.verdict {
        Word::Passed => writeln!(out, "/>"),
        Word::Failed => {
            let failure = test.failure.as_deref().unwrap_or("it failed");
            let message = test.message.as_deref().unwrap_or(failure);
            let (failure, message) = (escaped(failure), escaped(message));
            writeln!(out, ">\n      <failure message=\"{failure}\">{message}</failure>\n    </testcase>")
        }
        Word::Skipped | Word::Ignored => {
            writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(because))
        }
        Word::Interrupted | Word::NoVerdict => {
            let why = if because.is_empty() { test.verdict.word() } else { because };
            writeln!(out, ">\n      <error message=\"{}\"/>\n    </testcase>", escaped(why))
        }
    };
}

/// Text for an element or an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}
