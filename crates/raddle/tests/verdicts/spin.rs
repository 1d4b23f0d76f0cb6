//! Spin loops neither hang nor explode, and one that waits in vain is a livelock.

use crate::{fails, notes, passes};
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::{Checker, FailureKind, hint, thread};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug)]
enum Pause {
    SpinLoop,
    YieldNow,
    Nothing,
}

const PAUSES: [Pause; 3] = [Pause::SpinLoop, Pause::YieldNow, Pause::Nothing];

impl Pause {
    #[track_caller]
    fn take(self) {
        match self {
            Pause::SpinLoop => hint::spin_loop(),
            Pause::YieldNow => thread::yield_now(),
            Pause::Nothing => {}
        }
    }
}

#[test]
fn a_flag_that_is_set() {
    for pause in PAUSES {
        let outcomes = passes(move || {
            let flag = Arc::new(AtomicUsize::new(0));
            let its = flag.clone();
            let setter = thread::spawn(move || its.store(7, SeqCst));
            while flag.load(SeqCst) == 0 {
                pause.take();
            }
            setter.join().unwrap();
            flag.load(SeqCst)
        });
        assert_eq!(outcomes, BTreeSet::from([7]), "{pause:?}");
    }
}

#[test]
fn two_flags_in_turn() {
    for pause in PAUSES {
        passes(move || {
            let turn = Arc::new(AtomicUsize::new(0));
            let its = turn.clone();
            let other = thread::spawn(move || {
                while its.load(SeqCst) != 1 {
                    pause.take();
                }
                its.store(2, SeqCst);
            });
            turn.store(1, SeqCst);
            while turn.load(SeqCst) != 2 {
                pause.take();
            }
            other.join().unwrap();
        });
    }
}

#[test]
fn a_lock_that_is_tried_again_and_again() {
    for pause in PAUSES {
        let outcomes = passes(move || {
            let count = Arc::new(Mutex::new(0));
            let its = count.clone();
            let other = thread::spawn(move || *its.lock().unwrap() += 1);
            loop {
                if let Ok(mut count) = count.try_lock() {
                    *count += 1;
                    break;
                }
                pause.take();
            }
            other.join().unwrap();
            *count.lock().unwrap()
        });
        assert_eq!(outcomes, BTreeSet::from([2]), "{pause:?}");
    }
}

/// The usual naive spin lock.
#[derive(Default)]
struct SpinLock {
    taken: AtomicUsize,
}

impl SpinLock {
    #[track_caller]
    fn lock(&self, pause: Pause) {
        while self.taken.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            pause.take();
        }
    }
    #[track_caller]
    fn unlock(&self) {
        self.taken.store(0, Release);
    }
}

#[test]
fn a_spin_lock() {
    for pause in PAUSES {
        passes(move || {
            let shared = Arc::new((SpinLock::default(), AtomicUsize::new(0)));
            let count = move |shared: &(SpinLock, AtomicUsize)| {
                shared.0.lock(pause);
                // Not atomic as a whole: the lock makes it so.
                shared.1.store(shared.1.load(Relaxed) + 1, Relaxed);
                shared.0.unlock();
            };
            let its = shared.clone();
            let other = thread::spawn(move || count(&its));
            count(&shared);
            other.join().unwrap();
            assert_eq!(shared.1.load(Relaxed), 2);
        });
    }
}

#[test]
fn a_flag_that_is_never_set() {
    let wait = |pause: Pause| {
        let flag = Arc::new(AtomicUsize::new(0));
        raddle::label(&*flag, "READY");
        while flag.load(SeqCst) == 0 {
            pause.take();
        }
    };
    for (pause, name) in PAUSES.into_iter().zip(["spin_loop", "yield_now", "nothing"]) {
        let failure = fails(&format!("livelock_{name}"), FailureKind::Livelock, || wait(pause));
        assert_eq!(notes(&failure), ["main goes round and round here, waiting for AtomicUsize#1 \"READY\""]);
    }
}

