//! The cheapest stronger orderings that make an outcome impossible, beside an oracle that tries all of them with the axioms.

use super::each_random;
use super::machine::Machine;
use raddle_core::memory::{Event, Model, Order, PlacedGraph, Strengthener};
use raddle_core::record::Place;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering::{self, *};
use trace_classes::litmus::random::Size;
use trace_classes::litmus::{Graph, Op, Outcome, Program, axioms, table};

/// Stronger orderings: of the operation with this number of the task with this number.
type Stronger = BTreeSet<(usize, usize, Order)>;

/// All graphs of executions with this outcome, as the engine has them.
fn graphs_of(program: &Program, wanted: &Outcome) -> Vec<PlacedGraph> {
    let (mut met, mut found) = (HashSet::new(), Vec::new());
    explore(&mut Machine::new(program, Model::Rc11), wanted, &mut met, &mut found);
    found
}

fn explore(machine: &mut Machine, wanted: &Outcome, met: &mut HashSet<Graph>, found: &mut Vec<PlacedGraph>) {
    if !met.insert(machine.canonical()) {
        return;
    }
    let mut next = machine.successors();
    let is_over = next.is_empty();
    next.iter_mut().for_each(|next| explore(next, wanted, met, found));
    if is_over && machine.outcome() == *wanted {
        let place =
            |event: &Event| Some(Place { file: String::new(), line: event.task.0, column: event.time - 1 });
        let graph = machine.graph.clone();
        let places = graph.events().iter().map(place).collect();
        found.push(PlacedGraph { lines: (0..graph.len()).collect(), places, graph });
    }
}

/// The orderings that an operation may have, with their costs: each with the operation that has it.
fn stronger(op: Op) -> Vec<(Order, u32, Op)> {
    let weaker = |order: Ordering, acquires: bool, releases: bool| {
        let has = match order {
            Relaxed => (false, false),
            Acquire => (true, false),
            Release => (false, true),
            _ => (true, true),
        };
        match (order, has.0 || acquires, has.1 || releases) {
            (SeqCst, ..) => SeqCst,
            (_, true, true) => AcqRel,
            (_, true, false) => Acquire,
            (_, false, true) => Release,
            (_, false, false) => Relaxed,
        }
    };
    let both = |with: &dyn Fn(bool, bool) -> Op, strongest: Op| {
        vec![
            (Order::Acquire, 1, with(true, false)),
            (Order::Release, 1, with(false, true)),
            (Order::AcqRel, 2, with(true, true)),
            (Order::SeqCst, 4, strongest),
        ]
    };
    let all = match op {
        Op::Load(at, order) => vec![
            (Order::Acquire, 1, Op::Load(at, weaker(order, true, false))),
            (Order::SeqCst, 4, Op::Load(at, SeqCst)),
        ],
        Op::Store(at, value, order) => vec![
            (Order::Release, 1, Op::Store(at, value, weaker(order, false, true))),
            (Order::SeqCst, 4, Op::Store(at, value, SeqCst)),
        ],
        Op::Add(at, by, order) => both(&|a, r| Op::Add(at, by, weaker(order, a, r)), Op::Add(at, by, SeqCst)),
        Op::Swap(at, value, order) => {
            both(&|a, r| Op::Swap(at, value, weaker(order, a, r)), Op::Swap(at, value, SeqCst))
        }
        Op::CompareExchange(at, expected, new, success, failure) => both(
            &|a, r| {
                let success = weaker(success, a, r);
                Op::CompareExchange(at, expected, new, success, weaker(failure, a, false))
            },
            Op::CompareExchange(at, expected, new, SeqCst, SeqCst),
        ),
        Op::Fence(order) => both(&|a, r| Op::Fence(weaker(order, a, r)), Op::Fence(SeqCst)),
        _ => Vec::new(),
    };
    all.into_iter().filter(|(.., changed)| *changed != op).collect()
}

