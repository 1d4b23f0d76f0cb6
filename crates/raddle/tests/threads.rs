//! Threads: spawn, join, names, ids, panics, and std's documented behaviour.

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Mutex, mpsc};
use raddle::thread::{self, Builder, JoinHandle, Thread, ThreadId};
use raddle::{Checker, Detached, FailureKind, Report};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

fn passes<T: Ord + Debug>(report: &Report<T>) {
    assert!(report.failure().is_none(), "{:?}", report.failure().map(|f| &f.defect));
}

fn outcomes<T: Ord + Debug + Clone>(report: &Report<T>) -> Vec<(T, u64)> {
    passes(report);
    report.outcomes().iter().map(|(outcome, times)| (outcome.clone(), *times)).collect()
}

/// The kind and the message of the failure that a program must have.
fn fails<T: Send + Ord + Debug>(program: impl Fn() -> T + Send + Sync) -> (FailureKind, String) {
    let report = Checker::dfs().run(program);
    let failure = report.failure().expect("it fails");
    (failure.kind(), failure.message().to_owned())
}

#[test]
fn a_thread_with_nothing_to_do_leaves_nothing_to_choose() {
    // The exit of the thread and the join are automatic, then main exits.
    let report = Checker::dfs().run(|| thread::spawn(|| 7).join().unwrap());
    assert_eq!(outcomes(&report), [(7, 1)]);
    assert_eq!(report.steps(), 3);
}

#[test]
fn two_threads_with_an_operation_each() {
    // main.1: a1; main.2: a2. Exits and joins are automatic, and main's exit comes last: only a1 and a2 can
    // be swapped. Steps: 2 operations, 2 exits, 2 joins and the exit of main, in each.
    let report = Checker::dfs().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [1, 2].map(|n| {
            let x = x.clone();
            thread::spawn(move || x.fetch_add(n, SeqCst))
        });
        handles.map(|h| h.join().unwrap())
    });
    assert_eq!(outcomes(&report), [([0, 1], 1), ([2, 0], 1)]);
    assert_eq!(report.steps(), 14);
}

#[test]
fn joining_a_thread_twice_over_through_another() {
    // main.1 has no operation; main.2 joins it. This is one chain, e1 j e2 J END, and only END is a choice.
    let report = Checker::dfs().run(|| {
        let first = thread::spawn(|| 1);
        let second = thread::spawn(move || first.join().unwrap() + 1);
        second.join().unwrap()
    });
    assert_eq!(outcomes(&report), [(2, 1)]);
    assert_eq!(report.steps(), 5);
}

#[test]
fn the_end_is_a_step_but_no_choice() {
    // main.1: e. main: l j END. e is automatic before l, and no task could observe it later.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let handle = thread::spawn(|| {});
        x.load(SeqCst);
        handle.join().unwrap();
    });
    passes(&report);
    assert_eq!((report.executions(), report.steps()), (1, 4));
    // Only is_finished could, and there it is a choice.
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        let handle = thread::spawn(|| {});
        x.load(SeqCst);
        let finished = handle.is_finished();
        handle.join().unwrap();
        finished
    });
    assert_eq!(outcomes(&report), [(false, 1), (true, 1)]);
}

#[test]
fn is_finished_is_a_race() {
    // main: f j END; main.1: e, automatic. f has two answers.
    let report = Checker::dfs().run(|| {
        let handle = thread::spawn(|| {});
        let finished = handle.is_finished();
        handle.join().unwrap();
        finished
    });
    assert_eq!(outcomes(&report), [(false, 1), (true, 1)]);
}

#[test]
fn a_thread_is_not_finished_when_its_last_operation_is() {
    // main.1: s, and e automatic. main: l, and if it saw the flag, i; then j. l before s: 1 way (l s e j).
    // Otherwise s comes first, and i has two answers.
    let report = Checker::dfs().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn({
            let flag = flag.clone();
            move || flag.store(1, SeqCst)
        });
        let seen = (flag.load(SeqCst) == 1).then(|| handle.is_finished());
        handle.join().unwrap();
        seen
    });
    assert_eq!(outcomes(&report), [(None, 1), (Some(false), 1), (Some(true), 1)]);
}

