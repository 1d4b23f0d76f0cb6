//! The state of a static belongs to the execution, initialised from its const value: no execution sees
//! another's, be it earlier, parallel in another worker, or in another test.

use super::outcomes;
use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use raddle::sync::{Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use raddle::{Checker, thread};
use std::sync::atomic::AtomicUsize as StdAtomicUsize;

/// One static of each kind, in a separate module for each test, because tests run in parallel.
macro_rules! statics {
    ($name:ident) => {
        mod $name {
            use super::*;
            pub static COUNT: AtomicUsize = AtomicUsize::new(5);
            pub static MANY: [AtomicBool; 3] = [const { AtomicBool::new(true) }; 3];
            pub static LOG: Mutex<Vec<usize>> = Mutex::new(Vec::new());
            pub static CONFIG: OnceLock<String> = OnceLock::new();
            pub static LAZY: LazyLock<Vec<usize>> = LazyLock::new(|| {
                INITS.fetch_add(1, SeqCst);
                vec![1, 2, 3]
            });
            pub static LOCK: RwLock<Option<Box<usize>>> = RwLock::new(None);
            pub static STARTED: Once = Once::new();
            pub static CONDVAR: Condvar = Condvar::new();
            pub static CELL: Shared = Shared(UnsafeCell::new(7));
            /// A type of std, so it counts all executions.
            pub static INITS: StdAtomicUsize = StdAtomicUsize::new(0);

            /// Their values at the start of a program.
            pub fn beginning() -> impl Ord + Clone + Send + std::fmt::Debug {
                (
                    COUNT.load(SeqCst),
                    MANY.each_ref().map(|flag| flag.load(SeqCst)),
                    LOG.lock().unwrap().clone(),
                    CONFIG.get().cloned(),
                    LOCK.read().unwrap().clone(),
                    STARTED.is_completed(),
                    // SAFETY: no other task exists yet.
                    CELL.0.with(|value| unsafe { *value }),
                )
            }

            /// Changes all of them.
            pub fn change(by: usize) {
                COUNT.fetch_add(by, SeqCst);
                MANY[by % 3].store(false, SeqCst);
                LOG.lock().unwrap().push(by);
                CONFIG.get_or_init(|| format!("by {by}"));
                *LOCK.write().unwrap() = Some(Box::new(by));
                STARTED.call_once(|| ());
                CONDVAR.notify_all();
                assert_eq!(LAZY[2], 3);
            }
        }
    };
}

pub struct Shared(UnsafeCell<usize>);
// SAFETY: the tests use it before they spawn any task.
unsafe impl Sync for Shared {}

const CLEAN: &str = "(5, [true, true, true], [], None, None, false, 7)";

statics!(one_after_the_other);

#[test]
fn executions_one_after_the_other() {
    use one_after_the_other::*;
    let seen = outcomes(Checker::dfs(), || {
        let seen = beginning();
        let other = thread::spawn(|| COUNT.fetch_add(1, SeqCst));
        change(1);
        other.join().unwrap();
        assert_eq!(COUNT.load(SeqCst), 7);
        assert_eq!(*LOG.lock().unwrap(), [1]);
        assert_eq!(CONFIG.get().unwrap(), "by 1");
        format!("{seen:?}")
    });
    assert_eq!(seen, [CLEAN]);
    // Outside, nothing has changed.
    assert_eq!(format!("{:?}", beginning()), CLEAN);
}

statics!(workers);

#[test]
fn executions_side_by_side_in_workers() {
    use workers::*;
    let report = Checker::random(2_000).workers(4).run(|| {
        let seen = beginning();
        change(2);
        thread::yield_now();
        assert_eq!((COUNT.load(SeqCst), LOG.lock().unwrap().len()), (7, 1));
        format!("{seen:?}")
    });
    assert!(report.failure().is_none(), "{report}");
    assert_eq!(report.outcomes().iter().map(|(s, n)| (s.as_str(), *n)).collect::<Vec<_>>(), [(CLEAN, 2_000)]);
    // A lazy is initialised once in each execution; the first is made twice.
    assert_eq!(INITS.load(SeqCst), 2_001);
}

statics!(tests);

#[test]
fn executions_side_by_side_in_tests() {
    use tests::*;
    std::thread::scope(|scope| {
        for by in 1..5 {
            scope.spawn(move || {
                let seen = outcomes(Checker::random(300).seed(by as u64), move || {
                    let seen = beginning();
                    change(by);
                    thread::yield_now();
                    assert_eq!(COUNT.load(SeqCst), 5 + by);
                    format!("{seen:?}")
                });
                assert_eq!(seen, [CLEAN]);
            });
        }
        // And a thread uses them outside all explorations.
        scope.spawn(|| {
            for n in 1..100 {
                change(3);
                assert_eq!(COUNT.load(SeqCst), 5 + 3 * n);
                std::thread::yield_now();
            }
        });
    });
    assert_eq!(COUNT.load(SeqCst), 5 + 3 * 99);
    assert_eq!(LOG.lock().unwrap().len(), 99);
}

statics!(outside_first);

#[test]
fn a_static_that_was_used_outside_starts_from_its_const_value() {
    use outside_first::*;
    change(4);
    let before = format!("{:?}", beginning());
    assert_ne!(before, CLEAN);
    let seen = outcomes(Checker::random(10).workers(2), || {
        let seen = beginning();
        change(1);
        format!("{seen:?}")
    });
    assert_eq!(seen, [CLEAN]);
    // Changes from outside are still there.
    assert_eq!(format!("{:?}", beginning()), before);
    assert_eq!(CONFIG.get().unwrap(), "by 4");
}

/// A value with a destructor, in a static.
struct Guarded(usize);
static DROPS: StdAtomicUsize = StdAtomicUsize::new(0);
impl Drop for Guarded {
    fn drop(&mut self) {
        DROPS.fetch_add(self.0, SeqCst);
    }
}

#[test]
fn copies_are_destroyed_with_their_execution() {
    static KEPT: Mutex<Option<Guarded>> = Mutex::new(None);
    static FIRST: OnceLock<Guarded> = OnceLock::new();
    static LAZY: LazyLock<Guarded> = LazyLock::new(|| Guarded(100));
    static NEVER: LazyLock<Guarded> = LazyLock::new(|| Guarded(10_000));
    let report = Checker::random(10).run(|| {
        assert!(KEPT.lock().unwrap().replace(Guarded(1)).is_none());
        assert!(FIRST.set(Guarded(10)).is_ok());
        LAZY.0
    });
    assert!(report.failure().is_none(), "{report}");
    // The first execution is made twice.
    assert_eq!(DROPS.load(SeqCst), 11 * 111);
    let _ = &NEVER;
}

/// Destructors of overlays may use other overlays.
#[test]
fn copies_that_use_each_other_when_they_are_destroyed() {
    static SEEN: StdAtomicUsize = StdAtomicUsize::new(0);
    static COUNT: AtomicUsize = AtomicUsize::new(1);
    static USER: Mutex<Option<User>> = Mutex::new(None);
    struct User;
    impl Drop for User {
        fn drop(&mut self) {
            SEEN.fetch_add(COUNT.load(SeqCst), SeqCst);
        }
    }
    let report = Checker::random(5).run(|| {
        COUNT.fetch_add(1, SeqCst);
        *USER.lock().unwrap() = Some(User);
    });
    assert!(report.failure().is_none(), "{report}");
    let seen = SEEN.load(SeqCst);
    // The first execution is made twice.
    assert!(seen == 6 * 2 || seen == 6, "{seen}");
}

/// A failing execution leaves no changes either.
#[test]
fn after_a_failure() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    static LOCK: Mutex<usize> = Mutex::new(0);
    let report = Checker::dfs().keep_going().run(|| {
        let seen = COUNT.fetch_add(1, SeqCst);
        assert!(!LOCK.is_poisoned());
        let mut guard = LOCK.lock().unwrap();
        *guard += 1;
        assert!(raddle::choose(3) == 0, "poisons it");
        (seen, *guard)
    });
    assert_eq!(report.failures(), 2);
    assert_eq!(report.outcomes().keys().copied().collect::<Vec<_>>(), [(0, 1)]);
    let message = report.failure().unwrap().message();
    assert!(message.contains("poisons it"), "{message}");
    assert!(!LOCK.is_poisoned());
}
