//! Verdicts on small tests: EUnit in the installed Erlang decides what becomes of a test process, and the lists in
//! `programs/judged.erl` say what other processes may do.

use crate::common::*;
use raddle_core::clock::Time;
use raddle_core::search::Findings;
use raddle_core::verdict::FailureKind;
use raddle_erlang::settings::{Delivery, Judgement, Settings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn dir() -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    compile_files("judged", &["judged.erl", "judged_statem.erl"].map(|f| programs.join(f)), &[])
}

/// What the installed Erlang prints.
fn erl(dir: &Path, code: &str) -> String {
    let output = Command::new("erl")
        .args(["-noshell", "-kernel", "logger_level", "none", "-pa"])
        .arg(dir)
        .args(["-eval", &format!("{code}, halt().")])
        .output()
        .expect("erl runs");
    String::from_utf8(output.stdout).expect("text")
}

/// The functions in a list of the program.
fn listed(list: &str) -> Vec<String> {
    let text = erl(&dir(), &format!("[io:format(\"~s~n\", [F]) || F <- judged:{list}()]"));
    let names: Vec<String> = text.lines().map(str::to_owned).collect();
    assert!(names.len() > 1, "{text}");
    names
}

/// Explored with the reduction and, for a while, with depth-first search.
fn explored(function: &str, settings: &Settings) -> [Findings<String>; 2] {
    let program = program(&dir(), "judged", function, settings.clone());
    let reduced = optimal(&program);
    let plain = dfs_for_a_while(&program);
    [reduced, plain]
}

fn fails(function: &str, settings: &Settings) -> bool {
    let [reduced, plain] = explored(function, settings);
    for found in [&reduced, &plain] {
        if let Some(failure) = &found.failure {
            assert!(!failure.kind().is_limit_of_exploring(), "{function}: {}", failure.message());
        }
    }
    assert!(reduced.failures > 0 || plain.failures == 0, "{function}: the reduction misses a failure");
    reduced.failures > 0
}

fn messages(function: &str, settings: &Settings) -> Option<String> {
    let [reduced, _] = explored(function, settings);
    reduced.failure.map(|failure| failure.message().to_owned())
}

#[test]
fn the_test_process_is_judged_as_by_eunit() {
    if !erlang_is_there() {
        return;
    }
    let code = "[io:format(\"~s ~s~n\", [F, eunit:test({judged, F}, [no_tty])]) || F <- judged:eunit()]";
    let said = erl(&dir(), code);
    let theirs: BTreeMap<&str, bool> =
        said.lines().filter_map(|line| line.split_once(' ')).map(|(f, said)| (f, said == "error")).collect();
    assert!(theirs.len() > 15, "{said}");
    for delivery in [Delivery::Instant, Delivery::Local] {
        let settings = Settings { delivery, ..Settings::default() };
        for (function, expected) in &theirs {
            assert_eq!(fails(function, &settings), *expected, "{function} {delivery:?}");
        }
    }
}

#[test]
fn an_exit_before_the_test_is_done_says_so() {
    if !erlang_is_there() {
        return;
    }
    let message = messages("exits_normal", &Settings::default()).expect("a failure");
    assert_eq!(message, "P exited before its test was done: normal");
    let message = messages("linked_shutdown_tuple", &Settings::default()).expect("a failure");
    assert_eq!(message, "P exited before its test was done: {shutdown,because}");
}

#[test]
fn what_otp_expects_is_no_failure() {
    if !erlang_is_there() {
        return;
    }
    for function in listed("passing") {
        assert_eq!(messages(&function, &Settings::default()), None, "{function}");
        assert!(!fails(&function, &Settings::default()), "{function}");
    }
}

#[test]
fn what_is_a_surprise_is_a_failure() {
    if !erlang_is_there() {
        return;
    }
    for function in listed("failing") {
        assert!(fails(&function, &Settings::default()), "{function}");
    }
}

#[test]
fn strict_is_strict() {
    if !erlang_is_there() {
        return;
    }
    let strict = Settings { judgement: Judgement::Strict, ..Settings::default() };
    for function in listed("strict") {
        assert!(!fails(&function, &Settings::default()), "{function}");
        assert!(fails(&function, &strict), "{function}");
    }
    // A process with a timer does not wait for ever.
    for function in ["waits_with_a_timeout", "ticks_for_ever"] {
        assert_eq!(messages(function, &strict), None, "{function}");
    }
}

