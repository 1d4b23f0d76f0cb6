//! Random litmus programs: two to four tasks, all orderings, updates, compare-exchanges, fences, and locks if wanted.

use super::{Op, Program, Thread};
use raddle_core::random::Rng;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, *};

/// How large programs are.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The most operations of all tasks.
    pub operations: usize,
    pub locks: bool,
}

/// A random program, and what its tasks do in words.
pub fn program(rng: &mut Rng, size: Size) -> (Program, Vec<Vec<Op>>) {
    loop {
        let tasks = 2 + rng.below(3) as usize;
        let lists: Vec<Vec<Op>> = (0..tasks).map(|_| one_list(rng, tasks, size.locks)).collect();
        if lists.iter().map(Vec::len).sum::<usize>() > size.operations {
            continue;
        }
        let mut program = Program::of(&lists);
        program.places = 2;
        program.locks = 2;
        // Some tasks end early, by what they read first.
        for (thread, list) in program.threads.iter_mut().zip(&lists) {
            if list.len() > 2 && matches!(list[0], Op::Load(..)) && rng.below(2) == 0 {
                *thread = ends_early(list.clone());
            }
        }
        return (program, lists);
    }
}

/// A random program with all kinds of locks, a channel, and loads that end the execution if `refuses`.
pub fn mixed(rng: &mut Rng, operations: usize, refuses: bool) -> (Program, Vec<Vec<Op>>) {
    loop {
        let tasks = 2 + rng.below(2) as usize;
        let lists: Vec<Vec<Op>> = (0..tasks).map(|_| mixed_list(rng, refuses)).collect();
        if lists.iter().map(Vec::len).sum::<usize>() <= operations {
            let threads = lists.iter().cloned().map(super::list).collect();
            return (Program { threads, places: 2, locks: 2, spawns: false }, lists);
        }
    }
}

/// The same where the first task creates the others, or one of these the next, and joins them.
pub fn spawned(rng: &mut Rng, operations: usize) -> (Program, Vec<Vec<Op>>) {
    loop {
        let mut lists = vec![Vec::new(), mixed_list(rng, false), mixed_list(rng, false)];
        let nested = rng.below(3) == 0;
        let between = |rng: &mut Rng, list: &mut Vec<Op>| {
            if rng.below(3) == 0 {
                list.extend(mixed_list(rng, false).into_iter().take(3));
            }
        };
        let mut main = vec![Op::Spawn(1)];
        between(rng, &mut main);
        if nested {
            let at = rng.below(lists[1].len() as u32 + 1) as usize;
            lists[1].insert(at, Op::Spawn(2));
            lists[1].push(Op::Join(2));
        } else {
            main.push(Op::Spawn(2));
            between(rng, &mut main);
            main.push(Op::Join(2));
        }
        between(rng, &mut main);
        main.push(Op::Join(1));
        main.push(Op::Load(rng.below(2) as usize, load(rng)));
        lists[0] = main;
        let is_step = |op: &&Op| !matches!(op, Op::Spawn(_) | Op::Join(_));
        if lists.iter().flatten().filter(is_step).count() <= operations {
            let threads = lists.iter().cloned().map(super::list).collect();
            return (Program { threads, places: 2, locks: 2, spawns: true }, lists);
        }
    }
}

fn mixed_list(rng: &mut Rng, refuses: bool) -> Vec<Op> {
    let mut list = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let place = rng.below(2) as usize;
        let access = match rng.below(if refuses { 6 } else { 5 }) {
            0 | 1 => Op::Load(place, load(rng)),
            2 | 3 => Op::Store(place, 1 + rng.below(2) as u64, store(rng)),
            4 => Op::Add(place, 1, update(rng)),
            _ => Op::Refuse(place, rng.below(3) as u64, load(rng)),
        };
        match rng.below(9) {
            0..=2 => list.push(access),
            3 => list.extend([Op::Lock(place), access, Op::Unlock(place)]),
            4 => list.extend([Op::TryLock(place), access, Op::Unlock(place)]),
            5 => list.extend([Op::Read(place), access, Op::ReadUnlock(place)]),
            6 => list.extend([Op::Write(place), access, Op::WriteUnlock(place)]),
            7 => list.push(Op::Send(0, 1 + rng.below(2) as u64)),
            _ => list.push(Op::Receive(0)),
        }
    }
    list
}

fn ends_early(list: Vec<Op>) -> Thread {
    Arc::new(move |read| match read.len() + 1 == list.len() && read[0] == 2 {
        true => None,
        false => list.get(read.len()).copied(),
    })
}

fn one_list(rng: &mut Rng, tasks: usize, locks: bool) -> Vec<Op> {
    let mut list = Vec::new();
    for _ in 0..1 + rng.below(if tasks == 4 { 2 } else { 3 }) {
        let place = rng.below(2) as usize;
        match rng.below(if locks { 14 } else { 11 }) {
            0..=2 => list.push(Op::Load(place, load(rng))),
            3..=5 => list.push(Op::Store(place, 1 + rng.below(2) as u64, store(rng))),
            6 => list.push(Op::Add(place, 1, update(rng))),
            7 => list.push(Op::Swap(place, 3, update(rng))),
            8 | 9 => {
                let expected = rng.below(2) as u64;
                list.push(Op::CompareExchange(place, expected, 2, update(rng), load(rng)));
            }
            10 => list.push(Op::Fence([Acquire, Release, AcqRel, SeqCst, SeqCst][rng.below(5) as usize])),
            _ => {
                list.push(Op::Lock(place));
                match rng.below(5) {
                    0 => list.push(Op::Load(place, Relaxed)),
                    1 => list.push(Op::Store(place, 7, Relaxed)),
                    2 => list.extend([Op::Lock(1 - place), Op::Unlock(1 - place)]),
                    _ => {}
                }
                list.push(Op::Unlock(place));
            }
        }
    }
    list
}

fn load(rng: &mut Rng) -> Ordering {
    [Relaxed, Acquire, SeqCst][rng.below(3) as usize]
}

fn store(rng: &mut Rng) -> Ordering {
    [Relaxed, Release, SeqCst][rng.below(3) as usize]
}

fn update(rng: &mut Rng) -> Ordering {
    [Relaxed, Acquire, Release, AcqRel, SeqCst][rng.below(5) as usize]
}
