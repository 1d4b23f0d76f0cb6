//! The present execution as a reduction sees it: each step with its vector clock.
//!
//! Invariant: the clock of a step covers exactly the steps that happen before it in conflict order, program order and
//! births included, and itself. Steps are only added and removed at the end, and each step keeps what is needed to
//! remove it, so the common prefix of executions is computed once.

mod lanes;
mod last_accesses;
mod memory_steps;
mod reversals;
mod sleep_set;
mod state_dependent;
mod tasks;
mod vector_clocks;

pub(in crate::strategy::dpor) use lanes::Stamp;
pub(in crate::strategy::dpor) use memory_steps::MemoryStep;
pub(in crate::strategy::dpor) use reversals::{Deferred, Reversal};
pub(in crate::strategy::dpor) use sleep_set::{Sleeper, SleepingAccess};
pub(in crate::strategy::dpor) use state_dependent::StateDependent;

use super::clock::Clock;
use super::names::Names;
use crate::operation::{Accesses, TaskId};
use crate::world::Birth;
use last_accesses::LastAccesses;
use tasks::Task;

/// How a step came to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) enum Origin {
    /// The strategy chose it: alternatives may be explored in its place.
    Free,
    /// A wakeup sequence prescribed it.
    Scheduled,
    /// It happened by itself.
    ByItself,
}

/// A step.
#[derive(Clone, Copy, Debug)]
pub(in crate::strategy::dpor) struct Event {
    pub accesses: Accesses,
    /// Which of the first 64 tasks were enabled when it was chosen.
    pub enabled: u64,
    pub task: TaskId,
    pub option: u32,
    /// Its index among the steps of its task, from 1.
    pub time: u32,
    /// Its place in the vector clocks.
    pub stamp: Stamp,
    /// The last chosen step that is not after it: without that one it would not have happened there.
    pub chosen: u32,
    /// The step before it of its task, plus 1.
    before: u32,
    /// The last step before it that conflicts with everything, plus 1.
    barrier: u32,
    /// The earlier accesses to the object of its first access.
    found: LastAccesses,
    /// Where `Path::found` has those of its other accesses, one after the other, plus 1.
    more: u32,
    pub origin: Origin,
    /// See [`StateDependent`].
    pub state_dependent: bool,
}

impl Event {
    /// Whether `clock`, which may be too narrow for some tasks, covers the step.
    pub fn is_covered(&self, clock: &[Clock]) -> bool {
        self.stamp.is_covered(clock)
    }
}

/// Still open.
pub(in crate::strategy::dpor) const OPEN: u32 = u32::MAX;

/// The present execution.
#[derive(Clone, Debug, Default)]
pub(in crate::strategy::dpor) struct Path {
    pub events: Vec<Event>,
    pub names: Names,
    tasks: Vec<Task>,
    /// The clocks of the steps, one after the other, `width` chunks each.
    clocks: Vec<Clock>,
    width: usize,
    /// The times of the last steps in the lanes that several tasks share.
    tops: Vec<Clock>,
    lanes: usize,
    /// The last accesses to each object.
    last_accesses: Vec<LastAccesses>,
    /// The earlier accesses to the objects of each step that has several accesses, but of its first one.
    found: Vec<LastAccesses>,
    last_barrier: u32,
    /// The races that were reversed, in their order.
    pub reversals: Vec<Reversal>,
    /// How many of them are open.
    open: usize,
    /// Steps whose operation would have other accesses elsewhere, in their order.
    pub state_dependent: Vec<StateDependent>,
    /// The sleep set with its former members, and how many members it has.
    pub sleep_set: Vec<Sleeper>,
    waiting: usize,
    /// Steps that were chosen with another option than the first.
    pub other_options: Vec<u32>,
    /// Steps that access memory under a model, in their order.
    pub memory_steps: Vec<MemoryStep>,
    /// Phantoms that have taken no step and were not removed, as far as is known.
    phantoms: Vec<TaskId>,
    /// Phantoms that were removed, and before which step.
    pub gone: Vec<(TaskId, u32)>,
}

