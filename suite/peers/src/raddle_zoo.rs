//! The bugs of the zoo under raddle's default sampler.

use crate::zoo::Trial;
use raddle::{Checker, Simplify};
use zoo::under_raddle as bugs;

/// The names of all bugs.
pub fn names() -> impl Iterator<Item = &'static str> {
    bugs::ALL.iter().map(|bug| bug.name)
}

/// Searches for a bug.
pub fn hunt(name: &str, seed: u64, budget: u64) -> Trial {
    let bug = bugs::ALL.iter().find(|bug| bug.name == name).expect("the zoo has it");
    let run = bug.run;
    let report =
        Checker::random(budget).seed(seed).name(name).simplify(Simplify::No).run(|| run(bugs::Form::Broken));
    report.failure().map_or(Trial::NotFound, |failure| Trial::Found(failure.execution()))
}
