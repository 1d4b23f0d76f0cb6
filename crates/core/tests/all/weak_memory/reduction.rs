//! The reduction executes each consistent graph once.

use super::each_random;
use super::world::{Cuts, Execution, Litmus};
use crate::common::{all, limited};
use raddle_core::memory::Model;
use raddle_core::search::{Findings, NoListener, search};
use raddle_core::strategy::OptimalDpor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};

use trace_classes::litmus::random::Size;
use trace_classes::litmus::{Graph, Op, Program, axioms, table};

fn reduce(program: &Program, model: Model, hints: bool, workers: usize) -> Findings<Execution> {
    let make = || Litmus::new(program, model, hints, &Cuts::default());
    search(&all(workers), Box::new(OptimalDpor::new()), make, Arc::new(NoListener))
}

/// The graphs of executions, and how many of these were of a graph that another one had already.
fn graphs(found: &Findings<Execution>) -> (BTreeSet<Graph>, u64) {
    let graphs: BTreeSet<Graph> = found.outcomes.keys().map(|execution| execution.graph.clone()).collect();
    let twice = found.executions - graphs.len() as u64;
    (graphs, twice)
}

#[test]
fn each_graph_of_litmus_programs_is_executed_once() {
    for row in table::rows().into_iter().chain(table::small_families()).filter(|row| row.operations <= 10) {
        for ((model, name), count) in Model::ALL.into_iter().zip(row.counts) {
            let found = reduce(&row.program, model, true, 1);
            let (graphs, twice) = graphs(&found);
            assert_eq!((graphs.len(), twice), (count, 0), "{} {name}", row.name);
            assert_eq!((found.abandoned, found.undecided), (0, 0), "{} {name}", row.name);
        }
    }
}

#[test]
fn each_graph_of_random_programs_is_executed_once() {
    let size = Size { operations: 7, locks: true };
    let (mut graphs_of_all, mut twice, mut abandoned) = (0, 0, 0);
    let programs = each_random(400, size, |program, lists| {
        for (model, name) in Model::ALL {
            let oracle = axioms::executions(program, model);
            let found = reduce(program, model, lists.len() % 2 == 0, 1);
            let (graphs, repeated) = graphs(&found);
            assert_eq!(found.undecided, 0, "{name} {lists:?}");
            let missing = oracle.graphs.difference(&graphs).count();
            assert!(missing == 0, "{missing} of {} missing: {name} {lists:?}", oracle.graphs.len());
            assert_eq!(graphs, oracle.graphs, "{name} {lists:?}");
            assert_eq!(repeated, 0, "{name} {lists:?}");
            graphs_of_all += graphs.len();
            twice += repeated;
            abandoned += found.abandoned;
        }
    });
    println!("{programs} programs, {graphs_of_all} graphs, none missing, {twice} twice, {abandoned} in vain");
}

/// Under all models if `RADDLE_ORACLE` asks for more; under RC11 otherwise.
#[test]
fn larger_programs_have_the_known_numbers_of_graphs() {
    let is_long = std::env::var_os("RADDLE_ORACLE").is_some();
    for row in table::rows().into_iter().filter(|row| row.operations > 10).chain(table::large_families()) {
        for ((model, name), count) in Model::ALL.into_iter().zip(row.counts) {
            if model != Model::Rc11 && row.name == "big0" && !is_long {
                continue;
            }
            let found = reduce(&row.program, model, true, 1);
            assert_eq!(found.executions, count as u64, "{} {name}", row.name);
            assert_eq!((found.abandoned, found.undecided), (0, 0), "{} {name}", row.name);
            assert!(found.peak < 200, "{} {name}: {} steps and picks in memory", row.name, found.peak);
        }
    }
}

/// Some of the larger programs, and some with locks.
fn some_programs() -> Vec<Program> {
    let mut programs: Vec<Program> = table::large_families().into_iter().map(|row| row.program).collect();
    programs.truncate(1);
    each_random(60, Size { operations: 9, locks: true }, |program, _| programs.push(program.clone()));
    programs
}

#[test]
fn workers_explore_the_same_graphs() {
    for program in some_programs() {
        let (one, three) = (reduce(&program, Model::Rc11, true, 1), reduce(&program, Model::Rc11, true, 3));
        assert_eq!(one.outcomes, three.outcomes);
        assert_eq!((three.abandoned, three.undecided), (0, 0));
    }
}

#[test]
fn a_search_that_was_saved_goes_on_as_if_it_had_not_stopped() {
    for program in some_programs() {
        let whole = reduce(&program, Model::Rc11, true, 1).outcomes;
        let (mut outcomes, mut plan) = (BTreeMap::new(), all(1));
        loop {
            let make = || Litmus::new(&program, Model::Rc11, true, &Cuts::default());
            let limit = plan.counted + 7;
            let strategy = Box::new(OptimalDpor::new());
            let found = search(&limited(limit, plan.clone()), strategy, make, Arc::new(NoListener));
            plan.counted += found.executions;
            for (execution, times) in found.outcomes {
                *outcomes.entry(execution).or_insert(0) += times;
            }
            let Some(left) = found.left else { break };
            let text = serde_json::to_string(&left).expect("subtrees are numbers");
            plan.left = Some(serde_json::from_str(&text).expect("what was written"));
        }
        assert_eq!(outcomes, whole);
    }
}

/// It is not known how such an operation is reduced together with memory: the search says that it cannot decide.
#[test]
fn an_operation_that_conflicts_with_everything_is_not_decided() {
    let lists = [vec![Op::Load(0, Acquire), Op::Barrier], vec![Op::Store(0, 1, Release)]];
    let found = reduce(&Program::of(&lists), Model::Rc11, true, 1);
    assert!(found.undecided > 0);
}

#[test]
fn petersons_lock_needs_sequential_consistency() {
    let complete = |store, load| {
        let program = table::peterson(store, load, [0; 4]).program;
        Model::ALL.map(|(model, _)| {
            let found = reduce(&program, model, true, 1);
            let stuck = found.outcomes.keys().filter(|execution| execution.is_stuck).count() as u64;
            assert_eq!(found.executions, axioms::executions(&program, model).graphs.len() as u64);
            found.executions - stuck
        })
    };
    assert_eq!(complete(Release, Acquire), [4, 22, 22, 22]);
    assert_eq!(complete(SeqCst, SeqCst), [4; 4]);
}
