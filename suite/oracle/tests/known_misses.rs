//! What raddle is known to get wrong: small programs, what is right, and what is found today.
//!
//! A row fails as soon as its program is explored rightly: then it moves to the tests of what it is about, and the shape
//! that `random.rs` leaves out because of it comes back in. A row fails, too, when the wrong answer becomes another one.

use oracle::compare::{Compared, compare};
use oracle::program::{Hint, Program, Stmt};
use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};
use raddle::sync::mpsc::sync_channel;
use raddle::thread;
use raddle::time::Instant;
use raddle::{Checker, Time, hint};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// Whether a search came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Search {
    /// And says that it is exhaustive.
    Exhaustive,
    /// Its limit of executions stopped it.
    Stopped,
}
use Search::{Exhaustive, Stopped};

struct Row {
    /// What is wrong.
    what: &'static str,
    /// Where it is described.
    issue: &'static str,
    checker: fn() -> Checker,
    program: fn() -> i64,
    /// All outcomes that there are. A search that is right finds them and ends.
    right: RangeInclusive<i64>,
    /// What is found instead.
    found: (&'static [RangeInclusive<i64>], Search),
}

/// What a search finds. None of the programs fails.
fn explore(row: &Row) -> (Vec<i64>, Search) {
    let report = (row.checker)().run(row.program);
    assert!(report.failure().is_none(), "{}: {report}", row.what);
    let search = if report.coverage().is_exhaustive() { Exhaustive } else { Stopped };
    (report.outcomes().keys().copied().collect(), search)
}

fn counting_loop(rounds: i64, hint: Option<fn()>) -> i64 {
    let x = Arc::new(AtomicBool::new(false));
    let y = x.clone();
    let child = thread::spawn(move || y.store(true, SeqCst));
    let mut seen = rounds;
    for i in 0..rounds {
        if x.load(SeqCst) {
            seen = i;
            break;
        }
        if let Some(hint) = hint {
            hint();
        }
    }
    child.join().unwrap();
    seen
}

/// A function that looks three times is called twice.
fn two_loops_in_a_row() -> i64 {
    fn look(x: &AtomicBool) -> i64 {
        for i in 0..3 {
            if x.load(SeqCst) {
                return i;
            }
            hint::spin_loop();
        }
        3
    }
    let x = Arc::new(AtomicBool::new(false));
    let y = x.clone();
    let child = thread::spawn(move || y.store(true, SeqCst));
    let seen = match look(&x) {
        3 => 3 + look(&x),
        seen => seen,
    };
    child.join().unwrap();
    seen
}

/// A task looks five times, and main asks whether it is finished: 6 if it was, plus the round that the task saw.
fn counting_loop_beside_is_finished() -> i64 {
    let x = Arc::new(AtomicBool::new(false));
    let (y, z) = (x.clone(), x.clone());
    let looks = thread::spawn(move || {
        for i in 0..5 {
            if y.load(SeqCst) {
                return i;
            }
            thread::yield_now();
        }
        5
    });
    let stores = thread::spawn(move || z.store(true, SeqCst));
    let finished = looks.is_finished();
    let seen = looks.join().unwrap();
    stores.join().unwrap();
    if finished { 6 + seen } else { seen }
}

fn swap_lock() -> i64 {
    let l = Arc::new((AtomicBool::new(false), AtomicI64::new(0)));
    let k = l.clone();
    let add = |l: &(AtomicBool, AtomicI64)| {
        while l.0.swap(true, SeqCst) {
            hint::spin_loop();
        }
        l.1.store(l.1.load(SeqCst) + 1, SeqCst);
        l.0.store(false, SeqCst);
    };
    let child = thread::spawn(move || add(&k));
    add(&l);
    child.join().unwrap();
    l.1.load(SeqCst)
}

/// Waits for the end of a task by asking for it.
fn poll_finished() -> i64 {
    let x = Arc::new(AtomicI64::new(0));
    let y = x.clone();
    let child = thread::spawn(move || y.store(1, SeqCst));
    while !child.is_finished() {
        thread::yield_now();
    }
    child.join().unwrap();
    x.load(SeqCst)
}

fn poll_lock() -> i64 {
    let m = Arc::new(Mutex::new(0));
    let k = m.clone();
    let child = thread::spawn(move || *k.lock().unwrap() = 1);
    let got = loop {
        if let Ok(value) = m.try_lock()
            && *value != 0
        {
            break *value;
        }
        thread::yield_now();
    };
    child.join().unwrap();
    got
}

/// Hands a message over to a receive with a time limit, and reads the clock twice: 0 if it stands still, 1 if it moved
/// by itself, 2 if the time was up, 3 if it moved by the timer of the receive, which is over.
fn handed_over() -> i64 {
    let (sender, receiver) = sync_channel(0);
    let child = thread::spawn(move || receiver.recv_timeout(Duration::from_millis(3)).is_ok());
    let sent = sender.send(()).is_ok();
    let begin = Instant::now();
    let elapsed = begin.elapsed();
    match child.join().unwrap() && sent {
        false => 2,
        true if elapsed.is_zero() => 0,
        true => 1 + 2 * (elapsed < Duration::from_secs(1)) as i64,
    }
}

const ROWS: &[Row] = &[
    Row {
        what: "the timer of a receive that was handed a message may still move the clock",
        issue: "found by the oracle",
        checker: || Checker::exhaustive().time(Time::Any),
        program: handed_over,
        right: 0..=2,
        found: (&[0..=3], Exhaustive),
    },
    Row {
        what: "a counting loop misses the rounds from 5 on",
        issue: "18 A1",
        checker: Checker::exhaustive,
        program: || counting_loop(12, Some(hint::spin_loop)),
        right: 0..=12,
        found: (&[0..=4, 12..=12], Exhaustive),
    },
    Row {
        what: "a counting loop misses the rounds from 5 on, by depth-first search",
        issue: "18 A1",
        checker: Checker::dfs,
        program: || counting_loop(12, Some(hint::spin_loop)),
        right: 0..=12,
        found: (&[0..=4, 12..=12], Exhaustive),
    },
    Row {
        what: "a counting loop with yield_now misses the rounds from 5 on",
        issue: "18 A1",
        checker: Checker::exhaustive,
        program: || counting_loop(12, Some(thread::yield_now)),
        right: 0..=12,
        found: (&[0..=4, 12..=12], Exhaustive),
    },
    Row {
        what: "a counting loop without a hint misses the rounds from 27 on",
        issue: "18 A1",
        checker: Checker::exhaustive,
        program: || counting_loop(40, None),
        right: 0..=40,
        found: (&[0..=26, 40..=40], Exhaustive),
    },
    Row {
        what: "a long counting loop loses that it gave up",
        issue: "18 A1",
        checker: Checker::exhaustive,
        program: || counting_loop(150, Some(hint::spin_loop)),
        right: 0..=150,
        found: (&[0..=4, 133..=133], Exhaustive),
    },
    Row {
        what: "two counting loops in a row by the same function count as one: round 5 of both is missed",
        issue: "18 A1, found by the oracle",
        checker: Checker::exhaustive,
        program: two_loops_in_a_row,
        right: 0..=6,
        found: (&[0..=4, 6..=6], Exhaustive),
    },
    Row {
        what: "a counting loop misses round 4 where main asks whether the task is finished",
        issue: "18 A1, found by the oracle",
        checker: Checker::exhaustive,
        program: counting_loop_beside_is_finished,
        right: 0..=11,
        found: (&[0..=9, 11..=11], Exhaustive),
    },
    Row {
        what: "a spin lock that swaps never ends",
        issue: "18 A1",
        checker: || Checker::exhaustive().max_executions(300),
        program: swap_lock,
        right: 2..=2,
        found: (&[2..=2], Stopped),
    },
    Row {
        what: "a spin lock that swaps never ends, by depth-first search",
        issue: "18 A1",
        checker: || Checker::dfs().max_executions(300),
        program: swap_lock,
        right: 2..=2,
        found: (&[2..=2], Stopped),
    },
    Row {
        what: "a loop until is_finished never ends",
        issue: "18 A1",
        checker: || Checker::exhaustive().max_executions(300),
        program: poll_finished,
        right: 1..=1,
        found: (&[1..=1], Stopped),
    },
    Row {
        what: "a loop that polls under try_lock never ends",
        issue: "18 A1",
        checker: || Checker::exhaustive().max_executions(300),
        program: poll_lock,
        right: 1..=1,
        found: (&[1..=1], Stopped),
    },
];

#[test]
fn what_is_known_to_be_wrong_is_as_wrong_as_it_was() {
    for row in ROWS {
        let (found, search) = explore(row);
        let right: Vec<i64> = row.right.clone().collect();
        assert!(
            (&found, search) != (&right, Exhaustive),
            "issue {}: \"{}\" is explored rightly now: move it to the tests of what it is about, and let the \
             generator of the oracle draw such programs",
            row.issue,
            row.what
        );
        let before: Vec<i64> = row.found.0.iter().cloned().flatten().collect();
        assert_eq!(
            (found, search),
            (before, row.found.1),
            "issue {}: \"{}\" is wrong in another way",
            row.issue,
            row.what
        );
    }
}

/// The oracle finds those of the rows that its language can say: it is not blind to what its generator leaves out.
#[test]
fn the_oracle_notices_what_its_generator_leaves_out() {
    let loops = Program {
        tasks: vec![vec![Stmt::Spin(0, 8, Hint::Spin)], vec![Stmt::Store(0, 1)]],
        time: oracle::program::Time::Idle,
        spurious: 0,
    };
    let Compared::Differs(difference) = compare(&loops, 0) else { panic!("{loops:?} does not differ") };
    assert!(difference.found.is_subset(&difference.right), "{difference:?}");
    assert_eq!(difference.right.passed.len() - difference.found.passed.len(), 3, "{difference:?}");
}
