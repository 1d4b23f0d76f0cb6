//! Searches for one bug with one strategy, trial by trial.

use raddle::{Checker, FailureKind, Sampler, Simplify};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use zoo::under_raddle::{Bug, Form};

/// The schedule in which each trial found the bug; none if it did not.
pub type Trials = Vec<Option<u64>>;

/// One trial. A failure that is not the program's is an error.
pub fn trial(bug: &Bug, sampler: Sampler, budget: u64, seed: u64) -> Result<Option<u64>, String> {
    let run = bug.run;
    let random = Checker::random(budget).name(bug.name).sampler(sampler).seed(seed);
    let report = random.simplify(Simplify::No).run(|| run(Form::Broken));
    let Some(failure) = report.failure() else { return Ok(None) };
    match failure.kind() {
        FailureKind::Panic | FailureKind::Deadlock | FailureKind::Livelock => Ok(Some(failure.execution())),
        _ => Err(format!("{} with {sampler} and seed {seed} failed in another way:\n{report}", bug.name)),
    }
}

/// The seed of a trial: seeds are far apart, so that trials are independent.
pub fn seed(seed: u64, trial: u64) -> u64 {
    (seed ^ trial.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Makes all trials, some of them in parallel. The result does not depend on how many.
pub fn trials(
    bug: &Bug,
    sampler: Sampler,
    count: u64,
    budget: u64,
    first_seed: u64,
    jobs: usize,
) -> Result<Trials, String> {
    let next = AtomicU64::new(0);
    let results = Mutex::new(vec![Ok(None); count as usize]);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(count as usize) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= count {
                        break;
                    }
                    let result = trial(bug, sampler, budget, seed(first_seed, number));
                    results.lock().unwrap()[number as usize] = result;
                }
            });
        }
    });
    results.into_inner().unwrap().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zoo::under_raddle::ALL;

    /// The small version of the table: the portfolio finds every bug in every trial.
    #[test]
    fn the_portfolio_finds_every_bug() {
        for bug in ALL {
            // SafeStack is the hardest by far, and this is not an optimised build.
            let (count, budget) = if bug.name == "safe_stack" { (1, 1_000_000) } else { (3, 20_000) };
            let found = trials(bug, Sampler::Portfolio, count, budget, 1, 1).unwrap();
            assert!(found.iter().all(Option::is_some), "{}: {found:?}", bug.name);
        }
    }

    /// The target numbers, with fewer trials. The margins are wide: 20 trials vary.
    #[test]
    fn the_portfolio_is_as_good_as_the_best_that_was_published() {
        // The smaller of RFF and PERIOD, then the best of shuttle.
        let targets = [
            ("account", 1.5),
            ("bluetooth_driver", 9.),
            ("reorder_10", 6.),
            ("reorder_20", 6.),
            ("twostage_100", 56.),
            ("racy", 2.1),
            ("deadlock01", 2.4),
            ("philosophers_3", 4.),
            ("philosophers_4", 6.7),
            ("treiber", 18.),
        ];
        for (name, most) in targets {
            let bug = ALL.iter().find(|bug| bug.name == name).unwrap();
            let found = trials(bug, Sampler::Portfolio, 20, 20_000, 2, 1).unwrap();
            let mean = found.iter().flatten().sum::<u64>() as f64 / found.len() as f64;
            assert!(found.iter().all(Option::is_some) && mean <= most * 1.3, "{name}: {mean}");
        }
    }

    #[test]
    fn trials_do_not_depend_on_how_many_run_at_a_time() {
        let bug = ALL.iter().find(|bug| bug.name == "bluetooth_driver").unwrap();
        for sampler in Sampler::ALL {
            let [one, three] = [1, 3].map(|jobs| trials(bug, sampler, 6, 500, 3, jobs).unwrap());
            assert_eq!(one, three, "{sampler}");
            assert!(one.iter().collect::<std::collections::BTreeSet<_>>().len() > 1, "{sampler}: {one:?}");
        }
    }
}
