//! Parking: the token, both orders of park and unpark, lost ones, spurious returns, timeouts.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread::{self, Thread};
use raddle::{Checker, FailureKind, Report, Time};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

fn outcomes<T: Ord + Debug + Clone>(report: &Report<T>) -> Vec<(T, u64)> {
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
    report.outcomes().iter().map(|(outcome, times)| (outcome.clone(), *times)).collect()
}

/// Spawns a thread that parks in its own way, and unparks it after a store.
fn parks_and_is_unparked(park: fn()) -> usize {
    let x = Arc::new(AtomicUsize::new(0));
    let handle = thread::spawn({
        let x = x.clone();
        move || {
            park();
            x.load(SeqCst)
        }
    });
    x.store(1, SeqCst);
    handle.thread().unpark();
    handle.join().unwrap()
}

#[test]
fn a_parked_thread_goes_on_when_it_is_unparked() {
    // main: s u j; main.1: p l e. p waits for u: one order.
    let report = Checker::dfs().run(|| parks_and_is_unparked(thread::park));
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn unpark_before_and_after_the_thread_gets_to_park() {
    // main: s u j; main.1: l p e. l comes before s, between s and u, or after u; then p e j END.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || {
                let seen = x.load(SeqCst);
                thread::park();
                seen
            }
        });
        x.store(1, SeqCst);
        handle.thread().unpark();
        handle.join().unwrap()
    });
    assert_eq!(outcomes(&report), [(0, 1), (1, 2)]);
}

#[test]
fn a_token_waits_for_the_next_park() {
    let report = Checker::dfs().run(|| {
        thread::current().unpark();
        thread::park();
    });
    assert_eq!(outcomes(&report), [((), 1)]);
}

#[test]
fn there_is_only_one_token() {
    let report = Checker::dfs().run(|| {
        thread::current().unpark();
        thread::current().unpark();
        thread::park();
        thread::park();
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "nothing can move: main waits for ever");
    assert_eq!(raddle_report::fact(&failure.defect.facts[0]), "main waits to be unparked");
    let verbs: Vec<_> =
        failure.trace().steps().map(|l| (l.operation.as_str(), l.object.as_deref())).collect();
    assert_eq!(verbs, [("unpark", None), ("unpark", None), ("park", None)]);
}

#[test]
fn two_unparks_may_wake_only_once() {
    // main: u1 u2 j; main.1: p1 p2 e. After u1, either p1 u2 p2 e j, or u2 p1 and then a deadlock.
    let report = Checker::dfs().keep_going().run(|| {
        let handle = thread::spawn(|| {
            thread::park();
            thread::park();
        });
        handle.thread().unpark();
        handle.thread().unpark();
        handle.join().unwrap();
    });
    assert_eq!((report.executions(), report.failures()), (2, 1));
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    let notes: Vec<_> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["main waits to join main.1", "main.1 waits to be unparked"]);
    let unpark = failure.trace().steps().next().unwrap();
    assert_eq!((unpark.operation.as_str(), unpark.object.as_deref()), ("unpark", Some("main.1")));
}

#[test]
fn unparking_a_thread_that_has_ended_does_nothing() {
    let report = Checker::dfs().run(|| {
        let handle = thread::spawn(|| {});
        let thread: Thread = handle.thread().clone();
        handle.join().unwrap();
        thread.unpark();
    });
    assert_eq!(outcomes(&report), [((), 1)]);
}

#[test]
fn nobody_may_count_on_a_spurious_return() {
    let report = Checker::dfs().spurious(1).run(thread::park);
    assert_eq!(report.failure().expect("it fails").kind(), FailureKind::Deadlock);
}

#[test]
fn a_spurious_return_is_one_more_thing_that_can_happen() {
    // main.1: m p, where m is the choice of a spurious return; main: u. If it parks, u comes before p: u m p
    // and m u p. If it does not, m and u come in both orders.
    let report = Checker::dfs().spurious(1).run(|| {
        let handle = thread::spawn(thread::park);
        handle.thread().unpark();
        handle.join().unwrap();
    });
    assert_eq!(outcomes(&report), [((), 4)]);
}

#[test]
fn when_the_last_spurious_return_is_spent_nobody_else_has_one() {
    // Both threads may return spuriously, but not both in one execution.
    let report = Checker::dfs().spurious(1).run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [(); 2].map(|()| {
            let x = x.clone();
            thread::spawn(move || {
                thread::park();
                x.load(SeqCst)
            })
        });
        x.store(1, SeqCst);
        for handle in &handles {
            handle.thread().unpark();
        }
        handles.map(|h| h.join().unwrap())
    });
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&[0, 1], &[1, 0], &[1, 1]]);
}

