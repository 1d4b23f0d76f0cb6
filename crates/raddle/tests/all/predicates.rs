//! Predicates of a report over all executions together.

use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, thread};

/// Two locks in two orders, and a result that depends on their order.
fn two_locks() -> u32 {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let theirs = locks.clone();
    let other = thread::spawn(move || {
        let mut second = theirs.1.lock().unwrap();
        let first = theirs.0.lock().unwrap();
        *second = *first + 1;
    });
    let mut first = locks.0.lock().unwrap();
    let second = locks.1.lock().unwrap();
    *first = *second + 10;
    drop((first, second));
    other.join().unwrap();
    let (first, second) = (*locks.0.lock().unwrap(), *locks.1.lock().unwrap());
    first * 100 + second
}

#[test]
fn a_program_that_may_deadlock() {
    let report = Checker::dfs().autocheck(two_locks);
    let deadlocks = report.never_deadlocks();
    assert!(!deadlocks.holds);
    assert!(deadlocks.because[0].starts_with("deadlock "), "{deadlocks}");
    assert!(report.never_panics().holds);
    assert!(!report.never_fails().holds);
    assert!(!report.always_the_same_result().holds);
    assert!(!report.gives_exactly([1_011, 1_101]).holds, "it may also fail");
    // The first task sees 0: 10 and 11, or 11 and 1.
    assert!(report.outcomes().keys().eq(&[1_011, 1_101]), "{:?}", report.outcomes());
    let words = report.findings().to_string();
    let lines: Vec<&str> = words.lines().collect();
    assert_eq!(lines[0], "[fail] never deadlocks");
    assert!(lines[1].contains("main and main.1 wait for ever (first in execution "), "{words}");
    assert_eq!(lines[2], "[pass] never panics");
    assert_eq!(lines[3], "[fail] always the same result");
    assert!(lines.last().unwrap().contains("exhaustive"), "{words}");
}

#[test]
fn exactly_these_or_some_of_these() {
    let report = Checker::dfs().run(|| raddle::choose(3));
    assert!(report.gives_exactly([0, 1, 2]).holds);
    let more = report.gives_exactly([0, 1, 2, 3]);
    assert_eq!((more.holds, more.because), (false, vec!["3 never came".to_owned()]));
    let fewer = report.gives_exactly([0, 1]);
    assert_eq!((fewer.holds, fewer.because), (false, vec!["2 came once".to_owned()]));
    assert!(report.gives_some_of([0, 1, 2, 3]).holds);
    assert!(!report.gives_some_of([0, 1]).holds);
    assert!(Checker::dfs().run(|| 7).always_the_same_result().holds);
}

#[test]
fn what_was_not_explored_is_not_known() {
    let stopped = Checker::dfs().run(|| assert!(raddle::choose(3) != 1, "one"));
    assert_eq!(stopped.failure().unwrap().kind(), FailureKind::Panic);
    assert!(!stopped.never_panics().holds);
    let deadlocks = stopped.never_deadlocks();
    assert!(!deadlocks.holds);
    assert_eq!(deadlocks.because, ["not known: stopped at the first failure"]);
    let capped = Checker::dfs().max_executions(2).run(|| raddle::choose(3));
    assert!(!capped.gives_some_of([0, 1, 2]).holds);
    let sampled = Checker::random(50).run(|| raddle::choose(3));
    assert!(sampled.gives_some_of([0, 1, 2]).holds, "a sample is what was asked for");
}

#[test]
fn failures_are_counted_by_kind_and_each_has_its_first() {
    for workers in [1, 2] {
        let report = Checker::dfs().keep_going().workers(workers).run(|| match raddle::choose(5) {
            0 | 1 => 0,
            2 | 3 => panic!("a panic"),
            _ => {
                let lock = Mutex::new(0);
                let _held = lock.lock().unwrap();
                *lock.lock().unwrap()
            }
        });
        let kinds: Vec<_> = report.failures_by_kind().iter().map(|(kind, times)| (*kind, *times)).collect();
        assert_eq!(kinds, [(FailureKind::Panic, 2), (FailureKind::Deadlock, 1)]);
        assert_eq!(report.failures(), 3);
        for kind in [FailureKind::Panic, FailureKind::Deadlock] {
            let failure = report.failure_of(kind).expect("it was seen");
            assert_eq!(failure.kind(), kind);
            let again = Checker::replay(failure.ticket().to_string()).run(|| match raddle::choose(5) {
                0 | 1 => 0,
                2 | 3 => panic!("a panic"),
                _ => {
                    let lock = Mutex::new(0);
                    let _held = lock.lock().unwrap();
                    *lock.lock().unwrap()
                }
            });
            assert_eq!(again.failure().map(|f| f.kind()), Some(kind));
        }
        assert!(report.failure_of(FailureKind::Leak).is_none());
    }
}

#[test]
#[should_panic(expected = "[fail] always the same result")]
fn a_finding_can_be_asserted() {
    Checker::dfs().run(raddle::any_bool).always_the_same_result().assert();
}
