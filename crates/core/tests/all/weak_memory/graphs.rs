//! The options of a graph, taken in every order, lead to exactly the graphs that satisfy the axioms.

use super::each_random;
use super::machine::Machine;
use raddle_core::memory::{Model, Restricted};
use raddle_core::random::Rng;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use trace_classes::litmus::random::Size;
use trace_classes::litmus::{Graph, Outcome, Program, axioms, buffers, table};

/// All graphs at the end of executions, and their outcomes.
pub fn graphs(program: &Program, model: Model) -> (BTreeSet<Graph>, BTreeSet<Outcome>) {
    let (mut met, mut found) = (HashSet::new(), (BTreeSet::new(), BTreeSet::new()));
    explore(&mut Machine::new(program, model), &mut met, &mut found);
    found
}

fn explore(
    machine: &mut Machine,
    met: &mut HashSet<Graph>,
    found: &mut (BTreeSet<Graph>, BTreeSet<Outcome>),
) {
    let graph = machine.canonical();
    if !met.insert(graph.clone()) {
        return;
    }
    let mut next = machine.successors();
    let is_over = next.is_empty();
    next.iter_mut().for_each(|next| explore(next, met, found));
    if is_over {
        found.0.insert(graph);
        found.1.insert(machine.outcome());
    }
}

#[test]
fn options_lead_to_the_graphs_of_the_axioms_in_litmus_programs() {
    for row in table::rows().into_iter().chain(table::small_families()).filter(|row| row.operations <= 10) {
        for ((model, name), count) in Model::ALL.into_iter().zip(row.counts) {
            let oracle = axioms::executions(&row.program, model);
            assert_eq!(oracle.graphs.len(), count, "the oracle: {} {name}", row.name);
            assert_eq!(graphs(&row.program, model).0, oracle.graphs, "{} {name}", row.name);
        }
    }
}

/// RC11 was made to allow this outcome: compiled with leading fences, POWER has it. It is forbidden if an update is two
/// events with program order in between, as in GenMC, which has 22 executions of `Z6.U`.
#[test]
fn an_update_is_one_event() {
    let lists = table::lists("W x 1 SC,W y 1 Rel | A y 1 SC,R y Rlx | W y 3 SC,R x SC");
    let found = axioms::executions(&Program::of(&lists), Model::Rc11);
    let read = |task: &[u64]| task.to_vec();
    let wanted = [read(&[0, 0]), read(&[1, 3]), read(&[0, 0])];
    assert!(found.outcomes.iter().any(|outcome| outcome.read == wanted));
    assert_eq!(found.graphs.len(), 24);
}

#[test]
fn petersons_lock_needs_sequential_consistency() {
    let complete = |store, load| {
        let row = table::peterson(store, load, [0; 4]);
        Model::ALL.map(|(model, _)| {
            let oracle = axioms::executions(&row.program, model);
            assert_eq!(graphs(&row.program, model).0, oracle.graphs);
            oracle.graphs.len() - oracle.stuck
        })
    };
    assert_eq!(complete(Release, Acquire), [4, 22, 22, 22]);
    assert_eq!(complete(SeqCst, SeqCst), [4; 4]);
}

#[test]
fn options_lead_to_the_graphs_of_the_axioms_in_random_programs() {
    let mut all = [0; 4];
    let size = Size { operations: 7, locks: true };
    let programs = each_random(200, size, |program, lists| {
        for ((model, name), all) in Model::ALL.into_iter().zip(&mut all) {
            let oracle = axioms::executions(program, model);
            let (graphs, outcomes) = graphs(program, model);
            assert_eq!(graphs, oracle.graphs, "{name} {lists:?}");
            if matches!(model, Model::Tso | Model::Pso) {
                assert_eq!(outcomes, buffers::outcomes(program, model), "{name} {lists:?}");
            }
            *all += graphs.len();
        }
    });
    println!("{programs} programs, graphs under SC, TSO, PSO, RC11: {all:?}");
}

#[test]
fn events_are_removed_as_if_they_had_never_been_there() {
    let size = Size { operations: 12, locks: true };
    let mut rng = Rng::new(5, 0);
    let mut restricted = Restricted::default();
    each_random(100, size, |program, _| {
        for (model, _) in Model::ALL {
            let mut machine = Machine::new(program, model);
            let (mut options, mut graphs) = (Vec::new(), vec![format!("{:?}", machine.view())]);
            loop {
                let tasks: Vec<usize> = (0..machine.threads.len())
                    .filter(|task| {
                        machine.options(*task, &mut options);
                        !options.is_empty()
                    })
                    .collect();
                if tasks.is_empty() {
                    break;
                }
                let task = tasks[rng.below(tasks.len() as u32) as usize];
                machine.options(task, &mut options);
                machine.take(task, options[rng.below(options.len() as u32) as usize]);
                graphs.push(format!("{:?}", machine.view()));
            }
            let whole = machine.graph.clone();
            for (len, expected) in graphs.iter().enumerate().rev() {
                machine.graph = {
                    restricted.restrict(&whole, |at| at < len);
                    restricted.graph().clone()
                };
                assert_eq!(format!("{:?}", machine.view()), *expected);
            }
            machine.graph = whole;
            for (len, expected) in graphs.iter().enumerate().rev() {
                machine.graph.truncate(len);
                assert_eq!(format!("{:?}", machine.view()), *expected);
            }
        }
    });
}
