//! A check takes at most a tenth or a second more than its budget, whichever is more: however long its executions are,
//! whatever it does after the search. The clock is turned by the steps of the program.

use crate::common::{HandClock, Op, Op::*, Program as Toys, Toy, program};
use raddle_core::check::{Check, Checked, OutcomeOf, Program, SearchKind, check};
use raddle_core::fact::StopReason;
use raddle_core::search::{LazyMap, NoListener, OnFailure, RealClock};
use raddle_core::strategy::Sampler;
use raddle_core::verdict::{Extent, FailureKind, Replayed};
use std::sync::Arc;
use std::time::Duration;

/// A program whose sleeps turn the clock of its check.
pub struct Timed {
    pub toys: Toys,
    pub clock: Arc<HandClock>,
}

impl Timed {
    pub fn new(toys: Toys) -> Timed {
        Timed { toys, clock: Arc::default() }
    }
    /// Checks it, and returns how long that took by its clock.
    pub fn check(&self, with: &Check) -> (Checked<OutcomeOf<Timed>>, Duration) {
        let begun = self.clock.now();
        let with = Check { clock: self.clock.clone(), ..with.clone() };
        let checked = check(self, &with, Arc::new(NoListener)).unwrap();
        (checked, self.clock.now() - begun)
    }
}

impl Program for Timed {
    type World = Toy;
    fn world(&self) -> Toy {
        Toy::new(&self.toys).timed(&self.clock)
    }
    fn settings(&self) -> LazyMap {
        LazyMap::default()
    }
}

pub fn kinds() -> impl Iterator<Item = SearchKind> {
    SearchKind::NAMED.into_iter().chain(Sampler::ALL.map(SearchKind::Sampled))
}

pub fn within(kind: SearchKind, seconds: u64) -> Check {
    let mut check = Check { schedules: u64::MAX, ..Check::new(kind) };
    check.budget.time = Some(Duration::from_secs(seconds));
    check
}

/// So many tasks that count and sleep, and one more operation at the end of the first of them.
pub fn sleepers(tasks: usize, rounds: usize, ms: u64, last: Op) -> Toys {
    let ops: Vec<Op> = [Add(0, 1), Sleep(ms)].repeat(rounds);
    let mut toys = program([]);
    toys.tasks = vec![ops; tasks];
    toys.tasks[0].push(last);
    toys
}

fn allowed(seconds: u64) -> Duration {
    let budget = Duration::from_secs(seconds);
    budget + (budget / 10).max(Duration::from_secs(1))
}

#[test]
fn no_search_takes_much_longer_than_its_budget() {
    for (rounds, ms) in [(600, 20), (300, 4), (3, 800), (3, 20)] {
        for kind in kinds() {
            for seconds in [4, 30] {
                let (_, took) = Timed::new(sleepers(3, rounds, ms, Yield)).check(&within(kind, seconds));
                assert!(
                    took <= allowed(seconds),
                    "{kind}: {rounds} rounds of {ms} ms took {took:?} of {seconds} s"
                );
            }
        }
    }
}

/// The failing execution took nearly all of the time: there is none to replay it, and it is reported as it is.
#[test]
fn a_failure_is_not_confirmed_after_the_budget() {
    let wrong = Expect(0, 0, FailureKind::Panic);
    for kind in kinds() {
        let (checked, took) = Timed::new(sleepers(1, 1_000, 3, wrong)).check(&within(kind, 4));
        assert_eq!(checked.failure().map(|f| f.replayed.clone()), Some(Some(Replayed::NotInTime)), "{kind}");
        assert!(took <= allowed(4), "{kind}: {took:?}");
        // With more time, it is.
        let (checked, _) = Timed::new(sleepers(1, 1_000, 3, wrong)).check(&within(kind, 60));
        assert_eq!(checked.failure().map(|f| f.replayed.clone()), Some(None), "{kind}");
    }
}

/// Failures that are many, and each of which is one of a long execution.
#[test]
fn counting_failures_ends_in_time() {
    for kind in kinds() {
        let program = Timed::new(sleepers(2, 400, 2, Expect(0, 0, FailureKind::Panic)));
        let (checked, took) = program.check(&Check { on_failure: OnFailure::KeepGoing, ..within(kind, 4) });
        assert!(checked.failed() > 0 && took <= allowed(4), "{kind}: {took:?}");
    }
}

#[test]
fn what_was_cut_is_not_counted_and_cannot_be_resumed() {
    let (checked, _) = Timed::new(sleepers(2, 3_000, 5, Yield)).check(&within(SearchKind::Exhaustive, 4));
    assert_eq!(checked.coverage.extent, Extent::Partial(StopReason::TimeLimit { executions: 0 }));
    assert!(checked.left.is_none(), "the strategy was in the middle of an execution");
    // An execution that ends soon after the time counts.
    let (checked, took) = Timed::new(sleepers(2, 50, 7, Yield)).check(&within(SearchKind::Exhaustive, 4));
    assert!(checked.executions() > 0 && checked.left.is_some() && took > Duration::from_secs(4));
}

/// Each subtree of a long execution is a long list of picks, and there are many: to write them all would take longer than
/// the search.
#[test]
fn a_search_of_long_executions_is_not_saved() {
    let (checked, _) = Timed::new(sleepers(2, 600, 1, Yield)).check(&within(SearchKind::Dfs, 10));
    assert!(checked.executions() > 1 && checked.left.is_none());
    // One that has explored everything when its time is up is complete, however long its executions are.
    let (checked, _) = Timed::new(sleepers(1, 1_200, 1, Yield)).check(&within(SearchKind::Dfs, 1));
    assert_eq!((checked.executions(), checked.coverage.is_exhaustive()), (1, true));
}
