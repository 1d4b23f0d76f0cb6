//! A check whose memory model depends on the program: sequential consistency, and RC11 where an ordering is weaker than
//! `SeqCst`.
//!
//! The search begins under sequential consistency. At the first weaker ordering it begins anew and is made twice: first under
//! sequential consistency, then under RC11. So a failure that needs no weak memory is found without it; what RC11 costs takes
//! nothing from the verdict under sequential consistency; and where RC11 cannot be explored, that verdict stands, and says
//! why. Invariant: a failure is one of the program under the model that its ticket names.

use super::{Check, Checked, MEMORY, OutcomeOf, Program, SearchKind, Undecided, Weaker, under_one_model};
use crate::check::program::Orderings;
use crate::fact::{Assumption, Obstacle, StopReason};
use crate::memory::Model;
use crate::search::{FailureGroup, Listener, OnFailure, Progress, Saved};
use crate::strategy::Bounds;
use crate::verdict::{Coverage, Extent, Failure};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where sequential consistency was explored exhaustively, the search under RC11 is stopped after so many times its
/// executions, but not before so many.
const MOST_TIMES: u64 = 10;
const MOST_EXECUTIONS: u64 = 10_000;

/// A check that is under way.
struct Models<'p, P: Program> {
    program: &'p P,
    orderings: &'p dyn Orderings,
    check: &'p Check,
    listener: Arc<dyn Listener>,
    begun: Duration,
}

/// Checks `program`.
pub(super) fn check<P: Program>(
    program: &P,
    orderings: &dyn Orderings,
    check: &Check,
    listener: Arc<dyn Listener>,
) -> Result<Checked<OutcomeOf<P>>, String>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    let models = Models { program, orderings, check, listener, begun: check.clock.now() };
    let was_weak =
        |saved: &Saved| saved.settings.get(MEMORY).is_some_and(|model| *model == Model::Rc11.to_string());
    if check.resume.as_deref().is_some_and(was_weak) {
        // What was stopped and saved is the search under RC11.
        return models.search(Model::Rc11, &Check { resume: check.resume.clone(), ..models.weak(None) });
    }
    let obstacle = models.obstacle();
    let may_restart = obstacle.is_none() && check.resume.is_none();
    let mut first = match may_restart {
        true => models.search_until_weaker()?,
        false => models.search(Model::Sc, check)?,
    };
    if !orderings.are_weaker() || models.is_over(&first) {
        return Ok(first);
    }
    if let Some(why) = obstacle {
        since(&mut first, &why);
        return Ok(first);
    }
    if may_restart {
        first = models.search(Model::Sc, &models.first_half())?;
    }
    models.go_on(first)
}

