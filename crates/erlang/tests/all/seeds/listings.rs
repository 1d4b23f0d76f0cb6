//! The thesis's small listings: the ring, 3.1, 4.1, 4.2 and 5.14.

use super::*;
use raddle_core::clock::Time;
use raddle_core::strategy::{Dfs, OptimalDpor};
use raddle_core::verdict::FailureKind;
use raddle_core::world::World;
use raddle_erlang::settings::{Judgement, Polling};

fn listing(function: &str, settings: Settings) -> Program {
    let dir = compile_suite("seeds_listings", &["thesis_listings.erl"], &[]);
    program(&dir, "thesis_listings", function, settings)
}

#[test]
fn the_token_goes_round_in_one_way_and_then_the_ring_breaks() {
    if !erlang_is_there() {
        return;
    }
    // Exactly one process is enabled at any time: one interleaving, by the thesis's rules.
    let found = all(&listing("ring", Settings::thesis()));
    assert_eq!(
        (counts(&found), message(&found).as_str()),
        ((1, 1), "P exited abnormally: ttl_limit_surpassed")
    );
    // With any last receiver of the token, all processes of the ring exit for that reason, its builder
    // included.
    for function in ["ring_of_3_builder_last", "ring_of_3_member_last"] {
        let found = all(&listing(function, Settings { judgement: Judgement::Lenient, ..at_once() }));
        assert_eq!((outcomes(&found), found.failures), (vec!["ttl_limit_surpassed"], 0), "{function}");
        // Under the usual judgement, the unobserved exit of a member is a failure.
        let usual = all(&listing(function, at_once()));
        assert!(message(&usual).ends_with("exited abnormally: ttl_limit_surpassed"), "{}", message(&usual));
    }
}

#[test]
fn everybody_on_the_ring_says_what_it_received() {
    if !erlang_is_there() {
        return;
    }
    let mut world = ErlangWorld::new(&listing("ring", Settings::thesis()));
    world.start();
    while let Some(task) = world.point().enabled().first().copied() {
        world.step(raddle_core::world::Pick { task, option: 0 });
    }
    let printed: Vec<String> = world.output().into_iter().map(|(_, text)| text).collect();
    assert_eq!(printed[0], "<P>: Received final token (token)\n");
    assert_eq!(printed[4], "<P.4>: Received token (token); transmitting to <P.3>\n");
    assert_eq!(printed.len(), 5);
}

#[test]
fn listing_3_1_has_one_way_to_fail() {
    if !erlang_is_there() {
        return;
    }
    // "Of the many ways the two processes can be interleaved, only the one described leads to an error."
    let found = all(&listing("listing_3_1", Settings::thesis()));
    assert_eq!(counts(&found), (7, 1));
    assert!(message(&found).starts_with("P crashed: badarg at "), "{}", message(&found));
    // With the reduction, one failing trace and one that passes.
    let reduced = explore(&listing("listing_3_1", Settings::thesis()), Box::new(OptimalDpor::new()));
    assert_eq!(counts(&reduced), (2, 1));
}

#[test]
fn listing_4_1_ends_also_for_who_always_prefers_the_first_process() {
    if !erlang_is_there() {
        return;
    }
    // A search that takes every round of the loop never ends. A round that changes nothing is not taken twice, and the
    // other process halts the system: no error.
    let program = listing("listing_4_1", at_once());
    for found in [all(&program), sample(&program, 1_000)] {
        assert_eq!((found.failures, outcomes(&found)), (0, vec!["halt"]));
    }
    let rounds = Settings { polling: Polling::Steps, ..at_once() };
    let mut plan = Plan::default();
    plan.budget.steps = 5_000;
    let program = listing("listing_4_1", rounds);
    let found = search(&plan, Box::new(Dfs::new()), || ErlangWorld::new(&program), Arc::new(NoListener));
    assert_eq!(found.failure.map(|f| f.kind()), Some(FailureKind::StepLimit));
}

#[test]
fn a_long_story_needs_no_deep_stack() {
    if !erlang_is_there() {
        return;
    }
    // Once the log of these 100,000 steps overflowed the stack when it was dropped.
    let rounds = Settings { polling: Polling::Steps, ..at_once() };
    let found = to_the_first(&listing("listing_4_1", rounds), Box::new(Dfs::new()));
    let failure = found.failure.expect("a failure");
    assert_eq!((failure.kind(), failure.record.lines.len()), (FailureKind::StepLimit, 100_000));
}

#[test]
fn listing_4_1_without_any_operation_is_a_livelock() {
    if !erlang_is_there() {
        return;
    }
    let found = to_the_first(&listing("listing_4_1_silent", at_once()), Box::new(Dfs::new()));
    assert_eq!(message(&found), "P goes on and on without sending, receiving or ending");
    assert_eq!(found.failure.map(|f| f.kind()), Some(FailureKind::Livelock));
}

#[test]
fn listing_4_2_takes_three_sequences() {
    if !erlang_is_there() {
        return;
    }
    // "Six sequences were produced, but only three of them are actually needed": figures 4.3 and 4.4.
    let program = listing("listing_4_2", Settings::thesis());
    assert_eq!(counts(&all(&program)), (3, 0));
    assert_eq!([0, 1, 2].map(|n| bounded(&program, n).executions), [1, 2, 3]);
}

#[test]
fn listing_5_14_passes_unless_timers_fire_at_any_point() {
    if !erlang_is_there() {
        return;
    }
    let idle = all(&listing("listing_5_14", Settings::thesis()));
    assert_eq!((counts(&idle), outcomes(&idle)), ((3, 0), vec!["ok"]));
    let any = all(&listing("listing_5_14", Settings { time: Time::Any, ..Settings::thesis() }));
    assert_eq!(message(&any), "P exited abnormally: timeout");
    // Three more: the timeout fires before the message, which is then not sent, sent too late, or sent too
    // late by a process that has exited, too.
    assert_eq!(counts(&any), (6, 3));
}
