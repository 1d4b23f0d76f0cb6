//! Place priorities: every place of the program has a random priority, and the highest pending one is picked.
//!
//! Partial order sampling by source lines instead of operations. A hundred tasks that execute the same code count as
//! one, and a line of low priority is delayed in all of them, every time: a bug that needs "this line late, that line
//! early" costs the same with 3 tasks as with 100.
//!
//! Guarantee: an order of p places is drawn with probability at least 1/p!, however many tasks and steps there are.

use super::pace::{self, Pace};
use super::sites::Sites;
use super::{Decision, Sample};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::{Manner, Point};

/// A random priority per place in the program.
#[derive(Clone, Debug)]
pub struct Places {
    seed: u64,
    rng: Rng,
    pub(super) pace: Pace,
    sites: Sites,
    /// By site; 0 is not drawn yet.
    priorities: Vec<u64>,
    /// Orders the tasks at one place; odd.
    salt: u64,
}

impl Places {
    /// Draws with this seed.
    pub fn new(seed: u64) -> Places {
        let (rng, sites) = (Rng::new(seed, 0), Sites::new());
        Places { seed, rng, pace: Pace::default(), sites, priorities: Vec::new(), salt: 1 }
    }

    #[inline]
    fn priority(&mut self, site: u16) -> u64 {
        let number = self.sites.number(site);
        if self.priorities.len() <= number {
            self.priorities.resize(number + 1, 0);
        }
        let priority = &mut self.priorities[number];
        if *priority == 0 {
            *priority = self.rng.next_u64() | 1;
        }
        *priority
    }
}

impl Sample for Places {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.priorities.fill(0);
        self.salt = self.rng.next_u64() | 1;
    }

    #[inline]
    fn choose(&mut self, _so_far: &Trace, point: &Point<'_>) -> Decision {
        if self.pace.must_be_fair() {
            return pace::take_any(&mut self.rng, point);
        }
        if let [task] = point.enabled() {
            return pace::take(&mut self.rng, point, *task);
        }
        let mut best = ((0, 0), point.enabled()[0]);
        for task in point.enabled() {
            let pending = point.pending(*task);
            // A yielding task has the lowest priority.
            let first = if pending.manner == Manner::Yielding { 0 } else { self.priority(pending.site()) };
            let key = (first, (task.0 as u64 + 1).wrapping_mul(self.salt));
            if key > best.0 {
                best = (key, *task);
            }
        }
        pace::take(&mut self.rng, point, best.1)
    }

    fn finish(&mut self, _trace: &Trace) {
        self.pace.finish();
    }
}
