//! Random programs of all kinds of operations: each trace once.

use super::oracle::{ACCEPTED, ACCEPTED_OF_FRET, ACCEPTED_OF_PANICS, oracle};
use crate::common::machine::{Do, Do::*, Programs};
use proptest::prelude::*;

/// Operations; those that take something are followed by what gives it back, now and then.
fn ops() -> impl Strategy<Value = Vec<Do>> {
    let one = |op: Do| Just(vec![op]);
    let lock = |take: Do, give: Do| prop_oneof![3 => Just(vec![take, give]), 1 => Just(vec![take])];
    let around = |take: Do, inner: Vec<Do>, give: Do| Just([vec![take], inner, vec![give]].concat());
    prop_oneof![
        3 => (0..2usize).prop_map(|x| vec![Load(x)]),
        2 => (0..2usize, 1..3i64).prop_map(|(x, v)| vec![Store(x, v)]),
        1 => (0..2usize).prop_map(|x| vec![Add(x)]),
        2 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Cas(x, v, v + 1)]),
        1 => one(Swap(0, 1)),
        2 => (0..2usize).prop_flat_map(move |m| lock(Lock(m), Unlock(m))),
        1 => around(Lock(0), vec![Lock(1), Unlock(1)], Unlock(0)),
        1 => around(Lock(1), vec![Lock(0), Unlock(0)], Unlock(1)),
        1 => (0..2usize).prop_flat_map(move |m| lock(TryLock(m), Unlock(m))),
        2 => lock(Read(0), ReadUnlock(0)),
        2 => lock(Write(0), WriteUnlock(0)),
        1 => lock(TryWrite(0), WriteUnlock(0)),
        1 => lock(TryRead(0), ReadUnlock(0)),
        1 => around(Read(0), vec![Recv(1)], ReadUnlock(0)),
        1 => around(Read(0), vec![Send(1, 4)], ReadUnlock(0)),
        2 => (0..2usize, 1..3i64).prop_map(|(c, v)| vec![Send(c, v)]),
        2 => (0..2usize).prop_map(|c| vec![Recv(c)]),
        1 => (0..2usize).prop_map(|c| vec![TryRecv(c)]),
        1 => around(Lock(0), vec![Wait], Unlock(0)),
        1 => around(Lock(0), vec![Notify], Unlock(0)),
        1 => one(Notify),
        1 => one(Choose(2)),
        1 => one(Yield),
        1 => one(Barrier),
        1 => one(WhenAllZero),
        1 => (0..2usize).prop_map(|x| vec![Store(x, 0)]),
        1 => (0..2usize).prop_map(|x| vec![Expect(x)]),
        1 => (0..2usize).prop_map(|x| vec![Die(x)]),
        1 => one(ExpectAll),
    ]
}

/// Panics of all kinds: those that end the execution, that poison a lock, or that only a join observes.
fn panics() -> impl Strategy<Value = Vec<Do>> {
    let around = |take: Do, inner: Vec<Do>, give: Do| [vec![take], inner, vec![give]].concat();
    let panic = prop_oneof![
        3 => (0..2usize).prop_map(Die),
        2 => (0..2usize).prop_map(Expect),
        1 => Just(ExpectAll),
    ];
    let inner = prop_oneof![
        3 => panic.clone().prop_map(|op| vec![op]),
        1 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Store(x, v)]),
        1 => Just(vec![Recv(1)]),
        1 => Just(vec![]),
    ];
    prop_oneof![
        3 => panic.prop_map(|op| vec![op]),
        4 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Store(x, v)]),
        1 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Cas(x, v, 1 - v)]),
        1 => (0..2usize).prop_map(|x| vec![Load(x)]),
        2 => (0..2usize, inner.clone()).prop_map(move |(m, inner)| around(Lock(m), inner, Unlock(m))),
        1 => inner.clone().prop_map(move |inner| around(Read(0), inner, ReadUnlock(0))),
        2 => inner.prop_map(move |inner| around(Write(0), inner, WriteUnlock(0))),
        1 => Just(vec![TryLock(0), Unlock(0)]),
        1 => Just(vec![TryRead(0), ReadUnlock(0)]),
        1 => Just(vec![Send(1, 1)]),
        1 => (0..2usize).prop_map(|child| vec![Join(child)]),
        1 => (0..2u32, 0..2usize).prop_map(|(bad, x)| vec![Gamble(bad, x)]),
        1 => (0..2u32).prop_map(|bad| vec![GambleAll(bad)]),
    ]
}

/// Two to four tasks, created by main or by each other, joined or not.
fn programs() -> impl Strategy<Value = Programs> {
    tasks(ops(), 2..5)
}

fn tasks(
    ops: impl Strategy<Value = Vec<Do>>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = Programs> {
    let bodies = prop::collection::vec(prop::collection::vec(ops, 0..3), count);
    (bodies, prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 5), 0..4u8)
        .prop_map(|(bodies, places, joins)| {
            let mut programs: Programs = bodies.into_iter().map(|ops| ops.concat()).collect();
            let mut children = vec![0; programs.len()];
            for child in (1..programs.len()).rev() {
                let (parent, place) = &places[child - 1];
                let parent = parent.index(child);
                let place = place.index(programs[parent].len() + 1);
                programs[parent].insert(place, Spawn(child));
                children[parent] += 1;
            }
            if joins > 0 {
                let all: Vec<Do> = (0..children[0]).map(Join).collect();
                programs[0].extend(all);
            }
            programs
        })
}

