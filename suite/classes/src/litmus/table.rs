//! Litmus programs with the number of their executions under each model.
//!
//! `litmus.txt` has one program in a line: its name, the counts under SC, TSO, PSO and RC11, and the tasks. R, W, A, X, C and
//! F are load, store, add, exchange, compare-exchange and fence. The other programs here are families, by a size.

use super::{Op, Program, Thread};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, *};

/// A program and its counts under SC, TSO, PSO and RC11.
pub struct Row {
    pub name: String,
    pub counts: [usize; 4],
    pub program: Program,
    /// How many operations it has.
    pub operations: usize,
}

impl Row {
    fn new(name: impl Into<String>, counts: [usize; 4], lists: Vec<Vec<Op>>) -> Row {
        let operations = lists.iter().map(Vec::len).sum();
        Row { name: name.into(), counts, program: Program::of(&lists), operations }
    }
}

/// The programs of `litmus.txt`.
pub fn rows() -> Vec<Row> {
    include_str!("litmus.txt").lines().map(row).collect()
}

fn row(line: &str) -> Row {
    let mut words = line.splitn(6, ' ');
    let mut word = || words.next().expect("a name, four counts and tasks");
    let name = word();
    let counts = [(); 4].map(|()| word().parse().expect("a count"));
    Row::new(name, counts, lists(word()))
}

/// Tasks in the notation of the table.
pub fn lists(text: &str) -> Vec<Vec<Op>> {
    let mut places = BTreeMap::new();
    let mut of_task = |task: &str| task.split(',').map(|op| operation(op, &mut places)).collect();
    text.split(" | ").map(&mut of_task).collect()
}

fn operation(text: &str, places: &mut BTreeMap<String, usize>) -> Op {
    let words: Vec<&str> = text.split(' ').collect();
    let known = places.len();
    let mut place = || *places.entry(words[1].to_owned()).or_insert(known);
    let number = |at: usize| words[at].parse().expect("a number");
    match words[0] {
        "F" => Op::Fence(order(words[1])),
        "R" => Op::Load(place(), order(words[2])),
        "W" => Op::Store(place(), number(2), order(words[3])),
        "A" => Op::Add(place(), number(2), order(words[3])),
        "X" => Op::Swap(place(), number(2), order(words[3])),
        "C" => Op::CompareExchange(place(), number(2), number(3), order(words[4]), order(words[5])),
        other => panic!("no operation: {other}"),
    }
}

fn order(text: &str) -> Ordering {
    match text {
        "Rlx" => Relaxed,
        "Acq" => Acquire,
        "Rel" => Release,
        "AR" => AcqRel,
        "SC" => SeqCst,
        other => panic!("no ordering: {other}"),
    }
}

/// Families of programs that are small enough for the oracle.
pub fn small_families() -> Vec<Row> {
    let mut rows = vec![coherence_of_after(1, [15, 16, 16, 16]), reads_and_writes(2, 22)];
    rows.extend([(2, 6), (3, 66)].map(|(n, count)| exchanges_and_writes(n, count)));
    rows.extend([(2, 2), (3, 5), (4, 14), (5, 43)].map(|(n, count)| rotation(n, count)));
    rows.extend([(2, 5), (3, 13), (4, 33)].map(|(n, count)| write_and_exchanges(n, count)));
    rows
}

/// Those that are not. The counts of CoA under TSO and PSO are what was measured; all others are known from elsewhere.
pub fn large_families() -> Vec<Row> {
    vec![
        coherence_of_after(2, [130, 144, 144, 144]),
        coherence_of_after(3, [2028, 2304, 2304, 2304]),
        reads_and_writes(3, 300),
        exchanges_and_writes(4, 1200),
        rotation(6, 144),
        write_and_exchanges(5, 81),
    ]
}

/// CoA: two tasks store, and read what so many writers of two other places store.
fn coherence_of_after(writers: u64, counts: [usize; 4]) -> Row {
    let reader =
        |value, place| vec![Op::Store(0, value, Release), Op::Load(place, Acquire), Op::Load(0, Acquire)];
    let mut lists = vec![reader(1, 1), reader(2, 2)];
    lists.extend((0..writers).map(|i| vec![Op::Store(1, i, Release), Op::Store(2, i, Release)]));
    Row::new(format!("CoA({writers})"), counts, lists)
}

fn exchanges_and_writes(n: u64, count: usize) -> Row {
    let task = |i| vec![Op::CompareExchange(0, 0, 1, Relaxed, Relaxed), Op::Store(0, i + 3, Release)];
    Row::new(format!("casw({n})"), [count; 4], (0..n).map(task).collect())
}

fn rotation(n: u64, count: usize) -> Row {
    let task = |i| vec![Op::CompareExchange(0, i - 1, i, Relaxed, Relaxed)];
    Row::new(format!("casrot({n})"), [count; 4], (1..=n).map(task).collect())
}

fn write_and_exchanges(n: u64, count: usize) -> Row {
    let mut lists = vec![vec![Op::Store(0, 2, Release)]];
    lists.extend((0..n).map(|_| vec![Op::CompareExchange(0, 2, 3, Relaxed, Relaxed)]));
    Row::new(format!("wcas({n})"), [count; 4], lists)
}

fn reads_and_writes(n: u64, count: usize) -> Row {
    let mut lists = vec![vec![Op::Store(0, 1, Release)]];
    lists.extend((0..n).map(|i| vec![Op::Load(0, Relaxed), Op::Store(0, i, Release)]));
    Row::new(format!("wrw({n})"), [count; 4], lists)
}

/// Peterson's lock around a store and a load; who would wait is stuck. The counts are those of complete executions.
pub fn peterson(store: Ordering, load: Ordering, counts: [usize; 4]) -> Row {
    let task = |flag: usize, other: usize, turn: u64, value: u64| -> Thread {
        Arc::new(move |read| {
            let entry = [Op::Store(flag, 1, store), Op::Store(2, turn, store), Op::Load(other, load)];
            if let Some(op) = entry.get(read.len()) {
                return Some(*op);
            }
            let is_free = read[2] != 1;
            let from = if is_free { 3 } else { 4 };
            if !is_free {
                if read.len() == 3 {
                    return Some(Op::Load(2, load));
                }
                if read[3] == turn {
                    return Some(Op::Stuck);
                }
            }
            let rest = [Op::Store(3, value, store), Op::Load(3, load), Op::Store(flag, 0, store)];
            rest.get(read.len() - from).copied()
        })
    };
    let threads = vec![task(0, 1, 1, 0), task(1, 0, 0, 1)];
    Row {
        name: format!("peterson {store:?} {load:?}"),
        counts,
        program: Program { threads, places: 4, locks: 0, spawns: false },
        operations: 14,
    }
}
