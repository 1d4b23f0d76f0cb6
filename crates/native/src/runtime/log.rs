//! What happened in an execution, line by line, in as few words of memory as possible.
//!
//! Invariant: a step has one line, written before the step does anything; lines that are no steps stand between them.
//! [`super::record`] makes the record for people from it.

use crate::runtime::operation::{NO_OBJECT, Op, OperationKind, ToLock};
use raddle_core::operation::{ObjectId, TaskId};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// How the bits of a value are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Unsigned,
    Signed8,
    Signed16,
    Signed32,
    Signed64,
    Bool,
    Pointer,
    /// Nanoseconds.
    Time,
}

impl Shape {
    /// A signed integer of the size of a pointer.
    pub const ISIZE: Shape = match isize::BITS {
        32 => Shape::Signed32,
        _ => Shape::Signed64,
    };
}

/// The result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    None,
    Read(Shape, u64),
    Wrote(Shape, u64),
    /// From the first to the second.
    Updated(Shape, u64, u64),
    /// A compare-exchange that found something else.
    Refused(Shape, u64),
    Word(&'static str),
    /// A message, by its number in its channel, from 1.
    Sent(u32),
    /// The message of the first number, which the line of the second number sent.
    Received(u32, u32),
    /// What it was about is a task.
    Task(TaskId),
    Count(u64),
    /// So many rounds of a loop.
    Rounds(u64),
    /// One of the execution's texts.
    Text(u32),
}

impl Effect {
    /// Whether both are the same. The usual ones are compared in place.
    #[inline(always)]
    pub fn is(&self, other: &Effect) -> bool {
        match (*self, *other) {
            (Effect::None, Effect::None) => true,
            (Effect::Read(shape, value), Effect::Read(same, other))
            | (Effect::Wrote(shape, value), Effect::Wrote(same, other))
            | (Effect::Refused(shape, value), Effect::Refused(same, other)) => {
                (shape == same) & (value == other)
            }
            (Effect::Updated(shape, from, to), Effect::Updated(same, other_from, other_to)) => {
                (shape == same) & (from == other_from) & (to == other_to)
            }
            _ => self == other,
        }
    }
}

/// What an operation means for *synchronises-with*, by the orderings that the program declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sync {
    None,
    /// Acquires what any task released on the object; a lock.
    Acquire,
    /// Releases on the object, in addition to what others released; an unlock.
    Release,
    /// Both.
    AcquireRelease,
    /// Acquires another object than the operation's own.
    AcquireOf(ObjectId),
    /// Releases on another object than the operation's own.
    ReleaseOf(ObjectId),
    /// Acquires what was released on the object, but not by tasks that shared it; a read lock.
    AcquireShared,
    /// Releases to tasks that do not share the object; an unlock by a reader.
    ReleaseShared,
    /// Learns what was released on the object since the last meeting. What it then knows goes with its line.
    Meet,
    /// Synchronises with the line of a meeting that has this number, as other tasks may, too.
    Learn(u32),
    /// An atomic load.
    Load(Ordering),
    /// An atomic store.
    Store(Ordering),
    /// An atomic read-modify-write.
    Update(Ordering),
    Fence(Ordering),
    /// What the task knew then goes with one message.
    Send,
    /// Synchronises with the send in the line of this number.
    Receive(u32),
    /// Both: learns what that line sent, and what the task knows then goes with one message.
    Exchange(u32),
    /// The new task knows what its parent knew.
    Spawn(TaskId),
    /// Learns all that the task knew.
    Join(TaskId),
}

/// What a waiting loop did alone, as a line of the log.
static ALONE: OperationKind = OperationKind::local("spins alone");

/// One line of the log.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub kind: &'static OperationKind,
    pub place: &'static Location<'static>,
    pub task: TaskId,
    pub object: ObjectId,
    /// The line before this one by the same task, plus 1.
    pub before: u32,
    /// Whether it is a step of the trace, or happened on the way to the next one.
    pub is_step: bool,
    pub wrote: bool,
    pub sync: Sync,
    pub effect: Effect,
}

