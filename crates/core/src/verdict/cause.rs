//! What happened in an execution that failed, as a type: each cause knows its kind of failure, and its words are here
//! and nowhere else.
//!
//! Tasks and objects are named as in a trace. A new cause is a variant, its kind and its sentence.

use super::{FailureKind, thousands};
use crate::difference::Difference;
use crate::fact::PlainAccess;
use crate::record::Place;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A task panicked.
    Panicked {
        /// The task.
        task: String,
        /// What the panic said.
        message: String,
    },
    /// A panic after which the process aborts.
    PanicAborts {
        /// The task.
        task: String,
        /// Where the panic was, and so aborts.
        during: PanicDuring,
        /// What the panic said, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// A task aborted the process.
    Aborted {
        /// The task.
        task: String,
    },
    /// A task faulted: the process would have died of a signal.
    Faulted {
        /// The task.
        task: String,
        /// How.
        fault: Fault,
    },
    /// A task overflowed its stack.
    StackOverflow {
        /// The task.
        task: String,
        /// How large the stack is.
        kibibytes: u64,
    },
    /// A task ended the process.
    ExitedProcess {
        /// The task.
        task: String,
        /// The exit code.
        code: i32,
    },
    /// No task is enabled, and these are blocked.
    Deadlock {
        /// Their names.
        tasks: Vec<String>,
    },
    /// The first task has returned, and these cannot come to an end.
    Unfinished {
        /// Their names.
        tasks: Vec<String>,
    },
    /// A task reads a lock again that a writer may wait for.
    ReadAgain {
        /// The task that reads.
        reader: String,
        /// The task that writes.
        writer: String,
        /// The lock.
        lock: String,
    },
    /// Only loops that wait are enabled.
    Livelock {
        /// The tasks that spin.
        tasks: Vec<String>,
    },
    /// A process computes without a step.
    Endless {
        /// The process.
        process: String,
    },
    /// Two accesses that happens-before does not order.
    Unordered {
        /// The task of the first.
        first: String,
        /// The task of the second.
        second: String,
        /// The object.
        object: String,
    },
    /// An access in the middle of another.
    Overlapping {
        /// The task.
        task: String,
        /// What it does.
        does: String,
        /// The object.
        object: String,
        /// The task in whose access; none if it is its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other: Option<String>,
        /// That access.
        access: String,
    },
    /// A block of the heap was freed twice.
    DoubleFree {
        /// The task that frees it again.
        task: String,
        /// The size of the block, in bytes.
        size: usize,
        /// The task that freed it first.
        first: String,
    },
    /// What is freed is no block, or one with another layout.
    BadFree {
        /// The task.
        task: String,
        /// What is wrong.
        how: BadFree,
    },
    /// A write beyond one end of a block.
    HeapOverflow {
        /// The size of the block, in bytes.
        size: usize,
        /// Which end.
        side: Side,
        /// The task that freed it, which was when it was found; none at the end of the execution.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found_by: Option<String>,
    },
    /// An operation on an object in a freed block.
    FreedBlockUsed {
        /// The task.
        task: String,
        /// Its operation.
        operation: String,
        /// The object.
        object: String,
        /// The size of the block, in bytes.
        size: usize,
        /// The task that freed it; none if its memory has been used again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        freed_by: Option<String>,
    },
    /// A write to a freed block, found at the end of the execution.
    FreedBlockWritten {
        /// The size of the block, in bytes.
        size: usize,
        /// The task that freed it.
        freed_by: String,
    },
    /// Two accesses to plain memory that happens-before does not order.
    PlainRace {
        /// The task of the first.
        first: String,
        /// The task of the second.
        second: String,
        /// How many bytes both access.
        bytes: usize,
        /// Which.
        memory: PlainMemory,
    },
    /// A block of the heap is freed, and happens-before does not order that after an access to it.
    UnorderedFree {
        /// The task that frees it.
        task: String,
        /// The task of the access.
        other: String,
        /// The size of the block, in bytes.
        size: usize,
    },
    /// Memory of a freed block is accessed.
    FreedBlockAccessed {
        /// The task.
        task: String,
        /// How.
        access: PlainAccess,
        /// How many bytes.
        bytes: usize,
        /// Where in the block.
        offset: usize,
        /// The size of the block, in bytes.
        size: usize,
        /// The task that freed it.
        freed_by: String,
    },
    /// Memory beside a block is accessed.
    OutOfBounds {
        /// The task.
        task: String,
        /// How.
        access: PlainAccess,
        /// How many bytes.
        bytes: usize,
        /// The size of the block, in bytes.
        size: usize,
        /// At which end.
        side: Side,
        /// How far from it, in bytes.
        distance: usize,
    },
    /// Tracked values that were not dropped.
    Leak {
        /// How many.
        values: usize,
        /// The type of the first.
        first: String,
    },
    /// The execution did not come to an end.
    StepLimit {
        /// The limit.
        max_steps: usize,
    },
    /// The same picks did not lead to the same steps.
    NotDeterministic {
        /// What was different.
        difference: Difference,
    },
    /// A ticket expects another step.
    TicketDiffers {
        /// The step, from 1.
        step: usize,
        /// What the ticket expects.
        expected: String,
        /// What is there.
        found: Found,
    },
    /// An operation in the middle of an atomic step.
    InAtomicStep {
        /// The task.
        task: String,
        /// Its operation, with the object.
        operation: String,
        /// The atomic step.
        step: String,
    },
    /// Something of another execution is used.
    Elsewhere(Elsewhere),
    /// A thread of an execution is asked for its pthread.
    NoPthread,
    /// A process crashed.
    Crashed {
        /// The process.
        process: String,
        /// The reason.
        reason: String,
        /// Where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
    },
    /// A process exited.
    Exited {
        /// The process.
        process: String,
        /// The reason.
        reason: String,
        /// It was the process of the test, which was not done.
        early: bool,
        /// Where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
    },
    /// A process stopped the system.
    Halted {
        /// The process.
        process: String,
        /// The call.
        call: String,
    },
    /// These processes wait for ever.
    ProcessesWait {
        /// Their names.
        processes: Vec<String>,
    },
    /// The execution took more memory than allowed.
    MemoryLimit {
        /// The limit, in MiB.
        mebibytes: u64,
    },
    /// The configuration of an application cannot be used.
    Configuration {
        /// Why.
        error: String,
    },
    /// Not modelled.
    NotSupported {
        /// What.
        what: String,
    },
    /// Said by a world in its own words.
    Said {
        /// The kind of failure.
        kind: FailureKind,
        /// The words.
        message: String,
    },
}

