//! Partial order sampling (Yuan, Yang, Gu, CAV 2018).
//!
//! Every pending operation has a random priority and the highest is picked; those that conflict with it draw again. So
//! the order of operations that do not race costs nothing, and each race is decided independently.
//!
//! Guarantee: a partial order whose events each race with at most m others at a time is drawn with probability at
//! least (1/(m+1))^U, where U counts the events that race at all.

use super::pace::{self, Pace};
use super::{Decision, Sample};
use crate::operation::Accesses;
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::Point;

/// A random priority per pending operation.
#[derive(Clone, Debug)]
pub struct Pos {
    seed: u64,
    rng: Rng,
    pub(super) pace: Pace,
    /// By task; 0 is not drawn yet.
    priorities: Vec<u64>,
}

impl Pos {
    /// Draws with this seed.
    pub fn new(seed: u64) -> Pos {
        Pos { seed, rng: Rng::new(seed, 0), pace: Pace::default(), priorities: Vec::new() }
    }

    /// Operations that race with `accesses` draw again. Only enabled ones are considered: the others have not shown
    /// their priority since they drew it, so drawing again would change nothing.
    #[inline]
    fn forget_racing(&mut self, point: &Point<'_>, accesses: Accesses) {
        if accesses == Accesses::NONE {
            return;
        }
        for task in point.enabled() {
            if point.pending(*task).accesses.conflict(accesses) {
                self.priorities[task.index()] = 0;
            }
        }
    }
}

impl Sample for Pos {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.priorities.clear();
    }

    #[inline]
    fn choose(&mut self, _so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.priorities.len() < point.all().len() {
            self.priorities.resize(point.all().len(), 0);
        }
        if self.pace.must_be_fair() {
            self.priorities.fill(0);
        }
        let mut best = (0, point.enabled()[0]);
        for task in point.enabled() {
            let priority = &mut self.priorities[task.index()];
            if *priority == 0 {
                *priority = self.rng.next_u64() | 1;
            }
            if *priority > best.0 {
                best = (*priority, *task);
            }
        }
        let task = best.1;
        self.forget_racing(point, point.pending(task).accesses);
        self.priorities[task.index()] = 0;
        pace::take(&mut self.rng, point, task)
    }

    fn finish(&mut self, _trace: &Trace) {
        self.pace.finish();
    }
}
