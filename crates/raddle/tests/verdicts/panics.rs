//! A panic fails the test, except where the program itself handles it.

use crate::{child, fails, lines, notes, passes, snapshot};
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::sync::{Arc, Mutex};
use raddle::{Checker, FailureKind, thread};

/// Two deposits, neither of which observes the other.
fn deposits() {
    let balance = Arc::new(AtomicUsize::new(0));
    let deposit = |amount| {
        let balance = balance.clone();
        thread::spawn(move || {
            let seen = balance.load(SeqCst);
            balance.store(seen + amount, SeqCst);
        })
    };
    let (alice, bob) = (deposit(100), deposit(50));
    alice.join().unwrap();
    bob.join().unwrap();
    assert_eq!(balance.load(SeqCst), 150, "money was lost");
}

#[test]
fn in_main() {
    let failure = fails("panic_in_main", FailureKind::Panic, deposits);
    assert!(failure.message().starts_with("main panicked: assertion `left == right` failed: money was lost"));
    assert_eq!(notes(&failure), ["main panicked here"]);
    let report = Checker::dfs().run(deposits);
    snapshot("panic_in_main_lines", &lines(&report));
}

/// The work of a server's worker thread.
fn withdraw(balance: &Mutex<u32>, amount: u32) {
    let mut balance = balance.lock().unwrap();
    *balance = balance.checked_sub(amount).expect("not enough money");
}

#[test]
fn in_a_thread_that_nobody_joins() {
    let failure = fails("panic_detached", FailureKind::Panic, || {
        let balance = Arc::new(Mutex::new(10));
        let its = balance.clone();
        // Main takes a step after it, so that it can panic in time.
        thread::spawn(move || withdraw(&its, 20));
        drop(balance.lock());
    });
    assert_eq!(failure.message(), "main.1 panicked: not enough money");
    assert_eq!(notes(&failure), ["main.1 panicked here"]);
}

#[test]
fn the_handle_is_dropped_before_the_panic() {
    let failure = fails("panic_handle_dropped_before", FailureKind::Panic, || {
        let balance = Arc::new(Mutex::new(10));
        let guard = balance.lock().unwrap();
        let its = balance.clone();
        let handle = thread::spawn(move || withdraw(&its, 20));
        // It waits for the lock.
        drop(handle);
        drop(guard);
        while !balance.is_poisoned() {
            thread::yield_now();
        }
    });
    assert_eq!(failure.message(), "main.1 panicked: not enough money");
}

#[test]
fn the_handle_is_dropped_after_the_panic() {
    let failure = fails("panic_handle_dropped_after", FailureKind::Panic, || {
        let balance = Arc::new(Mutex::new(10));
        let its = balance.clone();
        let handle = thread::spawn(move || withdraw(&its, 20));
        while !handle.is_finished() {
            thread::yield_now();
        }
        drop(handle);
    });
    assert_eq!(failure.message(), "main.1 panicked: not enough money");
}

#[test]
fn the_handle_is_forgotten() {
    let failure = fails("panic_handle_forgotten", FailureKind::Panic, || {
        let handle = thread::spawn(|| panic!("it is never heard"));
        std::mem::forget(handle);
        thread::yield_now();
    });
    assert_eq!(failure.message(), "main.1 panicked: it is never heard");
}

#[test]
fn join_passes_it_on() {
    let failure = fails("panic_joined_with_unwrap", FailureKind::Panic, || {
        let balance = Arc::new(Mutex::new(10));
        let its = balance.clone();
        let customer = thread::spawn(move || withdraw(&its, 20));
        customer.join().unwrap();
    });
    // The child is the cause, not main's unwrap.
    assert_eq!(failure.message(), "main.1 panicked: not enough money");
    assert_eq!(notes(&failure), ["main.1 panicked here", "main panicked because of it"]);
}

#[test]
fn a_scope_passes_it_on() {
    let failure = fails("panic_in_a_scope", FailureKind::Panic, || {
        let balance = Mutex::new(10);
        thread::scope(|scope| {
            scope.spawn(|| withdraw(&balance, 5));
            scope.spawn(|| withdraw(&balance, 20));
        });
    });
    assert_eq!(failure.message(), "main.2 panicked: not enough money");
    assert_eq!(notes(&failure), ["main.2 panicked here", "main panicked because of it"]);
}

