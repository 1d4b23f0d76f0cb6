//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010).
//!
//! Every task has a random priority and the enabled task of highest priority is picked; at d-1 random points its
//! priority drops below all others. The number of points k is that of the longest recent execution, the tasks are
//! counted as they appear. A task that yields drops below all (Thomson, Donaldson, Betts, TOPC 2016).
//!
//! Guarantee: with n tasks and at most k points, a bug of depth d is found with probability at least
//! 1/(n k^(d-1)) in each execution after the first, as long as k does not grow.

use super::pace::{self, Pace};
use super::{Decision, Sample};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::{Manner, Point};

/// Priorities with change points.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    depth: u32,
    rng: Rng,
    pub(super) pace: Pace,
    /// By task. Random ones are above [`RANDOM`], those of change points from 1 on, those of yielding tasks below 0.
    priorities: Vec<i64>,
    /// The priority that the picked task gets after a point; by point.
    changes: Vec<(u32, i64)>,
    /// How many of them are past.
    changed: usize,
    lowest: i64,
}

const RANDOM: i64 = 1 << 62;

impl Pct {
    /// Searches bugs of this depth: so many events must happen in the right order, each after the last.
    pub fn new(seed: u64, depth: u32) -> Pct {
        Pct {
            seed,
            depth: depth.max(1),
            rng: Rng::new(seed, 0),
            pace: Pace::default(),
            priorities: Vec::new(),
            changes: Vec::new(),
            changed: 0,
            lowest: 0,
        }
    }
}

impl Sample for Pct {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.priorities.clear();
        self.changes.clear();
        self.changed = 0;
        self.lowest = 0;
        let points = self.pace.longest().max(2);
        for priority in 1..self.depth {
            self.changes.push((1 + self.rng.below(points), priority as i64));
        }
        self.changes.sort_unstable();
    }

    #[inline]
    fn choose(&mut self, _so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.pace.must_be_fair() {
            return pace::take_any(&mut self.rng, point);
        }
        while self.priorities.len() < point.all().len() {
            self.priorities.push(RANDOM | (self.rng.next_u64() >> 2) as i64);
        }
        let highest = point.enabled().iter().copied().max_by_key(|t| self.priorities[t.index()]);
        let task = highest.expect("the point is not over");
        if point.pending(task).manner == Manner::Yielding {
            self.lowest -= 1;
            self.priorities[task.index()] = self.lowest;
        }
        while let Some((_, priority)) = self.changes.get(self.changed).filter(|c| c.0 == self.pace.point()) {
            self.priorities[task.index()] = *priority;
            self.changed += 1;
        }
        pace::take(&mut self.rng, point, task)
    }

    fn finish(&mut self, _trace: &Trace) {
        self.pace.finish();
    }
}