/// What the processor refuses to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// An access to memory that is not there, or not for that (SIGSEGV).
    Segmentation,
    /// An access to memory that cannot be had (SIGBUS).
    Bus,
    /// An instruction that does not exist (SIGILL).
    IllegalInstruction,
    /// A division that has no result (SIGFPE).
    Arithmetic,
}

/// An end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Its beginning.
    Before,
    /// Its end.
    Behind,
}

/// Which memory is accessed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlainMemory {
    /// A block of the heap.
    Block {
        /// Where in it.
        offset: usize,
        /// Its size, in bytes.
        size: usize,
    },
    /// A static.
    Static,
    /// The stack of a task.
    Stack {
        /// The task.
        of: String,
    },
}

/// What is wrong with what is freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadFree {
    /// The block has another layout.
    Layout {
        /// Its size.
        size: usize,
        /// Its alignment.
        align: usize,
        /// The size with which it is freed.
        freed_size: usize,
        /// The alignment with which it is freed.
        freed_align: usize,
    },
    /// It is not the beginning of the block.
    Inside {
        /// How many bytes behind the beginning.
        offset: usize,
        /// The size of the block.
        size: usize,
    },
    /// It is on the stack of a task.
    OfAStack,
    /// It is a static.
    OfAStatic,
}

/// Where a panic aborts the process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PanicDuring {
    /// In a destructor while another panic unwinds, or in a function that cannot unwind, in the words of `core`.
    Unwinding(String),
    /// When the result of a thread was dropped.
    DropOfResult,
    /// In the destructor of a thread-local.
    DropOfThreadLocal,
}

/// What is there instead of a step that a ticket expects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// Another step.
    Step(String),
    /// The step is not enabled.
    NotEnabled,
    /// The end of the execution.
    End,
}

/// Something that does not belong to this execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elsewhere {
    /// An object that belongs to another execution.
    Object(String),
    /// An object that was used outside of executions.
    ObjectUsedOutside(String),
    /// A handle of a task of another execution.
    Handle(String),
    /// A handle of a real thread.
    HandleOfThread(String),
    /// An end of a channel of another execution.
    ChannelEnd(String),
    /// An end of a channel of an execution that is over.
    ChannelEndOutside(String),
    /// A channel that was made outside of executions.
    Channel,
}

