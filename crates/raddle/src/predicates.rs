//! Predicates on all executions of a check, as usual for concurrent programs. After the predicates and `autocheck` of
//! Déjà Fu.
//!
//! An answer holds only for what was explored, and says so.

use crate::report::Report;
use raddle_core::verdict::{Extent, FailureKind};
use std::collections::BTreeSet;
use std::fmt::{self, Debug};

/// Whether something holds of all executions.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use = "a finding that is not looked at does not fail a test"]
pub struct Finding {
    /// What should hold, as text.
    pub claim: String,
    /// Whether it does, in the explored executions.
    pub holds: bool,
    /// The counterexamples, or what was not explored.
    pub because: Vec<String>,
}

impl Finding {
    fn new(claim: impl Into<String>, because: Vec<String>) -> Finding {
        Finding { claim: claim.into(), holds: because.is_empty(), because }
    }
    /// Panics with the counterexamples if it does not hold.
    ///
    /// # Panics
    /// If it does not hold.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.holds, "{self}");
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", if self.holds { "pass" } else { "fail" }, self.claim)?;
        self.because.iter().try_for_each(|why| write!(f, "\n       {why}"))
    }
}

/// All findings about a program, and their coverage. Displays as a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Findings {
    /// The findings.
    pub all: Vec<Finding>,
    /// What was explored.
    pub coverage: String,
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.all.iter().try_for_each(|finding| writeln!(f, "{finding}"))?;
        write!(f, "       {}", self.coverage)
    }
}

impl<T: Ord + Debug> Report<T> {
    /// No execution ended in a deadlock or a livelock.
    pub fn never_deadlocks(&self) -> Finding {
        let kinds = [FailureKind::Deadlock, FailureKind::Livelock];
        self.found("never deadlocks", kinds.into_iter().flat_map(|kind| self.seen(kind)))
    }

    /// No execution ended in a panic that the program did not handle.
    pub fn never_panics(&self) -> Finding {
        self.found("never panics", self.seen(FailureKind::Panic))
    }

    /// No execution failed at all.
    pub fn never_fails(&self) -> Finding {
        let kinds: Vec<FailureKind> = self.failures_by_kind().keys().copied().collect();
        self.found("never fails", kinds.into_iter().flat_map(|kind| self.seen(kind)))
    }

    /// All executions had the same result. To fail is a result, too.
    pub fn always_the_same_result(&self) -> Finding {
        let results = self.results();
        let because = if results.len() > 1 { results } else { Vec::new() };
        self.found("always the same result", because)
    }

    /// The results are exactly these, and no execution failed. Each of them must have come, so this can fail
    /// because too little was explored.
    pub fn gives_exactly(&self, results: impl IntoIterator<Item = T>) -> Finding {
        let wanted: BTreeSet<T> = results.into_iter().collect();
        let came_before = |result: &T| self.outcomes_before().contains_key(&format!("{result:?}"));
        let missing = wanted.iter().filter(|r| !self.outcomes().contains_key(r) && !came_before(r));
        let missing: Vec<String> = missing.map(|result| format!("{result:?} never came")).collect();
        self.found(format!("gives exactly {wanted:?}"), self.others_than(&wanted).into_iter().chain(missing))
    }

    /// All results are among these, and no execution failed; not each of them has to come.
    pub fn gives_some_of(&self, results: impl IntoIterator<Item = T>) -> Finding {
        let allowed: BTreeSet<T> = results.into_iter().collect();
        self.found(format!("gives some of {allowed:?}"), self.others_than(&allowed))
    }

    /// The usual findings about a concurrent program.
    pub fn findings(&self) -> Findings {
        let all = vec![self.never_deadlocks(), self.never_panics(), self.always_the_same_result()];
        Findings { all, coverage: raddle_report::coverage(self.coverage()) }
    }

    /// A claim that holds if there is no counterexample, and if none can be missing because the check stopped early.
    fn found(&self, claim: impl Into<String>, against: impl IntoIterator<Item = String>) -> Finding {
        let mut because: Vec<String> = against.into_iter().collect();
        if let (true, Extent::Partial(why)) = (because.is_empty(), &self.coverage().extent) {
            because.push(format!("not known: {}", raddle_report::stop(why)));
        }
        Finding::new(claim, because)
    }

    /// The failures of this kind, in one line.
    fn seen(&self, kind: FailureKind) -> Option<String> {
        let times = *self.failures_by_kind().get(&kind)?;
        let first = self.failure_of(kind)?;
        let message = first.message();
        let message = message.lines().next().unwrap_or_default();
        Some(format!(
            "{kind} {}: {message} (first in execution {})",
            times_in_words(times),
            first.execution()
        ))
    }

    /// All results, failures included.
    fn results(&self) -> Vec<String> {
        let passed = self.outcomes().iter();
        let passed = passed.map(|(result, times)| format!("{result:?} came {}", times_in_words(*times)));
        let before = self.outcomes_before().iter();
        let passed =
            passed.chain(before.map(|(result, times)| format!("{result} came {}", times_in_words(*times))));
        passed.chain(self.failures_by_kind().keys().filter_map(|kind| self.seen(*kind))).collect()
    }

    /// Results that are not among `these`, and failures.
    fn others_than(&self, these: &BTreeSet<T>) -> Vec<String> {
        let others = self.outcomes().iter().filter(|(result, _)| !these.contains(result));
        let others = others.map(|(result, times)| format!("{result:?} came {}", times_in_words(*times)));
        let these: BTreeSet<String> = these.iter().map(|result| format!("{result:?}")).collect();
        let before = self.outcomes_before().iter().filter(move |(result, _)| !these.contains(*result));
        let others =
            others.chain(before.map(|(result, times)| format!("{result} came {}", times_in_words(*times))));
        others.chain(self.failures_by_kind().keys().filter_map(|kind| self.seen(*kind))).collect()
    }
}

fn times_in_words(times: u64) -> String {
    match times {
        1 => "once".to_owned(),
        n => format!("{} times", raddle_core::verdict::thousands(n)),
    }
}

/// Explores every behaviour of `f` and prints what always holds of it: whether it never deadlocks, never panics
/// and always has the same result.
///
/// ```
/// let report = raddle::autocheck(|| raddle::any_bool());
/// assert!(report.never_panics().holds && !report.always_the_same_result().holds);
/// ```
///
/// # Panics
/// As [`Checker::run`](crate::Checker::run).
#[track_caller]
pub fn autocheck<T, F>(f: F) -> Report<T>
where
    F: Fn() -> T + Send + Sync,
    T: Ord + Debug + Send,
{
    crate::Checker::exhaustive().autocheck(f)
}
