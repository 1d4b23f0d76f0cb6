//! `--html`: writes the page of a suite and one page for each failure into a folder.
//!
//! Names of files are made of the names of tests, as those of tickets are; links lead from page to page of the folder alone.

use crate::output;
use crate::results::{Outcomes, Verdict};
use crate::tickets::{Origin, ReplayedAt, run_of};
use raddle_core::check::{self, Checked};
use raddle_core::fact::Assumption;
use raddle_core::verdict::{Coverage, Failure};
use raddle_report::{PageContext, SuiteOutcome};
use raddle_terminal::{file_name, write_file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name of the page of a suite.
const INDEX: &str = "index.html";

/// The pages of a suite that are being written.
pub struct Pages<'a> {
    folder: &'a Path,
    outcomes: Vec<SuiteOutcome>,
    assumed: BTreeSet<Assumption>,
}

impl<'a> Pages<'a> {
    /// Pages in this folder.
    pub fn new(folder: &'a Path) -> Pages<'a> {
        Pages { folder, outcomes: Vec::new(), assumed: BTreeSet::new() }
    }

    /// Adds a test. The page of its failure is written at once.
    fn add(
        &mut self,
        mut outcome: SuiteOutcome,
        stages: &[&Coverage],
        page: Option<(String, String)>,
    ) -> Result<(), String> {
        if let Some((name, page)) = page {
            let name = format!("{name}.html");
            write_file(&self.folder.join(&name), "page", &page)?;
            outcome.page = Some(name);
        }
        if !stages.is_empty() {
            outcome.covered = Some(raddle_report::coverages(stages.iter().copied()));
        }
        self.assumed.extend(stages.iter().flat_map(|stage| stage.assumptions.iter().cloned()));
        self.outcomes.push(outcome);
        Ok(())
    }

    /// Adds a test of `cargo raddle test`.
    pub fn add_rust(
        &mut self,
        program: String,
        origin: &Origin,
        outcome: &Outcomes,
        at: &ReplayedAt,
    ) -> Result<(), String> {
        let failed = match &outcome.verdict {
            Verdict::Failed(failed) => Some(failed),
            _ => None,
        };
        let page = failed.and_then(|failed| {
            let (failure, coverage) = failed.failure.as_ref().zip(failed.coverage.as_ref())?;
            let ticket =
                failed.ticket.as_deref().ok_or(failed.no_ticket.as_deref().unwrap_or("there is no ticket"));
            let context = PageContext {
                run: run_of(ticket, at),
                sources: at.quoted(),
                output: &failed.output,
                suite: Some(INDEX),
            };
            let page = raddle_report::failure_page(failure, coverage, &context);
            Some((origin.file_name(&outcome.name), page))
        });
        let told = SuiteOutcome {
            program,
            test: outcome.name.clone(),
            verdict: word(&outcome.verdict),
            because: outcome.verdict.reason(),
            executions: outcome.executions(),
            seconds: outcome.elapsed.as_secs_f64(),
            failure: failed.and_then(|failed| {
                failed.failure.as_ref().map(first_words).or_else(|| failed.complaint.clone())
            }),
            ..SuiteOutcome::default()
        };
        let stages = if outcome.explored.is_empty() { Vec::new() } else { outcome.searches() };
        self.add(told, &stages, page)
    }

    /// Adds a test of `raddle erl`; `context` is for the page of its failure.
    pub fn add_erlang(
        &mut self,
        module: &str,
        test: &str,
        checked: &Checked<String>,
        context: PageContext<'_>,
    ) -> Result<(), String> {
        let context = PageContext { suite: Some(INDEX), ..context };
        let failure = checked.failure();
        let page = failure.map(|failure| {
            let page = raddle_report::failure_page(failure, &checked.coverage, &context);
            (format!("{}.{}", file_name(module), file_name(test)), page)
        });
        let told = SuiteOutcome {
            program: module.to_owned(),
            test: test.to_owned(),
            verdict: match checked.verdict() {
                check::Verdict::Passed => "passed",
                check::Verdict::Failed(kind) if kind.exit_code() != crate::FAILED => "no verdict",
                check::Verdict::Failed(_) => "failed",
                check::Verdict::Interrupted => "interrupted",
            },
            executions: checked.executions(),
            seconds: checked.statistics.elapsed.as_secs_f64(),
            failure: failure.map(first_words),
            ..SuiteOutcome::default()
        };
        self.add(told, &checked.coverages().collect::<Vec<_>>(), page)
    }

    /// Writes the page of the suite, and returns where.
    pub fn finish(self, title: &str) -> Result<PathBuf, String> {
        let assumed: Vec<String> = self.assumed.iter().map(raddle_report::assumption).collect();
        let page = raddle_report::suite_page(title, &self.outcomes, &assumed);
        write_file(&self.folder.join(INDEX), "page", &page)
    }
}

/// The verdict as the page of a suite names it.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Failed(_) => "failed",
        other => other.word(),
    }
}

/// The kind of a failure and the first line of its message.
fn first_words(failure: &Failure) -> String {
    let message = failure.message();
    let first: String = message.lines().next().unwrap_or_default().chars().take(300).collect();
    if first.is_empty() { failure.kind().to_string() } else { format!("{}: {first}", failure.kind()) }
}

/// Writes the page of a failure where it is wanted: into a file, or to standard output.
pub fn write_one(
    file: Option<&Path>,
    failure: &Failure,
    coverage: &Coverage,
    ticket: &Path,
    at: &ReplayedAt,
) -> Result<(), String> {
    let context = PageContext { run: run_of(Ok(ticket), at), sources: at.quoted(), output: "", suite: None };
    let page = raddle_report::failure_page(failure, coverage, &context);
    match file {
        Some(file) => {
            let written = write_file(file, "page", &page)?;
            output::line(format_args!("{}", written.display()));
        }
        None => output::report(&page),
    }
    Ok(())
}
