//! One execution: the kept prefix is replayed, then the strategy chooses each step until the execution ends.

use super::determinism::{no_longer_possible, not_again, not_deterministic, over_too_early};
use super::{Hour, Lookout};
use crate::operation::TaskId;
use crate::strategy::{Decision, Observation, Standing, Strategy};
use crate::ticket::TicketStep;
use crate::trace::{Step, Trace};
use crate::verdict::{Cause, Defect, Found};
use crate::world::{Describe, Driver, End, Ended, Ending, Pending, Pick, Point, UniformDraws, World, drive};

/// How an execution ended.
pub(super) enum Ran<T> {
    Passed(T),
    Failed(Defect),
    /// The execution is redundant.
    Abandoned,
    /// The strategy could not decide how to continue.
    Undecided,
    /// The time of the search was used up. The strategy is in the middle of the execution.
    Cut,
    /// It was asked to stop in the middle: nothing is known of it.
    Interrupted,
}

/// Makes one execution whose first `keep` steps are those of `trace` and whose steps are compared with `expected`. Also
/// returns the number of its steps: they are in the trace, unless the execution was unobserved and passed.
// Inlined: the world may have switched stacks, after which each return is mispredicted.
#[inline(always)]
pub(super) fn execute<W: World>(
    world: &mut W,
    strategy: &mut dyn Strategy,
    trace: &mut Trace,
    keep: usize,
    expected: &[TicketStep],
    max_steps: usize,
    lookout: &mut Lookout,
) -> (Ran<W::Outcome>, usize) {
    let mut unconfirmed = None;
    if let Observation::Nothing(rng) = strategy.observes() {
        let mut draws = UniformDraws::new(rng, max_steps).within(lookout);
        if world.self_driving().is_some_and(|world| world.run_unobserved(&mut draws)) {
            if !draws.are_used_up() {
                match world.end(None).end {
                    End::Passed(outcome) => {
                        trace.truncate(0);
                        let steps = draws.steps();
                        if let Some(as_left) = draws.into_lookout() {
                            *lookout = as_left;
                        }
                        return (Ran::Passed(outcome), steps);
                    }
                    End::Failed(defect) => unconfirmed = Some(defect),
                }
            }
            world.finish();
        }
        if let Some(as_left) = draws.into_lookout() {
            *lookout = as_left;
        }
    }
    // A failure is reproduced step by step: the same random numbers are drawn again.
    let ran = match (look(world, strategy, trace, keep, expected, max_steps, lookout), unconfirmed) {
        (Ran::Passed(_), Some(defect)) => Ran::Failed(not_again(&defect, trace.len())),
        (ran, _) => ran,
    };
    (ran, trace.len())
}

/// The same, observed step by step.
#[inline(always)]
pub(super) fn look<W: World>(
    world: &mut W,
    strategy: &mut dyn Strategy,
    trace: &mut Trace,
    keep: usize,
    expected: &[TicketStep],
    max_steps: usize,
    lookout: &mut Lookout,
) -> Ran<W::Outcome> {
    debug_assert!(keep <= trace.len(), "the strategy keeps more than there was");
    let went_on = trace.len() > keep;
    trace.truncate(keep);
    let look_at = lookout.interval();
    let mut driver = StrategyDriver {
        strategy,
        trace,
        careful_from: 0,
        kept: 0,
        keep,
        max_steps,
        expected,
        lookout,
        look_at,
        is_compared: keep == 0,
        stopped: None,
    };
    if keep > 0 && world.rewind().is_some_and(|world| world.rewind_to(driver.trace.steps())) {
        driver.kept = keep;
        // A state that was restored is the same.
        driver.is_compared = true;
        driver.care();
        drive(world, &mut driver);
    } else {
        driver.care();
        match world.self_driving() {
            Some(world) => world.run(&mut driver),
            None => {
                world.start();
                drive(world, &mut driver);
            }
        }
    }
    let (kept, stopped) = (driver.kept, driver.stopped);
    if world.is_interrupted() {
        return Ran::Interrupted;
    }
    match stopped {
        Some(Stopped::Failed(defect)) => {
            let Ended { ending, end, .. } = world.end(Some(*defect));
            return match end {
                End::Failed(defect) => failed(strategy, trace, world, ending, defect),
                End::Passed(_) => unreachable!("an execution that was stopped does not pass"),
            };
        }
        Some(Stopped::Abandoned) => return Ran::Abandoned,
        Some(Stopped::Undecided) => return Ran::Undecided,
        Some(Stopped::Cut) => return Ran::Cut,
        None => {}
    }
    // The execution ended inside the kept prefix, or where the strategy meant to leave it, or before the inherited
    // prefix was complete. An earlier execution continued there.
    let happened = if kept < keep { kept } else { trace.len() };
    if kept < keep
        || went_on && happened == keep
        || happened < strategy.divisible().map_or(0, |strategy| strategy.prefix().len())
    {
        trace.truncate(happened);
        return Ran::Failed(over_too_early(happened, world.end(None).end));
    }
    let Ended { ending, is_possible, end } = world.end(None);
    let outcome = match end {
        End::Failed(defect) if is_possible => return failed(strategy, trace, world, ending, defect),
        End::Failed(_) => None,
        End::Passed(outcome) => Some(outcome),
    };
    let standing = strategy.over(trace, &world.point(), ending);
    match (outcome, expected.get(happened)) {
        (None, _) => Ran::Abandoned,
        (Some(_), _) if !is_possible || standing == Standing::Redundant => Ran::Abandoned,
        (Some(_), Some(step)) => Ran::Failed(diverged(happened, &step.expect, Found::End)),
        (Some(outcome), None) => Ran::Passed(outcome),
    }
}

