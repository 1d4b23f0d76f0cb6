//! A line on standard error that shows the progress of a search, if that is a terminal.

use crate::output;
use crate::screen::Channel;
use raddle_core::search::Progress;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a search takes before the line is shown.
const QUIET: Duration = Duration::from_secs(2);
/// After how many tenths of a second the line is shown again.
const AGAIN: u64 = 5;

/// The line.
#[derive(Debug)]
pub struct ProgressLine {
    wanted: bool,
    /// Tenths of a second at which it was last shown.
    shown: AtomicU64,
}

impl ProgressLine {
    /// A line that is shown on a terminal, if it is wanted.
    pub fn new(wanted: bool) -> ProgressLine {
        ProgressLine { wanted: wanted && std::io::stderr().is_terminal(), shown: AtomicU64::new(0) }
    }
    /// Reports the progress of a search.
    pub fn tick(&self, name: Option<&str>, progress: &Progress) {
        let tenths = progress.elapsed.as_millis() as u64 / 100;
        let due = tenths >= self.shown.load(Ordering::Relaxed) + AGAIN;
        if self.wanted && progress.elapsed >= QUIET && due {
            self.shown.store(tenths, Ordering::Relaxed);
            self.show(&raddle_report::progress(name, progress));
        }
    }
    /// Replaces the line by this text.
    pub fn show(&self, text: &str) {
        if self.wanted {
            let width = Channel::Error.width().unwrap_or(80);
            let text: String = text.chars().take(width.saturating_sub(1)).collect();
            output::direct(&format!("\r\x1b[K{text}"));
        }
    }
    /// Removes the line, if it is shown.
    pub fn clear(&self) {
        if self.wanted && self.shown.swap(0, Ordering::Relaxed) > 0 {
            self.wipe();
        }
    }
    /// Clears the line in any case.
    pub fn wipe(&self) {
        if self.wanted {
            output::direct("\r\x1b[K");
        }
    }
}
