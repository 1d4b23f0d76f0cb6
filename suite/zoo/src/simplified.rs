//! Checks that the schedules that are shown have as few preemptions as they need: the least number with which a search
//! within a bound on preemptions finds the same failure, where that search ends.

use crate::arguments::Request;
use raddle::{Checker, Failure, Simplify};
use zoo::under_raddle::{Bug, Form};

/// The limit of each search within a bound.
const WITHIN: u64 = 3_000;

/// The schedule of one bug, as it was found and as it is shown.
#[derive(Debug)]
pub struct Row {
    /// How many preemptions it had, and has.
    pub preemptions: [usize; 2],
    /// How many steps.
    pub steps: [usize; 2],
    /// The least number of preemptions; none if the search did not end.
    pub least: Option<usize>,
}

fn preemptions(failure: &Failure) -> usize {
    failure.record.lines.iter().filter(|line| line.preempts).count()
}

/// Looks for the bug, and simplifies its schedule. None if it is not found.
pub fn row(bug: &Bug, schedules: u64, seed: u64) -> Result<Option<Row>, String> {
    let run = || (bug.run)(Form::Broken);
    let sampled = || Checker::random(schedules).name(bug.name).seed(seed);
    let (found, shown) = (sampled().simplify(Simplify::No).run(run), sampled().run(run));
    let (Some(was), Some(is)) = (found.failure(), shown.failure()) else { return Ok(None) };
    if was.defect.cause != is.defect.cause || was.execution != is.execution {
        return Err(format!("{} is simplified to another failure:\n{found}\n{shown}", bug.name));
    }
    let (preemptions, steps) =
        ([was, is].map(preemptions), [was, is].map(|failure| failure.ticket.steps.len()));
    Ok(Some(Row { preemptions, steps, least: least(bug, is) }))
}

/// The least number of preemptions with which the bug fails like this.
fn least(bug: &Bug, failure: &Failure) -> Option<usize> {
    for most in 0..=preemptions(failure) {
        let within = Checker::exhaustive().preemptions(most as u32).max_executions(WITHIN);
        let report = within.name(bug.name).simplify(Simplify::No).run(|| (bug.run)(Form::Broken));
        match report.failure() {
            Some(found) if found.defect.cause == failure.defect.cause => return Some(most),
            Some(_) => return None,
            None if report.executions() >= WITHIN => return None,
            None => {}
        }
    }
    None
}

/// Checks all selected bugs.
pub fn check(request: &Request) -> Result<(), String> {
    println!("{:<20}{:>12}{:>6}{:>6}{:>10}{:>6}", "", "preemptions", "now", "least", "steps", "now");
    for bug in &request.bugs {
        let Some(row) = row(bug, request.budget, request.seed)? else { continue };
        let Row { preemptions: [found, now], steps, least } = row;
        let needed = least.map_or("?".to_owned(), |least| least.to_string());
        println!("{:<20}{found:>12}{now:>6}{needed:>6}{:>10}{:>6}", bug.name, steps[0], steps[1]);
        if least.is_some_and(|least| now > least) {
            return Err(format!("{} is shown with more preemptions than it needs", bug.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zoo::under_raddle::ALL;

    #[test]
    fn no_bug_is_shown_with_more_preemptions_than_it_needs() {
        let mut known = 0;
        for bug in ALL {
            let Some(row) = row(bug, 300, 1).unwrap_or_else(|error| panic!("{error}")) else { continue };
            let Row { preemptions: [found, now], steps, least } = row;
            assert!(now <= found, "{}: {row:?}", bug.name);
            assert!(now < found || steps[1] <= steps[0], "{}: {row:?}", bug.name);
            if let Some(least) = least {
                known += 1;
                assert!(now <= least, "{}: {row:?}", bug.name);
            }
        }
        assert!(known > 30, "the least number is known of {known} bugs");
    }
}