/// The execution failed. It is abandoned if an equivalent execution with the same failure is explored elsewhere.
#[cold]
fn failed<W: World>(
    strategy: &mut dyn Strategy,
    trace: &Trace,
    world: &W,
    ending: Ending,
    defect: Defect,
) -> Ran<W::Outcome> {
    // Other failures are not the program's: after one, the state of the strategy is not valid.
    let is_the_programs = defect.kind.can_be_replayed();
    if ending == Ending::Stopped && !is_the_programs {
        return Ran::Failed(defect);
    }
    match strategy.over(trace, &world.point(), ending) {
        Standing::Redundant if is_the_programs => Ran::Abandoned,
        _ => Ran::Failed(defect),
    }
}

/// Why an execution was stopped before its end.
enum Stopped {
    Failed(Box<Defect>),
    Abandoned,
    Undecided,
    Cut,
}

/// Replays the kept prefix, then asks the strategy.
struct StrategyDriver<'a> {
    strategy: &'a mut dyn Strategy,
    trace: &'a mut Trace,
    /// From this length of the trace on, each step takes the checked path: prefix, ticket, step limit and time.
    careful_from: usize,
    /// How many steps of the prefix have been replayed.
    kept: usize,
    keep: usize,
    max_steps: usize,
    /// The steps that a ticket expects; empty if this is no replay.
    expected: &'a [TicketStep],
    lookout: &'a mut Lookout,
    /// At this number of steps the clock is read.
    look_at: usize,
    /// Whether the results of the prefix were compared with those of the previous execution.
    is_compared: bool,
    stopped: Option<Stopped>,
}

impl Driver for StrategyDriver<'_> {
    fn asks_counterfactuals(&self) -> bool {
        matches!(self.strategy.observes(), Observation::Counterfactuals)
    }

    fn kept(&self) -> &[Step] {
        &self.trace.steps()[self.kept..self.keep]
    }

    fn retraced(&mut self, steps: usize) {
        self.kept += steps;
        self.care();
    }

    #[inline]
    fn next(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision {
        if self.trace.len() >= self.careful_from {
            return self.next_kept(point).unwrap_or_else(|| self.next_carefully(point, world));
        }
        let decision = self.strategy.choose(self.trace, point);
        match possible(decision, point) {
            Some((pick, pending)) => self.trace.push_pending(pick, pending, point),
            None => return self.refused(decision, point, world),
        }
        decision
    }

    #[inline]
    fn note(&mut self, task: TaskId, pending: &Pending, world: &dyn Describe) -> bool {
        if self.trace.len() >= self.careful_from && !self.may_note(task, pending, world) {
            return false;
        }
        if self.kept == self.keep {
            self.trace.note(task, pending);
        } else {
            self.kept += 1;
            self.care();
        }
        true
    }
}

/// The pick of a decision and its pending operation, if both exist at this point.
#[inline]
fn possible<'p>(decision: Decision, point: &Point<'p>) -> Option<(Pick, &'p Pending)> {
    let pick = decision.pick()?;
    let pending = point.all().get(pick.task.index())?;
    (pick.option < pending.options).then_some((pick, pending))
}