/// All sets of stronger orderings of the least cost without which there is no such outcome; none if that is more than `most`.
fn by_trying(lists: &[Vec<Op>], places: usize, wanted: &Outcome, most: u32) -> Option<(u32, Vec<Stronger>)> {
    let sites: Vec<(usize, usize)> =
        lists.iter().enumerate().flat_map(|(task, list)| (0..list.len()).map(move |at| (task, at))).collect();
    (0..=most).find_map(|cost| {
        let mut found = Vec::new();
        try_all(&mut lists.to_vec(), places, &sites, cost, wanted, &mut Stronger::new(), &mut found);
        (!found.is_empty()).then_some((cost, found))
    })
}

fn try_all(
    lists: &mut Vec<Vec<Op>>,
    places: usize,
    sites: &[(usize, usize)],
    cost: u32,
    wanted: &Outcome,
    chosen: &mut Stronger,
    found: &mut Vec<Stronger>,
) {
    if cost == 0 {
        let mut program = Program::of(lists);
        program.places = places;
        if !axioms::executions(&program, Model::Rc11).outcomes.contains(wanted) {
            found.push(chosen.clone());
        }
        return;
    }
    let Some(((task, at), rest)) = sites.split_first() else { return };
    try_all(lists, places, rest, cost, wanted, chosen, found);
    let own = lists[*task][*at];
    for (order, price, op) in stronger(own).into_iter().filter(|(_, price, _)| *price <= cost) {
        lists[*task][*at] = op;
        chosen.insert((*task, *at, order));
        try_all(lists, places, rest, cost - price, wanted, chosen, found);
        chosen.remove(&(*task, *at, order));
    }
    lists[*task][*at] = own;
}

fn cheapest(program: &Program, wanted: &Outcome) -> BTreeSet<Stronger> {
    let mut strengthener = Strengthener::default();
    graphs_of(program, wanted).into_iter().for_each(|graph| strengthener.add(graph));
    let sets = strengthener.cheapest().into_iter().map(|set| {
        let site = |one: &raddle_core::memory::StrongerOrdering| {
            (one.place.line as usize, one.place.column as usize, one.order)
        };
        set.iter().map(site).collect()
    });
    sets.collect()
}

/// Compares for each outcome that only weak memory has. Returns how many there are.
fn compare(lists: &[Vec<Op>], places: usize, most: u32) -> usize {
    let mut program = Program::of(lists);
    program.places = places;
    let of = |model| axioms::executions(&program, model).outcomes;
    let sequential = of(Model::Sc);
    let weak: Vec<Outcome> = of(Model::Rc11).into_iter().filter(|one| !sequential.contains(one)).collect();
    let mut compared = 0;
    for wanted in &weak {
        if let Some((cost, expected)) = by_trying(lists, places, wanted, most) {
            let found = cheapest(&program, wanted);
            assert_eq!(found, expected.into_iter().collect(), "{lists:?} {wanted:?} cost {cost}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_cheapest_orderings_are_those_that_the_axioms_ask_for_in_litmus_programs() {
    let programs = [
        "W x 1 Rlx,W y 1 Rlx | R y Rlx,R x Rlx",
        "W x 1 Rlx,W y 1 Rel | R y Rlx,R x Rlx",
        "W x 1 Rlx,A y 1 Rlx | A y 1 Rlx,R x Rlx",
        "W x 1 Rlx,F Rel,W y 1 Rlx | R y Rlx,R x Rlx",
        "W x 1 Rlx | R x Rlx,W y 1 Rlx | R y Rlx,R x Rlx",
    ];
    for text in programs {
        assert!(compare(&table::lists(text), 2, 4) > 0, "{text}");
    }
    // Four operations become `SeqCst`.
    assert_eq!(compare(&table::lists("W x 1 Rel,R y Acq | W y 1 Rel,R x Acq"), 2, 16), 1);
}

#[test]
fn the_cheapest_orderings_are_those_that_the_axioms_ask_for_in_random_programs() {
    let mut compared = 0;
    let size = Size { operations: 6, locks: false };
    let programs = each_random(300, size, |_, lists| compared += compare(lists, 2, 8));
    assert!(compared > 0);
    println!("{programs} programs, {compared} outcomes");
}
