//! Locks and other blocking primitives: what each operation does, when it is blocked, what a search observes.

mod barrier;
mod bounded_buffer;
mod commute;
mod condvar;
mod condvar_time;
mod futex;
mod lazy_lock;
mod once;
mod once_lock;
mod races;
mod rereads;
mod rwlock;
mod statics;
mod teardown;
mod traits;

use raddle::{Checker, Failure, Report, thread};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// All results of a program that never fails.
#[track_caller]
fn outcomes<T: Ord + Debug + Clone + Send>(f: impl Fn() -> T + Send + Sync) -> BTreeSet<T> {
    outcomes_of(Checker::dfs(), f)
}

#[track_caller]
fn outcomes_of<T: Ord + Debug + Clone + Send>(
    checker: Checker,
    f: impl Fn() -> T + Send + Sync,
) -> BTreeSet<T> {
    let report = passes(checker, f);
    report.outcomes().keys().cloned().collect()
}

/// The number of executions of a program that never fails.
#[track_caller]
fn executions<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> u64 {
    passes(Checker::dfs(), f).executions()
}

#[track_caller]
fn passes<T: Ord + Debug + Send>(checker: Checker, f: impl Fn() -> T + Send + Sync) -> Report<T> {
    let report = checker.run(f);
    if let Some(failure) = report.failure() {
        panic!("{}", tell(failure));
    }
    let coverage = raddle_report::coverage(report.coverage());
    assert!(coverage.starts_with("exhaustive"), "{coverage}");
    report
}

/// The first failure of a program that has one.
#[track_caller]
fn failure<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Failure {
    failure_of(Checker::dfs(), f)
}

#[track_caller]
fn failure_of<T: Ord + Debug + Send>(checker: Checker, f: impl Fn() -> T + Send + Sync) -> Failure {
    let report = checker.run(f);
    report.failure().cloned().expect("the program fails")
}

/// The notes of a failure, without locations.
fn notes(failure: &Failure) -> Vec<String> {
    let without_place = |text: &str| text.split(" since ").next().unwrap_or_default().to_owned();
    failure.defect.facts.iter().map(|fact| without_place(&raddle_report::fact(fact))).collect()
}

fn tell(failure: &Failure) -> String {
    let mut text = format!("{}: {}\n", failure.kind(), failure.message());
    for note in notes(failure) {
        text.push_str(&format!("  {note}\n"));
    }
    for line in &failure.trace().lines {
        let object = line.object.as_deref().unwrap_or("");
        text.push_str(&format!("  {} {} {object} {}\n", line.task, line.operation, line.result));
    }
    text
}

/// Joins tasks that do not panic.
fn join<T>(tasks: impl IntoIterator<Item = thread::JoinHandle<T>>) {
    for task in tasks {
        task.join().unwrap();
    }
}

/// The message of the panic of `f`, if it panics.
fn panic_of<T>(f: impl FnOnce() -> T) -> Option<String> {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).err()?;
    Some(match payload.downcast_ref::<&str>() {
        Some(text) => (*text).to_owned(),
        None => payload.downcast_ref::<String>().cloned().unwrap_or_default(),
    })
}
