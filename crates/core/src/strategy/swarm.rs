//! Swarm scheduling (Walker 2018, chapter 6 and appendix B, after Groce and others' swarm testing, ISSTA 2012).
//!
//! Every task draws a weight from 1 to 50 when it appears, and each choice is a weighted one: tasks make progress at
//! very different rates, which is improbable with a uniform choice. Optionally, at some random points, the task that
//! takes the next step draws a new weight.
//!
//! Guarantee: an execution with n choices among at most t tasks is drawn with probability at least (50 t)^-n.

use super::pace::{self, Pace};
use super::{Decision, Sample};
use crate::random::Rng;
use crate::trace::Trace;
use crate::world::Point;

/// Weighted random choice.
#[derive(Clone, Debug)]
pub struct Swarm {
    seed: u64,
    change_points: u32,
    rng: Rng,
    pub(super) pace: Pace,
    weights: Vec<u32>,
    /// Sorted; taken from the end.
    changes: Vec<u32>,
}

const HEAVIEST: u32 = 50;

impl Swarm {
    /// With so many points at which a task draws a new weight; the paper found none to be best.
    pub fn new(seed: u64, change_points: u32) -> Swarm {
        let rng = Rng::new(seed, 0);
        Swarm { seed, change_points, rng, pace: Pace::default(), weights: Vec::new(), changes: Vec::new() }
    }

    fn weight(rng: &mut Rng) -> u32 {
        1 + rng.below(HEAVIEST)
    }
}

impl Sample for Swarm {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn begin(&mut self, execution: u64) {
        self.rng = Rng::new(self.seed, execution);
        self.pace.begin();
        self.weights.clear();
        self.changes.clear();
        let points = self.pace.longest().max(2);
        for _ in 0..self.change_points {
            self.changes.push(1 + self.rng.below(points));
        }
        self.changes.sort_unstable_by(|a, b| b.cmp(a));
    }

    #[inline]
    fn choose(&mut self, _so_far: &Trace, point: &Point<'_>) -> Decision {
        // Every task has a weight, so this is fair by itself; the pace only counts.
        self.pace.must_be_fair();
        while self.weights.len() < point.all().len() {
            let weight = Swarm::weight(&mut self.rng);
            self.weights.push(weight);
        }
        let enabled = point.enabled();
        let mut task = enabled[0];
        if enabled.len() > 1 {
            let total = enabled.iter().map(|t| self.weights[t.index()]).sum();
            let mut at = self.rng.below(total);
            for candidate in enabled {
                task = *candidate;
                let weight = self.weights[task.index()];
                if at < weight {
                    break;
                }
                at -= weight;
            }
        }
        while self.changes.last() == Some(&self.pace.point()) {
            self.changes.pop();
            self.weights[task.index()] = Swarm::weight(&mut self.rng);
        }
        pace::take(&mut self.rng, point, task)
    }

    fn finish(&mut self, _trace: &Trace) {
        self.pace.finish();
    }
}
