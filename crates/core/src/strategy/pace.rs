//! Common to all sampling strategies: the length of executions, fairness, the draw of an option.
//!
//! Priorities and delayed tasks are unfair, and a loop without a yield would then spin until the step limit: a false
//! alarm. So when an execution is much longer than all before it, the rest of it is drawn uniformly.

use super::Decision;
use crate::operation::TaskId;
use crate::random::Rng;
use crate::world::{Pick, Point};

/// Counts the points of executions.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    points: u32,
    longest: u32,
}

impl Pace {
    /// No execution is suspicious before this many points.
    const SHORT: u32 = 256;

    pub fn begin(&mut self) {
        self.points = 0;
    }
    /// From here on an execution is suspicious.
    fn limit(&self) -> u32 {
        Self::SHORT.max(self.longest.saturating_mul(4))
    }
    /// Counts one point. Returns whether the choice there must be fair.
    #[inline]
    pub fn must_be_fair(&mut self) -> bool {
        self.points += 1;
        self.points > self.limit()
    }
    /// The number of the present point, from 1.
    #[inline]
    pub fn point(&self) -> u32 {
        self.points
    }
    /// The execution is over and counts for the estimate of the length. Of a suspicious one, only the steps after it
    /// became fair count: a long program is still long then, and an unfair spin loop is not.
    pub fn finish(&mut self) {
        let limit = self.limit();
        let length = if self.points > limit { self.points - limit } else { self.points };
        // Old maxima decay: a spin loop may take any number of iterations.
        self.longest = length.max(self.longest - self.longest.div_ceil(16));
        self.points = 0;
    }
    /// Takes over the lengths of another sampler.
    pub fn hear(&mut self, other: &Pace) {
        self.longest = other.longest;
    }
    /// The largest recent number of points of an execution, approximately.
    pub fn longest(&self) -> u32 {
        self.longest
    }
}

/// Picks `task`, with an option that is drawn uniformly; but an access to memory that has a model mostly takes the last store
/// in modification order, its first option: uniform draws would drown in stale reads.
#[inline]
pub(super) fn take(rng: &mut Rng, point: &Point<'_>, task: TaskId) -> Decision {
    let options = point.pending(task).options;
    let option = match point.memory() {
        _ if options <= 1 => 0,
        Some(memory) if memory.place(task).is_some() => mostly_first(rng, options),
        _ => rng.below(options),
    };
    Decision::take(Pick { task, option })
}

/// The first of so many options with probability 3/4, otherwise each of the others with the same.
fn mostly_first(rng: &mut Rng, options: u32) -> u32 {
    if rng.below(4) > 0 { 0 } else { 1 + rng.below(options - 1) }
}

/// Picks any task, all with the same probability.
#[inline]
pub(super) fn take_any(rng: &mut Rng, point: &Point<'_>) -> Decision {
    let task = any_of(rng, point.enabled());
    take(rng, point, task)
}

/// One of these, all with the same probability.
#[inline]
pub(super) fn any_of(rng: &mut Rng, tasks: &[TaskId]) -> TaskId {
    match tasks {
        [only] => *only,
        _ => tasks[rng.below(tasks.len() as u32) as usize],
    }
}
