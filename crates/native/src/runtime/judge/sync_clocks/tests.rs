//! Random logs, judged by the clocks and by a slow, obvious oracle: the transitive closure of the edges that the
//! language's memory model names, each written down as it says it.

use super::*;
use crate::runtime::operation::OperationKind;
use raddle_core::random::Rng;
use std::collections::BTreeSet;
use std::panic::Location;

static LINE: OperationKind = OperationKind::local("line");

const TASKS: u32 = 4;
const LINES: usize = 28;

/// Locks are objects 0 and 1, atomics 2 and 3.
const LOCKS: [ObjectId; 2] = [ObjectId(0), ObjectId(1)];
const ATOMICS: [ObjectId; 2] = [ObjectId(2), ObjectId(3)];

fn one_of<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len() as u32) as usize]
}

/// A log that some program could have made.
fn random_log(rng: &mut Rng) -> Log {
    use Ordering::*;
    let mut log = Log::default();
    let mut ended = [false; TASKS as usize];
    let mut spawned = [false; TASKS as usize];
    for _ in 0..LINES {
        let me = TaskId(rng.below(TASKS));
        if ended[me.index()] {
            continue;
        }
        let other = TaskId(rng.below(TASKS));
        let sends = |l: &Line| matches!(l.sync, Sync::Send | Sync::Exchange(_) | Sync::Meet);
        let sent: Vec<u32> = (0..log.len() as u32).filter(|at| sends(&log.lines()[*at as usize])).collect();
        let others_lines = log.lines().iter().any(|l| l.task == other);
        let (lock, atomic) = (one_of(rng, &LOCKS), one_of(rng, &ATOMICS));
        let (sync, object) = match rng.below(29) {
            0..7 => (Sync::None, NO_OBJECT),
            7 => (Sync::Acquire, lock),
            8 => (Sync::Release, lock),
            9 => (Sync::AcquireRelease, lock),
            10 => (Sync::AcquireShared, lock),
            11 => (Sync::ReleaseShared, lock),
            12..15 => (Sync::Load(one_of(rng, &[Relaxed, Acquire, SeqCst])), atomic),
            15 | 16 => (Sync::Store(one_of(rng, &[Relaxed, Release, SeqCst])), atomic),
            17 | 18 => (Sync::Update(one_of(rng, &[Relaxed, Acquire, Release, AcqRel, SeqCst])), atomic),
            19 | 20 => (Sync::Fence(one_of(rng, &[Acquire, Release, AcqRel, SeqCst])), NO_OBJECT),
            21 => (Sync::Send, NO_OBJECT),
            24 => (Sync::AcquireOf(lock), NO_OBJECT),
            25 => (Sync::ReleaseOf(lock), NO_OBJECT),
            26 => (Sync::Meet, lock),
            27 if !sent.is_empty() => (Sync::Learn(one_of(rng, &sent)), NO_OBJECT),
            28 if !sent.is_empty() => (Sync::Exchange(one_of(rng, &sent)), NO_OBJECT),
            22 if !sent.is_empty() => (Sync::Receive(one_of(rng, &sent)), NO_OBJECT),
            23 if other != me && !others_lines && !spawned[other.index()] => {
                spawned[other.index()] = true;
                (Sync::Spawn(other), NO_OBJECT)
            }
            23 if other != me && others_lines => {
                ended[other.index()] = true;
                (Sync::Join(other), NO_OBJECT)
            }
            _ => (Sync::None, NO_OBJECT),
        };
        let line = log.note(me, &LINE, Location::caller());
        line.sync = sync;
        line.object = object;
    }
    log
}

/// For each line, the lines that happened before it.
fn happened_before(lines: &[Line]) -> Vec<BTreeSet<usize>> {
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    for at in 0..lines.len() {
        let mut all = BTreeSet::new();
        for source in edges_into(lines, at) {
            all.insert(source);
            all.extend(&before[source]);
        }
        before.push(all);
    }
    before
}

