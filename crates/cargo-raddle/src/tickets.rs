//! Tickets on disk. Beside what a replay needs they hold where the test is, how it was built, and the report.

use crate::arguments::{Built, Place, Show, Test};
use crate::compile::Program;
use crate::crates::{Workspace, current_folder};
use crate::results::Failed;
use crate::{PASSED, screen, suite_report};
use clap::{Args, FromArgMatches};
use raddle_core::record::VERSION as RECORD_VERSION;
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Coverage, Failure};
use raddle_report::{Run, Sources};
use raddle_terminal::{file_name, output, store, write_file};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A ticket with all its context. A replay needs only the ticket's own fields.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    #[serde(flatten)]
    pub ticket: Ticket,
    pub origin: Origin,
    pub coverage: Coverage,
    /// Without the ticket, which is above.
    pub failure: Failure,
}

/// Which test it is and how it was built, as it holds in every checkout: no folder of the machine that wrote the ticket.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    pub package: String,
    pub kind: String,
    pub target: String,
    /// The arguments of cargo that belong to the test ([`Built`]).
    pub arguments: Vec<String>,
    pub exclude: Vec<String>,
    pub as_miri: bool,
    pub real_arc: bool,
    /// It was compiled with callbacks at accesses to plain memory; with the text of the suppressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub races: Option<String>,
    pub allow_thread_panics: bool,
    /// What the clock on the wall showed at the beginning, in seconds since 1970.
    pub beginning: u64,
}

impl Origin {
    pub fn new(test: &Test, program: &Program, beginning: u64) -> Origin {
        Origin {
            package: program.package.clone(),
            kind: program.kind.clone(),
            target: program.target.clone(),
            arguments: test.cargo.built.arguments(),
            exclude: test.exclude.clone(),
            as_miri: test.as_miri,
            real_arc: test.real_arc,
            races: test.races.then(|| test.rules.clone()),
            allow_thread_panics: test.allow_thread_panics,
            beginning,
        }
    }

    /// The arguments of cargo, read as the command line reads them. Those that belong to a machine are refused.
    pub fn built(&self) -> Result<Built, String> {
        let command =
            Built::augment_args(clap::Command::new("ticket").no_binary_name(true).disable_help_flag(true));
        let matches = command.try_get_matches_from(&self.arguments);
        let built = matches.and_then(|matches| Built::from_arg_matches(&matches));
        built.map_err(|e| format!("the ticket has arguments for cargo that no ticket has: {e}"))
    }

    /// The name of a ticket of this test: of the package, of the program if there may be several, and of the test.
    pub fn file_name(&self, test: &str) -> String {
        match self.kind.as_str() {
            "lib" => format!("{}.{}", file_name(&self.package), file_name(test)),
            kind => {
                format!("{}.{kind}-{}.{}", file_name(&self.package), file_name(&self.target), file_name(test))
            }
        }
    }
}

/// The checkout in which a ticket is replayed.
pub struct ReplayedAt {
    /// The folder of the workspace, whose sources are quoted.
    sources: PathBuf,
    /// What `cargo raddle replay` needs to find it from the current folder.
    options: Vec<String>,
}

impl ReplayedAt {
    /// `folder` is where cargo is called, for the workspace in `sources`.
    pub fn new(folder: &Path, sources: &Path, place: &Place) -> ReplayedAt {
        let here = std::env::current_dir().unwrap_or_default();
        let mut options = Place { quiet: false, verbose: false, ..place.clone() }.arguments();
        if let Some(target) = &place.target_dir {
            options.push(format!("--target-dir={}", target.display()));
        }
        if place.manifest_path.is_none() && folder != here {
            let manifest = folder.join("Cargo.toml");
            let manifest = manifest.strip_prefix(&here).unwrap_or(&manifest);
            options.push(format!("--manifest-path={}", manifest.display()));
        }
        ReplayedAt { sources: sources.to_path_buf(), options }
    }

    /// From where the source is quoted.
    pub fn quoted(&self) -> Sources {
        Sources::Under(self.sources.clone())
    }
}

