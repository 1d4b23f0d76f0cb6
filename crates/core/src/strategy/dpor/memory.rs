//! A reduction that is done is kept for the next one on the same thread, with its memory: many a search is over in the time
//! that it takes to get all of it anew.

use super::OptimalDpor;
use crate::world::Variation;
use std::cell::Cell;

thread_local! {
    static SPARE: Cell<Option<Box<OptimalDpor>>> = const { Cell::new(None) };
}

/// Longer executions leave nothing behind.
const LONGEST: usize = 4_096;

impl OptimalDpor {
    /// A search of the whole tree, as [`OptimalDpor::new`], in memory that was used before.
    pub fn boxed() -> Box<OptimalDpor> {
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        spare.unwrap_or_else(|| Box::new(OptimalDpor::new()))
    }

    /// Its memory is kept for the next search.
    pub(super) fn give_back(mut self: Box<OptimalDpor>) {
        if self.path.events.capacity() > LONGEST {
            return;
        }
        self.clear();
        // There is no next search while the thread comes to its end.
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }

    /// Is as good as new.
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
