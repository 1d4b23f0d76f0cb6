//! The optimal reduction explores each Mazurkiewicz trace exactly once: depth-first search, grouped by the same
//! relation, says which traces there are.

mod oracle;
mod random;

use crate::common::machine::{Do, Do::*, Programs};
use crate::common::{Op, Toy, all, program};
use oracle::{Explored, Holes, compare, reduce};
use raddle_core::search::{NoListener, search};
use raddle_core::strategy::{Dfs, OptimalDpor};

fn count(programs: &[&[Do]]) -> u64 {
    let programs: Programs = programs.iter().map(|p| p.to_vec()).collect();
    compare(&programs, &mut Holes::default()).unwrap().expect("a small program")
}

#[test]
fn classes_of_small_programs() {
    let twice = |ops: &[Do]| count(&[&[Spawn(1), Spawn(1), Join(0), Join(1)], ops]);
    let thrice = |ops: &[Do]| count(&[&[Spawn(1), Spawn(1), Spawn(1), Join(0), Join(1), Join(2)], ops]);
    assert_eq!(twice(&[Load(0)]), 1);
    assert_eq!(twice(&[Add(0)]), 2);
    assert_eq!(thrice(&[Add(0)]), 6);
    assert_eq!(twice(&[Load(0), Store(0, 1)]), 4);
    assert_eq!(twice(&[Lock(0), Unlock(0)]), 2);
    assert_eq!(twice(&[Lock(0), Unlock(0), Lock(0), Unlock(0)]), 6);
    assert_eq!(thrice(&[Lock(0), Unlock(0)]), 6);
    // There is no unlock: the second task is blocked for ever.
    assert_eq!(twice(&[Lock(0)]), 2);
    assert_eq!(twice(&[Choose(3)]), 9);
    assert_eq!(
        count(&[&[Spawn(1), Spawn(2), Spawn(2), Join(0), Join(1), Join(2)], &[Store(0, 1)], &[Load(0)]]),
        4
    );
    let reader: &[Do] = &[Read(0), ReadUnlock(0)];
    let writer: &[Do] = &[Write(0), WriteUnlock(0)];
    assert_eq!(count(&[&[Spawn(1), Spawn(2), Spawn(2), Join(0), Join(1), Join(2)], writer, reader]), 4);
    assert_eq!(count(&[&[Spawn(2), Spawn(1), Spawn(2), Join(0), Join(1), Join(2)], writer, reader]), 4);
}

/// A writer that is blocked by readers that never release: either it comes before all of them or never.
#[test]
fn many_who_keep_one_out() {
    for readers in [2, 8, 40] {
        let mut programs: Programs = vec![Vec::new(), vec![Write(0), WriteUnlock(0)], vec![Read(0)]];
        programs[0].push(Spawn(1));
        programs[0].extend((0..readers).map(|_| Spawn(2)));
        programs[0].extend((0..=readers).map(Join));
        let found = reduce(&programs).found;
        assert_eq!((found.abandoned, found.coverage.is_exhaustive()), (0, true));
        assert_eq!(found.executions, 2);
    }
}

/// Two tasks race, and a third one panics unless a fourth keeps it from that. The panic comes once for each order of the
/// first two, though it has nothing to do with them: the second time is how "the other order, and no panic" is found.
#[test]
fn a_panic_may_come_more_than_once() {
    let main: &[Do] =
        &[Store(0, 1), Spawn(1), Spawn(1), Spawn(2), Spawn(3), Join(0), Join(1), Join(2), Join(3)];
    let programs: Programs = [main, &[Add(1)], &[Expect(0)], &[Store(0, 0)]].map(<[Do]>::to_vec).into();
    let mut holes = Holes::default();
    assert_eq!(compare(&programs, &mut holes), Ok(Some(3)), "two that pass, and the panic");
    assert_eq!((holes.sleep_set_blocked, holes.repeats), (0, 1));
    let Explored { found, seen, .. } = reduce(&programs);
    assert_eq!((found.executions, found.failures), (4, 2));
    let times: Vec<(bool, u64)> = seen.iter().map(|((cut, _), times)| (*cut, *times)).collect();
    assert_eq!(times, [(false, 1), (false, 1), (true, 2)]);
}

