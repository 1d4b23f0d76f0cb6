//! The memory of the reduction is linear in the length of an execution times its alternatives, while the number of
//! executions grows exponentially.
//!
//! It holds the present execution and, for each alternative that it took, the prefixes of the work items: at most a
//! length for each. An execution has an alternative for each pair of its steps that conflict and are of different
//! tasks, and for each further option. Mostly far fewer work items exist at once. The bound is derived in
//! `strategy/dpor/work/mod.rs`.

use crate::common::cases::config;
use crate::common::machine::{Do::*, Machine, Programs};
use crate::common::spy::spy;
use crate::common::{all, limited, random_machines};
use proptest::prelude::*;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::record::ExecutionRecord;
use raddle_core::search::{Findings, NoListener, search};
use raddle_core::strategy::OptimalDpor;
use raddle_core::trace::Step;
use raddle_core::verdict::Defect;
use raddle_core::world::{Describe, End, Ended, Ending, Explain, Manner, Pending, Pick, Point, World};
use std::sync::Arc;

/// Each task writes the objects of its list, one after the other.
struct Writers<'a> {
    lists: &'a [Vec<u32>],
    at: Vec<usize>,
    enabled: Vec<TaskId>,
    pending: Vec<Pending>,
}

impl Writers<'_> {
    fn refresh(&mut self) {
        let next = self.lists.iter().zip(&self.at).map(|(list, at)| list.get(*at));
        self.pending = next
            .map(|object| match object {
                None => Pending::NOTHING,
                Some(object) => {
                    let accesses = Accesses::write(ObjectId(*object));
                    Pending { accesses, options: 1, signature: *object, manner: Manner::Ordinary }
                }
            })
            .collect();
        let tasks = (0..self.lists.len()).filter(|task| self.pending[*task].options > 0);
        self.enabled = tasks.map(|task| TaskId(task as u32)).collect();
    }
}

impl Describe for Writers<'_> {
    fn describe(&self, task: TaskId) -> String {
        format!("{task:?}")
    }
    fn describe_last_time(&self, index: usize) -> String {
        format!("step {index}")
    }
}

impl World for Writers<'_> {
    type Outcome = ();

    fn start(&mut self) {
        self.at = vec![0; self.lists.len()];
        self.refresh();
    }
    fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending)
    }
    fn step(&mut self, pick: Pick) {
        self.at[pick.task.index()] += 1;
        self.refresh();
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<()> {
        stopped.map_or(Ended::new(Ending::Natural, End::Passed(())), Ended::stopped)
    }
}

impl Explain for Writers<'_> {
    fn record(&self) -> ExecutionRecord {
        unreachable!("nothing fails")
    }
}

fn explore(lists: &[Vec<u32>]) -> Findings<()> {
    let world = || Writers { lists, at: Vec::new(), enabled: Vec::new(), pending: Vec::new() };
    search(&limited(20_000, all(1)), Box::new(OptimalDpor::new()), world, Arc::new(NoListener))
}

/// How many pairs of steps of different tasks conflict, and the length.
fn alternatives(lists: &[Vec<u32>]) -> (u64, u64) {
    let times = |list: &[u32], object: &u32| list.iter().filter(|other| *other == object).count();
    let of_two = |a: &[u32], b: &[u32]| a.iter().map(|object| times(b, object)).sum::<usize>();
    let pairs = |at: usize| lists[at + 1..].iter().map(|other| of_two(&lists[at], other)).sum::<usize>();
    let all: usize = (0..lists.len()).map(pairs).sum();
    (all as u64, lists.iter().map(Vec::len).sum::<usize>() as u64)
}

/// For each alternative and for the execution itself a length and two words, and the same again for what is put aside.
fn bound(alternatives: u64, length: u64) -> u64 {
    2 * (alternatives + 1) * (length + 2)
}

