//! What raddle does not hear in a program that has not installed its allocator, and what it says about that.

use raddle::cell::UnsafeCell;
use raddle::fact::Assumption;
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::{CheckError, Checker, FailureKind, Memory, Report, thread};

/// What is said where atomics may have been confused.
const ADVICE: &str = "without raddle::alloc::Allocator an atomic that was moved may be taken for another one";

struct Shared(UnsafeCell<u32>);
// SAFETY: none, if tasks race for it: that is what is to be found.
unsafe impl Sync for Shared {}

impl Shared {
    const fn new() -> Shared {
        Shared(UnsafeCell::new(0))
    }
    fn increment(&self) {
        // SAFETY: executions run on one thread of the operating system.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }
}

fn is_unjudged<T>(report: &Report<T>) -> bool {
    report.coverage().assumptions.contains(&Assumption::HeapCellsNotJudged)
}

#[test]
fn a_cell_on_the_heap_is_not_judged_and_the_line_says_so() {
    let program = || {
        let shared = Arc::new(Shared::new());
        let theirs = shared.clone();
        let other = thread::spawn(move || theirs.increment());
        shared.increment();
        other.join().unwrap();
    };
    for checker in [Checker::exhaustive(), Checker::dfs(), Checker::random(10)] {
        let report = checker.run(program);
        assert!(report.failure().is_none(), "{report}");
        assert!(is_unjudged(&report), "{report}");
        let line = "cells on the heap not judged (see raddle::alloc::Allocator)";
        assert!(report.to_string().contains(line), "{report}");
    }
}

#[test]
fn cells_elsewhere_are_judged() {
    static SHARED: Shared = Shared::new();
    let in_a_static = || {
        let other = thread::spawn(|| SHARED.increment());
        SHARED.increment();
        other.join().unwrap();
    };
    let on_the_stack = || {
        let shared = Shared::new();
        thread::scope(|s| {
            s.spawn(|| shared.increment());
            shared.increment();
        });
    };
    for report in [Checker::exhaustive().run(in_a_static), Checker::exhaustive().run(on_the_stack)] {
        let failure = report.failure().expect("a race");
        assert_eq!(failure.kind(), FailureKind::DataRace);
        assert!(!is_unjudged(&report), "{report}");
    }
}

#[test]
fn the_line_says_so_only_where_such_a_cell_was_met() {
    let program = |choice: bool| {
        move || {
            let boxed = Box::new(Shared::new());
            if raddle::any_bool() && choice {
                boxed.increment();
            }
        }
    };
    let met = Checker::exhaustive().run(program(true));
    assert!(is_unjudged(&met), "{met}");
    let not_met = Checker::exhaustive().run(program(false));
    assert!(!is_unjudged(&not_met), "{not_met}");
    assert_eq!([met.executions(), not_met.executions()], [2, 2]);
    // A label is no access, and does not name what is not there.
    let labelled = Checker::exhaustive().run(|| raddle::label(&*Box::new(UnsafeCell::new(1)), "boxed"));
    assert!(labelled.failure().is_none(), "{labelled}");
}

#[test]
fn a_program_that_is_not_deterministic_is_told_of_the_allocator() {
    static EXECUTIONS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let program = |atomic: &AtomicUsize| {
        raddle::any_bool();
        if EXECUTIONS.fetch_add(1, SeqCst).is_multiple_of(2) {
            atomic.load(SeqCst);
        } else {
            atomic.store(1, SeqCst);
        }
        raddle::any_bool();
    };
    let on_the_heap = Checker::dfs().run(|| program(&Box::new(AtomicUsize::new(0))));
    assert_eq!(on_the_heap.failure().unwrap().kind(), FailureKind::NotDeterministic);
    assert!(on_the_heap.to_string().contains(ADVICE), "{on_the_heap}");
    let on_the_stack = Checker::dfs().run(|| program(&AtomicUsize::new(0)));
    assert_eq!(on_the_stack.failure().unwrap().kind(), FailureKind::NotDeterministic);
    assert!(!on_the_stack.to_string().contains(ADVICE), "{on_the_stack}");
}

/// A move is no drop: an atomic may lie where it lay before, or where another one did. What remains of that is a verdict
/// that names the reason, and never a wrong outcome.
#[test]
fn atomics_that_are_moved_after_their_first_use() {
    let work = || {
        let mut list = Vec::with_capacity(1);
        for n in 0..3 {
            list.push(AtomicUsize::new(n));
            list[0].fetch_add(1, SeqCst);
        }
        let unwrapped = Arc::try_unwrap(Arc::new(AtomicUsize::new(0))).unwrap();
        unwrapped.store(7, SeqCst);
        let boxed = Box::new(unwrapped);
        (list.into_iter().map(AtomicUsize::into_inner).sum::<usize>(), boxed.load(SeqCst))
    };
    let program = || {
        crate::freed::disturb_the_allocator();
        let other = thread::spawn(work);
        [work(), other.join().unwrap()]
    };
    for checker in [Checker::exhaustive(), Checker::dfs().max_executions(1_000), Checker::random(1_000)] {
        let report = checker.run(program);
        assert!(report.outcomes().keys().all(|outcome| *outcome == [(6, 7); 2]), "{report}");
        if let Some(failure) = report.failure() {
            assert_eq!(failure.kind(), FailureKind::NotDeterministic, "{report}");
            assert!(report.to_string().contains(ADVICE), "{report}");
        }
    }
}

/// It is not known there when an atomic is at the address of one that was freed.
#[test]
fn weak_memory_models_need_the_allocator() {
    for memory in [Memory::Tso, Memory::Pso, Memory::Rc11] {
        let refused =
            Checker::dfs().memory(memory).try_run(|| ()).map(|report| report.to_string()).unwrap_err();
        assert!(matches!(refused, CheckError::Memory(_)));
        assert!(refused.to_string().contains("needs raddle's allocator"), "{refused}");
    }
    assert!(Checker::dfs().memory(Memory::Sc).run(|| ()).failure().is_none());
}
