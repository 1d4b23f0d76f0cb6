//! Thread-locals: one value per task and execution, created on first use, destroyed before join returns.

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread::{self, AccessError, LocalKey};
use raddle::{Checker, Detached, FailureKind, Report, thread_local};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize as Real;

fn passes<T: Ord + Debug>(report: &Report<T>) {
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

fn outcomes<T: Ord + Debug + Clone>(report: &Report<T>) -> Vec<(T, u64)> {
    passes(report);
    report.outcomes().iter().map(|(outcome, times)| (outcome.clone(), *times)).collect()
}

// The macro.

thread_local! {}

thread_local! {
    /// Documented.
    #[allow(dead_code)]
    pub static PUBLIC: Cell<u32> = Cell::new(start());
    pub(crate) static VECTOR: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static PLAIN: u8 = const {
        let three = 3;
        three + 1
    };
    #[cfg(any())]
    static ABSENT: NoSuchType = no_such_function();
    static WITHOUT_SEMICOLON: String = String::from("text")
}

// No item of the macro may shadow the names of its arguments.
fn start() -> u32 {
    7
}
fn init() -> &'static str {
    "mine"
}
thread_local!(static NAMED_ALIKE: &'static str = init());

mod elsewhere {
    raddle::thread_local!(pub(super) static KEY: std::cell::Cell<bool> = const { std::cell::Cell::new(true) });
}

const REFERENCE: &LocalKey<Cell<u32>> = &PUBLIC;

#[test]
fn every_form_of_the_macro() {
    let program = || {
        raddle::thread_local!(static INNER: Cell<u8> = const { Cell::new(1) });
        INNER.set(INNER.get() + 1);
        VECTOR.with_borrow_mut(|v| v.push(PUBLIC.get()));
        assert!(elsewhere::KEY.get());
        REFERENCE.set(REFERENCE.get() + 1);
        let text = WITHOUT_SEMICOLON.with(|s| s.clone());
        let vector = VECTOR.with_borrow(|v| v.clone());
        (INNER.get(), vector, PLAIN.with(|n| *n), text, PUBLIC.get(), NAMED_ALIKE.with(|n| *n))
    };
    let expected = (2, vec![7], 4, "text".to_owned(), 8, "mine");
    let report = Checker::random(3).run(program);
    assert_eq!(outcomes(&report), [(expected.clone(), 3)]);
    // Outside too, and once for each real thread.
    for _ in 0..2 {
        assert_eq!(std::thread::spawn(program).join().unwrap(), expected);
    }
}

#[test]
fn every_method() {
    thread_local! {
        static CELL: Cell<u32> = panic!("set does not run the initialiser");
        static REF: RefCell<String> = panic!("set does not run the initialiser");
    }
    let program = || {
        CELL.set(1);
        CELL.set(2);
        assert_eq!((CELL.get(), CELL.replace(3), CELL.take(), CELL.get()), (2, 2, 3, 0));
        REF.set("a".to_owned());
        REF.set("b".to_owned());
        assert_eq!(REF.replace("c".to_owned()), "b");
        REF.with_borrow_mut(|s| s.push('d'));
        assert_eq!(REF.with_borrow(|s| s.len()), 2);
        assert_eq!((REF.take(), REF.take()), ("cd".to_owned(), String::new()));
        assert_eq!(REF.try_with(|s| s.borrow().len()), Ok(0));
        assert_eq!(format!("{CELL:?}"), "LocalKey { .. }");
        let borrowed = REF.with(|cell| {
            let _guard = cell.borrow();
            catch_unwind(AssertUnwindSafe(|| REF.set(String::new()))).is_err()
        });
        assert!(borrowed);
    };
    passes(&Checker::dfs().run(program));
    std::thread::spawn(program).join().unwrap();
}

// Ownership.

thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });

fn count() -> u32 {
    COUNT.set(COUNT.get() + 1);
    COUNT.get()
}

#[test]
fn every_task_has_its_own_and_every_execution_starts_clean() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        assert_eq!(count(), 1);
        let handles = [(); 2].map(|()| {
            let x = x.clone();
            thread::spawn(move || {
                let first = count();
                x.fetch_add(1, SeqCst);
                (first, count())
            })
        });
        let counts = handles.map(|h| h.join().unwrap());
        (counts, count())
    };
    COUNT.set(100);
    for workers in [1, 2] {
        let report = Checker::dfs().workers(workers).run(program);
        // As in two_threads_with_an_operation_each, of the tests of threads: using thread-locals is no step.
        assert_eq!(outcomes(&report), [(([(1, 2), (1, 2)], 2), 2)]);
    }
    assert_eq!(COUNT.get(), 100);
}

