//! Rows of text at given columns. Only this module writes escape sequences, and escapes all text that it is given; a row
//! never ends with spaces and its pieces never overlap.

use crate::escape;
use crate::layout::Color;
use crate::text;

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Ordinary text.
    Plain,
    /// Text to be seen first.
    Strong,
    /// Less important text.
    Faint,
    /// A preemption.
    Turn,
    /// What went wrong.
    Wrong,
    /// The operations of the task in this lane.
    Lane(usize),
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Strong => "1",
            Style::Faint => "2",
            Style::Turn => "1;33",
            Style::Wrong => "1;31",
            Style::Lane(n) => ["36", "32", "35", "34", "96", "92", "95", "94"][n % 8],
        }
    }
}

#[derive(Clone, Debug)]
struct Piece {
    column: usize,
    text: String,
    width: usize,
    style: Style,
}

/// One row of the report.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pieces: Vec<Piece>,
    end: usize,
}

impl Row {
    /// An empty row.
    pub fn new() -> Row {
        Row::default()
    }
    /// Puts `text` at `column`, or one space after what is there already.
    pub fn put(&mut self, column: usize, text: &str, style: Style) {
        let text = escape::line(text);
        let width = text::width(&text);
        self.push(column, text, width, style);
    }
    /// The row with `text` at `column`, in its own colours.
    #[must_use]
    pub fn with_colors(mut self, column: usize, text: &str, style: Style) -> Row {
        let text = escape::colored(text);
        let width = text::width(&text::without_ansi(&text));
        self.push(column, text, width, style);
        self
    }
    fn push(&mut self, column: usize, text: String, width: usize, style: Style) {
        if text.is_empty() {
            return;
        }
        let column = if self.end == 0 { column } else { column.max(self.end + 1) };
        self.end = column + width;
        self.pieces.push(Piece { column, text, width, style });
    }
    /// The row with `text` at `column`.
    #[must_use]
    pub fn with(mut self, column: usize, text: &str, style: Style) -> Row {
        self.put(column, text, style);
        self
    }
    /// The first column after what is there.
    pub fn end(&self) -> usize {
        self.end
    }
    /// Appends the row and a line break to `out`.
    pub fn render(&self, color: Color, out: &mut String) {
        let mut at = 0;
        for Piece { column, text, width, style } in &self.pieces {
            out.extend(std::iter::repeat_n(' ', column - at));
            match (color, style.code()) {
                (Color::Never, _) | (_, "") => out.push_str(text),
                (Color::Always, code) => {
                    out.push_str("\u{1b}[");
                    out.push_str(code);
                    out.push('m');
                    out.push_str(text);
                    out.push_str("\u{1b}[0m");
                }
            }
            at = column + width;
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(row: Row, color: Color) -> String {
        let mut out = String::new();
        row.render(color, &mut out);
        out
    }

    #[test]
    fn pieces_stand_where_they_are_put_and_never_overlap() {
        let row =
            || Row::new().with(2, "ab ", Style::Strong).with(3, "c", Style::Plain).with(9, " ", Style::Plain);
        assert_eq!(row().end(), 6);
        assert_eq!(render(row(), Color::Never), "  ab c\n");
        assert_eq!(render(row(), Color::Always), "  \u{1b}[1mab\u{1b}[0m c\n");
    }
}