impl Line {
    /// Whether its object was different afterwards. A lock that is given back is, even if nothing was changed under it.
    pub fn changes_objects(&self) -> bool {
        self.wrote || self.is_step && self.kind.to_lock == ToLock::GivesBack
    }
}

/// The log of one execution, and that of the one before it. Memory is kept from one execution to the next.
#[derive(Default)]
pub(crate) struct Log {
    lines: Vec<Line>,
    /// The line of the step that is being taken.
    present: usize,
    /// The line that operations write to which are no steps, since a waiting loop goes on alone; and how many rounds it has
    /// taken.
    alone: Option<usize>,
    rounds_alone: u64,
    /// It is not kept: all that is said goes into the same line.
    unkept: bool,
    /// Programs like this one need a log even where it is not read.
    wanted: bool,
    /// Messages that lines refer to.
    texts: Vec<String>,
    /// The lines of the execution before this one.
    last: Vec<Line>,
    /// The lines that access atomics under a weak memory model, in their order.
    sources: Vec<(u32, Source)>,
}

/// What an access to an atomic read, under a weak memory model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    /// The line of the store that it read, or behind which it stands in modification order; none if that is the initial
    /// value.
    pub line: Option<u32>,
    /// It did not read the last store in modification order, or is not the last one.
    pub is_stale: bool,
}