#[test]
fn timers_that_tick_for_ever_are_cut_short_and_the_verdict_says_so() {
    if !erlang_is_there() {
        return;
    }
    let said = |function: &str, time| {
        let settings = Settings { time, ..Settings::default() };
        let [reduced, _] = explored(function, &settings);
        raddle_report::coverage(&reduced.coverage)
    };
    assert!(said("ticks_for_ever", Time::Idle).contains("timers that tick after the test fire 3 times"));
    for time in [Time::Idle, Time::Any] {
        assert!(!said("waits_with_a_timeout", time).contains("tick"));
    }
}

#[test]
fn reasons_can_be_treated_as_normal_and_kinds_ignored() {
    if !erlang_is_there() {
        return;
    }
    let usual = Settings::default();
    let because = Settings { treat_as_normal: vec!["because".to_owned()], ..Settings::default() };
    for function in ["because", "because_of"] {
        assert!(fails(function, &usual), "{function}");
        assert!(!fails(function, &because), "{function}");
    }
    assert!(fails("crashes", &because));
    let normal = Settings { treat_as_normal: vec!["normal".to_owned()], ..Settings::default() };
    assert!(!fails("exits_normal", &normal));
    let no_panic = Settings { ignored: vec![FailureKind::Panic], ..Settings::default() };
    let no_deadlock = Settings { ignored: vec![FailureKind::Deadlock], ..Settings::default() };
    assert!(!fails("because", &no_panic) && fails("because", &no_deadlock));
    assert!(fails("stuck", &no_panic) && !fails("stuck", &no_deadlock));
    let [found, _] = explored("because", &no_panic);
    assert!(raddle_report::coverage(&found.coverage).contains("ignores panic"));
}

#[test]
fn long_timeouts_never_fire_if_that_is_asked_for() {
    if !erlang_is_there() {
        return;
    }
    let short = Settings { after_timeout: Some(1_000), ..Settings::default() };
    for function in ["long_and_short", "long_timer"] {
        let message = messages(function, &Settings::default()).expect("a failure");
        assert!(message.starts_with("P crashed: "), "{message}");
        assert_eq!(messages(function, &short).as_deref(), Some("deadlock: P waits for ever"));
    }
    assert_eq!(messages("short", &short), None);
}

/// The facts of a record that the page shows.
#[test]
fn a_record_says_who_is_enabled_and_what_is_in_mailboxes() {
    let text = "-module(facts).\n-export([t/0]).\n\
        t() -> S = self(), spawn(fun() -> S ! {a, 1} end), spawn(fun() -> S ! b end),\n\
        \x20 receive b -> ok end, receive {a, N} -> 2 = N end.\n";
    let program = program(&compile_text("facts", text), "facts", "t", Settings::default());
    let found = optimal(&program);
    let record = found.failure.expect("it fails").record;
    let mut enabled: std::collections::BTreeSet<usize> =
        record.enabled.clone().expect("it is recorded").into_iter().collect();
    for line in &record.lines {
        assert!(line.step.is_none() || enabled.contains(&line.task), "{line:?} in {record:#?}");
        enabled.extend(&line.enables);
        enabled.retain(|task| !line.disables.contains(task));
    }
    let spawned: Vec<_> = record.lines.iter().filter_map(|line| line.spawns).collect();
    assert_eq!(spawned.len(), 2, "{record:#?}");
    let lengths = record.lines.iter().flat_map(|line| &line.mailboxes).map(|box_| box_.messages.len());
    let lengths: Vec<usize> = lengths.collect();
    assert_eq!(lengths.iter().max(), Some(&2).filter(|_| lengths.contains(&2)).or(Some(&1)), "{record:#?}");
    assert_eq!(lengths.last(), Some(&0), "the last receive empties it: {record:#?}");
    let first = record.lines.iter().flat_map(|line| &line.mailboxes).next().expect("a message arrives");
    assert!(["{a,1}", "b"].contains(&first.messages[0].as_str()), "{first:?}");
    assert!(record.lines.iter().any(|line| !line.after.is_empty()), "{record:#?}");
}
