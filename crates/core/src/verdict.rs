//! The verdict of an execution and of a whole search. A verdict never claims more than was explored.

mod cause;
mod explanation;
mod kind;

pub use cause::{BadFree, Cause, Elsewhere, Fault, Found, PanicDuring, PlainMemory, Side};
pub use explanation::{Decisive, Explanation, Fix, Precedence, Tasks};
pub use kind::{Blame, FailureKind, Simplification};

use crate::difference::Difference;
use crate::fact::{Assumption, Bound, Fact, Relation, StopReason, TeardownError};
use crate::memory::{MemoryExplanation, Model};
use crate::record::ExecutionRecord;
use crate::ticket::Ticket;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// The defect of one execution, as its world reports it. Its serialized form has the message, too, for people.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Defect {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened.
    pub cause: Box<Cause>,
    /// The facts that explain it.
    #[serde(default)]
    pub facts: Vec<Fact>,
}

impl Serialize for Defect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Defect { kind, cause, facts } = self;
        let mut fields = serializer.serialize_struct("Defect", 4)?;
        fields.serialize_field("kind", kind)?;
        fields.serialize_field("cause", cause)?;
        fields.serialize_field("message", &self.message())?;
        match facts.is_empty() {
            true => fields.skip_field("facts")?,
            false => fields.serialize_field("facts", facts)?,
        }
        fields.end()
    }
}

impl Defect {
    /// A defect without facts.
    pub fn of(cause: Cause) -> Defect {
        Defect { kind: cause.kind(), cause: Box::new(cause), facts: Vec::new() }
    }
    /// A defect in the words of a world that has no cause for it.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Defect {
        Defect::of(Cause::Said { kind, message: message.into() })
    }
    /// What happened, in one or a few lines.
    pub fn message(&self) -> String {
        self.cause.to_string()
    }
    /// The same picks led to different steps, in this way.
    pub fn not_deterministic(difference: Difference) -> Defect {
        Defect::of(Cause::NotDeterministic { difference: difference.clone() })
            .with(Fact::new(Relation::Differs { difference }))
    }
    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, fact: Fact) -> Defect {
        self.facts.push(fact);
        self
    }
    /// What was different, where the same picks led to different steps.
    pub fn difference(&self) -> Option<&Difference> {
        self.facts.iter().find_map(|fact| match &fact.relation {
            Relation::Differs { difference } => Some(difference),
            _ => None,
        })
    }
}

/// A failure that a search found, with all data to show and replay it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The defect.
    pub defect: Defect,
    /// In which execution of the search, from 1.
    pub execution: u64,
    /// The execution, in readable form.
    pub record: ExecutionRecord,
    /// The ticket that replays it.
    pub ticket: Ticket,
    /// Errors of the teardown of the execution; never the reason for the failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub afterwards: Vec<TeardownError>,
    /// The result of a replay of the ticket if it differs; none if it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
    /// What the simplification of the schedule has removed; none if it is the schedule that the search found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simplified: Option<Simplified>,
    /// A comparison with other executions; none if none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// What the orderings of the program have to do with it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryExplanation>,
}

/// A schedule before and after its simplification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Simplified {
    /// How many preemptions it had, and has.
    pub preemptions: [u32; 2],
    /// How many steps.
    pub steps: [u32; 2],
}

/// The result of a replay that does not give the same failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replayed {
    /// No failure.
    Passed,
    /// It did not come to its end within the time of the check.
    NotInTime,
    /// The process died in it.
    ProcessDied,
    /// Another failure.
    Failed {
        /// Its kind.
        kind: FailureKind,
        /// Its message.
        message: String,
    },
}

impl Failure {
    /// A failure whose execution was torn down without errors.
    pub fn new(defect: Defect, execution: u64, record: ExecutionRecord, ticket: Ticket) -> Failure {
        Failure {
            defect,
            execution,
            record,
            ticket,
            afterwards: Vec::new(),
            replayed: None,
            simplified: None,
            explanation: None,
            memory: None,
        }
    }
    /// Its kind.
    pub fn kind(&self) -> FailureKind {
        self.defect.kind
    }
    /// What happened.
    pub fn message(&self) -> String {
        self.defect.message()
    }
    /// In which execution of the search, from 1.
    pub fn execution(&self) -> u64 {
        self.execution
    }
    /// The execution, in readable form.
    pub fn trace(&self) -> &ExecutionRecord {
        &self.record
    }
    /// The ticket that replays it.
    pub fn ticket(&self) -> &Ticket {
        &self.ticket
    }
}

/// How one execution ended, for the strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It passed.
    Passed,
    /// It failed.
    Failed(FailureKind),
    /// The strategy abandoned it as redundant.
    Abandoned,
}

/// How much of the program's behaviour a search has explored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// All behaviours.
    Exhaustive,
    /// All behaviours within these bounds.
    Within(Vec<Bound>),
    /// This many schedules, sampled with this seed.
    Sampled {
        /// How many.
        schedules: u64,
        /// The seed.
        seed: u64,
    },
    /// One execution, prescribed by a ticket.
    Replayed,
    /// Some behaviours: the search ended early, for this reason.
    Partial(StopReason),
}

/// What a search covered and what it assumed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// The extent.
    pub extent: Extent,
    /// The number of executions.
    pub executions: u64,
    /// The assumptions.
    pub assumptions: Vec<Assumption>,
}

impl Coverage {
    /// Whether all behaviours were explored, with no bound.
    pub fn is_exhaustive(&self) -> bool {
        self.extent == Extent::Exhaustive
    }
    /// The memory model of atomics, if there are any.
    pub fn memory_model(&self) -> Option<Model> {
        self.assumptions.iter().find_map(|assumption| match assumption {
            Assumption::Memory(model) => Some(*model),
            Assumption::SequentiallyConsistent | Assumption::SequentiallyConsistentSince(_) => {
                Some(Model::Sc)
            }
            _ => None,
        })
    }
    /// Some crates ran on the real std: whatever the search explored, it is not all.
    pub fn exclude(&mut self, crates: &[String]) {
        self.assumptions.push(Assumption::OnRealStd(crates.to_vec()));
        self.assumptions.sort();
        if let Extent::Exhaustive | Extent::Within(_) = self.extent {
            self.extent = Extent::Partial(StopReason::Excluded { crates: crates.to_vec() });
        }
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
