//! What raddle is known to get wrong: small programs, what is right, and what is found today.
//!
//! A row fails as soon as its program is explored rightly: then it moves to the tests of what it is about, and the shape
//! that `random.rs` leaves out because of it comes back in. A row fails, too, when the wrong answer becomes another one.

use raddle::sync::mpsc::sync_channel;
use raddle::thread;
use raddle::time::Instant;
use raddle::{Checker, Time};
use std::ops::RangeInclusive;
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

const ROWS: &[Row] = &[Row {
    what: "the timer of a receive that was handed a message may still move the clock",
    issue: "found by the oracle",
    checker: || Checker::exhaustive().time(Time::Any),
    program: handed_over,
    right: 0..=2,
    found: (&[0..=3], Exhaustive),
}];

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
