//! A search in stages: a few random schedules, since most failures are not rare; few preemptions, where executions are
//! long and all behaviours are too many; every behaviour; and random schedules for the rest of the time.
//!
//! Each stage is a check of its own within the time of the whole, and reports what it covered. The first stage that fails
//! or that explores everything is the last one.

use super::{Check, Checked, OutcomeOf, Program, SearchKind, Stage, one_stage};
use crate::fact::StopReason;
use crate::search::{Listener, OnFailure, grace};
use crate::strategy::{Bounds, Sampler};
use crate::verdict::{Coverage, Extent};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// The first stage draws so many schedules.
const BURST: u64 = 64;
/// The first stage takes at most this part of the time, and the second and the third one this part of what is left then.
const BURST_PART: u32 = 20;
const BOUNDED_PART: u32 = 4;
const EXHAUSTIVE_PART: u32 = 2;
/// An execution of so many steps is long: few of these programs can be explored completely.
const LONG: u64 = 200;
/// Where executions are long, those with at most so many preemptions come first.
const PREEMPTIONS: u32 = 2;

/// The kinds of stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Burst,
    Bounded,
    Exhaustive,
    Samples,
}

/// A search in stages that is under way.
struct Stages<'p, P: Program> {
    program: &'p P,
    check: &'p Check,
    listener: Arc<dyn Listener>,
    begun: Duration,
    /// The stages so far.
    done: Vec<(Kind, Checked<OutcomeOf<P>>)>,
}

/// Checks `program` in stages.
pub(super) fn check<P: Program>(
    program: &P,
    check: &Check,
    listener: Arc<dyn Listener>,
) -> Result<Checked<OutcomeOf<P>>, String>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    // A bound grows only in the second stage.
    let goes_on_bounded = check.resume.as_ref().map(|saved| saved.round.is_some());
    if goes_on_bounded == Some(false) {
        // What was stopped and saved is the stage that enumerates.
        let rest = Check { kind: SearchKind::Exhaustive, ..check.clone() };
        return one_stage(program, &rest, Stage::default(), listener);
    }
    let mut stages = Stages { program, check, listener, begun: check.clock.now(), done: Vec::new() };
    if goes_on_bounded.is_none() {
        stages.run(Kind::Burst)?;
    }
    let begins_bounded = || {
        !stages.is_settled()
            && stages.reduces_within_bounds()
            && stages.has_long_executions()
            && stages.fit(4, Kind::Bounded)
    };
    if goes_on_bounded.is_some() || begins_bounded() {
        stages.run(Kind::Bounded)?;
    }
    if !stages.is_settled() && stages.fit(1, Kind::Exhaustive) {
        stages.run(Kind::Exhaustive)?;
    }
    if !stages.is_settled() {
        stages.run(Kind::Samples)?;
    }
    Ok(stages.together())
}

