//! Reuses the memory of a finished reduction for the next one on the same thread: a small search takes less time than
//! the allocation.

use super::OptimalDpor;
use crate::world::Variation;
use std::cell::Cell;

thread_local! {
    static SPARE: Cell<Option<Box<OptimalDpor>>> = const { Cell::new(None) };
}

/// The memory of longer executions is freed.
const LONGEST: usize = 4_096;

impl OptimalDpor {
    /// A search of the whole tree, as [`OptimalDpor::new`], in reused memory.
    pub fn boxed() -> Box<OptimalDpor> {
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        spare.unwrap_or_else(|| Box::new(OptimalDpor::new()))
    }

    /// Frees its memory.
    fn forget(mut self: Box<OptimalDpor>) {
        self.path.events = Vec::new();
    }

    /// Resets it to the state of a new one.
    fn clear(&mut self) {
        let OptimalDpor { path, work, schedule, .. } = self;
        path.clear();
        work.clear();
        work.begin();
        schedule.clear();
        let OptimalDpor { taken, deferred, sleeper, time, found, variation, same, started, begun, .. } = self;
        (*taken, *time, *same, *found) = (0, 0, 0, 0);
        (*deferred, *sleeper) = (None, None);
        *variation = Variation::State;
        (*started, *begun) = (false, false);
        let OptimalDpor { share, told, inherited, scratch: _, peak, .. } = self;
        (*share, *told) = (1.0, 0.0);
        inherited.clear();
        *peak = 0;
    }
}

impl Drop for OptimalDpor {
    fn drop(&mut self) {
        if !(1..=LONGEST).contains(&self.path.events.capacity()) {
            return;
        }
        self.clear();
        let mut memory = Some(Box::new(std::mem::replace(self, OptimalDpor::without_memory())));
        // There is no next search while the thread is ending.
        let older = SPARE.try_with(|spare| spare.replace(memory.take())).ok().flatten();
        older.into_iter().chain(memory).for_each(OptimalDpor::forget);
    }
}
