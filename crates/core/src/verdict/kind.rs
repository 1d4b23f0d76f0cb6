//! The kinds of failure, each with its name and title, its exit code, the steps to blame and the simplification of its
//! schedule. A new kind is an entry here and a world that reports it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A task panicked and the program did not handle it.
    Panic,
    /// A task faulted: the process would have died of a signal.
    Crash,
    /// No task is enabled and at least one is blocked.
    Deadlock,
    /// Only spin loops that wait in vain are enabled.
    Livelock,
    /// Two accesses to one cell, not both reads, that happens-before does not order.
    DataRace,
    /// Memory was used after it was freed.
    UseAfterFree,
    /// A block was freed twice.
    DoubleFree,
    /// What was freed is no block, or one with another layout.
    BadFree,
    /// A write beyond either end of a block.
    HeapOverflow,
    /// A tracked object outlived the execution.
    Leak,
    /// A stated invariant does not hold.
    Invariant,
    /// The execution took more steps than allowed.
    StepLimit,
    /// The same picks did not lead to the same steps.
    NotDeterministic,
    /// The library was used in a way that it does not support.
    Misuse,
    /// The program uses something that is not modelled.
    Unsupported,
    /// The exploration took more memory than allowed.
    MemoryLimit,
}

impl FailureKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Panic => "panic",
            FailureKind::Crash => "crash",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::DataRace => "data race",
            FailureKind::UseAfterFree => "use after free",
            FailureKind::DoubleFree => "double free",
            FailureKind::BadFree => "bad free",
            FailureKind::HeapOverflow => "heap overflow",
            FailureKind::Leak => "leak",
            FailureKind::Invariant => "broken invariant",
            FailureKind::StepLimit => "step limit",
            FailureKind::NotDeterministic => "not deterministic",
            FailureKind::Misuse => "misuse",
            FailureKind::Unsupported => "not supported",
            FailureKind::MemoryLimit => "memory limit",
        }
    }
    /// The title of its report.
    pub fn title(self) -> &'static str {
        match self {
            FailureKind::StepLimit => "step limit reached",
            FailureKind::MemoryLimit => "memory limit reached",
            kind => kind.name(),
        }
    }
    /// The exit code of a command that found it: 1 if the program failed, 2 if it could not be explored.
    pub fn exit_code(self) -> u8 {
        match self {
            FailureKind::Misuse | FailureKind::Unsupported | FailureKind::MemoryLimit => 2,
            _ => 1,
        }
    }
    /// Whether it is about blocks of the heap.
    pub fn is_of_the_heap(self) -> bool {
        use FailureKind::{BadFree, DoubleFree, HeapOverflow, UseAfterFree};
        matches!(self, UseAfterFree | DoubleFree | BadFree | HeapOverflow)
    }
    /// Whether it is a limit of the exploration and not a failure of the program.
    pub fn is_limit_of_exploring(self) -> bool {
        match self {
            FailureKind::StepLimit
            | FailureKind::NotDeterministic
            | FailureKind::Misuse
            | FailureKind::Unsupported
            | FailureKind::MemoryLimit => true,
            FailureKind::Panic
            | FailureKind::Crash
            | FailureKind::Deadlock
            | FailureKind::Livelock
            | FailureKind::DataRace
            | FailureKind::UseAfterFree
            | FailureKind::DoubleFree
            | FailureKind::BadFree
            | FailureKind::HeapOverflow
            | FailureKind::Leak
            | FailureKind::Invariant => false,
        }
    }
    /// Whether a replay of its ticket reproduces it.
    pub fn can_be_replayed(self) -> bool {
        !self.is_limit_of_exploring() || self == FailureKind::StepLimit
    }
    /// Which steps of the execution are to blame.
    pub fn blame(self) -> Blame {
        match self {
            FailureKind::Panic => Blame::Panic,
            FailureKind::Deadlock | FailureKind::Livelock => Blame::Waiting,
            _ => Blame::Places,
        }
    }
    /// Whether its schedule may be simplified, and whether steps on which its last step does not depend may be removed.
    pub fn simplification(self) -> Simplification {
        match self {
            FailureKind::Panic | FailureKind::DataRace | FailureKind::Invariant => Simplification::Cut,
            // What an error of memory depends on may not be watched: no step is removed.
            FailureKind::UseAfterFree
            | FailureKind::DoubleFree
            | FailureKind::BadFree
            | FailureKind::HeapOverflow
            | FailureKind::Deadlock
            | FailureKind::Livelock
            | FailureKind::Leak => Simplification::Reorder,
            // Memory may be damaged: as few further executions as possible.
            FailureKind::Crash => Simplification::None,
            _ => Simplification::None,
        }
    }
}

/// Which steps of a failing execution are to blame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The panics that the facts name; without facts the last panic.
    Panic,
    /// No step: the tasks that are blocked at the end.
    Waiting,
    /// The steps that the facts name by task and place.
    Places,
}

/// How a failing schedule may be simplified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simplification {
    /// Not at all.
    None,
    /// Independent steps may be reordered.
    Reorder,
    /// The same, and steps on which the last step does not depend may be removed.
    Cut,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
