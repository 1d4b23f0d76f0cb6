//! `cargo run --release -p matrix`: the own test suites of real crates under `cargo raddle test`, without a change to
//! their source. Writes what became of each to suite/matrix/RESULTS.md.
//!
//! `-- CRATE..` explores only these and prints; `-- --ci` explores the small part that CI does, and fails if a test does.
//! `-- --report` writes the file from what was explored last. `-- --measure` measures builds; `-- --drift` compares the facades with the installed std.

mod catalogue;
mod drift;
mod explanations;
mod measure;
mod source;
mod tally;

use catalogue::{ENTRIES, Entry};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tally::Tally;

/// How long each test is explored.
const BUDGET: &str = "2s";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("matrix: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--drift") {
        return drift::run();
    }
    if arguments.iter().any(|a| a == "--measure") {
        let home = home()?;
        let builds = measure::run(&command()?, &home)?;
        print!("{builds}");
        std::fs::write(home.join("builds.md"), builds)
            .map_err(|e| format!("cannot write to {}: {e}", home.display()))?;
        return Ok(true);
    }
    if arguments.iter().any(|a| a == "--report") {
        return report(&home()?);
    }
    let ci = arguments.iter().any(|a| a == "--ci");
    let budget = arguments.iter().find_map(|a| a.strip_prefix("--budget=")).unwrap_or(BUDGET).to_owned();
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    if let Some(unknown) = names.iter().find(|name| !ENTRIES.iter().any(|e| e.name == name.as_str())) {
        return Err(format!("{unknown} is not in the catalogue"));
    }
    let wanted = |e: &&Entry| (!ci || e.in_ci) && (names.is_empty() || names.iter().any(|n| *n == e.name));
    let command = command()?;
    let home = home()?;
    let mut tallies = Vec::new();
    for entry in ENTRIES.iter().filter(wanted) {
        eprintln!("matrix: {} {}", entry.name, entry.version);
        let tally = explore(entry, &command, &home, &budget)?;
        print!("{}", tally.details());
        tallies.push(tally);
    }
    print!("\n{}", tally::table(&tallies, &budget));
    let clean = tallies.iter().all(Tally::is_clean);
    match ci || !names.is_empty() {
        true => Ok(clean),
        false => report(&home).map(|_| clean),
    }
}

/// Writes what became of all crates, each when it was explored last, to the file beside this program.
fn report(home: &Path) -> Result<bool, String> {
    let mut tallies = Vec::new();
    let mut missing = String::new();
    for entry in &ENTRIES {
        let words = home.join(format!("{}.jsonl", entry.name));
        match std::fs::read_to_string(&words) {
            Ok(text) => tallies.push(Tally::read(entry, &text)),
            Err(_) => {
                missing += &format!("\n{} {} was not explored for this table.\n", entry.name, entry.version)
            }
        }
    }
    let details: String = tallies.iter().map(Tally::details).collect();
    let builds = std::fs::read_to_string(home.join("builds.md")).unwrap_or_default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
    let text = format!(
        "{}{missing}\n{builds}\n## What was not explored, and what failed\n{details}",
        tally::table(&tallies, BUDGET)
    );
    std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(true)
}

/// The `raddle` command of this repository, built.
fn command() -> Result<PathBuf, String> {
    let status = Command::new("cargo")
        .args(["build", "--release", "-p", "cargo-raddle", "--bin", "raddle"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !status.success() {
        return Err("the raddle command does not build".to_owned());
    }
    let here = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let built = here.parent().and_then(Path::parent).map(|target| target.join("release/raddle"));
    built
        .filter(|path| path.is_file())
        .ok_or_else(|| "the raddle command is not where it was built".to_owned())
}

/// Where sources and builds are kept: outside of this workspace, to which they do not belong.
fn home() -> Result<PathBuf, String> {
    let home = std::env::var_os("RADDLE_MATRIX").map(PathBuf::from);
    let home = home.unwrap_or_else(|| std::env::temp_dir().join("raddle-matrix"));
    std::fs::create_dir_all(&home).map_err(|e| format!("cannot make {}: {e}", home.display()))?;
    Ok(home)
}

fn explore(entry: &Entry, command: &Path, home: &Path, budget: &str) -> Result<Tally, String> {
    let folder = source::fetch(entry, home)?;
    let output = Command::new(command)
        .args(["test", "--message-format", "json", "--budget", budget])
        .args(entry.arguments)
        .current_dir(&folder)
        .env_remove("CARGO_TARGET_DIR")
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot run {}: {e}", command.display()))?;
    // All that was said, for those who want to know more, and no builds: they are large.
    let words = home.join(format!("{}.jsonl", entry.name));
    std::fs::write(&words, &output.stdout).map_err(|e| format!("cannot write {}: {e}", words.display()))?;
    std::fs::remove_dir_all(folder.join("target"))
        .map_err(|e| format!("cannot clean {}: {e}", folder.display()))?;
    Ok(Tally::read(entry, &String::from_utf8_lossy(&output.stdout)))
}
