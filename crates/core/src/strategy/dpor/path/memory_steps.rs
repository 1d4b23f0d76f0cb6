//! The steps that access memory under a model: what each reads, and the store that revisited it.
//!
//! Invariant: the clock of a read covers the store that it reads: reads-from is part of the causal order.

use super::super::clock;
use super::{Origin, Path};
use crate::operation::TaskId;

/// A step that accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct MemoryStep {
    /// The step.
    pub at: u32,
    /// The number of the place.
    pub place: u32,
    /// Whether it is a store.
    pub writes: bool,
    /// The step that wrote what it reads, plus 1; 0 if it reads an initial value, or nothing.
    pub source: u32,
    /// The store that revisited it, plus 1; 0 if none did.
    pub revisited_by: u32,
}

impl Path {
    /// The last step accesses memory.
    pub fn note_memory_step(&mut self, step: MemoryStep) {
        let at = step.at as usize;
        self.memory_steps.push(step);
        if let Some(source) = step.source.checked_sub(1).map(|source| source as usize) {
            let (clocks, clock) = self.clocks.split_at_mut(at * self.width);
            clock::join(&mut clock[..self.width], &clocks[source * self.width..][..self.width]);
        }
        if step.writes && self.any_sleeper() {
            self.wake_by_store(step.place);
        }
    }
    /// Whether the last step is known to access memory.
    #[inline]
    pub fn is_last_step_noted(&self) -> bool {
        self.memory_steps.last().is_some_and(|step| step.at as usize + 1 == self.events.len())
    }
    /// The step of `task` with this index among its steps.
    pub fn step_of(&self, task: TaskId, time: u32) -> Option<usize> {
        self.events.iter().rposition(|event| event.task == task && event.time == time)
    }
    /// Whether all steps from `first` on that are not kept were defaults, except those that access memory after a revisit.
    pub fn are_defaults(&self, first: usize, keep: impl Fn(usize) -> bool) -> bool {
        let reversals =
            self.reversals.iter().rev().map(|r| r.last).take_while(|last| *last as usize >= first);
        let others = self.other_options.iter().rev().copied().take_while(|at| *at as usize >= first);
        reversals.chain(others).all(|at| keep(at as usize))
    }
    /// Whether a step was chosen by the strategy.
    #[inline]
    pub fn is_free(&self, at: usize) -> bool {
        self.events[at].origin == Origin::Free
    }
}
