//! Handles the events of a search: tickets are written, progress is shown, hangs are reported.

use crate::observer;
use raddle_core::search::{Listener, Progress, Saved};
use raddle_core::verdict::{Coverage, Failure};
use raddle_native::Watchdog;
use raddle_terminal::{Interrupt, ProgressLine, SearchFile, SearchKeeper, output, path_for, write_ticket};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// How long a task may compute without an operation before it is reported.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why that is worth a word.
const WHY: &str = "raddle can only switch tasks at operations, so a loop or a blocking call that it does not see hangs here";

pub(crate) struct Listening {
    name: Option<String>,
    watchdog: Watchdog,
    line: ProgressLine,
    /// Whether tickets are written: a replay must not overwrite its own.
    writes: bool,
    ticket: Mutex<Option<Result<PathBuf, String>>>,
    search: SearchKeeper,
    interrupt: Interrupt,
}

impl Listening {
    pub fn new(name: Option<String>, writes: bool) -> Listening {
        let (line, ticket) = (ProgressLine::new(true), Mutex::new(None));
        let patience = observer::get().map_or(PATIENCE, |o| o.patience());
        let interrupt = Interrupt::new();
        let test = name.clone();
        let search = SearchKeeper::new(move || path_for(test.as_deref(), "search.json"));
        Listening { name, watchdog: Watchdog::new(patience), line, writes, ticket, search, interrupt }
    }

    /// The file of the ticket, or why it could not be written.
    pub fn ticket(&self) -> Option<Result<PathBuf, String>> {
        self.line.clear();
        self.ticket.lock().unwrap_or_else(|e| e.into_inner()).take()
    }

    /// The search is over. The file with what is left, if it was stopped.
    pub fn finish(&self, left: Option<&Saved>) -> Option<SearchFile> {
        if self.writes { self.search.finish(left) } else { None }
    }
}

impl Listener for Listening {
    fn tick(&self, progress: &Progress) {
        let name = self.name.as_deref().map(|n| format!(" in {n}")).unwrap_or_default();
        for words in self.watchdog.look() {
            // Written directly to the channel: a test harness captures what is printed until the test is over.
            output::error(format_args!("watchdog{name}: {words}; {WHY}"));
            if let Some(observer) = observer::get() {
                observer.stuck(&words);
            }
        }
        if let Some(observer) = observer::get() {
            // The observer shows progress itself.
            return observer.tick(progress);
        }
        self.line.tick(self.name.as_deref(), progress);
    }

    fn wants_to_stop(&self) -> bool {
        self.interrupt.is_requested()
    }

    fn covered(&self, coverage: &Coverage, steps: u64) {
        if let Some(observer) = observer::get() {
            observer.covered(coverage, steps);
        }
    }

    fn checkpoint(&self, saved: &Saved) {
        match observer::get() {
            Some(observer) => observer.checkpoint(saved),
            None if self.writes => self.search.checkpoint(saved),
            None => {}
        }
    }

    fn failed(&self, failure: &Failure) {
        if let Some(observer) = observer::get() {
            observer.failed(failure);
        }
        if self.writes {
            *self.ticket.lock().unwrap_or_else(|e| e.into_inner()) = Some(
                path_for(failure.ticket.test.as_deref(), "json")
                    .and_then(|path| write_ticket(&path, &failure.ticket)),
            );
        }
    }
}