/// Writes the ticket of a failure into `folder`.
pub fn write(folder: &Path, origin: Origin, test: &str, failed: &Failed) -> Result<Option<PathBuf>, String> {
    let (Some(failure), Some(coverage)) = (&failed.failure, &failed.coverage) else { return Ok(None) };
    let name = origin.file_name(test);
    let mut failure = failure.clone();
    let mut ticket = std::mem::replace(&mut failure.ticket, Ticket::empty());
    ticket.test.get_or_insert_with(|| test.to_owned());
    let kept = Kept { ticket, origin, coverage: coverage.clone(), failure };
    let text = kept.ticket.seal(&serde_json::to_string_pretty(&kept).expect("a ticket is plain data"));
    write_file(&folder.join(format!("{name}.json")), "ticket", &text).map(Some)
}

/// Reads a ticket that [`write`] wrote.
pub fn read(path: &Path) -> Result<Kept, String> {
    parse(path, &store::read(path, "ticket")?)
}

/// The ticket in the text of a file.
pub fn parse(path: &Path, text: &str) -> Result<Kept, String> {
    // The ticket itself distinguishes versions and broken files.
    let ticket = Ticket::parse(text).map_err(|e| format!("{}: {e}", path.display()))?;
    if ticket.settings.contains_key(raddle_erlang::settings::GRAIN) {
        return Err(of_erlang(path));
    }
    let foreign = |e: &dyn std::fmt::Display| {
        format!(
            "{} is a ticket, but not one of `cargo raddle test` ({e}); replay it with RADDLE_REPLAY={0} cargo test",
            path.display()
        )
    };
    if Ticket::is_line(text.trim_start()) {
        return Err(foreign(&"it is one line of text"));
    }
    let (content, _) = Ticket::unseal(text).map_err(|e| format!("{}: {e}", path.display()))?;
    if let Some(version) = record_version(content).filter(|version| *version != RECORD_VERSION) {
        let path = path.display();
        return Err(format!(
            "{path} was written by another version of raddle: its record has version {version}, this raddle reads \
             version {RECORD_VERSION}; replay it with the raddle that wrote it"
        ));
    }
    let mut kept: Kept = serde_json::from_str(content).map_err(|e| foreign(&e))?;
    kept.failure.ticket = ticket;
    Ok(kept)
}

/// A ticket of `raddle erl` has no record: the program is needed, and this is the command that takes it.
fn of_erlang(path: &Path) -> String {
    let ticket = raddle_report::quote(&path.display().to_string());
    format!(
        "{} is a ticket of `raddle erl`, which has the schedule and no record; with the module's FILE, \
         `raddle erl FILE --replay {ticket}` replays and shows it, and `raddle erl FILE --replay {ticket} --html DIR` \
         writes its page",
        path.display()
    )
}

/// The version of the record in a ticket of `cargo raddle test`, of whatever version.
fn record_version(content: &str) -> Option<u32> {
    let kept: serde_json::Value = serde_json::from_str(content).ok()?;
    kept["failure"]["record"]["version"].as_u64().and_then(|version| version.try_into().ok())
}

/// How a failure is replayed. Where there is no ticket, it says why.
pub fn run_of(ticket: Result<&Path, &str>, at: &ReplayedAt) -> Run {
    let here = std::env::current_dir().unwrap_or_default();
    let shown = ticket.map(|path| path.strip_prefix(&here).unwrap_or(path).to_path_buf());
    let replay = match &shown {
        Ok(path) => {
            let words = [path.display().to_string()].into_iter().chain(at.options.iter().cloned());
            let words: Vec<String> = words.map(|word| raddle_report::quote(&word).to_string()).collect();
            format!("cargo raddle replay {}", words.join(" "))
        }
        Err(why) => format!("not possible: {why}"),
    };
    Run { ticket_file: shown.ok(), replay: Some(replay), ..Run::default() }
}