/// A step that has ended the execution does so again until a step conflicts with it: meanwhile it counts as blocked,
/// and other tasks continue. Once explored twice: "the second store, and steps that conflict with neither".
#[test]
fn a_panic_that_waits() {
    let executions = |programs: &[&[Do]]| {
        let programs: Programs = programs.iter().map(|p| p.to_vec()).collect();
        let classes = compare(&programs, &mut Holes::default()).unwrap().expect("a small program");
        let Explored { found, redundant, .. } = reduce(&programs);
        (found.executions, redundant.sleep_set_blocked(), classes)
    };
    let two: &[Do] = &[Spawn(1), Spawn(2), Join(0), Join(1)];
    let expects: &[Do] = &[Spawn(3), Expect(0)];
    let gambles: &[Do] = &[Spawn(1), Spawn(2), Gamble(0, 1)];
    let counts = [
        executions(&[two, expects, &[Store(0, 1), Store(0, 0)], &[Store(1, 0)]]),
        // Of two options one panics.
        executions(&[&[Spawn(1), Gamble(0, 1)], &[Store(0, 0)]]),
        executions(&[&[Spawn(1), Gamble(1, 1)], &[Store(0, 0)]]),
        executions(&[gambles, &[Load(0)], &[Write(0), Load(1), WriteUnlock(0)]]),
        // Two that do so one after the other: where the first takes its other option, the second may.
        executions(&[&[Spawn(1), Spawn(2), Gamble(0, 0)], &[Gamble(0, 1)], &[Die(0)]]),
    ];
    // In the second one the panic sleeps to the end.
    assert_eq!(counts, [(5, 0, 5), (3, 1, 3), (3, 0, 3), (14, 0, 14), (11, 0, 9)]);
}

/// An operation that conflicts with everything and is blocked by some of it only. The other steps may come before it or
/// not, though it was blocked where that was seen: these executions were once missed.
#[test]
fn an_operation_that_looks_at_more_than_it_waits_for() {
    let main: &[Do] = &[Spawn(1), Spawn(2), Store(0, 1), Join(0), Join(1)];
    // Before the store: before, within or behind the critical section. Or never.
    assert_eq!(count(&[main, &[Lock(0), Unlock(0)], &[WhenAllZero]]), 4);
}

/// A world that does not know its past cannot say that a lock was held when it would have to be taken earlier. The
/// reduction does not guess: it says that it could not decide, and the search does not call itself exhaustive.
#[test]
fn what_cannot_be_decided_is_told() {
    let program = program([
        &[Op::Lock(0), Op::Write(0, 1), Op::Unlock(0)],
        &[Op::Read(1), Op::Lock(0), Op::Read(0), Op::Unlock(0)],
    ]);
    let explore = |strategy: Box<dyn raddle_core::strategy::Strategy>| {
        search(&all(1), strategy, || Toy::new(&program), std::sync::Arc::new(NoListener))
    };
    let found = explore(Box::new(OptimalDpor::new()));
    assert!(found.undecided > 0 && found.abandoned >= found.undecided && found.through);
    assert!(!found.coverage.is_exhaustive());
    let words = raddle_report::coverage(&found.coverage);
    assert!(words.contains("the strategy could not decide"), "{words}");
    // The slow and obvious search can.
    let slow = explore(Box::new(Dfs::new()));
    assert_eq!((slow.undecided, slow.coverage.is_exhaustive()), (0, true));
    assert!(slow.outcomes.len() > 1);
}

/// What was once explored twice, or given up.
#[test]
fn readers_who_wait_for_more() {
    let receiver: &[Do] = &[Read(0), Recv(1), ReadUnlock(0)];
    let main: &[Do] = &[Spawn(2), Spawn(1), Spawn(2), Write(0), WriteUnlock(0), Join(0), Join(1), Join(2)];
    assert_eq!(count(&[main, &[Send(1, 1)], receiver]), 6);
    let main: &[Do] = &[Spawn(1), Spawn(2), Spawn(3), Write(0), WriteUnlock(0), Join(0), Join(1), Join(2)];
    let [writer, reader]: [&[Do]; 2] = [&[Write(0), WriteUnlock(0)], &[Read(0), ReadUnlock(0)]];
    assert_eq!(count(&[main, writer, reader, receiver]), 11);
}

