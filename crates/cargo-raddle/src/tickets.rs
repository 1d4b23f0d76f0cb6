//! Tickets on disk. Beside what a replay needs they hold where the test is, how it was built, and the report.

use crate::arguments::Test;
use crate::compile::Program;
use crate::output;
use crate::results::Failed;
use crate::{PASSED, screen};
use raddle_core::record::VERSION as RECORD_VERSION;
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Coverage, Failure};
use raddle_report::Run;
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

/// Where a test is and how it was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The folder of the workspace.
    pub workspace: PathBuf,
    /// The folder that cargo was called in.
    pub folder: PathBuf,
    pub package: String,
    pub kind: String,
    pub target: String,
    /// The arguments of cargo.
    pub arguments: Vec<String>,
    pub target_directory: Option<PathBuf>,
    pub exclude: Vec<String>,
    #[serde(default)]
    pub as_miri: bool,
    #[serde(default)]
    pub real_arc: bool,
    #[serde(default)]
    pub allow_thread_panics: bool,
    /// What the clock on the wall showed at the beginning, in seconds since 1970.
    #[serde(default)]
    pub beginning: u64,
}

impl Origin {
    pub fn new(workspace: &Path, folder: &Path, test: &Test, program: &Program, beginning: u64) -> Origin {
        Origin {
            workspace: workspace.to_path_buf(),
            folder: folder.to_path_buf(),
            package: program.package.clone(),
            kind: program.kind.clone(),
            target: program.target.clone(),
            arguments: test.cargo.arguments(),
            target_directory: test.cargo.target_dir.clone(),
            exclude: test.exclude.clone(),
            as_miri: test.as_miri,
            real_arc: test.real_arc,
            allow_thread_panics: test.allow_thread_panics,
            beginning,
        }
    }
}

/// Writes the ticket of a failure into `folder`.
pub fn write(folder: &Path, origin: Origin, test: &str, failed: &Failed) -> Result<Option<PathBuf>, String> {
    let (Some(failure), Some(coverage)) = (&failed.failure, &failed.coverage) else { return Ok(None) };
    let words = format!("{}-{}-{test}", origin.package, origin.target);
    let name: String = words.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let path = folder.join(format!("{}.json", name.replace("--", "-")));
    let mut failure = failure.clone();
    let mut ticket = std::mem::replace(
        &mut failure.ticket,
        Ticket {
            version: raddle_core::ticket::VERSION,
            test: None,
            settings: Default::default(),
            steps: vec![],
        },
    );
    ticket.test.get_or_insert_with(|| test.to_owned());
    let kept = Kept { ticket, origin, coverage: coverage.clone(), failure };
    let text = serde_json::to_string_pretty(&kept).expect("a ticket is plain data");
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        // Written to another file first, so that a reader never sees half a ticket.
        let partial = path.with_extension(format!("json.{}", std::process::id()));
        let done = std::fs::write(&partial, text + "\n").and_then(|()| std::fs::rename(&partial, &path));
        if done.is_err() {
            // There may be no room for it.
            let _ = std::fs::remove_file(&partial);
        }
        done
    });
    written.map_err(|e| format!("the ticket could not be written to {}: {e}", path.display()))?;
    Ok(Some(path))
}

/// Reads a ticket that [`write`] wrote.
pub fn read(path: &Path) -> Result<Kept, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("cannot read the ticket {}: {e}", path.display()))?;
    // The ticket itself distinguishes versions and broken files.
    Ticket::parse(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    if let Some(version) = record_version(&text).filter(|version| *version != RECORD_VERSION) {
        let path = path.display();
        return Err(format!(
            "{path} was written by another version of raddle: its record has version {version}, this raddle reads \
             version {RECORD_VERSION}; replay it with the raddle that wrote it"
        ));
    }
    let kept: Result<Kept, _> = serde_json::from_str(&text);
    let mut kept = kept.map_err(|e| {
        format!(
            "{} is a ticket, but not one of `cargo raddle test` ({e}); replay it with RADDLE_REPLAY={0} cargo test",
            path.display()
        )
    })?;
    kept.failure.ticket = kept.ticket.clone();
    Ok(kept)
}

/// The version of the record in a ticket of `cargo raddle test`, of whatever version.
fn record_version(text: &str) -> Option<u32> {
    let kept: serde_json::Value = serde_json::from_str(text).ok()?;
    kept["failure"]["record"]["version"].as_u64().and_then(|version| version.try_into().ok())
}

/// The report of a failure as text. Where there is no ticket, it says why.
pub fn report(failure: &Failure, coverage: &Coverage, ticket: Result<&Path, &str>, sources: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let shown = ticket.map(|path| path.strip_prefix(&here).unwrap_or(path).to_path_buf());
    let replay = match &shown {
        Ok(path) => format!("cargo raddle replay {}", raddle_report::quote(&path.display().to_string())),
        Err(why) => format!("not possible: {why}"),
    };
    let run = Run { ticket_file: shown.ok(), replay: Some(replay), ..Run::default() };
    raddle_report::failure(failure, coverage, &run, &screen::layout(sources))
}

/// `cargo raddle show TICKET`.
pub fn show(path: &Path) -> Result<u8, String> {
    let kept = read(path)?;
    output::text(format_args!("{}", report(&kept.failure, &kept.coverage, Ok(path), &kept.origin.workspace)));
    Ok(PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_ticket_says_which_version_made_it() {
        let path = std::env::temp_dir().join(format!("raddle-old-ticket-{}.json", std::process::id()));
        let text = r#"{"version":1,"settings":{},"steps":[],"failure":{"record":{"version":1,"lines":[]}}}"#;
        std::fs::write(&path, text).unwrap();
        let error = read(&path).map(|_| ()).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains("its record has version 1, this raddle reads version 3"), "{error}");
    }
}
