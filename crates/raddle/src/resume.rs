//! Searches that were stopped by Ctrl-C or a time limit: where they are written, and what is needed to go on.

use crate::checker::{Checker, Choice};
use crate::tickets;
use raddle_core::fact::StopReason;
use raddle_core::search::{Counted, Findings, Saved};
use raddle_core::verdict::Extent;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::PathBuf;

/// The setting of a search that was stopped which says what is received: see [`raddle_native::Observers`].
const OBSERVED: &str = "observed";

/// Reads a file.
pub(crate) fn read(path: &str) -> Result<Saved, String> {
    let content = std::fs::read_to_string(path).map_err(|e| format!("cannot read the search {path}: {e}"))?;
    Saved::parse(&content).map_err(|e| format!("{path}: {e}"))
}

impl Checker {
    /// What kind of search it is: only the same kind can go on where another one was.
    fn kind(&self) -> Option<String> {
        let mut words = match self.choice {
            Choice::Exhaustive => "exhaustive".to_owned(),
            Choice::Dfs => "dfs".to_owned(),
            Choice::PreemptionBounding => "preemption bounding".to_owned(),
            Choice::Random(_) | Choice::Replay(_) => return None,
        };
        for bound in self.bounds.list() {
            words.push_str(&format!(", within {}", raddle_report::bound(&bound)));
        }
        if let Some(most) = self.up_to {
            words.push_str(&format!(", up to {most} preemptions"));
        }
        if self.settings.observers.is_some() {
            words.push_str(", with observers");
        }
        Some(words)
    }

    /// The search goes on where `saved` was.
    pub(crate) fn go_on(&mut self, mut saved: Saved) -> Result<(), String> {
        let kind = self.kind().ok_or("only searches that enumerate can go on where they were stopped")?;
        if saved.kind != kind {
            return Err(format!("the search that was stopped is `{}`, this one is `{kind}`", saved.kind));
        }
        if let (Some(one), Some(other)) = (&saved.test, &self.plan.test)
            && one != other
        {
            return Err(format!("the search that was stopped is one of {one}, not of {other}"));
        }
        let observed = saved.settings.remove(OBSERVED);
        let settings = self.words();
        if saved.settings != settings {
            let words = |settings: &BTreeMap<String, String>| {
                settings.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
            };
            return Err(format!(
                "the search that was stopped has other settings: {}, not {}",
                words(&saved.settings),
                words(&settings)
            ));
        }
        if let (Some(observers), Some(observed)) = (&self.settings.observers, observed) {
            observers.apply(&observed)?;
        }
        self.plan.counted = saved.counted.executions;
        self.plan.explored = saved.explored;
        self.plan.left = Some(saved.left);
        self.round = saved.round.unwrap_or(0);
        self.earlier = saved.counted;
        Ok(())
    }

    /// Writes down what is left of a search, and returns where.
    pub(crate) fn save<T: Debug>(&self, found: &mut Findings<T>) -> Option<Result<PathBuf, String>> {
        let left = found.left.take()?;
        let mut settings = self.words();
        if let Some(observers) = &self.settings.observers {
            settings.insert(OBSERVED.to_owned(), observers.to_word());
        }
        let saved = Saved {
            search: Saved::VERSION,
            test: self.plan.test.clone(),
            kind: self.kind()?,
            settings,
            round: self.up_to.map(|_| found.finished_bound.map_or(0, |bound| bound + 1)),
            explored: found.explored.unwrap_or(0.0),
            counted: Counted::of(&self.earlier, found),
            left,
        };
        let test = saved.test.as_deref();
        Some(tickets::write_file(test, "search.json", "search", &saved.to_json()))
    }
}

/// Adds what was found before the search was stopped. Results that came then and again are counted together; the
/// others are returned, in words.
pub(crate) fn add<T: Debug>(earlier: &Counted, found: &mut Findings<T>) -> BTreeMap<String, u64> {
    if earlier.is_nothing() {
        return BTreeMap::new();
    }
    earlier.add_to(found);
    if earlier.undecided > 0 && matches!(found.coverage.extent, Extent::Exhaustive | Extent::Within(_)) {
        found.coverage.extent = Extent::Partial(StopReason::Undecided { executions: found.undecided });
    }
    let mut outcomes = earlier.outcomes.clone();
    if outcomes.is_empty() {
        return outcomes;
    }
    for (outcome, times) in &mut found.outcomes {
        *times += outcomes.remove(&format!("{outcome:?}")).unwrap_or(0);
    }
    outcomes
}
