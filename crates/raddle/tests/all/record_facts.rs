//! The facts of a record that the page shows: who is enabled, who holds which lock, values, and who starts whom.

use raddle::Checker;
use raddle::sync::atomic::{AtomicU32, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex, RwLock};
use raddle::thread;
use raddle_core::record::{ExecutionRecord, Hold};
use std::collections::{BTreeMap, BTreeSet};

/// Checks that the facts fit together at every step, and returns how often locks were taken.
fn fits(record: &ExecutionRecord) -> usize {
    let mut enabled: BTreeSet<usize> = record.enabled.clone().expect("it is recorded").into_iter().collect();
    let mut locks: BTreeMap<&str, BTreeMap<usize, Hold>> = BTreeMap::new();
    let mut taken = 0;
    let mut started = BTreeSet::from([0]);
    for line in &record.lines {
        assert!(started.contains(&line.task), "{line:?} by a task that was not started");
        started.extend(line.spawns);
        if line.step.is_some() && !line.by_itself {
            assert!(enabled.contains(&line.task), "{line:?} by a task that is not enabled");
        }
        for task in &line.enables {
            assert!(enabled.insert(*task), "{line:?} enables what is enabled");
        }
        for task in &line.disables {
            assert!(enabled.remove(task), "{line:?} disables what is not enabled");
        }
        let Some(used) = &line.lock else { continue };
        let holders = locks.entry(&used.lock).or_default();
        match used.hold {
            Hold::Released => assert!(holders.remove(&line.task).is_some(), "{line:?}"),
            Hold::Exclusive => assert!(holders.is_empty(), "{line:?}"),
            Hold::Shared => assert!(holders.values().all(|hold| *hold == Hold::Shared), "{line:?}"),
        }
        if used.hold != Hold::Released {
            taken += 1;
            holders.insert(line.task, used.hold);
        }
    }
    taken
}

#[test]
fn locks_and_condition_variables() {
    let report = Checker::dfs().run(|| {
        let both = Arc::new((Mutex::new(0), Condvar::new(), RwLock::new(7)));
        let theirs = both.clone();
        let other = thread::spawn(move || {
            let _seven = theirs.2.read().unwrap();
            *theirs.0.lock().unwrap() += 1;
            theirs.1.notify_one();
        });
        let mut number = both.0.lock().unwrap();
        while *number == 0 {
            number = both.1.wait(number).unwrap();
        }
        *both.2.write().unwrap() += 1;
        drop(number);
        other.join().unwrap();
        panic!("done");
    });
    let record = report.failure().expect("it fails").trace();
    assert!(fits(record) >= 4, "{record:#?}");
}

#[test]
fn who_waits_is_not_enabled_and_is_woken() {
    let report = Checker::dfs().run(|| {
        let lock = Arc::new(Mutex::new(()));
        let theirs = lock.clone();
        let held = lock.lock().unwrap();
        let other = thread::spawn(move || drop(theirs.lock().unwrap()));
        drop(held);
        other.join().unwrap();
        panic!("done");
    });
    let record = report.failure().expect("it fails").trace();
    fits(record);
    let unlock = record.lines.iter().position(|line| line.operation == "unlock").expect("it is given back");
    assert_eq!(record.lines[unlock].enables, [1], "{record:#?}");
    let lock = record.lines.iter().rposition(|line| line.operation == "lock").expect("it is taken");
    assert_eq!((record.lines[lock].task, &record.lines[lock].after[..]), (1, &[unlock][..]));
}

#[test]
fn values_and_the_order_of_a_lost_update() {
    let report = Checker::exhaustive().run(|| {
        let number = Arc::new(AtomicU32::new(0));
        let theirs = number.clone();
        let other = thread::spawn(move || theirs.store(theirs.load(SeqCst) + 1, SeqCst));
        number.store(number.load(SeqCst) + 1, SeqCst);
        other.join().unwrap();
        assert_eq!(number.load(SeqCst), 2);
    });
    let record = report.failure().expect("it fails").trace();
    fits(record);
    let values: Vec<_> = record.lines.iter().filter_map(|line| line.value.as_deref()).collect();
    assert_eq!(values, ["0", "0", "1", "1", "1"]);
    // Each store comes after the load of the other task, and the second one after the first.
    let order = record.lines.iter().filter(|line| line.operation == "store").map(|line| line.after.len());
    assert_eq!(order.collect::<Vec<_>>(), [1, 1]);
    assert_eq!(record.lines[0].spawns, Some(1));
}
