//! Scoped threads: they borrow, they are joined, their panics are the scope's.

use raddle::sync::Mutex;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::thread::{self, Builder};
use raddle::{Checker, Detached, FailureKind, Report};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn passes<T: Ord + Debug>(report: &Report<T>) {
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

fn outcomes<T: Ord + Debug + Clone>(report: &Report<T>) -> Vec<(T, u64)> {
    passes(report);
    report.outcomes().iter().map(|(outcome, times)| (outcome.clone(), *times)).collect()
}

#[test]
fn two_threads_that_borrow() {
    // main.1: a1; main.2: a2; exits and the scope's join are automatic: 2! = 2.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let mut local = [0, 0];
        let [first, second] = &mut local;
        thread::scope(|s| {
            s.spawn(|| *first = x.fetch_add(1, SeqCst));
            s.spawn(|| *second = x.fetch_add(1, SeqCst));
        });
        local
    });
    assert_eq!(outcomes(&report), [([0, 1], 1), ([1, 0], 1)]);
}

#[test]
fn a_scope_with_nobody_in_it_is_no_step() {
    let report = Checker::dfs().run(|| thread::scope(|_| 3));
    assert_eq!(outcomes(&report), [(3, 1)]);
    assert_eq!(report.steps(), 1);
}

#[test]
fn threads_that_were_joined_need_not_be_waited_for() {
    // e j END.
    let report = Checker::dfs().run(|| thread::scope(|s| s.spawn(|| 3).join().unwrap()));
    assert_eq!(outcomes(&report), [(3, 1)]);
    assert_eq!(report.steps(), 3);
}

#[test]
fn handles() {
    // f before or after e, then j END.
    let report = Checker::dfs().run(|| {
        thread::scope(|s| {
            let handle = Builder::new().name("scoped".to_owned()).spawn_scoped(s, thread::current).unwrap();
            assert_eq!(format!("{handle:?}"), "ScopedJoinHandle { .. }");
            assert_eq!(handle.thread().name(), Some("scoped"));
            assert!(format!("{s:?}").starts_with("Scope { main_thread: Thread { id: ThreadId(1)"));
            let (finished, id) = (handle.is_finished(), handle.thread().id());
            assert_eq!(handle.join().unwrap().id(), id);
            finished
        })
    });
    assert_eq!(outcomes(&report), [(false, 1), (true, 1)]);
}

#[test]
fn a_thread_may_spawn_into_the_scope_it_is_in() {
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        thread::scope(|s| {
            s.spawn(|| {
                s.spawn(|| {
                    s.spawn(|| x.fetch_add(1, SeqCst));
                    x.fetch_add(1, SeqCst)
                });
                x.fetch_add(1, SeqCst)
            });
        });
        x.load(SeqCst)
    });
    passes(&report);
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&3]);
}

#[test]
fn nested_scopes() {
    // main.1's scope: main.1.1: b e, then its join k, then main.1's own a, e'; then main's join. One chain.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(1);
        thread::scope(|outer| {
            outer.spawn(|| {
                let mut inner_saw = 0;
                thread::scope(|inner| {
                    inner.spawn(|| inner_saw = x.fetch_add(1, SeqCst));
                });
                x.fetch_add(inner_saw, SeqCst)
            });
        });
        x.into_inner()
    });
    assert_eq!(outcomes(&report), [(3, 1)]);
}

#[test]
fn an_unjoined_panic_is_the_scopes() {
    let report = Checker::dfs().run(|| {
        thread::scope(|s| {
            s.spawn(|| {});
            s.spawn(|| panic!("boom"));
        });
    });
    let failure = report.failure().expect("it fails");
    assert_eq!((failure.kind(), failure.message().as_str()), (FailureKind::Panic, "main.2 panicked: boom"));
    let notes: Vec<_> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["main.2 panicked here", "main panicked because of it"]);
    assert!(failure.defect.facts.iter().all(|n| n.place.as_ref().unwrap().file.ends_with("scopes.rs")));
}

#[test]
fn the_scopes_panic_says_what_stds_does_and_can_be_caught() {
    let report = Checker::dfs().run(|| {
        let caught = catch_unwind(|| {
            thread::scope(|s| {
                s.spawn(|| panic!("boom"));
            });
        });
        *caught.unwrap_err().downcast::<&str>().unwrap()
    });
    assert_eq!(outcomes(&report), [("a scoped thread panicked", 1)]);
}

#[test]
fn a_joined_panic_is_handled() {
    let report = Checker::dfs().run(|| thread::scope(|s| s.spawn(|| panic!("boom")).join().is_err()));
    assert_eq!(outcomes(&report), [(true, 1)]);
}

#[test]
fn a_scope_whose_closure_panics_waits_all_the_same() {
    // main.1: a e, then the scope's join and main's load.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|s| {
                s.spawn(|| x.fetch_add(1, SeqCst));
                panic!("mine");
            })
        }));
        assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "mine");
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn a_panic_of_the_closure_comes_before_that_of_a_thread() {
    let report = Checker::dfs().run(|| {
        thread::scope(|s| {
            s.spawn(|| panic!("theirs"));
            panic!("mine");
        })
    });
    assert_eq!(report.failure().expect("it fails").message(), "main panicked: mine");
}

