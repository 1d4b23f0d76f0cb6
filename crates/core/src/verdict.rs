//! What an execution, and a whole search, turned out to mean. A verdict never claims more than was explored.

mod kind;

pub use kind::{Blame, FailureKind, Simplification};

use crate::fact::{Assumption, Bound, Fact, Relation, StopReason};
use crate::record::ExecutionRecord;
use crate::ticket::Ticket;
use serde::{Deserialize, Serialize};

/// What a world says went wrong in one execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Defect {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened, in one or a few lines.
    pub message: String,
    /// The facts that explain it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

impl Defect {
    /// A defect without facts.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Defect {
        Defect { kind, message: message.into(), facts: Vec::new() }
    }
    /// The same picks led to different steps, in this way.
    pub fn not_deterministic(difference: impl Into<String>) -> Defect {
        let difference = difference.into();
        Defect::new(FailureKind::NotDeterministic, format!("the program is not deterministic: {difference}"))
            .with(Fact::new(Relation::Differs { difference }))
    }
    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, fact: Fact) -> Defect {
        self.facts.push(fact);
        self
    }
    /// What was different, where the same picks led to different steps.
    pub fn difference(&self) -> Option<&str> {
        self.facts.iter().find_map(|fact| match &fact.relation {
            Relation::Differs { difference } => Some(difference.as_str()),
            _ => None,
        })
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
    /// What a replay of the ticket gave instead; none if it gave the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
}

/// What a replay gave that did not give the same failure again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replayed {
    /// No failure.
    Passed,
    /// Another failure.
    Failed {
        /// Its kind.
        kind: FailureKind,
        /// Its message.
        message: String,
    },
}

impl Failure {
    /// A failure whose execution was put away without anything else going wrong.
    pub fn new(defect: Defect, execution: u64, record: ExecutionRecord, ticket: Ticket) -> Failure {
        Failure { defect, execution, record, ticket, afterwards: Vec::new(), replayed: None }
    }
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
    /// All of it within these bounds.
    Within(Vec<Bound>),
    /// This many schedules, drawn with this seed.
    Sampled {
        /// How many.
        schedules: u64,
        /// Drawn with what.
        seed: u64,
    },
    /// One execution, prescribed by a ticket.
    Replayed,
    /// A part: the search ended early, for this reason.
    Partial(StopReason),
}

/// What a search covered and what it took for granted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// How much.
    pub extent: Extent,
    /// How many executions that took.
    pub executions: u64,
    /// What was taken for granted.
    pub assumptions: Vec<Assumption>,
}

impl Coverage {
    /// Every behaviour was seen, with no bound.
    pub fn is_exhaustive(&self) -> bool {
        self.extent == Extent::Exhaustive
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
    fn thousands_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(34_650_000), "34,650,000");
    }
}
