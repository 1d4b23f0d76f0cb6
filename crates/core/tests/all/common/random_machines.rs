//! Random programs of machines for property tests.

use super::machine::{Do, Do::*, Programs};
use proptest::prelude::*;

/// Operations of a task; what takes something is mostly followed by what gives it back.
fn ops() -> impl Strategy<Value = Vec<Do>> {
    let held = |take: Do, give: Do| prop_oneof![4 => Just(vec![take, give]), 1 => Just(vec![take])];
    prop_oneof![
        3 => (0..2usize).prop_map(|x| vec![Load(x)]),
        3 => (0..2usize, 1..3i64).prop_map(|(x, v)| vec![Store(x, v)]),
        2 => (0..2usize).prop_map(|x| vec![Add(x)]),
        2 => (0..2usize, 0..2i64).prop_map(|(x, v)| vec![Cas(x, v, v + 1)]),
        3 => (0..2usize).prop_flat_map(move |m| held(Lock(m), Unlock(m))),
        1 => Just(vec![Lock(0), Lock(1), Unlock(1), Unlock(0)]),
        1 => Just(vec![Lock(1), Lock(0), Unlock(0), Unlock(1)]),
        1 => Just(vec![TryLock(0), Unlock(0)]),
        3 => (0..3usize).prop_flat_map(move |l| held(Read(l), ReadUnlock(l))),
        3 => (0..3usize).prop_flat_map(move |l| held(Write(l), WriteUnlock(l))),
        2 => (0..3usize, 0..3usize).prop_map(|(l, m)| vec![Write(l), Read(m), ReadUnlock(m), WriteUnlock(l)]),
        2 => (0..2usize, 1..3i64).prop_map(|(c, v)| vec![Send(c, v)]),
        2 => (0..2usize).prop_map(|c| vec![Recv(c)]),
        1 => (0..2usize).prop_map(|c| vec![TryRecv(c)]),
        1 => Just(vec![Lock(0), Wait, Unlock(0)]),
        1 => Just(vec![Notify]),
        1 => Just(vec![Choose(2)]),
        2 => Just(vec![Yield]),
        1 => Just(vec![Barrier]),
        1 => (0..2usize).prop_map(|x| vec![Expect(x)]),
    ]
}

/// Two to four tasks, created by main or by each other, joined or not.
pub fn programs() -> impl Strategy<Value = Programs> {
    let bodies = prop::collection::vec(prop::collection::vec(ops(), 0..3), 2..5);
    let places = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 4);
    (bodies, places, any::<bool>()).prop_map(|(bodies, places, joins)| {
        let mut programs: Programs = bodies.into_iter().map(|ops| ops.concat()).collect();
        let mut of_main = 0;
        for child in (1..programs.len()).rev() {
            let parent = places[child].0.index(child);
            let place = places[child].1.index(programs[parent].len() + 1);
            programs[parent].insert(place, Spawn(child));
            of_main += (parent == 0) as usize;
        }
        if joins {
            programs[0].extend((0..of_main).map(Join));
        }
        programs
    })
}
