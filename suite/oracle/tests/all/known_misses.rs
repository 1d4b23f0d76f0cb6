//! What raddle is known to get wrong: small programs, what is right, and what is found today.
//!
//! A row fails as soon as its program is explored rightly: then it moves to the tests of what it is about, and the shape
//! that `random.rs` leaves out because of it comes back in. A row fails, too, when the wrong answer becomes another one.

use oracle::compare::{Compared, compare};
use oracle::program::{Program, Stmt};
use raddle::sync::atomic::{AtomicI64, Ordering::SeqCst};
use raddle::sync::{Condvar, Mutex};
use raddle::thread;
use raddle::time::Instant;
use raddle::{Checker, Time};
use std::ops::RangeInclusive;
use std::sync::{Arc, Weak};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

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

/// Says which task drops the last reference.
fn who_drops_last() -> i64 {
    struct Last(thread::ThreadId, Arc<AtomicI64>);
    impl Drop for Last {
        fn drop(&mut self) {
            self.1.store(1 + (thread::current().id() == self.0) as i64, SeqCst);
        }
    }
    let seen = Arc::new(AtomicI64::new(0));
    let one = Arc::new(Last(thread::current().id(), seen.clone()));
    let other = one.clone();
    let child = thread::spawn(move || drop(other));
    drop(one);
    child.join().unwrap();
    seen.load(SeqCst)
}

fn upgrade() -> i64 {
    let one = Arc::new(());
    let weak: Weak<()> = Arc::downgrade(&one);
    let child = thread::spawn(move || drop(one));
    let alive = weak.upgrade().is_some() as i64;
    child.join().unwrap();
    alive
}

fn spurious_park() -> i64 {
    let x = Arc::new(AtomicI64::new(0));
    let (y, main) = (x.clone(), thread::current());
    let child = thread::spawn(move || {
        thread::sleep(MS);
        y.store(1, SeqCst);
        thread::sleep(MS);
        y.store(2, SeqCst);
        main.unpark();
    });
    thread::park();
    let seen = x.load(SeqCst);
    child.join().unwrap();
    seen
}

fn spurious_wait() -> i64 {
    let x = Arc::new((Mutex::new(0), Condvar::new()));
    let y = x.clone();
    let guard = x.0.lock().unwrap();
    let child = thread::spawn(move || {
        thread::sleep(MS);
        *y.0.lock().unwrap() = 1;
        thread::sleep(MS);
        *y.0.lock().unwrap() = 2;
        y.1.notify_one();
    });
    let seen = *x.1.wait(guard).unwrap();
    child.join().unwrap();
    seen
}

fn elapsed() -> i64 {
    let begin = Instant::now();
    (begin.elapsed() > Duration::ZERO) as i64
}

const ROWS: &[Row] = &[
    Row {
        what: "who drops the last Arc is not explored, and the line does not say so",
        issue: "18 A3",
        checker: Checker::exhaustive,
        program: who_drops_last,
        right: 1..=2,
        found: (&[1..=1], Exhaustive),
    },
    Row {
        what: "Weak::upgrade never fails, and the line does not say so",
        issue: "18 A3",
        checker: Checker::exhaustive,
        program: upgrade,
        right: 0..=1,
        found: (&[1..=1], Exhaustive),
    },
    Row {
        what: "a park does not wake up spuriously after a timer under Time::Idle",
        issue: "18 A4",
        checker: || Checker::exhaustive().spurious(1),
        program: spurious_park,
        right: 0..=2,
        found: (&[0..=0, 2..=2], Exhaustive),
    },
    Row {
        what: "a Condvar does not wake up spuriously after a timer under Time::Idle",
        issue: "18 A4",
        checker: || Checker::exhaustive().spurious(1),
        program: spurious_wait,
        right: 0..=2,
        found: (&[0..=0, 2..=2], Exhaustive),
    },
    Row {
        what: "elapsed does not grow under Time::Any without a timer",
        issue: "18 A4",
        checker: || Checker::exhaustive().time(Time::Any),
        program: elapsed,
        right: 0..=1,
        found: (&[0..=0], Exhaustive),
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
    let sleeper = vec![Stmt::Sleep(1), Stmt::Store(0, 1), Stmt::Sleep(1), Stmt::Store(0, 2)];
    let parks = Program {
        tasks: vec![vec![Stmt::Park, Stmt::Load(0)], [sleeper.clone(), vec![Stmt::Unpark(0)]].concat()],
        time: oracle::program::Time::Idle,
        spurious: 1,
    };
    let waits = Program {
        tasks: vec![vec![Stmt::Lock(0, vec![Stmt::WaitTimeout(0, 3)]), Stmt::Load(0)], sleeper],
        time: oracle::program::Time::Idle,
        spurious: 1,
    };
    for (program, missed) in [(parks, 1), (waits, 2)] {
        let Compared::Differs(difference) = compare(&program, 0) else {
            panic!("{program:?} does not differ")
        };
        assert!(difference.found.is_subset(&difference.right), "{difference:?}");
        assert_eq!(difference.right.passed.len() - difference.found.passed.len(), missed, "{difference:?}");
    }
}
