//! Statics start clean in every execution, with one worker and with several, and in tests that run in
//! parallel.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use raddle::{Checker, thread};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// The outcomes with one worker and with two, which are the same; many executions.
#[track_caller]
fn outcomes<T: Ord + Debug + Clone + Send>(f: impl Fn() -> T + Send + Sync) -> BTreeSet<T> {
    let mut all = [1, 2].map(|workers| {
        let report = super::passes(Checker::dfs().workers(workers), &f);
        let random = Checker::random(2_000).workers(workers).run(&f);
        assert!(random.failure().is_none());
        let seen: BTreeSet<T> = report.outcomes().keys().cloned().collect();
        assert!(random.outcomes().keys().all(|outcome| seen.contains(outcome)));
        (report.executions(), seen)
    });
    assert_eq!(all[0], all[1]);
    std::mem::take(&mut all[0].1)
}

#[test]
fn a_rwlock() {
    static LOG: RwLock<Vec<u32>> = RwLock::new(Vec::new());
    let program = || {
        let task = thread::spawn(|| LOG.write().unwrap().push(1));
        LOG.write().unwrap().push(2);
        task.join().unwrap();
        LOG.read().unwrap().clone()
    };
    assert_eq!(outcomes(program), [vec![1, 2], vec![2, 1]].into());
    // Outside, and then inside again.
    LOG.write().unwrap().push(7);
    assert_eq!(outcomes(program), [vec![1, 2], vec![2, 1]].into());
    assert_eq!(*LOG.read().unwrap(), [7]);
}

#[test]
fn a_poisoned_rwlock() {
    static LOCK: RwLock<u32> = RwLock::new(0);
    let program = || {
        assert!(!LOCK.is_poisoned());
        let task = thread::spawn(|| {
            let _guard = LOCK.write().unwrap();
            panic!("with the guard");
        });
        assert!(task.join().is_err());
        LOCK.is_poisoned()
    };
    assert_eq!(outcomes(program), [true].into());
    assert!(!LOCK.is_poisoned());
}

#[test]
fn a_condvar() {
    static FLAG: Mutex<bool> = Mutex::new(false);
    static SET: Condvar = Condvar::new();
    let program = || {
        let task = thread::spawn(|| {
            *FLAG.lock().unwrap() = true;
            SET.notify_all();
        });
        let mut waited = false;
        let mut flag = FLAG.lock().unwrap();
        while !*flag {
            flag = SET.wait(flag).unwrap();
            waited = true;
        }
        drop(flag);
        task.join().unwrap();
        waited
    };
    assert_eq!(outcomes(program), [false, true].into());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            *FLAG.lock().unwrap() = true;
            SET.notify_all();
        });
        drop(SET.wait_while(FLAG.lock().unwrap(), |set| !*set).unwrap());
    });
    assert_eq!(outcomes(program), [false, true].into());
}

#[test]
fn a_barrier() {
    static BARRIER: Barrier = Barrier::new(2);
    let program = || {
        let task = thread::spawn(|| BARRIER.wait().is_leader());
        (BARRIER.wait().is_leader(), task.join().unwrap())
    };
    assert_eq!(outcomes(program), [(false, true), (true, false)].into());
    std::thread::scope(|scope| {
        scope.spawn(|| BARRIER.wait());
        BARRIER.wait();
    });
    assert_eq!(outcomes(program), [(false, true), (true, false)].into());
}

#[test]
fn a_once() {
    static ONCE: Once = Once::new();
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let program = || {
        let task = thread::spawn(|| {
            ONCE.call_once(|| {
                RUNS.fetch_add(1, SeqCst);
            })
        });
        ONCE.call_once(|| {
            RUNS.fetch_add(1, SeqCst);
        });
        task.join().unwrap();
        RUNS.load(SeqCst)
    };
    assert_eq!(outcomes(program), [1].into());
    ONCE.call_once(|| ());
    assert_eq!(outcomes(program), [1].into());
}

#[test]
fn a_once_lock() {
    static CELL: OnceLock<String> = OnceLock::new();
    let program = || {
        assert_eq!(CELL.get(), None);
        let task = thread::spawn(|| CELL.get_or_init(|| "other".to_owned()).clone());
        let mine = CELL.get_or_init(|| "main".to_owned()).clone();
        assert_eq!(task.join().unwrap(), mine);
        mine
    };
    assert_eq!(outcomes(program), ["main".to_owned(), "other".to_owned()].into());
    CELL.set("outside".to_owned()).unwrap();
    assert_eq!(outcomes(program), ["main".to_owned(), "other".to_owned()].into());
    assert_eq!(CELL.get().unwrap(), "outside");
}

#[test]
fn a_lazy_lock() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    static LAZY: LazyLock<Mutex<Vec<usize>>> = LazyLock::new(|| Mutex::new(vec![RUNS.fetch_add(1, SeqCst)]));
    let program = || {
        let task = thread::spawn(|| LAZY.lock().unwrap().push(1));
        LAZY.lock().unwrap().push(2);
        task.join().unwrap();
        LAZY.lock().unwrap().clone()
    };
    assert_eq!(outcomes(program), [vec![0, 1, 2], vec![0, 2, 1]].into());
    LAZY.lock().unwrap().push(9);
    assert_eq!(outcomes(program), [vec![0, 1, 2], vec![0, 2, 1]].into());
    assert_eq!(*LAZY.lock().unwrap(), [0, 9]);
}

#[test]
fn a_lazy_lock_that_panics() {
    static LAZY: LazyLock<u32> = LazyLock::new(|| {
        thread::yield_now();
        panic!("no value")
    });
    let program = || {
        let task = thread::spawn(|| super::panic_of(|| *LAZY).unwrap());
        let mine = super::panic_of(|| *LAZY).unwrap();
        let mut said = [mine, task.join().unwrap()];
        said.sort();
        said
    };
    let expected = ["LazyLock instance has previously been poisoned", "no value"].map(str::to_owned);
    assert_eq!(outcomes(program), [expected].into());
}

#[test]
fn values_of_statics_are_destroyed_with_the_execution() {
    static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Counts;
    impl Drop for Counts {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    static CELL: OnceLock<Counts> = OnceLock::new();
    static LAZY: LazyLock<Counts> = LazyLock::new(|| Counts);
    static LOCK: RwLock<Option<Counts>> = RwLock::new(None);
    let report = super::passes(Checker::dfs(), || {
        let task = thread::spawn(|| drop(CELL.set(Counts)));
        LazyLock::force(&LAZY);
        *LOCK.write().unwrap() = Some(Counts);
        task.join().unwrap();
    });
    // The first execution is made twice.
    assert_eq!(DROPPED.load(SeqCst) as u64, 3 * (report.executions() + 1));
}
