//! Renders the kind of the failure, its message, and the facts that explain it, each with its place and source line.

use crate::escape;
use crate::facts;
use crate::layout::{Color, Layout};
use crate::paint::{Row, Style};
use crate::place;
use crate::source::Library;
use crate::text;
use crate::view_model;
use raddle_core::fact::Fact;
use raddle_core::record::Place;
use raddle_core::verdict::{Blame, Coverage, Extent, Failure, FailureKind, thousands};

/// The paragraphs of the headline.
pub fn parts(failure: &Failure, coverage: &Coverage, library: &Library, layout: &Layout) -> Vec<Vec<Row>> {
    let title = Row::new().with(0, &title(failure, coverage), Style::Wrong);
    let mut message = message(failure, layout);
    message.extend(panic_place(failure, library, layout));
    vec![vec![title], message, facts(failure, library, layout)]
}

/// Where the panic was, unless a fact says so.
fn panic_place(failure: &Failure, library: &Library, layout: &Layout) -> Option<Row> {
    if failure.kind().blame() != Blame::Panic {
        return None;
    }
    let line = &failure.record.lines[*view_model::guilty(failure).last()?];
    // The exit of a process is not where it crashed: the message says that.
    let place = line.place.as_ref().filter(|_| line.operation == view_model::PANIC)?;
    let noted = failure.defect.facts.iter().any(|fact| fact.place.as_ref() == Some(place));
    (!noted).then(|| quotation(place, 0, library, layout))
}

/// "raddle: deadlock in execution 3".
pub fn title(failure: &Failure, coverage: &Coverage) -> String {
    let test = match &failure.ticket.test {
        Some(test) => format!(" of {}", escape::line(test)),
        None => String::new(),
    };
    let what = failure.kind().title();
    match (failure.kind(), &coverage.extent) {
        (FailureKind::NotDeterministic, Extent::Replayed) => {
            format!("raddle: the replayed execution{test} went another way")
        }
        (_, Extent::Replayed) => format!("raddle: {what} in the replayed execution{test}"),
        _ => format!("raddle: {what} in execution {}{test}", thousands(failure.execution)),
    }
}

/// The message as it is, indented; long lines are broken. Its own colours stay only where colours are wanted.
fn message(failure: &Failure, layout: &Layout) -> Vec<Row> {
    let message = match layout.color {
        Color::Always => failure.message(),
        Color::Never => text::without_ansi(&failure.message()),
    };
    let mut rows = Vec::new();
    for line in message.trim_end().lines() {
        if layout.color == Color::Always && line.contains('\u{1b}') {
            rows.push(Row::new().with_colors(2, line.trim_end_matches('\r'), Style::Strong));
            continue;
        }
        let line = escape::line(&line.replace('\t', "    "));
        let rest = line.trim_start();
        let indent = 2 + text::width(&line) - text::width(rest);
        let room = layout.width.map_or(usize::MAX, |w| w.saturating_sub(indent).max(24));
        rows.extend(text::wrap(rest, room).iter().map(|part| Row::new().with(indent, part, Style::Strong)));
    }
    if message.trim().is_empty() { Vec::new() } else { rows }
}

/// Each fact, and under it where that is.
fn facts(failure: &Failure, library: &Library, layout: &Layout) -> Vec<Row> {
    let room = layout.width.map_or(usize::MAX, |w| w.saturating_sub(4).max(24));
    let mut rows = Vec::new();
    let in_program =
        |fact: &Fact| fact.caller.as_ref().map(|caller| caller.place.clone()).or(fact.place.clone());
    let places = failure.defect.facts.iter().filter_map(in_program);
    let wide = places.map(|p| text::width(&place::full(&p))).filter(|w| *w <= 40).max().unwrap_or(0);
    for fact in &failure.defect.facts {
        for (n, part) in text::wrap(&facts::fact(fact), room).iter().enumerate() {
            let mut row = Row::new();
            if n == 0 {
                row.put(2, "•", Style::Wrong);
            }
            rows.push(row.with(4, part, Style::Plain));
        }
        if let Some(caller) = &fact.caller {
            rows.push(quotation(&caller.place, wide, library, layout));
            let inside = fact.place.as_ref().map(|inside| format!("→ {}", place::full(inside)));
            rows.extend(inside.map(|inside| Row::new().with(8, &inside, Style::Faint)));
        } else if let Some(place) = &fact.place {
            rows.push(quotation(place, wide, library, layout));
        }
    }
    rows
}

/// `src/bank.rs:12  │ let seen = balance.load(SeqCst);`, the place in at least `wide` columns.
fn quotation(place: &Place, wide: usize, library: &Library, layout: &Layout) -> Row {
    let mut row = Row::new().with(6, &place::full(place), Style::Faint);
    if let Some(quote) = library.quote(place) {
        let at = (6 + wide).max(row.end()) + 2;
        row.put(at, "│", Style::Faint);
        let room = layout.width.map_or(usize::MAX, |w| w.saturating_sub(at + 2).max(8));
        row.put(at + 2, &text::cut(&quote, room), Style::Plain);
    }
    row
}
