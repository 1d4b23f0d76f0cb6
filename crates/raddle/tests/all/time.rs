//! The virtual clock: no real time passes, timers fire in deadline order, readings never decrease.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread;
use raddle::time::{Instant, SystemTime, UNIX_EPOCH};
use raddle::{Checker, FailureKind, Report, Time};
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex as Real};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn passes<T: Ord + Debug>(report: &Report<T>) {
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

fn outcomes<T: Ord + Debug + Clone>(report: &Report<T>) -> Vec<(T, u64)> {
    passes(report);
    report.outcomes().iter().map(|(outcome, times)| (outcome.clone(), *times)).collect()
}

/// Threads that sleep this long each; returns the order in which they wake up.
fn sleepers(seconds: &[u32]) -> Vec<u32> {
    let woken = Arc::new(Real::new(Vec::new()));
    let handles: Vec<_> = (1..)
        .zip(seconds)
        .map(|(n, seconds)| {
            let (woken, time) = (woken.clone(), *seconds * SECOND);
            thread::spawn(move || {
                thread::sleep(time);
                woken.lock().unwrap().push(n);
            })
        })
        .collect();
    for handle in handles {
        handle.join().unwrap();
    }
    woken.lock().unwrap().clone()
}

// Sleeping.

#[test]
fn sleeping_takes_virtual_time_only() {
    let begun = std::time::Instant::now();
    let report = Checker::dfs().run(|| {
        let start = Instant::now();
        thread::sleep(3_600 * SECOND);
        let first = start.elapsed();
        thread::sleep(Duration::from_nanos(1));
        (first, start.elapsed() - first)
    });
    assert_eq!(outcomes(&report), [((3_600 * SECOND, Duration::from_nanos(1)), 1)]);
    assert!(begun.elapsed() < 100 * SECOND);
    // now; fire sleep elapsed; fire sleep elapsed; exit.
    assert_eq!(report.steps(), 8);
}

#[test]
fn sleepers_wake_in_the_order_of_their_deadlines() {
    // Only timers are enabled at first, and only the earliest one: no choice.
    let report = Checker::dfs().run(|| sleepers(&[3, 1, 2]));
    assert_eq!(outcomes(&report), [(vec![2, 3, 1], 1)]);
}

#[test]
fn equal_deadlines_are_a_choice() {
    // Whichever fires first, its thread exits before all tasks are idle again.
    let report = Checker::dfs().run(|| sleepers(&[1, 1]));
    assert_eq!(outcomes(&report), [(vec![1, 2], 1), (vec![2, 1], 1)]);
    let report = Checker::dfs().run(|| sleepers(&[1, 1, 1]));
    assert_eq!(report.outcomes().len(), 6);
    assert_eq!(report.executions(), 6);
}

#[test]
fn two_sleeps_are_as_long_as_one() {
    // Deadlines count from the start of the sleep: 1 + 1 against 2 is a tie, 1 + 1 against 3 is not.
    let program = |other: u32| {
        move || {
            let woken = Arc::new(Real::new(Vec::new()));
            let [first, second] = [(2, SECOND), (1, other * SECOND)].map(|(times, time)| {
                let woken = woken.clone();
                thread::spawn(move || {
                    (0..times).for_each(|_| thread::sleep(time));
                    woken.lock().unwrap().push(times);
                })
            });
            first.join().unwrap();
            second.join().unwrap();
            woken.lock().unwrap().clone()
        }
    };
    assert_eq!(outcomes(&Checker::dfs().run(program(2))), [(vec![1, 2], 1), (vec![2, 1], 1)]);
    assert_eq!(outcomes(&Checker::dfs().run(program(3))), [(vec![2, 1], 1)]);
}

#[test]
fn many_sleeps_in_a_row_are_no_livelock_and_keep_their_order() {
    let report = Checker::dfs().run(|| {
        let ticks = Arc::new(AtomicUsize::new(0));
        let ticker = thread::spawn(|| {
            let start = Instant::now();
            (0..2_000).for_each(|_| thread::sleep(Duration::from_millis(1)));
            start.elapsed()
        });
        let late = thread::spawn({
            let ticks = ticks.clone();
            move || {
                thread::sleep(3 * SECOND);
                ticks.load(SeqCst)
            }
        });
        let time = ticker.join().unwrap();
        ticks.store(1, SeqCst);
        (time, late.join().unwrap())
    });
    assert_eq!(outcomes(&report), [((2 * SECOND, 1), 1)]);
}

#[test]
fn a_sleeper_wakes_when_nobody_else_can_run_or_at_any_point() {
    // main: a b; main.1: sleep, l. Idle: a b, then fire, sleep, l.
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let sleeper = thread::spawn({
            let x = x.clone();
            move || {
                thread::sleep(SECOND);
                x.load(SeqCst)
            }
        });
        x.store(1, SeqCst);
        x.store(2, SeqCst);
        sleeper.join().unwrap()
    };
    assert_eq!(outcomes(&Checker::dfs().run(program)), [(2, 1)]);
    // Any: (a b) with (sleep fire wake l) in 6! / (2! 4!) = 15 ways. l comes before a in 1 of them, between
    // them in 4 (a in one of the positions before l) and after b in the other 10.
    let report = Checker::dfs().time(Time::Any).run(program);
    assert_eq!(outcomes(&report), [(0, 1), (1, 4), (2, 10)]);
}