impl Path {
    /// The empty execution, with room for a short one.
    pub fn with_room() -> Path {
        Path {
            events: Vec::with_capacity(32),
            clocks: Vec::with_capacity(32),
            width: 1,
            tasks: Vec::with_capacity(8),
            last_accesses: Vec::with_capacity(16),
            ..Path::default()
        }
    }
    /// Removes all steps and names.
    pub fn clear(&mut self) {
        self.events.clear();
        self.names.clear();
        self.tasks.clear();
        self.clocks.clear();
        self.width = 1;
        self.tops.clear();
        self.lanes = 0;
        self.last_accesses.clear();
        self.found.clear();
        self.last_barrier = 0;
        self.reversals.clear();
        self.open = 0;
        self.state_dependent.clear();
        self.sleep_set.clear();
        self.waiting = 0;
        self.other_options.clear();
        self.memory_steps.clear();
        self.phantoms.clear();
        self.gone.clear();
    }
    #[inline]
    pub fn len(&self) -> usize {
        self.events.len()
    }
    /// Whether the pending operation of `task` was enabled in the place of step `at`; none if it was not pending there,
    /// or if that is not known.
    #[inline]
    pub fn was_enabled(&self, task: TaskId, at: usize) -> Option<bool> {
        let Task { last, birth, .. } = &self.tasks[task.index()];
        let event = &self.events[at];
        let is_covered = *last as usize <= at
            && birth.after as usize <= at
            && task.0 < u64::BITS
            && event.origin != Origin::ByItself;
        is_covered.then(|| event.enabled & 1 << task.0 != 0)
    }
    /// The step before the next one of `task` by program order or birth, plus 1.
    #[inline]
    pub fn last_before(&self, task: TaskId) -> usize {
        self.tasks[task.index()].from() as usize
    }
    /// Whether the pending operation of `task` was pending in the place of step `at`.
    #[inline]
    pub fn was_pending(&self, task: TaskId, at: usize) -> bool {
        let Task { last, birth, .. } = &self.tasks[task.index()];
        *last as usize <= at && birth.after as usize <= at
    }
    /// Adds the step of the last call of [`Path::append_clock`].
    #[inline(always)]
    pub fn push(&mut self, task: TaskId, option: u32, accesses: Accesses, origin: Origin, enabled: u64) {
        let at = self.events.len() as u32;
        let (stamp, time) = self.stamp(task);
        let before = std::mem::replace(&mut self.tasks[task.index()].last, at + 1);
        if before == 0 && self.tasks[task.index()].place_in_list() > 0 {
            self.unlist_phantom(task);
        }
        let barrier = self.last_barrier;
        let (mut found, mut more) = (LastAccesses::default(), 0);
        if let Some(only) = accesses.only() {
            found = self.note_access(at, only);
        } else if accesses.is_everything() {
            self.last_barrier = at + 1;
        } else if accesses != Accesses::NONE {
            (found, more) = self.note_accesses(at, accesses);
        }
        let chosen = match origin {
            Origin::ByItself => self.events.last().map_or(0, |e| e.chosen),
            _ => at,
        };
        if self.open > 0 {
            self.close(accesses, at);
        }
        if self.waiting > 0 {
            self.wake(task, accesses, at);
        }
        if origin == Origin::Free && option > 0 {
            self.other_options.push(at);
        }
        self.events.push(Event {
            accesses,
            enabled,
            task,
            option,
            time,
            stamp,
            chosen,
            before,
            barrier,
            found,
            more,
            origin,
            state_dependent: false,
        });
    }
    /// Adds earlier steps again, with the tasks that were created, the races that were reversed and the members of the sleep set
    /// that were known there.
    pub fn extend(
        &mut self,
        events: &[Event],
        births: &[Birth],
        reversals: &[Reversal],
        sleep_set: &[Sleeper],
        memory_steps: &[MemoryStep],
    ) {
        let mut memory_steps = memory_steps.iter().peekable();
        let (mut births, mut reversals) = (births.iter().peekable(), reversals.iter().peekable());
        let mut sleepers = sleep_set.iter().peekable();
        for event in events {
            self.append_clock(event.task, event.accesses);
            self.push(event.task, event.option, event.accesses, event.origin, event.enabled);
            if let Some(step) = memory_steps.next_if(|step| step.at as usize == self.len() - 1) {
                self.note_memory_step(*step);
            }
            if event.state_dependent {
                self.note_state_dependent(Accesses::EVERYTHING_THERE_IS);
            }
            if let Some(reversal) = reversals.next_if(|r| r.last as usize == self.len() - 1) {
                self.reverse(reversal.deferred);
            }
            while let Some(birth) = births.next_if(|b| b.after as usize <= self.len()) {
                self.bear(*birth);
            }
            while let Some(sleeper) = sleepers.next_if(|f| f.from as usize <= self.len()) {
                self.put_to_sleep(sleeper.step());
            }
        }
    }
    /// Keeps the first `depth` steps and the tasks that existed then.
    pub fn truncate(&mut self, depth: usize) {
        let Path { events, tasks, phantoms, last_accesses, found, last_barrier, tops, lanes: shared, .. } =
            self;
        for event in events.get(depth..).unwrap_or_default().iter().rev() {
            tasks[event.task.index()].last = event.before;
            if event.before == 0 && tasks[event.task.index()].is_phantom() {
                tasks::list_phantom(phantoms, tasks, event.task);
            }
            if event.stamp.is_shared() {
                lanes::take_back(tops, shared, event.stamp);
            }
            if let Some(only) = event.accesses.only() {
                last_accesses[only.object.index()] = event.found;
            } else if event.accesses.is_everything() {
                *last_barrier = event.barrier;
            } else if event.more > 0 {
                let others = &found[event.more as usize - 1..];
                for (lane, access) in event.accesses.iter().enumerate() {
                    let found = if lane == 0 { event.found } else { others[lane - 1] };
                    last_accesses[access.object.index()] = found;
                }
                found.truncate(event.more as usize - 1);
            }
        }
        self.events.truncate(depth);
        while let Some(task) = self.tasks.pop_if(|t| t.birth.after as usize > depth) {
            tasks::unlist(&mut self.phantoms, &mut self.tasks, task.place_in_list());
        }
        while let Some((task, _)) = self.gone.pop_if(|(_, at)| *at as usize > depth) {
            if task.index() < self.tasks.len() {
                tasks::list_phantom(&mut self.phantoms, &mut self.tasks, task);
            }
        }
        while self.reversals.last().is_some_and(|r| r.last as usize >= depth) {
            self.reversals.pop();
        }
        self.open = 0;
        for reversal in &mut self.reversals {
            if reversal.closed as usize >= depth {
                reversal.closed = OPEN;
                self.open += 1;
            }
        }
        while self.other_options.last().is_some_and(|at| *at as usize >= depth) {
            self.other_options.pop();
        }
        while self.memory_steps.last().is_some_and(|step| step.at as usize >= depth) {
            self.memory_steps.pop();
        }
        if !self.state_dependent.is_empty() {
            self.forget_state_dependent(depth);
        }
        if !self.sleep_set.is_empty() {
            self.sleep_set.retain(|f| f.from as usize <= depth);
            let still = |f: &&mut Sleeper| f.until as usize >= depth;
            self.sleep_set.iter_mut().filter(still).for_each(|f| f.until = OPEN);
            self.waiting = self.sleep_set.iter().filter(|f| f.until == OPEN).count();
        }
        self.names.truncate(self.tasks.len());
        self.clocks.truncate(depth * self.width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_again_does_not_grow() {
        let mut path = Path::with_room();
        let mut room = 0;
        for time in 0..40 {
            for number in 0..100 {
                path.bear(Birth { parent: TaskId(number), number, after: 0 });
                path.append_clock(TaskId(number), Accesses::NONE);
                path.push(TaskId(number), 0, Accesses::NONE, Origin::Free, 0);
            }
            if time == 1 {
                room = path.clocks.capacity();
            }
            path.clear();
        }
        assert_eq!(path.clocks.capacity(), room);
    }
}
