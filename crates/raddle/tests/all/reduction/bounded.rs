//! Random programs over the real primitives within bounds: the reduction finds what depth-first search within
//! the same bounds finds, in no more executions.

use super::oracle::config;
use super::random_programs::{Do, explore, programs};
use proptest::prelude::*;
use raddle_core::clock::Time;
use raddle_core::strategy::{Bounded, Bounds, Dfs, Within};
use raddle_native::{Settings, Spins};

/// Programs with more executions are not compared.
const MOST: u64 = 1_000;

fn compare(program: &[Do], settings: &Settings, bounds: Bounds) -> Result<(), String> {
    let (slow, all) = explore(program, settings, 1, MOST, Within::new(bounds, None, Box::new(Dfs::new())));
    if slow.executions == MOST || slow.abandoned > MOST {
        return Ok(());
    }
    let mut counted = None;
    for workers in [1, 2] {
        let (found, seen) = explore(program, settings, workers, MOST, Bounded::new(bounds));
        // Where a panic ends an execution depends on when it is observed; that it does is compared below. Of
        // executions that are too long, only the prefix is seen.
        let missed = all.keys().filter(|class| !class.0 && !seen.contains_key(class)).count();
        let problem = |words: &str| {
            let failures = (&slow.failures_by_kind, &found.failures_by_kind);
            Err(format!(
                "{words} within {bounds:?}: {} instead of {} executions, {missed} of {} classes missed; {:?} instead \
                 of {:?}; {failures:?}\n{program:?}",
                found.executions,
                slow.executions,
                all.len(),
                found.outcomes.keys().collect::<Vec<_>>(),
                slow.outcomes.keys().collect::<Vec<_>>(),
            ))
        };
        if missed > 0 && bounds.steps.is_none() {
            return problem("traces were missed");
        }
        if !found.outcomes.keys().eq(slow.outcomes.keys())
            || !found.failures_by_kind.keys().eq(slow.failures_by_kind.keys())
        {
            return problem("outcomes differ");
        }
        if found.executions > slow.executions {
            return problem("more executions");
        }
        if counted.is_some_and(|before| before != found.executions) {
            return problem("workers differ");
        }
        counted = Some(found.executions);
    }
    Ok(())
}

fn all_bounds() -> [Bounds; 5] {
    let steps = Bounds { steps: Some(7), ..Bounds::default() };
    let combined = Bounds { preemptions: Some(1), yields: Some(1), steps: Some(9) };
    [Bounds::preemptions(0), Bounds::preemptions(1), Bounds::preemptions(2), steps, combined]
}

proptest! {
    #![proptest_config(config(100, 11))]

    #[test]
    fn nothing_inside_the_bounds_is_lost(program in programs()) {
        for bounds in all_bounds() {
            let compared = compare(&program, &Settings::default(), bounds);
            prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        }
    }

    #[test]
    fn nor_where_timers_fire_at_any_point(program in programs()) {
        for bounds in all_bounds() {
            let compared = compare(&program, &Settings { time: Time::Any, ..Settings::default() }, bounds);
            prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        }
    }

    #[test]
    fn nor_where_tasks_wake_up_for_no_reason(program in programs(), spurious in 1..3u32) {
        for bounds in all_bounds() {
            let compared = compare(&program, &Settings { spurious, ..Settings::default() }, bounds);
            prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        }
    }

    #[test]
    fn nor_where_loops_wait(program in programs()) {
        for bounds in all_bounds() {
            let compared = compare(&program, &Settings { spins: Spins::Await, ..Settings::default() }, bounds);
            prop_assert!(compared.is_ok(), "{}", compared.unwrap_err());
        }
    }
}