#[test]
fn a_poisoned_lock_passes_it_on() {
    let failure = fails("panic_poisons", FailureKind::Panic, || {
        let balance = Arc::new(Mutex::new(10));
        let its = balance.clone();
        let customer = thread::spawn(move || withdraw(&its, 20));
        while !balance.is_poisoned() {
            thread::yield_now();
        }
        withdraw(&balance, 5);
        drop(customer);
    });
    assert_eq!(failure.kind(), FailureKind::Panic);
}

#[test]
fn a_panic_that_join_returns_and_the_program_expects() {
    let outcomes = passes(|| {
        let balance = Arc::new(Mutex::new(10));
        let its = balance.clone();
        let customer = thread::spawn(move || withdraw(&its, 20));
        let refused = customer.join().unwrap_err();
        (refused.downcast_ref::<&str>().copied(), balance.is_poisoned())
    });
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [(None, true)]);
}

#[test]
fn a_panic_that_the_program_catches() {
    let outcomes = passes(|| {
        let balance = Arc::new(Mutex::new(10));
        let its = balance.clone();
        let customer = thread::spawn(move || {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| withdraw(&its, 20))).is_err()
        });
        let handled = customer.join().unwrap();
        (handled, balance.is_poisoned())
    });
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [(true, true)]);
}

/// A destructor that panics while its task unwinds: in main, in a task, and in a task that is torn down.
#[test]
fn panics_twice() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }
    let unwinds = || {
        let _bad = Panics;
        panic!("the first");
    };
    if child::is_one() {
        let main = Checker::dfs().run(unwinds);
        let task = Checker::dfs().run(|| thread::spawn(unwinds).join().is_err());
        let torn_down = Checker::dfs().run(|| {
            let _bad = Panics;
            let other = thread::spawn(|| {
                let _bad = Panics;
                thread::park();
            });
            other.join().unwrap();
        });
        let kinds = [main.failure(), task.failure(), torn_down.failure()].map(|f| f.unwrap().kind());
        println!("kinds: {kinds:?}");
    }
}

/// std's own line about it cannot be held back: the hook of a panic cannot be left.
#[test]
fn a_double_panic_ends_its_execution_and_not_the_process() {
    let (status, text) = child::run(child::of("panics::panics_twice").arg("--nocapture"));
    assert!(status.success(), "{text}");
    assert!(text.contains("kinds: [Panic, Panic, Deadlock]"), "{text}");
}

/// What panics inside of std, or of raddle, is told at the call: no file of raddle is ever named.
#[test]
fn misuses_of_std_are_at_the_call() {
    use raddle::sync::LazyLock;
    use raddle::time::{Duration, Instant};
    use std::cell::RefCell;
    raddle::thread_local! {
        static CELL: RefCell<u8> = const { RefCell::new(1) };
        static AFTER: After = const { After };
        static BEFORE: u8 = const { 1 };
    }
    struct After;
    impl Drop for After {
        fn drop(&mut self) {
            AFTER.with(|_| ());
        }
    }
    let nul = || thread::Builder::new().name("a\0".into());
    let programs: [&(dyn Fn() + Sync); 13] = [
        &|| _ = nul().spawn(|| ()),
        &|| thread::scope(|scope| _ = nul().spawn_scoped(scope, || ())),
        &|| _ = AtomicUsize::new(0).load(Release),
        &|| _ = Instant::now() + Duration::MAX,
        &|| _ = Instant::now() - Duration::MAX,
        &|| {
            let mut now = Instant::now();
            now += Duration::MAX;
        },
        &|| CELL.with_borrow_mut(|_| CELL.with_borrow(|_| ())),
        &|| CELL.with_borrow(|_| CELL.with_borrow_mut(|_| ())),
        &|| CELL.with_borrow(|_| CELL.set(2)),
        &|| CELL.with_borrow(|_| _ = CELL.replace(2)),
        &|| CELL.with_borrow(|_| _ = CELL.take()),
        &|| _ = *LazyLock::<u8>::new(|| panic!("of the program")),
        &|| {
            // Its end has destructors of thread-locals.
            let task = thread::spawn(|| {
                BEFORE.with(|_| ());
                AFTER.with(|_| ());
            });
            task.join().unwrap();
        },
    ];
    for (number, program) in programs.iter().enumerate() {
        let report = Checker::dfs().run(program);
        let failure = report.failure().unwrap_or_else(|| panic!("{number} passes"));
        assert_eq!(failure.kind(), FailureKind::Panic, "{number}: {report}");
        let places = failure.defect.facts.iter().filter_map(|fact| fact.place.as_ref());
        let mut files = places.chain(failure.trace().lines.iter().filter_map(|line| line.place.as_ref()));
        assert!(files.all(|place| place.file == file!()), "{number}: {report}");
    }
}
