use super::{failure, outcomes, outcomes_of, passes};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Checker, Time, thread};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn any() -> Checker {
    Checker::dfs().time(Time::Any)
}

/// Waits once, at most a second, for a flag of another task; returns whether it timed out, and the flag.
fn once() -> (bool, bool) {
    let flag: Arc<(Mutex<bool>, Condvar)> = Arc::default();
    let its = flag.clone();
    let task = thread::spawn(move || {
        *its.0.lock().unwrap() = true;
        its.1.notify_one();
    });
    let set = flag.0.lock().unwrap();
    let result = match *set {
        true => (false, true),
        false => {
            let (set, result) = flag.1.wait_timeout(set, SECOND).unwrap();
            (result.timed_out(), *set)
        }
    };
    task.join().unwrap();
    result
}

#[test]
fn time_is_not_up_while_someone_can_notify() {
    assert_eq!(outcomes(once), [(false, true)].into());
}

#[test]
fn time_may_be_up_at_any_point() {
    // With the flag not set yet; with the flag set, when the timer fired before the notification but the
    // waiter did not get the mutex in time; or notified.
    assert_eq!(outcomes_of(any(), once), [(false, true), (true, false), (true, true)].into());
}

#[test]
fn time_is_up_when_nobody_notifies() {
    let alone = || {
        let (lock, condvar) = (Mutex::new(()), Condvar::new());
        let (_, result) = condvar.wait_timeout(lock.lock().unwrap(), SECOND).unwrap();
        result.timed_out()
    };
    assert_eq!(outcomes(alone), [true].into());
    assert_eq!(outcomes_of(any(), alone), [true].into());
    // Spuriously, or because no task is enabled.
    assert_eq!(outcomes_of(Checker::dfs().spurious(1), alone), [false, true].into());
}

#[test]
fn who_has_timed_out_takes_no_notification_from_others() {
    // One waits with a timeout, one without; each passes on what it gets. If the notification could go to the
    // one that has timed out and be lost there, the other would wait for ever.
    let program = || {
        let state = Arc::new((Mutex::new(0), Condvar::new(), Condvar::new()));
        let (timed, patient) = (state.clone(), state.clone());
        let timed = thread::spawn(move || {
            let (_guard, result) = timed.1.wait_timeout(timed.0.lock().unwrap(), SECOND).unwrap();
            if !result.timed_out() {
                timed.1.notify_one();
            }
        });
        let patient = thread::spawn(move || {
            let mut guard = patient.0.lock().unwrap();
            *guard = 1;
            patient.2.notify_one();
            drop(patient.1.wait(guard).unwrap());
        });
        drop(state.2.wait_while(state.0.lock().unwrap(), |waiting| *waiting == 0).unwrap());
        state.1.notify_one();
        timed.join().unwrap();
        patient.join().unwrap();
    };
    passes(any().preemptions(2), program);
}

#[test]
fn forever_is_never_over() {
    let failed = failure(|| {
        let (lock, condvar) = (Mutex::new(()), Condvar::new());
        drop(condvar.wait_timeout(lock.lock().unwrap(), Duration::MAX).unwrap());
    });
    assert_eq!(failed.kind(), raddle::FailureKind::Deadlock);
}

#[test]
fn the_earlier_time_is_up_first() {
    let program = || {
        let state: Arc<(Mutex<Vec<u64>>, Condvar)> = Arc::default();
        let tasks = [3, 1, 2].map(|seconds| {
            let state = state.clone();
            thread::spawn(move || {
                let guard = state.0.lock().unwrap();
                let (mut guard, result) = state.1.wait_timeout(guard, seconds * SECOND).unwrap();
                assert!(result.timed_out());
                guard.push(seconds as u64);
            })
        });
        super::join(tasks);
        state.0.lock().unwrap().clone()
    };
    assert_eq!(outcomes_of(Checker::dfs().preemptions(1), program), [vec![1, 2, 3]].into());
}

