//! `cargo run --release -p matrix`: the own test suites of real crates under `cargo raddle test`, without a
//! change to their source. Writes the results to suite/matrix/RESULTS.md.
//!
//! `-- CRATE..` explores only these and prints; `-- --ci` explores the small part for CI, and fails if a test does. `--
//! --report` writes the file from the last results; `-- --measure` measures builds; `-- --drift` compares std;
//! `-- --advisories` explores released versions with advisories; `-- --races` explores all with `--races`, and writes
//! suite/matrix/RACES.md. What `--races` costs is measured by `peers judges`.

mod advisories;
mod catalogue;
mod date;
mod drift;
mod earlier;
mod explanations;
mod measure;
mod source;
mod tally;

use catalogue::{ENTRIES, Entry};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::SystemTime;
use tally::Tally;

/// The time budget of each test.
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
    if arguments.iter().any(|a| a == "--advisories") {
        return advisories::run(&command()?, &home()?);
    }
    if arguments.iter().any(|a| a == "--measure") {
        let home = home()?;
        let builds = measure::run(&command()?, &home)?;
        print!("{builds}");
        std::fs::write(home.join("builds.md"), builds)
            .map_err(|e| format!("cannot write to {}: {e}", home.display()))?;
        return Ok(true);
    }
    let flags = if arguments.iter().any(|a| a == "--races") { Flags::Races } else { Flags::None };
    let home = flags.home(home()?)?;
    if arguments.iter().any(|a| a == "--report") {
        return report(&home, flags);
    }
    let ci = arguments.iter().any(|a| a == "--ci");
    let budget = arguments.iter().find_map(|a| a.strip_prefix("--budget=")).unwrap_or(BUDGET).to_owned();
    let names: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    if let Some(unknown) = names.iter().find(|name| !ENTRIES.iter().any(|e| e.name == name.as_str())) {
        return Err(format!("{unknown} is not in the catalogue"));
    }
    let wanted = |e: &&Entry| (!ci || e.in_ci) && (names.is_empty() || names.iter().any(|n| *n == e.name));
    let command = command()?;
    let mut tallies = Vec::new();
    let mut failed = Vec::new();
    for entry in ENTRIES.iter().filter(wanted) {
        eprintln!("matrix: {} {}", entry.name, entry.version);
        match explore(entry, &command, &home, &budget, flags) {
            Ok(tally) => {
                print!("{}", tally.details());
                tallies.push(tally);
            }
            Err(why) => {
                earlier::failed(entry, &home, &why)?;
                failed.push(format!("{} {}: {why}", entry.name, entry.version));
            }
        }
    }
    let rows: String = tallies.iter().map(Tally::row).collect();
    print!("\n{}{rows}", tally::head(&budget, flags.words()));
    for why in &failed {
        eprintln!("matrix: could not be explored: {why}");
    }
    let clean = failed.is_empty() && tallies.iter().all(Tally::is_clean);
    match ci || !names.is_empty() {
        true => Ok(clean),
        false => report(&home, flags).map(|_| clean),
    }
}

/// With what the tests are explored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flags {
    None,
    /// `--races`.
    Races,
}

impl Flags {
    /// The folder of sources and results.
    fn home(self, home: PathBuf) -> Result<PathBuf, String> {
        let home = if self == Flags::Races { home.join("races") } else { home };
        std::fs::create_dir_all(&home).map_err(|e| format!("cannot make {}: {e}", home.display()))?;
        Ok(home)
    }
    fn words(self) -> &'static str {
        if self == Flags::Races { " --races" } else { "" }
    }
    fn argument(self) -> Option<&'static str> {
        (self == Flags::Races).then_some("--races")
    }
    /// The file of the results.
    fn file(self) -> &'static str {
        if self == Flags::Races { "RACES.md" } else { "RESULTS.md" }
    }
}

/// Writes the last results of all crates to the file beside this program.
fn report(home: &Path, flags: Flags) -> Result<bool, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(flags.file());
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let (mut rows, mut notes, mut details) = (String::new(), String::new(), String::new());
    for entry in &ENTRIES {
        let kept = match std::fs::read_to_string(earlier::words(entry, home)) {
            Ok(text) => {
                let tally = Tally::read(entry, &text, &explored_on(entry, home));
                Some((tally.row(), tally.details()))
            }
            Err(_) => earlier::in_table(entry, &before),
        };
        let failure = earlier::failure(entry, home);
        if let Some(why) = &failure {
            let row = if kept.is_some() { ". Its row is from the day that it names" } else { "" };
            notes += &format!("\n{why}{row}.\n");
        } else if kept.is_none() {
            notes += &format!("\n{} {} was not explored for this table.\n", entry.name, entry.version);
        }
        let (row, words) = kept.unwrap_or_default();
        rows += &row;
        details += &words;
    }
    let builds = std::fs::read_to_string(home.join("builds.md"));
    // Then those of another machine.
    let builds = builds.unwrap_or_else(|_| section(&before, "## Builds"));
    let builds = if flags == Flags::None { format!("\n{builds}") } else { String::new() };
    let text = format!(
        "{}{rows}{notes}{builds}\n## What was not explored, and what failed\n{details}",
        tally::head(BUDGET, flags.words())
    );
    std::fs::write(&path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(true)
}

