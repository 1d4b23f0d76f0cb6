//! Results for other programs: one JSON object a line on standard output.

use crate::compile::Program;
use crate::results::{Outcomes, Verdict};
use raddle_core::check::{self, Checked};
use raddle_terminal::output;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Reports a listed test.
pub fn listed(program: &Program, name: &str, ignored: bool) {
    let line = json!({ "reason": "raddle-listed", "package": program.package, "kind": program.kind,
        "target": program.target, "test": name, "ignored": ignored });
    output::json(&line);
}

/// Reports the verdict on a test.
pub fn test(program: &Program, outcome: &Outcomes) {
    let mut line = json!({
        "reason": "raddle-test", "package": program.package, "kind": program.kind, "target": program.target,
        "test": outcome.name, "verdict": outcome.verdict.word().to_lowercase(),
        "because": outcome.verdict.reason(), "coverage": outcome.coverage(),
        "covered": outcome.coverage().map(|_| raddle_report::coverages(outcome.searches().into_iter())),
        "stages": outcome.searches(),
        "executions": outcome.executions(),
        "steps": outcome.explored.iter().map(|e| e.steps).sum::<u64>(),
        "seconds": outcome.elapsed.as_secs_f64(),
        "search": outcome.search_file().and_then(|file| file.as_ref().ok()),
        "not_saved": outcome.not_saved(),
    });
    if let Verdict::Skipped(why) = &outcome.verdict {
        line["skipped"] = json!(why);
    }
    if let Verdict::Failed(failed) = &outcome.verdict {
        line["failure"] = json!(failed.failure);
        line["complaint"] = json!(failed.complaint);
        line["ticket"] = json!(failed.ticket);
        line["output"] = json!(failed.output);
    }
    output::json(&line);
}

/// The same for a test that was checked in this process; `place` says where it is.
pub fn checked<T>(
    place: Value,
    test: &str,
    checked: &Checked<T>,
    ticket: Option<&Result<PathBuf, String>>,
    search: Option<&Result<PathBuf, String>>,
) {
    let written = |file: Option<&Result<PathBuf, String>>| Some(file?.as_ref().ok()?.display().to_string());
    let not_saved: Vec<&String> =
        [ticket, search].into_iter().flatten().filter_map(|file| file.as_ref().err()).collect();
    let (ticket, search) = (written(ticket), written(search));
    let verdict = match checked.verdict() {
        check::Verdict::Passed => "passed",
        check::Verdict::Failed(_) => "failed",
        check::Verdict::Interrupted => "interrupted",
    };
    let mut line = json!({
        "reason": "raddle-test", "test": test, "verdict": verdict, "because": null,
        "coverage": checked.coverage, "covered": raddle_report::coverages(checked.coverages()),
        "stages": checked.coverages().collect::<Vec<_>>(),
        "executions": checked.executions(), "steps": checked.statistics.steps,
        "seconds": checked.statistics.elapsed.as_secs_f64(), "search": search, "not_saved": not_saved,
    });
    if let (Some(line), Some(place)) = (line.as_object_mut(), place.as_object()) {
        line.extend(place.clone());
    }
    if let Some(failure) = checked.failure() {
        line["failure"] = json!(failure);
        line["failures"] = json!(checked.failed());
        line["ticket"] = json!(ticket);
    }
    output::json(&line);
}

/// Reports the end.
pub fn finished(code: u8) {
    output::json(&json!({ "reason": "raddle-finished", "exit_code": code }));
}
