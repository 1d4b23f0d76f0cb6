//! The same failure with as little as it needs: few preemptions, few options, few tasks, few steps.
//!
//! First the least number of preemptions is searched: all executions with none, with one, and so on, as long as that is
//! quick. Then follows delta debugging (Zeller and Hildebrandt 2002) of the schedule: options are put back to the first,
//! tasks are left out, turns of one task are joined.

use super::follow::{Of, Run};
use super::{Simplifier, cost};
use crate::operation::TaskId;
use crate::search::{NoListener, OnFailure, explore};
use crate::strategy::{Bounded, Bounds};
use crate::world::{Pick, World};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// How many executions the search within one bound on preemptions may take, and how many schedules delta debugging may try.
const SEARCHED: u64 = 3_000;
const TRIED: usize = 1_000;
/// How long the search and delta debugging may take, each, if executions are long.
const LONGEST: Duration = Duration::from_secs(1);

/// A simpler execution with the same failure than `before`, if one is found.
pub(super) fn minimal<W, M>(simplifier: &Simplifier<'_, M>, before: &Run) -> Option<Run>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let mut least = Least { run: before.clone(), tried: 0, until: Duration::MAX, simplifier };
    least.reorder();
    if let Some(picks) = with_fewest_preemptions(simplifier, least.run.trace.preemptions()) {
        least.attempt(picks, Of::AllSteps);
        least.reorder();
    }
    least.until = simplifier.plan.clock.now() + LONGEST;
    while least.remove_more() {
        least.reorder();
    }
    (cost(&least.run) < cost(before)).then_some(least.run)
}

/// The same failure with fewer preemptions than `most`, with the smallest number at which it occurs; none if that takes too
/// many executions.
fn with_fewest_preemptions<W, M>(simplifier: &Simplifier<'_, M>, most: u32) -> Option<Vec<Pick>>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let mut plan = simplifier.plan.clone();
    plan.notes_points = false;
    plan.budget.executions = Some(SEARCHED);
    let until = plan.clock.now() + LONGEST;
    for preemptions in 0..most {
        // Another failure may come first.
        for on_failure in [OnFailure::Stop, OnFailure::KeepGoing] {
            let left = until.saturating_sub(plan.clock.now());
            if left.is_zero() || (simplifier.is_late)() {
                return None;
            }
            (plan.on_failure, plan.budget.time) = (on_failure, Some(left));
            let within = Box::new(Bounded::new(Bounds::preemptions(preemptions)));
            let searched = explore(&plan, within, simplifier.make_world, Arc::new(NoListener));
            let mut groups = searched.tally.failures.iter();
            if let Some(group) = groups.find(|group| simplifier.is_same(&group.first)) {
                return Some(group.first.ticket.picks().collect());
            }
            if searched.through {
                break;
            }
            if on_failure == OnFailure::KeepGoing {
                return None;
            }
        }
    }
    None
}

/// The simplest execution so far.
struct Least<'a, 'b, M> {
    run: Run,
    tried: usize,
    until: Duration,
    simplifier: &'a Simplifier<'b, M>,
}

impl<W, M> Least<'_, '_, M>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    /// Tries once to remove each thing that may not be needed. Returns whether something was removed.
    fn remove_more(&mut self) -> bool {
        let before = cost(&self.run);
        let mut next = 0;
        loop {
            let mut picks = self.run.trace.choices();
            let Some(at) = (next..picks.len()).find(|at| picks[*at].option > 0) else { break };
            picks[at].option = 0;
            self.attempt(picks, Of::PossibleChoices);
            next = at + 1;
        }
        let mut tasks: Vec<TaskId> = self.run.trace.choices().iter().map(|pick| pick.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        for task in tasks.into_iter().rev() {
            let mut picks = self.run.trace.choices();
            picks.retain(|pick| pick.task != task);
            self.attempt(picks, Of::PossibleChoices);
        }
        let mut turn = 0;
        while let Some(joined) = join_turns(&self.run.trace.choices(), turn) {
            let is_simpler = joined.into_iter().any(|picks| self.attempt(picks, Of::PossibleChoices));
            turn += usize::from(!is_simpler);
        }
        cost(&self.run) < before
    }

    /// Executes a schedule. Returns whether it is the simplest now.
    fn attempt(&mut self, picks: Vec<Pick>, of: Of) -> bool {
        let Simplifier { plan, is_late, .. } = self.simplifier;
        if self.tried >= TRIED || is_late() || plan.clock.now() > self.until {
            return false;
        }
        self.tried += 1;
        let (failure, run) = self.simplifier.follow(picks, of);
        let is_simpler =
            failure.is_some_and(|failure| self.simplifier.is_same(&failure)) && cost(&run) < cost(&self.run);
        if is_simpler {
            self.run = run;
        }
        is_simpler
    }

    fn reorder(&mut self) {
        if let Some((_, run)) = self.simplifier.reordered(&self.run) {
            self.run = run;
        }
    }
}

/// The schedules in which a turn, by its number, is joined with the next one of its task: that one comes earlier, or the
/// turn comes later. None if there are no more turns.
fn join_turns(picks: &[Pick], turn: usize) -> Option<Vec<Vec<Pick>>> {
    let turns: Vec<&[Pick]> = picks.chunk_by(|one, next| one.task == next.task).collect();
    let task = turns.get(turn)?[0].task;
    let Some(next) = (turn + 1..turns.len()).find(|later| turns[*later][0].task == task) else {
        return Some(Vec::new());
    };
    let (mut earlier, mut later) = (turns.clone(), turns);
    earlier[turn + 1..=next].rotate_right(1);
    later[turn..next].rotate_left(1);
    Some(vec![earlier.concat(), later.concat()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_one_task_are_joined() {
        let schedule = |tasks: &[u32]| -> Vec<Pick> {
            tasks.iter().map(|task| Pick { task: TaskId(*task), option: 0 }).collect()
        };
        let picks = schedule(&[1, 1, 2, 3, 1, 2]);
        let expected = vec![schedule(&[1, 1, 1, 2, 3, 2]), schedule(&[2, 3, 1, 1, 1, 2])];
        assert_eq!(join_turns(&picks, 0), Some(expected));
        assert_eq!(
            join_turns(&picks, 1),
            Some(vec![schedule(&[1, 1, 2, 2, 3, 1]), schedule(&[1, 1, 3, 1, 2, 2])])
        );
        assert_eq!(join_turns(&picks, 2), Some(Vec::new()));
        assert_eq!(join_turns(&picks, 5), None);
    }
}