#[test]
fn locks() {
    for (tasks, most) in [(2, 8), (3, 4), (4, 2)] {
        for rounds in 1..=most {
            let mut programs: Programs = vec![vec![Spawn(1); tasks], Vec::new()];
            programs[0].extend((0..tasks).map(Join));
            programs[1].extend([Lock(0), Unlock(0)].repeat(rounds));
            let make = || Machine::new(&programs);
            let length = (2 * tasks * rounds + 2 * tasks + 1) as u64;
            let found = search(&all(1), Box::new(OptimalDpor::new()), make, Arc::new(NoListener));
            let (executions, peak) = (found.executions, found.peak);
            println!("{tasks} x {rounds}: {executions} executions, peak {peak}, length {length}");
            assert!(peak <= (length + 2) * (tasks + 2) as u64, "{peak} {length}");
        }
    }
}

/// One task writes k objects, another one has m other operations and then writes the same: to bring any of its writes
/// forward takes all its earlier steps.
#[test]
fn alternatives_that_are_as_long_as_executions() {
    for (k, m) in [(4, 8), (8, 8), (8, 40), (12, 100)] {
        let shared: Vec<u32> = (0..k).collect();
        let other: Vec<u32> = (k..k + m).chain(0..k).collect();
        let lists = [shared, other];
        let (found, (pairs, length)) = (explore(&lists), alternatives(&lists));
        let peak = found.peak;
        println!(
            "{k} shared, {m} alone: {} executions, peak {peak}, length {length}, {pairs} pairs",
            found.executions
        );
        assert!(length <= peak && peak <= bound(pairs, length));
    }
}

/// Two tasks write one object again and again, and in the end one of them could come before the first step of a third
/// one: once for each order of the others. These alternatives are explored last.
#[test]
fn as_many_alternatives_as_there_can_be() {
    for k in 1..8 {
        let lists = [vec![1], vec![0; k], [vec![0; k], vec![1]].concat()];
        let (found, (pairs, length)) = (explore(&lists), alternatives(&lists));
        let peak = found.peak;
        println!("{k} each: {} executions, peak {peak}, length {length}, {pairs} pairs", found.executions);
        assert_eq!(pairs, (k * k + 1) as u64);
        assert!(peak <= bound(pairs, length));
    }
}

/// The same with many such steps at the very beginning: each order of the others leaves as many alternatives, and all of
/// them together take no more than one execution.
#[test]
fn many_alternatives_for_each_alternative() {
    for (k, m) in [(2, 2), (3, 3), (4, 4), (5, 5), (3, 6)] {
        let many: Vec<u32> = (1..=m).collect();
        let lists = [many.clone(), vec![0; k], [vec![0; k], many].concat()];
        let (found, (pairs, length)) = (explore(&lists), alternatives(&lists));
        let peak = found.peak;
        println!(
            "{k} each, {m} more: {} executions, peak {peak}, length {length}, {pairs} pairs",
            found.executions
        );
        assert!(found.coverage.is_exhaustive() && peak <= bound(pairs, length));
    }
}

proptest! {
    #![proptest_config(config(400, 7))]

    #[test]
    fn writers(lists in prop::collection::vec(prop::collection::vec(0..4u32, 1..6), 2..5)) {
        let (pairs, length) = alternatives(&lists);
        let peak = explore(&lists).peak;
        prop_assert!(peak <= bound(pairs, length), "{peak}, length {length}, {pairs} pairs: {lists:?}");
    }

    #[test]
    fn all_kinds_of_operations(programs in random_machines::programs()) {
        let make = || Machine::new(&programs);
        let plan = limited(4_000, all(1));
        let (strategy, seen) = spy(OptimalDpor::new());
        let found = search(&plan, Box::new(strategy), make, Arc::new(NoListener));
        let (mut most, mut longest) = (0, 0);
        for trace in seen.lock().unwrap().iter() {
            let steps = trace.steps();
            let conflicts = |a: &Step, b: &Step| a.task != b.task && a.accesses.conflict(b.accesses);
            let with_later = |at: usize| steps[at + 1..].iter().filter(|b| conflicts(&steps[at], b)).count();
            let pairs: usize = (0..steps.len()).map(with_later).sum();
            (most, longest) = (most.max(pairs as u64), longest.max(trace.len() as u64));
        }
        // Each task has at most two choices between two options.
        let options: usize = programs.iter().flatten().filter(|op| matches!(op, Choose(_))).count();
        let most = most + 4 * options as u64;
        let peak = found.peak;
        prop_assert!(peak <= bound(most, longest), "{peak} {most} {longest}\n{programs:?}");
    }
}
