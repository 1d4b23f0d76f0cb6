//! `raddle::sync::atomic`: the methods of std with the same results, and what other tasks observe of them.

mod mirror;
mod orders;
mod places;
mod races;
mod updates;

use raddle::sync::Arc;
use raddle::sync::atomic::*;
use raddle::{Checker, Failure, FailureKind, Report, thread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::atomic::Ordering::*;

/// All interleavings of a program that never fails.
#[track_caller]
fn explore<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Report<T> {
    passed(Checker::dfs().run(f))
}

#[track_caller]
fn passed<T: Debug>(report: Report<T>) -> Report<T> {
    assert!(report.failure().is_none(), "{:?}", report.failure());
    report
}

/// The failure of a sequential program, or of one that fails in its first execution.
fn failure(f: impl Fn() + Send + Sync) -> Failure {
    Checker::dfs().run(f).failure().expect("fails").clone()
}

/// The set of outcomes, without their counts.
fn set<T: Ord + Clone>(report: &Report<T>) -> BTreeSet<T> {
    report.outcomes().keys().cloned().collect()
}

/// Runs two tasks on one value, joins them, and returns their results.
fn two<S, A, B>(shared: S, one: fn(&S) -> A, two: fn(&S) -> B) -> (A, B, Arc<S>)
where
    S: Send + Sync + 'static,
    A: Send + 'static,
    B: Send + 'static,
{
    let shared = Arc::new(shared);
    let (left, right) = (shared.clone(), shared.clone());
    let one = thread::spawn(move || one(&left));
    let two = thread::spawn(move || two(&right));
    (one.join().unwrap(), two.join().unwrap(), shared)
}
