//! The bugs of the zoo under loom's exploration, without a bound on preemptions.

use crate::zoo::{Trial, judged};
use loom::model::Builder;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zoo::under_loom as bugs;

/// Searches for a bug in at most `budget` executions.
pub fn hunt(name: &str, budget: u64) -> Trial {
    let bug = *bugs::ALL.iter().find(|bug| bug.name == name).expect("the zoo has it");
    if bug.threads + 1 > loom::MAX_THREADS {
        return Trial::Refused("threads".to_owned());
    }
    let executions = Arc::new(AtomicU64::new(0));
    let counter = executions.clone();
    let body = move || {
        counter.fetch_add(1, Relaxed);
        (bug.run)(bugs::Form::Broken);
    };
    let mut builder = Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = 10_000;
    builder.max_permutations = Some(budget as usize);
    builder.max_duration = None;
    builder.preemption_bound = None;
    builder.checkpoint_file = None;
    builder.location = false;
    builder.log = false;
    match catch_unwind(AssertUnwindSafe(|| builder.check(body))) {
        Ok(()) => Trial::NotFound,
        Err(payload) => judged(&*payload, executions.load(Relaxed)),
    }
}
