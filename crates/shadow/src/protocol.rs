//! The protocol between the driver and the program that holds the tests. The driver asks through environment variables;
//! the program answers with lines of JSON in a file, separate from its own output.
//!
//! This file is compiled into both.

use raddle_core::clock::Time;
use raddle_core::search::Progress;
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Coverage, Failure};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Asks the program for something else than its harness does: [`LIST`] or [`EXPLORE`].
pub const WISH: &str = "RADDLE_SHADOW";
/// The request for the list of tests.
pub const LIST: &str = "list";
/// The request to explore one test.
pub const EXPLORE: &str = "explore";
/// The file that the answer is written to.
pub const ANSWER: &str = "RADDLE_SHADOW_ANSWER";
/// The [`Order`], as JSON.
pub const ORDER: &str = "RADDLE_SHADOW_ORDER";

/// One test of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Listed {
    /// As the harness names it.
    pub name: String,
    /// Why it is not executed by default; empty if its author gave no reason.
    pub ignored: Option<String>,
}

/// What to explore and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The test.
    pub test: String,
    /// The kind of the search.
    pub strategy: String,
    /// How many schedules are drawn.
    pub schedules: u64,
    /// At most so many executions of each search.
    pub executions: Option<u64>,
    /// The file of a stopped search of this test, to resume.
    pub resume: Option<String>,
    /// Where searches are saved that reach the time limit or are interrupted; none if they are not.
    pub search_file: Option<PathBuf>,
    /// How often a search saves itself, in milliseconds.
    pub checkpoint: u64,
    /// Whether a search continues after a failure.
    pub keep_going: bool,
    /// The seed of random choices.
    pub seed: u64,
    /// Operating-system threads that explore.
    pub workers: usize,
    /// How many steps an execution may take; none for the default limit.
    pub max_steps: Option<usize>,
    /// At most so many preemptions.
    pub preemptions: Option<u32>,
    /// Spurious wake-ups allowed.
    pub spurious: u32,
    /// When timers may fire.
    pub time: Time,
    /// The time in which all searches of the test must be done, in milliseconds; none for no limit.
    pub budget: Option<u64>,
    /// How long a task may compute without any operation, in milliseconds.
    pub patience: u64,
    /// Whether executions have their memory at the same addresses. What outlives an execution outside of raddle's
    /// control (in a crate on the real std, in a library in C) does not work with that.
    pub arena: bool,
    /// The wall-clock time at which an execution begins, in seconds since 1970.
    pub beginning: u64,
    /// Whether threads that are not joined may panic.
    pub thread_panics: bool,
    /// Whether all reference counts are operations from the beginning, and not only those that are found to matter.
    #[serde(default)]
    pub track_arc: bool,
    /// Whether what the program does to its heap is judged, where executions have arenas.
    #[serde(default)]
    pub heap: bool,
    /// Whether accesses to plain memory are judged: the program is compiled for that. With the text of a file of suppressions.
    #[serde(default)]
    pub races: Option<String>,
    /// The memory model of atomics, by its name; none as usual.
    #[serde(default)]
    pub memory: Option<String>,
    /// How many loads of an execution may read an older store than the last one; none for any number.
    #[serde(default)]
    pub stale_reads: Option<u32>,
    /// A ticket to replay instead of searching. Then the calls that lead to operations are recorded, too.
    pub replay: Option<String>,
}

/// The messages of a program during the exploration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// The time of the test begins.
    Begun,
    /// The test makes checks of its own, which may have limits of their own.
    Explicit,
    /// A stage of the search is over.
    Covered(Box<Explored>),
    /// A failure was found. It is not confirmed.
    Failed(Box<Outcome>),
    /// The progress of the present search.
    Progress(Progress),
    /// A task computes, or waits outside, without any operation.
    Stuck {
        /// The message of the watchdog.
        words: String,
    },
    /// The test cannot be explored: it uses something outside that is not modelled.
    Outside {
        /// What it does.
        what: String,
    },
    /// It is done.
    Done(Box<Outcome>),
}

/// The outcome of one test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The searches, in order.
    pub explored: Vec<Explored>,
    /// The failure.
    pub failure: Option<Failure>,
    /// The ticket of the failure, as one line of text, if it is not in there.
    pub ticket: Option<String>,
    /// A failure outside of any exploration: the test itself reported it, outside of its checks.
    pub complaint: Option<String>,
    /// Why the order was not carried out: a search file of another program, a number that is too large.
    #[serde(default)]
    pub refused: Option<String>,
    /// The test explores by itself, with `#[raddle::test]` or `raddle::check`.
    pub explicit: bool,
    /// How many steps an execution could take.
    pub max_steps: usize,
}

/// The maximal number of lines of a record.
const LONGEST_STORY: usize = 10_000;

impl Outcome {
    /// The same with a failure outside of any exploration.
    #[must_use]
    pub fn complaining(self, complaint: String) -> Outcome {
        Outcome { complaint: Some(complaint), ..self }
    }

    /// The same with a shorter record: an execution may have had a million steps, too many to read.
    #[must_use]
    pub fn packed(mut self) -> Outcome {
        if let Some(failure) = &mut self.failure {
            self.ticket = Some(failure.ticket.to_string());
            failure.ticket.steps.clear();
            failure.record.shorten(LONGEST_STORY);
        }
        self
    }

    /// The inverse, except for a record that was too long.
    #[must_use]
    pub fn unpacked(mut self) -> Outcome {
        if let (Some(failure), Some(text)) = (&mut self.failure, self.ticket.take())
            && let Ok(ticket) = Ticket::parse(&text)
        {
            failure.ticket = ticket;
        }
        self
    }
}

/// The result of one search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Explored {
    /// Its coverage.
    pub coverage: Coverage,
    /// Steps of all executions.
    pub steps: u64,
    /// The file with the unexplored subtrees, if the search was stopped, or why it could not be written.
    pub search_file: Option<Result<PathBuf, String>>,
}
