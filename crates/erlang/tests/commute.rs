//! What operations say they touch is honest: at random points of random walks, two operations that do not
//! conflict can be taken in either order and lead to the same state. Everything a reduction does rests on it.

mod common;

use common::*;
use raddle_core::random::Rng;
use raddle_core::world::{Pick, Snapshot, World};
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use raddle_erlang::world::ErlangWorld;
use std::path::Path;

/// Compares both orders of all pairs of independent picks along random walks; says how many there were.
fn check(dir: &Path, module: &str, function: &str, settings: &Settings, walks: u64) -> usize {
    let mut pairs = 0;
    for walk in 0..walks {
        let mut rng = Rng::new(11, walk);
        let mut world = ErlangWorld::new(&program(dir, module, function, settings.clone()));
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
