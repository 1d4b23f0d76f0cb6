//! What all samplers owe: seeds that reproduce, picks that are possible, outcomes that exist. And what each of them
//! promises, counted on worlds small enough to know the right number.

use crate::common::oracle::{executions, outcomes};
use crate::common::random_programs::programs;
use crate::common::spy::{Traces, spy};
use crate::common::*;
use proptest::prelude::*;
use raddle_core::strategy::{Observation, Sampler, Strategy, Wrapped, Wrapper};
use raddle_core::trace::Trace;
use raddle_core::verdict::Extent;
use std::collections::{BTreeMap, BTreeSet};

/// A sampler as a strategy that `run` takes. Each point is observed.
struct Boxed(Box<dyn Strategy>);

fn boxed(sampler: Sampler, seed: u64) -> Wrapped<Boxed> {
    Wrapped(Boxed(sampler.strategy(seed)))
}

impl Wrapper for Boxed {
    fn inside(&self) -> &dyn Strategy {
        &*self.0
    }
    fn inside_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.0
    }
    fn around(&self, inside: Box<dyn Strategy>) -> Boxed {
        Boxed(inside)
    }
    fn observes(&self) -> Observation {
        Observation::Points
    }
}

fn every_sampler() -> impl Iterator<Item = Sampler> {
    Sampler::ALL.into_iter().chain([Sampler::Pct(1), Sampler::Pct(5), Sampler::Swarm(3)])
}

fn busy() -> Program {
    let ops: &[Op] = &[Add(0, 1), Read(0), Choose(3), Yield, Write(0, 5), Lock(0), Read(0), Unlock(0)];
    program([ops, ops, ops])
}

fn sampled(sampler: Sampler, seed: u64, schedules: u64, program: &Program) -> Traces {
    let (strategy, seen) = spy(boxed(sampler, seed));
    let found = run(&limited(schedules, all(1)), program, strategy);
    assert_eq!(found.executions, schedules);
    assert_eq!(found.coverage.extent, Extent::Sampled { schedules, seed });
    seen
}

/// The schedules in the order in which they came, as task numbers and options.
fn schedules(seen: &Traces) -> Vec<Vec<(u32, u32)>> {
    let of = |t: &Trace| t.picks().iter().map(|p| (p.task.0, p.option)).collect();
    seen.lock().unwrap().iter().map(of).collect()
}

#[test]
fn a_seed_gives_the_same_schedules_and_a_smaller_budget_is_a_prefix() {
    for sampler in every_sampler() {
        let long = schedules(&sampled(sampler, 7, 300, &busy()));
        assert_eq!(long, schedules(&sampled(sampler, 7, 300, &busy())), "{sampler}");
        assert_eq!(long[..50], schedules(&sampled(sampler, 7, 50, &busy())), "{sampler}");
        assert_ne!(long, schedules(&sampled(sampler, 8, 300, &busy())), "{sampler}");
        let different: BTreeSet<_> = long.iter().collect();
        assert!(different.len() > 30, "{sampler} gave only {} different ones", different.len());
    }
}

/// A world that records its history pays for it at every step, and no sampler queries it.
#[test]
fn no_sampler_looks_back() {
    for sampler in every_sampler() {
        assert!(!matches!(sampler.strategy(1).observes(), Observation::Counterfactuals), "{sampler}");
    }
}

