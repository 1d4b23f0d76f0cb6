//! Who decides what happens at the points of an execution: the driver is asked by the world, step by step.

use super::{Describe, Pending, Pick, Point};
use crate::operation::TaskId;
use crate::random::Rng;
use crate::trace::Step;

/// What is to happen at a point. One word, since it is handed on at every step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Decision(u64);

impl Decision {
    /// The rest of this execution is redundant.
    pub const ABANDON: Decision = Decision(u64::MAX);
    /// The strategy cannot tell how to go on: behaviours may be missing from the search.
    pub const UNDECIDED: Decision = Decision(u64::MAX - 3);
    /// The prescribed pick is not possible here.
    pub const DIVERGED: Decision = Decision(u64::MAX - 1);
    /// The run stops here.
    pub const STOP: Decision = Decision(u64::MAX - 2);

    /// This happens next.
    #[inline]
    pub fn take(pick: Pick) -> Decision {
        Decision((pick.task.0 as u64) << 32 | pick.option as u64)
    }
    /// What happens next; nothing if the run does not go on.
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
            (Decision::UNDECIDED, _) => f.write_str("Undecided"),
            (Decision::DIVERGED, _) => f.write_str("Diverged"),
            _ => f.write_str("Stop"),
        }
    }
}

/// Draws what happens at each point, every task with the same chance and then every option of it, without looking at
/// what they are about to do.
#[derive(Clone, Debug)]
pub struct UniformDraws {
    rng: Rng,
    steps: usize,
    most: usize,
    used_up: bool,
}

impl UniformDraws {
    /// UniformDraws for a run of at most so many steps.
    pub fn new(rng: Rng, most: usize) -> UniformDraws {
        UniformDraws { rng, steps: 0, most, used_up: false }
    }
    /// One of the picks that are possible at a point.
    #[inline(always)]
    pub fn pick(rng: &mut Rng, enabled: &[TaskId], pending: &[Pending]) -> Pick {
        let task = enabled[UniformDraws::one_of(rng, enabled.len() as u32) as usize];
        Pick { task, option: UniformDraws::one_of(rng, pending[task.index()].options) }
    }
    #[inline(always)]
    fn one_of(rng: &mut Rng, n: u32) -> u32 {
        if n > 1 { rng.below(n) } else { 0 }
    }
    /// Which of so many tasks moves next, or which of so many options of an operation it takes.
    #[inline(always)]
    pub fn below(&mut self, n: u32) -> u32 {
        UniformDraws::one_of(&mut self.rng, n)
    }
    /// What happens next, where `enabled` can move. Nothing if that were too many steps.
    #[inline]
    pub fn draw(&mut self, enabled: &[TaskId], pending: &[Pending]) -> Decision {
        match self.note() {
            true => Decision::take(UniformDraws::pick(&mut self.rng, enabled, pending)),
            false => Decision::STOP,
        }
    }
    /// A step happens by itself. Says whether the run goes on.
    #[inline]
    pub fn note(&mut self) -> bool {
        self.used_up = self.steps >= self.most;
        self.steps += 1;
        !self.used_up
    }
    /// Whether the run was to take more steps than it may.
    pub fn are_used_up(&self) -> bool {
        self.used_up
    }
    /// How many steps there were.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// Decides what happens at each point of a run.
pub trait Driver {
    /// Whether it asks a [point](Point) about the past. Worlds need not keep it otherwise.
    fn asks_counterfactuals(&self) -> bool {
        true
    }
    /// The steps that a run begins with, before anything is decided: the first ones of the run before it. A world may
    /// take some of them, or all, without asking.
    fn kept(&self) -> &[Step] {
        &[]
    }
    /// The first so many of those have been taken.
    fn retraced(&mut self, steps: usize) {
        let _ = steps;
    }
    /// What happens at this point, which is not over.
    fn next(&mut self, point: &Point<'_>, world: &dyn Describe) -> Decision;
    /// A step of `task` happens by itself, at once and without a choice, because it would commute with
    /// whatever else could happen: the end of a task, the return of a join. Says whether the run goes on. The
    /// operation has no options if it waited for what it conflicts with, as a join does.
    fn note(&mut self, task: TaskId, pending: &Pending, world: &dyn Describe) -> bool {
        let _ = (task, pending, world);
        true
    }
}
