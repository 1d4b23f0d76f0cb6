//! Executions that fail with the primitives in every state, and what destructors observe then.

use super::failure;
use raddle::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock, RwLock};
use raddle::{Checker, Detached, FailureKind, thread};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

#[derive(Default)]
struct Shared {
    rwlock: RwLock<u32>,
    mutex: Mutex<u32>,
    condvar: Condvar,
    never: OnceLock<u32>,
}

/// Uses every primitive when it is destroyed.
struct UsesAll(Arc<Shared>);

impl Drop for UsesAll {
    fn drop(&mut self) {
        let shared = &self.0;
        drop(shared.rwlock.try_read());
        drop(shared.rwlock.try_write());
        drop(shared.mutex.try_lock());
        shared.condvar.notify_all();
        shared.condvar.notify_one();
        Once::new().call_once(|| ());
        let _ = OnceLock::new().set(1);
        assert_eq!(*LazyLock::new(|| 1), 1);
        Barrier::new(1).wait();
        let lock = RwLock::new(0);
        *lock.write().unwrap() += 1;
        drop(lock.read());
        let (mutex, condvar) = (Mutex::new(0), Condvar::new());
        let _ = condvar.wait_while(mutex.lock().unwrap(), |_| false);
    }
}

fn everybody_waits_for_something(shared: &Arc<Shared>) {
    let spawn = |f: fn(Arc<Shared>)| {
        let shared = shared.clone();
        drop(thread::spawn(move || {
            let _uses = UsesAll(shared.clone());
            f(shared);
        }));
    };
    spawn(|shared| drop(shared.condvar.wait(shared.mutex.lock().unwrap())));
    spawn(|shared| {
        let _reading = shared.rwlock.read();
        shared.never.wait();
    });
    spawn(|shared| drop(shared.rwlock.write()));
    spawn(|shared| {
        let guard = shared.mutex.lock().unwrap();
        let _ = shared.condvar.wait_timeout(guard, Duration::from_secs(1_000));
        shared.never.wait();
    });
    spawn(|shared| {
        shared.never.get_or_init(|| {
            Barrier::new(2).wait();
            1
        });
    });
    spawn(|shared| {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            shared.never.wait();
        });
    });
    spawn(|shared| {
        static LAZY: LazyLock<u32> = LazyLock::new(|| {
            let (mutex, condvar) = (Mutex::new(0), Condvar::new());
            *condvar.wait(mutex.lock().unwrap()).unwrap()
        });
        let _guard = shared.mutex.lock();
        LazyLock::force(&LAZY);
    });
}

#[test]
fn a_panic_while_others_wait() {
    for seed in 0..50 {
        let report = Checker::random(1).sampler(raddle::Sampler::Uniform).seed(seed).run(|| {
            let shared: Arc<Shared> = Arc::default();
            everybody_waits_for_something(&shared);
            let _mine = UsesAll(shared.clone());
            let _guard = shared.rwlock.read();
            for _ in 0..10 {
                thread::yield_now();
            }
            panic!("main gives up");
        });
        let failed = report.failure().unwrap();
        assert_eq!(failed.kind(), FailureKind::Panic);
        assert_eq!(failed.message(), "main panicked: main gives up");
        assert!(failed.afterwards.is_empty());
    }
}

#[test]
fn a_deadlock_of_all() {
    for seed in 0..50 {
        let report = Checker::random(1).sampler(raddle::Sampler::Uniform).seed(seed).run(|| {
            let shared: Arc<Shared> = Arc::default();
            everybody_waits_for_something(&shared);
            let _mine = UsesAll(shared.clone());
            shared.never.wait();
        });
        let failed = report.failure().unwrap();
        assert_eq!(failed.kind(), FailureKind::Deadlock);
        assert!(failed.afterwards.is_empty());
    }
}

#[test]
fn main_returns_while_others_wait() {
    let report = Checker::random(200).run(|| {
        let shared: Arc<Shared> = Arc::default();
        everybody_waits_for_something(&shared);
        for _ in 0..10 {
            thread::yield_now();
        }
    });
    assert!(report.failure().is_none());
    assert_eq!(report.executions(), 200);
    let report = Checker::dfs().detached(Detached::MustFinish).run(|| {
        let shared: Arc<Shared> = Arc::default();
        everybody_waits_for_something(&shared);
    });
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
}

#[test]
fn a_waiter_does_not_give_back_what_it_does_not_hold() {
    static TRIES: AtomicUsize = AtomicUsize::new(0);
    static SUCCESSES: AtomicUsize = AtomicUsize::new(0);
    struct Tries(Arc<Shared>);
    impl Drop for Tries {
        fn drop(&mut self) {
            TRIES.fetch_add(1, SeqCst);
            SUCCESSES.fetch_add(self.0.mutex.try_lock().is_ok() as usize, SeqCst);
        }
    }
    let failed = failure(|| {
        let shared: Arc<Shared> = Arc::default();
        let its = shared.clone();
        let _detached = thread::spawn(move || {
            let _tries = Tries(its.clone());
            drop(its.condvar.wait(its.mutex.lock().unwrap()));
        });
        let (other, pause) = (Mutex::new(()), Condvar::new());
        // The other waits by then.
        drop(pause.wait_timeout(other.lock().unwrap(), Duration::from_secs(1)));
        let _guard: MutexGuard<'_, u32> = shared.mutex.lock().unwrap();
        // It is unwound before main.
        panic!("main holds the mutex");
    });
    assert_eq!(failed.message(), "main panicked: main holds the mutex");
    assert!(TRIES.load(SeqCst) > 0);
    assert_eq!(SUCCESSES.load(SeqCst), 0);
}

#[test]
fn a_waiting_guard_does_not_poison() {
    // A task that is torn down during a wait holds no lock.
    let report = Checker::dfs().run(|| {
        let shared: Arc<Shared> = Arc::default();
        let its = shared.clone();
        drop(thread::spawn(move || drop(its.condvar.wait(its.mutex.lock().unwrap()))));
        shared.mutex.lock().is_err()
    });
    assert!(report.failure().is_none());
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [false]);
}
