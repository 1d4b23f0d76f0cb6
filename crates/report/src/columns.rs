//! Renders the record as columns: a lane per task, a line per step, the place and, where there is room, the source
//! beside it. No row is wider than the terminal; otherwise there is no table.

use crate::lanes::{self, Fit, Lanes, Need, Squeeze};
use crate::paint::{Row, Style};
use crate::source::Library;
use crate::text;
use crate::view_model::{Beat, Event, ViewModel};

/// Rows after which the titles are repeated.
const TITLES_AGAIN: usize = 40;

/// Whether the source is beside the steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quotes {
    /// It does, or there is none.
    Beside,
    /// There was no room for it.
    Missing,
}

/// The drawn table.
pub struct Table {
    /// Its rows, titles included.
    pub rows: Vec<Row>,
    /// Whether it quotes the source.
    pub quotes: Quotes,
}

/// Draws the columns, if `width` is enough for them.
pub fn table(view: &ViewModel<'_>, library: &Library, width: usize) -> Option<Table> {
    let lanes = Lanes::new(view);
    if lanes.titles.is_empty() {
        return None;
    }
    let cells: Vec<Cell<'_>> = view.beats.iter().map(|beat| Cell::new(beat, view, &lanes, library)).collect();
    let plan = Plan::new(view, &lanes, &cells, width)?;
    let rows = plan.draw(&lanes, &cells);
    let quoted = cells.iter().any(|c| c.quote.is_some());
    let quotes = if quoted && plan.quote.is_none() { Quotes::Missing } else { Quotes::Beside };
    Some(Table { rows, quotes })
}

/// One line of the table, not yet placed.
struct Cell<'s> {
    what: What<'s>,
    text: String,
    place: String,
    quote: Option<String>,
}

enum What<'s> {
    Event { event: &'s Event<'s>, lane: usize },
    Gap,
}

