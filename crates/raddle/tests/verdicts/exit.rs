//! A program that exits inside of an execution has failed, by whichever function.

use crate::child;
use raddle::{Checker, FailureKind, thread};

#[test]
fn exits_by_std() {
    if child::is_one() {
        Checker::dfs().run(|| {
            thread::spawn(|| std::process::exit(0)).join().unwrap();
        });
    }
}

#[test]
fn an_exit_by_std_is_no_success() {
    let (status, text) = child::run(&mut child::of("exit::exits_by_std"));
    assert_eq!(status.code(), Some(101), "{text}");
    assert!(text.contains("raddle: main.1 called std::process::exit inside of a check"), "{text}");
}

#[test]
fn exits_after_a_check() {
    if child::is_one() {
        Checker::dfs().run(|| thread::spawn(|| ()).join().unwrap());
        std::process::exit(7);
    }
}

#[test]
fn an_exit_outside_of_executions_is_what_it_was() {
    let (status, text) = child::run(&mut child::of("exit::exits_after_a_check"));
    assert_eq!(status.code(), Some(7), "{text}");
    assert!(!text.contains("raddle:"), "{text}");
}

#[test]
fn an_exit_by_raddle_fails_its_execution() {
    let report = Checker::dfs().keep_going().run(|| {
        if raddle::any_bool() {
            raddle::process::exit(3);
        }
    });
    assert_eq!((report.executions(), report.failures()), (2, 1));
    let failure = report.failure().expect("it exits");
    assert_eq!(failure.kind(), FailureKind::Panic);
    assert_eq!(failure.message(), "main ended the process with exit code 3");
}
