//! The vector clocks of the steps.
//!
//! The clock of a step is computed in two stages: [`Path::append_clock`] appends it to the clocks of the steps so far, and
//! returns whether it adds a step to that of its task; [`Path::push`] keeps it.

use super::super::clock::{self, Clock, LANES};
use super::last_accesses::LastAccesses;
use super::tasks::Task;
use super::{Path, Stamp};
use crate::operation::{Access, Accesses, TaskId};

impl Path {
    #[inline]
    pub fn clock(&self, event: usize) -> &[Clock] {
        &self.clocks[event * self.width..][..self.width]
    }
    /// Whether `clock` covers step `event`.
    #[inline]
    pub fn covers(&self, clock: &[Clock], event: usize) -> bool {
        let Stamp { lane, time } = self.events[event].stamp;
        clock[lane as usize / LANES][lane as usize % LANES] >= time as i32
    }
    /// Whether step `later` happened after step `earlier`, or is the same.
    #[inline]
    pub fn is_after(&self, later: usize, earlier: usize) -> bool {
        self.covers(self.clock(later), earlier)
    }
    /// Writes the clock of `task` before its next step into `clock`.
    #[inline(always)]
    pub fn clock_of(&self, task: TaskId, clock: &mut Vec<Clock>) {
        clock.clear();
        match self.tasks[task.index()].from() as usize {
            0 => clock.resize(self.width, clock::NOTHING),
            from if self.width == 1 => clock.push(self.clocks[from - 1]),
            from => clock.extend_from_slice(self.clock(from - 1)),
        }
    }
    /// Writes the clock of `task` after the first `steps` steps into `clock`.
    pub fn clock_after(&self, task: TaskId, steps: usize, clock: &mut Vec<Clock>) {
        let Task { mut last, born, .. } = self.tasks[task.index()];
        while last as usize > steps {
            last = self.events[last as usize - 1].before;
        }
        let from = if last > 0 { last } else { born } as usize;
        clock.clear();
        match from {
            0 => clock.resize(self.width, clock::NOTHING),
            from => clock.extend_from_slice(self.clock(from - 1)),
        }
    }
    /// An operation of `task` may come next. Returns whether it may be in a race: whether a step happens before it that
    /// does not happen before it by program order and births.
    #[inline(always)]
    pub fn append_clock(&mut self, task: TaskId, accesses: Accesses) -> bool {
        let from = self.tasks[task.index()].from() as usize;
        if self.width > 1 {
            self.begin_wide_clock(from);
        } else {
            self.clocks.truncate(self.events.len());
            let known = if from > 0 { self.clocks[from - 1] } else { clock::NOTHING };
            self.clocks.push(known);
        }
        match accesses.only() {
            Some(only) if self.last_barrier == 0 => self.join_conflicts_of_one(only),
            _ => self.join_conflicts_of_several(accesses),
        }
    }
    /// The same for an operation with one access, in the last clock.
    #[inline(always)]
    fn join_conflicts_of_one(&mut self, access: Access) -> bool {
        let Some(found) = self.last_accesses.get(access.object.index()).copied() else { return false };
        let last = found.before(access.mode);
        let adds = last > 0 && self.join_clock_of(last as usize - 1);
        if last > found.wrote { self.join_readers(access, found) | adds } else { adds }
    }
    /// The same for an operation that comes after step `at`.
    #[inline(always)]
    fn join_clock_of(&mut self, at: usize) -> bool {
        if self.width > 1 {
            return self.join_wide_clock_of(at);
        }
        let Some((clock, clocks)) = self.clocks.split_last_mut() else { return false };
        let Stamp { lane, time } = self.events[at].stamp;
        // A clock that covers a step covers all steps that happen before it.
        let adds = clock[lane as usize % LANES] < time as i32;
        if adds {
            *clock = clock::joined(*clock, &clocks[at]);
        }
        adds
    }
    /// The same for a write, after the reads and the last write before the last one.
    #[inline(never)]
    fn join_readers(&mut self, access: Access, LastAccesses { by, wrote }: LastAccesses) -> bool {
        let (mut next, mut adds) = (by, false);
        // Steps before the last barrier are covered already.
        while next > wrote.max(self.last_barrier) {
            next = self.found_by(next as usize - 1, access.object).0.by;
            adds |= next > 0 && self.join_clock_of(next as usize - 1);
        }
        adds
    }
    /// The same with any accesses.
    #[inline(never)]
    fn join_conflicts_of_several(&mut self, accesses: Accesses) -> bool {
        let mut adds = false;
        if accesses.is_everything() {
            for task in 0..self.tasks.len() {
                let last = self.tasks[task].last as usize;
                adds |= last > 0 && self.join_clock_of(last - 1);
            }
            return adds;
        }
        if self.last_barrier > 0 {
            adds = self.join_clock_of(self.last_barrier as usize - 1);
        }
        for access in accesses.iter() {
            adds |= self.join_conflicts_of_one(access);
        }
        adds
    }
    /// For more than eight lanes: the last clock starts as that of step `from`, minus 1.
    #[inline(never)]
    fn begin_wide_clock(&mut self, from: usize) {
        let (width, end) = (self.width, self.events.len() * self.width);
        self.clocks.truncate(end);
        match from {
            0 => self.clocks.resize(end + width, clock::NOTHING),
            from => self.clocks.extend_from_within((from - 1) * width..from * width),
        }
    }
    /// The same for an operation that comes after step `at`, there.
    #[inline(never)]
    fn join_wide_clock_of(&mut self, at: usize) -> bool {
        let (clocks, clock) = self.clocks.split_at_mut(self.events.len() * self.width);
        let Stamp { lane, time } = self.events[at].stamp;
        let adds = clock[lane as usize / LANES][lane as usize % LANES] < time as i32;
        if adds {
            clock::join(clock, &clocks[at * self.width..][..self.width]);
        }
        adds
    }
}
