//! The layout of a report: width, colours, sources. The caller finds out what the terminal supports.

use raddle_core::verdict::Coverage;
use std::path::PathBuf;
use std::time::Duration;

/// Whether to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Color {
    /// Plain text.
    #[default]
    Never,
    /// ANSI escape sequences.
    Always,
}

/// Whether, and from where, to quote the source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Sources {
    /// Look in the current directory, in `CARGO_MANIFEST_DIR`, and in the directories above them (the compiler
    /// names files from the root of the workspace).
    #[default]
    Show,
    /// Look in this directory alone.
    Under(PathBuf),
    /// Look in these directories, and in the directories `src`, `test` and `include` beside them. Only these, the current
    /// directory and the toolchain have files that are quoted.
    Beside {
        /// Where the program is.
        folders: Vec<PathBuf>,
        /// Where what it is built with is.
        toolchain: Vec<PathBuf>,
    },
    /// Do not quote.
    Hide,
}

/// The layout of a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The width of the terminal in characters; none where there is no terminal. Without one, and where the columns do
    /// not fit, a record is rendered as lines.
    pub width: Option<usize>,
    /// Whether to colour.
    pub color: Color,
    /// Whether to quote the source.
    pub sources: Sources,
    /// How many lines of a record to show at most. Longer ones are shortened in the middle; loops first.
    pub max_lines: usize,
}

impl Layout {
    /// The default number of lines of a record.
    pub const MAX_LINES: usize = 100;

    /// For files, pipes and logs: lines, no colour.
    pub fn plain() -> Layout {
        Layout { width: None, color: Color::Never, sources: Sources::Show, max_lines: Self::MAX_LINES }
    }
    /// For a terminal of this width, without colour.
    pub fn terminal(width: usize) -> Layout {
        Layout { width: Some(width), ..Layout::plain() }
    }
}

impl Default for Layout {
    fn default() -> Layout {
        Layout::plain()
    }
}

/// Facts about a search that only the runner has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// Where the ticket was written, if it was.
    pub ticket_file: Option<PathBuf>,
    /// Why it could not be written.
    pub ticket_error: Option<String>,
    /// What earlier stages of the search covered.
    pub earlier: Vec<Coverage>,
    /// How long the search took. It is shown where it is given.
    pub elapsed: Option<Duration>,
    /// The command that replays the ticket; none for that of the `raddle` crate.
    pub replay: Option<String>,
    /// Whether the ticket is printed beside that command.
    pub ticket_text: TicketText,
}

/// Whether a ticket is printed beside the command that replays its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TicketText {
    /// It is not.
    #[default]
    Never,
    /// It is, if it is short.
    WhenShort,
}
