//! The oracle beside the reduction: a program is explored by depth-first search and by the reduction, which
//! must have the same outcomes, the same failures, and one execution per trace of depth-first search.

use proptest::prelude::{TestCaseError, prop_assert};
use raddle_core::search::{Budget, Findings, NoListener, OnFailure, Plan, search};
use raddle_core::strategy::{Dfs, OptimalDpor, Strategy};
use raddle_native::{NativeWorld, Settings};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Mutex;
pub use trace_classes::cases::config;
pub use trace_classes::classes::Seen;
use trace_classes::classes::{Redundant, counting};

/// The notes of tasks: their own, and those of the children that they joined.
pub type Notes = Vec<i64>;

pub type Program<'a> = &'a (dyn Fn() -> Notes + Sync);

/// The panics of a program as it records them itself: the task, and all its notes by then. Where the
/// execution is cut short depends on when the panic is observed; this does not.
#[derive(Debug, Default)]
pub struct Panics(Mutex<BTreeSet<(Vec<u32>, Notes)>>);

impl Panics {
    /// Records that the task with this name is about to panic.
    pub fn note(&self, name: &[u32], notes: &Notes) {
        self.0.lock().unwrap().insert((name.to_vec(), notes.clone()));
    }
    fn take(&self) -> BTreeSet<(Vec<u32>, Notes)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

pub fn explore(
    program: Program<'_>,
    settings: &Settings,
    workers: usize,
    most: u64,
    strategy: impl Strategy + 'static,
) -> (Findings<Notes>, Seen) {
    let (found, seen, ..) = explore_all(program, settings, workers, most, strategy);
    (found, seen)
}

/// The same, with all that had happened where executions were cut short, and the redundant executions.
fn explore_all(
    program: Program<'_>,
    settings: &Settings,
    workers: usize,
    most: u64,
    strategy: impl Strategy + 'static,
) -> (Findings<Notes>, Seen, Seen, Redundant) {
    let (strategy, seen) = counting(strategy);
    let redundant = seen.redundant.clone();
    let found = run(program, settings, workers, most, strategy);
    let [seen, whole] = [seen.classes, seen.whole].map(|seen| std::mem::take(&mut *seen.lock().unwrap()));
    (found, seen, whole, redundant)
}

pub fn run(
    program: Program<'_>,
    settings: &Settings,
    workers: usize,
    most: u64,
    strategy: impl Strategy + 'static,
) -> Findings<Notes> {
    let budget = Budget { executions: Some(most), steps: 2_000, time: None };
    let plan = Plan { budget, workers, on_failure: OnFailure::KeepGoing, ..Plan::default() };
    let world = || NativeWorld::new(&program, settings.clone());
    search(&plan, Box::new(strategy), world, std::sync::Arc::new(NoListener))
}

/// Compares with depth-first search, unless that takes too long.
fn compare(
    program: Program<'_>,
    settings: &Settings,
    panics: &Panics,
    writes_several_locks: bool,
) -> Result<(), String> {
    const MOST: u64 = 3_000;
    panics.take();
    let (slow, all) = explore(program, settings, 1, MOST, Dfs::new());
    let all_panics = panics.take();
    if slow.executions == MOST {
        return Ok(());
    }
    for workers in [1, 2] {
        let (found, seen, whole, redundant) =
            explore_all(program, settings, workers, MOST, OptimalDpor::new());
        // Which step ends an execution depends on when a panic is observed; panics are compared below.
        let missed = all.keys().filter(|class| !class.0 && !seen.contains_key(class)).count();
        let problem = |words: &str| {
            let failure = found.failure.as_ref().map(|f| f.defect.message());
            Err(format!(
                "{words}, {workers} workers: {} executions, {redundant:?}, {} failures, {} classes, {missed} missed; {failure:?}\n{:?}",
                found.executions,
                found.failures,
                all.len(),
                found.coverage,
            ))
        };
        if missed > 0 {
            return problem("traces were missed");
        }
        if !found.outcomes.keys().eq(slow.outcomes.keys())
            || !found.failures_by_kind.keys().eq(slow.failures_by_kind.keys())
        {
            return problem("outcomes differ");
        }
        let panicked = panics.take();
        if panicked != all_panics {
            return problem(&format!("panics differ, {panicked:?} instead of {all_panics:?}"));
        }
        // Where a panic ended the execution, executions may differ in their other steps, and do.
        let twice = |((cut, _), times): (&(bool, _), &u64)| !cut && *times > 1;
        if seen.iter().any(twice)
            || whole.values().any(|times| *times > 1)
            || found.executions > slow.executions
        {
            return problem("traces were explored more than once");
        }
        if found.coverage.is_exhaustive() != (found.undecided == 0) {
            return problem("the coverage is not true");
        }
        // Redundant executions that are accepted: with two read-write locks some branches are empty, and after a step
        // that ends the execution other tasks may continue until only such steps are left. See `strategy/dpor` in
        // raddle-core.
        let (forbidden, asleep) = (redundant.forbidden(), redundant.sleep_set_blocked());
        let is_accepted = (forbidden == 0 || writes_several_locks) && (asleep == 0 || found.failures > 0);
        if !is_accepted || found.abandoned > found.executions {
            return problem("executions were abandoned");
        }
    }
    Ok(())
}

/// The same for a random program that does not panic.
pub fn check(program: &impl Debug, body: Program<'_>, settings: Settings) -> Result<(), TestCaseError> {
    check_panics(program, body, settings, &Panics::default(), false)
}

/// The same for one that notes its panics.
pub fn check_panics(
    program: &impl Debug,
    body: Program<'_>,
    settings: Settings,
    panics: &Panics,
    writes_several_locks: bool,
) -> Result<(), TestCaseError> {
    let compared = compare(body, &settings, panics, writes_several_locks);
    prop_assert!(compared.is_ok(), "{}\n{program:?}", compared.unwrap_err());
    Ok(())
}
