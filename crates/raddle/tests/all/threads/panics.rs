//! Panics of threads: which are handled, which fail the test, and what unwinding does to others.

use super::*;

#[test]
fn a_join_that_looks_at_the_error_handles_the_panic() {
    let report = Checker::dfs().run(|| {
        let payload = thread::spawn(|| panic_any(5_u32)).join().unwrap_err();
        *payload.downcast::<u32>().unwrap()
    });
    assert_eq!(outcomes(&report), [(5, 1)]);
}

#[test]
fn a_panic_that_join_passes_on_is_the_childs() {
    let unwrapped = fails(|| thread::spawn(|| panic!("boom")).join().unwrap());
    assert_eq!(unwrapped, (FailureKind::Panic, "main.1 panicked: boom".to_owned()));
    let resumed = fails(|| match thread::spawn(|| panic!("boom")).join() {
        Ok(()) => {}
        Err(payload) => resume_unwind(payload),
    });
    assert_eq!(resumed, unwrapped);
}

#[test]
fn a_panic_of_mains_own_is_mains() {
    let (kind, message) = fails(|| {
        assert!(thread::spawn(|| panic!("expected")).join().is_err());
        panic!("mine");
    });
    assert_eq!((kind, message.as_str()), (FailureKind::Panic, "main panicked: mine"));
}

#[test]
fn a_panic_fails_the_test_if_the_handle_was_dropped_before_it() {
    let (kind, message) = fails(|| {
        let go = Arc::new(AtomicUsize::new(0));
        drop(thread::spawn({
            let go = go.clone();
            move || {
                go.load(SeqCst);
                panic!("boom");
            }
        }));
        go.store(1, SeqCst);
    });
    assert_eq!((kind, message.as_str()), (FailureKind::Panic, "main.1 panicked: boom"));
}

#[test]
fn a_panic_fails_the_test_if_the_handle_is_dropped_after_it() {
    let (kind, message) = fails(|| {
        let handle = thread::spawn(|| panic!("boom"));
        while !handle.is_finished() {
            thread::yield_now();
        }
        drop(handle);
    });
    assert_eq!((kind, message.as_str()), (FailureKind::Panic, "main.1 panicked: boom"));
}

#[test]
fn a_panic_fails_the_test_if_the_handle_is_forgotten() {
    let report = Checker::dfs().keep_going().run(|| {
        let handle = thread::spawn(|| panic!("boom"));
        std::mem::forget(handle);
    });
    // The thread has no operation, so its exit is automatic, and it is not joined.
    assert_eq!((report.executions(), report.failures()), (1, 1));
    assert_eq!(report.failure().unwrap().message(), "main.1 panicked: boom");
    let report = Checker::dfs().keep_going().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        std::mem::forget(thread::spawn(move || {
            x.load(SeqCst);
            panic!("boom");
        }));
    });
    // Main exits last, after the thread has panicked.
    assert_eq!((report.executions(), report.failures()), (1, 1));
    assert_eq!(report.failure().unwrap().message(), "main.1 panicked: boom");
}

#[test]
fn a_panic_that_the_thread_catches_is_nobodys_business() {
    let report = Checker::dfs().run(|| {
        drop(thread::spawn(|| catch_unwind(|| panic!("caught")).is_err()));
        let joined = thread::spawn(|| catch_unwind(|| panic!("caught")).is_err()).join().unwrap();
        joined && catch_unwind(|| panic!("caught")).is_err()
    });
    passes(&report);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&true]);
}

#[test]
fn the_panic_that_ended_the_thread_is_reported_and_not_one_it_caught() {
    let (_, message) = fails(|| {
        drop(thread::spawn(|| {
            let _ = catch_unwind(|| panic!("caught"));
            resume_unwind(Box::new("silent"));
        }));
        thread::sleep(Duration::from_secs(1));
    });
    assert_eq!(message, "main.1 panicked: silent");
}

struct Loud;
impl Drop for Loud {
    fn drop(&mut self) {
        panic!("in drop");
    }
}