impl<'s> Cell<'s> {
    fn new(beat: &'s Beat<'s>, view: &ViewModel<'_>, lanes: &Lanes, library: &Library) -> Cell<'s> {
        match beat {
            Beat::Gap(text) => {
                Cell { what: What::Gap, text: text.clone(), place: String::new(), quote: None }
            }
            Beat::Event(event) => {
                let text = match &view.tasks[event.task].phantom {
                    Some((_, own)) => format!("~{own}: {}", event.whole()),
                    None => event.whole(),
                };
                Cell {
                    what: What::Event { event, lane: lanes.lane(event) },
                    text,
                    place: event.in_program().map(|p| view.places.short(p)).unwrap_or_default(),
                    quote: event.in_program().and_then(|p| library.quote(p)),
                }
            }
        }
    }
    fn lane(&self) -> Option<usize> {
        match self.what {
            What::Event { lane, .. } => Some(lane),
            What::Gap => None,
        }
    }
}

/// The positions of all fields.
struct Plan {
    digits: usize,
    fit: Fit,
    /// The position and width of places.
    place: (usize, usize),
    /// The position and width of quotations, if there is room for them.
    quote: Option<(usize, usize)>,
    width: usize,
}

impl Plan {
    fn new(view: &ViewModel<'_>, lanes: &Lanes, cells: &[Cell<'_>], width: usize) -> Option<Plan> {
        let digits = view.digits();
        // Two marks, the number, two spaces.
        let margin = 3 + digits + 2;
        let mut texts = vec![0; lanes.titles.len()];
        for cell in cells {
            if let Some(lane) = cell.lane() {
                texts[lane] = texts[lane].max(text::width(&cell.text));
            }
        }
        let titles = lanes::widths(&lanes.titles);
        let need = Need { margin, texts: &texts, titles: &titles };
        let widest = |get: fn(&Cell<'_>) -> usize| cells.iter().map(get).max().unwrap_or(0);
        let place = widest(|c| text::width(&c.place)).min((width / 4).max(12));
        let quote = widest(|c| c.quote.as_deref().map_or(0, text::width));
        let beside_lanes = if place > 0 { 2 + place } else { 0 };

        if quote > 0 {
            // Source of which little can be read is better listed below.
            let quotes = || cells.iter().filter_map(|c| c.quote.as_deref()).map(text::width);
            let readable = |room: usize| 2 * quotes().filter(|w| *w <= room).count() >= quotes().count();
            for room in [quote, 60, 52, 44, 36, 28] {
                let taken = beside_lanes + 2 + room;
                if room <= quote
                    && readable(room)
                    && let Some(end) = width.checked_sub(taken)
                    && let Some(fit) = lanes::fit(&need, end, Squeeze::Comfortable)
                {
                    let start = fit.end + beside_lanes + 2;
                    let quote = Some((start, width - start));
                    return Some(Plan { digits, place: (fit.end + 2, place), quote, fit, width });
                }
            }
        }
        let fit = lanes::fit(&need, width.checked_sub(beside_lanes)?, Squeeze::Tight)?;
        Some(Plan { digits, place: (fit.end + 2, place), quote: None, fit, width })
    }

    fn draw(&self, lanes: &Lanes, cells: &[Cell<'_>]) -> Vec<Row> {
        let lives = Lives::new(lanes, cells);
        let titles = self.titles(lanes);
        let mut rows = titles.clone();
        for (i, cell) in cells.iter().enumerate() {
            if i > 0 && i % TITLES_AGAIN == 0 && cells.len() - i > TITLES_AGAIN / 4 {
                rows.push(Row::new());
                rows.extend(titles.iter().cloned());
            }
            self.cell(i, cell, &lives, &mut rows);
        }
        rows
    }

    /// The titles in one row if they fit over their lanes, else one under the other.
    fn titles(&self, lanes: &Lanes) -> Vec<Row> {
        let ends = self.fit.starts.iter().skip(1).map(|s| s - 1).chain([self.width]);
        let fits = |((start, end), title): ((&usize, usize), &String)| start + text::width(title) <= end;
        let style = |lane| Style::Lane(lane);
        if self.fit.starts.iter().zip(ends).zip(&lanes.titles).all(fits) {
            let mut row = Row::new();
            for (lane, title) in lanes.titles.iter().enumerate() {
                row.put(self.fit.starts[lane], title, style(lane));
            }
            return vec![row];
        }
        let mut rows = Vec::new();
        for (lane, title) in lanes.titles.iter().enumerate() {
            let mut row = Row::new();
            for start in &self.fit.starts[..lane] {
                row.put(*start, "│", Style::Faint);
            }
            let start = self.fit.starts[lane];
            row.put(start, &text::cut(title, self.width - start), style(lane));
            rows.push(row);
        }
        rows
    }

    fn cell(&self, i: usize, cell: &Cell<'_>, lives: &Lives, rows: &mut Vec<Row>) {
        let (event, lane) = match cell.what {
            What::Event { event, lane } => (event, lane),
            What::Gap => {
                let start = self.fit.starts[0];
                for part in text::wrap(&cell.text, self.width.saturating_sub(start).max(1)) {
                    let mut row = Row::new().with(self.digits + 2, "⋮", Style::Faint);
                    row.put(start, &part, Style::Strong);
                    rows.push(row);
                }
                return;
            }
        };
        let start = self.fit.starts[lane];
        let style = match (event.fails, event.number) {
            (true, _) => Style::Wrong,
            (false, Some(_)) => Style::Lane(lane),
            (false, None) => Style::Faint,
        };
        let room = self.fit.end - start;
        // Where it must be wrapped, what follows is indented by two.
        let parts: Vec<String> = if text::width(&cell.text) <= room {
            vec![cell.text.clone()]
        } else {
            text::wrap(&cell.text, room - 2)
        };
        for (n, part) in parts.iter().enumerate() {
            let mut row = Row::new();
            if n == 0 {
                event.margin(self.digits, &mut row);
            }
            for other in 0..lane {
                if lives.goes_on(other, i) {
                    row.put(self.fit.starts[other], "│", Style::Faint);
                }
            }
            row.put(start + if n == 0 { 0 } else { 2 }, part, style);
            for other in lane + 1..self.fit.starts.len() {
                let at = self.fit.starts[other];
                if lives.goes_on(other, i) && at > row.end() {
                    row.put(at, "│", Style::Faint);
                }
            }
            if n == 0 {
                let (at, room) = self.place;
                row.put(at, &text::cut_front(&cell.place, room), Style::Faint);
                if let (Some((at, room)), Some(quote)) = (self.quote, &cell.quote) {
                    row.put(at, &text::cut(quote, room), Style::Plain);
                }
            }
            rows.push(row);
        }
    }
}

/// The first and last row of each lane: from the first line of its task to its end, or to the end of the record.
struct Lives(Vec<(usize, usize)>);

impl Lives {
    fn new(lanes: &Lanes, cells: &[Cell<'_>]) -> Lives {
        let mut lives = vec![(usize::MAX, 0); lanes.titles.len()];
        for (i, cell) in cells.iter().enumerate() {
            if let Some(lane) = cell.lane() {
                let (first, _) = lives[lane];
                let ended = matches!(cell.what, What::Event { event, .. } if event.is_last);
                lives[lane] = (first.min(i), if ended { i } else { usize::MAX });
            }
        }
        Lives(lives)
    }
    fn goes_on(&self, lane: usize, i: usize) -> bool {
        let (first, last) = self.0[lane];
        (first..last).contains(&i)
    }
}
