//! The searches of one check: with the reduction in the reduced world, restarted while its assumptions are refuted, and
//! without the reduction where it could not decide.

use super::checked::{Checked, Statistics};
use super::{Check, OutcomeOf, Program, SearchKind, Undecided, resume};
use crate::fact::{Assumption, StopReason};
use crate::search::{
    self, Budget, LazySettings, Listener, OnFailure, Part, Plan, Progress, Tally, explore_iteratively,
};
use crate::strategy::{Bounds, SavedSubtree};
use crate::verdict::{Coverage, Extent, Failure};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Instant;

/// A check that is under way.
pub(super) struct Exploration<'p, P: Program> {
    pub program: &'p P,
    pub check: &'p Check,
    pub listener: Arc<dyn Listener>,
    pub begun: Instant,
    /// The reduction could not decide: depth-first search continues.
    pub fallen_back: bool,
    /// The results of an earlier stage of the same search.
    pub earlier: Tally<String>,
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
    pub fn new(program: &'p P, check: &'p Check, listener: Arc<dyn Listener>) -> Result<Self, String> {
        let mut exploration = Exploration {
            program,
            check,
            listener,
            begun: Instant::now(),
            fallen_back: false,
            earlier: Tally::default(),
            explored: 0.0,
            left: None,
            round: 0,
        };
        if let Some(saved) = &check.resume {
            exploration.resume(saved.clone())?;
        }
        if exploration.is_bounded() && !program.reduces_within_bounds() {
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
    fn is_concrete(&self) -> bool {
        !self.is_reduced() || self.program.is_concrete()
    }

    /// Explores until the result is decided, or until there is a reason to stop.
    pub fn run(&mut self) -> Part<OutcomeOf<P>> {
        let mut part = self.refined();
        let undecided = part.tally.undecided + self.earlier.undecided;
        let is_open = undecided > 0 && part.through && part.tally.failed() == 0;
        if is_open && self.is_reduced() && self.check.undecided == Undecided::FallBack {
            // Depth-first search decides, from the start.
            self.fallen_back = true;
            self.begin_anew();
            part = self.refined();
        }
        if !self.is_concrete() {
            self.concretise(&mut part);
        }
        part
    }

    /// Explores, and restarts while an assumption is refuted.
    fn refined(&mut self) -> Part<OutcomeOf<P>> {
        let mut part = self.explore();
        while self.is_reduced() && self.program.refine() {
            part.left = None;
            // A failure in a world whose schedules are concrete is valid in any case.
            let found = !part.tally.failures.is_empty() && self.check.on_failure == OnFailure::Stop;
            if found && self.is_concrete() || part.interrupted {
                break;
            }
            self.begin_anew();
            part = self.explore();
        }
        part
    }

    /// Discards the results of earlier stages.
    fn begin_anew(&mut self) {
        (self.earlier, self.explored, self.left, self.round) = (Tally::default(), 0.0, None, 0);
    }

    fn explore(&self) -> Part<OutcomeOf<P>> {
        let make = || if self.is_reduced() { self.program.reduced_world() } else { self.program.world() };
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
        let plan = self.plan();
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
        budget.time = budget.time.map(|time| time.saturating_sub(self.begun.elapsed()));
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
            counted: self.earlier.executions,
            explored: self.explored,
            keeps_left: false,
            left: self.left.clone(),
            expected: self.check.replay.clone().map(Arc::new),
            stack: self.check.stack,
        }
    }

    /// The settings that shape executions, for tickets.
    pub fn settings(&self) -> LazySettings {
        let (settings, steps) = (self.program.settings(), self.check.budget.steps);
        LazySettings::found_by(move || {
            let mut map: BTreeMap<String, String> = settings.to_map();
            map.insert(super::STEPS.to_owned(), steps.to_string());
            map
        })
    }

    /// The results of this stage and the earlier ones.
    pub fn checked(&mut self, part: Part<OutcomeOf<P>>) -> Checked<OutcomeOf<P>> {
        let Part { mut tally, mut extent, interrupted, finished_bound, .. } = part;
        let mut all = std::mem::take(&mut self.earlier);
        let (outcomes, earlier_outcomes) =
            resume::together(std::mem::take(&mut tally.outcomes), std::mem::take(&mut all.outcomes));
        all.merge(tally.into_outcomes(BTreeMap::new()));
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
        if self.check.on_failure == OnFailure::Stop {
            // The search may have seen other failures before it stopped. They are not reported.
            all.failures.truncate(1);
        }
        Checked {
            coverage: Coverage { extent, executions: all.executions, assumptions: all.assumptions },
            failures: all.failures,
            statistics: Statistics {
                abandoned: all.abandoned,
                undecided: all.undecided,
                steps: all.steps,
                peak: all.peak,
                failures_by_kind: all.failures_by_kind,
                finished_bound,
                elapsed: self.begun.elapsed(),
            },
            outcomes,
            earlier_outcomes,
            interrupted,
            left: None,
        }
    }
}

/// Passes on all events except failures.
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
