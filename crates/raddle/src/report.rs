//! The report of a check.

use raddle_core::check::Checked;
use raddle_core::verdict::{Coverage, Failure, FailureKind};
use raddle_report::{Layout, Run};
use raddle_terminal::{Channel, SearchFile, layout};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// The result of a check. Displays as the report of its failure, or as one line if there is none: always the same text,
/// wherever it is printed. [`Report::for_terminal`] fits the terminal.
#[derive(Debug)]
pub struct Report<T> {
    checked: Checked<T>,
    run: Run,
    /// The file with the unexplored subtrees, or why it could not be written.
    stopped: Option<SearchFile>,
}

impl<T> Report<T> {
    pub(crate) fn new(checked: Checked<T>, run: Run, stopped: Option<SearchFile>) -> Report<T> {
        Report { checked, run, stopped }
    }
    pub(crate) fn map_outcomes<U: Ord>(self, map: impl Fn(T) -> U) -> Report<U> {
        Report { checked: self.checked.map_outcomes(map), run: self.run, stopped: self.stopped }
    }
    /// The result as values.
    pub fn checked(&self) -> &Checked<T> {
        &self.checked
    }
    /// The same; consumes the report.
    pub fn into_checked(self) -> Checked<T> {
        self.checked
    }
    /// How many executions came to an end.
    pub fn executions(&self) -> u64 {
        self.checked.executions()
    }
    /// How many steps all executions took together.
    pub fn steps(&self) -> u64 {
        self.checked.statistics.steps
    }
    /// What was covered.
    pub fn coverage(&self) -> &Coverage {
        &self.checked.coverage
    }
    /// What each stage of a search in stages covered; the last one is [`Report::coverage`].
    pub fn coverages(&self) -> impl Iterator<Item = &Coverage> + Clone {
        self.checked.coverages()
    }
    /// What was covered, as one line: `exhaustive · plain memory not watched · reference counts not explored · sequentially consistent · timers when idle`.
    pub fn covered(&self) -> String {
        raddle_report::coverages(self.coverages())
    }
    /// The facts that explain the failure, a sentence each.
    pub fn facts(&self) -> Vec<String> {
        let facts = self.failure().map(|failure| failure.defect.facts.as_slice()).unwrap_or_default();
        facts.iter().map(raddle_report::fact).collect()
    }
    /// The outcomes of executions that passed, with their counts.
    pub fn outcomes(&self) -> &BTreeMap<T, u64> {
        &self.checked.outcomes
    }
    /// The results that occurred before the search was stopped and have not occurred again since it was resumed, as
    /// text: they are not among the outcomes, but they count.
    pub fn outcomes_before(&self) -> &BTreeMap<String, u64> {
        &self.checked.earlier_outcomes
    }
    /// The largest bound on preemptions that was explored completely, where the bound grows.
    pub fn finished_bound(&self) -> Option<u32> {
        self.checked.statistics.finished_bound
    }
    /// How many executions the strategy abandoned since equivalent ones are explored elsewhere. They are not counted.
    pub fn abandoned(&self) -> u64 {
        self.checked.statistics.abandoned
    }
    /// The file with the unexplored subtrees of a search that was stopped by Ctrl-C or a time limit, for
    /// [`resume`](crate::Checker::resume).
    pub fn search_file(&self) -> Option<&Path> {
        self.stopped.as_ref()?.as_deref().ok()
    }
    /// The failure with the lowest execution number.
    pub fn failure(&self) -> Option<&Failure> {
        self.checked.failure()
    }
    /// How many executions failed.
    pub fn failures(&self) -> u64 {
        self.checked.failed()
    }
    /// How many executions failed, by kind. More than the first is only searched with
    /// [`keep_going`](crate::Checker::keep_going).
    pub fn failures_by_kind(&self) -> &BTreeMap<FailureKind, u64> {
        &self.checked.statistics.failures_by_kind
    }
    /// The first failure of each kind.
    pub fn failure_of(&self, kind: FailureKind) -> Option<&Failure> {
        self.checked.failure_of(kind)
    }
    /// The largest size of the unexplored work items during the search, in steps and picks: at most the length of an
    /// execution for each of its alternatives (a pair of its steps that conflict, a further option), however many
    /// executions there are, and mostly much less.
    pub fn peak(&self) -> u64 {
        self.checked.statistics.peak
    }
    /// Whether the search was interrupted by Ctrl-C. The [coverage](Report::coverage) says whether it was complete by
    /// then.
    pub fn is_interrupted(&self) -> bool {
        self.checked.interrupted
    }
    /// Where the failure's ticket was written.
    pub fn ticket_file(&self) -> Option<&Path> {
        self.run.ticket_file.as_deref()
    }
    /// The whole report for the terminal that standard error is connected to: its width and colours, or as `COLUMNS` and
    /// `NO_COLOR` have it.
    pub fn for_terminal(&self) -> String {
        self.render(&layout(Channel::Error))
    }
    /// The whole report as text, `width` characters wide.
    pub fn to_text(&self, width: usize) -> String {
        self.render(&Layout::terminal(width))
    }
    /// The failure and its record as JSON, for other tools.
    pub fn to_json(&self) -> Option<String> {
        self.failure().map(|failure| raddle_report::to_json(failure, self.coverage()))
    }

    fn render(&self, layout: &Layout) -> String {
        let text = match self.failure() {
            Some(failure) => raddle_report::failure(failure, self.coverage(), &self.run, layout),
            None => raddle_report::summary(self.coverage(), &self.run),
        };
        match &self.stopped {
            None => text,
            Some(Ok(file)) => {
                let file = raddle_report::quote(&file.display().to_string());
                format!("{text}\nraddle: to go on from here, set RADDLE_RESUME={file}")
            }
            Some(Err(error)) => format!("{text}\nraddle: {}", raddle_report::escape_lines(error)),
        }
    }
}

impl<T> fmt::Display for Report<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Layout::plain()))
    }
}
