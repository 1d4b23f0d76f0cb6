//! Litmus programs as Rust programs: the outcomes are exactly those that the axioms allow.

use super::{MODELS, explored, model, outcomes, outcomes_of};
use raddle::{Checker, Report};
use raddle_core::random::Rng;
use trace_classes::litmus::random::{self, Size};
use trace_classes::litmus::{Outcome, axioms, table};

#[test]
fn depth_first_search_finds_exactly_the_outcomes_of_litmus_programs() {
    for row in table::rows().into_iter().chain(table::small_families()).filter(|row| row.operations <= 6) {
        for memory in MODELS {
            let expected = axioms::executions(&row.program, model(memory)).outcomes;
            let (found, _) = outcomes(Checker::dfs(), &row.program, memory);
            assert_eq!(found, expected, "{} {memory}", row.name);
        }
    }
}

/// Calls `look` with so many random programs: others with `RADDLE_ORACLE_SEED`, as many as `RADDLE_ORACLE` says, of as many
/// operations as `RADDLE_ORACLE_SIZE` says.
fn each_random(programs: u64, operations: usize, mut look: impl FnMut(&mut Rng, usize)) -> u64 {
    let asked = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let programs = asked("RADDLE_ORACLE").unwrap_or(programs);
    let seed = asked("RADDLE_ORACLE_SEED").unwrap_or(31);
    let operations = asked("RADDLE_ORACLE_SIZE").map_or(operations, |operations| operations as usize);
    for number in 0..programs {
        look(&mut Rng::new(seed, number), operations);
    }
    programs
}

#[test]
fn depth_first_search_finds_exactly_the_outcomes_of_random_programs() {
    let mut all = 0;
    let programs = each_random(40, 5, |rng, operations| {
        let locks = rng.below(2) == 0;
        let (program, lists) = random::program(rng, Size { operations, locks });
        for memory in MODELS {
            let expected = axioms::executions(&program, model(memory)).outcomes;
            let report = explored(Checker::dfs().max_executions(20_000), &program, memory);
            let found = outcomes_of(&report);
            // The oracle has outcomes of deadlocks, too.
            let is_right =
                if report.failures() == 0 { found == expected } else { found.is_subset(&expected) };
            assert!(is_right, "{memory} {lists:?}: {found:?}, not {expected:?}");
            all += report.executions();
        }
    });
    println!("{programs} programs, {all} executions");
}

#[test]
fn the_reduction_executes_each_graph_of_random_programs_once() {
    let mut all = 0;
    let programs = each_random(200, 7, |rng, operations| {
        let locks = rng.below(2) == 0;
        let (program, lists) = random::program(rng, Size { operations, locks });
        for memory in MODELS.into_iter().skip(1) {
            let expected = axioms::executions(&program, model(memory));
            let report = explored(Checker::exhaustive(), &program, memory);
            let (found, executions) = (outcomes_of(&report), report.executions());
            let is_right = if report.failures() == 0 {
                found == expected.outcomes
            } else {
                found.is_subset(&expected.outcomes)
            };
            assert!(is_right, "{memory} {lists:?}: {found:?}, not {:?}", expected.outcomes);
            assert_eq!(executions, expected.graphs.len() as u64, "{memory} {lists:?}");
            all += executions;
        }
    });
    println!("{programs} programs, {all} executions");
}

/// All kinds of locks, a channel, tasks that create others: depth-first search is the oracle.
#[test]
fn the_reduction_finds_what_depth_first_search_finds_beside_locks_and_channels() {
    let (mut all, mut reduced, mut in_vain) = (0, 0, 0);
    let programs = each_random(60, 6, |rng, operations| {
        let kind = rng.below(4);
        let (program, lists) = match kind {
            0 => random::spawned(rng, operations),
            _ => random::mixed(rng, operations, kind == 1),
        };
        for memory in MODELS.into_iter().skip(1) {
            let whole = explored(Checker::dfs().max_executions(20_000), &program, memory);
            if !whole.coverage().is_exhaustive() {
                continue;
            }
            let found = explored(Checker::exhaustive(), &program, memory);
            assert_eq!(outcomes_of(&found), outcomes_of(&whole), "{memory} {lists:?}");
            let kinds =
                |report: &Report<Outcome>| report.failures_by_kind().keys().copied().collect::<Vec<_>>();
            assert_eq!(kinds(&found), kinds(&whole), "{memory} {lists:?}");
            assert!(found.executions() <= whole.executions(), "{memory} {lists:?}");
            all += whole.executions();
            reduced += found.executions();
            in_vain += found.abandoned();
        }
    });
    println!("{programs} programs, {reduced} executions for {all}, {in_vain} in vain");
}

/// The graphs, each once.
#[test]
fn the_reduction_executes_each_graph_of_litmus_programs_once() {
    for row in table::rows().into_iter().chain(table::small_families()).filter(|row| row.operations <= 10) {
        for memory in MODELS.into_iter().skip(1) {
            let expected = axioms::executions(&row.program, model(memory));
            let (found, executions) = outcomes(Checker::exhaustive(), &row.program, memory);
            assert_eq!(found, expected.outcomes, "{} {memory}", row.name);
            assert_eq!(executions, expected.graphs.len() as u64, "{} {memory}", row.name);
        }
    }
}