impl Cause {
    /// The kind of failure.
    pub fn kind(&self) -> FailureKind {
        match self {
            Cause::Panicked { .. }
            | Cause::PanicAborts { .. }
            | Cause::Aborted { .. }
            | Cause::ExitedProcess { .. }
            | Cause::Crashed { .. }
            | Cause::Exited { .. }
            | Cause::Halted { .. } => FailureKind::Panic,
            Cause::Faulted { .. } | Cause::StackOverflow { .. } => FailureKind::Crash,
            Cause::Deadlock { .. }
            | Cause::Unfinished { .. }
            | Cause::ReadAgain { .. }
            | Cause::ProcessesWait { .. } => FailureKind::Deadlock,
            Cause::Livelock { .. } | Cause::Endless { .. } => FailureKind::Livelock,
            Cause::Unordered { .. }
            | Cause::Overlapping { other: Some(_), .. }
            | Cause::PlainRace { .. }
            | Cause::UnorderedFree { .. } => FailureKind::DataRace,
            Cause::DoubleFree { .. } => FailureKind::DoubleFree,
            Cause::BadFree { .. } => FailureKind::BadFree,
            Cause::HeapOverflow { .. } | Cause::OutOfBounds { .. } => FailureKind::HeapOverflow,
            Cause::FreedBlockUsed { .. }
            | Cause::FreedBlockWritten { .. }
            | Cause::FreedBlockAccessed { .. } => FailureKind::UseAfterFree,
            Cause::Leak { .. } => FailureKind::Leak,
            Cause::StepLimit { .. } => FailureKind::StepLimit,
            Cause::NotDeterministic { .. } | Cause::TicketDiffers { .. } => FailureKind::NotDeterministic,
            Cause::Overlapping { other: None, .. }
            | Cause::InAtomicStep { .. }
            | Cause::Elsewhere(_)
            | Cause::NoPthread
            | Cause::Configuration { .. } => FailureKind::Misuse,
            Cause::MemoryLimit { .. } => FailureKind::MemoryLimit,
            Cause::NotSupported { .. } => FailureKind::Unsupported,
            Cause::Said { kind, .. } => *kind,
        }
    }
    /// Where a process crashed or exited, if that is known.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Cause::Crashed { place, .. } | Cause::Exited { place, .. } => place.as_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for PlainAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlainAccess::Read => "reads",
            PlainAccess::Write => "writes",
        })
    }
}