/// Two readers of one lock, and a writer that may come before them. The first reader writes another lock while it
/// reads, and the second wants to read that, too: so it blocks the writer until the first has read. That is not known
/// before the second one has begun, so "the second reads before the writer, and the first does not" is tried and is
/// redundant: lemma 6 of `strategy/dpor/mod.rs`.
#[test]
fn a_reader_who_cannot_go_on_without_another() {
    let first: &[Do] = &[Write(0), Spawn(2), Read(1), ReadUnlock(1), WriteUnlock(0)];
    let second: &[Do] = &[Read(1), Read(0), ReadUnlock(0), ReadUnlock(1)];
    let writer: &[Do] = &[Spawn(1), Write(1), WriteUnlock(1), Join(0)];
    let counts = |programs: Programs| {
        let Explored { found, seen, .. } = reduce(&programs);
        assert!(found.coverage.is_exhaustive() && seen.values().all(|times| *times == 1));
        (found.executions, found.abandoned)
    };
    assert_eq!(count(&[writer, first, second]), 11);
    assert_eq!(counts([writer, first, second].map(<[Do]>::to_vec).into()), (11, 1));
    // The same twice, crosswise: whichever of the two writers is the first default, readers of its lock come later that
    // cannot continue without each other.
    let of = |own: usize, other: usize, child: usize| {
        vec![Write(own), Spawn(child), Read(other), ReadUnlock(other), WriteUnlock(own)]
    };
    let within = |own: usize, other: usize| vec![Read(other), Read(own), ReadUnlock(own), ReadUnlock(other)];
    let main = vec![Spawn(1), Spawn(2), Join(0), Join(1)];
    assert_eq!(counts(vec![main, of(0, 1, 3), of(1, 0, 4), within(0, 1), within(1, 0)]), (61, 1));
    // The other operations of the second reader, in all orders with those of another task.
    for (adds, executions, vain) in [(1, 35, 2), (2, 114, 6), (3, 391, 20)] {
        let first = vec![Write(0), Spawn(2), Spawn(3), Read(1), ReadUnlock(1), WriteUnlock(0)];
        let add = vec![Add(0); adds];
        let second = [vec![Read(1)], add.clone(), vec![Read(0), ReadUnlock(0), ReadUnlock(1)]].concat();
        assert_eq!(counts(vec![writer.to_vec(), first, second, add]), (executions, vain));
    }
    // With a mutex in the place of the other lock, writers go last, and all readers are there by then.
    let first: &[Do] = &[Lock(0), Spawn(2), Read(1), ReadUnlock(1), Unlock(0)];
    let second: &[Do] = &[Read(1), Lock(0), Unlock(0), ReadUnlock(1)];
    assert!(count(&[writer, first, second]) > 1);
}

/// Writers of several locks that are all enabled. These were once missed or explored twice.
#[test]
fn writers_of_several_locks() {
    let writer: &[Do] = &[Write(0), WriteUnlock(0)];
    assert_eq!(count(&[&[Spawn(1), Spawn(1), Spawn(1), Join(0), Join(1), Join(2)], writer]), 6);
    // The main task may end before others have begun.
    let main: &[Do] = &[Spawn(1), Spawn(2), Write(0), WriteUnlock(0)];
    assert_eq!(count(&[main, &[Spawn(3)], writer, &[Write(1), WriteUnlock(1)]]), 12);
    let main: &[Do] = &[Spawn(1), Spawn(3), Join(0), Join(1)];
    let both: &[Do] = &[Write(0), WriteUnlock(0), Write(1), WriteUnlock(1)];
    assert_eq!(count(&[main, &[Spawn(2), Spawn(4), Write(0)], &[Write(2), WriteUnlock(2)], &[], both]), 12);
    let main: &[Do] = &[Spawn(1), Spawn(3), Write(2), WriteUnlock(2)];
    let both: &[Do] = &[Spawn(2), Write(0), WriteUnlock(0), Write(2), WriteUnlock(2)];
    assert_eq!(count(&[main, both, writer, writer]), 82);
}

/// A writer ends the execution while writers of other locks are enabled. These were once missed or abandoned.
#[test]
fn writers_who_fail() {
    let fails: &[Do] = &[WriteUnread(1), WriteUnlock(1)];
    let main: &[Do] = &[Spawn(1), Spawn(3), Join(0), Join(1)];
    let both: &[Do] = &[Spawn(2), Write(0), Read(1), ReadUnlock(1), WriteUnlock(0), Write(0), WriteUnlock(0)];
    assert_eq!(count(&[main, both, fails, &[Write(0), WriteUnlock(0)]]), 8);
    let main: &[Do] = &[
        Spawn(1),
        Spawn(2),
        Spawn(3),
        Read(1),
        TryWrite(0),
        WriteUnlock(0),
        ReadUnlock(1),
        WriteUnread(2),
        WriteUnlock(2),
    ];
    let both: &[Do] = &[WriteUnread(2), WriteUnlock(2), Write(0), WriteUnlock(0)];
    assert_eq!(count(&[main, fails, &[], both]), 25);
    let main: &[Do] = &[Spawn(1), Spawn(2), Read(1), Write(0), WriteUnlock(0), ReadUnlock(1)];
    let both: &[Do] = &[Read(0), ReadUnlock(0), Write(0), WriteUnlock(0)];
    assert_eq!(count(&[main, both, &[WriteUnread(0), WriteUnlock(0)]]), 31);
}

/// Two programs of which the first optimal reduction missed traces silently.
#[test]
fn what_the_first_reduction_missed() {
    let three = vec![Spawn(1), Spawn(2), Spawn(3), Join(0), Join(1), Join(2)];
    // One of two options panics, between two loads.
    let gamble = vec![three.clone(), vec![Load(0)], vec![Gamble(0, 0)], vec![Load(0)]];
    // It reads x, and unless that is 0 also y, and waits for y.
    let guard = vec![three, vec![Store(0, 1), Guard(0, 1)], vec![Store(0, 0)], vec![Store(1, 1)]];
    for (programs, traces) in [(gamble, 8), (guard, 3)] {
        assert_eq!(compare(&programs, &mut Holes::default()), Ok(Some(traces)), "{programs:?}");
    }
}