#[test]
fn a_lock_that_is_never_free() {
    let failure = fails("livelock_try_lock", FailureKind::Livelock, || {
        let lock = Arc::new(Mutex::new(()));
        let its = lock.clone();
        let forgetful = thread::spawn(move || std::mem::forget(its.lock()));
        forgetful.join().unwrap();
        while lock.try_lock().is_err() {
            thread::yield_now();
        }
    });
    assert_eq!(notes(&failure), ["main goes round and round here, waiting for main.1/Mutex#1"]);
}

#[test]
fn two_that_wait_for_each_other() {
    let failure = fails("livelock_after_you", FailureKind::Livelock, || {
        let gone = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let its = gone.clone();
        let other = thread::spawn(move || {
            while its.0.load(SeqCst) == 0 {
                hint::spin_loop();
            }
            its.1.store(1, SeqCst);
        });
        while gone.1.load(SeqCst) == 0 {
            thread::yield_now();
        }
        gone.0.store(1, SeqCst);
        other.join().unwrap();
    });
    assert_eq!(notes(&failure).len(), 2);
}

#[test]
fn one_spins_while_others_wait() {
    let failure = fails("livelock_and_a_waiter", FailureKind::Livelock, || {
        let lock = Arc::new(Mutex::new(()));
        let never = Arc::new(AtomicUsize::new(0));
        let (its, flag) = (lock.clone(), never.clone());
        let other = thread::spawn(move || {
            let _guard = its.lock().unwrap();
            while flag.load(SeqCst) == 0 {
                hint::spin_loop();
            }
        });
        drop(lock.lock());
        other.join().unwrap();
    });
    assert_eq!(
        notes(&failure),
        ["main.1 goes round and round here, waiting for main.1/AtomicUsize#1", "main waits to join main.1"]
    );
}

#[test]
fn a_pause_that_waits_for_nothing() {
    for pause in [Pause::SpinLoop, Pause::YieldNow] {
        let outcomes = passes(move || {
            let seen = Arc::new(AtomicUsize::new(0));
            let its = seen.clone();
            let other = thread::spawn(move || its.store(1, SeqCst));
            for _ in 0..10 {
                pause.take();
            }
            let early = seen.load(SeqCst) == 0;
            other.join().unwrap();
            early
        });
        assert_eq!(outcomes, BTreeSet::from([false, true]), "{pause:?}");
    }
}

#[test]
fn a_loop_that_waits_for_nothing_that_can_be_seen() {
    let failure = fails("livelock_unseen", FailureKind::Livelock, || {
        let shared = Arc::new(());
        let _other = shared.clone();
        while Arc::strong_count(&shared) > 1 {
            hint::spin_loop();
        }
    });
    assert_eq!(notes(&failure), ["main goes round and round here, waiting for nothing that raddle sees"]);
    // Another task does what it waits for.
    for pause in [Pause::SpinLoop, Pause::YieldNow] {
        passes(move || {
            let shared = Arc::new(AtomicUsize::new(0));
            let its = shared.clone();
            let other = thread::spawn(move || its.store(1, SeqCst));
            while Arc::strong_count(&shared) > 1 {
                pause.take();
            }
            other.join().unwrap();
        });
    }
}

#[test]
fn many_reads_of_what_does_not_change_are_no_livelock() {
    passes(|| {
        let stop = AtomicUsize::new(0);
        // A worker that checks after each piece of work whether it is to stop.
        (0..5_000).filter(|_| stop.load(Relaxed) == 0).count()
    });
    passes(|| (0..5_000).for_each(|_| thread::yield_now()));
}

