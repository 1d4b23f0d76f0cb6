//! The record as lines, one per step, in the form of Concuerror: task, operation, place. For logs, and for terminals
//! that are too narrow for columns.

use crate::paint::{Row, Style};
use crate::place;
use crate::text;
use crate::view_model::{Beat, Event, ViewModel};
use raddle_core::record::Place;

/// Longer names of tasks are not waited for.
const LONGEST_NAME: usize = 24;
/// Longer texts neither.
const LONGEST_TEXT: usize = 48;
/// In narrower terminals nothing is wrapped any more.
const NARROWEST: usize = 24;

/// Draws the lines.
pub fn rows(view: &ViewModel<'_>, width: Option<usize>) -> Vec<Row> {
    let form = Form::new(view, width);
    let mut rows = Vec::new();
    for beat in &view.beats {
        match beat {
            Beat::Gap(text) => {
                for part in text::wrap(text, form.room()) {
                    let dots = Row::new().with(form.start - 3, "⋮", Style::Faint);
                    rows.push(dots.with(form.start, &part, Style::Strong));
                }
            }
            Beat::Event(event) => form.line(view, event, &mut rows),
        }
    }
    rows
}

/// The positions of the fields of a line.
struct Form {
    digits: usize,
    /// Where the name of the task stands,
    start: usize,
    /// what it did,
    what: usize,
    /// and where.
    place: usize,
    width: Option<usize>,
}

impl Form {
    fn new(view: &ViewModel<'_>, width: Option<usize>) -> Form {
        let widest = |get: &dyn Fn(&Event<'_>) -> usize, most: usize| {
            view.events().map(get).filter(|w| *w <= most).max().unwrap_or(0)
        };
        let digits = view.digits();
        let start = 3 + digits + 2;
        let what = start + widest(&|e| text::width(&who(view, e)), LONGEST_NAME) + 1;
        let place = what + widest(&|e| text::width(&e.whole()), LONGEST_TEXT) + 2;
        let form = Form { digits, start, what, place, width };
        // Columns that do not fit most lines are not used.
        let wide = view.events().filter(|e| !form.fits(&form.aligned(view, e))).count();
        if 2 * wide > view.events().count() { Form { what: 0, place: 0, ..form } } else { form }
    }

    fn line(&self, view: &ViewModel<'_>, event: &Event<'_>, rows: &mut Vec<Row>) {
        let row = self.aligned(view, event);
        if self.fits(&row) {
            rows.push(row);
            return;
        }
        // A place is not torn apart.
        let place = self.place(view, event).map(|p| p.replace(' ', "\u{a0}"));
        let whole = [Some(event.whole()), place].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let mut row = self.beginning(view, event);
        // The first row has the name; the others are indented.
        let indent = self.start + 2;
        let first = self.width.unwrap_or(usize::MAX).saturating_sub(row.end() + 1);
        let mut parts = text::wrap(&whole, first.max(NARROWEST)).into_iter();
        row.put(0, &parts.next().unwrap_or_default().replace('\u{a0}', " "), style(event));
        rows.push(row);
        let rest = parts.collect::<Vec<_>>().join(" ");
        if !rest.is_empty() {
            for part in text::wrap(&rest, self.room().saturating_sub(2).max(1)) {
                rows.push(Row::new().with(indent, &part.replace('\u{a0}', " "), style(event)));
            }
        }
    }

    /// Everything in one row.
    fn aligned(&self, view: &ViewModel<'_>, event: &Event<'_>) -> Row {
        let mut row = self.beginning(view, event).with(self.what, &event.whole(), style(event));
        if let Some(place) = self.place(view, event) {
            row.put(self.place.max(row.end() + 2), &place, Style::Faint);
        }
        row
    }

    /// Marks, number and name.
    fn beginning(&self, view: &ViewModel<'_>, event: &Event<'_>) -> Row {
        let mut row = Row::new();
        event.margin(self.digits, &mut row);
        row.with(self.start, &who(view, event), Style::Lane(event.task))
    }

    /// The place: in full where lines are as long as they like.
    fn place(&self, view: &ViewModel<'_>, event: &Event<'_>) -> Option<String> {
        let name = |p: &Place| match self.width {
            None => place::full(p),
            Some(_) => view.places.short(p),
        };
        match (event.caller, event.place) {
            (Some(caller), Some(inside)) => Some(format!("at {} → {}", name(&caller.place), name(inside))),
            (caller, inside) => {
                caller.map(|caller| &caller.place).or(inside).map(|place| format!("at {}", name(place)))
            }
        }
    }

    fn fits(&self, row: &Row) -> bool {
        self.width.is_none_or(|width| row.end() <= width)
    }

    fn room(&self) -> usize {
        self.width.map_or(usize::MAX, |w| w.saturating_sub(self.start).max(NARROWEST))
    }
}

fn who(view: &ViewModel<'_>, event: &Event<'_>) -> String {
    format!("{}:", view.tasks[event.task].title)
}

fn style(event: &Event<'_>) -> Style {
    match (event.fails, event.number) {
        (true, _) => Style::Wrong,
        (false, Some(_)) => Style::Plain,
        (false, None) => Style::Faint,
    }
}