fn edges_into(lines: &[Line], at: usize) -> BTreeSet<usize> {
    let (line, earlier) = (&lines[at], &lines[..at]);
    let those = |wanted: &dyn Fn(&Line) -> bool| -> BTreeSet<usize> {
        (0..at).filter(|i| wanted(&earlier[*i])).collect()
    };
    // A task's lines are in order, and all come after its spawn.
    let mut edges = those(&|l| l.task == line.task || l.sync == Sync::Spawn(line.task));
    match line.sync {
        Sync::Acquire | Sync::AcquireRelease | Sync::Meet => {
            edges.extend(released_on(lines, at, line.object, Share::No));
        }
        Sync::AcquireOf(object) => edges.extend(released_on(lines, at, object, Share::No)),
        Sync::AcquireShared => edges.extend(released_on(lines, at, line.object, Share::Yes)),
        Sync::Load(ordering) | Sync::Update(ordering) if acquires(ordering) => {
            edges.extend(released_to(lines, at));
        }
        Sync::Fence(ordering) if acquires(ordering) => {
            // What was read before an acquire fence counts as acquired by the fence.
            for load in those(&|l| l.task == line.task && matches!(l.sync, Sync::Load(_) | Sync::Update(_))) {
                edges.extend(released_to(lines, load));
            }
        }
        Sync::Receive(sent) | Sync::Learn(sent) | Sync::Exchange(sent) => {
            edges.insert(sent as usize);
        }
        Sync::Join(child) => edges.extend(those(&|l| l.task == child)),
        _ => {}
    }
    edges
}

/// Whether others may have the object at the same time.
#[derive(PartialEq)]
enum Share {
    Yes,
    No,
}

/// The releases on an object before line `at`, since the last meeting.
fn released_on(lines: &[Line], at: usize, object: ObjectId, share: Share) -> BTreeSet<usize> {
    let met = |l: &Line| l.object == object && l.sync == Sync::Meet;
    let since = (0..at).rev().find(|i| met(&lines[*i])).map_or(0, |i| i + 1);
    let released = |l: &Line| match l.sync {
        Sync::Release | Sync::AcquireRelease => l.object == object,
        Sync::ReleaseOf(other) => other == object,
        Sync::ReleaseShared => l.object == object && share == Share::No,
        _ => false,
    };
    (since..at).filter(|i| released(&lines[*i])).collect()
}

/// The releases to which the value read at line `load` belongs: it was written by the last store or
/// read-modify-write before it. A release sequence is headed by a store or a read-modify-write that releases, or
/// that comes after a release fence of its task, and goes on with read-modify-writes only.
fn released_to(lines: &[Line], load: usize) -> BTreeSet<usize> {
    let mut releases_found = BTreeSet::new();
    for head in (0..load).rev().filter(|i| lines[*i].object == lines[load].object) {
        let (Sync::Store(ordering) | Sync::Update(ordering)) = lines[head].sync else { continue };
        if releases(ordering) {
            releases_found.insert(head);
        }
        let fence = |l: &Line| matches!(l.sync, Sync::Fence(o) if releases(o));
        let fences = (0..head).filter(|i| lines[*i].task == lines[head].task && fence(&lines[*i]));
        releases_found.extend(fences);
        if let Sync::Store(_) = lines[head].sync {
            break;
        }
    }
    releases_found
}

#[test]
fn the_clocks_know_exactly_what_happened_before() {
    let mut clocks = Clocks::default();
    let (mut ordered, mut unordered) = (0, 0);
    for seed in 0..20_000 {
        let full = random_log(&mut Rng::new(seed, 0));
        let before = happened_before(full.lines());
        clocks.reset();
        let mut log = Log::default();
        let mut times: Vec<(usize, u32)> = Vec::new();
        for (at, line) in full.lines().iter().enumerate() {
            *log.note(line.task, line.kind, line.place) = *line;
            if line.sync != Sync::None {
                // Sometimes several lines are learned at once.
                if at % 3 == 0 {
                    clocks.of(line.task, &log);
                }
                continue;
            }
            let clock = clocks.of(line.task, &log);
            for (earlier, time) in &times {
                let other = full.lines()[*earlier].task;
                let known = other == line.task || clock.knows(other, *time);
                assert_eq!(known, before[at].contains(earlier), "seed {seed}: lines {earlier} and {at}");
                *(if known { &mut ordered } else { &mut unordered }) += 1;
            }
            times.push((at, clock.get(line.task)));
        }
    }
    assert!(ordered > 100_000 && unordered > 100_000, "{ordered} ordered, {unordered} not");
}

