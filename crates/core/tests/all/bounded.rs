//! The reduction within bounds against depth-first search within the same bounds: the same outcomes, the same
//! failures, every Mazurkiewicz trace, in no more executions, for every number of workers.

use crate::common::cases::config;
use crate::common::classes::{Seen, classifier};
use crate::common::machine::{Do, Do::*, Machine, Programs};
use crate::common::random_machines::programs;
use crate::common::{Toy, all, limited};
use proptest::prelude::*;
use raddle_core::search::{Findings, NoListener, search};
use raddle_core::strategy::{Bounded, Bounds, Dfs, Within};
use raddle_core::verdict::Extent;
use raddle_core::world::World;
use std::fmt::Debug;

/// Larger programs are not compared.
const MOST: u64 = 3_000;

fn explore<W: World>(
    make: impl Fn() -> W + Sync,
    workers: usize,
    strategy: impl raddle_core::strategy::Strategy + 'static,
) -> (Findings<W::Outcome>, Seen)
where
    W::Outcome: Ord + std::fmt::Debug + std::marker::Send,
{
    let (strategy, seen) = classifier(strategy);
    let found =
        search(&limited(MOST, all(workers)), Box::new(strategy), make, std::sync::Arc::new(NoListener));
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (found, seen)
}

fn bounds(preemptions: Option<u32>, yields: Option<u32>, steps: Option<usize>) -> Bounds {
    Bounds { preemptions, yields, steps }
}

/// Each bound by itself, and all together.
fn all_bounds() -> Vec<Bounds> {
    let none = Bounds::default();
    let preemptions = (0..4).map(Bounds::preemptions);
    let others = [
        bounds(None, Some(0), None),
        bounds(None, Some(1), None),
        bounds(None, None, Some(6)),
        bounds(Some(1), Some(1), Some(9)),
        bounds(Some(2), Some(0), Some(7)),
        none,
    ];
    preemptions.chain(others).collect()
}

/// Compares within `bounds`; says how many executions depth-first search makes and how many the reduction. `cuts` if
/// the world says which executions were cut short.
fn compare<W: World>(make: impl Fn() -> W + Sync, bounds: Bounds, cuts: bool) -> Result<(u64, u64), String>
where
    W::Outcome: Ord + std::marker::Send + Debug,
{
    let (slow, slow_classes) = explore(&make, 1, Within::new(bounds, None, Box::new(Dfs::new())));
    if slow.executions == MOST || slow.abandoned > MOST {
        return Ok((0, 0));
    }
    let mut counts = (slow.executions, None);
    for workers in [1, 2] {
        let (found, classes) = explore(&make, workers, Bounded::new(bounds));
        let fails = |found: &Findings<W::Outcome>| found.failures_by_kind.keys().copied().collect::<Vec<_>>();
        // Too long executions are classified, too, and some worlds do not report which ones were cut short: then
        // outcomes are compared.
        let missed = match bounds.steps {
            Some(_) => 0,
            None if !cuts && slow.failures > 0 => 0,
            None => slow_classes.keys().filter(|class| !class.0 && !classes.contains_key(class)).count(),
        };
        let problem = |words: &str| {
            Err(format!(
                "{words} within {bounds:?}, {workers} workers: {} instead of {} executions; {missed} of {} \
                 classes missed; {:?} {:?} instead of {:?} {:?}; {:?} instead of {:?}",
                found.executions,
                slow.executions,
                slow_classes.len(),
                found.outcomes,
                fails(&found),
                slow.outcomes,
                fails(&slow),
                found.coverage,
                slow.coverage,
            ))
        };
        if missed > 0 {
            return problem("traces were missed");
        }
        if !found.outcomes.keys().eq(slow.outcomes.keys()) || fails(&found) != fails(&slow) {
            return problem("outcomes differ");
        }
        if found.executions > slow.executions {
            return problem("more executions");
        }
        if counts.1.is_some_and(|before| before != found.executions) {
            return problem("workers differ");
        }
        if bounds.is_none()
            && (cuts || slow.failures == 0)
            && !classes.keys().any(|(cut, _)| *cut)
            && found.executions != classes.len() as u64
        {
            return problem("sleep sets explore each trace once");
        }
        // It may find out that a bound refuses nothing that is new.
        if found.coverage.extent != slow.coverage.extent && found.coverage.extent != Extent::Exhaustive {
            return problem("coverage");
        }
        counts.1 = Some(found.executions);
    }
    Ok((slow.executions, counts.1.unwrap_or_default()))
}

fn counts(programs: &[&[Do]], bounds: Bounds) -> (u64, u64) {
    let programs: Programs = programs.iter().map(|p| p.to_vec()).collect();
    compare(|| Machine::new(&programs), bounds, true).unwrap()
}

/// Executions of depth-first search and of the reduction.
#[test]
fn how_much_is_left_out() {
    let tasks = |ops| {
        let main: &[Do] = &[Spawn(1), Spawn(1), Spawn(1), Join(0), Join(1), Join(2)];
        [0, 1, 2].map(|bound| counts(&[main, ops], Bounds::preemptions(bound)))
    };
    // Each accesses only its own objects: there is one trace.
    assert_eq!(tasks(&[Load(0), Load(1)]), [(6, 1), (24, 1), (60, 1)]);
    // Six orders in which they have the lock; the place of a read of a variable that is never written does not matter.
    assert_eq!(tasks(&[Load(0), Lock(0), Unlock(0)]), [(6, 6), (54, 11), (120, 6)]);
    // All 90 orders of the six steps are different.
    assert_eq!(tasks(&[Add(0), Add(0)]), [(6, 6), (24, 24), (60, 60)]);
}

proptest! {
    #![proptest_config(config(1_000, 7))]

    #[test]
    fn nothing_inside_the_bounds_is_lost(programs in programs()) {
        for bounds in all_bounds() {
            let compared = compare(|| Machine::new(&programs), bounds, true);
            prop_assert!(compared.is_ok(), "{}\n{programs:?}", compared.unwrap_err());
        }
    }

    #[test]
    fn nor_where_there_are_phantoms(program in crate::common::random_programs::programs()) {
        for bounds in all_bounds() {
            let compared = compare(|| Toy::new(&program), bounds, false);
            prop_assert!(compared.is_ok(), "{}\n{program:?}", compared.unwrap_err());
        }
    }
}