#[test]
fn with_any_time_deadlines_are_still_in_order_but_threads_may_dawdle() {
    let report = Checker::dfs().time(Time::Any).run(|| sleepers(&[1, 2]));
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&vec![1, 2], &vec![2, 1]]);
    passes(&report);
    let fires: HashSet<Vec<u64>> = {
        let seen = Real::new(HashSet::new());
        passes(&Checker::dfs().time(Time::Any).run(|| {
            let readings = [1, 2].map(|n| {
                thread::spawn(move || {
                    let start = Instant::now();
                    thread::sleep(n * SECOND);
                    start.elapsed().as_secs()
                })
            });
            seen.lock().unwrap().insert(readings.map(|h| h.join().unwrap()).to_vec());
        }));
        seen.into_inner().unwrap()
    };
    // No task sleeps less than requested, but any task may wake late.
    assert!(fires.iter().all(|f| f[0] >= 1 && f[1] >= 2), "{fires:?}");
    assert!(fires.contains(&vec![1, 2]) && fires.contains(&vec![2, 2]), "{fires:?}");
}

#[test]
fn a_sleep_of_nothing_gives_way() {
    // main.1: sleep s; main: l j. l comes anywhere: 3 ways, 1 of them after the store.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || {
                thread::sleep(Duration::ZERO);
                x.store(1, SeqCst);
            }
        });
        let seen = x.load(SeqCst);
        handle.join().unwrap();
        seen
    });
    assert_eq!(outcomes(&report), [(0, 2), (1, 1)]);
}

#[test]
fn a_sleep_without_end_is_a_deadlock() {
    let report = Checker::dfs().run(|| thread::sleep(Duration::MAX));
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(raddle_report::fact(&failure.defect.facts[0]), "main waits to sleep");
}

#[test]
fn polling_with_sleeps_ends_in_both_policies() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let setter = thread::spawn({
            let x = x.clone();
            move || {
                thread::sleep(SECOND);
                x.store(1, SeqCst);
            }
        });
        while x.load(SeqCst) == 0 {
            thread::sleep(Duration::from_millis(300));
        }
        setter.join().unwrap();
    };
    passes(&Checker::dfs().run(program));
    passes(&Checker::dfs().time(Time::Any).run(program));
}

