//! Shared by several tests.

use raddle::{Checker, Failure, FailureKind, Report};
use std::fmt::Debug;

/// Depth-first search, to completion or to a failure.
pub fn dfs<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Report<T> {
    let report = Checker::dfs().run(f);
    assert!(report.coverage().is_exhaustive() || report.failure().is_some());
    report
}

/// The failure that it finds, of this kind.
#[track_caller]
pub fn fails<T: Ord + Debug + Send>(kind: FailureKind, f: impl Fn() -> T + Send + Sync) -> Failure {
    let failure = dfs(f).failure().expect("it fails").clone();
    assert_eq!(failure.kind(), kind, "{}", failure.message());
    // It was replayed once, with the same result.
    assert!(failure.afterwards.is_empty());
    failure
}