fn while_not_set() -> (bool, bool) {
    let flag: Arc<(Mutex<bool>, Condvar)> = Arc::default();
    let its = flag.clone();
    let task = thread::spawn(move || {
        // Without an effect.
        its.1.notify_one();
        *its.0.lock().unwrap() = true;
        its.1.notify_one();
    });
    let set = flag.0.lock().unwrap();
    let (set, result) = flag.1.wait_timeout_while(set, SECOND, |set| !*set).unwrap();
    let result = (result.timed_out(), *set);
    drop(set);
    task.join().unwrap();
    result
}

#[test]
fn wait_timeout_while_looks_again() {
    assert_eq!(outcomes(while_not_set), [(false, true)].into());
    // It checks the condition before the clock.
    assert_eq!(outcomes_of(any(), while_not_set), [(false, true), (true, false)].into());
}

#[test]
fn wait_timeout_while_does_not_begin_anew() {
    // The waiter's ten seconds are over before the other's six and six, although it is woken at six.
    let program = || {
        let state = Arc::new((Mutex::new(Vec::new()), Condvar::new(), Condvar::new()));
        let its = state.clone();
        let task = thread::spawn(move || {
            let guard = its.0.lock().unwrap();
            let (guard, _) = its.2.wait_timeout(guard, 6 * SECOND).unwrap();
            its.1.notify_one();
            let (mut guard, _) = its.2.wait_timeout(guard, 6 * SECOND).unwrap();
            guard.push("the other");
        });
        let guard = state.0.lock().unwrap();
        let (mut guard, result) = state.1.wait_timeout_while(guard, 10 * SECOND, |_| true).unwrap();
        assert!(result.timed_out());
        guard.push("the waiter");
        drop(guard);
        task.join().unwrap();
        state.0.lock().unwrap().clone()
    };
    assert_eq!(outcomes(program), [vec!["the waiter", "the other"]].into());
}

#[test]
fn no_time_at_all() {
    let program = || {
        let (lock, condvar) = (Mutex::new(()), Condvar::new());
        let (guard, result) =
            condvar.wait_timeout_while(lock.lock().unwrap(), Duration::ZERO, |_| true).unwrap();
        let (guard, again) = condvar.wait_timeout(guard, Duration::ZERO).unwrap();
        let (_, holds) = condvar.wait_timeout_while(guard, Duration::ZERO, |_| false).unwrap();
        (result.timed_out(), again.timed_out(), holds.timed_out())
    };
    assert_eq!(outcomes(program), [(true, true, false)].into());
    assert_eq!(outcomes_of(any(), program), [(true, true, false)].into());
    assert_eq!(program(), (true, true, false));
}

#[test]
#[allow(deprecated)]
fn milliseconds() {
    let program = || {
        let (lock, condvar) = (Mutex::new(7), Condvar::new());
        let (guard, in_time) = condvar.wait_timeout_ms(lock.lock().unwrap(), 5).unwrap();
        (*guard, in_time)
    };
    assert_eq!(outcomes(program), [(7, false)].into());
    assert_eq!(program(), (7, false));
}

#[test]
fn poisoned_while_the_time_was_running() {
    #[allow(deprecated)]
    let program = || {
        let lock = Arc::new(Mutex::new(0));
        let condvar = Condvar::new();
        let its = lock.clone();
        let task = thread::spawn(move || {
            let mut guard = its.lock().unwrap();
            *guard += 1;
            panic!("with the guard");
        });
        assert!(task.join().is_err());
        let guard = lock.lock().unwrap_err().into_inner();
        let (guard, result) = condvar.wait_timeout(guard, SECOND / 1000).unwrap_err().into_inner();
        assert!(result.timed_out());
        let poisoned = condvar.wait_timeout_while(guard, SECOND / 1000, |_| true).unwrap_err();
        let (guard, result) = poisoned.into_inner();
        assert!(result.timed_out());
        let (guard, in_time) = condvar.wait_timeout_ms(guard, 1).unwrap_err().into_inner();
        (*guard, in_time)
    };
    assert_eq!(outcomes(program), [(1, false)].into());
    assert_eq!(program(), (1, false));
}

