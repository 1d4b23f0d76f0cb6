//! What the orderings of a program have to do with a failure under a weak memory model: whether it happens under sequential
//! consistency, too; which stores were not seen; and the weakest stronger orderings without which it happens.
//!
//! The strengthening is found by counterexamples: the cheapest orderings that make all failing executions inconsistent that
//! are known are verified by another search, whose failing execution is one more. Invariant: whatever is said of stronger
//! orderings, a search with them has found no such failure.

use super::explore::Exploration;
use super::program::{Variant, Variants};
use super::{MEMORY, OutcomeOf, Program, SearchKind};
use crate::memory::{Explored, MemoryExplanation, Model, OnlyWeak, PlacedGraph, Strengthener, Strengthening};
use crate::record::ExecutionRecord;
use crate::search::{self, NoListener, OnFailure, Plan, replay};
use crate::strategy::Bounds;
use crate::verdict::{Extent, Failure, FailureKind};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How many searches are made.
const ROUNDS: usize = 20;
/// How many executions each of them has at most, and all of them together; and how many steps these have.
const EXECUTIONS: u64 = 10_000;
const ALL_EXECUTIONS: u64 = 30_000;
const ALL_STEPS: u64 = 2_000_000;
/// How long each of them may take, whatever its steps do.
const LIMIT: Duration = Duration::from_secs(5);
/// How many strengthenings of equal cost are verified.
const ALTERNATIVES: usize = 4;

/// The result of a search for the same failure.
enum Tried {
    /// There is none.
    Passed(Explored),
    /// There is one; with its graph, if memory is weak.
    Failed(Option<Box<PlacedGraph>>),
    /// It ended in something else.
    Unknown,
}

/// The searches that may still be made.
struct Left {
    rounds: usize,
    executions: u64,
}

impl<P: Program> Exploration<'_, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    /// What the orderings of the program have to do with a failure, as far as a few searches tell.
    pub(super) fn explain_memory(&self, failure: &Failure) -> Option<MemoryExplanation> {
        let variants = self.program.variants()?;
        // Races are judged by the orderings that the program has, under sequential consistency, too.
        if failure.kind().is_limit_of_exploring() || failure.kind() == FailureKind::DataRace {
            return None;
        }
        if !failure.ticket.settings.contains_key(MEMORY) {
            let orderings = self.program.orderings()?;
            let is_known = orderings.are_weaker() && orderings.obstacle(false).is_none();
            return is_known.then_some(MemoryExplanation::AlsoSequential);
        }
        let (record, graph) = self.graph_of(failure)?;
        let steps = record.steps().count().max(1) as u64;
        let mut left = Left { rounds: ROUNDS, executions: (ALL_STEPS / steps).min(ALL_EXECUTIONS) };
        let sequential = Variant { model: Some(Model::Sc), orderings: Vec::new() };
        let sequential = match self.searched(variants, sequential, failure, &mut left) {
            Tried::Failed(_) => return Some(MemoryExplanation::AlsoSequential),
            Tried::Unknown => return None,
            Tried::Passed(explored) => explored,
        };
        let missed = graph.stale_loads(&record);
        let strengthenings = self.strengthenings(variants, failure, *graph, &mut left);
        Some(MemoryExplanation::OnlyWeak(Box::new(OnlyWeak { sequential, missed, strengthenings })))
    }

    fn strengthenings(
        &self,
        variants: &dyn Variants,
        failure: &Failure,
        graph: PlacedGraph,
        left: &mut Left,
    ) -> Vec<Strengthening> {
        let mut strengthener = Strengthener::default();
        strengthener.add(graph);
        'cheapest: loop {
            let mut found = Vec::new();
            for orderings in strengthener.cheapest() {
                if found.len() == ALTERNATIVES || left.rounds == 0 || left.executions == 0 || self.is_late() {
                    return found;
                }
                let variant = Variant { model: None, orderings: orderings.clone() };
                match self.searched(variants, variant, failure, left) {
                    Tried::Passed(explored) => {
                        let mut orderings = orderings;
                        orderings.sort();
                        found.push(Strengthening { orderings, explored });
                    }
                    Tried::Failed(Some(graph)) => {
                        strengthener.add(*graph);
                        if found.is_empty() {
                            continue 'cheapest;
                        }
                    }
                    Tried::Failed(None) | Tried::Unknown => {}
                }
            }
            return found;
        }
    }

    /// Searches for the same failure in a variant of the program.
    fn searched(
        &self,
        variants: &dyn Variants,
        variant: Variant,
        failure: &Failure,
        left: &mut Left,
    ) -> Tried {
        variants.vary(Some(variant));
        let tried = self.searched_now(failure, left);
        variants.vary(None);
        tried
    }

    fn searched_now(&self, failure: &Failure, left: &mut Left) -> Tried {
        let mut plan = self.plan().of_one_execution();
        plan.settings = self.settings();
        plan.budget.executions = Some(left.executions.min(EXECUTIONS));
        let time_left = self.check.budget.time.map(|time| time.saturating_sub(self.elapsed()));
        plan.budget.time = Some(time_left.map_or(LIMIT, |left| left.min(LIMIT)));
        (plan.on_failure, plan.keeps_left) = (OnFailure::Stop, false);
        let make = || match self.program.reducible() {
            Some(reducible) => reducible.reduced_world(),
            None => self.program.world(),
        };
        let strategy = SearchKind::Exhaustive.strategy(Bounds::default(), None, 0);
        let found = search::explore(&plan, strategy, make, Arc::new(NoListener));
        left.rounds -= 1;
        left.executions = left.executions.saturating_sub(found.tally.executions);
        match found.tally.failures.first() {
            None if found.tally.executions == 0 => Tried::Unknown,
            None => Tried::Passed(Explored {
                executions: found.tally.executions,
                exhaustive: found.extent == Extent::Exhaustive,
            }),
            Some(group) if group.first.kind() == failure.kind() => {
                Tried::Failed(self.graph_of(&group.first).map(|(_, graph)| graph))
            }
            Some(_) => Tried::Unknown,
        }
    }

    /// The execution of a failure and its graph, if memory is weak.
    fn graph_of(&self, failure: &Failure) -> Option<(ExecutionRecord, Box<PlacedGraph>)> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let plan =
            Plan { seen: Some(seen.clone()), settings: self.settings(), ..self.plan().of_one_execution() };
        replay(&plan, &failure.ticket, || self.program.world(), Arc::new(NoListener));
        let seen = seen.lock().expect("the search is over").pop()?;
        Some((seen.record, seen.graph?))
    }
}