/// Counts live instances, and records the order of events.
struct Noisy {
    alive: &'static Real,
    log: Option<(&'static str, Arc<std::sync::Mutex<Vec<&'static str>>>)>,
}

impl Noisy {
    fn new(alive: &'static Real) -> Noisy {
        alive.fetch_add(1, SeqCst);
        Noisy { alive, log: None }
    }
}

impl Drop for Noisy {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, SeqCst);
        if let Some((word, log)) = &self.log {
            log.lock().unwrap().push(word);
        }
    }
}

#[test]
fn destroyed_before_join_returns_and_main_s_too() {
    static ALIVE: Real = Real::new(0);
    static MADE: Real = Real::new(0);
    thread_local!(static NOISY: Noisy = {
        MADE.fetch_add(1, SeqCst);
        Noisy::new(&ALIVE)
    });
    let report = Checker::dfs().run(|| {
        assert_eq!(ALIVE.load(SeqCst), 0);
        NOISY.with(|_| {});
        let user = thread::spawn(|| NOISY.with(|_| ALIVE.load(SeqCst)));
        assert_eq!(user.join().unwrap(), 2);
        assert_eq!(ALIVE.load(SeqCst), 1);
        // Created on first use only.
        thread::spawn(|| {}).join().unwrap();
    });
    // main.1's return and its exit, then the join, all automatic: no choice.
    assert_eq!(outcomes(&report), [((), 1)]);
    // The first execution is made twice.
    assert_eq!((ALIVE.load(SeqCst), MADE.load(SeqCst)), (0, 2 * 2));
}

#[test]
fn the_last_one_made_is_destroyed_first() {
    type Log = Arc<std::sync::Mutex<Vec<&'static str>>>;
    static ALIVE: Real = Real::new(0);
    thread_local! {
        static A: OnceCell<Noisy> = const { OnceCell::new() };
        static B: OnceCell<Noisy> = const { OnceCell::new() };
        static C: OnceCell<Noisy> = const { OnceCell::new() };
    }
    fn fill(key: &'static LocalKey<OnceCell<Noisy>>, word: &'static str, log: &Log) {
        let noisy = Noisy { log: Some((word, log.clone())), ..Noisy::new(&ALIVE) };
        key.with(|cell| assert!(cell.set(noisy).is_ok()));
    }
    let program = || {
        let log = Log::default();
        let handle = thread::spawn({
            let log = log.clone();
            move || {
                fill(&B, "b", &log);
                fill(&A, "a", &log);
                fill(&C, "c", &log);
            }
        });
        handle.join().unwrap();
        log.lock().unwrap().clone()
    };
    assert_eq!(outcomes(&Checker::dfs().run(program)), [(vec!["c", "a", "b"], 1)]);
    // As with std on this platform.
    assert_eq!(program(), ["c", "a", "b"]);
}

#[test]
fn a_destructor_may_use_other_keys_as_long_as_they_are_there() {
    thread_local! {
        static SEEN: RefCell<Vec<Result<u32, AccessError>>> = const { RefCell::new(Vec::new()) };
        static BEFORE: Box<u32> = Box::new(1);
        static PLAIN: Cell<u32> = const { Cell::new(2) };
        static FRESH: Box<u32> = Box::new(3);
        static FRESH_PLAIN: u32 = 4;
        static LAST: Probe = Probe(Arc::default());
    }
    type Seen = Arc<std::sync::Mutex<Vec<Result<u32, AccessError>>>>;
    struct Probe(Seen);
    impl Drop for Probe {
        fn drop(&mut self) {
            let own = LAST.try_with(|_| 0);
            let seen = [
                own,
                BEFORE.try_with(|n| **n),
                PLAIN.try_with(|n| n.get()),
                FRESH.try_with(|n| **n),
                FRESH_PLAIN.try_with(|n| *n),
            ];
            self.0.lock().unwrap().extend(seen);
        }
    }
    let program = |probe_first: bool| {
        let seen = thread::spawn(move || {
            PLAIN.set(2);
            if probe_first {
                let seen = LAST.with(|p| p.0.clone());
                BEFORE.with(|_| {});
                seen
            } else {
                BEFORE.with(|_| {});
                LAST.with(|p| p.0.clone())
            }
        });
        let seen = seen.join().unwrap();
        let seen = seen.lock().unwrap();
        seen.iter().map(|s| s.map_err(|_| ())).collect::<Vec<_>>()
    };
    // Its own value is gone; those created before it still exist, those created after it no longer.
    let gone = Err(());
    let expected = [vec![gone, gone, Ok(2), Ok(3), Ok(4)], vec![gone, Ok(1), Ok(2), Ok(3), Ok(4)]];
    for (first, expected) in [true, false].into_iter().zip(expected) {
        let report = Checker::dfs().run(|| program(first));
        assert_eq!(outcomes(&report), [(expected.clone(), 1)]);
        assert_eq!(program(first), expected);
    }
}

