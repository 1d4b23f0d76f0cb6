//! What happens while a search goes on: tickets are written, progress is shown, hangs are named.

use crate::observer;
use crate::tickets;
use raddle_core::search::{Listener, Progress};
use raddle_core::verdict::{Failure, thousands};
use raddle_native::{Interrupt, Watchdog};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a task may run without an operation before it is named.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a search goes on quietly.
const QUIET: Duration = Duration::from_secs(2);

pub(crate) struct Listening {
    name: Option<String>,
    watchdog: Watchdog,
    /// Tenths of a second at which progress was last shown.
    shown: AtomicU64,
    /// Whether tickets are written: a replay must not overwrite its own.
    writes: bool,
    ticket: Mutex<Option<Result<PathBuf, String>>>,
    interrupt: Interrupt,
}

impl Listening {
    pub fn new(name: Option<String>, writes: bool) -> Listening {
        let (shown, ticket) = (AtomicU64::new(0), Mutex::new(None));
        let patience = observer::get().map_or(PATIENCE, |o| o.patience());
        let interrupt = Interrupt::new();
        Listening { name, watchdog: Watchdog::new(patience), shown, writes, ticket, interrupt }
    }

    /// Where the ticket is, or why it could not be written.
    pub fn ticket(&self) -> Option<Result<PathBuf, String>> {
        if self.shown.load(Ordering::Relaxed) > 0 {
            eprint!("\r\x1b[K");
        }
        self.ticket.lock().unwrap_or_else(|e| e.into_inner()).take()
    }

    fn words(&self, progress: &Progress) -> String {
        let since = progress.executions - progress.earlier;
        let rate = since as f64 / progress.elapsed.as_secs_f64().max(0.001);
        let name = self.name.as_deref().map(|n| format!("{n}: ")).unwrap_or_default();
        let failures = match progress.failures {
            0 => String::new(),
            n => format!(", {} failed", thousands(n)),
        };
        let estimate = progress.estimate.map(|estimate| {
            let ((least, most), total) = (estimate.range, thousands(estimate.total));
            match estimate.rising {
                true => format!(" of {total} or many more"),
                false if least == most => format!(" of about {total}"),
                false => format!(" of about {total} ({} to {})", thousands(least), thousands(most)),
            }
        });
        let bound = match progress.finished_bound {
            None => String::new(),
            Some(1) => ", all within 1 preemption done".to_owned(),
            Some(n) => format!(", all within {n} preemptions done"),
        };
        let peak = match progress.peak {
            0 => String::new(),
            n => format!(", at most {} steps kept", thousands(n)),
        };
        format!(
            "raddle: {name}{} executions{}{failures}, {} a second{bound}{peak}, {} s",
            thousands(progress.executions),
            estimate.unwrap_or_default(),
            thousands(rate as u64),
            progress.elapsed.as_secs()
        )
    }
}

impl Listener for Listening {
    fn tick(&self, progress: &Progress) {
        let name = self.name.as_deref().map(|n| format!(" in {n}")).unwrap_or_default();
        for words in self.watchdog.look() {
            // Straight to the channel: what is printed, a test harness keeps until the test is over.
            let _ = writeln!(std::io::stderr(), "raddle: watchdog{name}: {words}");
            if let Some(observer) = observer::get() {
                observer.stuck(&words);
            }
        }
        if let Some(observer) = observer::get() {
            // It shows progress itself, if it wants to.
            return observer.tick(progress.executions);
        }
        let tenths = progress.elapsed.as_millis() as u64 / 100;
        let due = tenths >= self.shown.load(Ordering::Relaxed) + 5;
        if progress.elapsed >= QUIET && due && std::io::stderr().is_terminal() {
            self.shown.store(tenths, Ordering::Relaxed);
            eprint!("\r\x1b[K{}", self.words(progress));
            let _ = std::io::stderr().flush();
        }
    }

    fn wants_to_stop(&self) -> bool {
        self.interrupt.is_requested()
    }

    fn failed(&self, failure: &Failure) {
        if self.writes {
            *self.ticket.lock().unwrap_or_else(|e| e.into_inner()) = Some(tickets::write(&failure.ticket));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::search::Estimate;

    #[test]
    fn progress_in_words() {
        let listening = Listening::new(Some("a test".to_owned()), false);
        let mut progress = Progress {
            executions: 12_000,
            earlier: 0,
            failures: 0,
            elapsed: Duration::from_secs(4),
            finished_bound: None,
            peak: 0,
            estimate: None,
        };
        assert_eq!(listening.words(&progress), "raddle: a test: 12,000 executions, 3,000 a second, 4 s");
        (progress.earlier, progress.failures) = (4_000, 2);
        (progress.finished_bound, progress.peak) = (Some(1), 1_200);
        progress.estimate =
            Some(Estimate { total: 34_650, range: (30_000, 51_000), explored: 0.35, rising: false });
        let words = "raddle: a test: 12,000 executions of about 34,650 (30,000 to 51,000), 2 failed, 2,000 a second, all \
                     within 1 preemption done, at most 1,200 steps kept, 4 s";
        assert_eq!(listening.words(&progress), words);
        progress.estimate =
            Some(Estimate { total: 51_000, range: (30_000, 51_000), explored: 0.4, rising: true });
        let words = listening.words(&progress);
        assert!(words.contains("12,000 executions of 51,000 or many more, 2 failed"), "{words}");
    }
}
