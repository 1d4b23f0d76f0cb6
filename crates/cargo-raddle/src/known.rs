//! What is known of a test while it is explored, and how long that may take. A process ends by itself at the end of its
//! budget; one that computes or waits without any operation is ended from outside, and what it has said until then is the
//! verdict.

use crate::results::Verdict;
use crate::stuck;
use raddle_core::fact::{SkipReason, StopReason};
use raddle_core::verdict::{Coverage, Extent, Replayed};
use raddle_shadow::protocol::{Explored, Order, Outcome};
use std::process::Child;
use std::time::{Duration, Instant};

/// How long a process may take to begin, and for checks that the test makes itself, beside twice its budget.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much longer than its budget a test may take: a tenth or a second, whichever is more.
pub fn overrun(budget: Duration) -> Duration {
    (budget / 10).max(Duration::from_secs(1))
}

/// What is known of a test so far.
pub struct Known {
    /// The budget; none for no limit. A replay has no overrun: it is only listened to.
    budget: Option<Duration>,
    overrun: Duration,
    started: Instant,
    begun: Option<Instant>,
    pub is_explicit: bool,
    /// The stages that are over.
    pub explored: Vec<Explored>,
    /// The failure that was found, not confirmed.
    pub failed: Option<Outcome>,
}

impl Known {
    pub fn new(order: &Order) -> Known {
        let budget = order.budget.map(Duration::from_millis);
        let overrun = match (&order.replay, budget) {
            // A little is for ending the process.
            (None, Some(budget)) => overrun(budget) * 4 / 5,
            _ => Duration::ZERO,
        };
        let started = Instant::now();
        Known {
            budget,
            overrun,
            started,
            begun: None,
            is_explicit: false,
            explored: Vec::new(),
            failed: None,
        }
    }

    /// The time of the test begins: what the process took to start is not part of it.
    pub fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// Whether the process must be ended.
    pub fn is_late(&self, child: &Child) -> bool {
        let Some(budget) = self.budget else { return false };
        match self.begun {
            Some(begun) if !self.is_explicit => begun.elapsed() > budget + self.overrun,
            // On a busy machine the wall-clock time says little about a process that has not begun.
            _ => {
                let (waited, limit) = (self.started.elapsed(), budget * 2 + PATIENCE);
                waited > limit
                    && (waited > limit * 10
                        || stuck::processor_time(child.id()).is_none_or(|used| used > limit))
            }
        }
    }

    /// The failure that was found, without the result of a replay; none if there is no failure.
    pub fn failure(&mut self, replayed: Replayed) -> Option<(Verdict, Vec<Explored>)> {
        let mut outcome = self.failed.take()?.unpacked();
        let mut explored = std::mem::take(&mut self.explored);
        if let Some(failure) = &mut outcome.failure {
            failure.replayed = Some(replayed);
            let executions = failure.execution;
            let extent = Extent::Partial(StopReason::FirstFailure);
            let coverage = Coverage { extent, executions, assumptions: Vec::new() };
            explored.push(Explored { coverage, steps: 0, search_file: None });
        }
        outcome.explored.clone_from(&explored);
        Some((Verdict::of(&outcome), explored))
    }

    /// The verdict of a process that was ended; `waits` is what it waited for.
    pub fn verdict(mut self, waits: Option<SkipReason>) -> (Verdict, Vec<Explored>) {
        if let Some(failed) = self.failure(Replayed::NotInTime) {
            return failed;
        }
        let explored = self.explored;
        if explored.iter().any(|stage| stage.coverage.executions > 0) {
            return (Verdict::Passed, explored);
        }
        (Verdict::Skipped(waits.unwrap_or(SkipReason::NoExecutionEnded)), Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::verdict::{Defect, Failure, FailureKind};

    fn known() -> Known {
        let order = r#"{"test":"t","strategy":"staged","schedules":9,"keep_going":false,"checkpoint":30000,"seed":0,"workers":1,"spurious":0,
            "time":"idle","budget":4000,"patience":1,"arena":true,"beginning":1,"thread_panics":false}"#;
        Known::new(&serde_json::from_str(order).unwrap())
    }

    fn sampled(executions: u64) -> Explored {
        let extent = Extent::Sampled { schedules: executions, seed: 0 };
        let coverage = Coverage { extent, executions, assumptions: Vec::new() };
        Explored { coverage, steps: 0, search_file: None }
    }

    #[test]
    fn a_test_may_take_a_tenth_or_a_second_more() {
        assert_eq!(overrun(Duration::from_secs(4)), Duration::from_secs(1));
        assert_eq!(overrun(Duration::from_secs(60)), Duration::from_secs(6));
    }

    #[test]
    fn what_a_process_said_before_it_was_ended_is_the_verdict() {
        let mut nothing = known();
        nothing.explored.push(sampled(0));
        let (verdict, explored) = nothing.verdict(None);
        assert!(matches!(verdict, Verdict::Skipped(SkipReason::NoExecutionEnded)) && explored.is_empty());
        let waits = SkipReason::WaitsOutside { what: "for a lock".to_owned() };
        assert!(matches!(known().verdict(Some(waits)).0, Verdict::Skipped(SkipReason::WaitsOutside { .. })));
        let mut some = known();
        some.explored.push(sampled(7));
        let (verdict, explored) = some.verdict(None);
        assert!(matches!(verdict, Verdict::Passed) && explored.len() == 1);
        let mut failed = known();
        let failure = Failure::new(
            Defect::new(FailureKind::Panic, "no"),
            3,
            Default::default(),
            raddle_core::ticket::Ticket::empty(),
        );
        let outcome = Outcome {
            explored: Vec::new(),
            failure: Some(failure),
            ticket: None,
            complaint: None,
            refused: None,
            explicit: false,
            max_steps: 100,
        };
        failed.failed = Some(outcome.packed());
        let (Verdict::Failed(failed), _) = failed.verdict(None) else { panic!("it failed") };
        assert_eq!(failed.failure.unwrap().replayed, Some(Replayed::NotInTime), "it was not replayed");
        assert!(failed.coverage.is_some());
    }
}
