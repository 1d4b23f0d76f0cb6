//! Every string of a failure, of its coverage and of a run is from outside: none reaches an output as it is.

use crate::records;
use raddle_core::fact::{Assumption, SkipReason, StopReason};
use raddle_core::verdict::{Coverage, Extent, Failure};
use raddle_report::{Color, Layout, Run, Sources, TicketText};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Clears the screen, sets the title in the form of one character, reverses the text, and hides.
const ACTIVE: &str = "\u{1b}[2J\u{9b}8m\u{202e}\u{7}\u{8}\r\u{200f}\u{7f}";

/// The same value, once for each of its strings that may be any: that string with active characters.
fn with_active<T: Serialize + DeserializeOwned>(value: &T) -> Vec<T> {
    let plain = serde_json::to_value(value).unwrap();
    let mut all = Vec::new();
    for position in 0.. {
        let (mut changed, mut left) = (plain.clone(), position);
        if !change(&mut changed, &mut left) {
            break;
        }
        // A string that is the name of a variant cannot be another.
        all.extend(serde_json::from_value(changed).ok());
    }
    all
}

/// Changes the string at a position; whether there is one.
fn change(value: &mut Value, left: &mut usize) -> bool {
    match value {
        Value::String(text) if *left == 0 => {
            text.push_str(ACTIVE);
            text.push('x');
            true
        }
        Value::String(_) => {
            *left -= 1;
            false
        }
        Value::Array(all) => all.iter_mut().any(|value| change(value, left)),
        Value::Object(all) => all.values_mut().any(|value| change(value, left)),
        _ => false,
    }
}

/// Only line breaks, and the colours that reports have.
fn is_clean(text: &str) -> bool {
    let plain = ["\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m", "\u{1b}[1;33m", "\u{1b}[1;31m"];
    let lanes = ["36", "32", "35", "34", "96", "92", "95", "94"].map(|color| format!("\u{1b}[{color}m"));
    let all = plain.into_iter().chain(lanes.iter().map(String::as_str));
    let text = all.fold(text.to_owned(), |text, color| text.replace(color, ""));
    !text.chars().any(|c| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{200f}')))
}

fn assert_clean(failure: &Failure, coverage: &Coverage, run: &Run) -> usize {
    let layout = |width, color| Layout { width, color, sources: Sources::Hide, ..Layout::plain() };
    let mut outputs = vec![raddle_report::to_json(failure, coverage), raddle_report::summary(coverage, run)];
    for (width, color) in [(None, Color::Never), (Some(120), Color::Never), (Some(120), Color::Always)] {
        outputs.push(raddle_report::failure(failure, coverage, run, &layout(width, color)));
    }
    outputs.extend(failure.defect.facts.iter().map(raddle_report::fact));
    for output in &outputs {
        assert!(is_clean(output), "{output:?}");
    }
    outputs.iter().filter(|output| output.contains("\\u{202e}") || output.contains("\\u202e")).count()
}

#[test]
fn no_string_of_a_failure_reaches_an_output_as_it_is() {
    let failures =
        [records::labels(), records::deadlock(), records::data_race(), records::leak(), records::passed_on()];
    let mut escaped = 0;
    for failure in &failures {
        let coverage = records::first_failure(failure);
        for changed in with_active(failure) {
            escaped += assert_clean(&changed, &coverage, &Run::default());
        }
    }
    assert!(escaped > 500, "only {escaped} outputs had such a string");
}

#[test]
fn no_string_of_a_coverage_or_of_a_run_does() {
    let assumptions = vec![
        Assumption::OnRealStd(vec![ACTIVE.to_owned()]),
        Assumption::TreatedAsNormal(ACTIVE.to_owned()),
        Assumption::Ignored(records::leak().kind()),
    ];
    let stopped = Extent::Partial(StopReason::Excluded { crates: vec![ACTIVE.to_owned()] });
    let failure = records::lost_update();
    let coverage = Coverage { extent: stopped, executions: 1, assumptions };
    for (text, replay) in [(TicketText::WhenShort, Some(ACTIVE.to_owned())), (TicketText::Never, None)] {
        let file = Some(ACTIVE.into());
        let error = Some(ACTIVE.to_owned());
        let run = Run { ticket_file: file, ticket_error: error, replay, ticket_text: text, ..Run::default() };
        let outputs = assert_clean(&failure, &coverage, &run);
        assert_eq!(outputs, 5, "JSON, summary and three reports");
    }
    for skipped in [
        SkipReason::Outside { what: ACTIVE.to_owned() },
        SkipReason::Stuck { words: ACTIVE.to_owned() },
        SkipReason::Misuse { message: ACTIVE.to_owned() },
        SkipReason::Doctest { why: ACTIVE.to_owned() },
    ] {
        assert!(is_clean(&raddle_report::skip(&skipped)));
    }
    assert!(is_clean(&raddle_report::coverages([&coverage, &coverage].into_iter())));
    assert!(is_clean(&raddle_report::difference(ACTIVE, true)));
}
