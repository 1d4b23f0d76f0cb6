//! Explains a failing execution by comparison with others that are made for it: some that differ from it in one choice, and
//! some random ones.
//!
//! Invariant: whatever an explanation says holds of executions that were made, and it says of how many.

mod decisive;
mod fix;
mod orderings;
mod torn;

use crate::search::{NoListener, OnFailure, Plan, Seen, search};
use crate::simplify::{Follow, Of, may_be_repeated};
use crate::strategy::{Prefix, Sampler, Strategy};
use crate::verdict::{Explanation, Failure, FailureKind, Tasks};
use crate::world::{Pick, World};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How many random executions are compared, and how many with one other choice are made.
const DRAWN: u64 = 100;
const TRIED: usize = 150;
/// How long each of these may take, if executions are long.
const LIMIT: Duration = Duration::from_secs(1);

/// Compares a failing execution with others. `plan` gives settings and step limit, as for the search that found it. Gives up
/// when `is_late`.
pub fn explain<W, M>(
    plan: &Plan,
    failure: &Failure,
    make_world: M,
    is_late: impl Fn() -> bool,
) -> Option<Explanation>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    // Executions in which loops go round in vain take long, and the loop says it all.
    if !may_be_repeated(failure) || failure.kind() == FailureKind::Livelock || is_late() {
        return None;
    }
    let plan = Plan { notes_points: false, ..plan.clone().of_one_execution() };
    let comparison = Comparison { plan, failure, make_world: &make_world, is_late: &is_late };
    let drawn = comparison.drawn();
    let decisive = decisive::decisive(&comparison, &drawn);
    let mut passing: Vec<_> =
        drawn.iter().filter(|seen| seen.cause.is_none()).map(|seen| &seen.record).collect();
    passing.extend(decisive.as_ref().map(|decisive| &decisive.passing));
    let mut failing: Vec<_> =
        drawn.iter().filter(|seen| comparison.fails_alike(seen)).map(|seen| &seen.record).collect();
    failing.push(&failure.record);
    let mut orderings = orderings::orderings(&failure.record, &failing, &passing);
    let mut tasks = Tasks::These;
    if orderings.is_empty()
        && let Some(torn) = torn::telling(&failure.record, &failing, &passing)
    {
        (orderings, tasks) = (torn.orderings(), Tasks::Any);
    }
    let (failed, passed) = (failing.len() as u64, passing.len() as u64);
    let fix = fix::fix(&comparison, &orderings, &drawn);
    Some(Explanation { failed, passed, decisive: decisive.map(Box::new), orderings, tasks, fix })
}

/// Makes the executions that a failing one is compared with.
struct Comparison<'a, M> {
    plan: Plan,
    failure: &'a Failure,
    make_world: &'a M,
    is_late: &'a dyn Fn() -> bool,
}

impl<W, M> Comparison<'_, M>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    fn fails_alike(&self, seen: &Seen) -> bool {
        seen.cause.as_deref() == Some(&self.failure.defect.cause)
    }

    /// The choices of the failing execution: a ticket has all picks, and the record says which were choices.
    fn choices(&self) -> Vec<Pick> {
        let picks = self.failure.ticket.picks().zip(self.failure.record.steps());
        picks.filter(|(_, step)| !step.by_itself).map(|(pick, _)| pick).collect()
    }

    /// Random executions.
    fn drawn(&self) -> Vec<Seen> {
        let mut plan = self.plan.clone();
        plan.on_failure = OnFailure::KeepGoing;
        plan.budget.executions = Some(DRAWN);
        plan.budget.time = Some(LIMIT);
        // Each step is observed.
        self.made(plan, Box::new(Prefix::new(Vec::new(), Sampler::Uniform.strategy(0))))
    }

    /// The execution with these choices, as far as they are possible in this order, and those that are not as soon as they
    /// are.
    fn followed(&self, choices: Vec<Pick>) -> Option<Seen> {
        let follow = Follow::new(choices, Of::PossibleChoices, Arc::default());
        self.made(self.plan.clone(), Box::new(follow)).pop()
    }

    fn made(&self, mut plan: Plan, strategy: Box<dyn Strategy>) -> Vec<Seen> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        plan.seen = Some(seen.clone());
        search(&plan, strategy, self.make_world, Arc::new(NoListener));
        std::mem::take(&mut *seen.lock().expect("the search is over"))
    }
}
