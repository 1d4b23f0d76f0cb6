use super::{executions, failure, notes, outcomes, panic_of, passes};
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, LazyLock};
use raddle::{Checker, FailureKind, thread};

#[test]
fn its_function_runs_once() {
    let results = outcomes(|| {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let lazy = Arc::new(LazyLock::new(move || counted.fetch_add(1, SeqCst) + 10));
        let its = lazy.clone();
        let task = thread::spawn(move || **its);
        let before = LazyLock::get(&lazy).copied();
        let mine = *LazyLock::force(&lazy);
        (before, mine, task.join().unwrap(), runs.load(SeqCst))
    });
    assert_eq!(results, [(None, 10, 10, 1), (Some(10), 10, 10, 1)].into());
}

#[test]
fn a_value_that_is_there_takes_no_steps() {
    // Main: force. The other: force. In any order.
    let count = executions(|| {
        let lazy = Arc::new(LazyLock::new(|| 7));
        let its = lazy.clone();
        let task = thread::spawn(move || assert_eq!(**its + **its, 14));
        assert_eq!(**lazy + **lazy, 14);
        assert_eq!(LazyLock::get(&lazy), Some(&7));
        task.join().unwrap();
    });
    assert_eq!(count, 2);
}

#[test]
fn a_value_that_needs_itself() {
    let failed = failure(|| {
        use std::sync::OnceLock;
        type Lazy = LazyLock<u8, Box<dyn FnOnce() -> u8 + Send + Sync>>;
        let itself: Arc<OnceLock<Arc<Lazy>>> = Arc::default();
        let inner = itself.clone();
        let lazy: Lazy = LazyLock::new(Box::new(move || ***inner.get().unwrap() + 1));
        let lazy = itself.get_or_init(|| Arc::new(lazy));
        ***lazy
    });
    assert_eq!(failed.kind(), FailureKind::Deadlock);
    assert_eq!(notes(&failed), ["main waits to force LazyLock#1, which it holds itself"]);
}

/// All operations of a single task; the same for std's.
macro_rules! alone {
    ($LazyLock:ident) => {{
        let mut record = Vec::new();
        let mut lazy = $LazyLock::new(|| vec![1]);
        record.push(format!("{lazy:?} {:?}", $LazyLock::get(&lazy)));
        record.push(format!("{:?}", $LazyLock::get_mut(&mut lazy)));
        $LazyLock::force_mut(&mut lazy).push(2);
        lazy.push(3);
        record.push(format!("{lazy:?} {lazy:#?} {:?}", $LazyLock::get(&lazy)));
        $LazyLock::get_mut(&mut lazy).unwrap().push(4);
        record.push(format!("{:?} {:?}", $LazyLock::force(&lazy), lazy.len()));
        record.push(format!("{:?}", *<$LazyLock<u8>>::default()));

        let mut bad: $LazyLock<u8> = $LazyLock::new(|| panic!("no value"));
        record.push(panic_of(|| *bad).unwrap());
        record.push(panic_of(|| *bad).unwrap());
        record.push(panic_of(|| *$LazyLock::force(&bad)).unwrap());
        record.push(panic_of(|| *bad = 1).unwrap());
        record.push(format!("{bad:?} {:?}", $LazyLock::get(&bad)));
        record.push(format!("{:?}", $LazyLock::get_mut(&mut bad)));

        let mut bad: $LazyLock<u8> = $LazyLock::new(|| panic!("no value"));
        record.push(panic_of(|| *$LazyLock::force_mut(&mut bad)).unwrap());
        record.push(panic_of(|| *$LazyLock::force_mut(&mut bad)).unwrap());
        record.push(panic_of(|| *bad).unwrap());
        record.push(panic_of(|| *bad).unwrap());
        record
    }};
}

#[test]
fn alone_it_is_like_std() {
    use std::sync::LazyLock as Std;
    let std = alone!(Std);
    assert!(std.contains(&"LazyLock instance has previously been poisoned".to_owned()));
    assert_eq!(alone!(LazyLock), std);
    assert_eq!(outcomes(|| alone!(LazyLock)), [std].into());
}

#[test]
fn those_who_wait_learn_of_the_panic() {
    let results = outcomes(|| {
        let lazy: Arc<LazyLock<u8, _>> = Arc::new(LazyLock::new(|| {
            thread::yield_now();
            panic!("no value")
        }));
        let its = lazy.clone();
        let task = thread::spawn(move || panic_of(|| **its).unwrap());
        let mine = panic_of(|| **lazy).unwrap();
        (mine, task.join().unwrap())
    });
    let (first, second) =
        ("no value".to_owned(), "LazyLock instance has previously been poisoned".to_owned());
    assert_eq!(results, [(first.clone(), second.clone()), (second, first)].into());
}

#[test]
fn outside_it_is_the_real_one() {
    let runs = std::sync::atomic::AtomicUsize::new(0);
    let lazy = LazyLock::new(|| runs.fetch_add(1, SeqCst) + 5);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(*lazy, 5));
        }
    });
    assert_eq!(runs.load(SeqCst), 1);
    // It is initialised: an execution may use it.
    passes(Checker::dfs(), || assert_eq!((*lazy, LazyLock::get(&lazy)), (5, Some(&5))));
    let begun: LazyLock<u8> = LazyLock::new(|| 1);
    assert_eq!(LazyLock::get(&begun), None);
    assert_eq!(failure(|| *begun).kind(), FailureKind::Misuse);
}

#[test]
fn functions_and_values_are_dropped_once() {
    passes(Checker::dfs(), || {
        let value = Arc::new(());
        let never = value.clone();
        drop(LazyLock::new(move || never));
        let once = value.clone();
        let lazy = LazyLock::new(move || once);
        assert_eq!(Arc::strong_count(&lazy), 2);
        drop(lazy);
        assert_eq!(Arc::strong_count(&value), 1);
    });
}
