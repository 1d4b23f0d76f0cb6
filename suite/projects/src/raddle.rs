//! Runs `raddle erl` and reads its answers: one JSON object for each test. The command is the one that was built beside
//! this program.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The result of one test.
pub struct Answer {
    /// The function of the test.
    pub test: String,
    /// `passed`, `failed`, or why there is no verdict.
    pub verdict: String,
    /// The kind of the failure, if there is one.
    pub kind: Option<String>,
    /// Whether all behaviours were explored.
    pub exhaustive: bool,
    /// The number of executions.
    pub executions: u64,
    /// The time that the search took.
    pub seconds: f64,
}

impl Answer {
    fn read(line: &Value) -> Option<Answer> {
        let text = |key: &str| line[key].as_str().map(str::to_owned);
        Some(Answer {
            test: text("test")?,
            verdict: text("verdict")?,
            kind: line["failure"]["defect"]["kind"].as_str().map(str::to_owned),
            exhaustive: line["coverage"]["extent"] == "exhaustive",
            executions: line["executions"].as_u64().unwrap_or(0),
            seconds: line["seconds"].as_f64().unwrap_or(0.0),
        })
    }
    /// The verdict as a word: `passed`, or the kind of the failure.
    pub fn word(&self) -> &str {
        self.kind.as_deref().unwrap_or(&self.verdict)
    }
    /// What the search covered, as a word.
    pub fn extent(&self) -> &'static str {
        match (self.exhaustive, self.kind.is_some()) {
            (true, _) => "exhaustive",
            (false, true) => "until the first failure",
            (false, false) => "until the time limit",
        }
    }
}

/// The command of this workspace.
pub fn command() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let built = here.parent().map(|dir| dir.join("raddle")).filter(|path| path.is_file());
    built.ok_or_else(|| "build it first: cargo build --release -p cargo-raddle --bin raddle".to_owned())
}

/// Runs the command in a directory with these arguments. The answers, and what it said besides.
pub fn erl(
    raddle: &Path,
    at: &Path,
    libraries: Option<&Path>,
    arguments: &[String],
) -> Result<Vec<Answer>, String> {
    let mut command = Command::new(raddle);
    command.args(["erl", "--message-format", "json"]).args(arguments).current_dir(at).env_remove("ERL_LIBS");
    if let Some(libraries) = libraries {
        command.env("ERL_LIBS", libraries);
    }
    let output = command.output().map_err(|e| format!("cannot run {}: {e}", raddle.display()))?;
    let lines = String::from_utf8_lossy(&output.stdout);
    let values = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answers: Vec<Answer> = values.filter_map(|value| Answer::read(&value)).collect();
    if answers.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no answer");
        return Err(last.to_owned());
    }
    Ok(answers)
}

/// An empty directory of this process for files that the command writes.
pub fn scratch() -> Result<PathBuf, String> {
    let dir = std::env::temp_dir().join(format!("raddle-projects-{}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|e| format!("cannot make {}: {e}", dir.display()))?;
    Ok(dir)
}