/// Spins for a while, then waits. Returns whether it had to.
fn spin_then_wait(rounds: usize, pause: Pause) -> bool {
    let shared = Arc::new((AtomicUsize::new(0), Mutex::new(()), Condvar::new()));
    let its = shared.clone();
    let waiter = thread::spawn(move || {
        for _ in 0..rounds {
            if its.0.load(Acquire) == 1 {
                return false;
            }
            pause.take();
        }
        let guard = its.1.lock().unwrap();
        drop(its.2.wait_while(guard, |()| its.0.load(Acquire) == 0).unwrap());
        true
    });
    shared.0.store(1, Release);
    drop(shared.1.lock());
    shared.2.notify_all();
    waiter.join().unwrap()
}

/// The same with a park.
fn spin_then_park(rounds: usize, pause: Pause) -> bool {
    let flag = Arc::new(AtomicUsize::new(0));
    let its = flag.clone();
    let waiter = thread::spawn(move || {
        for _ in 0..rounds {
            if its.load(Acquire) == 1 {
                return false;
            }
            pause.take();
        }
        while its.load(Acquire) == 0 {
            thread::park();
        }
        true
    });
    flag.store(1, Release);
    waiter.thread().unpark();
    waiter.join().unwrap()
}

/// For any number of reads, both outcomes are found: they sleep, and they do not.
#[test]
fn some_rounds_and_then_a_wait() {
    for pause in PAUSES {
        for rounds in [1, 3, 10, 100] {
            let both = BTreeSet::from([false, true]);
            assert_eq!(passes(move || spin_then_wait(rounds, pause)), both, "{pause:?} {rounds} times");
            assert_eq!(passes(move || spin_then_park(rounds, pause)), both, "{pause:?} {rounds} times");
        }
    }
}

/// Two tasks that take the second lock only if it is free, and restart if it is not.
fn give_way(pause: Pause) {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let both = move |first: &Mutex<()>, second: &Mutex<()>| {
        loop {
            let guard = first.lock().unwrap();
            if second.try_lock().is_ok() {
                break;
            }
            drop(guard);
            pause.take();
        }
    };
    let its = locks.clone();
    let other = thread::spawn(move || both(&its.1, &its.0));
    both(&locks.0, &locks.1);
    other.join().unwrap();
}

/// Each can keep the other from its second lock for ever. Such rounds only look, and the search says that it cut them.
#[test]
fn two_that_give_way_to_each_other() {
    for pause in [Pause::SpinLoop, Pause::YieldNow] {
        let report = Checker::exhaustive().run(|| give_way(pause));
        assert!(report.failure().is_none() && report.coverage().is_exhaustive(), "{report}");
        assert!(report.covered().contains("fair spins (3 rounds)"), "{report}");
        assert_eq!(report.executions(), 2_424, "{pause:?}");
    }
    for pause in PAUSES {
        let report = Checker::random(1_000).run(|| give_way(pause));
        assert!(report.failure().is_none(), "{report}");
    }
}

/// A loop that counts its iterations until the other has set a flag: as many as are fair, and a long one.
#[test]
fn the_fair_bound_is_adjustable_and_named() {
    let rounds = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = flag.clone();
        let task = thread::spawn(move || other.store(1, Relaxed));
        let mut rounds = 0u32;
        while flag.load(Relaxed) == 0 {
            hint::spin_loop();
            rounds += 1;
        }
        task.join().unwrap();
        rounds
    };
    let mut short = Vec::new();
    for fair in [2, 3, 6] {
        let report = Checker::exhaustive().spin_rounds(fair).run(rounds);
        let words = format!("fair spins ({fair} rounds)");
        assert!(raddle_report::coverage(report.coverage()).contains(&words), "{:?}", report.coverage());
        // The last one is the long one, in which it might give up.
        let mut found: Vec<u32> = report.outcomes().keys().copied().collect();
        assert!(found.pop().is_some_and(|long| long > 128), "{:?}", report.outcomes());
        assert!(found.iter().copied().eq(0..found.len() as u32), "{:?}", report.outcomes());
        short.push(found.len());
    }
    assert_eq!([short[1] - short[0], short[2] - short[1]], [1, 3], "{short:?}");
}
