//! The decisions of an execution: the world asks its driver for each step.

use super::{Describe, Pending, Pick, Point};
use crate::operation::TaskId;
use crate::random::Rng;
use crate::search::{Hour, Lookout};
use crate::trace::Step;

/// The decision at a point. One word, since it is passed on at every step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Decision(u64);

impl Decision {
    /// This execution is redundant.
    pub const ABANDON: Decision = Decision(u64::MAX);
    /// The same, since every enabled task is in the sleep set.
    pub const SLEEP_SET_BLOCKED: Decision = Decision(u64::MAX - 4);
    /// The strategy cannot decide how to continue: behaviours may be missing from the search.
    pub const UNDECIDED: Decision = Decision(u64::MAX - 3);
    /// The prescribed pick is not possible here.
    pub const DIVERGED: Decision = Decision(u64::MAX - 1);
    /// The execution stops here.
    pub const STOP: Decision = Decision(u64::MAX - 2);

    /// This pick is taken.
    #[inline]
    pub fn take(pick: Pick) -> Decision {
        Decision((pick.task.0 as u64) << 32 | pick.option as u64)
    }
    /// The pick; none if the execution stops.
    #[inline]
    pub fn pick(self) -> Option<Pick> {
        let task = (self.0 >> 32) as u32;
        (task != u32::MAX).then_some(Pick { task: TaskId(task), option: self.0 as u32 })
    }
}

impl std::fmt::Debug for Decision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (*self, self.pick()) {
            (_, Some(pick)) => write!(f, "Take({pick:?})"),
            (Decision::ABANDON, _) => f.write_str("Abandon"),
            (Decision::SLEEP_SET_BLOCKED, _) => f.write_str("SleepSetBlocked"),
            (Decision::UNDECIDED, _) => f.write_str("Undecided"),
            (Decision::DIVERGED, _) => f.write_str("Diverged"),
            _ => f.write_str("Stop"),
        }
    }
}

/// Draws the pick at each point uniformly, first the task and then its option, without regard to the pending
/// operations.
#[derive(Clone, Debug)]
pub struct UniformDraws {
    rng: Rng,
    steps: usize,
    most: usize,
    /// At this number of steps, the step limit and the clock are looked at.
    look_at: usize,
    lookout: Option<Lookout>,
    used_up: bool,
}

impl UniformDraws {
    /// Draws for an execution of at most so many steps.
    pub fn new(rng: Rng, most: usize) -> UniformDraws {
        UniformDraws { rng, steps: 0, most, look_at: most, lookout: None, used_up: false }
    }
    /// The same for an execution that is cut when the time of its search is used up.
    pub(crate) fn within(mut self, lookout: &Lookout) -> UniformDraws {
        if lookout.is_limited() {
            self.look_at = self.most.min(lookout.interval());
            self.lookout = Some(lookout.clone());
        }
        self
    }
    /// The clock as the execution leaves it, if it looked at one.
    pub(crate) fn into_lookout(self) -> Option<Lookout> {
        self.lookout
    }
    /// One of the possible picks of a point.
    #[inline(always)]
    pub fn pick(rng: &mut Rng, enabled: &[TaskId], pending: &[Pending]) -> Pick {
        let task = enabled[UniformDraws::one_of(rng, enabled.len() as u32) as usize];
        Pick { task, option: UniformDraws::one_of(rng, pending[task.index()].options) }
    }
    #[inline(always)]
    fn one_of(rng: &mut Rng, n: u32) -> u32 {
        if n > 1 { rng.below(n) } else { 0 }
    }
    /// Which of so many tasks takes the next step, or which of so many options it takes.
    #[inline(always)]
    pub fn below(&mut self, n: u32) -> u32 {
        UniformDraws::one_of(&mut self.rng, n)
    }
    /// The next pick, where the tasks `enabled` are enabled. Stops at the step limit.
    #[inline]
    pub fn draw(&mut self, enabled: &[TaskId], pending: &[Pending]) -> Decision {
        match self.note() {
            true => Decision::take(UniformDraws::pick(&mut self.rng, enabled, pending)),
            false => Decision::STOP,
        }
    }
    /// A step happens by itself. Returns whether the execution continues.
    #[inline]
    pub fn note(&mut self) -> bool {
        if self.steps >= self.look_at {
            self.look();
        }
        self.steps += 1;
        !self.used_up
    }
    #[cold]
    fn look(&mut self) {
        let is_late = self.lookout.as_mut().is_some_and(|lookout| lookout.look() == Hour::Cut);
        self.used_up = is_late || self.steps >= self.most;
        let further = self.lookout.as_ref().map_or(usize::MAX, |lookout| lookout.interval());
        self.look_at = self.most.min(self.steps.saturating_add(further));
    }
    /// Whether the execution exceeded its step limit or its time.
    pub fn are_used_up(&self) -> bool {
        self.used_up
    }
    /// How many steps there were.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// Decides each step of an execution.
pub trait Driver {
    /// Whether it asks a [point](Point) about counterfactuals. Otherwise worlds need not record earlier states.
    fn asks_counterfactuals(&self) -> bool {
        true
    }
    /// The prefix of the execution, before any decision: the first steps of the previous execution. A world may take
    /// some or all of them without asking.
    fn kept(&self) -> &[Step] {
        &[]
    }
    /// The first so many steps of the prefix have been taken.
    fn retraced(&mut self, steps: usize) {
        let _ = steps;
    }
    /// The decision at this point, which is not over.
    fn next(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision;
    /// A step of `task` happens by itself, at once and without a choice, because it commutes with every other possible
    /// operation: the end of a task, the return of a join. Returns whether the execution continues. The operation has
    /// no options if it was blocked by an operation that it conflicts with, as a join is.
    fn note(&mut self, task: TaskId, pending: &Pending, world: &dyn Describe) -> bool {
        let _ = (task, pending, world);
        true
    }
}
