//! A strategy that draws without looking lets a world draw for itself. What goes wrong is looked at closely.

use crate::common::*;
use raddle_core::operation::TaskId;
use raddle_core::record::ExecutionRecord;
use raddle_core::search::{Findings, NoListener, Plan, search};
use raddle_core::strategy::Random;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{
    Describe, Driver, Ended, Explain, Pick, Point, SelfDriving, UniformDraws, World, drive,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A toy that takes the dice, and counts how often.
struct Draws<'a>(Toy, &'a AtomicU64);

impl Describe for Draws<'_> {
    fn describe(&self, task: TaskId) -> String {
        self.0.describe(task)
    }
    fn describe_last_time(&self, index: usize) -> String {
        self.0.describe_last_time(index)
    }
}

impl World for Draws<'_> {
    type Outcome = Outcome;

    fn start(&mut self) {
        self.0.start();
    }
    fn point(&self) -> Point<'_> {
        self.0.point()
    }
    fn step(&mut self, pick: Pick) {
        self.0.step(pick);
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Outcome> {
        self.0.end(stopped)
    }
    fn self_driving(&mut self) -> Option<&mut dyn SelfDriving> {
        Some(self)
    }
}

impl SelfDriving for Draws<'_> {
    fn run(&mut self, driver: &mut dyn Driver) {
        self.start();
        drive(self, driver);
    }
    fn run_unobserved(&mut self, draws: &mut UniformDraws) -> bool {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.start();
        while !self.point().is_over()
            && let Some(pick) = draws.draw(self.point().enabled(), self.point().all()).pick()
        {
            self.step(pick);
        }
        true
    }
}

impl Explain for Draws<'_> {
    fn record(&self) -> ExecutionRecord {
        self.0.record()
    }
}

/// What is found unobserved, and how many executions were drawn so.
fn unobserved(plan: &Plan, make: impl Fn() -> Toy + Sync) -> (Findings<Outcome>, u64) {
    let drawn = AtomicU64::new(0);
    let found = search(plan, Box::new(Random::new(7)), || Draws(make(), &drawn), Arc::new(NoListener));
    (found, drawn.into_inner())
}

/// b a fails, in half of the executions.
fn half_bad() -> Program {
    program([&[assert_eq(0, 0), Choose(3)], &[Write(0, 1)]])
}

#[test]
fn it_finds_what_looking_finds() {
    for (program, plan) in [(half_bad(), all(1)), (half_bad(), all(3)), (half_bad(), first(2))] {
        let plan = limited(200, plan);
        let open = run(&plan, &program, Random::new(7));
        let (blind, drawn) = unobserved(&plan, || Toy::new(&program));
        assert!(drawn >= blind.executions && open.failures > 0);
        assert_eq!((blind.executions, blind.steps), (open.executions, open.steps));
        assert_eq!((blind.failures, &blind.outcomes), (open.failures, &open.outcomes));
        let told = |found: Findings<Outcome>| {
            let coverage = raddle_report::coverage(&found.coverage);
            (coverage, found.failure.map(|f| (f.execution, f.defect.message(), f.ticket)))
        };
        assert_eq!(told(blind), told(open));
    }
}

/// Three steps are allowed and not a fourth.
#[test]
fn it_stops_at_the_limit_of_steps() {
    for (limit, failures) in [(3, 0), (2, 10)] {
        let mut plan = limited(10, all(1));
        plan.budget.steps = limit;
        let (found, _) = unobserved(&plan, || Toy::new(&program([&[Add(0, 1), Add(0, 1)], &[Read(0)]])));
        assert_eq!(found.failures, failures);
        assert!(
            found.failure.is_none_or(|f| f.kind() == FailureKind::StepLimit && f.ticket.picks().count() == 2)
        );
    }
}

/// The first execution fails, and its repetition plays another program, which passes.
#[test]
fn a_failure_that_does_not_come_again_is_told() {
    let bad = program([&[assert_eq(0, 1)]]);
    let good = program([&[Read(0)]]);
    let (found, _) = unobserved(&limited(10, first(1)), || Toy::new(&bad).twisted(1, &good));
    let failure = found.failure.expect("the failure must not be lost");
    assert_eq!(failure.kind(), FailureKind::NotDeterministic);
    assert_eq!(
        failure.message(),
        "the program is not deterministic: it ended in a panic (main: x0 is 0, not 1), and passed when the same \
         schedule was run again"
    );
}