/// Readers and writers, and what readers wait for.
fn readers() -> impl Strategy<Value = Vec<Do>> {
    let around = |take: Do, inner: Vec<Do>, give: Do| [vec![take], inner, vec![give]].concat();
    let inner = prop_oneof![
        2 => Just(vec![]),
        1 => (0..2usize).prop_map(|c| vec![Recv(c)]),
        1 => (0..2usize, 1..3i64).prop_map(|(c, v)| vec![Send(c, v)]),
        1 => Just(vec![Send(0, 4), Recv(1)]),
        1 => Just(vec![Send(1, 4), Recv(0)]),
        1 => Just(vec![Lock(0), Unlock(0)]),
        1 => Just(vec![Lock(0)]),
        1 => Just(vec![Load(0)]),
    ];
    prop_oneof![
        5 => inner.clone().prop_map(move |i| around(Read(0), i, ReadUnlock(0))),
        1 => inner.clone().prop_map(|i| [vec![Read(0)], i].concat()),
        4 => inner.clone().prop_map(move |i| around(Write(0), i, WriteUnlock(0))),
        1 => inner.clone().prop_map(|i| [vec![Write(0)], i].concat()),
        3 => inner,
        1 => Just(vec![Store(0, 1)]),
        1 => Just(vec![TryWrite(0), WriteUnlock(0)]),
        1 => Just(vec![Lock(0), Yield, Unlock(0)]),
    ]
}

#[test]
fn each_trace_once() {
    oracle(2_500, programs(), ACCEPTED);
}

#[test]
fn each_trace_of_those_who_panic_once() {
    oracle(1_000, tasks(panics(), 2..5), ACCEPTED_OF_PANICS);
}

#[test]
fn each_trace_of_readers_and_writers_once() {
    oracle(625, tasks(readers(), 3..6), ACCEPTED);
}

/// Readers and writers of so many locks, one inside the other or one after the other.
fn several_locks(locks: usize) -> impl Strategy<Value = Vec<Do>> {
    let reads = |lock: usize, inner: Vec<Do>| [vec![Read(lock)], inner, vec![ReadUnlock(lock)]].concat();
    let writes = |lock: usize, inner: Vec<Do>| [vec![Write(lock)], inner, vec![WriteUnlock(lock)]].concat();
    let inside = prop_oneof![
        3 => Just(vec![]),
        3 => (0..locks).prop_map(move |lock| reads(lock, vec![])),
        2 => (0..locks).prop_map(move |lock| writes(lock, vec![])),
        1 => (0..locks).prop_map(|lock| vec![Read(lock)]),
        1 => (0..locks).prop_map(|lock| vec![TryWrite(lock), WriteUnlock(lock)]),
        1 => (0..locks).prop_map(|lock| vec![TryRead(lock), ReadUnlock(lock)]),
        1 => Just(vec![Load(0)]),
        1 => Just(vec![Store(0, 1)]),
    ];
    let outside = (0..locks, any::<bool>(), inside).prop_map(move |(lock, shared, inner)| match shared {
        true => reads(lock, inner),
        false => writes(lock, inner),
    });
    prop_oneof![
        8 => outside,
        1 => (0..locks).prop_map(|lock| vec![TryWrite(lock), WriteUnlock(lock)]),
        1 => (0..locks).prop_map(|lock| vec![TryRead(lock), ReadUnlock(lock)]),
    ]
}

/// What readers of several locks do besides.
fn locks_and_more(locks: usize) -> impl Strategy<Value = Vec<Do>> {
    prop_oneof![3 => several_locks(locks), 1 => ops(), 1 => readers()]
}

#[test]
fn each_trace_of_two_locks_once() {
    oracle(200, tasks(several_locks(2), 3..5), ACCEPTED);
}

#[test]
fn each_trace_of_three_locks_once() {
    oracle(200, tasks(several_locks(3), 3..5), ACCEPTED);
}

#[test]
fn each_trace_of_several_locks_and_more_once() {
    oracle(200, tasks(locks_and_more(3), 3..6), ACCEPTED);
}

#[test]
fn each_trace_of_several_locks_and_panics_once() {
    oracle(200, tasks(prop_oneof![2 => several_locks(2), 1 => panics()], 3..5), ACCEPTED);
}

/// The step of a writer may end the execution.
#[test]
fn each_trace_beside_writers_who_fail_once() {
    oracle(
        200,
        tasks(
            prop_oneof![ 5 => several_locks(2), 1 => (0..2usize).prop_map(|lock| vec![WriteUnread(lock), WriteUnlock(lock)]), ],
            3..5,
        ),
        ACCEPTED,
    );
}

/// A panic that conflicts with everything conflicts with every other enabled operation.
#[test]
fn each_trace_beside_panics_at_large_once() {
    oracle(
        200,
        tasks(
            prop_oneof![6 => several_locks(3), 2 => Just(vec![ExpectAll]), 1 => Just(vec![Store(0, 1)]), 1 => panics()],
            3..5,
        ),
        ACCEPTED,
    );
}

/// Operations with more or fewer accesses where they come earlier.
#[test]
fn each_trace_beside_those_who_fret() {
    oracle(
        500,
        tasks(
            prop_oneof![ 2 => (0..2usize).prop_map(|x| vec![Fret(x)]), 3 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Store(x, v)]), 2 => ops(), ],
            2..5,
        ),
        ACCEPTED_OF_FRET,
    );
}

/// Operations whose accesses depend on what other objects hold, beside panics and locks.
#[test]
fn each_trace_beside_those_who_guard_once() {
    oracle(
        1_000,
        tasks(
            prop_oneof![ 3 => (0..2usize, 0..2usize).prop_map(|(x, y)| vec![Guard(x, y)]), 1 => (0..2usize).prop_map(|x| vec![Fret(x)]), 4 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Store(x, v)]), 1 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Cas(x, v, 1 - v)]), 1 => panics(), 1 => ops(), ],
            2..5,
        ),
        ACCEPTED,
    );
}
