//! A search whose bound grows: 0 preemptions, then 1, then 2, so that the first failure has the fewest
//! (Musuvathi and Qadeer, PLDI 2007).
//!
//! Each round explores all executions within its bound and counts only those that no earlier round has counted. The
//! search ends when a round refuses no execution: then the exploration is exhaustive.

use super::{Checkpoint, Checkpoints, Findings, Listener, OnFailure, Plan, Progress, Searched, explore};
use crate::fact::StopReason;
use crate::strategy::Strategy;
use crate::verdict::{Extent, Failure};
use crate::world::World;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

/// Explores with each of these bounds on preemptions in ascending order, until an execution fails or all are explored.
/// `strategy` makes the strategy of a bound; its second argument is the previous bound.
pub fn search_iteratively<W, M>(
    plan: &Plan,
    bounds: RangeInclusive<u32>,
    strategy: impl Fn(u32, Option<u32>) -> Box<dyn Strategy>,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Findings<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    Findings::of(plan, explore_iteratively(plan, bounds, strategy, make_world, listener))
}

/// The same; the result can be merged with others.
pub(crate) fn explore_iteratively<W, M>(
    plan: &Plan,
    bounds: RangeInclusive<u32>,
    strategy: impl Fn(u32, Option<u32>) -> Box<dyn Strategy>,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Searched<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let (begun, began) = (Instant::now(), plan.clock.now());
    let mut total: Option<Searched<W::Outcome>> = None;
    for bound in bounds.clone() {
        // A resumed search has explored all smaller bounds.
        let is_known = |before: &u32| bounds.contains(before) || plan.left.is_some();
        let before = bound.checked_sub(1).filter(is_known);
        let mut plan = plan.clone();
        if total.is_some() {
            (plan.left, plan.explored) = (None, 0.0);
        }
        let known = total.as_ref();
        plan.budget.time = plan.budget.time.map(|time| time.saturating_sub(plan.clock.now() - began));
        let earlier = plan.counted;
        plan.counted += known.map_or(0, |found| found.tally.executions);
        let failures = known.map_or(0, |found| found.tally.failed());
        let peak = known.map_or(0, |found| found.tally.peak);
        if let Some(checkpoints) = &mut plan.checkpoints {
            let earlier = known.map(|found| found.tally.with_outcomes_as_text()).unwrap_or_default();
            let take = checkpoints.take.clone();
            let whole = move |now: Checkpoint| {
                let mut found = earlier.clone();
                found.merge(now.found);
                take(Checkpoint { found, finished_bound: before, ..now });
            };
            *checkpoints = Checkpoints { every: checkpoints.every, take: Arc::new(whole) };
        }
        let listener = listener.clone();
        let round = Arc::new(Round { listener, begun, earlier, failures, finished: before, peak });
        let mut found = explore(&plan, strategy(bound, before), &make_world, round);
        found.finished_bound = match found.extent {
            Extent::Partial(_) => before,
            _ => Some(bound),
        };
        let is_through = !matches!(found.extent, Extent::Within(_));
        if plan.on_failure == OnFailure::Stop && !found.tally.failures.is_empty() {
            found.extent = Extent::Partial(StopReason::FirstFailureWithin {
                preemptions: bound,
                fewest: before.is_some() || bound == 0,
            });
        }
        let is_left = found.interrupted && !is_through && found.left.is_none() && bound < *bounds.end();
        if is_left {
            // This round finished just as the search was stopped: the next round is saved as a whole.
            found.left = strategy(bound + 1, Some(bound)).divisible().and_then(|strategy| strategy.save());
            found.explored = found.left.as_ref().map(|_| 0.0);
            let executions = plan.counted + found.tally.executions;
            found.extent = Extent::Partial(StopReason::Interrupted { executions });
        }
        let all = match total.take() {
            Some(earlier) => earlier.followed_by(found),
            None => found,
        };
        let is_over = is_through
            || all.interrupted
            || !all.tally.failures.is_empty() && plan.on_failure == OnFailure::Stop;
        total = Some(all);
        if is_over {
            break;
        }
    }
    total.expect("there is at least one bound")
}

/// Reports one round to a listener as part of the whole search.
struct Round {
    listener: Arc<dyn Listener>,
    begun: Instant,
    earlier: u64,
    failures: u64,
    finished: Option<u32>,
    /// The peak of the earlier rounds.
    peak: u64,
}

impl Listener for Round {
    fn tick(&self, progress: &Progress) {
        self.listener.tick(&Progress {
            executions: progress.executions,
            earlier: self.earlier,
            failures: self.failures + progress.failures,
            elapsed: self.begun.elapsed(),
            finished_bound: self.finished,
            peak: self.peak.max(progress.peak),
            estimate: progress.estimate,
        });
    }
    fn wants_to_stop(&self) -> bool {
        self.listener.wants_to_stop()
    }
    fn failed(&self, failure: &Failure) {
        if self.failures == 0 {
            self.listener.failed(failure);
        }
    }
}
