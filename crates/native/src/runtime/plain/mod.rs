//! Data races on plain memory, and uses of heap blocks beyond their ends or after they are freed, by the accesses of crates
//! that are compiled with the callbacks of LLVM's ThreadSanitizer ([`callbacks`]).
//!
//! Two accesses race if both touch a byte, one of them writes, not both are atomic, and neither task knew of the other's: by
//! happens-before of the orderings that the program declares ([`Clocks`]), never by the order in which steps were taken. So a
//! race is found in whatever order the two came (FastTrack, Flanagan and Freund 2009).
//!
//! Plain accesses are no scheduling points, and no race is missed for that. 1. Happens-before of an execution depends only on
//! its trace: the operations that synchronise, in the order of those that conflict. 2. Take an execution with a race, and its
//! first one. What comes before is free of races, so each plain read there has one write that it can read, whatever the order
//! of accesses in between: each task does the same in all executions with this trace, up to the two accesses. 3. One execution
//! of this trace is explored, both accesses happen in it, and nothing orders them there either. So it is reported, or another
//! one that comes first.
//!
//! What is judged: blocks of the heap of executions, statics of crates under test, copies of statics that the execution owns,
//! and stacks of tasks. A search begins without accesses of tasks to their own stacks, which are skipped by a comparison of
//! addresses ([`watch`]). An execution in which a task touches the stack of another refutes that none does: the search restarts,
//! and skips only the frames that a task has made since its last operation, as no other task has run since. Our own code that is compiled into the program is skipped where it works on an
//! execution, and where it says so ([`watch::pause`]).

#[cfg(feature = "arena")]
mod atomics;
#[cfg(feature = "arena")]
mod callbacks;
mod cell;
mod report;
mod shadow;
pub(crate) mod watch;

#[cfg(feature = "arena")]
pub(crate) use callbacks::note;

use crate::callers;
use crate::runtime::execution::Execution;
use crate::runtime::judge::sync_clocks::Clocks;
use crate::runtime::log::{Log, Sync};
use crate::settings::Settings;
pub(crate) use cell::How;
use cell::{Kind, More, Noted, Touch};
use raddle_core::fact::Fact;
use raddle_core::operation::TaskId;
use raddle_core::suppressions::Suppressions;
use raddle_core::verdict::Defect;
use shadow::{GRANULE, Other, Shadow};
use std::backtrace::Backtrace;
use std::ops::Range;
use std::rc::Rc;

/// The stack of an access, and how many lines the log had then.
struct Access {
    stack: Rc<Backtrace>,
    line: u32,
}

/// The plain memory of one execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct Plain {
    /// None: it is not judged.
    wanted: Option<Suppressions>,
    /// It is judged in this execution.
    is_judged: bool,
    /// It is wanted and could not be judged, in some execution with these settings.
    could_not: bool,
    clocks: Clocks,
    shadow: Shadow,
    more: More,
    /// The accesses that cells have noted, where their stacks are kept.
    accesses: Vec<Access>,
    /// Statics of crates under test, in ascending order.
    statics: Vec<Range<usize>>,
    /// Where the log had so many lines, this was the time of this task.
    present: (usize, u32, u32),
    /// The accesses that are wrong, for the record.
    shown: Vec<Shown>,
}

/// An access, and how many lines the log had then.
struct Shown {
    task: TaskId,
    line: u32,
    fact: Fact,
}

/// What is wrong with an access.
enum Wrong {
    Race(Noted),
    Zone,
    Freed,
}

impl Plain {
    /// For executions with these settings.
    pub fn of(settings: &Settings) -> Plain {
        Plain { wanted: settings.plain.clone(), ..Plain::default() }
    }

    /// An execution begins, with its heap in this region. None: it has no region of its own.
    pub fn begin(&mut self, heap: Option<Range<usize>>) {
        watch::skip_all();
        if self.wanted.is_none() {
            return;
        }
        self.is_judged = heap.is_some_and(|heap| self.shadow.begin(heap));
        self.could_not |= !self.is_judged;
        self.clocks.reset();
        self.more.clear();
        self.accesses.clear();
        self.shown.clear();
        self.present = (usize::MAX, 0, 0);
        crate::statics::kept_ranges(&mut self.statics);
    }

