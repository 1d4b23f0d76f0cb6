//! Chapter 6 of the thesis, step by step: the tests that exist after each listing, with the verdicts of the
//! text; and all of it once more through the command, as a user calls it.

use super::*;
use raddle_core::strategy::{Dfs, OptimalDpor, Within};
use raddle_core::verdict::FailureKind;

fn server(step: u32, test: &str) -> Program {
    let files = ["reg_server.erl", "reg_server_tests.erl"];
    let dir = compile_suite(&format!("chapter6_{step}"), &files, &[&format!("STEP={step}")]);
    program(&dir, "reg_server_tests", &format!("{test}_test"), Settings::thesis())
}

/// The first failure with at most two preemptions: "for all of our tasks a preemption bound of two was enough".
fn within_two(step: u32, test: &str) -> Option<FailureKind> {
    let strategy = Box::new(Within::preemptions(2, Box::new(Dfs::new())));
    to_the_first(&server(step, test), strategy).failure.map(|failure| failure.kind())
}

/// The tests in the order of the text, each with the listing after which it passes.
const TESTS: [(&str, u32); 15] = [
    ("start_stop", 606),
    ("ping", 606),
    ("multiple_stops", 610),
    ("multiple_concurrent_stops", 612),
    ("ping_failure", 612),
    ("ping_concurrent_failure", 612),
    ("multiple_starts", 615),
    ("multiple_concurrent_starts", 617),
    ("attach", 619),
    ("already_attached", 621),
    ("max_attached_proc", 621),
    ("detach", 624),
    ("detach_attach", 624),
    ("detach_non_attached", 626),
    ("detach_on_exit", 628),
];

/// The tests in the text when the server is at a listing, and whether they pass there.
#[test]
fn after_each_listing_the_tests_pass_that_the_text_says() {
    if !erlang_is_there() {
        return;
    }
    for step in [606, 610, 612, 615, 617, 619, 621, 624, 626, 628] {
        for (test, since) in TESTS.iter().filter(|(_, since)| *since <= step) {
            let found = explore(&server(step, test), Box::new(OptimalDpor::new()));
            assert_eq!(found.failures, 0, "6.{} {test} (since 6.{since}): {}", step - 600, message(&found));
            assert_eq!(found.undecided, 0, "6.{} {test}", step - 600);
        }
    }
}

#[test]
fn before_its_listing_each_test_fails_as_the_text_says() {
    if !erlang_is_there() {
        return;
    }
    use FailureKind::{Deadlock, Panic};
    // The server of 6.4 never stops; the stops fail with exceptions and with a deadlock until 6.9, 6.10 and 6.12; starting
    // twice raises until 6.15 and 6.17.
    assert_eq!(within_two(604, "start_stop"), Some(Deadlock));
    assert_eq!(within_two(604, "ping"), Some(Deadlock));
    // "Three erroneous interleaving sequences, two due to an exception and one due to a deadlock", then two, then none.
    assert_eq!([608, 609, 610].map(|step| all(&server(step, "multiple_stops")).failures), [3, 2, 0]);
    for (step, test) in [
        (610, "multiple_concurrent_stops"),
        (612, "multiple_starts"),
        (615, "multiple_concurrent_starts"),
        // Listing 6.19 gives a second number to a process that is attached already, and crashes when it is
        // full.
        (619, "already_attached"),
        (619, "max_attached_proc"),
        // Until 6.24 the server has no detach and never answers; 6.24 crashes for a process that is not
        // attached.
        (621, "detach"),
        (621, "detach_attach"),
        (624, "detach_non_attached"),
        (627, "detach_on_exit"),
    ] {
        assert!(within_two(step, test).is_some(), "6.{} {test} should fail", step - 600);
    }
    assert_eq!(within_two(612, "multiple_starts"), Some(Panic));
    assert_eq!(within_two(621, "detach"), Some(Deadlock));
    // "In this case the defect is even detected with a preemption bound of zero!"
    assert!(bounded(&server(610, "multiple_concurrent_stops"), 0).failures > 0);
}
