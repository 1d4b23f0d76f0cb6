//! The page of one failure: its trace JSON, the sentences about it, and the source lines that it names.
//!
//! Only lines around places of the trace are embedded, of files that the terminal report could quote as well.

use super::document;
use crate::coverage;
use crate::explanation;
use crate::facts;
use crate::footer;
use crate::headline;
use crate::json::Document;
use crate::layout::{Run, Sources};
use crate::orderings;
use crate::source::Library;
use crate::text;
use crate::view_model;
use raddle_core::record::Place;
use raddle_core::verdict::{Coverage, Extent, Failure};
use serde::Serialize;
use std::collections::BTreeMap;

/// So many lines before and after a place are embedded.
const AROUND: u32 = 40;
/// Of a longer line only the beginning.
const LONGEST_LINE: usize = 400;
/// Of more lines only the first, in the order of the files' names.
const MOST_LINES: usize = 20_000;

/// What a page says beside the failure itself.
#[derive(Clone, Debug, Default)]
pub struct PageContext<'a> {
    /// What only the runner has.
    pub run: Run,
    /// From where the source is quoted.
    pub sources: Sources,
    /// What the program printed in this execution.
    pub output: &'a str,
    /// The page of the suite, from the folder of this page.
    pub suite: Option<&'a str>,
}

#[derive(Serialize)]
struct Page<'a> {
    page: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a str>,
    message: String,
    facts: Vec<Fact<'a>>,
    guilty: Vec<usize>,
    notes: Vec<Note>,
    #[serde(skip_serializing_if = "str::is_empty")]
    output: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<&'a str>,
    sources: Vec<Source<'a>>,
    trace: Document<'a>,
}

#[derive(Serialize)]
struct Fact<'a> {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a Place>,
}

#[derive(Serialize)]
struct Note {
    what: &'static str,
    text: String,
    /// It is to be copied.
    copied: bool,
}

#[derive(Serialize)]
struct Source<'a> {
    file: &'a str,
    first: u32,
    lines: Vec<String>,
}

/// The page of a failure.
pub fn failure_page(failure: &Failure, coverage: &Coverage, context: &PageContext<'_>) -> String {
    let facts = failure.defect.facts.iter().map(|fact| Fact {
        text: facts::fact(fact),
        task: fact.task.as_deref(),
        place: fact.place.as_ref(),
    });
    document(&Page {
        page: "failure",
        title: headline::title(failure, coverage),
        test: failure.ticket.test.as_deref(),
        message: text::without_ansi(&failure.message()),
        facts: facts.collect(),
        guilty: view_model::guilty(failure).into_iter().collect(),
        notes: notes(failure, coverage, &context.run),
        output: context.output,
        suite: context.suite,
        sources: sources(failure, &Library::new(&context.sources)),
        trace: Document::new(failure, coverage),
    })
}

fn notes(failure: &Failure, coverage: &Coverage, run: &Run) -> Vec<Note> {
    let said = |what, text| Note { what, text, copied: false };
    let copied = |what, text| Note { what, text, copied: true };
    let mut notes = vec![said("search", coverage::coverage(coverage))];
    notes.extend(failure.afterwards.iter().map(|error| said("also", footer::teardown_error(error))));
    notes.extend(failure.replayed.as_ref().map(|other| said("also", footer::replayed(other))));
    notes.extend(
        failure.simplified.as_ref().map(|simplified| said("simpler", footer::simplified(simplified))),
    );
    let why = |explanation| said("why", explanation::sentence(failure, explanation));
    notes.extend(failure.explanation.as_ref().map(why));
    let memory = failure.memory.iter().flat_map(orderings::sentences);
    notes.extend(memory.map(|sentence| said("memory", sentence)));
    if coverage.extent != Extent::Replayed {
        notes.push(said("found", footer::found(failure, coverage, run)));
    }
    notes.extend(run.ticket_file.as_ref().map(|file| copied("ticket", file.display().to_string())));
    notes.extend(run.ticket_error.iter().map(|error| said("ticket", error.clone())));
    notes.extend(run.replay.iter().map(|command| copied("replay", command.clone())));
    notes
}

/// The lines around all places of the failure, by file.
fn sources<'a>(failure: &'a Failure, library: &Library) -> Vec<Source<'a>> {
    let lines = failure.record.lines.iter().map(|line| (&line.place, &line.caller));
    let facts = failure.defect.facts.iter().map(|fact| (&fact.place, &fact.caller));
    let places = lines.chain(facts);
    let places = places.flat_map(|(place, caller)| place.iter().chain(caller.iter().map(|c| &c.place)));
    let mut by_file: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    places.for_each(|place| by_file.entry(&place.file).or_default().push(place.line));
    let mut room = MOST_LINES;
    let mut sources: Vec<Source<'a>> = Vec::new();
    for (file, mut lines) in by_file {
        lines.sort_unstable();
        lines.dedup();
        let mut windows: Vec<(u32, u32)> = Vec::new();
        for line in lines {
            let (from, to) = (line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND));
            match windows.last_mut() {
                Some((_, end)) if from <= end.saturating_add(1) => *end = to,
                _ => windows.push((from, to)),
            }
        }
        for (first, last) in windows {
            let lines = library.lines(file, first, last);
            if lines.is_empty() || lines.len() > room {
                continue;
            }
            room -= lines.len();
            let lines = lines.iter().map(|line| text::cut(line, LONGEST_LINE)).collect();
            sources.push(Source { file, first, lines });
        }
    }
    sources
}
