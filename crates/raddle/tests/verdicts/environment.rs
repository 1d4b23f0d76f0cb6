//! Environment variables override a run, end to end.

use crate::child;
use raddle::Checker;
use raddle::sync::Arc;
use raddle::sync::atomic::{AtomicUsize, Ordering::*};
use raddle::thread;
use std::collections::HashSet;
use std::process::Command;
use std::sync::Mutex;

fn increments() -> usize {
    let count = Arc::new(AtomicUsize::new(0));
    let its = count.clone();
    let add = |count: &AtomicUsize| {
        let seen = count.load(SeqCst);
        count.store(seen + 1, SeqCst);
    };
    let other = thread::spawn(move || add(&its));
    add(&count);
    other.join().unwrap();
    count.load(SeqCst)
}

/// Prints the result of a search that finds nothing.
#[test]
fn passes() {
    if !child::is_one() {
        return;
    }
    let threads = Mutex::new(HashSet::new());
    let report = Checker::exhaustive().run(|| {
        threads.lock().unwrap().insert(std::thread::current().id());
        increments()
    });
    let threads = threads.into_inner().unwrap().len();
    println!(
        "\n{} executions on {threads} threads: {}",
        report.executions(),
        raddle_report::coverage(report.coverage())
    );
}

/// Finds the lost update.
#[test]
fn fails() {
    if !child::is_one() {
        return;
    }
    Checker::exhaustive().preemptions(1).check(|| assert_eq!(increments(), 2, "an update was lost"));
}

fn passing(variables: &[(&str, &str)]) -> String {
    let (status, text) =
        child::run(said(&mut child::of("environment::passes"), variables).arg("--nocapture"));
    assert!(status.success(), "{text}");
    text.lines().find(|line| line.contains(" executions on ")).expect(&text).to_owned()
}

fn failing(variables: &[(&str, &str)]) -> String {
    let (status, text) = child::run(said(&mut child::of("environment::fails"), variables));
    assert_eq!(status.code(), Some(101), "{text}");
    text
}

fn said<'a>(command: &'a mut Command, variables: &[(&str, &str)]) -> &'a mut Command {
    command.envs(variables.iter().copied())
}

#[test]
fn strategy_iterations_and_seed() {
    let assumed = "plain memory not watched · reference counts not explored · sequentially consistent · timers when idle";
    assert_eq!(passing(&[]), format!("4 executions on 1 threads: exhaustive · {assumed}"));
    assert_eq!(
        passing(&[("RADDLE_STRATEGY", "random"), ("RADDLE_SCHEDULES", "25"), ("RADDLE_SEED", "9")]),
        format!("25 executions on 1 threads: sampled 25 schedules (seed 9) · {assumed}")
    );
    assert_eq!(
        passing(&[("RADDLE_STRATEGY", "dfs"), ("RADDLE_EXECUTIONS", "4")]),
        format!("4 executions on 1 threads: not exhaustive: stopped after 4 executions · {assumed}")
    );
}

#[test]
fn workers() {
    // Each worker is sure to run only if there are enough executions for all.
    let line =
        passing(&[("RADDLE_STRATEGY", "random"), ("RADDLE_SCHEDULES", "200_000"), ("RADDLE_WORKERS", "3")]);
    assert!(line.starts_with("200000 executions on 3 threads"), "{line}");
}

#[test]
fn replay() {
    let text = failing(&[]);
    let footer = |what: &str| {
        let line = text.lines().find_map(|line| line.trim_start().strip_prefix(what));
        line.unwrap_or_else(|| panic!("no {what} in {text}")).trim().to_owned()
    };
    assert!(text.contains("raddle: panic in execution 2 of environment::fails"), "{text}");
    let (file, short) = (footer("ticket"), footer("as text"));
    for ticket in [file, short] {
        let again = failing(&[("RADDLE_REPLAY", &ticket)]);
        assert!(again.contains("raddle: panic in the replayed execution of environment::fails"), "{again}");
        assert!(again.contains("an update was lost"), "{again}");
        assert!(again.contains("replayed one schedule"), "{again}");
        // It belongs to the other test: that this one passes is no result of the replay.
        let mut other = child::of("environment::passes");
        let (status, text) = child::run(said(&mut other, &[("RADDLE_REPLAY", &ticket)]).arg("--nocapture"));
        let expected =
            "raddle: RADDLE_REPLAY: nothing was replayed: the ticket is one of environment::fails, and";
        assert!(text.contains(expected) && status.code() == Some(101), "{text}");
    }
}

#[test]
fn nonsense() {
    let wrong = |name: &str, value: &str, why: &str| {
        let text = failing(&[(name, value)]);
        assert!(text.contains(&format!("raddle: {why}")), "{text}");
    };
    wrong(
        "RADDLE_STRATEGY",
        "luck",
        "RADDLE_STRATEGY: there is no strategy `luck`; there are exhaustive, iterative, dfs, preemption-bounding, staged, random ",
    );
    wrong("RADDLE_SEED", "x", "RADDLE_SEED is `x`; it takes a number");
    wrong("RADDLE_SCHEDULES", "-1", "RADDLE_SCHEDULES is `-1`; it takes a number");
    wrong("RADDLE_PREEMPTIONS", "two", "RADDLE_PREEMPTIONS is `two`; it takes a number");
    wrong("RADDLE_BUDGET", "1d", "RADDLE_BUDGET is `1d`; `d` is no unit of time; it takes ms, s, m or h");
    wrong("RADDLE_RESUME", "/no/such/search", "RADDLE_RESUME: cannot read the search /no/such/search");
    wrong("RADDLE_WORKERS", "many", "RADDLE_WORKERS is `many`; it takes a number");
    wrong("RADDLE_REPLAY", "/no/such/ticket", "RADDLE_REPLAY: cannot read the ticket /no/such/ticket");
    wrong("RADDLE_REPLAY", "raddle2;;", "RADDLE_REPLAY: not a usable ticket: a part is missing");
}
