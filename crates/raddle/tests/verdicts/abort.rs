//! A program that aborts fails its execution; a C library that aborts terminates the process, as it must.

use crate::child;
use raddle::{Checker, FailureKind, thread};
use std::os::unix::process::ExitStatusExt;

#[test]
fn aborting_is_a_failure_and_the_search_can_go_on() {
    let report = Checker::dfs().keep_going().run(|| {
        if raddle::any_bool() {
            thread::spawn(|| std::process::abort()).join().unwrap();
        }
    });
    assert_eq!((report.executions(), report.failures()), (2, 1));
    let failure = report.failure().expect("it aborts");
    assert_eq!(
        (failure.kind(), failure.message().as_str()),
        (FailureKind::Panic, "main.1 aborted the process")
    );
}

#[test]
fn corrupts_the_heap() {
    if !child::is_one() {
        return;
    }
    Checker::dfs().run(|| {
        let memory = std::hint::black_box(Box::leak(Box::new([0u64; 8])));
        // SAFETY: none: the library detects this, during its own work.
        unsafe { libc::free((&raw mut memory[1]).cast()) };
    });
}

#[test]
fn a_corrupt_heap_ends_the_process() {
    let (status, text) = child::run(&mut child::of("abort::corrupts_the_heap"));
    assert_eq!(status.signal(), Some(libc::SIGABRT), "{status}: {text}");
}

/// Other threads write to standard error meanwhile, as loggers do.
#[test]
fn panics_twice() {
    if !child::is_one() {
        return;
    }
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("the second");
        }
    }
    const LINES: usize = 2_000;
    let writer = std::thread::spawn(|| (0..LINES).for_each(|n| eprintln!("line {n} of another thread")));
    let report = Checker::random(200).workers(2).keep_going().run(|| {
        let task = thread::spawn(|| {
            let _bad = Panics;
            panic!("the first");
        });
        task.join().is_err()
    });
    writer.join().unwrap();
    assert_eq!(report.failures(), 200);
}

/// Only an execution ends, so std's last words about the process are not true.
#[test]
fn a_double_panic_does_not_say_that_the_process_aborts() {
    let (status, text) = child::run(child::of("abort::panics_twice").arg("--nocapture"));
    assert!(status.success(), "{text}");
    assert!(!text.contains("aborting"), "{text}");
    let (told, lines) = (text.matches("of another thread\n").count(), 2_000);
    assert_eq!(told, lines, "{text}");
}