#[test]
fn access_after_destruction_says_what_std_says() {
    thread_local!(static KEY: Probe = Probe);
    struct Probe;
    fn look(sink: &std::sync::Mutex<Vec<String>>) {
        let error = KEY.try_with(|_| ()).unwrap_err();
        let payload = catch_unwind(|| KEY.with(|_| ())).unwrap_err();
        let as_error: &dyn std::error::Error = &error;
        let said = [format!("{error:?}"), as_error.to_string(), *payload.downcast::<String>().unwrap()];
        sink.lock().unwrap().extend(said);
    }
    static SINK: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    impl Drop for Probe {
        fn drop(&mut self) {
            look(&SINK);
        }
    }
    let expected = [
        "AccessError",
        "already destroyed",
        "cannot access a Thread Local Storage value during or after destruction: AccessError",
    ];
    passes(&Checker::random(1).run(|| thread::spawn(|| KEY.with(|_| {})).join().unwrap()));
    // The first execution is made twice.
    assert_eq!(std::mem::take(&mut *SINK.lock().unwrap()), [expected; 2].concat());
    thread::spawn(|| KEY.with(|_| {})).join().unwrap();
    assert_eq!(std::mem::take(&mut *SINK.lock().unwrap()), expected);
}

// Initialisers and destructors are program code.

static LOCK: Mutex<u32> = Mutex::new(0);

#[test]
fn an_initialiser_may_do_operations_and_use_other_keys() {
    thread_local! {
        static NUMBER: u32 = {
            let mut next = LOCK.lock().unwrap();
            *next += 1;
            *next
        };
        static DOUBLE: u32 = NUMBER.with(|n| 2 * n);
    }
    // main.1: l1 u1; main.2: l2 u2; exits and joins are automatic. Whichever task locks first, the other one
    // can only wait: no further choice.
    let report = Checker::dfs().run(|| {
        let handles = [(); 2].map(|()| thread::spawn(|| DOUBLE.with(|n| *n) + NUMBER.with(|n| *n)));
        handles.map(|h| h.join().unwrap())
    });
    assert_eq!(outcomes(&report), [([3, 6], 1), ([6, 3], 1)]);
}

#[test]
fn an_initialiser_that_uses_its_own_key_goes_last() {
    static ALIVE: Real = Real::new(0);
    thread_local! {
        static DEPTH: Cell<u32> = const { Cell::new(0) };
        static KEY: (u32, Noisy) = {
            let depth = DEPTH.get();
            DEPTH.set(depth + 1);
            if depth < 2 {
                assert_eq!(KEY.with(|k| k.0), depth + 1);
                assert_eq!(ALIVE.load(SeqCst), 1);
            }
            (depth, Noisy::new(&ALIVE))
        };
    }
    let program = || {
        thread::spawn(|| {
            let seen = [KEY.with(|k| k.0), KEY.with(|k| k.0)];
            assert_eq!(ALIVE.load(SeqCst), 1);
            seen
        })
        .join()
        .unwrap()
    };
    assert_eq!(outcomes(&Checker::dfs().run(program)), [([0, 0], 1)]);
    assert_eq!(ALIVE.load(SeqCst), 0);
    assert_eq!(program(), [0, 0]);
}

