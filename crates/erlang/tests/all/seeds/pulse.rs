//! PULSE: the races of proc_reg, the link race of figures 1 and 2, and two writers.

use super::*;
use raddle_core::strategy::{Dfs, OptimalDpor};
use raddle_erlang::settings::Judgement;

const MOST: u64 = 5_000;

fn registry(version: u32, test: &str, settings: Settings) -> Program {
    let files = ["proc_reg.erl", "proc_reg_tests.erl"];
    let dir = compile_suite(&format!("proc_reg_{version}"), &files, &[&format!("VERSION={version}")]);
    program(&dir, "proc_reg_tests", &format!("{test}_test"), settings)
}

#[test]
fn in_sequence_the_registry_is_right() {
    if !erlang_is_there() {
        return;
    }
    for version in [1, 2, 3, 4] {
        let found = sample(&registry(version, "in_sequence", Settings::default()), 500);
        assert_eq!(counts(&found), (500, 0), "version {version}: {}", message(&found));
    }
}

#[test]
fn the_first_race_needs_overtaking_where_pulse_does_not_interrupt() {
    if !erlang_is_there() {
        return;
    }
    // No process is preempted between the table and the message: within a node there is no failure ...
    // It was 2,082 while `demonitor`, which completes every call of a server, was a signal to be delivered.
    // No process observes when it arrives, so now it takes effect at once, and there are fewer steps to
    // interleave. It was 1,216 while the monitor of a call was one: see `makes_call`.
    let within = all(&registry(1, "first_race", coarse(Delivery::Local)));
    assert_eq!(counts(&within), (248, 0));
    // ... and between nodes the audit overtakes the message that announces the registration.
    let between = sample(&registry(1, "first_race", coarse(Delivery::Pairs)), MOST);
    assert!(message(&between).starts_with("P crashed: {assertEqual,"), "{}", message(&between));
    // "Exactly the same scenario can be triggered in an alternative way": by a preemption there.
    let interrupted = sample(&registry(1, "first_race", Settings::default()), MOST);
    assert!(message(&interrupted).starts_with("P crashed: {assertEqual,"), "{}", message(&interrupted));
}

#[test]
fn the_reverse_entry_mends_the_first_race() {
    if !erlang_is_there() {
        return;
    }
    let found = explore(&registry(2, "first_race", at_once()), Box::new(OptimalDpor::new()));
    assert_eq!((found.failures, found.undecided), (0, 0), "{}", message(&found));
    assert!(raddle_report::coverage(&found.coverage).starts_with("exhaustive"), "{:?}", found.coverage);
    let between = sample(&registry(2, "first_race", coarse(Delivery::Pairs)), MOST);
    assert_eq!(counts(&between), (MOST, 0), "{}", message(&between));
}

#[test]
fn the_second_race_is_there_until_dead_processes_are_refused() {
    if !erlang_is_there() {
        return;
    }
    for version in [1, 2] {
        let coarsely =
            to_the_first(&registry(version, "second_race", coarse(Delivery::Local)), Box::new(Dfs::new()));
        assert!(message(&coarsely).starts_with("P crashed: {assertEqual,"), "{}", message(&coarsely));
        let found = sample(&registry(version, "second_race", Settings::default()), MOST);
        assert!(message(&found).starts_with("P crashed: {assertEqual,"), "{}", message(&found));
    }
    for delivery in [Delivery::Instant, Delivery::Local] {
        let settings = Settings { delivery, ..Settings::default() };
        for race in ["first_race", "second_race"] {
            let found = all(&registry(3, race, settings.clone()));
            assert_eq!(counts(&found), (659, 0), "{race} {delivery:?}: {}", message(&found));
        }
    }
}

#[test]
fn the_third_race_needs_a_third_process() {
    if !erlang_is_there() {
        return;
    }
    let found = sample(&registry(3, "third_race", Settings::default()), MOST);
    assert!(message(&found).starts_with("P crashed: {assert,"), "{}", message(&found));
    // The coarse grain misses it: no process exits between `is_process_alive` and the use of its result.
    let coarsely = all(&registry(3, "third_race", coarse(Delivery::Local)));
    assert_eq!(counts(&coarsely), (17_859, 0), "{}", message(&coarsely));
}

#[test]
fn who_registers_only_itself_has_no_race() {
    if !erlang_is_there() {
        return;
    }
    let found = explore(&registry(4, "only_oneself", Settings::default()), Box::new(OptimalDpor::new()));
    assert_eq!(found.failures, 0, "{}", message(&found));
}

fn example(function: &str, settings: Settings) -> Program {
    program(&compile_suite("pulse", &["pulse.erl"], &[]), "pulse", function, settings)
}

#[test]
fn a_link_may_come_too_late() {
    if !erlang_is_there() {
        return;
    }
    let lenient = Settings { judgement: Judgement::Lenient, ..Settings::default() };
    let found = all(&example("proc_a", lenient.clone()));
    assert_eq!((counts(&found), outcomes(&found)), ((10, 0), vec!["kill", "noproc"]));
    let linked = all(&example("proc_a_spawn_link", lenient));
    assert_eq!(outcomes(&linked), ["kill"]);
    // An unobserved crash is a failure: when the link comes too late.
    let usual = all(&example("proc_a", Settings::default()));
    assert_eq!((counts(&usual), message(&usual).as_str()), ((10, 6), "P.1 exited abnormally: kill"));
}

#[test]
fn two_writers_race() {
    if !erlang_is_there() {
        return;
    }
    let found = all(&example("write_race_in_a_table", Settings::default()));
    assert_eq!((counts(&found), outcomes(&found)), ((4, 0), vec!["\"a\"", "\"b\""]));
    let file = all(&example("write_race", Settings::default()));
    assert_eq!((counts(&file), outcomes(&file)), ((4, 0), vec!["<<\"a\">>", "<<\"b\">>"]));
    let reduced = explore(&example("write_race", Settings::default()), Box::new(OptimalDpor::new()));
    assert_eq!((counts(&reduced), outcomes(&reduced)), ((2, 0), vec!["<<\"a\">>", "<<\"b\">>"]));
}