impl StrategyDriver<'_> {
    #[cold]
    fn stop(&mut self, defect: Defect) -> Decision {
        self.stopped = Some(Stopped::Failed(Box::new(defect)));
        Decision::STOP
    }

    /// Computes from where on steps take the checked path.
    #[inline]
    fn care(&mut self) {
        let careful = self.kept < self.keep
            || !self.is_compared
            || !self.expected.is_empty()
            || self.trace.notes_points();
        self.careful_from = if careful { 0 } else { self.max_steps.min(self.look_at) };
    }

    /// The next step of the prefix, if there is one and it matches the pending operation.
    #[inline]
    fn next_kept(&mut self, point: &Point<'_>) -> Option<Decision> {
        if self.kept == self.keep || self.kept >= self.look_at {
            return None;
        }
        let step = self.trace.steps().get(self.kept)?;
        let pending = point.all().get(step.task.index())?;
        if step.by_itself | (pending.signature != step.signature) | (step.option >= pending.options) {
            return None;
        }
        let decision = Decision::take(step.pick());
        self.kept += 1;
        if self.kept == self.keep {
            self.care();
        }
        Some(decision)
    }

    /// The execution has taken so many steps: reads the clock if it is time to. Returns whether the execution continues.
    fn is_in_time(&mut self, steps: usize) -> bool {
        if steps < self.look_at {
            return true;
        }
        if self.lookout.look() == Hour::Cut {
            self.stopped = Some(Stopped::Cut);
            return false;
        }
        self.look_at = steps.saturating_add(self.lookout.interval());
        self.care();
        true
    }

    #[inline(never)]
    fn next_carefully(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision {
        if self.kept < self.keep {
            if self.kept >= self.look_at {
                if !self.is_in_time(self.kept) {
                    return Decision::STOP;
                }
                if let Some(kept) = self.next_kept(point) {
                    return kept;
                }
            }
            let task = self.trace.steps()[self.kept].task;
            let defect = not_deterministic(world, self.kept, task, task.index() < point.all().len());
            self.trace.truncate(self.kept);
            return self.stop(defect);
        }
        if !self.is_the_same_prefix(world) {
            return Decision::STOP;
        }
        if self.trace.len() >= self.max_steps {
            return self.stop(step_limit(self.max_steps));
        }
        if !self.is_in_time(self.trace.len()) {
            return Decision::STOP;
        }
        self.trace.note_point(point);
        let decision = self.strategy.choose(self.trace, point);
        let Some((pick, pending)) = possible(decision, point) else {
            return self.refused(decision, point, world);
        };
        if !self.is_expected(pick, world) {
            return Decision::STOP;
        }
        self.trace.push_pending(pick, pending, point);
        decision
    }

    /// Whether a step without a decision matches the prefix and the ticket and is within the step limit.
    fn may_note(&mut self, task: TaskId, pending: &Pending, world: &dyn Describe) -> bool {
        if self.kept < self.keep {
            let step = &self.trace.steps()[self.kept];
            let fits = step.task == task && step.signature == pending.signature && step.by_itself;
            if !fits {
                let defect = not_deterministic(world, self.kept, task, true);
                self.trace.truncate(self.kept);
                self.stop(defect);
                self.kept += 1;
            }
            return fits;
        }
        if !self.is_the_same_prefix(world) {
            return false;
        }
        if self.trace.len() >= self.max_steps {
            self.stop(step_limit(self.max_steps));
            return false;
        }
        if !self.is_in_time(self.trace.len()) {
            return false;
        }
        self.is_expected(Pick { task, option: 0 }, world)
    }

    /// Whether the steps of the prefix had the results that they had in the previous execution.
    fn is_the_same_prefix(&mut self, world: &dyn Describe) -> bool {
        if self.is_compared {
            return true;
        }
        self.is_compared = true;
        self.care();
        let Some(difference) = world.differs_from_last_time(self.keep) else { return true };
        self.stop(Defect::not_deterministic(difference));
        false
    }

    /// The strategy stopped the execution, or picked what is not possible.
    #[cold]
    fn refused(&mut self, decision: Decision, point: &Point<'_>, world: &dyn Describe) -> Decision {
        if let Some(pick) = decision.pick() {
            let exists = pick.task.index() < point.all().len();
            return self.stop(no_longer_possible(world, self.trace.len(), pick, exists));
        }
        if decision == Decision::DIVERGED {
            let index = self.trace.len();
            let expected = self.expected.get(index).map_or("a prescribed pick", |step| &step.expect);
            let defect = diverged(index, expected, Found::NotEnabled);
            return self.stop(defect);
        }
        self.stopped = Some(match decision {
            Decision::UNDECIDED => Stopped::Undecided,
            _ => Stopped::Abandoned,
        });
        Decision::STOP
    }

    fn is_expected(&mut self, pick: Pick, world: &dyn Describe) -> bool {
        let index = self.trace.len();
        let Some(step) = self.expected.get(index) else { return true };
        let found = world.describe(pick.task);
        if step.expect == found {
            return true;
        }
        let defect = diverged(index, &step.expect, Found::Step(found));
        self.stop(defect);
        false
    }
}

#[cold]
fn step_limit(max_steps: usize) -> Defect {
    Defect::of(Cause::StepLimit { max_steps })
}

#[cold]
fn diverged(index: usize, expected: &str, found: Found) -> Defect {
    Defect::of(Cause::TicketDiffers { step: index + 1, expected: expected.to_owned(), found })
}
