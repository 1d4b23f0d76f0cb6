//! What a line can say after "exhaustive": each assumption is taken in the open, and no other is. The guide explains each.

use raddle::cell::UnsafeCell;
use raddle::fact::{Assumption, Bound};
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use raddle::time::Instant;
use raddle::{Checker, Spins, Time, hint, thread};

#[test]
fn the_guide_explains_every_word_of_a_line() {
    let guide = include_str!("../../guide/what_is_explored.md");
    let rows: Vec<&str> = guide.lines().filter(|line| line.starts_with("| `")).collect();
    for assumption in raddle_core::examples::assumptions() {
        let words = format!("`{}`", raddle_report::assumption(&assumption));
        let explained = rows.iter().filter(|row| row.contains(&words)).count();
        assert_eq!(explained, 1, "the guide has no row, or several, for {words}");
    }
}

/// Spins until a flag is set.
fn spins() {
    let flag = Arc::new(AtomicBool::new(false));
    let its = flag.clone();
    let other = thread::spawn(move || its.store(true, SeqCst));
    while !flag.load(SeqCst) {
        hint::spin_loop();
    }
    other.join().unwrap();
}

/// A detached task that goes on for long.
fn leaves_a_task_behind() {
    let flag = AtomicBool::new(false);
    thread::spawn(move || {
        for n in 0..1_500 {
            flag.store(n % 2 == 0, SeqCst);
        }
    });
}

/// A cell on the heap.
fn uses_a_cell() {
    let cell = Box::new(UnsafeCell::new(0));
    // SAFETY: no other task knows it.
    cell.with_mut(|value| unsafe { *value = 1 });
}

#[test]
fn an_assumption_is_taken_in_the_open_and_no_other_is() {
    use Assumption::*;
    let exhaustive = Checker::exhaustive;
    let any = || Checker::exhaustive().time(Time::Any);
    let within = || Checker::random(5).preemptions(2);
    type Case = (Checker, fn(), Vec<Assumption>);
    let cases: Vec<Case> = vec![
        (exhaustive(), || (), vec![]),
        (Checker::dfs(), || (), vec![]),
        (exhaustive().spurious(1), thread::yield_now, vec![SpuriousWakeUps(1)]),
        (any(), || (), vec![Timers(Time::Any)]),
        (any(), || _ = Instant::now(), vec![ClockMoves { times: 1, readings: 4 }, Timers(Time::Any)]),
        (exhaustive(), || _ = Instant::now(), vec![]),
        (exhaustive().spins(Spins::Await), spins, vec![SpinsAwait]),
        (exhaustive().max_executions(2), leaves_a_task_behind, vec![DetachedSteps(1_000)]),
        // Cells on the heap are judged where raddle's allocator is: `tests/without_allocator.rs` has the other case.
        (exhaustive(), uses_a_cell, vec![]),
        (within(), || (), vec![SampledWithin(Bound::Preemptions(2))]),
    ];
    for (number, (checker, program, taken)) in cases.into_iter().enumerate() {
        let report = checker.run(program);
        let mut expected = vec![PlainMemoryNotWatched, ReferenceCountsNotExplored, SequentiallyConsistent];
        if !taken.contains(&Timers(Time::Any)) {
            expected.push(Timers(Time::Idle));
        }
        expected.extend(taken);
        expected.sort();
        assert_eq!(report.coverage().assumptions, expected, "case {number}: {report}");
    }
    // How loops are held back is a matter of its own: that they were is said.
    let report = exhaustive().run(spins);
    assert!(matches!(report.coverage().assumptions[..], [FairSpins(_), ..]), "{report}");
}
