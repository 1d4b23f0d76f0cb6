//! Depth-first search, all samplers and replay on worlds with a memory model.

use super::each_random;
use super::world::{Cuts, Execution, Litmus};
use crate::common::{all, first, limited};
use raddle_core::memory::Model;
use raddle_core::search::{Findings, NoListener, replay, search};
use raddle_core::strategy::{Bounded, Bounds, Dfs, PreemptionBounding, Random, Sampler, Strategy, Within};
use raddle_core::ticket::Ticket;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use trace_classes::litmus::random::Size;
use trace_classes::litmus::{Op, Outcome, Program, axioms, table};

fn explore(
    program: &Program,
    model: Model,
    strategy: Box<dyn Strategy>,
    executions: u64,
) -> Findings<Execution> {
    let make = || Litmus::new(program, model, true, &Cuts::default());
    search(&limited(executions, all(1)), strategy, make, Arc::new(NoListener))
}

fn outcomes(found: &Findings<Execution>) -> BTreeSet<Outcome> {
    found.outcomes.keys().map(|execution| execution.outcome.clone()).collect()
}

#[test]
fn depth_first_search_finds_all_outcomes() {
    each_random(150, Size { operations: 5, locks: true }, |program, lists| {
        for (model, name) in Model::ALL {
            let found = explore(program, model, Box::new(Dfs::new()), 20_000);
            if found.executions < 20_000 {
                let oracle = axioms::executions(program, model).outcomes;
                assert_eq!(outcomes(&found), oracle, "{name} {lists:?}");
            }
        }
    });
}

#[test]
fn searches_with_sleep_sets_do_not_decide() {
    let program = Program::of(&table::lists("W x 1 Rlx,R y Rlx | W y 1 Rlx,R x Rlx"));
    let found = explore(&program, Model::Rc11, Box::new(Bounded::new(Bounds::preemptions(2))), 100);
    assert!(found.undecided > 0);
    let within = Within::preemptions(9, Box::new(Dfs::new()));
    assert_eq!(outcomes(&explore(&program, Model::Rc11, Box::new(within), 100_000)).len(), 4);
    let stacks = PreemptionBounding::new(Some(9));
    assert_eq!(outcomes(&explore(&program, Model::Rc11, Box::new(stacks), 100_000)).len(), 4);
}

#[test]
fn every_sampler_finds_the_outcomes_of_weak_memory() {
    let programs = [
        "W x 1 Rlx,R y Rlx | W y 1 Rlx,R x Rlx",
        "W x 1 Rlx,W y 1 Rlx | R y Rlx,R x Rlx",
        "W x 1 Rlx,W y 2 Rlx | W y 1 Rlx,W x 2 Rlx",
        "W x 1 Rlx | R x Rlx,W y 1 Rlx | R y Rlx,R x Rlx",
    ];
    for text in programs {
        let program = Program::of(&table::lists(text));
        let oracle = axioms::executions(&program, Model::Rc11).outcomes;
        for sampler in Sampler::ALL {
            let found = explore(&program, Model::Rc11, sampler.strategy(7), 4_000);
            assert_eq!(outcomes(&found), oracle, "{sampler} {text}");
        }
    }
}

#[test]
fn three_of_four_reads_are_of_the_last_store() {
    let program = Program::of(&table::lists("W x 1 Rlx | R x Rlx"));
    let found = explore(&program, Model::Rc11, Box::new(Random::new(1)), 20_000);
    let fresh = found.outcomes.iter().filter(|(execution, _)| execution.outcome.read[1] == [1]);
    let fresh: u64 = fresh.map(|(_, times)| times).sum();
    // In half of the executions the store comes first.
    assert!((7_300..7_700).contains(&fresh), "{fresh}");
}

#[test]
fn a_ticket_brings_a_stale_read_back() {
    let writer = vec![Op::Store(0, 1, Relaxed), Op::Store(1, 1, Relaxed)];
    let reader = vec![Op::Load(1, Relaxed), Op::Refuse(0, 0, Relaxed)];
    let mut program = Program::of(&[writer, reader.clone()]);
    program.threads[1] = Arc::new(move |read| match read {
        [0] => None,
        _ => reader.get(read.len()).copied(),
    });
    let make = || Litmus::new(&program, Model::Rc11, true, &Cuts::default());
    let found = search(&limited(1_000, first(1)), Box::new(Random::new(3)), make, Arc::new(NoListener));
    let failure = found.failure.expect("the reader may see the second store without the first");
    let ticket = Ticket::parse(&failure.ticket.to_string()).expect("a ticket");
    let again = replay(&first(1), &ticket, make, Arc::new(NoListener));
    assert_eq!((again.executions, again.failures), (1, 1));
    let sc = || Litmus::new(&program, Model::Sc, true, &Cuts::default());
    let none = search(&all(1), Box::new(Dfs::new()), sc, Arc::new(NoListener));
    assert_eq!(none.failures, 0);
}