#[test]
fn an_initialiser_that_panics_is_run_again() {
    thread_local! {
        static ATTEMPTS: Cell<u32> = const { Cell::new(0) };
        static KEY: u32 = {
            ATTEMPTS.set(ATTEMPTS.get() + 1);
            assert!(ATTEMPTS.get() > 1, "the first one fails");
            ATTEMPTS.get()
        };
    }
    let program = || (catch_unwind(|| KEY.with(|n| *n)).is_err(), KEY.with(|n| *n));
    assert_eq!(outcomes(&Checker::dfs().run(program)), [((true, 2), 1)]);
}

/// Adds to an atomic when it is destroyed.
struct Adds(Arc<AtomicUsize>);
impl Drop for Adds {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}
thread_local!(static ADDS: OnceCell<Adds> = const { OnceCell::new() });

fn will_add(x: &Arc<AtomicUsize>) {
    ADDS.with(|cell| assert!(cell.set(Adds(x.clone())).is_ok()));
}

#[test]
fn a_destructor_may_do_operations() {
    // main.1: add, between its return and its exit, which are automatic; main: l, j. l comes before or after
    // the add.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || will_add(&x)
        });
        let early = x.load(SeqCst);
        handle.join().unwrap();
        (early, x.load(SeqCst))
    });
    assert_eq!(outcomes(&report), [((0, 1), 1), ((1, 1), 1)]);
}

#[test]
fn main_s_destructors_may_do_operations_too() {
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        will_add(&x);
        x.load(SeqCst)
    });
    // load, add, exit.
    assert_eq!(outcomes(&report), [(0, 1)]);
    assert_eq!(report.steps(), 3);
}

#[test]
fn a_destructor_may_wait_for_another_thread() {
    let report = Checker::dfs().run(|| {
        struct Joins(Cell<Option<thread::JoinHandle<()>>>);
        impl Drop for Joins {
            fn drop(&mut self) {
                self.0.take().unwrap().join().unwrap();
            }
        }
        thread_local!(static JOINS: Joins = Joins(Cell::new(Some(thread::spawn(thread::yield_now)))));
        thread::spawn(|| JOINS.with(|_| {})).join().unwrap();
    });
    passes(&report);
}

#[test]
fn a_function_is_over_before_its_thread_locals_are() {
    // main.1: return, automatic, then add; main: f (is_finished), l, j. (f l) with (a). Before a, f has two
    // answers; after it, f has only one, since an operation after the return was visible.
    let program = |finished_first: bool| {
        move || {
            let x = Arc::new(AtomicUsize::new(0));
            let handle = thread::spawn({
                let x = x.clone();
                move || will_add(&x)
            });
            let early = finished_first.then(|| handle.is_finished());
            let loaded = x.load(SeqCst);
            let finished = early.unwrap_or_else(|| handle.is_finished());
            handle.join().unwrap();
            (finished, loaded)
        }
    };
    // f l a: either answer, 0. f a l: either answer, 1. a f l: yes, 1.
    let report = Checker::dfs().run(program(true));
    assert_eq!(outcomes(&report), [((false, 0), 1), ((false, 1), 1), ((true, 0), 1), ((true, 1), 2)]);
    // l f a: either answer, 0. l a f: yes, 0. a l f: yes, 1; never "not yet" after the destructor.
    let report = Checker::dfs().run(program(false));
    assert_eq!(outcomes(&report), [((false, 0), 1), ((true, 0), 2), ((true, 1), 1)]);
}

#[test]
fn a_scope_does_not_wait_for_the_destructors_of_thread_locals() {
    // main.1: return, automatic; add. main: the scope's join, automatic after the return, then l.
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        thread::scope(|s| {
            s.spawn(|| will_add(&x));
        });
        x.load(SeqCst)
    };
    let report = Checker::dfs().run(program);
    // l a, or a l; main exits last.
    assert_eq!(outcomes(&report), [(0, 1), (1, 1)]);
    // They are no detached threads either.
    passes(&Checker::dfs().detached(Detached::MustFinish).run(program));
    // Unless they are joined.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        thread::scope(|s| s.spawn(|| will_add(&x)).join().unwrap());
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn a_destructor_that_panics_would_abort_the_process() {
    struct Loud;
    impl Drop for Loud {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    thread_local!(static LOUD: Loud = const { Loud });
    let report = Checker::dfs().run(|| thread::spawn(|| LOUD.with(|_| {})).join().is_ok());
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Panic);
    assert_eq!(
        failure.message(),
        "main.1: a thread-local destructor panicked: boom; the process would abort"
    );
    let report = Checker::dfs().run(|| LOUD.with(|_| {}));
    assert_eq!(
        report.failure().expect("it fails").message(),
        "main: a thread-local destructor panicked: boom; the process would abort"
    );
}

