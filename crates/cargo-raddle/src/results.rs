//! The verdict on a test.

use raddle_core::fact::{SkipReason, StopReason};
use raddle_core::verdict::{Coverage, Extent, Failure, FailureKind};
use raddle_shadow::protocol::{Explored, Outcome};
use raddle_terminal::SearchFile;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The verdict on a test.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No failure in the explored executions.
    Passed,
    /// The user interrupted it, with no failure until then.
    Interrupted,
    /// It failed.
    Failed(Box<Failed>),
    /// It could not be explored, for this reason.
    Skipped(SkipReason),
    /// Its author ignores it.
    Ignored(String),
    /// Its process ended without a verdict.
    NoVerdict(NoVerdict),
}

/// Why there is no verdict on a test.
#[derive(Clone, Debug)]
pub enum NoVerdict {
    /// Its process was ended by this signal.
    Crashed(String),
    /// Something else.
    Other(String),
}

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoVerdict::Crashed(by) => write!(f, "its process was ended by {by}"),
            NoVerdict::Other(why) => f.write_str(why),
        }
    }
}

/// The failure of a test.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The failing execution, unless the test failed outside of any.
    pub failure: Option<Failure>,
    /// The message of the test, if no execution shows it.
    pub complaint: Option<String>,
    pub coverage: Option<Coverage>,
    pub ticket: Option<PathBuf>,
    /// Why there is no ticket.
    pub no_ticket: Option<String>,
    /// What the program printed in that execution.
    pub output: String,
}

/// A test and its verdict.
#[derive(Clone, Debug)]
pub struct Outcomes {
    pub program: usize,
    pub name: String,
    pub verdict: Verdict,
    pub explored: Vec<Explored>,
    pub elapsed: Duration,
}

impl Verdict {
    /// One word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Interrupted => "interrupted",
            Verdict::Failed(_) => "FAILED",
            Verdict::Skipped(_) => "skipped",
            Verdict::Ignored(_) => "ignored",
            Verdict::NoVerdict(_) => "no verdict",
        }
    }

    /// The reason if it neither passed nor failed.
    pub fn reason(&self) -> Option<String> {
        match self {
            Verdict::Passed | Verdict::Interrupted | Verdict::Failed(_) => None,
            Verdict::Skipped(why) => Some(raddle_report::skip(why)),
            Verdict::Ignored(why) => Some(why.clone()),
            Verdict::NoVerdict(why) => Some(why.to_string()),
        }
    }

    /// The verdict on what a test's process said at its end.
    pub fn of(outcome: &Outcome) -> Verdict {
        if let Some(why) = &outcome.refused {
            let why = why.strip_prefix("raddle: ").unwrap_or(why);
            return Verdict::NoVerdict(NoVerdict::Other(why.to_owned()));
        }
        let coverage = outcome.explored.last().map(|e| e.coverage.clone());
        match (&outcome.failure, &outcome.complaint) {
            (None, None) if is_interrupted(coverage.as_ref()) => Verdict::Interrupted,
            (None, None) if outcome.explored.is_empty() => Verdict::Skipped(SkipReason::NothingExplored),
            (None, None) if outcome.explored.iter().all(|search| search.coverage.executions == 0) => {
                Verdict::Skipped(SkipReason::NoExecutionEnded)
            }
            (None, None) => Verdict::Passed,
            // The result of an explicit check is meant for its author.
            (Some(failure), _) if !outcome.explicit && failure.kind().is_limit_of_exploring() => {
                Verdict::Skipped(limit(failure, outcome.max_steps))
            }
            (failure, complaint) => Verdict::Failed(Box::new(Failed {
                failure: failure.clone(),
                complaint: complaint.clone(),
                coverage,
                ticket: None,
                no_ticket: None,
                output: String::new(),
            })),
        }
    }
}

fn is_interrupted(coverage: Option<&Coverage>) -> bool {
    coverage.is_some_and(|c| matches!(c.extent, Extent::Partial(StopReason::Interrupted { .. })))
}

/// The limit of exploring that a failure shows.
fn limit(failure: &Failure, steps: usize) -> SkipReason {
    match failure.kind() {
        FailureKind::StepLimit => SkipReason::StepLimit { steps },
        FailureKind::NotDeterministic => {
            let difference = failure.defect.difference();
            let difference = difference.map_or_else(|| failure.message(), ToString::to_string);
            SkipReason::NotDeterministic { difference, untracked_arcs: false }
        }
        _ => SkipReason::Misuse { message: failure.message() },
    }
}

impl Outcomes {
    /// Executions of all searches.
    pub fn executions(&self) -> u64 {
        self.explored.iter().map(|e| e.coverage.executions).sum()
    }
    /// The searches of the verdict. One that reached its time limit before its first execution is omitted.
    pub fn searches(&self) -> Vec<&Coverage> {
        let all: Vec<&Coverage> = self.explored.iter().map(|e| &e.coverage).collect();
        let some: Vec<&Coverage> = all.iter().copied().filter(|c| c.executions > 0).collect();
        if some.is_empty() { all } else { some }
    }
    /// The file with the unexplored subtrees of one of the searches, or why it could not be written.
    pub fn search_file(&self) -> Option<&SearchFile> {
        self.explored.iter().rev().find_map(|search| search.search_file.as_ref())
    }
    /// What could not be saved, and why.
    pub fn not_saved(&self) -> Vec<&str> {
        let search = self.search_file().and_then(|file| file.as_ref().err());
        let ticket = match &self.verdict {
            Verdict::Failed(failed) => failed.no_ticket.as_ref(),
            _ => None,
        };
        ticket.into_iter().chain(search).map(String::as_str).collect()
    }
    /// The coverage of the last of them.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.searches().last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_saw_nothing_is_not_what_a_verdict_rests_on() {
        let part = (Extent::Partial(StopReason::TimeLimit { executions: 14 }), 14);
        let random = |n| (Extent::Sampled { schedules: n, seed: 0 }, n);
        let rests_on = |searches: &[(Extent, u64)]| {
            let explored = |(extent, executions): &(Extent, u64)| Explored {
                coverage: Coverage {
                    extent: extent.clone(),
                    executions: *executions,
                    assumptions: Vec::new(),
                },
                steps: 0,
                search_file: None,
            };
            let outcome = Outcomes {
                program: 0,
                name: String::new(),
                verdict: Verdict::Passed,
                explored: searches.iter().map(explored).collect(),
                elapsed: Duration::ZERO,
            };
            (outcome.coverage().unwrap().extent.clone(), outcome.searches().len())
        };
        assert_eq!(rests_on(&[part.clone(), random(0)]), (part.0.clone(), 1));
        assert_eq!(rests_on(&[part.clone(), random(3)]), (random(3).0, 2));
        assert_eq!(rests_on(&[random(0)]), (random(0).0, 1));
    }
}
