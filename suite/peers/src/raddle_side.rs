//! The programs under raddle. Its executions run on its own worker threads, which the CPU clock of the
//! process counts as well.

use crate::SEED;
use crate::catalogue::Program;
use crate::cpu::{self, Measured};
use raddle::{Checker, Sampler};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[path = "programs.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source under another runtime")]
mod programs;

mod rt {
    pub use raddle::{sync, thread};
    pub use std::sync::Arc;
}

/// Runs `program` under `n` random schedules on one worker.
pub fn run_random(program: Program, n: u64) -> Option<Measured> {
    run_random_on(1, program, n)
}

/// Runs `program` under `n` schedules of the default sampler on one worker.
pub fn run_portfolio(program: Program, n: u64) -> Option<Measured> {
    run_sampler(Sampler::Portfolio, program, n)
}

/// Runs `program` under `n` schedules of `sampler` on one worker.
pub fn run_sampler(sampler: Sampler, program: Program, n: u64) -> Option<Measured> {
    run(random(n).sampler(sampler), move || programs::run(program))
}

/// Runs `program` under `n` random schedules on `workers` workers.
pub fn run_random_on(workers: usize, program: Program, n: u64) -> Option<Measured> {
    run(random(n).workers(workers), move || programs::run(program))
}

/// The same on one worker; `watch` gets the number of each execution before it starts.
pub fn run_random_watched(
    program: Program,
    n: u64,
    watch: impl Fn(u64) + Send + Sync + 'static,
) -> Option<Measured> {
    run(random(n).workers(1), watched(program, watch))
}

/// Explores every trace of `program` on one worker and returns the number of executions; `watch` gets the
/// number of each before it starts.
pub fn explore(program: Program, watch: impl Fn(u64) + Send + Sync + 'static) -> Option<u64> {
    explore_by(Checker::exhaustive().workers(1), watched(program, watch))
}

fn random(n: u64) -> Checker {
    Checker::random(n).sampler(Sampler::Uniform).seed(SEED).max_steps(10_000_000)
}

fn watched(program: Program, watch: impl Fn(u64) + Send + Sync) -> impl Fn() + Send + Sync {
    let started = AtomicU64::new(0);
    move || {
        watch(started.fetch_add(1, Relaxed) + 1);
        programs::run(program);
    }
}

fn run(checker: Checker, body: impl Fn() + Send + Sync + 'static) -> Option<Measured> {
    cpu::measure(|| explore_by(checker, body))
}

fn explore_by(checker: Checker, body: impl Fn() + Send + Sync + 'static) -> Option<u64> {
    let report = checker.run(body);
    report.failure().is_none().then(|| report.executions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_as_many_executions_as_it_was_asked_for() {
        assert_eq!(run_random(Program::MutexCounter(2, 1), 1).unwrap().executions, 1);
        assert_eq!(run_random(Program::MutexCounter(2, 1), 10).unwrap().executions, 10);
    }
}
