//! The memory of a reduction, kept for the next one on the same thread: many a search is over in the time that it takes
//! to get all of it anew.

use super::path::Path;
use super::races::Scratch;
use super::work::{Picks, Work};
use std::cell::Cell;

thread_local! {
    static SPARE: Cell<Option<Memory>> = const { Cell::new(None) };
}

/// Longer executions leave nothing behind.
const LONGEST: usize = 4_096;

/// What a reduction needs, and nothing in it.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub path: Path,
    pub work: Work,
    pub schedule: Picks,
    pub scratch: Scratch,
}

impl Memory {
    /// Nothing has happened yet.
    pub fn take() -> Memory {
        let mut memory = SPARE
            .try_with(Cell::take)
            .ok()
            .flatten()
            .unwrap_or_else(|| Memory { path: Path::with_room(), ..Memory::default() });
        memory.work.begin();
        memory
    }
    /// Whoever comes next may have it.
    pub fn give_back(mut self) {
        if self.path.events.capacity() > LONGEST {
            return;
        }
        self.path.clear();
        self.work.clear();
        self.schedule.clear();
        // Nobody comes next while the thread comes to its end.
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }
}
