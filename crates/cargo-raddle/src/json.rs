//! Results for other programs: one JSON object a line on standard output.

use crate::compile::Program;
use crate::results::{Outcomes, Verdict};
use serde_json::json;

/// A test that there is.
pub fn listed(program: &Program, name: &str, ignored: bool) {
    let line = json!({ "reason": "raddle-listed", "package": program.package, "kind": program.kind,
        "target": program.target, "test": name, "ignored": ignored });
    println!("{line}");
}

/// What became of a test.
pub fn test(program: &Program, outcome: &Outcomes) {
    let mut line = json!({
        "reason": "raddle-test", "package": program.package, "kind": program.kind, "target": program.target,
        "test": outcome.name, "verdict": outcome.verdict.word().to_lowercase(),
        "because": outcome.verdict.reason(), "coverage": outcome.coverage(),
        "executions": outcome.executions(),
        "steps": outcome.explored.iter().map(|e| e.steps).sum::<u64>(),
        "seconds": outcome.elapsed.as_secs_f64(),
    });
    if let Verdict::Failed(failed) = &outcome.verdict {
        line["failure"] = json!(failed.failure);
        line["complaint"] = json!(failed.complaint);
        line["ticket"] = json!(failed.ticket);
        line["output"] = json!(failed.output);
    }
    println!("{line}");
}

/// The end.
pub fn finished(code: u8) {
    println!("{}", json!({ "reason": "raddle-finished", "exit_code": code }));
}
