//! What the screen is like on which reports will be read, and a line on it that shows progress.

use raddle_report::{Color, Layout, Sources};
use std::io::{IsTerminal, Write};
use std::path::Path;

/// The layout for standard output. `COLUMNS` overrides the width.
pub fn layout(sources: &Path) -> Layout {
    let terminal = std::io::stdout().is_terminal();
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let width = asked.or_else(|| if terminal { width_of(libc::STDOUT_FILENO) } else { None });
    let mut layout = match width {
        Some(width) => Layout::terminal(width),
        None => Layout::plain(),
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    layout.color = if terminal && !no_color { Color::Always } else { Color::Never };
    layout.sources = Sources::Under(sources.to_path_buf());
    layout
}

fn width_of(channel: libc::c_int) -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the request fills in the structure that it is given.
    let answer = unsafe { libc::ioctl(channel, libc::TIOCGWINSZ, &raw mut size) };
    (answer == 0 && size.ws_col > 0).then_some(size.ws_col as usize)
}

/// Shows how far it has come, on a terminal; in logs and in CI there is nothing to see.
pub struct Progress {
    wanted: bool,
}

impl Progress {
    pub fn new(wanted: bool) -> Progress {
        let in_ci = std::env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false");
        Progress { wanted: wanted && !in_ci && std::io::stderr().is_terminal() }
    }
    /// Shows this instead of what was there.
    pub fn show(&self, text: &str) {
        if self.wanted {
            let width = width_of(libc::STDERR_FILENO).unwrap_or(80);
            let text: String = text.chars().take(width.saturating_sub(1)).collect();
            eprint!("\r\x1b[K{text}");
            let _ = std::io::stderr().flush();
        }
    }
    /// Shows nothing.
    pub fn clear(&self) {
        if self.wanted {
            eprint!("\r\x1b[K");
            let _ = std::io::stderr().flush();
        }
    }
}
