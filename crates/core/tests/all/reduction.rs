//! The optimal reduction explores each Mazurkiewicz trace exactly once: depth-first search, grouped by the same
//! relation, says which traces there are.

use crate::common::cases::config;
use crate::common::classes::{Redundant, Seen, counting};
use crate::common::machine::{Do, Do::*, Hints, Machine, Outcome, Programs};
use crate::common::{Op, Toy, all, limited, program};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use raddle_core::search::{Findings, NoListener, search};
use raddle_core::strategy::{Dfs, OptimalDpor};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What an exploration found: its traces, with all that had happened where executions were cut short as `whole`.
struct Explored {
    found: Findings<Outcome>,
    seen: Seen,
    whole: Seen,
    redundant: Redundant,
}

/// Explores the programs on a machine that gives these hints.
fn explore(
    programs: &Programs,
    hints: Hints,
    workers: usize,
    most: u64,
    strategy: impl raddle_core::strategy::Strategy + 'static,
) -> Explored {
    let (strategy, counts) = counting(strategy);
    let plan = limited(most, all(workers));
    let make = || Machine::with_hints(programs, hints);
    let found = search(&plan, Box::new(strategy), make, std::sync::Arc::new(NoListener));
    let [seen, whole] = [counts.classes, counts.whole].map(|seen| std::mem::take(&mut *seen.lock().unwrap()));
    Explored { found, seen, whole, redundant: counts.redundant }
}

/// The same by the reduction, with exact hints, on one worker.
fn reduce(programs: &Programs) -> Explored {
    explore(programs, Hints::Exact, 1, 1_000_000, OptimalDpor::new())
}

/// Redundant executions, of all programs that were compared.
#[derive(Clone, Copy, Debug, Default)]
struct Holes {
    programs: u64,
    executions: u64,
    /// Executions that were abandoned, since an enabled operation belonged to another branch.
    forbidden: u64,
    /// Executions in which only tasks of the sleep set were enabled at the end.
    sleep_set_blocked: u64,
    /// Executions that a panic cut short after the same steps that happen before it as in another one.
    repeats: u64,
}

/// Which of them are accepted: one in so many executions.
#[derive(Clone, Copy)]
struct Accepted {
    forbidden: u64,
    beside_panics: u64,
}

/// One execution in 6,500 is begun in vain, and 3 % more executions beside panics.
const ACCEPTED: Accepted = Accepted { forbidden: 6_500, beside_panics: 33 };
/// 8 % more executions where all tasks panic.
const ACCEPTED_OF_PANICS: Accepted = Accepted { beside_panics: 12, ..ACCEPTED };
/// An operation that conflicts with everything in some states only: which winner it belongs to is known late.
const ACCEPTED_OF_FRET: Accepted = Accepted { forbidden: 64, ..ACCEPTED };

impl Holes {
    fn add(&mut self, reduced: &Explored) {
        let cut = reduced.seen.iter().filter(|((cut, _), _)| *cut);
        self.programs += 1;
        self.executions += reduced.found.executions;
        self.forbidden += reduced.redundant.forbidden();
        self.sleep_set_blocked += reduced.redundant.sleep_set_blocked();
        self.repeats += cut.map(|(_, times)| times - 1).sum::<u64>();
    }
    /// A few programs have a few of them.
    fn check(&self, accepted: Accepted) {
        println!("{self:?}");
        let few = |count: u64, one_in: u64| count <= 2 + self.executions / one_in;
        assert!(few(self.forbidden, accepted.forbidden), "{self:?}");
        assert!(few(self.sleep_set_blocked + self.repeats, accepted.beside_panics), "{self:?}");
    }
}

