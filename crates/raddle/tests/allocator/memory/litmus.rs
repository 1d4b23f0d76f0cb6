//! Litmus programs as Rust programs: the outcomes are exactly those that the axioms allow.

use super::{MODELS, outcomes};
use raddle::Checker;
use raddle_core::random::Rng;
use trace_classes::litmus::random::{self, Size};
use trace_classes::litmus::{axioms, table};

#[test]
fn depth_first_search_finds_exactly_the_outcomes_of_litmus_programs() {
    for row in table::rows().into_iter().chain(table::small_families()).filter(|row| row.operations <= 6) {
        for memory in MODELS {
            let expected = axioms::executions(&row.program, memory).outcomes;
            let (found, _) = outcomes(Checker::dfs(), &row.program, memory);
            assert_eq!(found, expected, "{} {memory}", row.name);
        }
    }
}

/// Others with `RADDLE_ORACLE_SEED`, as many as `RADDLE_ORACLE` says, of as many operations as `RADDLE_ORACLE_SIZE` says.
#[test]
fn depth_first_search_finds_exactly_the_outcomes_of_random_programs() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let programs = asked("RADDLE_ORACLE").unwrap_or(60);
    let seed = asked("RADDLE_ORACLE_SEED").unwrap_or(31);
    let operations = asked("RADDLE_ORACLE_SIZE").unwrap_or(6) as usize;
    let mut all = 0;
    for number in 0..programs {
        let mut rng = Rng::new(seed, number);
        let (program, lists) = random::program(&mut rng, Size { operations, locks: number % 2 == 0 });
        for memory in MODELS {
            let expected = axioms::executions(&program, memory).outcomes;
            let (found, executions) = outcomes(Checker::dfs(), &program, memory);
            assert_eq!(found, expected, "{number} {memory} {lists:?}");
            all += executions;
        }
    }
    println!("{programs} programs, {all} executions");
}