#[test]
fn a_deadlock_names_those_the_scope_waits_for() {
    let report = Checker::dfs().run(|| {
        thread::scope(|s| {
            s.spawn(|| {});
            s.spawn(thread::park);
        });
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    let notes: Vec<_> = failure.defect.facts.iter().map(raddle_report::fact).collect();
    assert_eq!(notes, ["main waits to join scope#1, held by main.2", "main.2 waits to be unparked"]);
}

/// Reads what it borrows when it is dropped.
struct Looks<'a> {
    at: &'a Mutex<Vec<&'static str>>,
    word: &'static str,
}

impl Drop for Looks<'_> {
    fn drop(&mut self) {
        let mut words = self.at.lock().unwrap_or_else(|e| e.into_inner());
        assert_eq!(words[0], "alive");
        words.push(self.word);
    }
}

/// Records what its mutex held when it was destroyed.
struct Owner<'a> {
    words: Mutex<Vec<&'static str>>,
    seen: &'a std::sync::Mutex<Vec<Vec<&'static str>>>,
}

impl Drop for Owner<'_> {
    fn drop(&mut self) {
        let words = std::mem::take(self.words.get_mut().unwrap_or_else(|e| e.into_inner()));
        self.seen.lock().unwrap().push(words);
    }
}

#[test]
fn teardown_unwinds_children_before_the_frames_they_borrow_from() {
    let seen = std::sync::Mutex::new(Vec::new());
    let report = Checker::dfs().run(|| {
        let owner = Owner { words: Mutex::new(vec!["alive"]), seen: &seen };
        thread::scope(|s| {
            s.spawn(|| {
                let _looks = Looks { at: &owner.words, word: "child" };
                thread::scope(|s| {
                    s.spawn(|| {
                        let _looks = Looks { at: &owner.words, word: "grandchild" };
                        thread::park();
                    });
                    thread::park();
                });
            });
            let _looks = Looks { at: &owner.words, word: "parent" };
            thread::park();
        });
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert!(failure.afterwards.is_empty());
    let seen = seen.into_inner().unwrap();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|words| *words == ["alive", "grandchild", "child", "parent"]), "{seen:?}");
}

#[test]
fn the_program_cannot_swallow_the_teardown_of_a_scope() {
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let swallowed = catch_unwind(AssertUnwindSafe(|| {
            thread::scope(|s| {
                s.spawn(|| {
                    let _ = catch_unwind(thread::park);
                    x.fetch_add(1, SeqCst);
                });
            });
        }));
        drop(swallowed);
        thread::park();
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert!(failure.afterwards.is_empty());
}

#[test]
fn a_failure_in_a_scoped_thread_ends_the_scope_clean() {
    static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Counts<'a>(&'a AtomicUsize);
    impl Drop for Counts<'_> {
        fn drop(&mut self) {
            self.0.load(SeqCst);
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let report = Checker::dfs().keep_going().run(|| {
        let x = AtomicUsize::new(0);
        thread::scope(|s| {
            for n in 1..=2 {
                let x = &x;
                s.spawn(move || {
                    let _counts = Counts(x);
                    let before = x.load(SeqCst);
                    x.store(before + n, SeqCst);
                });
            }
            x.load(SeqCst);
        });
        assert_eq!(x.load(SeqCst), 3, "lost update");
    });
    assert!(report.failures() > 0 && report.failures() < report.executions());
    assert_eq!(
        report.failure().unwrap().message().lines().next(),
        Some("main panicked: assertion `left == right` failed: lost update")
    );
    // The failing executions are run once more for the report, so there are at least as many.
    assert!(DROPPED.load(SeqCst) as u64 >= 2 * report.executions());
}

#[test]
fn scoped_threads_have_finished_when_the_scope_has() {
    let report = Checker::dfs().detached(Detached::MustFinish).run(|| {
        let x = AtomicUsize::new(0);
        thread::scope(|s| {
            s.spawn(|| x.fetch_add(1, SeqCst));
        });
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn six_scoped_threads() {
    // n threads that add once each: their additions in any order.
    let report = Checker::random(200).run(|| {
        let x = Mutex::new(Vec::new());
        thread::scope(|s| {
            for n in 0..6 {
                let x = &x;
                s.spawn(move || x.lock().unwrap().push(n));
            }
        });
        let mut all = x.into_inner().unwrap();
        all.sort_unstable();
        all
    });
    assert_eq!(outcomes(&report), [(vec![0, 1, 2, 3, 4, 5], 200)]);
}

#[test]
fn outside_of_explorations() {
    let mut sum = 0;
    let x = AtomicUsize::new(0);
    let result = thread::scope(|s| {
        let handle = s.spawn(|| 1);
        let named = Builder::new().name("real".to_owned()).spawn_scoped(s, || {
            s.spawn(|| x.fetch_add(1, SeqCst));
            thread::current().name().map(str::to_owned)
        });
        let named = named.unwrap();
        assert_eq!(named.thread().name(), Some("real"));
        let _ = named.is_finished();
        assert!(format!("{s:?}").starts_with("Scope { "));
        sum += handle.join().unwrap();
        named.join().unwrap()
    });
    assert_eq!((sum, result, x.into_inner()), (1, Some("real".to_owned()), 1));
    let caught = catch_unwind(|| {
        thread::scope(|s| {
            s.spawn(|| panic!("an expected panic of a real thread"));
        });
    });
    assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "a scoped thread panicked");
}

#[test]
fn a_real_scope_inside_is_an_error() {
    thread::scope(|s| {
        let report = Checker::dfs().run(|| {
            s.spawn(|| {});
        });
        let failure = report.failure().expect("it fails");
        assert_eq!(failure.kind(), FailureKind::Misuse);
        assert!(failure.message().contains("Scope of a thread outside of the exploration"));
    });
}
