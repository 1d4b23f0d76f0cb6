//! The optimal reduction makes one execution per Mazurkiewicz trace, and loses no outcome.

use crate::common::*;
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn dir() -> PathBuf {
    compile_suite("reduction", &["small.erl", "delivery.erl"], &[])
}

fn reduced(function: &str, settings: Settings) -> u64 {
    let findings = optimal(&program(&dir(), "small", function, settings));
    assert_eq!(findings.undecided, 0);
    findings.executions
}

/// The number of executions, and of failing ones.
fn of_server(step: u32, max: u32, test: &str, settings: Settings) -> (u64, u64) {
    let defines = [format!("STEP={step}"), format!("MAX_ATTACHED_PROC={max}")];
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let files = ["reg_server.erl", "reg_server_tests.erl"];
    let dir = compile_suite(&format!("reduced_server_{step}_{max}"), &files, &defines);
    let findings = optimal(&program(&dir, "reg_server_tests", test, settings));
    assert_eq!(findings.undecided, 0);
    (findings.executions, findings.failures)
}

#[test]
fn readers_and_last_zero() {
    if !erlang_is_there() {
        return;
    }
    let counted =
        ["readers_2", "readers_3", "readers_5", "readers_10"].map(|f| reduced(f, Settings::thesis()));
    assert_eq!(counted, [4, 8, 32, 1024]);
    let counted =
        ["last_zero_3", "last_zero_5", "last_zero_7", "last_zero_9"].map(|f| reduced(f, Settings::thesis()));
    assert_eq!(counted, [12, 64, 320, 1_536]);
}

#[test]
fn two_concurrent_stops_in_12_interleavings() {
    if !erlang_is_there() {
        return;
    }
    let test = "multiple_concurrent_stops_test";
    assert_eq!(of_server(612, 2, test, Settings::thesis()), (12, 0));
}

#[test]
fn attached_processes_of_the_final_server() {
    if !erlang_is_there() {
        return;
    }
    let counted = [1, 2, 3, 4].map(|max| of_server(628, max, "max_attached_proc_test", Settings::thesis()).0);
    assert_eq!(counted, [2, 5, 16, 65]);
}

#[test]
fn no_outcome_is_lost() {
    if !erlang_is_there() {
        return;
    }
    let functions = [
        ("small", "two_senders"),
        ("small", "names"),
        ("small", "monitors"),
        ("small", "aliases"),
        ("small", "tables"),
        ("small", "exits"),
        ("small", "counters"),
        ("small", "register_race"),
        ("small", "ring_5"),
        ("delivery", "overtaking"),
        ("delivery", "link_race"),
        ("delivery", "kill_then_look"),
        ("delivery", "exit_is_not_atomic"),
    ];
    for grain in [Grain::Thesis, Grain::Full] {
        for delivery in [Delivery::Instant, Delivery::Local] {
            for (module, function) in functions {
                let settings =
                    Settings { grain, delivery, judgement: Judgement::Lenient, ..Settings::default() };
                let program = program(&dir(), module, function, settings);
                let limit = |mut strategy: Option<Box<dyn raddle_core::strategy::Strategy>>| {
                    let strategy = strategy.take().expect("a strategy");
                    let findings = explore(&program, strategy);
                    let failed = findings.failures > 0;
                    (findings.executions, findings.outcomes.into_keys().collect::<BTreeSet<_>>(), failed)
                };
                let findings = optimal(&program);
                let failed = findings.failures > 0;
                let few =
                    (findings.executions, findings.outcomes.into_keys().collect::<BTreeSet<_>>(), failed);
                let all = limit(Some(Box::new(raddle_core::strategy::Dfs::new())));
                assert_eq!((&few.1, few.2), (&all.1, all.2), "{function} {grain:?} {delivery:?}");
                assert!(few.0 <= all.0, "{function}: {} of {}", few.0, all.0);
            }
        }
    }
}
