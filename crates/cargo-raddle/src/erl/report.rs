//! Reports one test: a line, and the report of its failure with the facts of the Erlang world.

use super::arguments::Erl;
use super::sources::Sources;
use super::weakest::weakest_delivery;
use crate::go_on;
use crate::json;
use crate::suite_report::SuiteReport;
use raddle_core::check::{Check, Checked, Verdict};
use raddle_core::fact::Relation;
use raddle_core::verdict::{Cause, Failure, thousands};
use raddle_core::world::World;
use raddle_erlang::code::installed_otp;
use raddle_erlang::world::{ErlangWorld, Program};
use raddle_report::{Layout, PageContext, Run, Sources as Quoted, TicketText, escape_line, quote};
use raddle_terminal::{Channel, SearchFile, layout, output};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Of a longer output only so many lines at its end are shown.
const SHOWN: usize = 100;

/// What was found of one test.
pub struct Found<'a> {
    pub erl: &'a Erl,
    pub check: &'a Check,
    pub program: &'a Program,
    pub sources: &'a Sources,
    pub checked: &'a Checked<String>,
    pub search_file: Option<SearchFile>,
    pub ticket_file: Option<Result<PathBuf, String>>,
}

impl Found<'_> {
    fn name(&self) -> &str {
        self.check.test.as_deref().unwrap_or_default()
    }

    /// Prints it for people.
    pub fn tell(&self) {
        let counted = raddle_report::count(self.checked.executions(), "interleaving");
        let covered = raddle_report::coverages(self.checked.coverages());
        let verdict = match self.checked.verdict() {
            Verdict::Passed => "passed",
            Verdict::Failed(kind) if kind.exit_code() != crate::FAILED => kind.name(),
            Verdict::Failed(_) => "FAILED",
            Verdict::Interrupted => "interrupted",
        };
        let failures = match self.checked.failed() {
            0 | 1 => String::new(),
            n => format!(", {} of them fail", thousands(n)),
        };
        output::line(format_args!(
            "{}: {verdict}, {counted}{failures} ({covered})",
            escape_line(self.name())
        ));
        for (at, group) in self.checked.failures.iter().enumerate() {
            match at {
                0 => self.tell_failure(&group.first),
                _ => {
                    let message = group.first.message();
                    let first = message.lines().next().unwrap_or_default();
                    let times = raddle_report::count(group.count, "interleaving");
                    output::line(format_args!("  also {}: {first} ({times})", group.first.kind()));
                }
            }
        }
        match &self.search_file {
            None => {}
            Some(Ok(file)) => {
                output::line(format_args!("  to go on from here: {}", go_on::command(file)));
            }
            Some(Err(error)) => output::line(format_args!("  {error}")),
        }
    }

    /// How the failure is replayed.
    fn run(&self) -> Run {
        let (ticket_file, ticket_error) = match self.ticket_file.clone() {
            Some(Ok(file)) => (Some(file), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let replay = ticket_file.as_ref().map(|file| {
            format!("raddle erl {} --replay {}", self.files(), quote(&file.display().to_string()))
        });
        let short = format!("raddle erl {} --replay TICKET", self.files());
        let elapsed = Some(self.checked.statistics.elapsed);
        let replay = Some(replay.unwrap_or(short));
        Run {
            ticket_file,
            ticket_error,
            elapsed,
            replay,
            ticket_text: TicketText::WhenShort,
            ..Run::default()
        }
    }

    /// From where the source is quoted.
    fn quoted(&self) -> Quoted {
        let toolchain =
            installed_otp().iter().filter_map(|ebin| ebin.parent()).map(Path::to_path_buf).collect();
        Quoted::Beside { folders: self.sources.folders(), toolchain }
    }

    /// What the processes printed, as one text.
    pub fn output(&self) -> String {
        let printed =
            self.checked.failure().map(|failure| printed(self.program, failure)).unwrap_or_default();
        printed.iter().map(|(process, text)| format!("printed by {process}:\n{text}\n")).collect()
    }

    /// Adds it to the report of the suite. `output` is what the processes printed.
    pub fn add_to(&self, report: &mut SuiteReport<'_>, output: &str) -> Result<(), String> {
        let context = || PageContext { run: self.run(), sources: self.quoted(), output, suite: None };
        report.add_erlang(&self.program.module, &self.program.function, self.checked, context)
    }

    fn tell_failure(&self, failure: &Failure) {
        let layout = Layout { sources: self.quoted(), ..layout(Channel::Output) };
        output::report(&raddle_report::failure(failure, &self.checked.coverage, &self.run(), &layout));
        if let Some(hint) = missing_module(failure).and_then(|module| self.sources.about_missing(module)) {
            output::line(format_args!("  {hint}"));
        }
        for (process, text) in printed(self.program, failure) {
            output::line(format_args!("  printed by {process}:"));
            let lines: Vec<&str> = text.lines().collect();
            let left_out = lines.len().saturating_sub(SHOWN);
            if left_out > 0 {
                output::line(format_args!("    ... {} ...", raddle_report::count(left_out as u64, "line")));
            }
            lines[left_out..].iter().for_each(|line| output::line(format_args!("    {}", escape_line(line))));
        }
        // Where a limit was reached, another delivery reaches it as well, after as long a time.
        let is_limit =
            failure.kind().is_limit_of_exploring() || matches!(*failure.defect.cause, Cause::Endless { .. });
        if self.check.replay.is_none() && self.checked.verdict().exit_code() == crate::FAILED && !is_limit {
            let weakest = weakest_delivery(self.program, failure, self.check.budget.steps);
            output::line(format_args!("  the weakest delivery that shows it: {weakest}"));
        }
    }

    /// The arguments that name the program.
    fn files(&self) -> String {
        let path = |path: &PathBuf| quote(&path.display().to_string());
        let pa = self.erl.program.pa.iter().map(|dir| format!("-pa {}", path(dir)));
        let include = self.erl.program.include.iter().map(|dir| format!("-I {}", path(dir)));
        pa.chain(include).chain(self.erl.files.iter().map(path)).collect::<Vec<_>>().join(" ")
    }

    /// Prints it for other programs.
    pub fn tell_as_json(&self) {
        let (ticket, search) = (self.ticket_file.as_ref(), self.search_file.as_ref());
        let place = json!({ "module": self.program.module });
        json::checked(place, &self.program.function, self.checked, ticket, search);
    }
}

/// What each process printed before the failure.
fn printed(program: &Program, failure: &Failure) -> Vec<(String, String)> {
    let mut world = ErlangWorld::new(program);
    world.start();
    for pick in failure.ticket.picks() {
        if !world.point().is_enabled(pick.task) {
            // A ticket of another program: the report has said so already.
            return Vec::new();
        }
        world.step(pick);
    }
    world.output()
}

/// The module of the undefined function, if that is the failure.
fn missing_module(failure: &Failure) -> Option<&str> {
    failure.defect.facts.iter().find_map(|fact| match &fact.relation {
        Relation::Undefined { module, .. } => Some(module.as_str()),
        _ => None,
    })
}