#[test]
fn sleeping_in_a_destructor_during_teardown_does_not_wait() {
    static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Sleeps;
    impl Drop for Sleeps {
        fn drop(&mut self) {
            thread::sleep(SECOND);
            thread::sleep(Duration::ZERO);
            thread::park_timeout(SECOND);
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let report = Checker::random(1).run(|| {
        let _sleeps = Sleeps;
        thread::park();
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert!(failure.afterwards.is_empty());
    assert!(DROPPED.load(SeqCst) > 0);
}

#[test]
fn a_timer_is_a_task_in_the_record() {
    let report = Checker::dfs().run(|| {
        thread::sleep(SECOND);
        panic!("boom");
    });
    let failure = report.failure().expect("it fails");
    let names: Vec<_> = failure.trace().tasks.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["main", "main~timer1"]);
    let steps: Vec<_> =
        failure.trace().steps().map(|l| (l.task, l.operation.as_str(), l.result.as_str())).collect();
    assert_eq!(steps, [(1, "fire", ""), (0, "sleep", "1s")]);
}

// Instants.

#[test]
fn loops_that_watch_the_clock_end() {
    // Under `Any` the clock may have moved at each of the first four readings.
    for (time, executions) in [(Time::Idle, 1), (Time::Any, 5)] {
        let report = Checker::dfs().time(time).run(|| {
            let start = Instant::now();
            while start.elapsed() < 10 * SECOND {
                thread::yield_now();
            }
            start.elapsed() >= 10 * SECOND
        });
        assert_eq!(outcomes(&report), [(true, executions)]);
    }
    // Without a hint as well, and with another task that does the same.
    let watch = || {
        let start = Instant::now();
        while start.elapsed() < SECOND {}
    };
    passes(&Checker::random(3).run(move || {
        let other = thread::spawn(watch);
        watch();
        other.join().unwrap();
    }));
}

#[test]
fn a_loop_that_watches_the_clock_sees_timers_fire() {
    // The other thread sleeps repeatedly until the loop ends.
    let report = Checker::random(20).run(|| {
        let done = Arc::new(AtomicUsize::new(0));
        let sleeper = thread::spawn({
            let done = done.clone();
            move || {
                while done.load(SeqCst) == 0 {
                    thread::sleep(10 * SECOND);
                }
            }
        });
        let start = Instant::now();
        while start.elapsed() < SECOND {
            thread::yield_now();
        }
        done.store(1, SeqCst);
        sleeper.join().unwrap();
    });
    passes(&report);
}

#[test]
fn readings_are_consistent_with_what_fired() {
    let report = Checker::dfs().time(Time::Any).run(|| {
        let start = Instant::now();
        let sleeper = thread::spawn(|| thread::sleep(SECOND));
        let readings = [Instant::now(), Instant::now()].map(|i| i.duration_since(start).as_secs());
        sleeper.join().unwrap();
        (readings, start.elapsed().as_secs())
    });
    passes(&report);
    // The timer fires before, between or after the two readings.
    let (still, moved): (Vec<_>, Vec<_>) =
        report.outcomes().keys().copied().partition(|(_, elapsed)| *elapsed < 3_600);
    assert_eq!(still, [([0, 0], 1), ([0, 1], 1), ([1, 1], 1)]);
    // And the clock moves by an hour at one of the readings: before the timer is set, while it is, or after it fired.
    const H: u64 = 3_600;
    let last = [([0, 0], H + 1), ([0, 1], H + 1)];
    let second = [([0, H], H), ([0, H], H + 1), ([0, H + 1], H + 1)];
    let others = [([1, 1], H + 1), ([1, H + 1], H + 1)];
    let first = [([H, H], H), ([H, H], H + 1), ([H, H + 1], H + 1), ([H + 1, H + 1], H + 1)];
    assert_eq!(moved, [&last[..], &second, &others, &first].concat());
}

#[test]
fn two_readings_do_not_disturb_each_other() {
    // Only as many executions as interleavings: n n' and n' n, as for two loads.
    let report = Checker::dfs().run(|| {
        let handles = [(); 2].map(|()| thread::spawn(Instant::now));
        let [a, b] = handles.map(|h| h.join().unwrap());
        assert_eq!(a, b);
    });
    assert_eq!(outcomes(&report), [((), 2)]);
}

#[test]
fn a_reading_is_shown() {
    let report = Checker::dfs().run(|| {
        let start = Instant::now();
        thread::sleep(SECOND);
        assert!(start.elapsed() < SECOND);
    });
    let failure = report.failure().expect("it fails");
    let line = |operation: &str| failure.trace().steps().find(|l| l.operation == operation).unwrap();
    assert_eq!((line("now").object.as_deref(), line("now").result.as_str()), (Some("Clock#1"), "→ 0ns"));
    assert_eq!(
        (line("elapsed").object.as_deref(), line("elapsed").result.as_str()),
        (Some("Clock#1"), "→ 1s")
    );
}

fn every_method() {
    let start = Instant::now();
    let later = start + SECOND;
    assert_eq!(later - start, SECOND);
    assert_eq!(later - SECOND, start);
    assert_eq!(later.duration_since(start), SECOND);
    assert_eq!(start.duration_since(later), Duration::ZERO);
    assert_eq!(start - later, Duration::ZERO);
    assert_eq!(later.checked_duration_since(start), Some(SECOND));
    assert_eq!(start.checked_duration_since(later), None);
    assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
    assert_eq!(start.checked_add(SECOND), Some(later));
    assert_eq!(later.checked_sub(SECOND), Some(start));
    assert_eq!(start.checked_add(Duration::MAX), None);
    let mut moving = start;
    moving += SECOND;
    assert_eq!(moving, later);
    moving -= SECOND;
    assert_eq!(moving, start);
    assert!(start < later && start.cmp(&later).is_lt());
    assert_eq!(HashSet::from([start, moving, later]).len(), 2);
    assert!(format!("{start:?}").starts_with("Instant {"));
    assert!(Instant::now() >= start);
    assert!(SystemTime::now().duration_since(UNIX_EPOCH).unwrap() > SECOND);
}

#[test]
fn instants_are_as_stds_inside_and_outside() {
    every_method();
    passes(&Checker::dfs().run(every_method));
    let start = Instant::now();
    thread::sleep(Duration::from_millis(2));
    assert!(start.elapsed() >= Duration::from_millis(2));
}

#[test]
fn arithmetic_that_overflows_panics_as_with_std() {
    let report = Checker::dfs().run(|| Instant::now() + Duration::MAX);
    let message = report.failure().expect("it fails").message();
    assert_eq!(message, "main panicked: overflow when adding duration to instant");
}

#[test]
fn the_clock_starts_anew_in_every_execution() {
    let first = Real::new(HashSet::new());
    let report = Checker::random(3).workers(2).run(|| {
        let start = Instant::now();
        first.lock().unwrap().insert(start);
        thread::sleep(SECOND);
        start.elapsed()
    });
    assert_eq!(outcomes(&report), [(SECOND, 3)]);
    assert_eq!(first.into_inner().unwrap().len(), 1);
}

/// The clock moves by itself where timers fire at any point; then a line says how often that is explored. By the search
/// with the reduction and without.
#[test]
fn the_clock_may_have_moved_by_itself_under_any() {
    let later = || {
        let begin = Instant::now();
        begin.elapsed() >= 60 * SECOND
    };
    for checker in [Checker::exhaustive, Checker::dfs, Checker::iterative] {
        let report = checker().time(Time::Any).run(later);
        assert_eq!(outcomes(&report).into_iter().map(|(later, _)| later).collect::<Vec<_>>(), [false, true]);
        let moves = "clock moves by itself once, at one of the first 4 readings of a task";
        assert!(report.covered().contains(moves), "{report}");
        assert_eq!(
            outcomes(&checker().run(later)),
            [(false, 1)],
            "not by itself when timers fire in idle moments"
        );
    }
    // Where the clock is not read, nothing is assumed about it.
    let report = Checker::exhaustive().time(Time::Any).run(|| thread::sleep(SECOND));
    assert_eq!(
        report.covered(),
        "exhaustive · plain memory not watched · reference counts not explored · sequentially consistent · timers at any point"
    );
}

/// A loop that polls the clock ends where it moves: at the first readings, or in an idle moment.
#[test]
fn a_loop_that_polls_the_clock_ends_under_any() {
    let report = Checker::exhaustive().time(Time::Any).run(|| {
        let begin = Instant::now();
        while begin.elapsed() < SECOND {
            thread::yield_now();
        }
    });
    passes(&report);
    assert!(report.coverage().is_exhaustive(), "{report}");
}

/// A timer that is taken away could have fired before another task read the clock (missed once: a timer that was no
/// longer armed counted as one that could fire).
#[test]
fn a_timer_that_is_taken_away_fires_before_a_reading_too() {
    let program = || {
        let begin = Instant::now();
        let parked = thread::spawn(|| thread::park_timeout(SECOND));
        parked.thread().unpark();
        let elapsed = begin.elapsed();
        parked.join().unwrap();
        elapsed.as_secs()
    };
    let found = |checker: Checker| {
        checker.time(Time::Any).run(program).outcomes().keys().copied().collect::<Vec<_>>()
    };
    assert_eq!(found(Checker::exhaustive()), [0, 1, 3_600, 3_601]);
    assert_eq!(found(Checker::dfs()), [0, 1, 3_600, 3_601]);
}
