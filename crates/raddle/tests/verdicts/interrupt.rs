//! Ctrl-C during a search: the verdict so far, and the process exits as it would have.

use crate::child;
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::{Checker, thread};
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

/// More interleavings than can be explored.
fn endless() {
    let count = raddle::sync::Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let count = count.clone();
            thread::spawn(move || (0..20).for_each(|_| _ = count.fetch_add(1, SeqCst)))
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
}

/// Sends Ctrl-C after a while.
fn press() -> std::thread::JoinHandle<()> {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(300));
        // SAFETY: a plain system call.
        unsafe { libc::kill(libc::getpid(), libc::SIGINT) };
    })
}

#[test]
fn checks_until_it_is_interrupted() {
    if child::is_one() {
        press();
        Checker::dfs().check(endless);
        unreachable!("the process has ended");
    }
}

fn is_interrupted(checker: Checker) {
    if child::is_one() {
        press();
        let report = checker.run(endless);
        assert!(report.is_interrupted() && report.failure().is_none() && report.executions() > 0);
        let words = report.coverage().to_string();
        assert!(words.starts_with("not exhaustive: interrupted after "), "{words}");
        assert!(!report.never_panics().holds);
    }
}

#[test]
fn searches_until_it_is_interrupted() {
    is_interrupted(Checker::dfs());
}

#[test]
fn samples_until_it_is_interrupted() {
    is_interrupted(Checker::random(u64::MAX));
}

/// Ctrl-C, once, in the first execution.
fn press_at_once() {
    static PRESSED: std::sync::Once = std::sync::Once::new();
    // SAFETY: a plain system call.
    PRESSED.call_once(|| _ = unsafe { libc::raise(libc::SIGINT) });
}

#[test]
fn checks_until_it_is_interrupted_at_once() {
    if child::is_one() {
        Checker::exhaustive().check(|| {
            press_at_once();
            endless();
        });
        unreachable!("the process has ended");
    }
}

/// It is complete long before the signal.
#[test]
fn checks_little_and_is_interrupted() {
    if child::is_one() {
        Checker::exhaustive().check(press_at_once);
        unreachable!("the process has ended");
    }
}

#[test]
fn is_an_interrupted_test() {
    if child::is_one() {
        raddle::__private::run_test(Checker::exhaustive(), press_at_once);
        unreachable!("the process has ended");
    }
}

#[test]
fn is_interrupted_between_checks() {
    if child::is_one() {
        Checker::exhaustive().check(|| ());
        press_at_once();
        unreachable!("the process has ended");
    }
}

/// From the first execution on, and with few executions.
#[test]
fn ctrl_c_is_heard_from_the_beginning() {
    let run = |test: &str| child::run(&mut child::of(&format!("interrupt::{test}")));
    let (status, text) = run("checks_until_it_is_interrupted_at_once");
    assert_eq!(status.signal(), Some(libc::SIGINT), "{status}: {text}");
    assert!(text.contains("interrupted after ") && text.contains("RADDLE_RESUME="), "{text}");
    for test in ["checks_little_and_is_interrupted", "is_an_interrupted_test"] {
        let (status, text) = run(test);
        assert_eq!(status.signal(), Some(libc::SIGINT), "{status}: {text}");
        assert!(text.contains("no failure in 1 execution and ") && text.contains(": exhaustive"), "{text}");
    }
    let (status, text) = run("is_interrupted_between_checks");
    assert_eq!(status.signal(), Some(libc::SIGINT), "{status}: {text}");
    assert!(!text.contains("no failure"), "{text}");
}

/// The number in "no failure in 1,234 executions".
fn executions(text: &str) -> u64 {
    let (_, number) = text.split_once("no failure in ").expect(text);
    number.split(' ').next().unwrap().replace(',', "").parse().unwrap()
}

/// The file that a message names.
fn file(text: &str) -> String {
    let (_, file) = text.split_once("RADDLE_RESUME=").expect(text);
    file.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_verdict_so_far_is_told() {
    let (status, text) = child::run(&mut child::of("interrupt::checks_until_it_is_interrupted"));
    assert_eq!(status.signal(), Some(libc::SIGINT), "{status}: {text}");
    assert!(text.contains("interrupted after ") && text.contains(" executions"), "{text}");
    // It resumes from the file that it names, and continues the count.
    let (before, file) = (executions(&text), file(&text));
    let mut again = child::of("interrupt::checks_until_it_is_interrupted");
    let (status, text) = child::run(again.env("RADDLE_RESUME", &file));
    assert_eq!(status.signal(), Some(libc::SIGINT), "{status}: {text}");
    assert!(executions(&text) > before, "{before}, then {text}");
    // The checkpoint of depth-first search does not fit a reduction.
    let mut other = child::of("interrupt::checks_until_it_is_interrupted");
    let (status, text) = child::run(other.env("RADDLE_RESUME", &file).env("RADDLE_STRATEGY", "exhaustive"));
    let words = "RADDLE_RESUME: the search that was stopped is `dfs`, this one is `exhaustive`";
    assert!(status.code().is_some_and(|code| code != 0) && text.contains(words), "{status}: {text}");
    for test in ["searches_until_it_is_interrupted", "samples_until_it_is_interrupted"] {
        let (status, text) = child::run(&mut child::of(&format!("interrupt::{test}")));
        assert!(status.success(), "{status}: {text}");
    }
}