#[test]
fn outside_real_time_passes() {
    let (lock, condvar) = (Mutex::new(0), Condvar::new());
    let start = std::time::Instant::now();
    let (guard, result) = condvar.wait_timeout(lock.lock().unwrap(), SECOND / 50).unwrap();
    assert!(result.timed_out() && start.elapsed() >= SECOND / 50);
    let (guard, result) = condvar.wait_timeout_while(guard, SECOND / 50, |n| *n == 0).unwrap();
    assert!(result.timed_out() && start.elapsed() >= SECOND / 25);
    let (_, result) = condvar.wait_timeout_while(guard, SECOND, |n| *n != 0).unwrap();
    assert!(!result.timed_out());
    assert_eq!(format!("{result:?}"), "WaitTimeoutResult(false)");
}

/// A wait of no time at all arms no timer: it may be over at once, or be notified before that.
#[test]
fn a_wait_of_zero_may_time_out_at_once() {
    let wait = || {
        let pair: Arc<(Mutex<u32>, Condvar)> = Arc::default();
        let its = pair.clone();
        let task = thread::spawn(move || {
            *its.0.lock().unwrap() = 1;
            its.1.notify_one();
        });
        let (seen, result) = pair.1.wait_timeout(pair.0.lock().unwrap(), Duration::ZERO).unwrap();
        let found = (*seen, result.timed_out());
        drop(seen);
        task.join().unwrap();
        found
    };
    let all = [(0, true), (1, true), (1, false)].into();
    assert_eq!(outcomes(wait), all);
    assert_eq!(outcomes_of(any(), wait), all);
    assert_eq!(outcomes_of(Checker::exhaustive(), wait), all);
    assert_eq!(
        outcomes_of(Checker::exhaustive().spurious(1), wait),
        [(0, true), (0, false), (1, true), (1, false)].into()
    );
}

/// Waits beside a task that counts the seconds; what it then sees.
fn beside_a_sleeper(wait: impl Fn(&Condvar, raddle::sync::MutexGuard<'_, i32>) -> i32) -> i32 {
    let shared: Arc<(Mutex<i32>, Condvar)> = Arc::default();
    let its = shared.clone();
    let guard = shared.0.lock().unwrap();
    let sleeper = thread::spawn(move || {
        for second in [1, 3] {
            thread::sleep(SECOND);
            *its.0.lock().unwrap() = second;
            *its.0.lock().unwrap() = second + 1;
        }
        its.1.notify_one();
    });
    let seen = wait(&shared.1, guard);
    sleeper.join().unwrap();
    seen
}

#[test]
fn a_wait_may_be_over_for_no_reason_after_a_timer() {
    let plain = || beside_a_sleeper(|condvar, guard| *condvar.wait(guard).unwrap());
    let timed = || {
        beside_a_sleeper(|condvar, guard| {
            let (seen, result) = condvar.wait_timeout(guard, 10 * SECOND).unwrap();
            assert!(!result.timed_out());
            *seen
        })
    };
    for checker in [Checker::exhaustive, Checker::dfs, Checker::iterative] {
        assert_eq!(outcomes_of(checker(), plain), [4].into());
        assert_eq!(outcomes_of(checker().spurious(1), plain), [0, 1, 2, 3, 4].into());
        assert_eq!(outcomes_of(checker().spurious(1), timed), [0, 1, 2, 3, 4].into());
    }
}

/// A wait of zero under `wait_timeout_while` releases the mutex for a moment, as std's does: another task may get it.
#[test]
fn wait_timeout_while_of_zero_gives_the_mutex_away() {
    let program = || {
        let flag: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        let its = flag.clone();
        let task = thread::spawn(move || *its.0.lock().unwrap() = true);
        let set = flag.0.lock().unwrap();
        let found = *set;
        let (set, result) = flag.1.wait_timeout_while(set, Duration::ZERO, |set| !*set).unwrap();
        let seen = (found, *set, result.timed_out());
        drop(set);
        task.join().unwrap();
        seen
    };
    let all = [(false, false, true), (false, true, false), (true, true, false)];
    assert_eq!(outcomes(program), all.into());
    assert_eq!(outcomes_of(any(), program), all.into());
}