/// Compares the reduction with depth-first search, with and without hints, on one worker and on two. Returns the number
/// of traces; none if depth-first search takes too long.
fn compare(programs: &Programs, holes: &mut Holes) -> Result<Option<u64>, String> {
    const MOST: u64 = 4_000;
    let slow = explore(programs, Hints::None, 1, MOST, Dfs::new());
    if slow.found.executions == MOST {
        return Ok(None);
    }
    for (hints, workers) in [(Hints::None, 1), (Hints::None, 2), (Hints::Exact, 1), (Hints::Exact, 2)] {
        let most = 3 * slow.found.executions + 100;
        let reduced = explore(programs, hints, workers, most, OptimalDpor::new());
        check(programs, hints, &slow, &reduced)
            .map_err(|why| format!("{hints:?}, {workers} workers: {why}\n{programs:?}"))?;
        if (hints, workers) == (Hints::Exact, 1) {
            holes.add(&reduced);
        }
    }
    Ok(Some(slow.seen.len() as u64))
}

/// Compares what the reduction found with what depth-first search did.
fn check(programs: &Programs, hints: Hints, slow: &Explored, reduced: &Explored) -> Result<(), String> {
    let Explored { found, seen, whole, redundant } = reduced;
    let missed = slow.seen.keys().filter(|class| !seen.contains_key(class)).count();
    let wrong = seen.keys().filter(|class| !slow.seen.contains_key(class)).count();
    let twice = seen.iter().filter(|((cut, _), times)| !cut && **times > 1).count();
    // If a step ends the execution for all tasks, executions may differ in their other steps, and do.
    let cut_twice = whole.values().filter(|times| **times > 1).count();
    let counts = format!(
        "{} classes, {missed} missed, {wrong} wrong, {twice} twice, {cut_twice} cut twice; {} executions, {redundant:?}, \
         {} undecided; {:?}; {:?}",
        slow.seen.len(),
        found.executions,
        found.undecided,
        found.coverage,
        found.failure.as_ref().map(|f| &f.defect.message),
    );
    let all_there = missed == 0
        && found.outcomes.keys().eq(slow.found.outcomes.keys())
        && found.failures_by_kind.keys().eq(slow.found.failures_by_kind.keys());
    let once = wrong == 0
        && twice == 0
        && cut_twice == 0
        && whole.keys().all(|class| slow.whole.contains_key(class));
    // Only steps that end the execution sleep.
    let (forbidden, asleep) = (redundant.forbidden(), redundant.sleep_set_blocked());
    let may_sleep = asleep == 0 || whole.values().sum::<u64>() > 0;
    // See [`a_reader_who_cannot_go_on_without_another`]. Without hints, jointly blocked operations are not taken last.
    let may_be_in_vain = written_locks(programs) > 1 || has_varying(programs) || hints == Hints::None;
    let few = found.abandoned == forbidden + asleep && found.abandoned <= found.executions;
    let is_accepted = may_sleep && few && (forbidden == 0 || may_be_in_vain);
    match all_there && once && is_accepted && found.coverage.is_exhaustive() {
        true => Ok(()),
        false => Err(counts),
    }
}

/// Compares so many random programs.
fn oracle(cases: u32, programs: impl Strategy<Value = Programs>, accepted: Accepted) {
    let holes = RefCell::new(Holes::default());
    let compared = TestRunner::new(config(cases, 7)).run(&programs, |programs| {
        let compared = compare(&programs, &mut holes.borrow_mut());
        prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        Ok(())
    });
    if let Err(why) = compared {
        panic!("{why}");
    }
    holes.borrow().check(accepted);
}

/// Whether there are operations whose accesses depend on more than their own object.
fn has_varying(programs: &Programs) -> bool {
    programs.iter().flatten().any(|op| matches!(op, Fret(_) | Guard(..)))
}

/// How many read-write locks are written.
fn written_locks(programs: &Programs) -> usize {
    let locks = programs.iter().flatten().filter_map(|op| match op {
        Write(lock) | WriteUnread(lock) | TryWrite(lock) => Some(*lock),
        _ => None,
    });
    locks.collect::<BTreeSet<_>>().len()
}

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
    assert_eq!(count(&[main, &[Lock(0), Unlock(0)], &[Calm]]), 4);
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
        1 => one(Calm),
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