    /// Whether accesses to plain memory are judged in this execution.
    #[inline(always)]
    pub fn is_judged(&self) -> bool {
        cfg!(feature = "arena") && self.is_judged
    }
    /// Whether they are to be judged.
    pub fn is_wanted(&self) -> bool {
        self.wanted.is_some()
    }
    /// Whether they were judged in all executions with these settings.
    pub fn was_judged(&self) -> bool {
        self.is_wanted() && !self.could_not
    }
    /// The suppressions that were used.
    pub fn suppressions(&self) -> impl Iterator<Item = String> {
        self.wanted.iter().flat_map(Suppressions::used)
    }
    /// Nothing is judged from here on.
    pub fn end(&mut self) {
        self.is_judged = false;
        self.shadow.end();
        watch::skip_all();
    }

    /// A task is gone whose stack this was.
    #[inline]
    pub fn forget_stack(&mut self, stack: &Range<usize>) {
        if self.is_judged() {
            self.shadow.forget_stack(stack);
        }
    }

    /// The step in the present line has said what it did.
    #[inline]
    pub fn did(&mut self, log: &Log) {
        if self.is_judged() && self.clocks.is_beyond(log.present() as usize) {
            self.clocks.learn_again(log);
            self.present.0 = usize::MAX;
        }
    }

    /// A loop that waits goes on alone: its operations share a line, and each is learned of at once.
    #[inline]
    pub fn did_alone(&mut self, log: &Log) {
        if self.is_judged() {
            let is_learned = self.clocks.is_beyond(log.present() as usize);
            if is_learned {
                self.clocks.learn_again(log);
            } else {
                self.clocks.of(TaskId::MAIN, log);
            }
            self.present.0 = usize::MAX;
        }
    }

    /// The own time of a task.
    #[inline]
    fn time(&mut self, task: TaskId, log: &Log) -> u32 {
        let (lines, of, time) = self.present;
        if lines == log.len() && of == task.0 {
            return time;
        }
        let time = self.clocks.of(task, log).get(task);
        self.present = (log.len(), task.0, time);
        time
    }

    /// Whether the stacks of accesses are kept: where one execution is replayed, or where they say what is suppressed.
    fn keeps_stacks(&self) -> bool {
        callers::are_gathered() || self.wanted.as_ref().is_some_and(Suppressions::are_some)
    }

    /// The number of the access that is being noted. 0: stacks are not kept.
    fn note_stack(&mut self, log: &Log) -> u32 {
        if !self.keeps_stacks() {
            return 0;
        }
        self.accesses.push(Access { stack: callers::stack(), line: log.len() as u32 });
        self.accesses.len() as u32
    }

    fn access(&self, stack: u32) -> Option<&Access> {
        self.accesses.get((stack as usize).checked_sub(1)?)
    }

    /// An access to bytes of one granule.
    fn touch(
        &mut self,
        address: usize,
        new: Touch,
        log: &Log,
        what: impl FnOnce(&Plain) -> Other,
    ) -> Option<Wrong> {
        match self.shadow.known(address) {
            Some(cell) if cell.knows(new) => None,
            Some(_) => self.touch_known(address, new, log),
            None => self.touch_other(address, new, log, what),
        }
    }

    fn touch_known(&mut self, address: usize, new: Touch, log: &Log) -> Option<Wrong> {
        let cell = self.shadow.known(address)?;
        match cell.kind {
            Kind::Unknown => return None,
            Kind::Freed => return Some(Wrong::Freed),
            Kind::Zone => return Some(Wrong::Zone),
            Kind::Live if new.mask() & !cell.judged != 0 => return Some(Wrong::Zone),
            Kind::Live | Kind::Stack => {}
        }
        let stack = self.note_stack(log);
        let Plain { shadow, more, clocks, .. } = self;
        let cell = shadow.known(address)?;
        cell.touch(more, Noted { touch: new, stack }, clocks.present(new.task()), false).map(Wrong::Race)
    }