impl<P: Program> Models<'_, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    fn search(&self, model: Model, check: &Check) -> Result<Checked<OutcomeOf<P>>, String> {
        self.orderings.follow(model, Weaker::IsNoted);
        let listener: Arc<dyn Listener> = match model {
            Model::Sc => self.listener.clone(),
            _ => Arc::new(Certain::of(&self.listener, Told::AtOnce)),
        };
        under_one_model(self.program, check, listener)
    }

    /// The search under RC11, if it says something.
    fn search_weak(&self, check: &Check) -> Result<Result<Checked<OutcomeOf<P>>, Obstacle>, String> {
        self.orderings.follow(Model::Rc11, Weaker::IsNoted);
        let told = match self.orderings.may_hide_synchronisation() {
            true => Told::InTheEnd,
            false => Told::AtOnce,
        };
        let certain = Arc::new(Certain::of(&self.listener, told));
        let found = self.usable(under_one_model(self.program, check, certain.clone())?);
        if found.is_ok() {
            certain.tell();
        }
        Ok(found)
    }

    /// The search under sequential consistency, which the first weaker ordering ends.
    fn search_until_weaker(&self) -> Result<Checked<OutcomeOf<P>>, String> {
        self.orderings.follow(Model::Sc, Weaker::EndsSearch);
        under_one_model(self.program, self.check, self.listener.clone())
    }

    /// Why RC11 cannot be explored.
    fn obstacle(&self) -> Option<Obstacle> {
        let check = self.check;
        let is_reduced = check.is_reduced();
        if check.kind == SearchKind::PreemptionBounding {
            return Some(Obstacle::Strategy);
        }
        if is_reduced && (!check.bounds.is_none() || check.growing) {
            return Some(Obstacle::Bounds);
        }
        self.orderings.obstacle(is_reduced)
    }

    /// Whether there is nothing more to search for.
    fn is_over(&self, found: &Checked<OutcomeOf<P>>) -> bool {
        found.interrupted || !found.failures.is_empty() && self.check.on_failure == OnFailure::Stop
    }

    fn time_left(&self) -> Option<Duration> {
        let spent = self.check.clock.now().saturating_sub(self.begun);
        self.check.budget.time.map(|time| time.saturating_sub(spent))
    }

    /// The search under sequential consistency takes at most half of the budget.
    fn first_half(&self) -> Check {
        let mut check = self.check.clone();
        check.budget.time = self.time_left().map(|left| left / 2);
        check.budget.executions = check.budget.executions.map(|most| most.div_ceil(2));
        check.schedules = check.schedules.div_ceil(2);
        check
    }

    /// The search under RC11, after the first one.
    fn weak(&self, first: Option<&Checked<OutcomeOf<P>>>) -> Check {
        let mut check = self.check.clone();
        check.resume = None;
        if !self.orderings.are_stale_reads_bounded() {
            check.undecided = Undecided::Report;
        }
        if check.kind == SearchKind::Iterative {
            // Preemptions are not bounded under RC11.
            (check.kind, check.growing, check.bounds) = (SearchKind::Exhaustive, false, Bounds::default());
        }
        check.budget.time = self.time_left();
        let Some(first) = first else { return check };
        let made = first.executions();
        check.budget.executions = check.budget.executions.map(|most| most.saturating_sub(made));
        if check.kind.is_sampled() {
            check.schedules /= 2;
        }
        if matches!(first.coverage.extent, Extent::Exhaustive | Extent::Within(_)) {
            let most = most_executions(made);
            check.budget.executions = Some(check.budget.executions.map_or(most, |less| less.min(most)));
        }
        check
    }

    fn go_on(&self, first: Checked<OutcomeOf<P>>) -> Result<Checked<OutcomeOf<P>>, String> {
        if self.is_over(&first) {
            return Ok(first);
        }
        if first.failures.is_empty() {
            self.listener.covered(&first.coverage, first.statistics.steps);
        }
        let check = self.weak(Some(&first));
        let is_nothing = check.budget.time == Some(Duration::ZERO)
            || check.budget.executions == Some(0)
            || check.kind.is_sampled() && check.schedules == 0;
        let second = match is_nothing {
            true => Err(Obstacle::NothingLeft),
            false => self.search_weak(&check)?,
        };
        let mut whole = match second {
            Ok(second) => together(first, second),
            Err(why) => {
                let mut first = first;
                since(&mut first, &why);
                first
            }
        };
        whole.statistics.elapsed = self.check.clock.now().saturating_sub(self.begun);
        Ok(whole)
    }

    /// The result under RC11, or why it says nothing.
    fn usable(&self, second: Checked<OutcomeOf<P>>) -> Result<Checked<OutcomeOf<P>>, Obstacle> {
        if self.orderings.hides_synchronisation() {
            return Err(Obstacle::HiddenSynchronisation);
        }
        let limit =
            second.failures.iter().map(|group| group.first.kind()).find(|kind| kind.is_limit_of_exploring());
        if let Some(kind) = limit {
            return Err(Obstacle::EndedIn(kind));
        }
        match second.coverage.extent {
            Extent::Partial(StopReason::Undecided { executions })
                if second.failures.is_empty() && second.stages.is_empty() =>
            {
                Err(Obstacle::NotReduced { executions })
            }
            _ => Ok(second),
        }
    }
}

