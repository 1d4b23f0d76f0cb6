//! The reduction beside a search of all orders and options, in programs that mix memory with locks of both kinds, a
//! channel, and loads that end the execution.

use super::machine::Machine;
use super::world::{Cuts, Litmus};
use crate::common::{all, limited};
use raddle_core::memory::Model;
use raddle_core::random::Rng;
use raddle_core::search::{NoListener, search};
use raddle_core::strategy::OptimalDpor;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use trace_classes::litmus::{Graph, Op, Program, random};

/// The graphs of executions that end, and of those that are cut.
#[derive(Default)]
struct Found {
    graphs: BTreeSet<Graph>,
    cuts: BTreeSet<Graph>,
}

/// All orders and options; none if there are too many states.
fn all_graphs(program: &Program, model: Model) -> Option<Found> {
    let (mut met, mut found) = (HashSet::new(), Found::default());
    explore(&mut Machine::new(program, model), &mut met, &mut found);
    (met.len() < MOST).then_some(found)
}

/// What kind of programs are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// Loads may end the execution.
    Cut,
    /// Tasks are created, end and are joined.
    Spawned,
}

const MOST: usize = 4_000;

fn explore(machine: &mut Machine, met: &mut HashSet<Graph>, found: &mut Found) {
    let graph = machine.canonical();
    if machine.is_cut {
        found.cuts.insert(graph);
        return;
    }
    if met.len() >= MOST || !met.insert(graph.clone()) {
        return;
    }
    let mut next = machine.successors();
    let is_over = next.is_empty();
    next.iter_mut().for_each(|next| explore(next, met, found));
    if is_over {
        found.graphs.insert(graph);
    }
}

/// Compares so many programs. Returns how many executions there were, were repeated, and were begun in vain.
fn compare(programs: u64, operations: usize, kind: Kind) -> [u64; 3] {
    let asked = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let programs = asked("RADDLE_ORACLE").unwrap_or(programs);
    let seed = asked("RADDLE_ORACLE_SEED").unwrap_or(22);
    let operations = asked("RADDLE_ORACLE_SIZE").map_or(operations, |operations| operations as usize);
    let (mut executions, mut twice, mut in_vain, mut repeated_cuts) = (0, 0, 0, 0);
    for number in 0..programs {
        let mut rng = Rng::new(seed, number);
        let (program, lists) = match kind {
            Kind::Spawned => random::spawned(&mut rng, operations),
            _ => random::mixed(&mut rng, operations, kind == Kind::Cut),
        };
        for (model, name) in [(Model::Sc, "sc"), (Model::Tso, "tso"), (Model::Rc11, "rc11")] {
            let Some(whole) = all_graphs(&program, model) else { continue };
            let cuts = Cuts::default();
            let make = || Litmus::new(&program, model, number % 2 == 0, &cuts);
            let plan = limited(100_000, all(1));
            let found = search(&plan, Box::new(OptimalDpor::new()), make, Arc::new(NoListener));
            let graphs: BTreeSet<Graph> = found.outcomes.keys().map(|e| e.graph.clone()).collect();
            let cuts = std::mem::take(&mut *cuts.lock().unwrap());
            let cut: BTreeSet<Graph> = cuts.keys().cloned().collect();
            assert_eq!(found.undecided, 0, "{number} {name} {lists:?}");
            let missing = whole.graphs.difference(&graphs).chain(whole.cuts.difference(&cut)).count();
            assert_eq!(missing, 0, "{number} {name} {lists:?}");
            assert_eq!((graphs.len(), cut.len()), (whole.graphs.len(), whole.cuts.len()), "{name} {lists:?}");
            executions += found.executions;
            let again = found.outcomes.values().sum::<u64>() - graphs.len() as u64;
            twice += again;
            in_vain += found.abandoned;
            repeated_cuts += cuts.values().sum::<u64>() - cut.len() as u64;
        }
    }
    println!(
        "{programs} programs, {executions} executions, {twice} twice, {repeated_cuts} cut twice, {in_vain} in vain"
    );
    [executions, twice, in_vain]
}

#[test]
fn each_graph_is_executed_once_beside_locks_and_channels() {
    let [executions, twice, in_vain] = compare(300, 9, Kind::Plain);
    assert!((twice + in_vain) * 1_000 <= executions, "{twice} twice, {in_vain} in vain");
}

/// Executions that are cut may be repeated, and others begun in vain; none that comes to its end is.
#[test]
fn no_graph_is_missing_where_loads_end_the_execution() {
    let [executions, twice, _] = compare(300, 8, Kind::Cut);
    assert!(twice * 1_000 <= executions, "{twice} twice");
}

#[test]
fn each_graph_is_executed_once_where_tasks_are_created_and_joined() {
    let [executions, twice, in_vain] = compare(300, 9, Kind::Spawned);
    assert!((twice + in_vain) * 1_000 <= executions, "{twice} twice, {in_vain} in vain");
}

#[test]
fn spawning_and_joining_synchronise_under_every_model() {
    let lists = [
        vec![Op::Store(0, 1, Relaxed), Op::Spawn(1), Op::Join(1), Op::Load(1, Relaxed)],
        vec![Op::Load(0, Relaxed), Op::Store(1, 1, Relaxed)],
    ];
    let program = Program { spawns: true, ..Program::of(&lists) };
    for (model, name) in Model::ALL {
        let make = || Litmus::new(&program, model, true, &Cuts::default());
        let found = search(&all(1), Box::new(OptimalDpor::new()), make, Arc::new(NoListener));
        let outcomes: Vec<_> = found.outcomes.keys().map(|e| e.outcome.read.clone()).collect();
        assert_eq!(outcomes, [vec![vec![0, 0, 0, 1], vec![1, 0]]], "{name}");
    }
}

/// The items that the execution before had found were lost where the read at the end of a revisit was cut.
#[test]
fn a_revisited_read_that_ends_the_execution_loses_nothing() {
    let main = [
        Op::Read(1),
        Op::Load(1, SeqCst),
        Op::ReadUnlock(1),
        Op::TryLock(1),
        Op::Refuse(1, 1, Relaxed),
        Op::Unlock(1),
        Op::Receive(0),
    ];
    let lists = [main.to_vec(), vec![Op::Load(1, Relaxed)], vec![Op::Add(1, 1, Relaxed)]];
    let program = Program::of(&lists);
    let cuts = Cuts::default();
    let make = || Litmus::new(&program, Model::Rc11, true, &cuts);
    let found = search(&all(1), Box::new(OptimalDpor::new()), make, Arc::new(NoListener));
    assert_eq!(found.outcomes.len(), 2);
    assert_eq!(cuts.lock().unwrap().len(), 2);
}