#[test]
fn a_timeout_fires_only_when_nothing_else_can_run() {
    // The store and the unpark are enabled, so the timeout cannot fire before them: as with a plain park.
    let report = Checker::dfs().run(|| parks_and_is_unparked(|| thread::park_timeout(SECOND)));
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn a_timeout_fires_at_any_point() {
    // Arming the timer is a step t. Without its firing: t among (s u), then p l: 3 ways. With it: (s u) with
    // (t f p l) in 6! / (2! 4!) = 15 ways. The store is not seen in one of them: t f p l s u.
    let report =
        Checker::dfs().time(Time::Any).run(|| parks_and_is_unparked(|| thread::park_timeout(SECOND)));
    assert_eq!(report.executions(), 18);
    assert_eq!(outcomes(&report), [(0, 1), (1, 17)]);
}

#[test]
fn a_timeout_leaves_no_token_and_takes_no_time() {
    let begun = Instant::now();
    let report = Checker::dfs().run(|| {
        let start = raddle::time::Instant::now();
        thread::park_timeout(1_000_000 * SECOND);
        let first = start.elapsed();
        thread::current().unpark();
        // The token is there: no time passes.
        thread::park_timeout(SECOND);
        let second = start.elapsed();
        thread::park_timeout(SECOND);
        [first, second, start.elapsed()].map(|d| d.as_secs())
    });
    assert_eq!(outcomes(&report), [([1_000_000, 1_000_000, 1_000_001], 1)]);
    assert!(begun.elapsed() < 100 * SECOND);
}

#[test]
fn a_timeout_of_nothing_does_not_wait() {
    // main.1: p l; main: s. p is enabled at once: s comes before, between or after p and l.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || {
                thread::park_timeout(Duration::ZERO);
                x.load(SeqCst)
            }
        });
        x.store(1, SeqCst);
        handle.join().unwrap()
    });
    assert_eq!(outcomes(&report), [(0, 1), (1, 2)]);
}

/// As flume waits for a message. At the timeout exactly zero time is left, and the clock must advance.
#[test]
fn a_loop_that_parks_until_a_deadline_ends() {
    let program = || {
        let (lock, condvar) = (raddle::sync::Mutex::new(()), raddle::sync::Condvar::new());
        let left_until =
            |deadline: raddle::time::Instant| deadline.checked_duration_since(raddle::time::Instant::now());
        let deadline = raddle::time::Instant::now() + SECOND;
        while let Some(left) = left_until(deadline) {
            drop(lock.lock().unwrap());
            thread::park_timeout(left);
        }
        assert!(raddle::time::Instant::now() > deadline);
        let deadline = deadline + SECOND;
        while let Some(left) = left_until(deadline) {
            drop(condvar.wait_timeout(lock.lock().unwrap(), left));
        }
        assert!(raddle::time::Instant::now() > deadline);
    };
    for checker in [Checker::exhaustive(), Checker::dfs(), Checker::random(20)] {
        let report = checker.run(program);
        assert!(report.failure().is_none(), "{report}");
        assert!(raddle_report::coverage(report.coverage()).contains("fair spins"), "{:?}", report.coverage());
    }
}

#[test]
fn a_timeout_that_never_comes_is_none() {
    let report = Checker::dfs().run(|| thread::park_timeout(Duration::MAX));
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(raddle_report::fact(&failure.defect.facts[0]), "main waits to be unparked");
}

#[test]
fn a_timed_park_may_also_return_for_no_reason() {
    let program = || {
        let start = raddle::time::Instant::now();
        thread::park_timeout(SECOND);
        start.elapsed()
    };
    assert_eq!(outcomes(&Checker::dfs().run(program)), [(SECOND, 1)]);
    // A possible spurious return does not prevent the timer from firing.
    let report = Checker::dfs().spurious(1).run(program);
    assert_eq!(outcomes(&report), [(Duration::ZERO, 1), (SECOND, 1)]);
    // The clock may move by itself at each of the two readings: unseen at the first one.
    let report = Checker::dfs().spurious(1).time(Time::Any).run(program);
    let hour = 3_600 * SECOND;
    assert_eq!(outcomes(&report), [(Duration::ZERO, 2), (SECOND, 2), (hour, 1), (hour + SECOND, 1)]);
}

#[test]
#[allow(deprecated)]
fn milliseconds() {
    let report = Checker::dfs().run(|| {
        let start = raddle::time::Instant::now();
        thread::park_timeout_ms(1_500);
        thread::sleep_ms(500);
        start.elapsed().as_secs()
    });
    assert_eq!(outcomes(&report), [(2, 1)]);
}

#[test]
fn a_loop_that_checks_and_parks_never_waits_in_vain() {
    // Whether the unpark comes before the check, between the check and park, or after.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let waiter = thread::current();
        let handle = thread::spawn({
            let x = x.clone();
            move || {
                x.store(1, SeqCst);
                waiter.unpark();
            }
        });
        while x.load(SeqCst) == 0 {
            thread::park();
        }
        handle.join().unwrap();
    });
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

#[test]
fn outside_of_explorations() {
    let handle = thread::spawn(|| {
        thread::park();
        thread::park_timeout(Duration::from_millis(1));
    });
    handle.thread().unpark();
    handle.join().unwrap();
}

/// Parks while another task counts the seconds; what it then sees. Between two stores no timer fires.
fn parks_beside_a_sleeper(park: fn()) -> usize {
    let x = Arc::new(AtomicUsize::new(0));
    let (its, main) = (x.clone(), thread::current());
    let sleeper = thread::spawn(move || {
        for second in [1, 3] {
            thread::sleep(SECOND);
            its.store(second, SeqCst);
            its.store(second + 1, SeqCst);
        }
        main.unpark();
    });
    park();
    let seen = x.load(SeqCst);
    sleeper.join().unwrap();
    seen
}

#[test]
fn a_park_may_return_for_no_reason_after_a_timer() {
    let found = |checker: Checker, park| {
        let report = checker.run(move || parks_beside_a_sleeper(park));
        assert!(report.coverage().is_exhaustive(), "{report}");
        outcomes(&report).into_iter().map(|(seen, _)| seen).collect::<Vec<_>>()
    };
    let parks: [fn(); 2] = [thread::park, || thread::park_timeout(10 * SECOND)];
    for park in parks {
        for checker in [Checker::exhaustive, Checker::dfs, Checker::iterative] {
            assert_eq!(found(checker(), park), [4]);
            assert_eq!(found(checker().spurious(1), park), [0, 1, 2, 3, 4]);
        }
    }
}
