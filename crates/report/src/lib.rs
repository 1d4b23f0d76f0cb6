//! Renders a failure so that its cause is visible: tasks as columns, one line per step, the preemptions, the values and
//! the source beside them; where that is too wide, one line per step.
//!
//! This crate depends on records and verdicts only. It reads source files to quote them, writes nothing, and never
//! fails: what cannot be found is omitted, and omissions are reported.
#![forbid(unsafe_code)]

mod calls;
mod columns;
mod coverage;
#[cfg(feature = "forms")]
mod dot;
mod elide;
mod escape;
mod explanation;
mod facts;
mod footer;
#[cfg(feature = "forms")]
mod format;
#[cfg(feature = "forms")]
mod github;
mod headline;
mod json;
#[cfg(feature = "forms")]
mod junit;
mod lanes;
mod layout;
mod lines;
mod listing;
mod orderings;
#[cfg(feature = "forms")]
mod page;
mod paint;
#[cfg(feature = "forms")]
mod perfetto;
mod place;
mod progress;
#[cfg(test)]
mod random_records;
mod source;
#[cfg(feature = "forms")]
mod step;
#[cfg(feature = "forms")]
mod suite;
mod text;
mod view_model;

pub use coverage::{assumption, bound, bounds, count, coverage, coverages, difference, extent, skip, stop};
pub use escape::{json as escape_json, line as escape_line, lines as escape_lines, word as quote};
pub use facts::fact;
#[cfg(feature = "forms")]
pub use format::{FAILURE_FORMATS, RenderFailure, RenderSuite, SUITE_FORMATS};
pub use json::{VERSION, to_json};
pub use layout::{Color, Layout, Run, Sources, TicketText};
#[cfg(feature = "forms")]
pub use page::{PageContext, failure_page, suite_page};
pub use progress::progress;
#[cfg(feature = "forms")]
pub use step::step;
#[cfg(feature = "forms")]
pub use suite::{SuiteOutcome, Word};
pub use text::without_ansi;

use paint::Row;
use raddle_core::verdict::{Coverage, Failure, thousands};
use source::Library;
use view_model::ViewModel;

/// The whole report of a failure, ending with a line break: the failure, its execution, the coverage of the search and
/// how to replay it.
///
/// ```
/// # use raddle_core::{record::ExecutionRecord, ticket::Ticket, verdict::*};
/// # let defect = Defect::new(FailureKind::Deadlock, "all tasks wait");
/// # let failure = Failure::new(defect, 3, ExecutionRecord::default(), Ticket::empty());
/// # let coverage = Coverage { extent: Extent::Exhaustive, executions: 3, assumptions: vec![] };
/// use raddle_report::{Layout, Run};
///
/// let text = raddle_report::failure(&failure, &coverage, &Run::default(), &Layout::terminal(100));
/// assert!(text.starts_with("raddle: deadlock in execution 3\n"));
/// ```
pub fn failure(failure: &Failure, coverage: &Coverage, run: &Run, layout: &Layout) -> String {
    let library = Library::new(&layout.sources);
    let view = ViewModel::new(failure, layout.max_lines);
    let columns = layout.width.and_then(|width| columns::table(&view, &library, width));

    let mut parts = headline::parts(failure, coverage, &library, layout);
    match columns {
        Some(table) => {
            parts.push(table.rows);
            parts.push(legend(&view, layout));
            if table.quotes == columns::Quotes::Missing {
                parts.push(listing::rows(&view, &library, layout.width));
            }
        }
        None => {
            parts.push(lines::rows(&view, layout.width));
            parts.push(legend(&view, layout));
            parts.push(listing::rows(&view, &library, layout.width));
        }
    }
    parts.push(explanation::rows(failure, layout.width));
    parts.push(orderings::rows(failure, layout.width));
    parts.push(footer::rows(failure, coverage, run, layout.width));

    let mut out = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push('\n');
        }
        for row in part {
            row.render(layout.color, &mut out);
        }
    }
    out
}

/// The verdict on a search that found nothing, in one line and without a line break. It claims no more than
/// what was explored.
pub fn summary(coverage: &Coverage, run: &Run) -> String {
    let stages = run.earlier.iter().chain([coverage]);
    let executions = stages.clone().map(|coverage| coverage.executions).sum();
    let mut line = format!("raddle: no failure in {}", count(executions, "execution"));
    if let Some(elapsed) = run.elapsed {
        line.push_str(&format!(" and {:.1} s", elapsed.as_secs_f64()));
    }
    format!("{line}: {}", coverages(stages))
}

/// What the marks mean, for the marks that were used.
fn legend(view: &ViewModel<'_>, layout: &Layout) -> Vec<Row> {
    let mut facts = Vec::new();
    if view.events().any(|e| e.preempts) {
        facts.push("◆ preempts: the task before could have gone on".to_owned());
    }
    if view.events().any(|e| e.number.is_none() && !e.fails) {
        facts.push("· no scheduling point".to_owned());
    }
    if view.events().any(|e| e.saw.is_some()) {
        facts.push("(from n) sees what step n left".to_owned());
    }
    let mut rows = Vec::new();
    if view.shown < view.total {
        let (shown, total) = (thousands(view.shown as u64), thousands(view.total as u64));
        let text = format!("shortened: {shown} of {total} lines are shown; the ticket has every step");
        rows.push(text);
    }
    // As many facts in one line as fit.
    let room = layout.width.unwrap_or(110).saturating_sub(2);
    let mut line = String::new();
    for fact in facts {
        if !line.is_empty() && text::width(&line) + 3 + text::width(&fact) > room {
            rows.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push_str("   ");
        }
        line.push_str(&fact);
    }
    if !line.is_empty() {
        rows.push(line);
    }
    rows.iter()
        .flat_map(|text| text::wrap(text, room.max(16)))
        .map(|text| Row::new().with(2, &text, paint::Style::Faint))
        .collect()
}