/// A log of these lines.
fn log_of(lines: &[(u32, Sync, ObjectId)]) -> Log {
    let mut log = Log::default();
    for (task, sync, object) in lines {
        let line = log.note(TaskId(*task), &LINE, Location::caller());
        (line.sync, line.object) = (*sync, *object);
    }
    log
}

/// Whether the last line, by task 1, knows of the touch, by task 0.
fn arrives(lines: &[(u32, Sync, ObjectId)]) -> bool {
    let touch = lines.iter().position(|l| *l == TOUCH).unwrap();
    let mut clocks = Clocks::default();
    let time = clocks.of(TaskId(0), &log_of(&lines[..touch])).get(TaskId(0));
    let log = log_of(lines);
    let arrives = clocks.of(TaskId(1), &log).knows(TaskId(0), time);
    assert_eq!(arrives, happened_before(log.lines()).last().unwrap().contains(&touch));
    arrives
}

const TOUCH: (u32, Sync, ObjectId) = (0, Sync::None, NO_OBJECT);

#[test]
fn readers_do_not_synchronise_with_readers() {
    let lock = LOCKS[0];
    assert!(!arrives(&[TOUCH, (0, Sync::ReleaseShared, lock), (1, Sync::AcquireShared, lock)]));
    assert!(arrives(&[TOUCH, (0, Sync::ReleaseShared, lock), (1, Sync::Acquire, lock)]));
    assert!(arrives(&[TOUCH, (0, Sync::Release, lock), (1, Sync::AcquireShared, lock)]));
    // A writer in between passes on what it learned from the reader.
    assert!(arrives(&[
        TOUCH,
        (0, Sync::ReleaseShared, lock),
        (2, Sync::Acquire, lock),
        (2, Sync::Release, lock),
        (1, Sync::AcquireShared, lock),
    ]));
}

#[test]
fn a_release_sequence_goes_on_through_updates_and_ends_with_a_store() {
    use Ordering::*;
    let flag = ATOMICS[0];
    let head = (0, Sync::Store(Release), flag);
    let load = (1, Sync::Load(Acquire), flag);
    assert!(arrives(&[TOUCH, head, load]));
    assert!(arrives(&[TOUCH, head, (2, Sync::Update(Relaxed), flag), load]));
    assert!(!arrives(&[TOUCH, head, (2, Sync::Store(Relaxed), flag), load]));
    // Not even the task's own relaxed store goes on with it, since C++20.
    assert!(!arrives(&[TOUCH, head, (0, Sync::Store(Relaxed), flag), load]));
    assert!(!arrives(&[TOUCH, head, (1, Sync::Load(Relaxed), flag)]));
    assert!(!arrives(&[TOUCH, (0, Sync::Store(Relaxed), flag), load]));
}

#[test]
fn fences_make_relaxed_operations_synchronise() {
    use Ordering::*;
    let flag = ATOMICS[0];
    let (release, acquire) = ((0, Sync::Fence(Release), NO_OBJECT), (1, Sync::Fence(Acquire), NO_OBJECT));
    let (store, load) = ((0, Sync::Store(Relaxed), flag), (1, Sync::Load(Relaxed), flag));
    assert!(arrives(&[TOUCH, release, store, load, acquire]));
    assert!(!arrives(&[TOUCH, store, load, acquire]));
    assert!(!arrives(&[TOUCH, release, store, load]));
    // In the wrong order, fences do nothing.
    assert!(!arrives(&[TOUCH, store, release, load, acquire]));
    assert!(!arrives(&[TOUCH, release, store, acquire, load]));
    // What happens after the release fence is not released.
    assert!(!arrives(&[release, TOUCH, store, load, acquire]));
}

#[test]
fn a_message_is_received_as_often_as_the_program_likes() {
    let send = (0, Sync::Send, NO_OBJECT);
    assert!(arrives(&[TOUCH, send, (2, Sync::Receive(1), NO_OBJECT), (1, Sync::Receive(1), NO_OBJECT)]));
    // Another message tells nothing of this one.
    assert!(!arrives(&[TOUCH, (2, Sync::Send, NO_OBJECT), send, (1, Sync::Receive(1), NO_OBJECT)]));
}
