//! What an execution, and a whole search, turned out to mean. A verdict never claims more than was explored.

use crate::record::{ExecutionRecord, Place};
use crate::ticket::Ticket;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A task panicked and the program did not handle it.
    Panic,
    /// Nothing can move and somebody waits.
    Deadlock,
    /// Only loops that wait in vain are left.
    Livelock,
    /// Two accesses to one cell, not both reads, with nothing that orders them.
    DataRace,
    /// Something tracked outlived the execution.
    Leak,
    /// A stated invariant does not hold.
    Invariant,
    /// The execution took more steps than allowed.
    StepLimit,
    /// The same picks did not lead to the same steps.
    NotDeterministic,
    /// The library was used in a way that it does not support.
    Misuse,
}

impl FailureKind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            FailureKind::Panic => "panic",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::DataRace => "data race",
            FailureKind::Leak => "leak",
            FailureKind::Invariant => "broken invariant",
            FailureKind::StepLimit => "step limit",
            FailureKind::NotDeterministic => "not deterministic",
            FailureKind::Misuse => "misuse",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// One fact about a failure: who waits for what, where the other access was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// The fact, naming its task and object.
    pub text: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What a world says went wrong in one execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Defect {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened, in one or a few lines.
    pub message: String,
    /// The facts that explain it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl Defect {
    /// A defect without notes.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Defect {
        Defect { kind, message: message.into(), notes: Vec::new() }
    }
    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>, place: Option<Place>) -> Defect {
        self.notes.push(Note { text: text.into(), place });
        self
    }
}

/// A failure that a search found, with all that is needed to show and to replay it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// What went wrong.
    pub defect: Defect,
    /// In which execution of the search, from 1.
    pub execution: u64,
    /// How it came about.
    pub record: ExecutionRecord,
    /// How to see it again.
    pub ticket: Ticket,
    /// What went wrong while the execution was put away; never the reason for the failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub afterwards: Vec<String>,
}

impl Failure {
    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        self.defect.kind
    }
    /// What happened.
    pub fn message(&self) -> &str {
        &self.defect.message
    }
    /// In which execution of the search, from 1.
    pub fn execution(&self) -> u64 {
        self.execution
    }
    /// How it came about.
    pub fn trace(&self) -> &ExecutionRecord {
        &self.record
    }
    /// How to see it again.
    pub fn ticket(&self) -> &Ticket {
        &self.ticket
    }
}

/// How one execution ended, as far as a strategy needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It came to its end.
    Passed,
    /// It failed.
    Failed(FailureKind),
    /// The strategy gave it up as redundant.
    Abandoned,
}

/// How much of the program's behaviour a search has seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// All of it.
    Exhaustive,
    /// All of it within these bounds, in words ("2 preemptions").
    Within(Vec<String>),
    /// This many schedules, drawn with this seed.
    Sampled {
        /// How many.
        schedules: u64,
        /// Drawn with what.
        seed: u64,
    },
    /// One execution, prescribed by a ticket.
    Replayed,
    /// A part: the search ended early, for this reason ("stopped at the first failure").
    Partial(String),
}

/// What a search covered and what it took for granted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// How much.
    pub extent: Extent,
    /// How many executions that took.
    pub executions: u64,
    /// What was taken for granted ("sequentially consistent", "timers when idle").
    pub assumptions: Vec<String>,
}

impl Coverage {
    /// Every behaviour was seen, with no bound.
    pub fn is_exhaustive(&self) -> bool {
        self.extent == Extent::Exhaustive
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.extent {
            Extent::Exhaustive => write!(f, "exhaustive")?,
            Extent::Within(bounds) => write!(f, "exhaustive within {}", bounds.join(" and "))?,
            Extent::Sampled { schedules, seed } => {
                let plural = if *schedules == 1 { "" } else { "s" };
                write!(f, "sampled {} schedule{plural} (seed {seed})", thousands(*schedules))?
            }
            Extent::Replayed => write!(f, "replayed one schedule")?,
            Extent::Partial(why) => write!(f, "not exhaustive: {why}")?,
        }
        for assumption in &self.assumptions {
            write!(f, " · {assumption}")?;
        }
        Ok(())
    }
}

/// 1234567 as "1,234,567".
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_says_what_it_means() {
        let assumptions = vec!["sequentially consistent".to_owned(), "timers when idle".to_owned()];
        let mut coverage = Coverage { extent: Extent::Exhaustive, executions: 6, assumptions };
        assert_eq!(coverage.to_string(), "exhaustive · sequentially consistent · timers when idle");
        coverage.assumptions.clear();
        coverage.extent = Extent::Within(vec!["2 preemptions".to_owned()]);
        assert_eq!(coverage.to_string(), "exhaustive within 2 preemptions");
        coverage.extent = Extent::Sampled { schedules: 10_000, seed: 7 };
        assert_eq!(coverage.to_string(), "sampled 10,000 schedules (seed 7)");
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(34_650_000), "34,650,000");
    }
}
