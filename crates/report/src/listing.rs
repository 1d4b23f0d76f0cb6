//! The source lines of a record under it, each once, with the steps that were taken there: for reports that
//! have no room for source beside the steps.

use crate::paint::{Row, Style};
use crate::place;
use crate::source::Library;
use crate::text;
use crate::view_model::ViewModel;
use std::collections::BTreeMap;

/// More lines than this are not quoted.
const MOST_LINES: usize = 40;
/// More steps than this are not listed.
const MOST_STEPS: usize = 4;

/// Draws the listing; empty if there is nothing to quote.
pub fn rows(view: &ViewModel<'_>, library: &Library, width: Option<usize>) -> Vec<Row> {
    let mut files: BTreeMap<&str, BTreeMap<u32, Quote>> = BTreeMap::new();
    for event in view.events() {
        // The code under test is quoted, not that of the dependency that it calls.
        let Some(place) = event.in_program() else { continue };
        let Some(line) = library.line(place) else { continue };
        let lines = files.entry(&place.file).or_default();
        let quote = lines.entry(place.line).or_insert_with(|| Quote { line, steps: Vec::new() });
        if let Some(number) = event.number {
            quote.steps.push(number);
        }
    }
    let mut rows = Vec::new();
    let all: usize = files.values().map(BTreeMap::len).sum();
    let mut left = MOST_LINES;
    for (file, lines) in files {
        if left == 0 {
            break;
        }
        rows.push(Row::new().with(2, &place::file(file), Style::Strong));
        let indent = lines.values().map(|q| q.line.len() - q.line.trim_start().len()).min().unwrap_or(0);
        let digits = lines.keys().max().map_or(1, |n| n.to_string().len());
        let source = |quote: &Quote| quote.line[indent..].to_owned();
        let wide = lines.values().map(|q| text::width(&source(q))).filter(|w| *w <= 60).max().unwrap_or(0);
        let start = 4 + digits + 3;
        for (number, quote) in lines.iter().take(left) {
            let number = number.to_string();
            let mut row = Row::new().with(4 + digits - number.len(), &number, Style::Faint);
            row.put(4 + digits + 1, "│", Style::Faint);
            let steps = quote.steps();
            let room = width.map_or(usize::MAX, |w| w.saturating_sub(start + text::width(&steps) + 2).max(8));
            row.put(start, &text::cut(&source(quote), room), Style::Plain);
            row.put(
                (start + wide + 2).min(start.saturating_add(room).saturating_add(2)),
                &steps,
                Style::Faint,
            );
            rows.push(row);
        }
        left = left.saturating_sub(lines.len());
    }
    if all > MOST_LINES {
        let text = format!("… and {}", text::count(all - MOST_LINES, "more line"));
        rows.push(Row::new().with(4, &text, Style::Faint));
    }
    rows
}

/// A quoted line and the steps that were taken there.
struct Quote {
    line: String,
    steps: Vec<usize>,
}

impl Quote {
    /// "steps 3, 4".
    fn steps(&self) -> String {
        let list: Vec<String> = self.steps.iter().take(MOST_STEPS).map(usize::to_string).collect();
        let more = if self.steps.len() > MOST_STEPS { ", …" } else { "" };
        match self.steps.len() {
            0 => String::new(),
            1 => format!("step {}", list[0]),
            _ => format!("steps {}{more}", list.join(", ")),
        }
    }
}
