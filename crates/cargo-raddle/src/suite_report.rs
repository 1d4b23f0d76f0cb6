//! The results of a suite for others than the terminal: pages (`--html`), JUnit XML (`--junit`), annotations on GitHub
//! (`--github`).
//!
//! Names of files are made of the names of tests, as those of tickets are; links lead from page to page of the folder alone.

use crate::arguments::Show;
use crate::output;
use crate::results::{Outcomes, Verdict};
use crate::tickets::{Kept, Origin, ReplayedAt, run_of};
use crate::workflow_commands;
use clap::Args;
use raddle_core::check::{self, Checked};
use raddle_core::fact::Assumption;
use raddle_core::verdict::Coverage;
use raddle_report::{FAILURE_FORMATS, PageContext, SUITE_FORMATS, SuiteOutcome, Word};
use raddle_terminal::{file_name, write_file};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The name of the page of a suite.
const INDEX: &str = "index.html";

/// Which reports are wanted beside what is printed.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reports")]
pub struct Reports {
    /// Write pages for a browser into this folder: index.html with all tests, and one for each failure
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,
    /// Write the results as JUnit XML into this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print a workflow command for each failure, which GitHub shows at its line; what else is printed is none
    #[arg(long, conflicts_with = "message_format")]
    pub github: bool,
}

/// The reports of a suite that are being written.
pub struct SuiteReport<'a> {
    wanted: &'a Reports,
    outcomes: Vec<SuiteOutcome>,
    assumed: BTreeSet<Assumption>,
}

impl<'a> SuiteReport<'a> {
    /// The reports that are wanted.
    pub fn new(wanted: &'a Reports) -> SuiteReport<'a> {
        SuiteReport { wanted, outcomes: Vec::new(), assumed: BTreeSet::new() }
    }

    /// Adds a test. The page of its failure is written at once, if pages are wanted.
    fn add(
        &mut self,
        mut outcome: SuiteOutcome,
        stages: &[&Coverage],
        page: Option<(String, impl FnOnce() -> String)>,
    ) -> Result<(), String> {
        if let (Some((name, page)), Some(folder)) = (page, &self.wanted.html) {
            let name = format!("{name}.html");
            write_file(&folder.join(&name), "page", &page())?;
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
        let told = SuiteOutcome {
            program,
            test: outcome.name.clone(),
            verdict: word(&outcome.verdict),
            because: outcome.verdict.reason(),
            executions: outcome.executions(),
            seconds: outcome.elapsed.as_secs_f64(),
            failure: failed.and_then(|failed| failed.complaint.clone()),
            ..SuiteOutcome::default()
        };
        let stages = if outcome.explored.is_empty() { Vec::new() } else { outcome.searches() };
        let Some((failed, failure, coverage)) =
            failed.and_then(|failed| Some((failed, failed.failure.as_ref()?, failed.coverage.as_ref()?)))
        else {
            return self.add(told, &stages, None::<(String, fn() -> String)>);
        };
        let page = || {
            let ticket =
                failed.ticket.as_deref().ok_or(failed.no_ticket.as_deref().unwrap_or("there is no ticket"));
            let context = PageContext {
                run: run_of(ticket, at),
                sources: at.quoted(),
                output: &failed.output,
                suite: Some(INDEX),
            };
            raddle_report::failure_page(failure, coverage, &context)
        };
        self.add(told.with(failure), &stages, Some((origin.file_name(&outcome.name), page)))
    }

    /// Adds a test of `raddle erl`; `context` is for the page of its failure.
    pub fn add_erlang<'c>(
        &mut self,
        module: &str,
        test: &str,
        checked: &Checked<String>,
        context: impl FnOnce() -> PageContext<'c>,
    ) -> Result<(), String> {
        let context = || PageContext { suite: Some(INDEX), ..context() };
        let told = SuiteOutcome {
            program: module.to_owned(),
            test: test.to_owned(),
            verdict: match checked.verdict() {
                check::Verdict::Passed => Word::Passed,
                check::Verdict::Failed(kind) if kind.exit_code() != crate::FAILED => Word::NoVerdict,
                check::Verdict::Failed(_) => Word::Failed,
                check::Verdict::Interrupted => Word::Interrupted,
            },
            executions: checked.executions(),
            seconds: checked.statistics.elapsed.as_secs_f64(),
            ..SuiteOutcome::default()
        };
        let stages: Vec<&Coverage> = checked.coverages().collect();
        let Some(failure) = checked.failure() else {
            return self.add(told, &stages, None::<(String, fn() -> String)>);
        };
        let page = || raddle_report::failure_page(failure, &checked.coverage, &context());
        let name = format!("{}.{}", file_name(module), file_name(test));
        self.add(told.with(failure), &stages, Some((name, page)))
    }

    /// Writes what is about the whole suite, and says where.
    pub fn finish(self, title: &str, is_json: bool) -> Result<(), String> {
        let Reports { html, junit, github } = self.wanted;
        let written = |what: &str, path: PathBuf| {
            if !is_json {
                output::line(format_args!("{what}: {}", path.display()));
            }
        };
        if let Some(folder) = html {
            let assumed: Vec<String> = self.assumed.iter().map(raddle_report::assumption).collect();
            let page = raddle_report::suite_page(title, &self.outcomes, &assumed);
            written("page", write_file(&folder.join(INDEX), "page", &page)?);
        }
        if let Some(file) = junit {
            written("JUnit", write_file(file, "results", &rendered("junit", &self.outcomes))?);
        }
        if *github {
            let annotations = rendered("github", &self.outcomes);
            workflow_commands::resume();
            annotations.lines().for_each(|line| output::line(format_args!("{line}")));
        }
        Ok(())
    }
}

/// The results in this form.
fn rendered(name: &str, outcomes: &[SuiteOutcome]) -> String {
    let (_, render) = SUITE_FORMATS.iter().find(|(known, _)| *known == name).expect("it is in the list");
    render(outcomes)
}

/// The verdict in one word.
fn word(verdict: &Verdict) -> Word {
    match verdict {
        Verdict::Passed => Word::Passed,
        Verdict::Interrupted => Word::Interrupted,
        Verdict::Failed(_) => Word::Failed,
        Verdict::Skipped(_) => Word::Skipped,
        Verdict::Ignored(_) => Word::Ignored,
        Verdict::NoVerdict(_) => Word::NoVerdict,
    }
}

/// Writes a failure in another form than that of the terminal: into a file, or to standard output.
pub fn write_one(show: &Show, kept: &Kept, at: &ReplayedAt) -> Result<(), String> {
    let (failure, coverage) = (&kept.failure, &kept.coverage);
    let name = show.format.as_deref().unwrap_or(PAGE);
    let text = match FAILURE_FORMATS.iter().find(|(known, _)| *known == name) {
        Some((_, render)) => render(failure, coverage),
        None => {
            let run = run_of(Ok(&show.ticket), at);
            let context = PageContext { run, sources: at.quoted(), output: "", suite: None };
            raddle_report::failure_page(failure, coverage, &context)
        }
    };
    match &show.output {
        Some(file) => {
            let written = write_file(file, "report", &text)?;
            output::line(format_args!("{}", written.display()));
        }
        None => output::report(&text),
    }
    Ok(())
}

/// The name of the page among the forms of a failure.
const PAGE: &str = "html";

/// The name of a form of a failure.
pub fn failure_format(text: &str) -> Result<String, String> {
    let names: Vec<&str> = FAILURE_FORMATS.iter().map(|(name, _)| *name).chain([PAGE]).collect();
    match names.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(format!("it is none of {}", names.join(", "))),
    }
}
