//! What happened: operations with their tasks, their invocations and their responses, as versioned JSON if wanted.
//!
//! Invariant: the operations of a task follow one another, each invoked after the response of the one before; only its
//! last one may be pending. The definition of a history is that of Herlihy and Wing (1990).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the format of a recorded history.
pub const VERSION: u32 = 1;

/// One operation of a history.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operation<C, R> {
    /// The task that invoked it, by a name that does not depend on the schedule: `main.1`.
    pub task: String,
    /// What was invoked, with its arguments.
    pub command: C,
    /// The position of its invocation in the trace.
    pub invoked: u64,
    /// How it ended.
    pub outcome: Outcome<R>,
}

/// How an operation ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome<R> {
    /// It has responded.
    Responded {
        /// The response.
        response: Response<R>,
        /// Its position in the trace.
        at: u64,
    },
    /// At the end of the execution it still waits, and nothing else can run.
    Blocked,
    /// The execution was cut off while it was pending: it may have taken effect or not.
    CutOff,
}

/// What an operation answered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Response<R> {
    /// It has returned this.
    Returned(R),
    /// It has panicked with this message.
    Panicked(String),
}

impl<C, R> Operation<C, R> {
    /// An operation that has returned.
    pub fn returned(task: &str, command: C, invoked: u64, response: R, at: u64) -> Self {
        let outcome = Outcome::Responded { response: Response::Returned(response), at };
        Operation { task: task.to_owned(), command, invoked, outcome }
    }
    /// An operation without a response.
    pub fn pending(task: &str, command: C, invoked: u64, outcome: Outcome<R>) -> Self {
        Operation { task: task.to_owned(), command, invoked, outcome }
    }
    /// The position of its response, if it has one.
    pub fn responded(&self) -> Option<u64> {
        match self.outcome {
            Outcome::Responded { at, .. } => Some(at),
            Outcome::Blocked | Outcome::CutOff => None,
        }
    }
}

/// A well-formed history. Operations are referred to by their index.
///
/// Positions are numbers of events. Operations of different tasks whose events have the same position overlap there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct History<C, R> {
    operations: Vec<Operation<C, R>>,
}

/// Why something is not a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HistoryError {
    /// An operation responds before it is invoked.
    RespondsBeforeInvocation {
        /// The operation.
        operation: usize,
    },
    /// A task invokes an operation although its operation before has not responded earlier.
    InvokedWhilePending {
        /// The operation before.
        pending: usize,
        /// The operation that it invokes.
        operation: usize,
    },
    /// The file has another version.
    Version {
        /// That version.
        found: u32,
    },
    /// The file has another form.
    Format(String),
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::RespondsBeforeInvocation { operation } => {
                write!(f, "operation {operation} responds before it is invoked")
            }
            HistoryError::InvokedWhilePending { pending, operation } => write!(
                f,
                "the task of operation {operation} invokes it before operation {pending} of the same task has responded; \
                 give the two events different positions"
            ),
            HistoryError::Version { found } => write!(
                f,
                "the history has version {found}, this raddle reads version {VERSION}; record it again, or judge it with \
                 the raddle that wrote it"
            ),
            HistoryError::Format(why) => write!(f, "not a recorded history: {why}"),
        }
    }
}

impl std::error::Error for HistoryError {}

/// The file.
#[derive(Serialize, Deserialize)]
struct Recorded<O> {
    version: u32,
    operations: Vec<O>,
}

impl<C, R> History<C, R> {
    /// The history of these operations, in any order.
    ///
    /// # Errors
    /// If it is not well-formed.
    pub fn new(operations: Vec<Operation<C, R>>) -> Result<History<C, R>, HistoryError> {
        let early =
            |operation: &Operation<C, R>| operation.responded().is_some_and(|at| at < operation.invoked);
        if let Some(operation) = operations.iter().position(early) {
            return Err(HistoryError::RespondsBeforeInvocation { operation });
        }
        let history = History { operations };
        for of_task in history.by_task() {
            for pair in of_task.windows(2) {
                let (pending, operation) = (pair[0], pair[1]);
                let responded = history.operations[pending].responded();
                if responded.is_none_or(|at| at >= history.operations[operation].invoked) {
                    return Err(HistoryError::InvokedWhilePending { pending, operation });
                }
            }
        }
        Ok(history)
    }

    /// The operations.
    pub fn operations(&self) -> &[Operation<C, R>] {
        &self.operations
    }

    /// The operations of each task, in program order.
    pub(super) fn by_task(&self) -> Vec<Vec<usize>> {
        let mut tasks: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, operation) in self.operations.iter().enumerate() {
            tasks.entry(&operation.task).or_default().push(at);
        }
        let mut tasks: Vec<Vec<usize>> = tasks.into_values().collect();
        tasks.iter_mut().for_each(|task| task.sort_by_key(|at| self.operations[*at].invoked));
        tasks
    }
}

impl<C: Serialize, R: Serialize> History<C, R> {
    /// The form for files.
    ///
    /// # Errors
    /// If a command or a response cannot be written as JSON, as a map whose keys are not text.
    pub fn to_json(&self) -> Result<String, HistoryError> {
        let recorded = Recorded { version: VERSION, operations: self.operations.iter().collect() };
        serde_json::to_string_pretty(&recorded).map_err(|e| HistoryError::Format(e.to_string()))
    }
}

impl<C: DeserializeOwned, R: DeserializeOwned> History<C, R> {
    /// Reads the form for files.
    ///
    /// # Errors
    /// If it has another version or form, or is not well-formed.
    pub fn from_json(text: &str) -> Result<History<C, R>, HistoryError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        // The version first: another one may have other fields.
        let Head { version } = serde_json::from_str(text).map_err(|e| HistoryError::Format(e.to_string()))?;
        if version != VERSION {
            return Err(HistoryError::Version { found: version });
        }
        let recorded: Recorded<Operation<C, R>> =
            serde_json::from_str(text).map_err(|e| HistoryError::Format(e.to_string()))?;
        History::new(recorded.operations)
    }
}
