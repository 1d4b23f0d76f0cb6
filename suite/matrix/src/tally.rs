//! The results of the tests of one crate, counted from the command's JSON.

use crate::catalogue::Entry;
use crate::explanations;
use serde_json::Value;
use std::fmt::Write;

/// The results of the tests of one crate.
pub struct Tally {
    title: String,
    name: &'static str,
    explored_on: String,
    exit_code: i64,
    is_complete: bool,
    passed: usize,
    exhaustive: usize,
    ignored: usize,
    executions: u64,
    /// Tests that passed as far as they were explored: the prefix of each execution.
    beginnings: Vec<String>,
    /// Tests and reasons.
    skipped: Vec<(String, String)>,
    failed: Vec<(String, String)>,
}

impl Tally {
    /// Counts the output of this day.
    pub fn read(entry: &Entry, text: &str, explored_on: &str) -> Tally {
        let miri = if entry.arguments.contains(&"--as-miri") { " (--as-miri)" } else { "" };
        let title = format!("{} {}{miri}", entry.name, entry.version);
        let mut tally = Tally {
            title,
            name: entry.name,
            explored_on: explored_on.to_owned(),
            // The output says so itself when it is complete.
            exit_code: 2,
            is_complete: false,
            passed: 0,
            exhaustive: 0,
            ignored: 0,
            executions: 0,
            beginnings: Vec::new(),
            skipped: Vec::new(),
            failed: Vec::new(),
        };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for line in lines {
            match line["reason"].as_str() {
                Some("raddle-test") => tally.add(&line),
                Some("raddle-finished") => {
                    tally.exit_code = line["exit_code"].as_i64().unwrap_or(2);
                    tally.is_complete = true;
                }
                _ => {}
            }
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
                let assumed = test["coverage"]["assumptions"].as_array().into_iter().flatten();
                if assumed.into_iter().any(|assumption| assumption.get("first-steps").is_some()) {
                    self.beginnings.push(name);
                }
            }
            Some("ignored") => self.ignored += 1,
            Some("failed") => {
                let said = &test["failure"]["defect"]["message"];
                self.failed.push((name, text(if said.is_null() { &test["complaint"] } else { said })));
            }
            _ => self.skipped.push((name, text(&test["because"]))),
        }
    }

    /// The command has completed.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Every test was either explored without a failure or could not be explored.
    pub fn is_clean(&self) -> bool {
        self.failed.is_empty() && self.exit_code == 0
    }

    /// One line of the table.
    pub fn row(&self) -> String {
        let all = self.passed + self.skipped.len() + self.ignored + self.failed.len();
        format!(
            "| {} | {all} | {} | {} | {} | {} | {} | {} | {} |\n",
            self.title,
            self.passed,
            self.exhaustive,
            self.skipped.len(),
            self.ignored,
            self.failed.len(),
            self.executions,
            self.explored_on
        )
    }

    /// The details that need words.
    pub fn details(&self) -> String {
        let mut out = String::new();
        let plain = self.skipped.is_empty() && self.failed.is_empty() && self.beginnings.is_empty();
        if plain && self.exit_code == 0 {
            return out;
        }
        let _ = writeln!(out, "\n### {} (exit code {})\n", self.title, self.exit_code);
        if !self.beginnings.is_empty() {
            let names: Vec<String> = self.beginnings.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(
                out,
                "- too long for whole executions, explored in the first 100,000 steps of some: {}",
                names.join(", ")
            );
        }
        for (what, list) in [("failed", &self.failed), ("skipped", &self.skipped)] {
            let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
            for (name, why) in list {
                let why = match explanations::of(self.name, name) {
                    Some(explained) => format!("{why}. {explained}"),
                    None => why.clone(),
                };
                match by_reason.iter_mut().find(|(reason, _)| *reason == why) {
                    Some((_, names)) => names.push(name),
                    None => by_reason.push((why, vec![name])),
                }
            }
            for (why, names) in by_reason {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let _ = writeln!(out, "- {what}: {}: {why}", names.join(", "));
            }
        }
        out
    }
}

/// The text before the rows.
pub fn head(budget: &str, flags: &str) -> String {
    format!(
        "# The own tests of real crates under `cargo raddle test{flags}`\n\nBudget {budget} for each test, \
         `{}`. Written by `cargo run --release -p matrix{}`.\n\n\
         | crate | tests | passed | of them exhaustively | skipped | ignored | failed | executions | explored on |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        rustc(),
        if flags.is_empty() { String::new() } else { format!(" --{flags}") }
    )
}

fn rustc() -> String {
    let output = std::process::Command::new("rustc").arg("--version").output();
    output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default()
}
