//! The settings of McErlang and PULSE that a plain search lacks: what each finds, and what is missed without
//! it.

use super::*;
use raddle_core::strategy::Dfs;

fn behaviour(function: &str, settings: Settings) -> Program {
    let dir = compile_suite("behaviours", &["behaviours.erl", "delivery.erl"], &[]);
    program(&dir, "behaviours", function, settings)
}

#[test]
fn a_test_that_fails_is_a_failure_whoever_is_told() {
    if !erlang_is_there() {
        return;
    }
    let found = all(&behaviour("failing_test", at_once()));
    assert!(message(&found).starts_with("P crashed: oops at "), "{}", message(&found));
    assert_eq!(found.executions, found.failures);
}

#[test]
fn the_coarse_grain_misses_a_lost_update() {
    if !erlang_is_there() {
        return;
    }
    let fine = all(&behaviour("lost_update", at_once()));
    assert!(message(&fine).starts_with("P crashed: {badmatch,[{number,1}]}"), "{}", message(&fine));
    let thesis = all(&behaviour("lost_update", Settings::thesis()));
    assert_eq!(counts(&thesis), (69, 30));
    let coarsely = all(&behaviour("lost_update", coarse(Delivery::Local)));
    assert_eq!(counts(&coarsely), (3, 0));
    assert!(
        raddle_report::coverage(&coarsely.coverage).contains("coarse, may miss"),
        "{:?}",
        coarsely.coverage
    );
}

#[test]
fn a_kill_finds_the_lock_that_does_not_watch_its_holder() {
    if !erlang_is_there() {
        return;
    }
    let with = |function, kills| all(&behaviour(function, Settings { kills, ..at_once() }));
    assert_eq!(counts(&with("forgotten_holder", 0)), (12, 0));
    let killed = to_the_first(
        &behaviour("forgotten_holder", Settings { kills: 1, ..at_once() }),
        Box::new(Dfs::new()),
    );
    assert_eq!(message(&killed), "deadlock: P waits for ever");
    let record = killed.failure.expect("a failure").record;
    assert!(record.lines.iter().any(|line| line.operation == "kills P.2"), "{:?}", record.lines);
    let watched = with("watched_holder", 1);
    // It was 21,718 while a `demonitor` came too late for a killed process whose pid was not released yet:
    // that one still sent DOWN, in a step without effect. Now a monitor is removed at once.
    assert_eq!(counts(&watched), (21_576, 0), "{}", message(&watched));
    assert!(raddle_report::coverage(&watched.coverage).contains("at most 1 kill"), "{:?}", watched.coverage);
}

#[test]
fn overtaking_finds_the_session_that_nobody_knows_yet() {
    if !erlang_is_there() {
        return;
    }
    let with = |function, delivery| all(&behaviour(function, Settings { delivery, ..Settings::default() }));
    for delivery in [Delivery::Instant, Delivery::Local] {
        assert_eq!(counts(&with("session", delivery)), (2_052, 0));
    }
    let between = with("session", Delivery::Pairs);
    assert_eq!(counts(&between), (278_796, 3_276));
    assert!(message(&between).starts_with("P crashed: {badmatch,unknown}"), "{}", message(&between));
    assert_eq!(counts(&with("acknowledged_session", Delivery::Pairs)), (384, 0));
}
