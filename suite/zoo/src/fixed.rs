//! Checks that the fixed forms have no bug left: by exhaustive search if there are not too many executions,
//! or by as many schedules as the budget allows.

use crate::arguments::Request;
use raddle::Checker;
use zoo::under_raddle::{Bug, Form};

/// Exhaustive search is tried with at most this many executions,
const EXHAUSTIVE: u64 = 50_000;
/// and with at most this many threads: with more, a reduction needs too much memory.
const FEW: usize = 30;

/// Checks one. Returns the coverage, or the failure.
pub fn passes(bug: &Bug, schedules: u64) -> Result<String, String> {
    let run = || (bug.run)(Form::Fixed);
    let all = (bug.threads <= FEW)
        .then(|| Checker::exhaustive().max_executions(EXHAUSTIVE.min(schedules)).name(bug.name).run(run));
    let decided = all.filter(|report| report.failure().is_some() || report.coverage().is_exhaustive());
    let report = decided.unwrap_or_else(|| Checker::random(schedules).name(bug.name).run(run));
    match report.failure() {
        Some(_) => Err(format!("the fixed form of {} has a bug:\n{report}", bug.name)),
        None => Ok(format!("{} executions: {}", report.executions(), report.covered())),
    }
}

/// Checks all selected bugs.
pub fn check(request: &Request) -> Result<(), String> {
    for bug in &request.bugs {
        println!("{:<20}{}", bug.name, passes(bug, request.budget)?);
    }
    println!("{} fixed forms have no bug left", request.bugs.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zoo::under_raddle::ALL;

    /// With a smaller budget than the command's, since this is not an optimised build.
    #[test]
    fn fixed_forms_pass() {
        for bug in ALL {
            if let Err(report) = passes(bug, 1_000) {
                panic!("{report}");
            }
        }
    }
}