/// A section of a text, with its title.
fn section(text: &str, title: &str) -> String {
    let lines = text.lines().skip_while(|line| *line != title);
    let mine = lines.enumerate().take_while(|(n, line)| *n == 0 || !line.starts_with("## "));
    let text: String = mine.map(|(_, line)| format!("{line}\n")).collect();
    if text.is_empty() { text } else { format!("{}\n", text.trim_end()) }
}

/// The date on which a crate was explored last.
fn explored_on(entry: &Entry, home: &Path) -> String {
    let written = std::fs::metadata(earlier::words(entry, home)).and_then(|file| file.modified());
    written.map(date::of).unwrap_or_default()
}

/// The `raddle` command of this repository, built.
fn command() -> Result<PathBuf, String> {
    // In the profile of this program, and with the features that the whole workspace has: otherwise half of the crates would be
    // built again.
    let (profile, folder) = if cfg!(debug_assertions) { ("dev", "debug") } else { ("release", "release") };
    let status = Command::new("cargo")
        .args(["build", "--profile", profile, "--workspace", "--bin", "raddle"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !status.success() {
        return Err("the raddle command does not build".to_owned());
    }
    let here = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
    let built = here.parent().and_then(Path::parent).map(|target| target.join(folder).join("raddle"));
    built
        .filter(|path| path.is_file())
        .ok_or_else(|| "the raddle command is not where it was built".to_owned())
}

/// The directory of sources and builds: outside this workspace, to which they do not belong.
fn home() -> Result<PathBuf, String> {
    let home = std::env::var_os("RADDLE_MATRIX").map(PathBuf::from);
    let home = home.unwrap_or_else(|| std::env::temp_dir().join("raddle-matrix"));
    std::fs::create_dir_all(&home).map_err(|e| format!("cannot make {}: {e}", home.display()))?;
    Ok(home)
}

/// Explores a crate's own tests. If that is not possible, the earlier results are kept.
fn explore(entry: &Entry, command: &Path, home: &Path, budget: &str, flags: Flags) -> Result<Tally, String> {
    let folder = source::fetch(entry, home)?;
    let mut child = Command::new(command)
        .args(["test", "--message-format", "json", "--budget", budget])
        .args(entry.arguments)
        .args(flags.argument())
        .current_dir(&folder)
        .env_remove("CARGO_TARGET_DIR")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot run {}: {e}", command.display()))?;
    let complaints = child.stderr.take().expect("it is piped");
    let complaints = std::thread::spawn(|| last_words(complaints));
    let output = child.wait_with_output().map_err(|e| format!("cannot wait for raddle: {e}"))?;
    let complaint = complaints.join().unwrap_or_default();
    // Builds are not kept: they are large.
    match std::fs::remove_dir_all(folder.join("target")) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("cannot clean {}: {e}", folder.display()));
        }
        _ => {}
    }
    let tally = Tally::read(entry, &String::from_utf8_lossy(&output.stdout), &date::of(SystemTime::now()));
    if !tally.is_complete() {
        return Err(complaint);
    }
    // The whole output, for further inspection.
    earlier::explored(entry, home, &output.stdout)?;
    Ok(tally)
}

/// Passes on the output of a program, and returns its last line.
fn last_words(said: impl std::io::Read) -> String {
    let mut last = String::new();
    for line in std::io::BufReader::new(said).lines().map_while(Result::ok) {
        eprintln!("{line}");
        if !line.trim().is_empty() {
            last = line;
        }
    }
    last.strip_prefix("raddle: ").unwrap_or(&last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_told_apart() {
        let text = "# A\n\n## Builds\n\nx\n\n| y |\n\n## More\n\nz\n";
        assert_eq!(section(text, "## Builds"), "## Builds\n\nx\n\n| y |\n");
        assert_eq!(section(text, "## More"), "## More\n\nz\n");
        assert_eq!(section(text, "## None"), "");
    }

    #[test]
    fn the_last_words_are_the_reason() {
        assert_eq!(last_words("one\nraddle: two\n\n".as_bytes()), "two");
        assert_eq!(last_words("".as_bytes()), "");
    }
}
