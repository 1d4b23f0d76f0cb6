//! The environment that cargo gives to each test program: `[env]` of its configuration, the paths of libraries. Cargo
//! alone knows it, and gives it to its runner: this program is the runner once, and writes it down.

use crate::answer::Answer;
use crate::compile::{Build, Program};
use raddle_terminal::output;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{ExitCode, Stdio};

/// The file that the runner writes to. Its presence makes this program cargo's runner.
const WRITE_TO: &str = "RADDLE_ENVIRONMENT_TO";

/// Variables, by name.
pub type Variables = BTreeMap<String, String>;

/// What the runner writes: one line for each program.
#[derive(Serialize, Deserialize)]
struct Told {
    program: String,
    variables: Variables,
}

/// Whether cargo has called this program to run a test program.
pub fn is_wanted() -> bool {
    std::env::var_os(WRITE_TO).is_some()
}

/// Writes down the environment, in place of the test program.
pub fn write() -> ExitCode {
    let program = std::env::args_os().nth(1).map(|path| name_of(Path::new(&path))).unwrap_or_default();
    let told = Told { program, variables: variables() };
    let line = serde_json::to_string(&told).expect("plain data") + "\n";
    let file = std::env::var_os(WRITE_TO).expect("seen by `is_wanted`");
    let written = OpenOptions::new().append(true).open(file).and_then(|mut f| f.write_all(line.as_bytes()));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Asks cargo for the environment of each program. Only what differs from the environment of this process is kept.
pub fn ask(build: &Build<'_>, programs: &mut [Program]) -> Result<(), String> {
    let answer = Answer::new()?;
    let runner = serde_json::to_string(&std::env::current_exe().unwrap_or_default()).expect("a path");
    let mut command = build.cargo_test();
    command
        .args(["--config", &format!("target.{}.runner=[{runner}]", build.compiler.host)])
        .args(build.cargo.built.wants_doctests().then_some("--tests"))
        .args(["--no-fail-fast", "--quiet"])
        .env(WRITE_TO, answer.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = command.status().map_err(|e| format!("cannot run cargo: {e}"))?;
    let text = answer.text()?;
    let told: Vec<Told> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !status.success() {
        output::error(
            "cargo does not say which environment tests have: [env] of its configuration is not set",
        );
    }
    let ours = variables();
    let is_new = |name: &String, value: &String| ours.get(name) != Some(value) && !is_internal(name);
    let mut shared: Option<Variables> = None;
    for Told { program, mut variables } in told {
        variables.retain(|name, value| is_new(name, value));
        match &mut shared {
            None => shared = Some(variables.clone()),
            Some(shared) => shared.retain(|name, value| variables.get(name) == Some(value)),
        }
        for one in programs.iter_mut().filter(|one| name_of(&one.path) == program) {
            one.environment = variables.clone();
        }
    }
    // What all have is not one program's own: documentation has it, too.
    for program in programs.iter_mut().filter(|program| !program.doctests.is_empty()) {
        program.environment = shared.clone().unwrap_or_default();
    }
    Ok(())
}

/// Names of programs hold a hash, and cargo may shorten their paths.
fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn variables() -> Variables {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Variables between raddle and cargo.
fn is_internal(name: &str) -> bool {
    name == "RUSTC_WRAPPER"
        || name == WRITE_TO
        || name.starts_with("RADDLE_SHIM")
        || name.starts_with("CARGO_PROFILE_")
}