impl fmt::Display for PlainMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlainMemory::Block { offset: 0, size } => write!(f, "a block of {}", bytes(*size)),
            PlainMemory::Block { offset, size } => {
                write!(f, "a block of {}, at offset {offset}", bytes(*size))
            }
            PlainMemory::Static => f.write_str("a static"),
            PlainMemory::Stack { of } => write!(f, "the stack of {of}"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Panicked { task, message } => write!(f, "{task} panicked: {message}"),
            Cause::PanicAborts { task, during, message } => {
                write!(f, "{task}: {during}")?;
                message.iter().try_for_each(|message| write!(f, ": {message}"))?;
                f.write_str("; the process would abort")
            }
            Cause::Aborted { task } => write!(f, "{task} aborted the process"),
            Cause::Faulted { task, fault } => write!(f, "{task} crashed: {fault}"),
            Cause::StackOverflow { task, kibibytes } => {
                write!(
                    f,
                    "{task} overflowed its stack of {} KiB; thread::Builder::stack_size gives it a larger one, \
                     Checker::stack_size all tasks, and RUST_MIN_STACK those of cargo raddle",
                    thousands(*kibibytes)
                )
            }
            Cause::ExitedProcess { task, code } => {
                write!(f, "{task} ended the process with exit code {code}")
            }
            Cause::Deadlock { tasks } => match tasks.as_slice() {
                [] => f.write_str("nothing can move"),
                [one] => write!(f, "nothing can move: {one} waits for ever"),
                [most @ .., last] => {
                    write!(f, "nothing can move: {} and {last} wait for ever", most.join(", "))
                }
            },
            Cause::Unfinished { tasks } => {
                write!(f, "main has returned, but {} did not come to an end", tasks.join(", "))
            }
            Cause::ReadAgain { reader, writer, lock } => write!(
                f,
                "{reader} reads {lock} again while it reads it, and {writer} may already wait to write it: std's \
                 RwLock keeps new readers out while a writer waits, and then they wait for each other for ever"
            ),
            Cause::Livelock { tasks } => write!(
                f,
                "only waiting loops are left, and nothing they read ever changes: {}",
                tasks.join(", ")
            ),
            Cause::Endless { process } => {
                write!(f, "{process} goes on and on without sending, receiving or ending")
            }
            Cause::Unordered { first, second, object } => {
                write!(f, "{first} and {second} touch {object}, and nothing in the program orders them")
            }
            Cause::Overlapping { task, does, object, other: Some(other), access } => {
                write!(f, "{task} {does} {object} while {other} is still in the middle of a {access}")
            }
            Cause::Overlapping { task, does, object, other: None, access } => write!(
                f,
                "{task} {does} {object} inside of its own {access} of it: a reference to the value that is changed \
                 must be the only one"
            ),
            Cause::DoubleFree { task, size, first } if task == first => {
                write!(f, "{task} frees a block of {} again", bytes(*size))
            }
            Cause::DoubleFree { task, size, first } => {
                write!(f, "{task} frees a block of {} that {first} has freed", bytes(*size))
            }
            Cause::BadFree { task, how } => write!(f, "{task} frees {how}"),
            Cause::HeapOverflow { size, side, found_by } => {
                let side = match side {
                    Side::Before => "the beginning",
                    Side::Behind => "the end",
                };
                write!(f, "something was written beyond {side} of a block of {}, found ", bytes(*size))?;
                match found_by {
                    Some(task) => write!(f, "when {task} freed it"),
                    None => f.write_str("at the end of the execution"),
                }
            }
            Cause::FreedBlockUsed { task, operation, object, size, freed_by } => {
                write!(f, "{task} wants to {operation} {object}, which is in a block of {}", bytes(*size))?;
                match freed_by {
                    Some(freed_by) => write!(f, " that {freed_by} has freed"),
                    None => f.write_str(" that was freed, and whose memory is used again"),
                }
            }
            Cause::FreedBlockWritten { size, freed_by } => {
                write!(f, "a block of {} was written after {freed_by} had freed it", bytes(*size))
            }
            Cause::PlainRace { first, second, bytes: size, memory } => write!(
                f,
                "{first} and {second} access the same {} of {memory}, and nothing in the program orders them",
                bytes(*size)
            ),
            Cause::UnorderedFree { task, other, size } => write!(
                f,
                "{task} frees a block of {} that {other} accesses, and nothing in the program orders them",
                bytes(*size)
            ),
            Cause::FreedBlockAccessed { task, access, bytes: length, offset, size, freed_by } => {
                write!(f, "{task} {access} {} of a block of {}", bytes(*length), bytes(*size))?;
                if *offset > 0 {
                    write!(f, ", at offset {offset},")?;
                }
                write!(f, " that {freed_by} has freed")
            }
            Cause::OutOfBounds { task, access, bytes: length, size, side, distance } => {
                write!(f, "{task} {access} {}", bytes(*length))?;
                match (side, *distance) {
                    (Side::Behind, 0) => f.write_str(" beyond the end")?,
                    (Side::Behind, far) => write!(f, ", {} behind the end", bytes(far))?,
                    (Side::Before, far) => write!(f, ", {} before the beginning", bytes(far))?,
                }
                write!(f, " of a block of {}", bytes(*size))
            }
            Cause::Leak { values: 1, first } => write!(f, "a tracked {first} was never dropped"),
            Cause::Leak { values, first } => {
                write!(f, "{values} tracked values were never dropped, the first of them a {first}")
            }
            Cause::StepLimit { max_steps } => write!(
                f,
                "the execution took {} steps without coming to an end; if that is no endless loop, allow more with \
                 max_steps",
                thousands(*max_steps as u64)
            ),
            Cause::NotDeterministic { difference } => {
                write!(f, "the program is not deterministic: {difference}")
            }
            Cause::TicketDiffers { step, expected, found } => {
                write!(f, "the ticket does not fit: it expects step {step} to be `{expected}`, but ")?;
                match found {
                    Found::Step(step) => write!(f, "it is `{step}`")?,
                    Found::NotEnabled => f.write_str("that cannot happen there")?,
                    Found::End => f.write_str("the program has come to its end")?,
                }
                f.write_str(
                    "; the program or its settings have changed since the ticket was written, or it is not \
                     deterministic",
                )
            }
            Cause::InAtomicStep { task, operation, step } => write!(
                f,
                "{task} wants to {operation} in the middle of atomic_step {step}: other tasks could run there, and \
                 it would not be atomic; do it before or after"
            ),
            Cause::Elsewhere(what) => what.fmt(f),
            Cause::NoPthread => f.write_str(
                "a thread of an exploration has no pthread; run this test outside of explorations",
            ),
            Cause::Crashed { process, reason, place } => {
                write!(f, "{process} crashed: {reason}")?;
                at(f, place)
            }
            Cause::Exited { process, reason, early, place } => {
                let how = if *early { "before its test was done" } else { "abnormally" };
                write!(f, "{process} exited {how}: {reason}")?;
                at(f, place)
            }
            Cause::Halted { process, call } => write!(f, "{process} stopped the system: {call}"),
            Cause::ProcessesWait { processes } => {
                let wait = if processes.len() == 1 { "waits" } else { "wait" };
                write!(f, "deadlock: {} {wait} for ever", processes.join(" and "))
            }
            Cause::MemoryLimit { mebibytes } => write!(
                f,
                "it takes more memory than allowed ({mebibytes} MiB); allow more with --memory-limit"
            ),
            Cause::Configuration { error } => write!(f, "the configuration cannot be used: {error}"),
            Cause::NotSupported { what } => f.write_str(what),
            Cause::Said { message, .. } => f.write_str(message),
        }
    }
}

