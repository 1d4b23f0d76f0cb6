//! The programs under shuttle: random schedules on the calling thread, with its default configuration but silent.

use crate::SEED;
use crate::catalogue::Program;
use crate::cpu::{self, Measured};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler, UrwRandomScheduler};
use shuttle::{Config, FailurePersistence, Runner};
use std::panic::catch_unwind;

#[path = "programs.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source under another runtime")]
mod programs;

mod rt {
    pub use shuttle::{sync, thread};
    pub use std::sync::Arc;
}

/// The scheduler of shuttle.
#[derive(Clone, Copy, Debug)]
pub enum Scheduling {
    Random,
    Pct(usize),
    Urw,
}

/// Runs `program` under `n` random schedules.
pub fn run_random(program: Program, n: u64) -> Option<Measured> {
    run_scheduling(Scheduling::Random, program, n)
}

/// Runs `program` under `n` schedules of this scheduler.
pub fn run_scheduling(scheduling: Scheduling, program: Program, n: u64) -> Option<Measured> {
    let times = n as usize;
    match scheduling {
        Scheduling::Random => run(RandomScheduler::new_from_seed(SEED, times), program),
        Scheduling::Pct(depth) => run(PctScheduler::new_from_seed(SEED, depth, times), program),
        Scheduling::Urw => run(UrwRandomScheduler::new_from_seed(SEED, times), program),
    }
}

fn run(scheduler: impl Scheduler + std::panic::UnwindSafe + 'static, program: Program) -> Option<Measured> {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    cpu::measure(|| {
        catch_unwind(move || Runner::new(scheduler, config).run(move || programs::run(program)) as u64).ok()
    })
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
