//! The facts about a search and a failure, as types: bounds, assumptions, reasons, and relations of tasks and objects.
//!
//! No code parses a sentence: the world passes facts to the renderer, and only `raddle-report` makes sentences of them.

use crate::clock::Time;
use crate::code::CodeChange;
use crate::difference::Difference;
use crate::memory::Model;
use crate::record::{Caller, Place};
use crate::verdict::FailureKind;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A bound within which a search explores.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// At most so many preemptions.
    Preemptions(u32),
    /// The bound on how many more yields a task has than another enabled task.
    Yields(u32),
    /// At most so many steps.
    Steps(usize),
    /// The first so many steps are prescribed.
    Prefix(usize),
}

/// An error of the teardown of an execution that has failed before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TeardownError {
    /// A task panicked, in a destructor.
    Panicked {
        /// The task.
        task: String,
        /// What the panic said.
        message: String,
        /// Where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
    },
    /// A task would have aborted the process.
    Aborted {
        /// The task.
        task: String,
    },
    /// An operation failed in another way.
    Failed {
        /// The message of its defect.
        message: String,
    },
}

/// Why a search explored only some of the behaviours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// It stops at a failure, and there was one.
    FirstFailure,
    /// The same in a search whose bound on preemptions grows.
    FirstFailureWithin {
        /// How many preemptions the failing execution has.
        preemptions: u32,
        /// All executions with fewer have been explored.
        fewest: bool,
    },
    /// The same picks did not lead to the same steps.
    NotDeterministic,
    /// An assumption of a reduced world was refuted; the search restarts.
    Refuted,
    /// The executions of the budget are used up.
    Executions {
        /// How many there were.
        executions: u64,
    },
    /// The time of the budget is used up.
    TimeLimit {
        /// How many executions there were.
        executions: u64,
    },
    /// The user interrupted it.
    Interrupted {
        /// How many executions there were.
        executions: u64,
    },
    /// The strategy could not decide how some executions continue.
    Undecided {
        /// How many.
        executions: u64,
    },
    /// The limit of steps cut some executions. What would have come after it may race with what is explored.
    StepLimit {
        /// How many.
        executions: u64,
    },
    /// No execution ends within the bounds.
    NothingWithin(Vec<Bound>),
    /// The strategy explores one schedule.
    OneSchedule,
    /// These crates run on the real std, where no operation is seen.
    Excluded {
        /// Their names.
        crates: Vec<String>,
    },
}

/// Where an Erlang process may be interrupted, and what one step is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grain {
    /// At every visible operation; an exit is a sequence of steps, a kill only marks its victim.
    #[default]
    Full,
    /// As in the thesis: after every call with a side effect that returned; an exit is one step.
    Thesis,
    /// Only where a process waits. Coarse: may miss.
    Receive,
}

/// How Erlang signals are delivered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Every signal is delivered at once.
    Instant,
    /// Messages at once, other signals later, in order per pair: as within one node.
    #[default]
    Local,
    /// Every signal later, in order per pair; signals of different pairs are unordered: as between nodes.
    Pairs,
}

impl Grain {
    /// Every grain, with its name.
    pub const ALL: [(Grain, &str); 3] =
        [(Grain::Full, "full"), (Grain::Thesis, "thesis"), (Grain::Receive, "receive")];
}

impl Delivery {
    /// Every delivery, the weakest first, with its name.
    pub const ALL: [(Delivery, &str); 3] =
        [(Delivery::Instant, "instant"), (Delivery::Local, "local"), (Delivery::Pairs, "pairs")];
}

macro_rules! named {
    ($($of:ty),*) => {$(
        impl $of {
            /// The name.
            pub fn name(self) -> &'static str {
                <$of>::ALL.iter().find(|(one, _)| *one == self).map_or("", |(_, name)| *name)
            }
        }
        impl FromStr for $of {
            type Err = String;
            fn from_str(text: &str) -> Result<$of, String> {
                let names = <$of>::ALL.map(|(_, name)| name).join(", ");
                let found = <$of>::ALL.into_iter().find(|(_, name)| *name == text);
                found.map(|(one, _)| one).ok_or_else(|| format!("`{text}` is none of {names}"))
            }
        }
    )*};
}
named!(Grain, Delivery, Time);

/// Why a program with orderings weaker than `SeqCst` was explored under sequential consistency only, where its memory model
/// depends on its orderings.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// Atomics are known by their addresses, and it is not known when memory is freed.
    AllocatorNotInstalled,
    /// Loops wait for a change: they would wait for stores that they may read already.
    SpinsAwait,
    /// Spurious wake-ups and failures are explored.
    SpuriousWakeUps,
    /// The order of messages is left open.
    Observers,
    /// The search is bounded.
    Bounds,
    /// The search is one that does not know RC11.
    Strategy,
    /// The reduction could not decide so many executions under RC11: beside timers, or loops that wait for more than atomics.
    NotReduced {
        /// How many.
        executions: u64,
    },
    /// The search under RC11 ended in what is no failure of the program.
    EndedIn(FailureKind),
    /// Nothing of the budget was left.
    NothingLeft,
    /// Something that is not under control orders accesses to atomics: the counts of std's `Arc`.
    HiddenSynchronisation,
}

