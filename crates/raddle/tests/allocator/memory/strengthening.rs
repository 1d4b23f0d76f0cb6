//! What is said of orderings where a failure needs weak memory: the stores that were not seen, and the weakest strengthening.

use raddle::sync::atomic::{AtomicBool, AtomicU64, Ordering::*, fence};
use raddle::{Checker, Memory, Report, hint, thread};
use raddle_core::memory::{MemoryExplanation, OnlyWeak, Order};
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn explained(checker: Checker, program: impl Fn() + Send + Sync) -> (MemoryExplanation, Report<()>) {
    let report = checker.run(program);
    let memory = report.failure().expect("it fails").memory.clone();
    (memory.unwrap_or_else(|| panic!("{report}")), report)
}

fn only_weak(checker: Checker, program: impl Fn() + Send + Sync) -> (OnlyWeak, String) {
    match explained(checker, program) {
        (MemoryExplanation::OnlyWeak(weak), report) => (*weak, report.to_string()),
        (other, report) => panic!("{other:?}: {report}"),
    }
}

/// The strengthenings: for each the lines, counted from a first one, and orderings.
fn lines(weak: &OnlyWeak, first: u32) -> Vec<Vec<(u32, Order)>> {
    let one = |at: &raddle_core::memory::StrongerOrdering| (at.place.line - first, at.order);
    weak.strengthenings.iter().map(|set| set.orderings.iter().map(one).collect()).collect()
}

const PASSING: u32 = line!() + 1;
fn message_passing(store: Ordering, load: Ordering) {
    let shared = Arc::new((AtomicU64::new(0), AtomicBool::new(false)));
    let theirs = shared.clone();
    let other = thread::spawn(move || {
        theirs.0.store(1, Relaxed);
        theirs.1.store(true, store);
    });
    if shared.1.load(load) {
        assert_eq!(shared.0.load(Relaxed), 1);
    }
    other.join().unwrap();
}

#[test]
fn a_message_needs_release_and_acquire() {
    for checker in [Checker::exhaustive(), Checker::exhaustive().memory(Memory::Rc11), Checker::random(1_000)]
    {
        let (weak, report) = only_weak(checker, || message_passing(Relaxed, Relaxed));
        assert_eq!(lines(&weak, PASSING), [[(5, Order::Release), (7, Order::Acquire)]], "{report}");
        assert!(weak.strengthenings[0].explored.exhaustive && weak.sequential.exhaustive);
        assert_eq!((weak.strengthenings[0].explored.executions, weak.sequential.executions), (2, 2));
        let [missed] = weak.missed.as_slice() else { panic!("{report}") };
        assert_eq!((missed.load.place.line - PASSING, missed.newer.place.line - PASSING), (8, 4));
        let missing = missed.missing.as_ref().expect("the flag was read");
        assert_eq!((missing.store.place.line - PASSING, missing.load.place.line - PASSING), (5, 7));
        let file = "strengthening.rs";
        let words = |parts: &str| parts.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!(
            "{file}:{} is `Relaxed`, so reading it at :{} tells nothing of :{}",
            PASSING + 5,
            PASSING + 7,
            PASSING + 4
        );
        assert!(words(&report).contains(&expected), "{report}");
    }
}

/// The weaker of both orderings is not told again.
#[test]
fn half_of_a_message_needs_the_other_half() {
    let (weak, report) = only_weak(Checker::exhaustive(), || message_passing(Release, Relaxed));
    assert_eq!(lines(&weak, PASSING), [[(7, Order::Acquire)]], "{report}");
    let (weak, report) = only_weak(Checker::exhaustive(), || message_passing(Relaxed, SeqCst));
    assert_eq!(lines(&weak, PASSING), [[(5, Order::Release)]], "{report}");
}

const BUFFERING: u32 = line!() + 1;
fn store_buffering() {
    let shared = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let theirs = shared.clone();
    let other = thread::spawn(move || {
        theirs.0.store(1, Release);
        theirs.1.load(Acquire)
    });
    shared.1.store(1, Release);
    let read = shared.0.load(Acquire);
    assert_ne!((other.join().unwrap(), read), (0, 0));
}

#[test]
fn store_buffering_needs_four_times_seqcst() {
    let (weak, report) = only_weak(Checker::exhaustive(), store_buffering);
    let all = [4, 5, 7, 8].map(|line| (line, Order::SeqCst));
    assert_eq!(lines(&weak, BUFFERING), [all], "{report}");
    assert_eq!(weak.missed.iter().filter(|load| load.missing.is_some()).count(), 0);
}

