//! The accesses of operations are sound: at random points of random walks, two operations that do not
//! conflict commute, and both orders lead to the same state. Every reduction depends on this.

use crate::common::generate::{self, Flavour};
use crate::common::*;
use raddle_core::clock::Time;
use raddle_core::random::Rng;
use raddle_core::world::{Pick, Snapshot, World};
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use raddle_erlang::world::{ErlangWorld, Program};
use std::path::Path;

/// Compares both orders of all independent pairs of picks along random walks; returns the number of pairs.
fn check(dir: &Path, module: &str, function: &str, settings: &Settings, walks: u64) -> usize {
    check_in(ErlangWorld::new, dir, module, function, settings, walks)
}

/// The same in the worlds of `make`.
fn check_in(
    make: fn(&Program) -> ErlangWorld,
    dir: &Path,
    module: &str,
    function: &str,
    settings: &Settings,
    walks: u64,
) -> usize {
    let mut pairs = 0;
    for walk in 0..walks {
        let mut rng = Rng::new(11, walk);
        let mut world = make(&program(dir, module, function, settings.clone()));
        world.start();
        for _ in 0..300 {
            let point = world.point();
            if point.is_over() {
                break;
            }
            let picks: Vec<Pick> = point
                .enabled()
                .iter()
                .flat_map(|t| (0..point.pending(*t).options).map(|option| Pick { task: *t, option }))
                .collect();
            for (i, a) in picks.iter().enumerate() {
                for b in &picks[i + 1..] {
                    let (of_a, of_b) = (point.pending(a.task).accesses, point.pending(b.task).accesses);
                    if a.task != b.task && !of_a.conflict(of_b) {
                        pairs += 1;
                        let words = |p: &Pick| raddle_core::world::Describe::describe(&world, p.task);
                        let said = format!("{function} ({settings:?}): {} and {}", words(a), words(b));
                        let after = |first: &Pick, second: &Pick| {
                            let mut world = world.single();
                            world.step(*first);
                            let point = world.point();
                            assert!(
                                point
                                    .all()
                                    .get(second.task.index())
                                    .is_some_and(|p| p.options > second.option),
                                "one disables the other: {said}"
                            );
                            let then = point.pending(second.task).accesses;
                            world.step(*second);
                            (world.fingerprint(), then == if second == b { of_b } else { of_a })
                        };
                        let (one, other) = (after(a, b), after(b, a));
                        assert_eq!(one.0, other.0, "the order matters: {said}");
                        assert!(one.1 && other.1, "one changes what the other touches: {said}");
                    }
                }
            }
            let next = picks[rng.below(picks.len() as u32) as usize];
            world.step(next);
        }
    }
    pairs
}

#[test]
fn independent_operations_commute() {
    if !erlang_is_there() {
        return;
    }
    let files = [
        "small.erl",
        "reg_server.erl",
        "reg_server_tests.erl",
        "delivery.erl",
        "account.erl",
        "account_tests.erl",
    ];
    let small = compile_suite("commute", &files, &[]);
    let functions = [
        "readers_3",
        "last_zero_3",
        "names",
        "links",
        "monitors",
        "aliases",
        "tables",
        "timers",
        "exits",
        "counters",
        "register_race",
        "listing_5_14",
        "two_senders",
        "ring_5",
    ];
    let mut pairs = 0;
    for grain in [Grain::Full, Grain::Thesis] {
        for delivery in [Delivery::Instant, Delivery::Local, Delivery::Pairs] {
            let settings = Settings { grain, delivery, judgement: Judgement::Lenient, ..Settings::default() };
            for function in functions {
                pairs += check(&small, "small", function, &settings, 12);
            }
            for function in
                ["link_race", "kill_then_look", "exit_is_not_atomic", "supervised", "waiting_client"]
            {
                pairs += check(&small, "delivery", function, &settings, 4);
            }
            pairs += check(&small, "account_tests", "two_deposits_test", &settings, 3);
            for test in
                ["multiple_concurrent_stops", "multiple_concurrent_starts", "detach_on_exit", "attach"]
            {
                pairs += check(&small, "reg_server_tests", &format!("{test}_test"), &settings, 4);
            }
        }
    }
    assert!(pairs > 5_000, "only {pairs} pairs");
}

/// The same for random programs, with every grain and delivery, with ordered and with unordered mailboxes.
#[test]
fn independent_operations_of_random_programs_commute() {
    if !erlang_is_there() {
        return;
    }
    let programs = std::env::var("RADDLE_ORACLE").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let mut pairs = 0;
    let mut failures = std::collections::BTreeMap::new();
    for (name, flavour) in [
        ("commute_messages", Flavour::Messages),
        ("commute_shared", Flavour::Shared),
        ("commute_owners", Flavour::Owners),
        ("commute_signals", Flavour::Signals),
        ("commute_timed", Flavour::Timed),
        ("commute_files", Flavour::Files),
    ] {
        let dir = compile_text(name, &generate::module(name, flavour, programs, 21));
        for grain in [Grain::Full, Grain::Thesis] {
            for delivery in [Delivery::Instant, Delivery::Local, Delivery::Pairs] {
                for (time, kills) in [(Time::Idle, 0), (Time::Any, 0), (Time::Idle, 1)] {
                    let judgement = Judgement::Lenient;
                    let settings =
                        Settings { grain, delivery, judgement, time, kills, ..Settings::default() };
                    for (number, make) in (0..programs).flat_map(|n| {
                        [ErlangWorld::new as fn(&Program) -> _, ErlangWorld::unordered].map(|m| (n, m))
                    }) {
                        let function = format!("t{number}");
                        let checked =
                            std::panic::catch_unwind(|| check_in(make, &dir, name, &function, &settings, 2));
                        match checked {
                            Ok(some) => pairs += some,
                            Err(what) => {
                                let what = what.downcast_ref::<String>().cloned().unwrap_or_default();
                                let open =
                                    make(&program(&dir, name, &function, settings.clone())).is_order_open();
                                let key = format!("{name} {grain:?} {delivery:?} {time:?} {kills} {open}");
                                failures.entry(key).or_insert((0, function, what)).0 += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    for (key, (times, function, what)) in &failures {
        println!("{times} x {key} {function}: {what}");
    }
    assert!(failures.is_empty(), "operations that are not independent");
    assert!(pairs > 5_000, "only {pairs} pairs");
}