/// What a search assumed, in the order of the coverage line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// Only schedules within this bound were sampled.
    SampledWithin(Bound),
    /// Addresses differ between executions.
    RealAddresses,
    /// At most so many processes are killed.
    Kills(u32),
    /// Cells on the heap were not judged for data races: it was not known when their memory is freed.
    HeapCellsNotJudged,
    /// The program of a ticket has changed since it was written.
    ChangedSinceTicket(CodeChange),
    /// Beside timers, the clock moves so often, and only so many of the first readings of a task find that it has.
    ClockMoves {
        /// How often in an execution.
        times: u32,
        /// At how many readings of a task.
        readings: u32,
    },
    /// Detached tasks took at most so many steps after main returned.
    DetachedSteps(usize),
    /// A spin loop takes at most so many identical iterations while other tasks are enabled.
    FairSpins(u32),
    /// Heap blocks that were freed were held back until the execution ended: no address was used again.
    FreedMemoryHeldBack,
    /// Beyond so many bytes, freed blocks were not held back: what was done with them later was not found.
    FreedMemoryForgotten {
        /// The limit, in MiB.
        mebibytes: u64,
    },
    /// Heap blocks that were freed were held back, or used again at once: the last one first, or the first one first.
    FreedMemoryUsedAgain,
    /// What one step of an Erlang process is.
    Grain(Grain),
    /// Failures of this kind are none.
    Ignored(FailureKind),
    /// These crates run on the real std, where no operation is seen.
    OnRealStd(Vec<String>),
    /// Longer executions were cut after so many steps.
    FirstSteps(usize),
    /// Reads and writes of plain memory are judged in crates that are compiled for that: not in the standard library as it is
    /// delivered, and not in other languages.
    PlainMemoryWatched,
    /// Reads and writes of memory that is neither an atomic nor a cell of raddle are not seen: no data race on it is found.
    PlainMemoryNotWatched,
    /// A data race on plain memory was found that this rule suppresses.
    RaceSuppressed(String),
    /// Reference counts of `Arc` are not operations.
    ReferenceCountsNotExplored,
    /// Atomics are sequentially consistent.
    SequentiallyConsistent,
    /// The same, though the program has weaker orderings.
    SequentiallyConsistentSince(Obstacle),
    /// Sequential consistency was asked for, and this operation has a weaker ordering, which was taken for `SeqCst`.
    TakenForSeqCst(Place),
    /// So did the operations in so many further places.
    TakenForSeqCstElsewhere {
        /// How many.
        places: u64,
    },
    /// Atomics follow this memory model.
    Memory(Model),
    /// How Erlang signals are delivered.
    Signals(Delivery),
    /// A spin loop waits for a change and never gives up.
    SpinsAwait,
    /// At most so many loads read an older store than the last one.
    StaleReads(u32),
    /// The global allocator of the program is not used.
    OwnAllocatorNotUsed,
    /// A task that panics and is not joined does not fail the test.
    ThreadPanicsAllowed,
    /// Timeouts of so many milliseconds and more never fire.
    TimeoutsBelow(u64),
    /// After the end of the test, a timer that is set again and again fired so many times.
    TimersAfterTest(u32),
    /// When timers fire.
    Timers(Time),
    /// Exits with this reason are no failure.
    TreatedAsNormal(String),
    /// At most so many spurious wake-ups.
    SpuriousWakeUps(u32),
}

/// Why a test could not be explored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// It uses something outside that is not modelled.
    Outside {
        /// What it does.
        what: String,
    },
    /// It waits in a system call.
    WaitsOutside {
        /// For what.
        what: String,
    },
    /// A task computes without any operation.
    Stuck {
        /// The message of the watchdog.
        words: String,
    },
    /// No execution ended within the budget.
    NoExecutionEnded,
    /// An execution took more steps than allowed.
    StepLimit {
        /// How many are allowed.
        steps: usize,
    },
    /// The same schedule did not lead to the same steps.
    NotDeterministic {
        /// What was different.
        difference: String,
        /// Reference counts were not tracked, which may be the reason.
        untracked_arcs: bool,
    },
    /// The library was used in a way that it does not support.
    Misuse {
        /// How.
        message: String,
    },
    /// No search explored anything.
    NothingExplored,
    /// The crate is excluded and uses the real std.
    Excluded,
    /// The program has its own main, so its tests cannot be distinguished.
    OwnMain,
    /// A procedural macro is compiled for the compiler, with the real std.
    ProcMacro,
    /// The budget for all tests was used up earlier.
    TotalBudget,
    /// The user interrupted it.
    Interrupted,
    /// A doctest that is not explored.
    Doctest {
        /// Why.
        why: String,
    },
}

