//! The searches of one check: with the reduction in the reduced world, restarted while its assumptions are refuted, and
//! without the reduction where it could not decide.

use super::checked::{Checked, Statistics};
use super::{Check, OutcomeOf, Program, SearchKind, Stage, Undecided, resume};
use crate::fact::{Assumption, StopReason};
use crate::search::{
    self, Budget, LazyMap, Listener, OnFailure, Plan, Progress, Saved, Searched, Tally, explore_iteratively,
    grace,
};
use crate::strategy::{Bounds, SavedSubtree};
use crate::verdict::{Coverage, Extent, Failure};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// A check that is under way.
pub(super) struct Exploration<'p, P: Program> {
    pub program: &'p P,
    pub check: &'p Check,
    stage: Stage,
    pub listener: Arc<dyn Listener>,
    /// When it began, and when executions are cut, by the clock of the check.
    pub begun: Duration,
    cut: Option<Duration>,
    /// The reduction could not decide: depth-first search continues.
    pub fallen_back: bool,
    /// The results of an earlier stage of the same search.
    pub earlier: Option<Tally<String>>,
    /// The fraction of the tree that it explored, and its unexplored subtrees.
    pub explored: f64,
    pub left: Option<Vec<SavedSubtree>>,
    /// The bound on preemptions that it was exploring.
    pub round: u32,
}

