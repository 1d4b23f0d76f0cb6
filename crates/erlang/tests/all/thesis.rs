//! The numbers and verdicts of the thesis, by its counting rules: Listing 4.2 and all of chapter 6.

use crate::common::*;
use raddle_core::verdict::FailureKind;
use raddle_erlang::settings::Settings;
use std::path::PathBuf;

fn server(step: u32, max: u32) -> PathBuf {
    let defines = [format!("STEP={step}"), format!("MAX_ATTACHED_PROC={max}")];
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let files = ["reg_server.erl", "reg_server_tests.erl"];
    compile_suite(&format!("reg_server_{step}_{max}"), &files, &defines)
}

/// The number of interleavings, and of failing ones.
fn counts(step: u32, max: u32, test: &str, preemptions: Option<u32>) -> (u64, u64) {
    let program =
        program(&server(step, max), "reg_server_tests", &format!("{test}_test"), Settings::thesis());
    let findings = match preemptions {
        Some(n) => bounded(&program, n),
        None => all(&program),
    };
    (findings.executions, findings.failures)
}

#[test]
fn listing_4_2() {
    if !erlang_is_there() {
        return;
    }
    let dir = compile_suite("thesis_listings", &["thesis_listings.erl"], &[]);
    let program = program(&dir, "thesis_listings", "listing_4_2", Settings::thesis());
    assert_eq!(all(&program).executions, 3);
    assert_eq!([0, 1, 2].map(|n| bounded(&program, n).executions), [1, 2, 3]);
}

#[test]
fn two_concurrent_stops() {
    if !erlang_is_there() {
        return;
    }
    let counted = [0, 1, 2].map(|n| counts(612, 2, "multiple_concurrent_stops", Some(n)));
    assert_eq!(counted, [(16, 0), (217, 0), (1_728, 0)]);
}

#[test]
fn two_concurrent_stops_without_a_bound() {
    if !erlang_is_there() {
        return;
    }
    assert_eq!(counts(612, 2, "multiple_concurrent_stops", None), (827_844, 0));
}

#[test]
fn attached_processes_without_the_monitor() {
    if !erlang_is_there() {
        return;
    }
    let counted = [1, 2, 3, 4].map(|max| counts(627, max, "max_attached_proc", Some(2)).0);
    assert_eq!(counted, [65, 822, 9_789, 118_038]);
}

#[test]
fn the_final_server() {
    if !erlang_is_there() {
        return;
    }
    let tests = [
        ("multiple_concurrent_starts", 965),
        ("attach", 2_689),
        ("detach_attach", 1_144),
        ("max_attached_proc", 1_144),
        ("ping_concurrent_failure", 249),
        ("multiple_stops", 5),
        ("detach_on_exit", 283),
    ];
    for (test, expected) in tests {
        assert_eq!(counts(628, 2, test, Some(2)), (expected, 0), "{test}");
    }
}

#[test]
fn every_test_of_the_final_server_passes() {
    if !erlang_is_there() {
        return;
    }
    let others = [
        "start_stop",
        "ping",
        "ping_failure",
        "multiple_starts",
        "already_attached",
        "detach",
        "detach_non_attached",
    ];
    for test in others {
        let (executions, failures) = counts(628, 2, test, None);
        assert!(executions > 0 && failures == 0, "{test}: {failures} of {executions} fail");
    }
}

#[test]
fn step_by_step() {
    if !erlang_is_there() {
        return;
    }
    // Listing 6.4: the server never stops, so both tests end in a deadlock.
    let deadlocks = |step, test: &str| {
        let program = program(&server(step, 2), "reg_server_tests", test, Settings::thesis());
        all(&program).failure.map(|f| f.kind())
    };
    assert_eq!(deadlocks(604, "start_stop_test"), Some(FailureKind::Deadlock));
    assert_eq!(deadlocks(604, "ping_test"), Some(FailureKind::Deadlock));
    // Listing 6.6: both pass, in three interleavings each.
    assert_eq!(counts(606, 2, "start_stop", None), (3, 0));
    assert_eq!(counts(606, 2, "ping", None), (3, 0));
    // Listing 6.8 fails three times, after 6.9 twice, after 6.10 never.
    assert_eq!([608, 609, 610].map(|step| counts(step, 2, "multiple_stops", None).1), [3, 2, 0]);
    // Listing 6.11 fails before 6.12, even with no preemption.
    assert!(counts(610, 2, "multiple_concurrent_stops", Some(0)).1 > 0);
    // Listing 6.16 fails before 6.17.
    assert!(counts(615, 2, "multiple_concurrent_starts", Some(2)).1 > 0);
    // Listing 6.27 fails before 6.28.
    assert!(counts(627, 2, "detach_on_exit", Some(2)).1 > 0);
}
