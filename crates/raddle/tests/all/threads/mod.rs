//! Threads: spawn, join, names, ids, panics, and std's documented behaviour.

mod endings;
mod handles;
mod joining;
mod names;
mod outside;
mod panics;
mod replays;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Mutex, mpsc};
use raddle::thread::{self, Builder, JoinHandle, Thread, ThreadId};
use raddle::{Checker, Detached, FailureKind, Report};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

fn passes<T: Ord + Debug>(report: &Report<T>) {
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

fn outcomes<T: Ord + Debug + Clone>(report: &Report<T>) -> Vec<(T, u64)> {
    passes(report);
    report.outcomes().iter().map(|(outcome, times)| (outcome.clone(), *times)).collect()
}

/// The kind and the message of the failure that a program must have.
fn fails<T: Send + Ord + Debug>(program: impl Fn() -> T + Send + Sync) -> (FailureKind, String) {
    let report = Checker::dfs().run(program);
    let failure = report.failure().expect("it fails");
    (failure.kind(), failure.message().to_owned())
}