impl<P: Program> Stages<'_, P>
where
    OutcomeOf<P>: Ord + Debug + Send,
{
    fn run(&mut self, kind: Kind) -> Result<(), String> {
        let (check, stage) = self.stage(kind);
        let mut checked = one_stage(self.program, &check, stage, self.listener.clone())?;
        if kind == Kind::Bounded {
            let finished = match (&checked.coverage.extent, checked.statistics.finished_bound) {
                // The last round was not finished; those before it were.
                (Extent::Partial(StopReason::TimeLimit { .. }), bound) => bound,
                // Whether that is everything is for the next stage to say: it falls back where a reduction cannot decide.
                (Extent::Exhaustive, _) => check.bounds.preemptions,
                _ => None,
            };
            if let Some(bound) = finished {
                let bounds = Bounds { preemptions: Some(bound), ..self.check.bounds };
                checked.coverage.extent = Extent::Within(bounds.list());
            }
        }
        if checked.failures.is_empty() && !self.begins_anew() {
            self.listener.covered(&checked.coverage, checked.statistics.steps);
        }
        self.done.push((kind, checked));
        Ok(())
    }

    /// The check of a stage, and its place.
    fn stage(&self, kind: Kind) -> (Check, Stage) {
        let mut check = self.check.clone();
        let drawn = self.of(Kind::Burst).map_or(0, |burst| burst.coverage.executions);
        check.kind = match kind {
            Kind::Burst | Kind::Samples => SearchKind::Sampled(Sampler::default()),
            Kind::Bounded | Kind::Exhaustive => SearchKind::Exhaustive,
        };
        let (time, now) = (self.check.budget.time, self.check.clock.now());
        let spent = now.saturating_sub(self.begun);
        let left = time.map(|time| time.saturating_sub(spent));
        check.budget.time = match kind {
            Kind::Burst => time.map(|time| time / BURST_PART),
            Kind::Bounded => left.map(|left| left / BOUNDED_PART),
            Kind::Exhaustive => left.map(|left| left / EXHAUSTIVE_PART),
            Kind::Samples => left,
        };
        // One execution is worth all of the time; from the second on, no stage takes the time of the next one.
        let whole = time.map(|time| self.begun + time + grace(time));
        let part = check.budget.time.map(|time| now + time + grace(time));
        let cut = if kind == Kind::Samples || drawn == 0 { whole } else { whole.min(part) };
        if kind != Kind::Samples {
            let executions: u64 = self.done.iter().map(|(_, checked)| checked.executions()).sum();
            check.budget.executions = check.budget.executions.map(|most| most.saturating_sub(executions));
        } else if let Some(most) = &mut check.budget.executions {
            // The numbers of its executions go on after those of the first stage.
            let others = self.done.iter().filter(|(kind, _)| *kind != Kind::Burst);
            *most = most.saturating_sub(others.map(|(_, checked)| checked.executions()).sum());
        }
        if kind != Kind::Bounded {
            check.resume = None;
        }
        if kind == Kind::Burst {
            check.schedules = check.schedules.min(BURST);
        }
        if kind == Kind::Bounded {
            let most = check.bounds.preemptions.unwrap_or(u32::MAX).min(PREEMPTIONS);
            (check.bounds.preemptions, check.growing) = (Some(most), true);
        }
        (check, Stage { cut, drawn: if kind == Kind::Samples { drawn } else { 0 } })
    }

    /// Whether the search ends here, since it begins anew.
    fn begins_anew(&self) -> bool {
        self.program.orderings().is_some_and(|orderings| orderings.ends_search())
    }

    /// Whether few preemptions are explored first, where that is a search of its own.
    fn reduces_within_bounds(&self) -> bool {
        let reducible = self.program.reducible();
        self.program.orderings().is_none()
            || reducible.is_none_or(|reducible| reducible.reduces_within_bounds())
    }

    fn of(&self, wanted: Kind) -> Option<&Checked<OutcomeOf<P>>> {
        self.done.iter().find(|(kind, _)| *kind == wanted).map(|(_, checked)| checked)
    }

    /// Whether few preemptions come first: executions are long, or they take long.
    fn has_long_executions(&self) -> bool {
        let Some(burst) = self.of(Kind::Burst) else { return false };
        let executions = burst.executions();
        let is_cut_short = executions < self.check.schedules.min(BURST);
        self.check.budget.time.is_some() && (is_cut_short || burst.statistics.steps >= LONG * executions)
    }

    /// Whether so many executions fit into the time of a stage, if they take as long as those of the first one.
    fn fit(&self, executions: u32, kind: Kind) -> bool {
        let Some(burst) = self.of(Kind::Burst) else { return true };
        // The first one is made twice, unless its world can be rewound.
        let made = u32::try_from(burst.executions()).unwrap_or(u32::MAX).saturating_add(1);
        let one = burst.statistics.elapsed / made;
        self.stage(kind).0.budget.time.is_none_or(|time| one * executions <= time)
    }

    /// Whether another stage could not add anything, or is not wanted.
    fn is_settled(&self) -> bool {
        let Some((kind, last)) = self.done.last() else { return false };
        let is_all = match &last.coverage.extent {
            Extent::Exhaustive => true,
            // All that the bounds of the user allow.
            Extent::Within(bounds) => *bounds == self.check.bounds.list(),
            _ => false,
        };
        let has_failed = !last.failures.is_empty();
        is_all && *kind != Kind::Burst
            || has_failed && self.check.on_failure == OnFailure::Stop
            || has_failed && !last.failures.iter().all(|group| group.first.kind().can_be_replayed())
            || last.interrupted
            || self.begins_anew()
    }

    /// The result of all stages.
    fn together(mut self) -> Checked<OutcomeOf<P>> {
        let elapsed = self.check.clock.now().saturating_sub(self.begun);
        let (_, mut whole) = self.done.pop().expect("there is a first stage");
        let is_all = matches!(whole.coverage.extent, Extent::Exhaustive | Extent::Within(_));
        if !is_all
            || !whole.failures.is_empty()
            || self.done.iter().any(|(_, stage)| !stage.failures.is_empty())
        {
            self.done.drain(..).rev().for_each(|(kind, earlier)| add(&mut whole, kind, earlier));
        }
        whole.statistics.elapsed = elapsed;
        whole
    }
}

/// Adds an earlier stage that the last one does not include.
fn add<T: Ord>(whole: &mut Checked<T>, kind: Kind, earlier: Checked<T>) {
    whole.statistics.add(&earlier.statistics);
    for (outcome, times) in earlier.outcomes {
        *whole.outcomes.entry(outcome).or_insert(0) += times;
    }
    for group in earlier.failures {
        let cause = &group.first.defect.cause;
        match whole.failures.iter_mut().find(|known| known.first.defect.cause == *cause) {
            Some(known) => (known.first, known.count) = (group.first, known.count + group.count),
            None => whole.failures.insert(0, group),
        }
    }
    if kind == Kind::Exhaustive {
        whole.left = earlier.left;
    }
    match (&mut whole.coverage, earlier.coverage) {
        // The last stage draws on where the first one stopped.
        (
            Coverage { extent: Extent::Sampled { schedules, .. }, executions, .. },
            Coverage { extent: Extent::Sampled { schedules: more, .. }, executions: further, .. },
        ) if kind == Kind::Burst => (*schedules, *executions) = (*schedules + more, *executions + further),
        (_, coverage) if coverage.executions > 0 => whole.stages.insert(0, coverage),
        _ => {}
    }
}
