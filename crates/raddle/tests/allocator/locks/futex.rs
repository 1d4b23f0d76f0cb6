//! A condition variable made of a futex, as std's and parking_lot's are, next to raddle's own: the same outcomes with
//! spurious wake-ups, with waits of zero, and with timers when idle or at any point.

use super::{failure_of, outcomes_of};
use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex, MutexGuard};
use raddle::{Checker, FailureKind, Time, thread};
use raddle_native::futex::{Waited, wait, wake};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// What condition variables have in common.
trait Signal: Default + Send + Sync + 'static {
    /// Waits with a guard of this mutex. Also returns whether the time was up.
    fn wait<'a, T>(
        &self,
        mutex: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        limit: Option<Duration>,
    ) -> (MutexGuard<'a, T>, bool);
    fn notify_one(&self);
}

impl Signal for Condvar {
    fn wait<'a, T>(
        &self,
        _: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        limit: Option<Duration>,
    ) -> (MutexGuard<'a, T>, bool) {
        match limit {
            None => (self.wait(guard).unwrap(), false),
            Some(limit) => {
                let (guard, result) = self.wait_timeout(guard, limit).unwrap();
                (guard, result.timed_out())
            }
        }
    }
    fn notify_one(&self) {
        self.notify_one();
    }
}

/// The number of notifications, as in std's `sys/sync/condvar/futex.rs`.
#[derive(Default)]
struct OfFutex(AtomicU32);

impl Signal for OfFutex {
    fn wait<'a, T>(
        &self,
        mutex: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        limit: Option<Duration>,
    ) -> (MutexGuard<'a, T>, bool) {
        let seen = self.0.load(SeqCst);
        drop(guard);
        // SAFETY: the atomic is borrowed.
        let waited = unsafe { wait(self.0.as_ptr().addr(), seen, limit) };
        (mutex.lock().unwrap(), waited == Some(Waited::TimedOut))
    }
    fn notify_one(&self) {
        self.0.fetch_add(1, SeqCst);
        wake(self.0.as_ptr().addr(), 1);
    }
}

type Shared<S> = Arc<(Mutex<i32>, S)>;

/// One wait beside a task that sets 1 and notifies: what is seen, and whether the time was up.
fn beside_a_notifier<S: Signal>(limit: Option<Duration>) -> (i32, bool) {
    let shared: Shared<S> = Arc::default();
    let its = shared.clone();
    let guard = shared.0.lock().unwrap();
    let task = thread::spawn(move || {
        *its.0.lock().unwrap() = 1;
        its.1.notify_one();
    });
    let (seen, timed_out) = shared.1.wait(&shared.0, guard, limit);
    let found = (*seen, timed_out);
    drop(seen);
    task.join().unwrap();
    found
}

/// One wait beside a task that counts the seconds before it notifies.
fn beside_a_sleeper<S: Signal>(limit: Option<Duration>) -> (i32, bool) {
    let shared: Shared<S> = Arc::default();
    let its = shared.clone();
    let guard = shared.0.lock().unwrap();
    let sleeper = thread::spawn(move || {
        for second in 1..3 {
            thread::sleep(SECOND);
            *its.0.lock().unwrap() = second;
        }
        its.1.notify_one();
    });
    let (seen, timed_out) = shared.1.wait(&shared.0, guard, limit);
    let found = (*seen, timed_out);
    drop(seen);
    sleeper.join().unwrap();
    found
}

#[test]
fn waits_are_those_of_a_condvar() {
    let limits = [None, Some(Duration::ZERO), Some(SECOND), Some(5 * SECOND)];
    for (spurious, time) in [(0, Time::Idle), (0, Time::Any), (1, Time::Idle), (1, Time::Any)] {
        for limit in limits {
            for checker in [Checker::exhaustive, Checker::dfs] {
                let checker = || checker().spurious(spurious).time(time);
                let case = format!("{spurious} spurious wake-ups, {time:?}, {limit:?}");
                let condvar = outcomes_of(checker(), || beside_a_notifier::<Condvar>(limit));
                let futex = outcomes_of(checker(), || beside_a_notifier::<OfFutex>(limit));
                assert_eq!(futex, condvar, "beside a notifier: {case}");
                let condvar = outcomes_of(checker(), || beside_a_sleeper::<Condvar>(limit));
                let futex = outcomes_of(checker(), || beside_a_sleeper::<OfFutex>(limit));
                match time {
                    Time::Idle => assert_eq!(futex, condvar, "beside a sleeper: {case}"),
                    // Time may pass between the release of the mutex and the wait, which are one step of a condvar.
                    Time::Any => assert!(condvar.is_subset(&futex), "beside a sleeper: {case}"),
                }
            }
        }
    }
}

/// So that the comparison is not one of nothing.
#[test]
fn spurious_wake_ups_and_waits_of_zero_are_explored() {
    let zero = Some(Duration::ZERO);
    let idle = Checker::exhaustive;
    assert_eq!(outcomes_of(idle(), || beside_a_notifier::<OfFutex>(None)), [(1, false)].into());
    assert_eq!(
        outcomes_of(idle(), || beside_a_notifier::<OfFutex>(zero)),
        [(0, true), (1, true), (1, false)].into()
    );
    assert_eq!(
        outcomes_of(idle().spurious(1), || beside_a_notifier::<OfFutex>(zero)),
        [(0, true), (0, false), (1, true), (1, false)].into()
    );
    assert_eq!(outcomes_of(idle(), || beside_a_sleeper::<OfFutex>(None)), [(2, false)].into());
    // Also after a timer.
    assert_eq!(
        outcomes_of(idle().spurious(1), || beside_a_sleeper::<OfFutex>(None)),
        [(0, false), (1, false), (2, false)].into()
    );
}

#[test]
fn a_lost_wake_up_is_a_deadlock() {
    fn late<S: Signal>() {
        let shared: Shared<S> = Arc::default();
        let its = shared.clone();
        let task = thread::spawn(move || its.1.notify_one());
        drop(shared.1.wait(&shared.0, shared.0.lock().unwrap(), None));
        task.join().unwrap();
    }
    for program in [late::<Condvar>, late::<OfFutex>] {
        assert_eq!(failure_of(Checker::exhaustive(), program).kind(), FailureKind::Deadlock);
    }
}
