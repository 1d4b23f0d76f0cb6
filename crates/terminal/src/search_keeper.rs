//! The file of a search: written at each checkpoint and when the search is stopped, and removed when nothing is left to
//! explore.

use crate::files::{SearchFile, write_search};
use crate::{output, store};
use raddle_core::search::Saved;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

type Find = dyn Fn() -> Result<PathBuf, String> + Send + Sync;

/// Keeps the file of one search.
pub struct SearchKeeper {
    find: Box<Find>,
    /// What became of the last checkpoint, if there was one.
    last: Mutex<Option<SearchFile>>,
}

impl SearchKeeper {
    /// The file is where `find` says, which is asked if something is written.
    pub fn new(find: impl Fn() -> Result<PathBuf, String> + Send + Sync + 'static) -> SearchKeeper {
        SearchKeeper { find: Box::new(find), last: Mutex::new(None) }
    }

    fn write(&self, saved: &Saved) -> SearchFile {
        (self.find)().and_then(|path| write_search(&path, saved))
    }

    /// Writes a search that goes on. What cannot be written is said once, and is no reason to stop.
    pub fn checkpoint(&self, saved: &Saved) {
        let done = self.write(saved);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Err(error), false) = (&done, matches!(*last, Some(Err(_)))) {
            // Written directly to the channel: a test harness captures what is printed.
            output::error(format_args!("{error}; the search goes on"));
        }
        *last = match (done, last.take()) {
            // The earlier one is still there.
            (Err(_), Some(Ok(path))) => Some(Ok(path)),
            (done, _) => Some(done),
        };
    }

    /// The search is over: what is left is written, and a checkpoint is out of date.
    pub fn finish(&self, left: Option<&Saved>) -> Option<SearchFile> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(saved) = left {
            return Some(self.write(saved));
        }
        if let Some(Ok(path)) = last {
            // A file that cannot be removed is one that can be resumed: nothing is lost.
            let _ = store::remove(&path, "search");
        }
        None
    }
}

impl fmt::Debug for SearchKeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchKeeper").finish_non_exhaustive()
    }
}