#[test]
fn destroyed_when_the_thread_panics() {
    static ALIVE: Real = Real::new(0);
    thread_local!(static NOISY: Noisy = Noisy::new(&ALIVE));
    let report = Checker::dfs().run(|| {
        let handle = thread::spawn(|| {
            NOISY.with(|_| {});
            panic!("boom");
        });
        assert!(handle.join().is_err());
        ALIVE.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(0, 1)]);
}

// Nothing survives an execution.

#[test]
fn failed_executions_leave_nothing_behind() {
    static ALIVE: Real = Real::new(0);
    thread_local! {
        static NOISY: Noisy = Noisy::new(&ALIVE);
        static PLAIN: Cell<u32> = const { Cell::new(0) };
    }
    let report = Checker::dfs().keep_going().run(|| {
        assert_eq!((PLAIN.get(), ALIVE.load(SeqCst)), (0, 0), "something is left");
        PLAIN.set(1);
        NOISY.with(|_| {});
        let x = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let x = x.clone();
            move || {
                assert_eq!(PLAIN.replace(1), 0, "something is left");
                NOISY.with(|_| {});
                // Waits for ever if main has come first.
                if x.fetch_add(1, SeqCst) == 1 {
                    thread::park();
                }
            }
        });
        if x.fetch_add(1, SeqCst) == 1 {
            thread::park();
        }
        handle.join().unwrap();
    });
    assert_eq!(report.failure().expect("it fails").kind(), FailureKind::Deadlock);
    assert_eq!(report.failures(), report.executions());
    assert_eq!(ALIVE.load(SeqCst), 0);
}

#[test]
fn teardown_copes_with_destructors_that_do_operations_wait_or_panic() {
    static ALIVE: Real = Real::new(0);
    struct Nasty(#[allow(dead_code)] Noisy, Arc<AtomicUsize>, fn());
    impl Drop for Nasty {
        fn drop(&mut self) {
            self.1.fetch_add(1, SeqCst);
            (self.2)();
        }
    }
    thread_local! {
        static FIRST: OnceCell<Noisy> = const { OnceCell::new() };
        static NASTY: OnceCell<Nasty> = const { OnceCell::new() };
        static OTHER: Noisy = Noisy::new(&ALIVE);
    }
    let nasty: [fn(); 3] = [|| OTHER.with(|_| {}), || panic!("boom"), || NASTY.with(|_| {})];
    for end in nasty {
        let report = Checker::random(2).keep_going().run(|| {
            assert_eq!(ALIVE.load(SeqCst), 0, "something is left");
            let x = Arc::new(AtomicUsize::new(0));
            assert!(FIRST.with(|f| f.set(Noisy::new(&ALIVE)).is_ok()));
            let nasty = Nasty(Noisy::new(&ALIVE), x, end);
            assert!(NASTY.with(|n| n.set(nasty).is_ok()));
            thread::park();
        });
        assert_eq!(report.failures_by_kind().get(&FailureKind::Deadlock), Some(&2));
        assert_eq!(ALIVE.load(SeqCst), 0);
    }
    // A destructor that would wait for ever is abandoned.
    let report = Checker::random(2).keep_going().run(|| {
        let nasty = Nasty(Noisy::new(&ALIVE), Arc::default(), thread::park);
        assert!(NASTY.with(|n| n.set(nasty).is_ok()));
        thread::park();
    });
    assert_eq!(report.failures(), 2);
    assert_eq!(report.failure().unwrap().kind(), FailureKind::Deadlock);
}

#[test]
fn detached_tasks_leave_no_thread_locals_behind() {
    static ALIVE: Real = Real::new(0);
    thread_local!(static NOISY: Noisy = Noisy::new(&ALIVE));
    let report = Checker::random(3).run(|| {
        drop(thread::spawn(|| {
            NOISY.with(|_| {});
            thread::park();
        }));
        thread::yield_now();
        ALIVE.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 3)]);
    assert_eq!(ALIVE.load(SeqCst), 0);
}
