//! Compares what raddle finds of a program with what the oracle knows, and shrinks a program for which they differ.
//!
//! Invariant: a search that claims to be exhaustive must find exactly the oracle's outcomes, and any other search some
//! of them. One that says that it cut waiting loops after so many rounds must find at least the outcomes of the executions
//! that have no more.

use crate::machine;
use crate::outcomes::Outcomes;
use crate::program::{Program, Stmt};
use crate::run::{explore, outcomes};
use raddle::Checker;
use raddle::fact::Assumption;

/// So many states the oracle looks at; programs with more are passed over.
const STATES: usize = 20_000;
/// So many executions a search may take. A search that needs more is not exhaustive, and its outcomes are some of all.
const EXECUTIONS: u64 = 1_500;

/// How a comparison went.
pub enum Compared {
    /// They find the same: these.
    Agreed(Outcomes),
    /// The program has too many states.
    TooLarge,
    /// They do not.
    Differs(Difference),
}

/// A search that found something else than the oracle.
#[derive(Debug)]
pub struct Difference {
    /// The name of the search.
    pub search: &'static str,
    /// What it says that it covered.
    pub coverage: String,
    /// What it found.
    pub found: Outcomes,
    /// What there is.
    pub right: Outcomes,
}

/// The searches that are compared, by name. `number` decides which of those that are not run every time are.
fn searches(number: u64) -> Vec<(&'static str, Checker)> {
    let mut all = vec![("exhaustive", Checker::exhaustive())];
    all.push(match number % 4 {
        0 | 2 => ("dfs", Checker::dfs()),
        1 => ("iterative", Checker::iterative()),
        _ => ("within 1 preemption", Checker::exhaustive().preemptions(1)),
    });
    if number.is_multiple_of(8) {
        all.push(("exhaustive with 2 workers", Checker::exhaustive().workers(2)));
    }
    all
}

/// Compares all searches that `number` stands for.
pub fn compare(program: &Program, number: u64) -> Compared {
    let Some(right) = machine::outcomes(program, STATES) else { return Compared::TooLarge };
    for (search, checker) in searches(number) {
        let report = explore(program, checker.max_executions(EXECUTIONS));
        let found = outcomes(&report);
        let is_whole = report.coverage().is_exhaustive();
        let rounds = report.coverage().assumptions.iter().find_map(|assumption| match assumption {
            Assumption::FairSpins(rounds) => Some(*rounds as u8),
            _ => None,
        });
        let agrees = match rounds {
            None if is_whole => found == right,
            Some(rounds) if is_whole => {
                let Some(said) = machine::outcomes_within(program, rounds, STATES) else {
                    return Compared::TooLarge;
                };
                said.is_subset(&found) && found.is_subset(&right)
            }
            _ => found.is_subset(&right),
        };
        if !agrees {
            let coverage = report.covered();
            return Compared::Differs(Difference { search, coverage, found, right });
        }
    }
    Compared::Agreed(right)
}

/// The smallest program that is found by deleting statements and still differs, and how.
pub fn shrink(program: &Program, number: u64) -> (Program, Difference) {
    let mut best = program.clone();
    let Compared::Differs(mut difference) = compare(&best, number) else { panic!("it does not differ") };
    loop {
        let smaller = (0..size(&best)).find_map(|at| {
            let mut smaller = best.clone();
            smaller.tasks.iter_mut().try_fold(at, |at, body| delete(body, at));
            match compare(&smaller, number) {
                Compared::Differs(difference) => Some((smaller, difference)),
                _ => None,
            }
        });
        match smaller {
            Some(found) => (best, difference) = found,
            None => return (best, difference),
        }
    }
}

fn size(program: &Program) -> usize {
    (0..program.tasks.len()).map(|task| program.statements(task).len()).sum()
}

/// Deletes statement `at` in reading order; says how many are left to skip if it is further on.
fn delete(body: &mut Vec<Stmt>, mut at: usize) -> Option<usize> {
    let mut index = 0;
    while index < body.len() {
        if at == 0 {
            body.remove(index);
            return None;
        }
        at -= 1;
        if let Some(inner) = body[index].body_mut() {
            at = delete(inner, at)?;
        }
        index += 1;
    }
    Some(at)
}