/// What a blocked task waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiting {
    /// To do its operation.
    #[default]
    ToDo,
    /// For the object.
    For,
    /// To be unparked.
    ToBeUnparked,
    /// To be notified by the object.
    ToBeNotified,
    /// It was woken by the object and needs something else.
    Woken,
    /// To be woken by the object.
    ToBeWoken,
}

/// The relation between the task and the object of a fact.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The task's pending operation is blocked; the others hold what it needs.
    Waits {
        /// How it waits.
        waiting: Waiting,
        /// Its operation.
        operation: String,
        /// What it needs, if that is not the object.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        needs: Option<String>,
    },
    /// The task spins until one of these objects changes.
    Spins {
        /// The objects that the loop reads.
        objects: Vec<String>,
    },
    /// The process waits for a message.
    WaitsForMessage {
        /// The messages in its mailbox, none of which it takes.
        mailbox: Vec<String>,
    },
    /// The process waits.
    WaitsForSignal,
    /// Each of these tasks waits for the next one, and the last one for the first.
    Circle {
        /// Their names.
        tasks: Vec<String>,
    },
    /// The task notified the object before the task of the fact before waited for that.
    NotifiedTooEarly,
    /// The task reads the object.
    Reads,
    /// The task writes the object.
    Writes,
    /// The task accesses plain memory.
    Accesses {
        /// How.
        access: PlainAccess,
        /// As one that may race with others of its kind.
        atomically: bool,
        /// How many bytes.
        bytes: usize,
    },
    /// The task has been reading the object.
    ReadsSince,
    /// The task reads the object again.
    ReadsAgain,
    /// The task wants to write the object.
    WantsToWrite,
    /// The task allocated the block.
    Allocated,
    /// The task freed the block.
    Freed,
    /// The task frees the block again.
    FreesAgain,
    /// The task frees it.
    FreesHere,
    /// The task does this to an object in a freed block.
    UsesFreed {
        /// The operation.
        operation: String,
    },
    /// The last operation of the task before it crashed.
    DidLast {
        /// The operation.
        operation: String,
    },
    /// The task panicked.
    Panicked,
    /// The task panicked because another one had.
    PanickedBecause,
    /// The task called exit.
    Exited,
    /// The object was made.
    Made,
    /// The channel was made.
    ChannelMade,
    /// The place of use that the message is about.
    Used,
    /// The atomic step began.
    AtomicStepBegan,
    /// The task wants to do this to the object.
    WantsTo {
        /// Its operation.
        operation: String,
    },
    /// The task's pending operation.
    Next {
        /// Its operation.
        operation: String,
    },
    /// A call on the stack.
    In {
        /// The function.
        function: String,
    },
    /// A call of an undefined function.
    Undefined {
        /// Its module.
        module: String,
        /// The function.
        function: String,
    },
    /// The same picks led to different steps.
    Differs {
        /// What was different.
        difference: Difference,
    },
    /// It is not known when memory is freed, and so which atomic lives at an address.
    FreedMemoryUnknown,
    /// It ended in another failure.
    EndedIn {
        /// Of which kind.
        kind: FailureKind,
        /// With which message.
        message: String,
    },
}

/// How plain memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlainAccess {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// Another task of a fact, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Other {
    /// Its name.
    pub task: String,
    /// Where it acquired the object of the fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// One fact that explains a failure: `main.1` waits to lock `Mutex#2`, which `main` holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// The name of the task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The name that the program registered for the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The relation.
    pub relation: Relation,
    /// The name of the object that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The call that led there, if the place is not in the code under test and stacks were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Box<Caller>>,
    /// The tasks that hold what the task needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
}

impl Fact {
    /// A fact of which only the relation is known.
    pub fn new(relation: Relation) -> Fact {
        Fact {
            task: None,
            label: None,
            relation,
            object: None,
            place: None,
            caller: None,
            others: Vec::new(),
        }
    }
    /// A fact about a task.
    pub fn of(task: impl Into<String>, relation: Relation) -> Fact {
        Fact { task: Some(task.into()), ..Fact::new(relation) }
    }
    /// The same about an object.
    #[must_use]
    pub fn object(mut self, object: impl Into<String>) -> Fact {
        self.object = Some(object.into());
        self
    }
    /// The same, and where.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Fact {
        self.place = place;
        self
    }
    /// Whether the task is blocked.
    pub fn is_waiting(&self) -> bool {
        use Relation::*;
        matches!(self.relation, Waits { .. } | Spins { .. } | WaitsForMessage { .. } | WaitsForSignal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_others_are_refused() {
        for (grain, name) in Grain::ALL {
            assert_eq!((grain.name(), name.parse()), (name, Ok(grain)));
        }
        for (delivery, name) in Delivery::ALL {
            assert_eq!((delivery.name(), name.parse()), (name, Ok(delivery)));
        }
        assert_eq!("coarse".parse::<Grain>(), Err("`coarse` is none of full, thesis, receive".to_owned()));
        assert_eq!(["idle", "any"].map(str::parse), [Ok(Time::Idle), Ok(Time::Any)]);
    }
}