/// How many executions the search under RC11 has at most, if all under sequential consistency were so many.
fn most_executions(made: u64) -> u64 {
    made.saturating_mul(MOST_TIMES).max(MOST_EXECUTIONS)
}

/// Says why only sequential consistency was explored.
fn since<T>(checked: &mut Checked<T>, why: &Obstacle) {
    for coverage in checked.stages.iter_mut().chain([&mut checked.coverage]) {
        for assumption in &mut coverage.assumptions {
            if *assumption == Assumption::SequentiallyConsistent {
                *assumption = Assumption::SequentiallyConsistentSince(why.clone());
            }
        }
    }
}

/// The result of both searches. An exhaustive one under RC11 includes the other one, except for loops that go on for long
/// while others could run: there, these have a round more.
fn together<T: Ord>(first: Checked<T>, mut second: Checked<T>) -> Checked<T> {
    let is_all = matches!(second.coverage.extent, Extent::Exhaustive) && second.stages.is_empty();
    let has_failure = |group: &FailureGroup| {
        second.failures.iter().any(|known| known.first.defect.cause == group.first.defect.cause)
    };
    let includes_first = is_all
        && first.outcomes.keys().all(|outcome| second.outcomes.contains_key(outcome))
        && first.failures.iter().all(has_failure);
    for group in first.failures {
        add_failure(&mut second.failures, group, includes_first);
    }
    second.left = second.left.or(first.left);
    if includes_first {
        return second;
    }
    let stages = first.stages.into_iter().chain([first.coverage]);
    let stages: Vec<Coverage> = stages.filter(|coverage| coverage.executions > 0).collect();
    second.stages.splice(0..0, stages);
    second.statistics.add(&first.statistics);
    add_counts(&mut second.outcomes, first.outcomes);
    add_counts(&mut second.earlier_outcomes, first.earlier_outcomes);
    second
}

/// A failure that needs no weak memory is shown without it.
fn add_failure(failures: &mut Vec<FailureGroup>, group: FailureGroup, is_counted: bool) {
    let cause = &group.first.defect.cause;
    match failures.iter_mut().find(|known| known.first.defect.cause == *cause) {
        Some(known) => {
            known.count += if is_counted { 0 } else { group.count };
            known.first = group.first;
        }
        None => failures.insert(0, group),
    }
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, times) in more {
        *counts.entry(key).or_insert(0) += times;
    }
}

/// When failures are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    AtOnce,
    /// When it is known that they are some of the program.
    InTheEnd,
}

/// Passes on all events except failures that are none of the program.
struct Certain {
    listener: Arc<dyn Listener>,
    told: Told,
    failure: Mutex<Option<Failure>>,
}

impl Certain {
    fn of(listener: &Arc<dyn Listener>, told: Told) -> Certain {
        Certain { listener: listener.clone(), told, failure: Mutex::default() }
    }
    /// The failure that was found last is one of the program.
    fn tell(&self) {
        let found = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(failure) = found {
            self.listener.failed(&failure);
        }
    }
}

impl Listener for Certain {
    fn tick(&self, progress: &Progress) {
        self.listener.tick(progress);
    }
    fn wants_to_stop(&self) -> bool {
        self.listener.wants_to_stop()
    }
    fn covered(&self, coverage: &Coverage, steps: u64) {
        self.listener.covered(coverage, steps);
    }
    fn checkpoint(&self, saved: &Saved) {
        self.listener.checkpoint(saved);
    }
    fn failed(&self, failure: &Failure) {
        if failure.kind().is_limit_of_exploring() {
            return;
        }
        match self.told {
            Told::AtOnce => self.listener.failed(failure),
            Told::InTheEnd => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_under_rc11_is_not_much_longer() {
        assert_eq!([0, 5, 999, 1_001].map(most_executions), [10_000, 10_000, 10_000, 10_010]);
    }
}
