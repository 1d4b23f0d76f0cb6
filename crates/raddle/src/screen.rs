//! What the screen is like on which a report will be read.

use raddle_report::{Color, Layout};
use std::io::IsTerminal;

/// The layout for standard error: columns on a terminal, lines elsewhere. `COLUMNS` overrides the width.
pub(crate) fn layout() -> Layout {
    let terminal = std::io::stderr().is_terminal();
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let width = asked.or_else(|| if terminal { terminal_width() } else { None });
    let mut layout = match width {
        Some(width) => Layout::terminal(width),
        None => Layout::plain(),
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    layout.color = if terminal && !no_color { Color::Always } else { Color::Never };
    layout
}

fn terminal_width() -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the request fills in the structure that it is given.
    let answer = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then_some(size.ws_col as usize)
}
