//! What became of the tests of one crate, counted from the command's JSON.

use crate::catalogue::Entry;
use serde_json::Value;
use std::fmt::Write;

/// What became of the tests of one crate.
pub struct Tally {
    title: String,
    exit_code: i32,
    passed: usize,
    exhaustive: usize,
    ignored: usize,
    executions: u64,
    /// Tests and reasons.
    skipped: Vec<(String, String)>,
    failed: Vec<(String, String)>,
}

impl Tally {
    /// Counts.
    pub fn read(entry: &Entry, text: &str, exit_code: i32) -> Tally {
        let miri = if entry.arguments.contains(&"--as-miri") { " (--as-miri)" } else { "" };
        let title = format!("{} {}{miri}", entry.name, entry.version);
        let mut tally = Tally {
            title,
            exit_code,
            passed: 0,
            exhaustive: 0,
            ignored: 0,
            executions: 0,
            skipped: Vec::new(),
            failed: Vec::new(),
        };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for line in lines.filter(|line| line["reason"] == "raddle-test") {
            tally.add(&line);
        }
        tally
    }

    fn add(&mut self, test: &Value) {
        let text =
            |value: &Value| value.as_str().unwrap_or_default().lines().next().unwrap_or_default().to_owned();
        let name = text(&test["test"]);
        self.executions += test["executions"].as_u64().unwrap_or_default();
        match test["verdict"].as_str() {
            Some("passed") => {
                self.passed += 1;
                self.exhaustive += usize::from(test["coverage"]["extent"] == "exhaustive");
            }
            Some("ignored") => self.ignored += 1,
            Some("failed") => {
                let said = &test["failure"]["defect"]["message"];
                self.failed.push((name, text(if said.is_null() { &test["complaint"] } else { said })));
            }
            _ => self.skipped.push((name, text(&test["because"]))),
        }
    }

    /// Every test was either explored without a failure or could not be explored.
    pub fn is_clean(&self) -> bool {
        self.failed.is_empty() && self.exit_code == 0
    }

    /// All that needs words.
    pub fn details(&self) -> String {
        let mut out = String::new();
        if self.skipped.is_empty() && self.failed.is_empty() && self.exit_code == 0 {
            return out;
        }
        let _ = writeln!(out, "\n{} (exit code {})", self.title, self.exit_code);
        for (what, list) in [("failed", &self.failed), ("skipped", &self.skipped)] {
            for (name, why) in list {
                let _ = writeln!(out, "- {what}: `{name}`: {why}");
            }
        }
        out
    }
}

/// One line for each crate.
pub fn table(tallies: &[Tally], budget: &str) -> String {
    let mut out = format!(
        "# The own tests of real crates under `cargo raddle test`\n\nBudget {budget} for each test, \
         `{}`. Written by `cargo run --release -p matrix`.\n\n\
         | crate | tests | passed | of them exhaustively | skipped | ignored | failed | executions |\n\
         |---|---|---|---|---|---|---|---|\n",
        rustc()
    );
    for t in tallies {
        let all = t.passed + t.skipped.len() + t.ignored + t.failed.len();
        let _ = writeln!(
            out,
            "| {} | {all} | {} | {} | {} | {} | {} | {} |",
            t.title,
            t.passed,
            t.exhaustive,
            t.skipped.len(),
            t.ignored,
            t.failed.len(),
            t.executions
        );
    }
    out
}

fn rustc() -> String {
    let output = std::process::Command::new("rustc").arg("--version").output();
    output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default()
}
