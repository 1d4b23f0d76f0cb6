//! A reduction that is done is kept for the next one on the same thread, with its memory: many a search is over in the time
//! that it takes to get all of it anew.

use super::Optimal;
use std::cell::Cell;

thread_local! {
    static SPARE: Cell<Option<Box<Optimal>>> = const { Cell::new(None) };
}

/// Longer executions leave nothing behind.
const LONGEST: usize = 4_096;

impl Optimal {
    /// A search of the whole tree, as [`Optimal::new`], in memory that was used before.
    pub fn boxed() -> Box<Optimal> {
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        spare.unwrap_or_else(|| Box::new(Optimal::new()))
    }

    /// Frees its memory for good.
    fn forget(mut self: Box<Optimal>) {
        self.path.events = Vec::new();
    }

    /// Begins anew, with the same memory.
    fn clear(&mut self) {
        let Optimal { path, work, schedule, .. } = self;
        path.clear();
        work.clear();
        work.begin();
        schedule.clear();
        let Optimal { taken, deferred, fatal, time, same, movers, started, begun, .. } = self;
        (*taken, *time, *same) = (0, 0, 0);
        (*deferred, *fatal) = (None, None);
        movers.clear();
        (*started, *begun) = (false, false);
        let Optimal { share, told, inherited, scratch: _, peak, .. } = self;
        (*share, *told) = (1.0, 0.0);
        inherited.clear();
        *peak = 0;
    }
}

impl Drop for Optimal {
    fn drop(&mut self) {
        if !(1..=LONGEST).contains(&self.path.events.capacity()) {
            return;
        }
        self.clear();
        let mut memory = Some(Box::new(std::mem::replace(self, Optimal::without_memory())));
        // There is no next search while the thread comes to its end.
        let older = SPARE.try_with(|spare| spare.replace(memory.take())).ok().flatten();
        older.into_iter().chain(memory).for_each(Optimal::forget);
    }
}
