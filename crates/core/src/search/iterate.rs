//! A search whose bound grows: 0 preemptions, then 1, then 2, so that the first failure has the fewest
//! (Musuvathi and Qadeer, PLDI 2007).
//!
//! Each round explores all that is within its bound, and counts only what the rounds before have not counted. It is
//! over when a round refuses nothing any more: then all has been explored.

use super::{Findings, Listener, OnFailure, Plan, Progress, in_words, interrupted_after, search};
use crate::strategy::Strategy;
use crate::verdict::{Extent, Failure};
use crate::world::World;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

/// Explores with each of these bounds on preemptions, from the smallest on, until something fails or everything has
/// been explored. `strategy` is the one for a bound; it is told which bound was the last before.
pub fn search_iteratively<W, M>(
    plan: &Plan,
    bounds: RangeInclusive<u32>,
    strategy: impl Fn(u32, Option<u32>) -> Box<dyn Strategy>,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Findings<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Send,
    M: Fn() -> W + Sync,
{
    let begun = Instant::now();
    let mut total: Option<Findings<W::Outcome>> = None;
    for bound in bounds.clone() {
        // What goes on where an earlier search stopped knows all smaller bounds.
        let is_known = |before: &u32| bounds.contains(before) || plan.left.is_some();
        let before = bound.checked_sub(1).filter(is_known);
        let mut plan = plan.clone();
        if total.is_some() {
            (plan.left, plan.explored) = (None, 0.0);
        }
        let known = total.as_ref();
        plan.budget.time = plan.budget.time.map(|time| time.saturating_sub(begun.elapsed()));
        let earlier = plan.counted;
        plan.counted += known.map_or(0, |found| found.executions);
        let failures = known.map_or(0, |found| found.failures);
        let peak = known.map_or(0, |found| found.peak);
        let listener = listener.clone();
        let round = Arc::new(Round { listener, begun, earlier, failures, finished: before, peak });
        let mut found = search(&plan, strategy(bound, before), &make_world, round);
        found.finished_bound = match found.coverage.extent {
            Extent::Partial(_) => before,
            _ => Some(bound),
        };
        let is_through = !matches!(found.coverage.extent, Extent::Within(_));
        if plan.on_failure == OnFailure::Stop && found.failure.is_some() {
            found.coverage.extent = Extent::Partial(stopped_at(bound, before.is_some() || bound == 0));
        }
        let is_left = found.interrupted && !is_through && found.left.is_none() && bound < *bounds.end();
        if is_left {
            // This round was done in that very moment: the next one is left as a whole.
            found.left = strategy(bound + 1, Some(bound)).divisible().and_then(|strategy| strategy.save());
            found.explored = found.left.as_ref().map(|_| 0.0);
            let executions = in_words(plan.counted + found.executions);
            found.coverage.extent = Extent::Partial(interrupted_after(&executions));
        }
        let all = match total.take() {
            Some(earlier) => earlier.followed_by(found),
            None => found,
        };
        let is_over =
            is_through || all.interrupted || all.failure.is_some() && plan.on_failure == OnFailure::Stop;
        total = Some(all);
        if is_over {
            break;
        }
    }
    total.expect("there is at least one bound")
}

fn stopped_at(preemptions: u32, fewest: bool) -> String {
    let plural = if preemptions == 1 { "" } else { "s" };
    let fewer = if fewest && preemptions > 0 { "; there is none with fewer" } else { "" };
    format!("stopped at the first failure, which has {preemptions} preemption{plural}{fewer}")
}

impl<T: Ord> Findings<T> {
    /// What this search and one that went on from there have found together.
    #[must_use]
    pub(crate) fn followed_by(mut self, later: Findings<T>) -> Findings<T> {
        for (outcome, times) in later.outcomes {
            *self.outcomes.entry(outcome).or_insert(0) += times;
        }
        for (kind, times) in later.failures_by_kind {
            *self.failures_by_kind.entry(kind).or_insert(0) += times;
        }
        for failure in later.failure.into_iter().chain(later.others) {
            let known = self.failure.iter().chain(&self.others).any(|f| f.kind() == failure.kind());
            match &mut self.failure {
                None => self.failure = Some(failure),
                Some(_) if !known => self.others.push(failure),
                Some(_) => {}
            }
        }
        self.executions += later.executions;
        self.abandoned += later.abandoned;
        self.undecided += later.undecided;
        self.peak = self.peak.max(later.peak);
        self.steps += later.steps;
        self.failures += later.failures;
        self.interrupted = later.interrupted;
        self.through = later.through;
        self.left = later.left;
        self.explored = later.explored;
        self.finished_bound = later.finished_bound;
        self.coverage.extent = later.coverage.extent;
        self.coverage.executions = self.executions;
        self.coverage.assumptions.extend(later.coverage.assumptions);
        self.coverage.assumptions.sort();
        self.coverage.assumptions.dedup();
        self
    }
}

/// Tells a listener of one round as a part of the whole.
struct Round {
    listener: Arc<dyn Listener>,
    begun: Instant,
    earlier: u64,
    failures: u64,
    finished: Option<u32>,
    /// The peak of the rounds before.
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
