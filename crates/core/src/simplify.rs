//! Makes a failing schedule easier to read: the same behaviour with fewer context switches (Walker 2018, section 5.7).
//!
//! Only independent steps are reordered, so the Mazurkiewicz trace is the same; steps on which the failure does not
//! depend are removed. (The thesis also prunes commits of store buffers, which no world has yet.) The result is
//! replayed once, and accepted only if the same failure occurs with fewer preemptions, context switches or steps.

mod follow;
mod reorder;

use crate::search::{NoListener, OnFailure, Plan, search};
use crate::verdict::{Failure, Simplification};
use crate::world::{Ending, Pick, World};
use follow::{Follow, Of, Run};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// Longer executions are not simplified.
const LONGEST: usize = 2_000;

/// The failure of an execution with these picks; none if it passes. All picks are prescribed, also those of steps that
/// happen by themselves.
pub(crate) fn follow<W, M>(plan: &Plan, picks: Vec<Pick>, make_world: M) -> Option<Failure>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let follow = Follow::new(picks, Of::AllSteps, Arc::default());
    search(plan, Box::new(follow), make_world, Arc::new(NoListener)).failure
}

/// The same failure in a simpler schedule, if there is one. `plan` gives settings and step limit, as for the search
/// that found the failure. Gives up when `is_late`.
pub fn simplify<W, M>(
    plan: &Plan,
    failure: &Failure,
    make_world: M,
    is_late: impl Fn() -> bool,
) -> Option<Failure>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let may_be_cut = match failure.kind().simplification() {
        Simplification::Cut => true,
        Simplification::Reorder => false,
        Simplification::None => return None,
    };
    if failure.ticket.steps.len() > LONGEST {
        return None;
    }
    let mut plan = plan.clone();
    plan.workers = 1;
    plan.on_failure = OnFailure::Stop;
    plan.budget.executions = None;
    plan.budget.time = None;
    let replay = |picks: Vec<Pick>, of: Of| {
        let run = Arc::new(Mutex::new(Run::default()));
        let follow = Follow::new(picks, of, run.clone());
        let findings = search(&plan, Box::new(follow), &make_world, Arc::new(NoListener));
        let run = std::mem::take(&mut *run.lock().expect("the search is over"));
        (findings.failure, run)
    };
    let same =
        |other: &Option<Failure>| other.as_ref().is_some_and(|f| f.defect.cause == failure.defect.cause);
    let (again, before) = replay(failure.ticket.picks().collect(), Of::AllSteps);
    if !same(&again) {
        return None;
    }
    // Where the execution went on after the failure, its last step is not the one that failed.
    let may_be_cut = may_be_cut && before.ending != Some(Ending::Natural);
    let (simple, after) = replay(reorder::reorder(&before, may_be_cut, is_late)?, Of::Choices);
    let better = same(&simple) && cost(&after) < cost(&before);
    let simple = simple.filter(|_| better)?;
    Some(Failure { execution: failure.execution, ..simple })
}

/// The cost of reading a schedule, the most important term first.
fn cost(run: &Run) -> (u32, usize, usize) {
    let steps = run.trace.steps();
    let switches = steps.windows(2).filter(|pair| pair[0].task != pair[1].task).count();
    (run.trace.preemptions(), switches, steps.len())
}