/// "24 bytes".
fn bytes(size: usize) -> String {
    format!("{} byte{}", thousands(size as u64), if size == 1 { "" } else { "s" })
}

fn at(f: &mut fmt::Formatter<'_>, place: &Option<Place>) -> fmt::Result {
    place.iter().try_for_each(|place| write!(f, " at {place}"))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Segmentation => "an invalid access to memory (SIGSEGV)",
            Fault::Bus => "an access to memory that cannot be had (SIGBUS)",
            Fault::IllegalInstruction => "an illegal instruction (SIGILL)",
            Fault::Arithmetic => "a division without a result (SIGFPE)",
        })
    }
}

impl fmt::Display for BadFree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadFree::Layout { size, align, freed_size, freed_align } => write!(
                f,
                "a block of {}, aligned to {align}, with the layout of {}, aligned to {freed_align}",
                bytes(*size),
                bytes(*freed_size)
            ),
            BadFree::Inside { offset, size } => {
                write!(f, "an address that is {} inside of a block of {}", bytes(*offset), bytes(*size))
            }
            BadFree::OfAStack => f.write_str("memory of a stack, which was never allocated"),
            BadFree::OfAStatic => f.write_str("memory of a static, which was never allocated"),
        }
    }
}

impl fmt::Display for PanicDuring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PanicDuring::Unwinding(words) => words,
            PanicDuring::DropOfResult => "its result panicked on drop",
            PanicDuring::DropOfThreadLocal => "a thread-local destructor panicked",
        })
    }
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CLEAN: &str = "each execution must start clean";
        match self {
            Elsewhere::Object(kind) | Elsewhere::ObjectUsedOutside(kind) => {
                let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
                let why = match self {
                    Elsewhere::Object(_) => "belongs to another execution",
                    _ => "was used outside of this execution",
                };
                write!(
                    f,
                    "{article} {kind} that {why} is used here; {CLEAN}, so create it inside the closure (or make it \
                     a static)"
                )
            }
            Elsewhere::Handle(handle) => write!(
                f,
                "a {handle} of a task of another execution is used here; {CLEAN}, so spawn the thread inside the \
                 closure"
            ),
            Elsewhere::HandleOfThread(handle) => write!(
                f,
                "a {handle} of a thread outside of the exploration is used here; {CLEAN}, so spawn the thread \
                 inside the closure"
            ),
            Elsewhere::ChannelEnd(end) => write!(
                f,
                "a {end} of another execution is used outside of it; {CLEAN}, so create channels inside the closure"
            ),
            Elsewhere::ChannelEndOutside(end) => write!(
                f,
                "a {end} of an execution is used outside of it; {CLEAN}, so create channels inside the closure"
            ),
            Elsewhere::Channel => write!(
                f,
                "a channel that was made outside of this execution is used in it; {CLEAN}, so create it inside the \
                 closure (or use std's own to send results out)"
            ),
        }
    }
}
