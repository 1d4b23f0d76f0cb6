//! The story as lines, one per step, in the manner of Concuerror: who did what, where. For logs, and for
//! terminals that are too narrow for columns.

use crate::paint::{Row, Style};
use crate::place;
use crate::scene::{Beat, Event, Scene};
use crate::text;

/// Longer names of tasks are not waited for.
const LONGEST_NAME: usize = 24;
/// Longer texts neither.
const LONGEST_TEXT: usize = 48;
/// In narrower terminals nothing is wrapped any more.
const NARROWEST: usize = 24;

/// Draws the lines.
pub fn rows(scene: &Scene<'_>, width: Option<usize>) -> Vec<Row> {
    let form = Form::new(scene, width);
    let mut rows = Vec::new();
    for beat in &scene.beats {
        match beat {
            Beat::Gap(text) => {
                for part in text::wrap(text, form.room()) {
                    let dots = Row::new().with(form.start - 3, "⋮", Style::Faint);
                    rows.push(dots.with(form.start, &part, Style::Strong));
                }
            }
            Beat::Event(event) => form.line(scene, event, &mut rows),
        }
    }
    rows
}

/// Where the parts of a line stand.
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
    fn new(scene: &Scene<'_>, width: Option<usize>) -> Form {
        let widest = |get: &dyn Fn(&Event<'_>) -> usize, most: usize| {
            scene.events().map(get).filter(|w| *w <= most).max().unwrap_or(0)
        };
        let digits = scene.digits();
        let start = 3 + digits + 2;
        let what = start + widest(&|e| text::width(&who(scene, e)), LONGEST_NAME) + 1;
        let place = what + widest(&|e| text::width(&e.whole()), LONGEST_TEXT) + 2;
        let form = Form { digits, start, what, place, width };
        // Columns that most lines cannot keep help nobody.
        let wide = scene.events().filter(|e| !form.fits(&form.aligned(scene, e))).count();
        if 2 * wide > scene.events().count() { Form { what: 0, place: 0, ..form } } else { form }
    }

    fn line(&self, scene: &Scene<'_>, event: &Event<'_>, rows: &mut Vec<Row>) {
        let row = self.aligned(scene, event);
        if self.fits(&row) {
            rows.push(row);
            return;
        }
        // A place is not torn apart.
        let place = self.place(scene, event).map(|p| p.replace(' ', "\u{a0}"));
        let whole = [Some(event.whole()), place].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let mut row = self.beginning(scene, event);
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
    fn aligned(&self, scene: &Scene<'_>, event: &Event<'_>) -> Row {
        let mut row = self.beginning(scene, event).with(self.what, &event.whole(), style(event));
        if let Some(place) = self.place(scene, event) {
            row.put(self.place.max(row.end() + 2), &place, Style::Faint);
        }
        row
    }

    /// Marks, number and name.
    fn beginning(&self, scene: &Scene<'_>, event: &Event<'_>) -> Row {
        let mut row = Row::new();
        event.margin(self.digits, &mut row);
        row.with(self.start, &who(scene, event), Style::Lane(event.actor))
    }

    /// The place: in full where lines are as long as they like.
    fn place(&self, scene: &Scene<'_>, event: &Event<'_>) -> Option<String> {
        event.place.map(|p| match self.width {
            None => format!("at {}", place::full(p)),
            Some(_) => format!("at {}", scene.places.short(p)),
        })
    }

    fn fits(&self, row: &Row) -> bool {
        self.width.is_none_or(|width| row.end() <= width)
    }

    fn room(&self) -> usize {
        self.width.map_or(usize::MAX, |w| w.saturating_sub(self.start).max(NARROWEST))
    }
}

fn who(scene: &Scene<'_>, event: &Event<'_>) -> String {
    format!("{}:", scene.tasks[event.actor].title)
}

fn style(event: &Event<'_>) -> Style {
    match (event.fails, event.number) {
        (true, _) => Style::Wrong,
        (false, Some(_)) => Style::Plain,
        (false, None) => Style::Faint,
    }
}
