//! The vector clocks of the steps.
//!
//! The clock of a step is computed in two stages: [`Path::learns`] appends it to the clocks of the steps so far, and
//! returns whether it adds a step to that of its task; [`Path::push`] keeps it.

use super::super::clock::{self, Clock, LANES};
use super::tasks::Task;
use super::touched::Touched;
use super::{Event, Path};
use crate::operation::{Access, Accesses, TaskId};

impl Path {
    #[inline]
    pub fn clock(&self, event: usize) -> &[Clock] {
        &self.clocks[event * self.width..][..self.width]
    }
    /// Whether `clock` covers step `event`.
    #[inline]
    pub fn knows(&self, clock: &[Clock], event: usize) -> bool {
        let event = &self.events[event];
        clock[event.task.index() / LANES][event.task.index() % LANES] >= event.time as i32
    }
    /// Whether step `later` happened after step `earlier`, or is the same.
    #[inline]
    pub fn is_after(&self, later: usize, earlier: usize) -> bool {
        self.knows(self.clock(later), earlier)
    }
    /// Writes the clock of `task` before its next step into `clock`.
    #[inline(always)]
    pub fn knowledge_of(&self, task: TaskId, clock: &mut Vec<Clock>) {
        clock.clear();
        match self.tasks[task.index()].from() as usize {
            0 => clock.resize(self.width, clock::NOTHING),
            from if self.width == 1 => clock.push(self.clocks[from - 1]),
            from => clock.extend_from_slice(self.clock(from - 1)),
        }
    }
    /// Writes the clock of `task` after the first `steps` steps into `clock`.
    pub fn knowledge_after(&self, task: TaskId, steps: usize, clock: &mut Vec<Clock>) {
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
    pub fn learns(&mut self, task: TaskId, accesses: Accesses) -> bool {
        let from = self.tasks[task.index()].from() as usize;
        if self.width > 1 {
            self.begin_wide_clock(from);
        } else {
            self.clocks.truncate(self.events.len());
            let known = if from > 0 { self.clocks[from - 1] } else { clock::NOTHING };
            self.clocks.push(known);
        }
        match accesses.only() {
            Some(only) if self.last_barrier == 0 => self.learns_of_one(only),
            _ => self.learns_of_several(accesses),
        }
    }
    /// The same for an operation with one access, in the last clock.
    #[inline(always)]
    fn learns_of_one(&mut self, access: Access) -> bool {
        let Some(touched) = self.touched.get(access.object.index()).copied() else { return false };
        let last = touched.before(access.mode);
        let learns = last > 0 && self.learns_of(last as usize - 1);
        if last > touched.wrote { self.learns_of_readers(access, touched) | learns } else { learns }
    }
    /// The same for an operation that comes after step `at`.
    #[inline(always)]
    fn learns_of(&mut self, at: usize) -> bool {
        if self.width > 1 {
            return self.learns_widely_of(at);
        }
        let Some((clock, clocks)) = self.clocks.split_last_mut() else { return false };
        let event = &self.events[at];
        // A clock that covers a step covers all steps that happen before it.
        let learns = clock[event.task.index() % LANES] < event.time as i32;
        if learns {
            *clock = clock::joined(*clock, &clocks[at]);
        }
        learns
    }
    /// The same for a write, after the reads and the last write before the last one.
    #[inline(never)]
    fn learns_of_readers(&mut self, access: Access, Touched { by, wrote }: Touched) -> bool {
        let (mut next, mut learns) = (by, false);
        // Steps before the last barrier are covered already.
        while next > wrote.max(self.last_barrier) {
            next = self.found_by(next as usize - 1, access.object).0.by;
            learns |= next > 0 && self.learns_of(next as usize - 1);
        }
        learns
    }
    /// The same with any accesses.
    #[inline(never)]
    fn learns_of_several(&mut self, accesses: Accesses) -> bool {
        let mut learns = false;
        if accesses.is_everything() {
            for task in 0..self.tasks.len() {
                let last = self.tasks[task].last as usize;
                learns |= last > 0 && self.learns_of(last - 1);
            }
            return learns;
        }
        if self.last_barrier > 0 {
            learns = self.learns_of(self.last_barrier as usize - 1);
        }
        for access in accesses.iter() {
            learns |= self.learns_of_one(access);
        }
        learns
    }
    /// For more than eight tasks: the last clock starts as that of step `from`, minus 1.
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
    fn learns_widely_of(&mut self, at: usize) -> bool {
        let (clocks, clock) = self.clocks.split_at_mut(self.events.len() * self.width);
        let Event { task, time, .. } = self.events[at];
        let learns = clock[task.index() / LANES][task.index() % LANES] < time as i32;
        if learns {
            clock::join(clock, &clocks[at * self.width..][..self.width]);
        }
        learns
    }
    #[cold]
    pub(super) fn widen(&mut self) {
        // With very many tasks there is room for more than the next few: all clocks are copied each time.
        let room = if self.width >= 16 { self.width / 4 } else { 0 };
        let wide = self.tasks.len().div_ceil(LANES) + room;
        // As many as there is room for events: the old capacity may have been for wider ones.
        let mut clocks = Vec::with_capacity(self.events.capacity().max(32) * wide);
        for at in 0..self.events.len() {
            clocks.extend_from_slice(self.clock(at));
            clocks.resize((at + 1) * wide, clock::NOTHING);
        }
        self.clocks = clocks;
        self.width = wide;
    }
}
