//! The first difference between two executions of the same picks: the program is not deterministic.
//!
//! Steps are numbered from 1, and described as in a trace.

use crate::verdict::FailureKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What was different when the same picks were made again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// A step was another one, or had another result.
    Step {
        /// Which step.
        step: usize,
        /// What it was before, with its result if that is what differs.
        was: String,
        /// What it is now.
        now: String,
    },
    /// A step that had this option does not have it now.
    Option {
        /// Which step.
        step: usize,
        /// The operation, as it is now.
        now: String,
        /// The option.
        option: u32,
    },
    /// It continued after so many steps before, and is over now.
    EndsEarlier {
        /// How many.
        steps: usize,
    },
    /// It was over after so many steps before, and continues now.
    EndsLater {
        /// How many.
        steps: usize,
        /// The step that comes next now.
        now: String,
    },
    /// It came to another end.
    End {
        /// How it ended before.
        was: Ended,
        /// How it ends now.
        now: Ended,
    },
    /// It passed both times, with different results.
    Outcome,
    /// The steps were others from this one on.
    From {
        /// The first of them.
        step: usize,
    },
}

/// How one of two executions ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// It passed, after so many steps.
    Passed {
        /// How many.
        steps: usize,
    },
    /// It failed.
    Failed {
        /// In which way.
        kind: FailureKind,
        /// The message; empty if it is not known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// It was abandoned as redundant.
    Abandoned,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Step { step, was, now } => write!(f, "step {step} was `{was}`, now it is `{now}`"),
            Difference::Option { step, now, option } => {
                write!(f, "option {option} of `{now}` was possible at step {step}, now it is not")
            }
            Difference::EndsEarlier { steps } => {
                write!(f, "it went on after step {steps} before, now nothing can happen there")
            }
            Difference::EndsLater { steps, now } => {
                write!(f, "it was over after step {steps} before, now it goes on with `{now}`")
            }
            Difference::End { was: Ended::Passed { steps: was }, now: Ended::Passed { steps: now } } => {
                write!(f, "it took {was} steps, and {now} when the same schedule was run again")
            }
            Difference::End { was, now } => {
                write!(f, "it {was}, and {now} when the same schedule was run again")
            }
            Difference::Outcome => f.write_str("it had another result when the same schedule was run again"),
            Difference::From { step } => {
                write!(f, "it went differently from step {step} on when the same schedule was run again")
            }
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Passed { .. } => f.write_str("passed"),
            Ended::Failed { kind, message } if message.is_empty() => write!(f, "ended in a {kind}"),
            Ended::Failed { kind, message } => write!(f, "ended in a {kind} ({message})"),
            Ended::Abandoned => f.write_str("was given up"),
        }
    }
}
