//! `raddle::sync::mpsc`: the effect of each operation, when it is blocked, what is observed, and exact
//! numbers of executions. `s` is a send, `r` a receive and `d` the drop of a sender in the comments; exits of
//! tasks and joins are automatic.

mod bounded;
mod commute;
mod endings;
mod races;
mod rendezvous;
mod timeouts;
mod unbounded;
mod worlds;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::mpsc::{
    Receiver, RecvError, RecvTimeoutError, SendError, Sender, SyncSender, TryRecvError, TrySendError,
    channel, sync_channel,
};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, Failure, FailureKind, Report, Time, thread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// All interleavings of a program that never fails.
fn explore<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Report<T> {
    passed(Checker::dfs().run(f))
}

fn passed<T: Debug>(report: Report<T>) -> Report<T> {
    assert!(report.failure().is_none(), "{:?}", report.failure());
    report
}

fn failure<T: Ord + Debug + Send>(f: impl Fn() -> T + Send + Sync) -> Failure {
    Checker::dfs().run(f).failure().expect("fails").clone()
}

/// The text of the failure's notes.
fn notes(failure: &Failure) -> Vec<String> {
    failure.defect.facts.iter().map(raddle_report::fact).collect()
}

/// The set of outcomes, without their counts.
fn set<T: Ord + Clone>(report: &Report<T>) -> BTreeSet<T> {
    report.outcomes().keys().cloned().collect()
}

/// A result that can be an outcome.
fn word<T: Debug, E: Debug>(result: Result<T, E>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{error:?}"),
    }
}

fn words<const N: usize>(list: [&str; N]) -> BTreeSet<String> {
    list.into_iter().map(str::to_owned).collect()
}

fn counts<const N: usize>(list: [(&str, u64); N]) -> BTreeMap<String, u64> {
    list.into_iter().map(|(w, n)| (w.to_owned(), n)).collect()
}