/// Several workers draw from different streams: all together they show many behaviours, not the same ones twice.
#[test]
fn workers_draw_different_schedules() {
    for sampler in every_sampler() {
        let (strategy, seen) = spy(boxed(sampler, 3));
        let found = run(&limited(400, all(4)), &busy(), strategy);
        assert_eq!(found.executions, 400, "{sampler}");
        let all = schedules(&seen);
        let different: BTreeSet<_> = all.iter().collect();
        assert!(all.len() == 400 && different.len() > 40, "{sampler}: {}", different.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Samplers never make an impossible pick (the world would panic) and never show what cannot be.
    #[test]
    fn whatever_is_sampled_exists(program in programs(), seed in 0..1_000u64) {
        let truth = executions(&program);
        let passed = outcomes(&truth);
        let fails = truth.iter().any(|e| e.end.is_err());
        for sampler in every_sampler() {
            let found = run(&limited(60, all(1)), &program, boxed(sampler, seed));
            prop_assert!(found.outcomes.keys().all(|o| passed.contains_key(o)), "{}", sampler);
            prop_assert!(fails || found.failures == 0, "{}", sampler);
        }
    }

    /// The portfolio leaves nothing out: of a small program it shows every outcome.
    #[test]
    fn the_portfolio_shows_every_outcome(program in programs(), seed in 0..1_000u64) {
        let truth = executions(&program);
        let found = run(&limited(6_000, all(1)), &program, boxed(Sampler::Portfolio, seed));
        let shown: Vec<_> = found.outcomes.keys().collect();
        let expected = outcomes(&truth);
        prop_assert_eq!(shown, expected.keys().collect::<Vec<_>>());
        prop_assert_eq!(found.failures > 0, truth.iter().any(|e| e.end.is_err()));
    }
}

fn failures(sampler: Sampler, seed: u64, schedules: u64, program: &Program) -> u64 {
    run(&limited(schedules, all(1)), program, boxed(sampler, seed)).failures
}

/// Bugs of depth 1, 2 and 3 among n tasks, with k points: at least 1/(n k^(d-1)) of all executions show them. The
/// margin is five standard deviations.
#[test]
fn pct_keeps_its_promise() {
    let idle: &[Op] = &[Read(2), Read(2), Read(2)];
    // One must come before the other.
    let one = program([&[Write(0, 1)], &[assert_eq(0, 0)], idle]);
    // Two must come in between two.
    let two = program([&[Write(0, 1), Write(0, 0)], &[Read(2), assert_eq(0, 0)], idle]);
    // Back and forth: the check must come after the first write, and its end before the last.
    let three = program([
        &[Write(0, 1), Read(2), Write(0, 0), Read(2)],
        &[Read(2), Lock(0), Unlock(0), assert_eq(0, 0)],
        idle,
    ]);
    for (depth, program) in [(1, one), (2, two), (3, three)] {
        let tasks = program.tasks.len() as f64;
        let points = program.tasks.iter().map(Vec::len).sum::<usize>() as f64;
        let bound = 1. / (tasks * points.powi(depth - 1));
        let runs = 20_000.;
        let least = runs * bound - 5. * (runs * bound).sqrt();
        let found = failures(Sampler::Pct(depth as u32), 11, runs as u64, &program);
        assert!(found as f64 >= least, "depth {depth}: {found} of {runs}, at least {least} were promised");
    }
}

/// With depth 1 there are no change points: the first task continues until it ends.
#[test]
fn pct_of_depth_one_never_preempts() {
    let ops: &[Op] = &[Add(0, 1), Add(0, 1), Add(0, 1)];
    for trace in sampled(Sampler::Pct(1), 5, 200, &program([ops, ops, ops])).lock().unwrap().iter() {
        assert_eq!(trace.preemptions(), 0);
    }
}

/// How often each order of tasks came.
fn orders(sampler: Sampler, runs: u64, program: &Program) -> BTreeMap<Vec<u32>, u64> {
    let mut counts = BTreeMap::new();
    for schedule in schedules(&sampled(sampler, 2, runs, program)) {
        *counts.entry(schedule.iter().map(|(task, _)| *task).collect()).or_insert(0) += 1;
    }
    counts
}

/// Tasks of 1, 2 and 3 steps have 60 interleavings. Of 30,000 draws each comes 500 times, with a standard deviation
/// of 22; the margin is five of them. An even choice of tasks would draw some 20 times as often as others.
#[test]
fn a_uniform_walk_draws_all_interleavings_equally_often() {
    let step = Add(0, 1);
    let program = program([&[step], &[step, step], &[step, step, step]]);
    let counts = orders(Sampler::Urw, 30_000, &program);
    assert_eq!(counts.len(), 60);
    assert!(counts.values().all(|n| (388..=612).contains(n)), "{counts:?}");
    let even = orders(Sampler::Uniform, 30_000, &program);
    assert!(even.values().max().unwrap() > &(8 * even.values().min().unwrap()));
}

/// Half of the time, the orders of the operations on one object are drawn uniformly: the two writes to x0 are as likely
/// in one order as in the other, although one of the tasks has ten other operations before.
#[test]
fn selected_operations_are_not_drowned_by_others() {
    let program = program([
        &[Read(1), Read(1), Read(1), Read(1), Read(1), Read(1), Read(1), Read(1), Read(1), Write(0, 1)],
        &[Write(0, 2)],
    ]);
    let late = |sampler| {
        let found = run(&limited(4_000, all(1)), &program, boxed(sampler, 4));
        found.outcomes.iter().filter(|(o, _)| o.vars[0] == 2).map(|(_, n)| n).sum::<u64>()
    };
    // Everything selected: the second task's write is last in 1 of 11 orders. x0 selected, half of the time: in 1
    // of 2. Together 4,000 * (1/22 + 1/4) = 1,182, deviation 29.
    assert!((1_037..=1_327).contains(&late(Sampler::Surw)), "{}", late(Sampler::Surw));
    // An even choice: the second task loses ten times in a row, 4 of 4,000.
    assert!(late(Sampler::Uniform) < 30);
}

/// Two tasks read and then write. The second read keeps its priority, the lower of two, while the first task's write
/// draws a new one: it comes in between with probability 1/3. Of 9,000 that is 3,000, deviation 45.
#[test]
fn partial_order_sampling_draws_again_only_what_races() {
    let ops: &[Op] = &[Read(0), Write(0, 1)];
    let counts = orders(Sampler::Pos, 9_000, &program([ops, ops]));
    let serial: u64 = counts.iter().filter(|(o, _)| o[0] == o[1]).map(|(_, n)| n).sum();
    assert!((5_775..=6_225).contains(&serial), "{counts:?}");
}

/// Each of four tasks writes once, all of them race: every order has probability 1/24, at least (1/4)^4.
#[test]
fn partial_order_sampling_decides_every_race_evenly() {
    let write: &[Op] = &[Add(0, 1)];
    let counts = orders(Sampler::Pos, 12_000, &program([write, write, write, write]));
    assert_eq!(counts.len(), 24);
    assert!(counts.values().all(|n| (391..=609).contains(n)), "{counts:?}");
}

/// Ten steps of each of two tasks: with a uniform choice one ends before the other starts in 2 of 2^10, with weights
/// far more often, because one task is often much heavier.
#[test]
fn weights_let_tasks_progress_at_different_rates() {
    let ops = [Add(0, 1); 10];
    let program = program([&ops, &ops]);
    let serial = |sampler| {
        let counts = orders(sampler, 4_000, &program);
        counts.iter().filter(|(o, _)| o[..10].iter().all(|t| t == &o[0])).map(|(_, n)| n).sum::<u64>()
    };
    let (weighted, even) = (serial(Sampler::Swarm(0)), serial(Sampler::Uniform));
    assert!(weighted > 20 * even.max(1), "{weighted} and {even}");
    assert!(even < 30);
}

fn first_failure(sampler: Sampler, seed: u64, program: &Program) -> u64 {
    let found = run(&limited(20_000, first(1)), program, boxed(sampler, seed));
    found.failure.expect("20,000 are enough").execution
}

/// Found when one place is late: at most one execution per place that conflicts, after the first.
#[test]
fn procrastination_finds_what_one_late_place_shows() {
    let quiet = [Read(2); 20];
    let mut checker = quiet.to_vec();
    checker.push(assert_eq(0, 0));
    let late = program([&[Write(0, 1), Write(0, 0)], &checker]);
    for seed in 0..100 {
        let found = first_failure(Sampler::Procrastinate, seed, &late);
        assert!((2..=4).contains(&found), "seed {seed} took {found}");
    }
}

/// The checker is ready at once, the window comes late and is short: an even choice hardly ever hits it.
#[test]
fn reads_from_feedback_steers_to_the_pair_that_was_not_seen() {
    let mut writer = vec![Read(2); 8];
    writer.extend([Write(0, 1), Write(0, 0)]);
    let window = program([&writer, &[assert_eq(0, 0)]]);
    let mean = |sampler| (0..50).map(|seed| first_failure(sampler, seed, &window)).sum::<u64>() as f64 / 50.;
    let (steered, even) = (mean(Sampler::ReadsFrom), mean(Sampler::Uniform));
    assert!(steered < 20., "{steered}");
    assert!(even > 300., "{even}");
}

/// Two short windows that come late, one after the other. A uniform choice hits each of them rarely and both hardly
/// ever; a sampler that returns to the first only has to hit the second.
#[test]
fn returning_makes_the_stages_of_a_bug_cost_their_sum() {
    let mut writer = Vec::new();
    for window in [0, 1] {
        writer.extend([Read(2); 6]);
        writer.extend([Write(window, 1), Write(window, 0)]);
    }
    let windows = program([&writer, &[Read(0), Read(1)]]);
    let both = |sampler| {
        let found = run(&limited(10_000, all(1)), &windows, boxed(sampler, 4));
        found.outcomes.iter().filter(|(o, _)| o.noted[1] == [1, 1]).map(|(_, n)| n).sum::<u64>()
    };
    let (returning, even) = (both(Sampler::GoExplore), both(Sampler::Uniform));
    assert!(returning > 100, "{returning}");
    assert!(even < 5, "{even}");
}

/// One place late, another early: as likely with 12 tasks as with 3, as long as they execute the same code. (Here they
/// do not: every task's operations have their own places, so this only checks that all orders of places come.)
#[test]
fn place_priorities_draw_every_order_of_places() {
    let write: &[Op] = &[Add(0, 1)];
    let counts = orders(Sampler::Places, 12_000, &program([write, write, write, write]));
    assert_eq!(counts.len(), 24);
    assert!(counts.values().all(|n| (391..=609).contains(n)), "{counts:?}");
}

/// The opening: the first schedule contests every race, so that a lost update and a deadlock need no second one.
#[test]
fn the_portfolio_opens_politely() {
    let increment: &[Op] = &[Read(0), Write(0, 1)];
    let seen = schedules(&sampled(Sampler::Portfolio, 9, 1, &program([increment, increment])));
    assert_eq!(seen[0].iter().map(|(task, _)| *task).collect::<Vec<_>>(), [0, 1, 0, 1]);
    let deadly =
        program([&[Lock(0), Lock(1), Unlock(1), Unlock(0)], &[Lock(1), Lock(0), Unlock(0), Unlock(1)]]);
    assert_eq!(first_failure(Sampler::Portfolio, 9, &deadly), 1);
}

/// All draw options uniformly: 500 of 2,000 each, deviation 19. One that returns repeats those of its prefix.
#[test]
fn options_are_drawn_evenly() {
    for sampler in every_sampler() {
        let mut options = [0; 4];
        for schedule in schedules(&sampled(sampler, 6, 2_000, &program([&[Choose(4)], &[Read(0)]]))) {
            options[schedule.iter().find(|(task, _)| *task == 0).unwrap().1 as usize] += 1;
        }
        let likely = if sampler == Sampler::GoExplore { 200..1_000 } else { 400..600 };
        assert!(options.iter().all(|n| likely.contains(n)), "{sampler}: {options:?}");
    }
}
