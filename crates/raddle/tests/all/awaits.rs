//! `Spins::Await`: a spin loop reads once each value that it could see.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, Report, Spins, hint, thread};
use std::collections::BTreeMap;
use std::fmt::Debug;

fn awaiting() -> Checker {
    Checker::dfs().spins(Spins::Await)
}

fn passed<T: Ord + Debug>(report: Report<T>) -> Report<T> {
    assert!(report.failure().is_none(), "{report}");
    report
}

/// A loop that counts its reads of a flag, which the other sets to 1 and then to 2; it waits for a 2.
fn looks(give_way: impl Fn() + Send + Sync + 'static) -> usize {
    let flag = Arc::new(AtomicUsize::new(0));
    let its = flag.clone();
    let other = thread::spawn(move || {
        its.store(1, SeqCst);
        its.store(2, SeqCst);
    });
    let mut looks = 1;
    while flag.load(SeqCst) != 2 {
        give_way();
        looks += 1;
    }
    other.join().unwrap();
    looks
}

/// It can read 0 or not, and 1 or not, and reads 2 last: 1 to 3 reads, and 2 of them in two ways.
#[test]
fn looks_once_at_each_value() {
    for report in [awaiting().run(|| looks(hint::spin_loop)), awaiting().run(|| looks(thread::yield_now))] {
        let report = passed(report);
        assert!(report.outcomes().keys().eq(&[1, 2, 3]), "{:?}", report.outcomes());
        let fair = passed(Checker::dfs().run(|| looks(hint::spin_loop)));
        assert!(report.executions() < fair.executions());
        let words = raddle_report::coverage(report.coverage());
        assert!(words.contains("never give up"), "{words}");
    }
}

#[test]
fn wakes_for_each_of_the_things_it_looks_at() {
    let report = passed(awaiting().run(|| {
        let pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let setters: Vec<_> = (0..2)
            .map(|n| {
                let pair = pair.clone();
                thread::spawn(move || pair[n].store(n + 1, SeqCst))
            })
            .collect();
        let found = loop {
            let seen = [pair[0].load(SeqCst), pair[1].load(SeqCst)];
            if let [1, 2] = seen {
                break seen;
            }
            hint::spin_loop();
        };
        setters.into_iter().for_each(|t| t.join().unwrap());
        found
    }));
    assert_eq!(report.outcomes().len(), 1);
}

/// Main tries `t`, yields `y` and unlocks `u`; the other locks `L` and unlocks `U`. `t u L U` and `L U t u` in
/// one way each; if the lock is held at `t`, the next try waits for `U`: `L t y U t u` or `L t U y t u`.
#[test]
fn a_try_lock_loop_waits_for_the_lock() {
    let report = passed(awaiting().run(|| {
        let lock = Arc::new(Mutex::new(0));
        let its = lock.clone();
        let other = thread::spawn(move || *its.lock().unwrap() += 1);
        let mut tries = 1;
        let seen = loop {
            if let Ok(value) = lock.try_lock() {
                break *value;
            }
            thread::yield_now();
            tries += 1;
        };
        other.join().unwrap();
        (seen, tries)
    }));
    assert_eq!(*report.outcomes(), BTreeMap::from([((0, 1), 1), ((1, 1), 1), ((1, 2), 2)]));
}

#[test]
fn a_flag_that_nobody_sets_is_a_livelock() {
    let report = awaiting().run(|| {
        let flag = AtomicUsize::new(0);
        while flag.load(SeqCst) == 0 {
            hint::spin_loop();
        }
    });
    let failure = report.failure().expect("no task sets it");
    assert_eq!(failure.kind(), FailureKind::Livelock);
    assert!(report.to_string().contains("waiting for AtomicUsize#1"), "{report}");
}

#[test]
fn a_loop_that_looks_after_it_gave_way_goes_round_twice() {
    let report = passed(awaiting().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let its = flag.clone();
        let other = thread::spawn(move || its.store(1, SeqCst));
        loop {
            thread::yield_now();
            if flag.load(SeqCst) == 1 {
                break;
            }
        }
        other.join().unwrap();
    }));
    assert!(report.executions() > 1);
}

#[test]
fn replays_and_goes_on_with_several_workers() {
    let fails = || assert!(looks(hint::spin_loop) < 3, "three looks");
    let report = awaiting().run(fails);
    let failure = report.failure().expect("three looks are possible");
    let text = failure.ticket().to_string();
    assert!(text.contains("spins=await"), "{text}");
    let again = Checker::replay(&text).run(fails);
    assert_eq!(again.failure().expect("it replays").message(), failure.message());
    let one = passed(awaiting().run(|| looks(hint::spin_loop))).executions();
    let two = passed(awaiting().workers(2).run(|| looks(hint::spin_loop))).executions();
    assert_eq!(one, two);
}