#[test]
fn a_result_that_nobody_takes_is_destroyed_by_its_thread() {
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        struct Counts(Arc<AtomicUsize>);
        impl Drop for Counts {
            fn drop(&mut self) {
                self.0.fetch_add(1, SeqCst);
            }
        }
        let counts = Counts(x.clone());
        drop(thread::spawn(move || counts));
        thread::sleep(Duration::from_secs(1));
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 1)]);
    let (kind, message) = fails(|| {
        drop(thread::spawn(|| Loud));
        thread::sleep(Duration::from_secs(1));
    });
    assert_eq!(kind, FailureKind::Panic);
    assert_eq!(message, "main.1: its result panicked on drop: in drop; the process would abort");
}

/// Records whether its thread panics, before and after an operation in the destructor.
struct Asks<'a> {
    x: &'a AtomicUsize,
    noted: &'a std::sync::Mutex<Vec<bool>>,
}

impl Drop for Asks<'_> {
    fn drop(&mut self) {
        let before = thread::panicking();
        self.x.fetch_add(1, SeqCst);
        let after = thread::panicking();
        self.noted.lock().unwrap().extend([before, after]);
    }
}

#[test]
fn panicking_is_a_threads_own() {
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let [unwinding, calm, main] = [const { std::sync::Mutex::new(Vec::new()) }; 3];
        thread::scope(|s| {
            let first = s.spawn(|| {
                let _asks = Asks { x: &x, noted: &unwinding };
                panic!("boom");
            });
            let second = s.spawn(|| {
                drop(Asks { x: &x, noted: &calm });
                // Catches a panic of its own while the other one may be unwinding.
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    let _asks = Asks { x: &x, noted: &unwinding };
                    panic!("another");
                }));
                assert!(caught.is_err());
                drop(Asks { x: &x, noted: &calm });
            });
            drop(Asks { x: &x, noted: &main });
            assert!(first.join().is_err());
            assert!(second.join().is_ok());
        });
        let [unwinding, calm, main] = [unwinding, calm, main].map(|noted| noted.into_inner().unwrap());
        (unwinding, calm, main)
    });
    let expected = (vec![true; 4], vec![false; 4], vec![false; 2]);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&expected]);
    passes(&report);
}

#[test]
fn a_panic_in_a_destructor_during_unwinding_harms_nobody_else() {
    // main: l, then j END; main.1: s. Only l after s fails: in 1 of 2 executions.
    let report = Checker::dfs().keep_going().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || x.store(1, SeqCst)
        });
        assert!(!thread::panicking());
        assert!(catch_unwind(|| panic!("caught")).is_err());
        if x.load(SeqCst) == 1 {
            let _loud = Loud;
            panic!("first");
        }
        handle.join().unwrap();
        thread::panicking()
    });
    assert_eq!((report.executions(), report.failures()), (2, 1));
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&false]);
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Panic);
    assert_eq!(
        failure.message(),
        "main: panic in a destructor during cleanup: in drop; the process would abort"
    );
}

#[test]
fn a_thread_abandoned_in_the_middle_of_unwinding_harms_nobody_else() {
    // The destructor waits for ever once the execution has failed: where main's load comes after the store,
    // in 1 of 2 executions.
    struct Waits;
    impl Drop for Waits {
        fn drop(&mut self) {
            thread::park();
        }
    }
    let report = Checker::dfs().keep_going().run(|| {
        assert!(!thread::panicking());
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || x.store(1, SeqCst)
        });
        if x.load(SeqCst) == 1 {
            let _waits = Waits;
            thread::park();
        }
        handle.join().unwrap();
    });
    assert_eq!((report.executions(), report.failures()), (2, 1));
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
}

#[test]
fn a_lock_is_poisoned_by_its_own_thread_only() {
    let report = Checker::dfs().run(|| {
        let (bad, good) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let handles = [(bad.clone(), true), (good.clone(), false)].map(|(mutex, panics)| {
            thread::spawn(move || {
                let _guard = mutex.lock();
                assert!(!panics, "boom");
            })
        });
        let results = handles.map(|h| h.join().is_err());
        (results, bad.is_poisoned(), good.is_poisoned())
    });
    passes(&report);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&([true, false], true, false)]);
}
