//! What happened in an execution, in as few words of memory as possible. Turned into a story when somebody
//! wants to read it.

use super::operation::{NO_OBJECT, Op};
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
    /// Learns what was released on the object; a lock.
    Acquire,
    /// Releases on the object, in addition to what others released; an unlock.
    Release,
    /// Both.
    AcquireRelease,
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
    /// The new task knows what its parent knew.
    Spawn(TaskId),
    /// Learns all that the task knew.
    Join(TaskId),
}

/// A line that is no step.
pub(crate) const NO_STEP: u32 = u32::MAX;

/// One line of the log.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub task: TaskId,
    pub step: u32,
    pub verb: &'static str,
    pub object: ObjectId,
    pub place: &'static Location<'static>,
    pub effect: Effect,
    pub sync: Sync,
    pub wrote: bool,
    /// The line before this one by the same task, plus 1.
    pub before: u32,
    /// The line that last changed the object, plus 1.
    pub reads_from: u32,
}

/// The log of one execution.
#[derive(Default)]
pub(crate) struct Log {
    pub lines: Vec<Line>,
    pub steps: u32,
    /// The line of the step that is being taken.
    pub present: usize,
}

impl Log {
    pub fn reset(&mut self) {
        self.lines.clear();
        self.steps = 0;
        self.present = 0;
    }
    /// Begins the line of a step.
    #[inline]
    pub fn step(&mut self, op: &Op, wrote: bool, before: u32, reads_from: u32) {
        self.present = self.lines.len();
        self.lines.push(Line {
            task: op.task,
            step: self.steps,
            verb: op.verb.name,
            object: op.object,
            place: op.place,
            effect: Effect::None,
            sync: Sync::None,
            wrote,
            before,
            reads_from,
        });
        self.steps += 1;
    }
    /// Adds a line that is no step.
    pub fn note(&mut self, task: TaskId, verb: &'static str, place: &'static Location<'static>) -> &mut Line {
        self.lines.push(Line {
            task,
            step: NO_STEP,
            verb,
            object: NO_OBJECT,
            place,
            effect: Effect::None,
            sync: Sync::None,
            wrote: false,
            before: 0,
            reads_from: 0,
        });
        self.lines.last_mut().expect("just pushed")
    }
}