#[test]
fn a_thread_is_not_finished_before_it_has_returned_and_stays_finished() {
    // main.1: s. main: i i'. i i' s: no, no. i s i': no, then two answers. s i i': no and then two answers,
    // or yes and then no choice.
    let report = Checker::dfs().run(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn(move || flag.store(1, SeqCst));
        let seen = [handle.is_finished(), handle.is_finished()];
        handle.join().unwrap();
        seen
    });
    let expected = [([false, false], 3), ([false, true], 2), ([true, true], 1)];
    assert_eq!(outcomes(&report), expected);
}

/// Polls `handle` twice and returns the round in which it was finished; 2 for neither.
fn polled(handle: &JoinHandle<()>) -> usize {
    for round in 0..2 {
        if handle.is_finished() {
            return round;
        }
        thread::yield_now();
    }
    2
}

#[test]
fn a_loop_that_polls_is_finished_is_explored_whoever_polls() {
    // Regression: a segmentation fault, since the counterfactual state held fewer tasks than there were.
    let by_main = || {
        let flag = Arc::new(AtomicUsize::new(0));
        let handle = thread::spawn(move || flag.store(1, SeqCst));
        let seen = polled(&handle);
        handle.join().unwrap();
        seen
    };
    let by_a_sibling = || {
        let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let z = y.clone();
        let other = thread::spawn(move || x.store(1, SeqCst));
        let poller = thread::spawn(move || {
            let seen = polled(&other);
            z.store(1, SeqCst);
            other.join().unwrap();
            seen
        });
        y.load(SeqCst);
        poller.join().unwrap()
    };
    let by_an_elder = || {
        let (send, receive) = mpsc::channel::<JoinHandle<()>>();
        let poller = thread::spawn(move || {
            let handle = receive.recv().unwrap();
            let seen = polled(&handle);
            handle.join().unwrap();
            seen
        });
        let x = Arc::new(AtomicUsize::new(0));
        send.send(thread::spawn(move || x.store(1, SeqCst))).unwrap();
        poller.join().unwrap()
    };
    let programs: [&(dyn Fn() -> usize + Sync); 3] = [&by_main, &by_a_sibling, &by_an_elder];
    for program in programs {
        for checker in [Checker::exhaustive(), Checker::dfs()] {
            let report = checker.run(program);
            let seen: Vec<usize> = outcomes(&report).into_iter().map(|(seen, _)| seen).collect();
            assert_eq!(seen, [0, 1, 2]);
        }
    }
}

#[test]
fn a_thousand_threads() {
    let report = Checker::dfs().max_executions(1).run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let handles: Vec<_> = (0..1_000)
            .map(|_| {
                let x = x.clone();
                thread::spawn(move || x.fetch_add(1, SeqCst))
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1_000, 1)]);
}

#[test]
fn threads_are_named_by_their_parents_and_labelled_by_the_program() {
    let report = Checker::dfs().run(|| {
        let outer = Builder::new().name("outer".to_owned()).spawn(|| {
            let quiet = thread::spawn(|| {});
            let inner = Builder::new().name("inner".to_owned()).spawn(|| panic!("boom")).unwrap();
            quiet.join().unwrap();
            inner.join().unwrap();
        });
        outer.unwrap().join().unwrap();
    });
    let failure = report.failure().expect("it fails");
    let tasks: Vec<_> = failure.trace().tasks.iter().map(|a| (a.name.as_str(), a.label.as_deref())).collect();
    assert_eq!(
        tasks,
        [("main", None), ("main.1", Some("outer")), ("main.1.1", None), ("main.1.2", Some("inner"))]
    );
    assert_eq!(failure.message(), "main.1.2 panicked: boom");
}

#[test]
fn names_and_ids() {
    let report = Checker::dfs().run(|| {
        let main = thread::current();
        assert_eq!(main.name(), Some("main"));
        assert_eq!(main.id(), thread::current().id());
        let plain = thread::spawn(|| {
            assert_eq!(thread::current().name(), None);
            thread::current().id()
        });
        let (handle_id, clone_id) = (plain.thread().id(), plain.thread().clone().id());
        assert_eq!(plain.thread().name(), None);
        let plain_id = plain.join().unwrap();
        assert!(handle_id == plain_id && clone_id == plain_id && plain_id != main.id());
        let named = Builder::new().name("worker".to_owned()).spawn(|| {
            assert_eq!(thread::current().name(), Some("worker"));
            format!("{:?}", thread::current())
        });
        let named = named.unwrap();
        assert_eq!(named.thread().name(), Some("worker"));
        assert_eq!(format!("{named:?}"), "JoinHandle { .. }");
        (format!("{main:?}"), named.join().unwrap())
    });
    // The same in every execution.
    let expected = (
        r#"Thread { id: ThreadId(1), name: Some("main"), .. }"#.to_owned(),
        r#"Thread { id: ThreadId(3), name: Some("worker"), .. }"#.to_owned(),
    );
    assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&expected]);
}

