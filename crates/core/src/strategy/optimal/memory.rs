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

    /// Whoever comes next may have it.
    pub(super) fn give_back(mut self: Box<Optimal>) {
        if self.path.events.capacity() > LONGEST {
            return;
        }
        self.clear();
        // Nobody comes next while the thread comes to its end.
        let _ = SPARE.try_with(|spare| spare.set(Some(self)));
    }

    /// Is as good as new.
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
