//! What happened in an execution, in as few words of memory as possible. Turned into a record when somebody
//! wants to read it.

use crate::runtime::operation::{NO_OBJECT, Op, OperationKind};
use raddle_core::operation::{ObjectId, TaskId};
use std::panic::Location;
use std::sync::atomic::Ordering;

/// How the bits of a value are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Unsigned,
    /// With this many bits.
    Signed(u8),
    Bool,
    Pointer,
    /// Nanoseconds.
    Time,
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
    /// The message of that number, which line so-and-so sent.
    Received(u32, u32),
    /// What it was about is a task.
    Task(TaskId),
    Count(u64),
    /// One of the execution's texts.
    Text(u32),
}

/// What an operation means for *synchronises-with*, by the orderings that the program declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sync {
    None,
    /// Learns what was released on the object, by anyone; a lock.
    Acquire,
    /// Releases on the object, in addition to what others released; an unlock.
    Release,
    /// Both.
    AcquireRelease,
    /// Acquires another object than the operation's own.
    AcquireOf(ObjectId),
    /// Releases on another object than the operation's own.
    ReleaseOf(ObjectId),
    /// Learns what was released on the object, but not by those who shared it; a read lock.
    AcquireShared,
    /// Releases to those who do not share the object; an unlock by a reader.
    ReleaseShared,
    /// Learns what was released on the object since the last meeting. What it then knows goes with its line.
    Meet,
    /// Learns what so-and-so line of a meeting knew, as others may, too.
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
    /// Learns what line so-and-so sent.
    Receive(u32),
    /// Both: learns what that line sent, and what the task knows then goes with one message.
    Exchange(u32),
    /// The new task knows what its parent knew.
    Spawn(TaskId),
    /// Learns all that the task knew.
    Join(TaskId),
}

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

/// The log of one execution.
#[derive(Default)]
pub(crate) struct Log {
    pub lines: Vec<Line>,
    /// The line of the step that is being taken.
    pub present: usize,
    /// It is not kept: whatever is said goes into the same line.
    unkept: bool,
}

impl Log {
    pub fn reset(&mut self) {
        self.lines.clear();
        self.present = 0;
        self.unkept = false;
    }
    /// This execution has no log. To be said before it begins.
    pub fn leave_out(&mut self) {
        let Op { kind, place, .. } = Op::nothing();
        self.note(TaskId::MAIN, kind, place);
        self.unkept = true;
    }
    #[inline(always)]
    pub fn is_kept(&self) -> bool {
        !self.unkept
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
}
