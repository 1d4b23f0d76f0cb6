//! The bugs of the zoo under shuttle's samplers.

use crate::zoo::{Hunter, Trial, judged};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler, UrwRandomScheduler};
use shuttle::{Config, FailurePersistence, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zoo::under_shuttle as bugs;

/// Searches for a bug.
pub fn hunt(hunter: Hunter, name: &str, seed: u64, budget: u64) -> Trial {
    let budget = budget as usize;
    match hunter {
        Hunter::ShuttlePct => run(PctScheduler::new_from_seed(seed, 3, budget), name),
        Hunter::ShuttleUrw => run(UrwRandomScheduler::new_from_seed(seed, budget), name),
        _ => run(RandomScheduler::new_from_seed(seed, budget), name),
    }
}

fn run(scheduler: impl Scheduler + 'static, name: &str) -> Trial {
    let bug = bugs::ALL.iter().find(|bug| bug.name == name).expect("the zoo has it").run;
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    let executions = Arc::new(AtomicU64::new(0));
    let counter = executions.clone();
    let body = move || {
        counter.fetch_add(1, Relaxed);
        bug(bugs::Form::Broken);
    };
    match catch_unwind(AssertUnwindSafe(|| Runner::new(scheduler, config).run(body))) {
        Ok(_) => Trial::NotFound,
        Err(payload) => judged(&*payload, executions.load(Relaxed)),
    }
}
