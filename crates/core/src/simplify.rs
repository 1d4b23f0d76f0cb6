//! Makes a failing schedule easier to read.
//!
//! [`Simplifier::reorder`]: the same behaviour with fewer context switches (Walker 2018, section 5.7). Only independent steps are
//! reordered, so the Mazurkiewicz trace is the same; steps on which the failure does not depend are removed. (The thesis
//! also prunes commits of store buffers, which no world has yet.) [`Simplifier::simplify`]: in addition, what is not needed for the same
//! failure is removed, even if the program behaves differently on the way to it.
//!
//! Invariant: nothing is shown that was not executed. A schedule is accepted only if the same failure occurs with fewer
//! preemptions, options, context switches or steps.

mod follow;
mod minimal;
mod reorder;

use crate::search::{NoListener, Plan, search};
use crate::verdict::{Failure, Simplification, Simplified};
use crate::world::{Ending, Pick, World};
use follow::Run;
pub(crate) use follow::{Follow, Of};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

/// Longer executions are neither simplified nor compared.
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

/// Whether executions like this may be made again and again, to simplify the schedule or to compare it.
pub(crate) fn may_be_repeated(failure: &Failure) -> bool {
    failure.kind().simplification() != Simplification::None && failure.ticket.steps.len() <= LONGEST
}

/// Looks for a simpler schedule of one failure.
pub struct Simplifier<'a, M> {
    plan: Plan,
    failure: &'a Failure,
    may_be_cut: bool,
    make_world: &'a M,
    is_late: &'a dyn Fn() -> bool,
}

impl<'a, M> Simplifier<'a, M> {
    /// None if failures like this are not simplified. `plan` gives settings and step limit, as for the search that found the
    /// failure. Gives up when `is_late`.
    pub fn new(
        plan: &Plan,
        failure: &'a Failure,
        make_world: &'a M,
        is_late: &'a dyn Fn() -> bool,
    ) -> Option<Self> {
        let may_be_cut = failure.kind().simplification() == Simplification::Cut;
        let plan = plan.clone().of_one_execution();
        may_be_repeated(failure).then_some(Simplifier { plan, failure, may_be_cut, make_world, is_late })
    }

    fn is_same(&self, other: &Failure) -> bool {
        other.defect.cause == self.failure.defect.cause
    }
}

impl<W, M> Simplifier<'_, M>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    /// The same failure in a simpler schedule of the same behaviour, if there is one.
    pub fn reorder(&self) -> Option<Failure> {
        let (simple, _) = self.reordered(&self.again()?)?;
        Some(Failure { execution: self.failure.execution, ..simple })
    }

    /// The same failure in a schedule that has as little as possible, if there is one. It says what was removed.
    pub fn simplify(&self) -> Option<Failure> {
        let before = self.again()?;
        let least = minimal::minimal(self, &before)?;
        // Once more, with a record for people.
        let (shown, after) = self.follow(least.trace.choices(), Of::Choices);
        let shown = shown.filter(|shown| self.is_same(shown) && cost(&after) < cost(&before))?;
        let length = |run: &Run| run.trace.steps().len() as u32;
        let simplified = Simplified {
            preemptions: [before.trace.preemptions(), after.trace.preemptions()],
            steps: [length(&before), length(&after)],
        };
        Some(Failure { execution: self.failure.execution, simplified: Some(simplified), ..shown })
    }

    /// The execution that failed; none if it does not fail again.
    fn again(&self) -> Option<Run> {
        let (again, run) = self.follow(self.failure.ticket.picks().collect(), Of::AllSteps);
        again.filter(|again| self.is_same(again)).map(|_| run)
    }

    /// An execution with these picks, and its failure.
    fn follow(&self, picks: Vec<Pick>, of: Of) -> (Option<Failure>, Run) {
        let run = Arc::new(Mutex::new(Run::default()));
        let follow = Follow::new(picks, of, run.clone());
        let findings = search(&self.plan, Box::new(follow), self.make_world, Arc::new(NoListener));
        let run = std::mem::take(&mut *run.lock().expect("the search is over"));
        (findings.failure, run)
    }

    /// The same failure in a simpler order of the same steps, or of those on which it depends.
    fn reordered(&self, before: &Run) -> Option<(Failure, Run)> {
        // Where the execution went on after the failure, its last step is not the one that failed.
        let may_be_cut = self.may_be_cut && before.ending != Some(Ending::Natural);
        let picks = reorder::reorder(before, may_be_cut, self.is_late)?;
        let (simple, after) = self.follow(picks, Of::Choices);
        let simple = simple.filter(|simple| self.is_same(simple) && cost(&after) < cost(before))?;
        Some((simple, after))
    }
}

/// The cost of reading a schedule, the most important term first: preemptions, options other than the first, context
/// switches, steps.
fn cost(run: &Run) -> (u32, usize, usize, usize) {
    let steps = run.trace.steps();
    let options = steps.iter().filter(|step| step.option > 0).count();
    let switches = steps.windows(2).filter(|pair| pair[0].task != pair[1].task).count();
    (run.trace.preemptions(), options, switches, steps.len())
}
