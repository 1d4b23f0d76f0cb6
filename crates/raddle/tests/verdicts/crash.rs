//! A program that faults fails its execution, and the process goes on.

use crate::child;
use raddle::fact::Relation;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::{Checker, FailureKind, thread};
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;

/// Faults in one of two schedules.
fn in_one_schedule(fault: impl Fn()) {
    let flag = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let flag = flag.clone();
        move || flag.store(1, SeqCst)
    });
    if flag.load(SeqCst) == 1 {
        fault();
    }
    other.join().unwrap();
}

fn read_nothing() {
    let nowhere = std::hint::black_box(std::ptr::without_provenance::<u64>(16));
    // SAFETY: none, that is the point.
    unsafe { nowhere.read_volatile() };
}

#[test]
fn a_fault_is_a_failure_with_a_ticket_and_the_search_can_go_on() {
    let report = Checker::exhaustive().keep_going().run(|| in_one_schedule(read_nothing));
    assert_eq!((report.executions(), report.failures()), (2, 1));
    let failure = report.failure().expect("it faults");
    assert_eq!(
        (failure.kind(), failure.message().as_str()),
        (FailureKind::Crash, "main crashed: an invalid access to memory (SIGSEGV)")
    );
    assert_eq!(failure.replayed, None, "a replay faults, too");
    let facts = &failure.defect.facts;
    let last = facts.iter().find(|fact| matches!(fact.relation, Relation::DidLast { .. })).expect("it loads");
    assert_eq!(last.object.as_deref(), Some("AtomicUsize#1"));
    let on_stack = |name: &str| {
        facts
            .iter()
            .any(|fact| matches!(&fact.relation, Relation::In { function } if function.contains(name)))
    };
    assert!(on_stack("read_nothing") && on_stack("in_one_schedule"), "{facts:#?}");
    let again = Checker::replay_ticket(failure.ticket().clone()).run(|| in_one_schedule(read_nothing));
    assert_eq!(again.failure().map(|failure| failure.kind()), Some(FailureKind::Crash));
}

#[test]
fn each_schedule_may_fault() {
    let report = Checker::random(2_000).workers(2).keep_going().run(|| in_one_schedule(read_nothing));
    assert!((1..2_000).contains(&report.failures()), "{report}");
}

/// What is on the stacks of other tasks is still dropped, and what faults there again ends only that task.
#[test]
fn other_tasks_are_unwound_after_a_fault() {
    struct Faults;
    impl Drop for Faults {
        fn drop(&mut self) {
            read_nothing();
        }
    }
    let report = Checker::random(20).keep_going().run(|| {
        let other = thread::spawn(|| {
            let _faults = Faults;
            thread::park();
        });
        read_nothing();
        other.join().unwrap();
    });
    assert_eq!(report.failures(), 20);
}

#[test]
fn is_killed() {
    if child::is_one() {
        // SAFETY: a plain system call.
        Checker::dfs().run(|| unsafe { libc::raise(libc::SIGFPE) });
    }
}

#[test]
fn a_signal_that_the_program_sends_itself_is_no_fault() {
    let (status, text) = child::run(&mut child::of("crash::is_killed"));
    assert_eq!(status.signal(), Some(libc::SIGFPE), "{status}: {text}");
}
