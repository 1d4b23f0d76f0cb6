//! Executions start clean and end clean, with any program.

mod detached;
mod double_panics;
mod locals;
mod memory;
mod panicking;
mod statics;
mod teardown;

use raddle::{Checker, Failure, Simplify};
use std::fmt::Debug;

/// The first failure of a program that has one.
#[track_caller]
fn failure<T: Ord + Debug + Send>(program: impl Fn() -> T + Send + Sync) -> Failure {
    // As often as the search and the replay make it, and not once more for an explanation.
    let report = Checker::dfs().simplify(Simplify::No).run(program);
    report.failure().expect("the program fails").clone()
}

/// All results of a program that never fails, with their counts.
#[track_caller]
fn outcomes<T: Ord + Debug + Clone + Send>(
    checker: Checker,
    program: impl Fn() -> T + Send + Sync,
) -> Vec<T> {
    let report = checker.run(program);
    assert!(report.failure().is_none(), "{report}");
    report.outcomes().keys().cloned().collect()
}