    #[inline(never)]
    fn touch_other(
        &mut self,
        address: usize,
        new: Touch,
        log: &Log,
        what: impl FnOnce(&Plain) -> Other,
    ) -> Option<Wrong> {
        let other = if self.shadow.has_other(address) { Other::Nothing } else { what(self) };
        if let Other::Stack(stack) = other {
            // It has cells from now on.
            let has_cells = self.shadow.add_stack(stack);
            return if has_cells { self.touch_known(address, new, log) } else { None };
        }
        let cell = self.shadow.of_other(address, other)?;
        let new = new.of_bytes(new.mask() & cell.judged);
        if new.mask() == 0 || cell.knows(new) {
            return None;
        }
        let stack = self.note_stack(log);
        let Plain { shadow, more, clocks, .. } = self;
        let cell = shadow.of_other(address, Other::Nothing)?;
        cell.touch(more, Noted { touch: new, stack }, clocks.present(new.task()), false).map(Wrong::Race)
    }

    /// A race is suppressed: the access is noted all the same.
    fn touch_anyway(&mut self, address: usize, new: Noted) {
        let Plain { shadow, more, clocks, .. } = self;
        let clock = clocks.present(new.touch.task());
        if let Some(cell) = shadow.known(address) {
            cell.touch(more, new, clock, true);
        } else if let Some(cell) = shadow.of_other(address, Other::Nothing) {
            cell.touch(more, new, clock, true);
        }
    }

    /// The bytes of a granule that belong to statics of crates under test.
    fn of_statics(&self, granule: usize) -> u8 {
        let first = self.statics.partition_point(|range| range.end <= granule);
        let mut bytes = 0;
        for range in self.statics[first..].iter().take_while(|range| range.start < granule + GRANULE) {
            bytes |= mask(range.start.max(granule) - granule, range.end.min(granule + GRANULE) - granule);
        }
        bytes
    }
}

/// The bytes of a granule from `from` up to `to`.
#[inline(always)]
fn mask(from: usize, to: usize) -> u8 {
    ((1u32 << to) - (1u32 << from)) as u8
}

impl Execution {
    /// The running task accesses memory that is not skipped.
    #[inline]
    pub(crate) fn access_plain(&mut self, address: usize, size: usize, how: How) -> Option<Defect> {
        if !self.plain.is_judged() || self.is_teardown() {
            return None;
        }
        let me = self.tasks.current();
        let time = self.plain.time(me, &self.log);
        self.access_at(address..address.saturating_add(size), (me, time, how))
    }

    fn access_at(&mut self, range: Range<usize>, (me, time, how): (TaskId, u32, How)) -> Option<Defect> {
        if me.0 >= Touch::MOST_TASKS {
            return None;
        }
        let mut at = range.start;
        while at < range.end {
            let granule = at & !(GRANULE - 1);
            let next = range.end.min(granule + GRANULE);
            let new = Touch::new(me, time, how, mask(at - granule, next - granule));
            let Execution { plain, tasks, log, state, settings, .. } = self;
            let wrong = plain.touch(granule, new, log, |plain| {
                let bytes = plain.of_statics(granule);
                if bytes != 0 {
                    return Other::Static(bytes);
                }
                match tasks.stacked_at(granule) {
                    // A task may touch its own stack as it likes, unless others do.
                    Some(task) if task == me && !settings.stacks.is_explored() => Other::Nothing,
                    Some(task) => Other::Stack(tasks.stack(task).clone()),
                    // The execution's own copy of a static.
                    None if state.memory.is_overlay(granule) => Other::Static(0xff),
                    None => Other::Nothing,
                }
            });
            if plain.shadow.has_stacks() && !settings.stacks.is_explored() {
                settings.stacks.refute();
            }
            if let Some(wrong) = wrong
                && let Some(defect) = self.wrong(wrong, at..range.end, new)
            {
                return Some(defect);
            }
            at = next;
        }
        None
    }

