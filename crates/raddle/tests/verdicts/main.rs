//! Every verdict: a small program with that verdict, the report for the user, and its ticket, which
//! reproduces the failure.

mod abort;
mod assumptions;
mod child;
mod crash;
mod data_race;
mod deadlock;
mod determinism;
mod environment;
mod exit;
mod installed;
mod interrupt;
mod leak;
mod misuse;
mod orderings;
mod panics;
mod rounds;
mod spin;
mod stack;
mod step_limit;
mod tickets;
mod waiting_loops;
mod watchdog;

use raddle::{Checker, Failure, FailureKind, Report};
use raddle_report::{Layout, Run};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Cells on the heap are judged, and atomics from before an execution are noticed.
#[global_allocator]
static ALLOCATOR: raddle::alloc::Allocator = raddle::alloc::Allocator::new();

/// A program that fails: with this kind and this report, and its ticket reproduces the failure.
#[track_caller]
fn fails<T>(name: &str, kind: FailureKind, program: impl Fn() -> T + Send + Sync) -> Failure
where
    T: Ord + Debug + Send,
{
    fails_under(Checker::dfs(), name, kind, program)
}

#[track_caller]
fn fails_under<T>(
    checker: Checker,
    name: &str,
    kind: FailureKind,
    program: impl Fn() -> T + Send + Sync,
) -> Failure
where
    T: Ord + Debug + Send,
{
    let report = checker.run(&program);
    let failure = report.failure().expect("the program fails").clone();
    assert_eq!(failure.kind(), kind, "{report}");
    replays(&report, &program);
    snapshot(name, &columns(&report));
    failure
}

/// A ticket reproduces the failure, given as text, as a file or as a file's content.
#[track_caller]
fn replays<T>(report: &Report<T>, program: impl Fn() -> T + Send + Sync)
where
    T: Ord + Debug + Send,
{
    let failure = report.failure().expect("the program fails");
    assert!(failure.afterwards.is_empty());
    let file = report.ticket_file().expect("a ticket was written").to_str().unwrap();
    let content = std::fs::read_to_string(file).unwrap();
    let text = failure.ticket().to_string();
    for ticket in [file, &content, &text] {
        let again = Checker::replay(ticket).run(&program);
        let same = again.failure().expect("it fails again");
        assert_eq!(
            (same.kind(), same.message().as_str()),
            (failure.kind(), failure.message().as_str()),
            "{again}"
        );
        assert_eq!(same.defect, failure.defect);
        assert_eq!(same.trace(), failure.trace());
        assert_eq!(same.ticket(), failure.ticket());
    }
}

/// The report in columns, without the parts that differ between runs.
fn columns<T>(report: &Report<T>) -> String {
    let mut text = report.to_text(100);
    if let Some(file) = report.ticket_file() {
        text = text.replace(&file.display().to_string(), "[ticket]");
    }
    let text = without_fingerprint(text);
    let Some((before, after)) = text.split_once(", after ") else { return text };
    let (_, rest) = after.split_once(" s\n").expect("seconds");
    format!("{before}, after [time]\n{rest}")
}

/// The report in lines, as in a log.
fn lines<T>(report: &Report<T>) -> String {
    let failure = report.failure().expect("the program fails");
    let run = Run { ticket_file: Some("[ticket]".into()), ..Run::default() };
    without_fingerprint(raddle_report::failure(failure, report.coverage(), &run, &Layout::plain()))
}

/// Without the end of a ticket line, which stands for the executable that is running.
fn without_fingerprint(text: String) -> String {
    let line = |line: &str| match line.rsplit_once(';') {
        Some((before, end)) if before.contains("raddle2;") && end.contains('.') => {
            let (steps, sums) = end.split_once('.').expect("it is there");
            let rest = sums.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '.');
            format!("{before};{steps}.[program]{rest}\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[track_caller]
fn snapshot(name: &str, text: &str) {
    assert!(text.lines().all(|line| line == line.trim_end()), "no line ends with spaces");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

/// All results of a program that never fails.
#[track_caller]
fn passes<T: Ord + Debug + Clone + Send>(program: impl Fn() -> T + Send + Sync) -> BTreeSet<T> {
    let report = Checker::dfs().run(program);
    assert!(report.failure().is_none(), "{report}");
    assert!(report.coverage().is_exhaustive(), "{:?}", report.coverage());
    report.outcomes().keys().cloned().collect()
}

/// The facts about a failure.
fn notes(failure: &Failure) -> Vec<String> {
    failure.defect.facts.iter().map(raddle_report::fact).collect()
}
