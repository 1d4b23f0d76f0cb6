//! The properties of the screen of a report.

use raddle_core::limits::WIDEST;
use raddle_report::{Color, Layout};
use std::io::IsTerminal;
use std::sync::OnceLock;

/// Where a report is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Channel {
    fn is_terminal(self) -> bool {
        match self {
            Channel::Output => std::io::stdout().is_terminal(),
            Channel::Error => std::io::stderr().is_terminal(),
        }
    }
    /// How many characters a line has, if it is a terminal.
    pub fn width(self) -> Option<usize> {
        let channel = match self {
            Channel::Output => libc::STDOUT_FILENO,
            Channel::Error => libc::STDERR_FILENO,
        };
        let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the request fills in the structure that it is given.
        let answer = unsafe { libc::ioctl(channel, libc::TIOCGWINSZ, &raw mut size) };
        (answer == 0 && size.ws_col > 0).then_some(size.ws_col as usize)
    }
}

/// When reports have colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

static CHOICE: OnceLock<ColorChoice> = OnceLock::new();

/// Chooses for the whole process. Only the first choice counts.
pub fn choose_color(choice: ColorChoice) {
    let _ = CHOICE.set(choice);
}

/// The layout for a channel: columns on a terminal, lines elsewhere. `COLUMNS` overrides the width.
pub fn layout(channel: Channel) -> Layout {
    let terminal = channel.is_terminal();
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).map(|c: usize| c.min(WIDEST));
    let width = asked.or_else(|| if terminal { channel.width() } else { None });
    let mut layout = match width {
        Some(width) => Layout::terminal(width),
        None => Layout::plain(),
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let color = match CHOICE.get().copied().unwrap_or_default() {
        ColorChoice::Auto => terminal && !no_color,
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    layout.color = if color { Color::Always } else { Color::Never };
    layout
}