/// The report of a failure as text. Where there is no ticket, it says why.
pub fn report(
    failure: &Failure,
    coverage: &Coverage,
    ticket: Result<&Path, &str>,
    at: &ReplayedAt,
) -> String {
    raddle_report::failure(failure, coverage, &run_of(ticket, at), &screen::layout(&at.sources))
}

/// `cargo raddle show TICKET`.
pub fn show(show: &Show) -> Result<u8, String> {
    let kept = read(&show.ticket)?;
    let folder = current_folder()?;
    let place = Place { manifest_path: show.manifest_path.clone(), ..Place::default() };
    // Without sources it can be shown as well, only without quotations.
    let sources = match Workspace::find(&folder, &place) {
        Ok(workspace) => workspace.workspace_root,
        Err(error) if show.manifest_path.is_some() => return Err(error),
        Err(_) => folder.clone(),
    };
    let at = ReplayedAt::new(&folder, &sources, &place);
    if let Some(number) = show.step {
        let text = raddle_report::step(&kept.failure, number, &screen::layout(&at.sources))?;
        output::report(&text);
        return Ok(PASSED);
    }
    if show.html || show.format.is_some() {
        suite_report::write_one(show, &kept, &at)?;
        return Ok(PASSED);
    }
    output::report(&report(&kept.failure, &kept.coverage, Ok(&show.ticket), &at));
    Ok(PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Kept, String> {
        let path = std::env::temp_dir().join(format!("raddle-{name}-{}.json", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let read = read(&path);
        std::fs::remove_file(&path).unwrap();
        read
    }

    #[test]
    fn an_old_ticket_says_which_version_made_it() {
        let content =
            r#"{"version":2,"settings":{},"steps":[],"failure":{"record":{"version":1,"lines":[]}}}"#;
        let error = read_text("old-record", &Ticket::empty().seal(content)).map(|_| ()).unwrap_err();
        assert!(error.contains("its record has version 1, this raddle reads version 3"), "{error}");
        let content =
            r#"{"version":1,"settings":{},"steps":[],"failure":{"record":{"version":1,"lines":[]}}}"#;
        let error = read_text("old-ticket", content).map(|_| ()).unwrap_err();
        assert!(error.contains("it has version 1, this raddle reads version 2"), "{error}");
    }

    #[test]
    fn a_ticket_of_the_library_says_how_it_is_replayed() {
        for text in [Ticket::empty().to_json(), Ticket::empty().to_string()] {
            let error = read_text("library", &text).map(|_| ()).unwrap_err();
            assert!(error.contains("replay it with RADDLE_REPLAY="), "{error}");
        }
    }

    #[test]
    fn a_ticket_of_erlang_names_the_command_that_takes_it() {
        let mut ticket = Ticket::empty();
        ticket.settings = raddle_erlang::settings::Settings::default().to_map();
        for text in [ticket.to_json(), ticket.to_string()] {
            let error = parse(Path::new("a ticket.json"), &text).map(|_| ()).unwrap_err();
            assert!(error.contains("`raddle erl FILE --replay 'a ticket.json' --html DIR`"), "{error}");
        }
    }

    #[test]
    fn no_ticket_decides_where_and_with_what_cargo_runs() {
        let origin = |arguments: &[&str]| Origin {
            package: "a".to_owned(),
            kind: "lib".to_owned(),
            target: "a".to_owned(),
            arguments: arguments.iter().map(|word| word.to_string()).collect(),
            exclude: Vec::new(),
            as_miri: false,
            real_arc: false,
            races: None,
            allow_thread_panics: false,
            beginning: 0,
        };
        assert_eq!(origin(&["--lib", "--features=a,b"]).built().unwrap().features, ["a,b"]);
        for word in ["--config=build.rustc='/tmp/x'", "--manifest-path=/x", "--target-dir=/x", "--help", "x"]
        {
            let error = origin(&["--lib", word]).built().unwrap_err();
            assert!(error.starts_with("the ticket has arguments for cargo that no ticket has"), "{error}");
        }
    }
}