impl Log {
    pub fn reset(&mut self) {
        std::mem::swap(&mut self.lines, &mut self.last);
        self.lines.clear();
        self.alone = None;
        self.present = 0;
        self.unkept = false;
        self.texts.clear();
        self.sources.clear();
    }
    /// For executions of another program.
    pub fn renew(&mut self) {
        self.wanted = false;
    }
    /// This execution has no log, unless programs like it need one. To be said before it begins.
    pub fn leave_out(&mut self) {
        if self.wanted {
            return;
        }
        let Op { kind, place, .. } = Op::nothing();
        self.note(TaskId::MAIN, kind, place);
        self.unkept = true;
    }
    #[inline(always)]
    pub fn is_kept(&self) -> bool {
        !self.unkept
    }
    /// From the next execution on there is a log.
    pub fn demand(&mut self) {
        self.wanted = true;
    }
    /// Whether this execution has demanded a log that it does not have.
    pub fn is_missing(&self) -> bool {
        self.wanted && self.unkept
    }
    /// Begins the line of a step.
    #[inline(always)]
    pub fn step(&mut self, op: &Op, wrote: bool, before: u32) {
        debug_assert!(self.is_kept());
        self.present = self.lines.len();
        self.lines.push(Line {
            kind: op.kind,
            place: op.place,
            task: op.task,
            object: op.object,
            before,
            is_step: true,
            wrote,
            sync: Sync::None,
            effect: Effect::None,
        });
    }
    /// An operation of a waiting loop that goes on alone begins: it is no step, and has the line of the one before it.
    pub fn alone(
        &mut self,
        task: TaskId,
        kind: &'static OperationKind,
        place: &'static Location<'static>,
        object: ObjectId,
    ) {
        let at = match self.alone {
            Some(at) => at,
            None => {
                self.rounds_alone = 0;
                self.note(task, kind, place);
                self.lines.len() - 1
            }
        };
        self.alone = Some(at);
        self.present = at;
        let line = &mut self.lines[at];
        (line.kind, line.place, line.object) = (kind, place, object);
        (line.wrote, line.sync, line.effect) = (false, Sync::None, Effect::None);
    }
    /// Whether a loop goes on alone: its operations have one line.
    #[inline]
    pub fn is_alone(&self) -> bool {
        self.alone.is_some()
    }
    /// What a loop that goes on alone did last.
    pub fn done_alone(&self) -> Option<&Line> {
        self.alone.map(|at| &self.lines[at])
    }
    /// The number of its line.
    pub fn done_alone_at(&self) -> Option<u32> {
        self.alone.map(|at| at as u32)
    }
    /// A loop that goes on alone has taken one more round.
    pub fn count_round_alone(&mut self) {
        self.rounds_alone += 1;
    }
    /// The loop no longer goes on alone: its line says how long it did.
    pub fn end_alone(&mut self) {
        if let Some(at) = self.alone.take() {
            let line = &mut self.lines[at];
            (line.kind, line.object) = (&ALONE, NO_OBJECT);
            (line.wrote, line.sync, line.effect) = (false, Sync::None, Effect::Rounds(self.rounds_alone));
        }
    }
    /// If line `at` is the one before the present line by the same task, it is no longer. A loop that went on alone from
    /// there takes the step again that it took then.
    pub fn skip_before_present(&mut self, at: u32) {
        if self.lines[self.present].before == at + 1 {
            self.lines[self.present].before = self.lines[at as usize].before;
        }
    }
    /// Adds a line that is no step.
    pub fn note(
        &mut self,
        task: TaskId,
        kind: &'static OperationKind,
        place: &'static Location<'static>,
    ) -> &mut Line {
        if self.unkept {
            return &mut self.lines[0];
        }
        self.lines.push(Line {
            kind,
            place,
            task,
            object: NO_OBJECT,
            before: 0,
            is_step: false,
            wrote: false,
            sync: Sync::None,
            effect: Effect::None,
        });
        self.lines.last_mut().expect("just pushed")
    }
    /// Adds the line of an access to a cell, unless the last line says the same: a loop over one cell does so again and
    /// again.
    pub fn note_access(
        &mut self,
        task: TaskId,
        cell: ObjectId,
        kind: &'static OperationKind,
        place: &'static Location<'static>,
    ) {
        let again = self.lines.last().is_some_and(|last| {
            last.task == task
                && last.object == cell
                && std::ptr::eq(last.kind, kind)
                && std::ptr::eq(last.place, place)
                && last.effect == Effect::None
        });
        if !again {
            self.note(task, kind, place).object = cell;
        }
    }
    #[inline]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
    /// How many lines there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.lines.len()
    }
    /// For how many lines there is memory.
    pub fn capacity(&self) -> usize {
        self.lines.capacity()
    }
    /// The number of the line of the step that is being taken.
    #[inline(always)]
    pub fn present(&self) -> u32 {
        self.present as u32
    }
    /// That line.
    #[inline(always)]
    pub fn present_line(&mut self) -> &mut Line {
        &mut self.lines[self.present]
    }
    /// The line that was added last.
    pub fn last_line(&mut self) -> Option<&mut Line> {
        self.lines.last_mut()
    }
    /// What line `at` read, under a weak memory model.
    pub fn note_source(&mut self, at: u32, line: Option<u32>, is_stale: bool) {
        self.sources.push((at, Source { line, is_stale }));
    }
    /// The same, to look it up.
    pub fn source(&self, at: u32) -> Option<Source> {
        self.sources.binary_search_by_key(&at, |(at, _)| *at).ok().map(|found| self.sources[found].1)
    }
    /// Keeps a message that a line refers to.
    pub fn add_text(&mut self, text: String) -> Effect {
        self.texts.push(text);
        Effect::Text(self.texts.len() as u32 - 1)
    }
    pub fn text(&self, number: u32) -> &str {
        &self.texts[number as usize]
    }
    /// The steps of this execution, each with the step of the same number in the execution before it.
    #[inline]
    pub fn now_and_before(&self) -> impl Iterator<Item = (&Line, &Line)> {
        let steps = |lines| <[Line]>::iter(lines).filter(|line| line.is_step);
        steps(&self.lines).zip(steps(&self.last))
    }
    /// Whether the first `steps` steps had the same results as in the execution before this one, line by line. False also
    /// where it cannot be told, since other lines stand between the steps.
    #[inline]
    pub fn is_as_before(&self, steps: usize) -> bool {
        let mut left = steps;
        for (now, before) in self.lines.iter().zip(&self.last) {
            if now.is_step | before.is_step {
                if left == 0 {
                    return true;
                }
                if !(now.is_step & before.is_step && now.effect.is(&before.effect)) {
                    return false;
                }
                left -= 1;
            }
        }
        true
    }
    /// Step `index` of the execution before this one.
    pub fn step_before(&self, index: usize) -> Option<Line> {
        self.last.iter().filter(|line| line.is_step).nth(index).copied()
    }
}