impl<'p, P: Program> Exploration<'p, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    pub fn new(
        program: &'p P,
        check: &'p Check,
        stage: Stage,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, String> {
        let begun = check.clock.now();
        let mut exploration = Exploration {
            program,
            check,
            stage,
            listener,
            begun,
            cut: stage.cut.or_else(|| check.budget.time.map(|time| begun + time + grace(time))),
            fallen_back: false,
            earlier: None,
            explored: 0.0,
            left: None,
            round: 0,
        };
        if let Some(saved) = &check.resume {
            exploration.resume(Saved::clone(saved))?;
        }
        let reduces = program.reducible().is_none_or(|reducible| reducible.reduces_within_bounds());
        if exploration.is_bounded() && !reduces {
            exploration.fallen_back = exploration.check.is_reduced();
        }
        Ok(exploration)
    }

    fn is_bounded(&self) -> bool {
        !self.check.bounds.is_none() || self.check.is_growing()
    }

    /// Whether a reduction explores now.
    fn is_reduced(&self) -> bool {
        self.check.is_reduced() && !self.fallen_back
    }

    /// Whether the schedules of the results are schedules of the ordinary world.
    pub fn is_concrete(&self) -> bool {
        !self.is_reduced() || self.program.reducible().is_none_or(|reducible| reducible.is_concrete())
    }

    /// Explores until the result is decided, or until there is a reason to stop.
    pub fn run(&mut self) -> Searched<OutcomeOf<P>> {
        let mut stage = self.refined();
        let undecided = stage.tally.undecided + self.earlier.as_ref().map_or(0, |earlier| earlier.undecided);
        let is_open = undecided > 0 && stage.through && stage.tally.failed() == 0;
        if is_open && self.is_reduced() && self.check.undecided == Undecided::FallBack {
            // Depth-first search decides, from the start.
            self.fallen_back = true;
            self.begin_anew();
            stage = self.refined();
        }
        if !self.is_concrete() {
            self.concretise(&mut stage);
        }
        stage
    }

    /// Explores, and restarts while an assumption is refuted.
    fn refined(&mut self) -> Searched<OutcomeOf<P>> {
        loop {
            let mut stage = self.explore();
            let refinable = self.program.refinable().filter(|_| self.check.replay.is_none());
            let Some(refuted) = refinable.filter(|refinable| refinable.is_refuted()) else { return stage };
            stage.left = None;
            // A failure in a world whose schedules are concrete is valid in any case, and replayed in that world.
            let found = !stage.tally.failures.is_empty() && self.check.on_failure == OnFailure::Stop;
            if found && self.is_concrete() || stage.interrupted || !refuted.refine() {
                return stage;
            }
            self.begin_anew();
        }
    }

    /// Discards the results of earlier stages.
    fn begin_anew(&mut self) {
        (self.earlier, self.explored, self.left, self.round) = (None, 0.0, None, 0);
    }

    fn explore(&self) -> Searched<OutcomeOf<P>> {
        let make = || match self.program.reducible().filter(|_| self.is_reduced()) {
            Some(reducible) if self.is_bounded() => reducible.bounded_world(),
            Some(reducible) => reducible.reduced_world(),
            None => self.program.world(),
        };
        let listener = match self.is_concrete() {
            true => self.listener.clone(),
            // Its tickets are valid only after they are converted to schedules of the ordinary world.
            false => Arc::new(WithoutFailures(self.listener.clone())),
        };
        let without_reduction = self.fallen_back.then(|| Check {
            growing: self.check.is_growing(),
            kind: SearchKind::Dfs,
            ..self.check.clone()
        });
        let check = without_reduction.as_ref().unwrap_or(self.check);
        let plan = Plan { checkpoints: self.checkpoints(), ..self.plan() };
        if check.replay.is_some() || !check.is_growing() {
            let bounds = if check.replay.is_some() { Bounds::default() } else { check.bounds };
            return search::explore(&plan, check.strategy(bounds, None), make, listener);
        }
        let most = check.bounds.preemptions.unwrap_or(u32::MAX);
        let strategy =
            |bound, known| check.strategy(Bounds { preemptions: Some(bound), ..check.bounds }, known);
        explore_iteratively(&plan, self.round..=most, strategy, make, listener)
    }

    /// The plan of the next search.
    pub fn plan(&self) -> Plan {
        let Check { budget, workers, on_failure, test, .. } = self.check;
        let mut budget: Budget = budget.clone();
        budget.time = budget.time.map(|time| time.saturating_sub(self.elapsed()));
        if self.check.kind.is_sampled() && self.check.replay.is_none() {
            let most = budget.executions.unwrap_or(u64::MAX);
            budget.executions = Some(most.min(self.check.schedules));
        }
        Plan {
            budget,
            workers: (*workers).max(1),
            on_failure: *on_failure,
            test: test.clone(),
            settings: self.settings(),
            program: self.program.parts(),
            counted: self.earlier.as_ref().map_or(0, |earlier| earlier.executions) + self.stage.drawn,
            explored: self.explored,
            keeps_left: false,
            left: self.left.clone(),
            expected: self.check.replay.clone(),
            repeats_first: self.check.replay.is_none(),
            notes_points: self.check.replay.is_some(),
            checkpoints: None,
            clock: self.check.clock.clone(),
            cut: self.cut,
            seen: None,
            stack: self.check.stack,
        }
    }

    /// How long the check has taken.
    pub fn elapsed(&self) -> Duration {
        self.check.clock.now().saturating_sub(self.begun)
    }

    /// Whether the time of the check, and a little more, is used up.
    pub fn is_late(&self) -> bool {
        self.cut.is_some_and(|cut| cut <= self.check.clock.now())
    }

    /// The settings that shape executions, for tickets.
    pub fn settings(&self) -> LazyMap {
        self.program.settings().and(super::STEPS, self.check.budget.steps)
    }

    /// The results of this stage and the earlier ones.
    pub fn checked(&mut self, stage: Searched<OutcomeOf<P>>) -> Checked<OutcomeOf<P>> {
        let Searched { tally: mut all, mut extent, interrupted, finished_bound, .. } = stage;
        let mut earlier_outcomes = BTreeMap::new();
        if let Some(mut earlier) = self.earlier.take() {
            earlier_outcomes = resume::add_earlier(&mut all.outcomes, std::mem::take(&mut earlier.outcomes));
            all.merge(earlier.into_outcomes(BTreeMap::new()));
        }
        if all.undecided > 0 && matches!(extent, Extent::Exhaustive | Extent::Within(_)) {
            extent = Extent::Partial(StopReason::Undecided { executions: all.undecided });
        }
        if let (0, Extent::Within(bounds)) = (all.executions, &extent) {
            // The extent is true, but the reason is more useful to the reader.
            extent = Extent::Partial(StopReason::NothingWithin(bounds.clone()));
        }
        if matches!(extent, Extent::Sampled { .. } | Extent::Partial(_)) && self.check.kind.is_sampled() {
            let within = self.check.bounds.list().into_iter().map(Assumption::SampledWithin);
            all.assumptions.splice(0..0, within);
        }
        all.assumptions.splice(0..0, self.change_since_ticket().map(Assumption::ChangedSinceTicket));
        if self.check.on_failure == OnFailure::Stop {
            // The search may have seen other failures before it stopped. They are not reported.
            all.failures.truncate(1);
        }
        Checked {
            stages: Vec::new(),
            coverage: Coverage { extent, executions: all.executions, assumptions: all.assumptions },
            failures: all.failures,
            statistics: Statistics {
                abandoned: all.abandoned,
                undecided: all.undecided,
                steps: all.steps,
                peak: all.peak,
                failures_by_kind: all.failures_by_kind,
                finished_bound,
                // Measured when the failure is confirmed and simplified.
                elapsed: Duration::ZERO,
            },
            outcomes: all.outcomes,
            earlier_outcomes,
            interrupted,
            left: None,
        }
    }
}

/// Passes on all events except failures. Checkpoints do not come this way: see [`Exploration::checkpoints`].
struct WithoutFailures(Arc<dyn Listener>);

impl Listener for WithoutFailures {
    fn tick(&self, progress: &Progress) {
        self.0.tick(progress);
    }
    fn wants_to_stop(&self) -> bool {
        self.0.wants_to_stop()
    }
    fn failed(&self, _: &Failure) {}
}