fn hash(id: ThreadId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn ids_differ_between_executions_but_hash_alike() {
    let seen = std::sync::Mutex::new(Vec::new());
    let report = Checker::random(3).run(|| {
        let id = thread::spawn(|| thread::current().id()).join().unwrap();
        seen.lock().unwrap().push(id);
        hash(id)
    });
    assert_eq!(report.outcomes().len(), 1);
    let seen = seen.into_inner().unwrap();
    assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2]);
}

#[test]
fn a_name_with_a_zero_byte_panics_as_with_std() {
    let spawn = || Builder::new().name("a\0b".to_owned()).spawn(|| {}).unwrap().join().unwrap();
    let (kind, message) = fails(spawn);
    assert_eq!(kind, FailureKind::Panic);
    assert_eq!(message, "main panicked: thread name may not contain interior null bytes");
}

#[test]
fn builders_print_as_std_builders_do() {
    let ours = Builder::new().name("x".to_owned()).stack_size(4096);
    let theirs = std::thread::Builder::new().name("x".to_owned()).stack_size(4096);
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

#[test]
fn available_parallelism_does_not_depend_on_the_machine() {
    let report = Checker::dfs().run(|| thread::available_parallelism().unwrap().get());
    assert_eq!(outcomes(&report), [(4, 1)]);
}

/// Uses one to four kilobytes of stack per level.
#[inline(never)]
fn descend(levels: usize) -> usize {
    let ballast = std::hint::black_box([levels as u8; 1024]);
    if levels == 0 { 0 } else { 1 + descend(levels - 1) + (ballast[1] as usize - levels % 256) }
}

#[test]
fn deep_recursion_within_the_stack_size() {
    let report = Checker::dfs().run(|| {
        let usual = thread::spawn(|| descend(400)).join().unwrap();
        let large = Builder::new().stack_size(64 << 20).spawn(|| descend(10_000)).unwrap().join().unwrap();
        // A size below the default is not used.
        let small = Builder::new().stack_size(1).spawn(|| descend(400)).unwrap().join().unwrap();
        (descend(400), usual, large, small)
    });
    assert_eq!(outcomes(&report), [((400, 400, 10_000, 400), 1)]);
    let report = Checker::dfs().stack_size(64 << 20).run(|| descend(10_000));
    assert_eq!(outcomes(&report), [(10_000, 1)]);
}

// Panics.

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
    let report = Checker::dfs().keep_going(true).run(|| {
        let handle = thread::spawn(|| panic!("boom"));
        std::mem::forget(handle);
    });
    // The thread has no operation, so its exit is automatic, and it is not joined.
    assert_eq!((report.executions(), report.failures()), (1, 1));
    assert_eq!(report.failure().unwrap().message(), "main.1 panicked: boom");
    let report = Checker::dfs().keep_going(true).run(|| {
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
    let report = Checker::dfs().keep_going(true).run(|| {
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
    let report = Checker::dfs().keep_going(true).run(|| {
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

// Detached threads.

#[test]
fn detached_threads_end_with_main_or_must_have_finished() {
    // main.1: a, and its exit automatic; main exits last.
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        drop(thread::spawn(move || x.fetch_add(1, SeqCst)));
    };
    let report = Checker::dfs().run(program);
    passes(&report);
    assert_eq!(report.executions(), 1);
    // If other tasks must have finished when it exits, it may exit before or after a.
    let report = Checker::dfs().detached(Detached::MustFinish).keep_going(true).run(program);
    assert_eq!((report.executions(), report.failures()), (2, 1));
    let failure = report.failure().unwrap();
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "main has returned, but main.1 did not come to an end");
    // A task without operations left has finished.
    let report = Checker::dfs().detached(Detached::MustFinish).run(|| drop(thread::spawn(|| {})));
    assert_eq!(outcomes(&report), [((), 1)]);
}

#[test]
fn a_detached_threads_destructors_do_not_run_when_main_is_over() {
    static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Counts;
    impl Drop for Counts {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let report = Checker::dfs().run(|| {
        drop(thread::spawn(|| {
            let _counts = Counts;
            thread::park();
        }));
    });
    passes(&report);
    assert_eq!(DROPPED.load(SeqCst), 0);
}

// Deadlocks.

#[test]
fn a_thread_that_joins_itself_waits_for_ever() {
    let report = Checker::dfs().run(|| {
        let own = Arc::new(std::sync::Mutex::new(None::<JoinHandle<()>>));
        let handle = thread::spawn({
            let own = own.clone();
            move || {
                thread::yield_now();
                own.lock().unwrap().take().unwrap().join().unwrap();
            }
        });
        *own.lock().unwrap() = Some(handle);
        thread::park();
    });
    let failure = report.failure().expect("it fails");
    assert_eq!(failure.kind(), FailureKind::Deadlock);
    assert_eq!(failure.message(), "nothing can move: main and main.1 wait for ever");
    let notes: Vec<_> = failure.defect.notes.iter().map(|n| n.text.as_str()).collect();
    assert_eq!(notes, ["main waits to be unparked", "main.1 waits to join main.1"]);
}

// Handles in the wrong place.

#[test]
fn a_handle_of_another_execution_is_an_error() {
    let kept = std::sync::Mutex::new(None::<(JoinHandle<()>, Thread)>);
    passes(&Checker::random(1).run(|| {
        let handle = thread::spawn(|| {});
        *kept.lock().unwrap() = Some((handle, thread::current()));
    }));
    let (handle, main) = kept.into_inner().unwrap().unwrap();
    let (kind, message) = fails(|| handle.is_finished());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("JoinHandle of a task of another execution"), "{message}");
    let (kind, message) = fails(|| main.unpark());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("Thread of a task of another execution"), "{message}");
}

#[test]
fn a_real_threads_handle_inside_is_an_error() {
    let outside = thread::current();
    let (kind, message) = fails(|| outside.unpark());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("Thread of a thread outside of the exploration"), "{message}");
    let handle = std::sync::Mutex::new(Some(thread::spawn(|| 3)));
    let (kind, message) =
        fails(|| handle.lock().unwrap_or_else(|e| e.into_inner()).as_ref().unwrap().is_finished());
    assert_eq!(kind, FailureKind::Misuse);
    assert!(message.contains("JoinHandle of a thread outside of the exploration"), "{message}");
    let handle = handle.into_inner().unwrap_or_else(|e| e.into_inner());
    assert_eq!(handle.unwrap().join().unwrap(), 3);
}

#[test]
fn a_tasks_handle_outside_is_an_error() {
    let kept = std::sync::Mutex::new(None::<(JoinHandle<()>, Thread)>);
    let report = Checker::random(1).run(|| {
        let handle = thread::spawn(|| {});
        *kept.lock().unwrap() = Some((handle, thread::current()));
    });
    passes(&report);
    let (handle, main) = kept.into_inner().unwrap().unwrap();
    assert_eq!(main.name(), Some("main"));
    let text = |payload: Box<dyn std::any::Any + Send>| *payload.downcast::<String>().unwrap();
    let unpark = catch_unwind(AssertUnwindSafe(|| main.unpark())).unwrap_err();
    assert_eq!(text(unpark), "raddle: a Thread of a task is used outside of its execution");
    let finished = catch_unwind(AssertUnwindSafe(|| handle.is_finished())).unwrap_err();
    assert_eq!(text(finished), "raddle: a JoinHandle of a task is used outside of its execution");
    let join = catch_unwind(AssertUnwindSafe(|| drop(handle.join()))).unwrap_err();
    assert_eq!(text(join), "raddle: a JoinHandle of a task is used outside of its execution");
}

// Outside.

#[test]
fn outside_of_explorations_everything_is_stds_own() {
    let handle = Builder::new().name("real".to_owned()).stack_size(1 << 20).spawn(|| {
        thread::park();
        thread::yield_now();
        (thread::current().name().map(str::to_owned), thread::current().id())
    });
    let handle = handle.unwrap();
    assert!(!handle.is_finished());
    let id = handle.thread().id();
    assert_eq!(handle.thread().name(), Some("real"));
    handle.thread().unpark();
    assert_eq!(handle.join().unwrap(), (Some("real".to_owned()), id));
    assert_eq!(format!("{:?}", thread::current().id()), format!("{:?}", std::thread::current().id()));
    assert_eq!(thread::available_parallelism().unwrap(), std::thread::available_parallelism().unwrap());
    assert!(thread::spawn(|| panic!("an expected panic of a real thread")).join().is_err());
    assert!(!thread::panicking());
    let local = 5;
    // SAFETY: joined before `local` ends.
    let handle = unsafe { Builder::new().spawn_unchecked(|| local + 1) }.unwrap();
    assert_eq!(handle.join().unwrap(), 6);
    let ids: BTreeMap<String, Thread> =
        [thread::current()].into_iter().map(|t| (format!("{:?}", t.id()), t)).collect();
    assert_eq!(ids.len(), 1);
}

#[test]
fn spawn_unchecked_may_borrow() {
    let report = Checker::dfs().run(|| {
        let x = AtomicUsize::new(0);
        // SAFETY: joined before `x` ends; teardown unwinds children first.
        let handle = unsafe { Builder::new().spawn_unchecked(|| x.fetch_add(1, SeqCst)) }.unwrap();
        handle.join().unwrap();
        x.load(SeqCst)
    });
    assert_eq!(outcomes(&report), [(1, 1)]);
}

#[test]
fn as_many_auto_traits_as_std() {
    fn shared<T: Send + Sync>() {}
    fn safe<T: UnwindSafe + RefUnwindSafe>() {}
    fn whatever_it_holds<T>() {
        shared::<JoinHandle<T>>();
    }
    whatever_it_holds::<*const u8>();
    shared::<Thread>();
    shared::<ThreadId>();
    shared::<Builder>();
    shared::<thread::Scope<'static, 'static>>();
    shared::<thread::ScopedJoinHandle<'static, u8>>();
    safe::<Thread>();
    safe::<ThreadId>();
    safe::<Builder>();
}

#[test]
fn several_workers_find_the_same() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let handles = [1, 2].map(|n| {
            let x = x.clone();
            thread::spawn(move || x.swap(n, SeqCst))
        });
        handles.map(|h| h.join().unwrap())
    };
    let one = Checker::dfs().run(program);
    let two = Checker::dfs().workers(2).run(program);
    assert_eq!(outcomes(&one), outcomes(&two));
}

#[test]
fn failures_replay() {
    let programs: [fn(); 5] = [
        || {
            let handle = thread::spawn(|| {
                thread::park();
                thread::park();
            });
            handle.thread().unpark();
            handle.thread().unpark();
            handle.join().unwrap();
        },
        || {
            let other = thread::spawn(|| thread::sleep(Duration::from_secs(1)));
            thread::sleep(Duration::from_secs(1));
            assert!(!other.is_finished(), "too late");
            other.join().unwrap();
        },
        || {
            let x = AtomicUsize::new(0);
            thread::scope(|s| {
                s.spawn(|| x.store(1, SeqCst));
                s.spawn(|| assert_eq!(x.load(SeqCst), 0, "too late"));
            });
        },
        || {
            let start = raddle::time::Instant::now();
            let waiter = thread::spawn(|| thread::park_timeout(Duration::from_secs(1)));
            waiter.thread().unpark();
            waiter.join().unwrap();
            assert!(start.elapsed().is_zero(), "timed out");
        },
        || {
            let waiter = thread::spawn(move || {
                thread::park();
                panic!("boom");
            });
            waiter.thread().unpark();
            waiter.join().unwrap();
        },
    ];
    for program in programs {
        let checker = || Checker::dfs().time(raddle::Time::Any).spurious(1);
        let found = checker().run(program);
        let failure = found.failure().expect("it fails");
        let again = Checker::replay(failure.ticket().to_string()).run(program);
        let replayed = again.failure().expect("it fails again");
        assert_eq!((replayed.kind(), replayed.message()), (failure.kind(), failure.message()));
        assert_eq!(replayed.trace(), failure.trace());
    }
}
