//! The settings of executions of a Rust program. Tickets hold those that a replay needs.

use crate::auto_memory::AutoMemory;
use crate::counted::Counted;
use crate::observers::Observers;
use crate::reuse::Reuse;
use raddle_core::check::MEMORY;
use raddle_core::clock::Time;
use raddle_core::memory::{Model as Memory, StrongerOrdering};
use raddle_core::suppressions::Suppressions;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The treatment of detached tasks when main returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Detached {
    /// They are dropped, as at the exit of a process.
    #[default]
    Allowed,
    /// They must have taken their last operation, or the execution fails.
    MustFinish,
}

/// The treatment of spin loops: loops that read and yield until a value changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Spins {
    /// A loop may take this many identical iterations while other tasks are enabled, and then waits for a
    /// change. The code after a spin that gives up is explored.
    Fair(u32),
    /// A loop waits for a change at once. For programs whose spins never give up: the code after one that
    /// does is not explored.
    Await,
}

/// Which drops of references to one object conflict. It changes no execution, only which ones are taken for equivalent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Drops {
    /// The last one conflicts with the others, which commute.
    #[default]
    Commute,
    /// Each conflicts with each.
    Conflict,
}

/// The settings of executions.
#[derive(Clone, Debug)]
pub struct Settings {
    /// When timers may fire.
    pub time: Time,
    /// The maximal number of spurious wake-ups and spurious failures of weak compare-exchanges in an
    /// execution.
    pub spurious: u32,
    /// The treatment of spin loops.
    pub spins: Spins,
    /// The size of a task's stack, in bytes.
    pub stack_size: usize,
    /// The treatment of detached tasks.
    pub detached: Detached,
    /// The limits of messages whose order is explored. They change no execution, only which ones a search
    /// takes for equivalent, and so are not in tickets.
    pub observers: Option<Observers>,
    /// The types whose reference counts are operations.
    pub counted: Counted,
    /// Which drops of references conflict.
    pub drops: Drops,
    /// Whether what the program does to its heap is judged, and whether freed memory is used again. For programs whose
    /// allocator is [`crate::alloc::Allocator`] or that of a facade.
    pub heap: Option<Reuse>,
    /// Whether it is noted where blocks are allocated and freed.
    pub gathers_stacks: bool,
    /// Whether accesses to plain memory are judged, and which races are not reported. For programs that are compiled for that, whose heap is judged.
    pub plain: Option<Suppressions>,
    /// Where accesses to plain memory are judged: whether those of tasks to their own stacks are, too. A search assumes that no
    /// task touches the stack of another; an execution in which one does refutes that, and the search restarts.
    pub stacks: Reuse,
    /// The memory model of atomics.
    pub memory: Memory,
    /// How many loads of an execution may read an older store than the last one; none for any number. It changes no execution,
    /// and so is in no ticket.
    pub stale_reads: Option<u32>,
    /// Orderings that operations have under a weak model where they are stronger than their own.
    pub strengthened: Option<Arc<[StrongerOrdering]>>,
    /// The memory model depends on the orderings of the program: then this says which one it is now.
    pub auto: Option<AutoMemory>,
    /// Whether operations with orderings weaker than `SeqCst` are named, which sequential consistency takes for that.
    pub names_orderings: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        // A stack is mapped, not written: the size of std's costs nothing.
        let stack_size = 2 << 20;
        Settings {
            time: Time::Idle,
            spurious: 0,
            spins: Spins::Fair(3),
            stack_size,
            detached: Detached::Allowed,
            observers: None,
            counted: Counted::default(),
            drops: Drops::Commute,
            heap: None,
            gathers_stacks: false,
            plain: None,
            stacks: Reuse::default(),
            memory: Memory::Sc,
            stale_reads: None,
            strengthened: None,
            auto: None,
            names_orderings: false,
        }
    }
}

impl Settings {
    /// The settings for a replay, as text.
    pub fn to_words(&self) -> BTreeMap<String, String> {
        let time = match self.time {
            Time::Idle => "idle",
            Time::Any => "any",
        };
        let spins = match self.spins {
            Spins::Fair(rounds) => rounds.to_string(),
            Spins::Await => "await".to_owned(),
        };
        let detached = match self.detached {
            Detached::Allowed => "allowed",
            Detached::MustFinish => "finish",
        };
        let counts = self.counted.to_word();
        [
            ("time", time.to_owned()),
            ("spurious", self.spurious.to_string()),
            ("spins", spins),
            ("detached", detached.to_owned()),
        ]
        .into_iter()
        .chain((!counts.is_empty()).then_some(("counts", counts)))
        .chain(
            self.heap
                .as_ref()
                .map(|reuse| ("heap", if reuse.is_explored() { "reused" } else { "held" }.to_owned())),
        )
        .chain(
            self.plain
                .as_ref()
                .map(|_| ("plain", if self.stacks.is_explored() { "stacks" } else { "judged" }.to_owned())),
        )
        .chain((self.memory != Memory::Sc).then(|| (MEMORY, self.memory.to_string())))
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
    }

    /// Applies the settings of a ticket. An unknown word is an error that names it.
    pub fn apply(&mut self, words: &BTreeMap<String, String>) -> Result<(), String> {
        for (key, value) in words {
            let unknown = || format!("the ticket's setting `{key}={value}` is not known to this raddle");
            match (key.as_str(), value.as_str()) {
                ("time", "idle") => self.time = Time::Idle,
                ("time", "any") => self.time = Time::Any,
                ("detached", "allowed") => self.detached = Detached::Allowed,
                ("detached", "finish") => self.detached = Detached::MustFinish,
                ("spurious", n) => self.spurious = n.parse().map_err(|_| unknown())?,
                ("counts", types) => {
                    self.counted = Counted::default();
                    self.counted.apply(types)?;
                }
                ("heap", "held") => self.heap = Some(Reuse::default()),
                ("heap", "reused") => self.heap = Some(Reuse::explored()),
                // Suppressions are those of the replay.
                ("plain", "judged") => _ = self.plain.get_or_insert_default(),
                ("plain", "stacks") => {
                    self.plain.get_or_insert_default();
                    self.stacks = Reuse::explored();
                }
                (MEMORY, model) => self.memory = model.parse().map_err(|_| unknown())?,
                ("spins", "await") => self.spins = Spins::Await,
                ("spins", n) => self.spins = Spins::Fair(n.parse().map_err(|_| unknown())?),
                _ => return Err(unknown()),
            }
        }
        Ok(())
    }
}
