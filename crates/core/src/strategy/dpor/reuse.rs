//! Reuses the memory of a finished reduction for the next one on the same thread: a small search takes less time than
//! the allocation. Invariant: a spare reduction is in the state of a new one.

use super::OptimalDpor;
use crate::strategy::{Decision, Divisible, Estimating, Next, Standing, Strategy};
use crate::trace::Trace;
use crate::verdict::{Extent, Verdict};
use crate::world::{Ending, Point, Variation};
use std::cell::Cell;

thread_local! {
    static SPARE: Cell<Option<Box<OptimalDpor>>> = const { Cell::new(None) };
}

/// The memory of longer executions is freed.
const LONGEST: usize = 4_096;

/// A reduction whose memory is reused. Its box is kept, since the reduction is too large to be moved for nothing.
struct Reused(Option<Box<OptimalDpor>>);

impl OptimalDpor {
    /// A search of the whole tree, as [`OptimalDpor::new`], in reused memory.
    pub fn boxed() -> Box<dyn Strategy> {
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        Box::new(Reused(Some(spare.unwrap_or_else(|| Box::new(OptimalDpor::new())))))
    }

    /// Resets it to the state of a new one.
    fn clear(&mut self) {
        let OptimalDpor { path, work, schedule, .. } = self;
        path.clear();
        work.clear();
        work.begin();
        schedule.clear();
        let OptimalDpor {
            taken,
            deferred,
            sleeper,
            is_revisit,
            is_met,
            time,
            found,
            variation,
            same,
            started,
            begun,
            ..
        } = self;
        (*taken, *time, *same, *found) = (0, 0, 0, 0);
        (*deferred, *sleeper, *is_revisit, *is_met) = (None, None, false, false);
        *variation = Variation::State;
        (*started, *begun) = (false, false);
        let OptimalDpor { share, reported, inherited, scratch: _, peak, .. } = self;
        (*share, *reported) = (1.0, 0.0);
        inherited.clear();
        *peak = 0;
    }
}

impl Reused {
    #[inline(always)]
    fn inside(&self) -> &OptimalDpor {
        self.0.as_ref().expect("only a drop takes it")
    }
    #[inline(always)]
    fn inside_mut(&mut self) -> &mut OptimalDpor {
        self.0.as_mut().expect("only a drop takes it")
    }
}

impl Drop for Reused {
    fn drop(&mut self) {
        let Some(mut spare) = self.0.take() else { return };
        if (1..=LONGEST).contains(&spare.path.events.capacity()) {
            spare.clear();
            // There is no next search while the thread is ending.
            _ = SPARE.try_with(|place| place.set(Some(spare)));
        }
    }
}

impl Strategy for Reused {
    fn begin(&mut self, execution: u64) -> Next {
        self.inside_mut().begin(execution)
    }
    fn choose(&mut self, so_far: &Trace, point: &Point<'_>) -> Decision {
        self.inside_mut().choose(so_far, point)
    }
    fn over(&mut self, so_far: &Trace, point: &Point<'_>, ending: Ending) -> Standing {
        self.inside_mut().over(so_far, point, ending)
    }
    fn finish(&mut self, trace: &Trace, verdict: Verdict) {
        self.inside_mut().finish(trace, verdict);
    }
    fn extent(&self, executions: u64) -> Extent {
        self.inside().extent(executions)
    }
    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        self.inside_mut().divisible()
    }
    fn estimating(&mut self) -> Option<&mut dyn Estimating> {
        self.inside_mut().estimating()
    }
}