    /// The running task has a new block.
    pub(crate) fn note_allocated(&mut self, start: usize, size: usize) {
        if !self.plain.is_judged() || self.is_teardown() {
            return;
        }
        let me = self.tasks.current();
        let time = self.plain.time(me, &self.log);
        // To allocate is to write: no other task may touch the block that does not know of it.
        let is_known = !watch::is_paused() && me.0 < Touch::MOST_TASKS;
        let stack = if is_known { self.plain.note_stack(&self.log) } else { 0 };
        let first = is_known.then(|| (Touch::new(me, time, How::Write, 0xff), stack));
        self.plain.shadow.allocate(start..start + size, super::heap::ZONE, first);
    }

    /// The running task destroys a message that the line of this number sent, without receiving it.
    pub(crate) fn learn_of_message(&mut self, line: u32) {
        if self.plain.is_judged() && !self.is_teardown() {
            let me = self.tasks.current();
            self.plain.clocks.of(me, &self.log);
            self.plain.clocks.receive(me, line);
        }
    }

    /// The running task frees a block: that is a write to all of it.
    pub(crate) fn note_freed(&mut self, start: usize, size: usize) -> Option<Defect> {
        if !self.plain.is_judged() || self.is_teardown() {
            return None;
        }
        let me = self.tasks.current();
        let time = self.plain.time(me, &self.log);
        let race = self.access_at(start..start + size, (me, time, How::Write));
        self.plain.clocks.forget(start..start + size);
        self.plain.shadow.free(start..start + size);
        race.map(|race| self.of_free(race, size))
    }

    /// The step that is being taken has said what it did.
    #[inline]
    pub(crate) fn show_to_plain(&mut self) {
        if self.plain.is_judged() {
            match self.log.is_alone() {
                true => self.plain.did_alone(&self.log),
                false => self.plain.did(&self.log),
            }
            self.show_stack();
        }
    }

    /// The running task does something after which other tasks may know of what is on its stack.
    #[inline]
    pub(crate) fn show_stack(&mut self) {
        if self.plain.is_judged() && self.settings.stacks.is_explored() && !self.is_teardown() {
            let here = 0u8;
            self.tasks.show_stack(&raw const here as usize);
        }
    }

    /// The own time of the running task, where accesses to plain memory are judged.
    #[inline(always)]
    pub(crate) fn time_of_plain(&mut self) -> Option<u32> {
        if !self.plain.is_judged() || self.is_teardown() {
            return None;
        }
        let me = self.tasks.current();
        Some(self.plain.time(me, &self.log))
    }

    /// The operation of the running task on an atomic has touched this memory, at this time of its own.
    pub(crate) fn access_as_atomic(
        &mut self,
        address: usize,
        size: usize,
        how: How,
        time: u32,
    ) -> Option<Defect> {
        if watch::skips(address) || !self.plain.is_judged() || self.is_teardown() {
            return None;
        }
        let me = self.tasks.current();
        // What the operation has acquired counts.
        self.plain.time(me, &self.log);
        self.access_at(address..address + size, (me, time, how))
    }

    /// Real atomics do this, in code of the standard library that is compiled into the program.
    #[cfg(feature = "arena")]
    pub(crate) fn access_atomic(&mut self, address: usize, size: usize, sync: Sync) -> Option<Defect> {
        if !self.plain.is_judged() || self.is_teardown() {
            return None;
        }
        let me = self.tasks.current();
        let time = self.plain.time(me, &self.log);
        self.plain.clocks.of(me, &self.log);
        self.plain.clocks.learn_of_atomic(me, address, sync);
        self.plain.present.0 = usize::MAX;
        let how = match sync {
            Sync::Load(_) => How::AtomicRead,
            Sync::Fence(_) => return None,
            _ => How::AtomicWrite,
        };
        if watch::skips(address) {
            return None;
        }
        self.access_at(address..address + size, (me, time, how))
    }
}