/// Fences are operations, too.
#[test]
fn fences_are_strengthened() {
    const FIRST: u32 = line!();
    let program = || {
        let shared = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(1, Relaxed);
            fence(AcqRel);
            theirs.1.load(Relaxed)
        });
        shared.1.store(1, Relaxed);
        fence(AcqRel);
        let read = shared.0.load(Relaxed);
        assert_ne!((other.join().unwrap(), read), (0, 0));
    };
    let (weak, report) = only_weak(Checker::exhaustive(), program);
    assert_eq!(lines(&weak, FIRST), [[(6, Order::SeqCst), (10, Order::SeqCst)]], "{report}");
}

/// One failing execution does not show all that must be stronger: a search with what it asks for finds the other.
#[test]
fn a_strengthening_is_verified_by_another_search() {
    const FIRST: u32 = line!();
    let program = || {
        let shared = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(1, Relaxed);
            match raddle::any_bool() {
                true => theirs.1.store(1, Relaxed),
                false => theirs.1.store(2, Relaxed),
            }
        });
        if shared.1.load(Relaxed) != 0 {
            assert_eq!(shared.0.load(Relaxed), 1);
        }
        other.join().unwrap();
    };
    let (weak, report) = only_weak(Checker::exhaustive(), program);
    let all = [(7, Order::Release), (8, Order::Release), (11, Order::Acquire)];
    assert_eq!(lines(&weak, FIRST), [all], "{report}");
    assert!(weak.strengthenings[0].explored.exhaustive);
}

/// A flag that is read twice: either read may acquire.
#[test]
fn alternatives_of_equal_cost_are_listed() {
    const FIRST: u32 = line!();
    let program = || {
        let shared = Arc::new((AtomicU64::new(0), AtomicBool::new(false)));
        let theirs = shared.clone();
        let other = thread::spawn(move || {
            theirs.0.store(1, Relaxed);
            theirs.1.store(true, Release);
        });
        if shared.1.load(Relaxed) {
            shared.1.load(Relaxed);
            assert_eq!(shared.0.load(Relaxed), 1);
        }
        other.join().unwrap();
    };
    let (weak, report) = only_weak(Checker::exhaustive(), program);
    assert_eq!(lines(&weak, FIRST), [[(8, Order::Acquire)], [(9, Order::Acquire)]], "{report}");
    assert!(report.contains("or: with `Acquire` at "), "{report}");
}

#[test]
fn a_failure_that_needs_no_weak_memory_is_no_ordering_bug() {
    let program = || {
        let shared = Arc::new(AtomicU64::new(0));
        let theirs = shared.clone();
        let other = thread::spawn(move || theirs.store(theirs.load(Relaxed) + 1, Relaxed));
        shared.store(shared.load(Relaxed) + 1, Relaxed);
        other.join().unwrap();
        assert_eq!(shared.load(Relaxed), 2);
    };
    for checker in [Checker::exhaustive(), Checker::exhaustive().memory(Memory::Rc11)] {
        let (memory, report) = explained(checker, program);
        assert_eq!(memory, MemoryExplanation::AlsoSequential, "{report}");
        assert!(
            report.to_string().contains("not an ordering bug: it happens under sequential consistency, too")
        );
    }
    // Nothing is said where no ordering is weaker, or where sequential consistency was asked for.
    let report = Checker::exhaustive().memory(Memory::Sc).run(program);
    assert_eq!(report.failure().unwrap().memory, None);
}

/// A spin lock whose `unlock` releases nothing, as the one that acquires nothing.
#[test]
fn a_lock_needs_both() {
    const FIRST: u32 = line!();
    let program = || {
        let shared = Arc::new((AtomicBool::new(false), AtomicU64::new(0)));
        let add = |shared: &(AtomicBool, AtomicU64)| {
            while shared.0.swap(true, Relaxed) {
                hint::spin_loop();
            }
            shared.1.store(shared.1.load(Relaxed) + 1, Relaxed);
            shared.0.store(false, Relaxed);
        };
        let theirs = shared.clone();
        let other = thread::spawn(move || add(&theirs));
        add(&shared);
        other.join().unwrap();
        assert_eq!(shared.1.load(Relaxed), 2);
    };
    let (weak, report) = only_weak(Checker::exhaustive().spin_rounds(1), program);
    assert_eq!(lines(&weak, FIRST), [[(4, Order::Acquire), (8, Order::Release)]], "{report}");
}
