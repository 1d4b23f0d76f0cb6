//! What a search covered and assumed, as one line; and why a test was not explored.

use crate::escape;
use raddle_core::clock::Time;
use raddle_core::fact::{Assumption, Bound, Delivery, Grain, Obstacle, SkipReason, StopReason};
use raddle_core::memory::Model;
use raddle_core::verdict::{Coverage, Extent, thousands};
use std::collections::BTreeSet;

/// The whole line: `exhaustive within 2 preemptions · sequentially consistent · timers when idle`. It claims no more
/// than was explored.
pub fn coverage(coverage: &Coverage) -> String {
    coverages([coverage].into_iter())
}

/// The line of a search in stages: the extent of each, and what any of them assumed.
pub fn coverages<'c>(stages: impl Iterator<Item = &'c Coverage> + Clone) -> String {
    items_of(stages).join(" · ")
}

/// The same as a list: the extents, and each assumption.
pub(crate) fn items_of<'c>(stages: impl Iterator<Item = &'c Coverage> + Clone) -> Vec<String> {
    let models: BTreeSet<Model> = stages.clone().filter_map(Coverage::memory_model).collect();
    let extent = |coverage: &Coverage| match coverage.memory_model().filter(|_| models.len() > 1) {
        Some(model) => format!("{} under {}", extent(coverage), self::model(model)),
        None => extent(coverage),
    };
    let extents: Vec<String> = stages.clone().map(extent).collect();
    let mut assumed: Vec<&Assumption> = Vec::new();
    for assumption in stages.flat_map(|coverage| &coverage.assumptions) {
        // The extent says which stage had which model.
        let is_told = models.len() > 1 && *assumption == Assumption::SequentiallyConsistent;
        if !is_told && !assumed.contains(&assumption) {
            assumed.push(assumption);
        }
    }
    if extents.len() > 1 {
        assumed.sort();
    }
    std::iter::once(extents.join(", then ")).chain(assumed.into_iter().map(assumption)).collect()
}

/// The extent of a search.
pub fn extent(coverage: &Coverage) -> String {
    // Coarse steps miss behaviours: all of them is not exhaustive.
    let coarse = coverage.assumptions.contains(&Assumption::Grain(Grain::Receive));
    let all = if coarse { "every coarse interleaving" } else { "exhaustive" };
    match &coverage.extent {
        Extent::Exhaustive => all.to_owned(),
        Extent::Within(bounds) => format!("{all} within {}", self::bounds(bounds)),
        Extent::Sampled { schedules, seed } => {
            format!("sampled {} (seed {seed})", count(*schedules, "schedule"))
        }
        Extent::Replayed => "replayed one schedule".to_owned(),
        Extent::Partial(why) => format!("not exhaustive: {}", stop(why)),
    }
}

/// Why a search explored only some behaviours.
pub fn stop(why: &StopReason) -> String {
    escape::line(&stopped(why))
}

fn stopped(why: &StopReason) -> String {
    let after = |executions: &u64| count(*executions, "execution");
    match why {
        StopReason::FirstFailure => "stopped at the first failure".to_owned(),
        StopReason::FirstFailureWithin { preemptions, fewest } => {
            let preemptions_told = bound(&Bound::Preemptions(*preemptions));
            let fewer = if *fewest && *preemptions > 0 { "; there is none with fewer" } else { "" };
            format!("stopped at the first failure, which has {preemptions_told}{fewer}")
        }
        StopReason::NotDeterministic => "stopped since the program is not deterministic".to_owned(),
        StopReason::Refuted => "stopped to begin anew".to_owned(),
        StopReason::Executions { executions } => format!("stopped after {}", after(executions)),
        StopReason::TimeLimit { executions } => {
            format!("stopped after {} at the time limit", after(executions))
        }
        StopReason::Interrupted { executions } => format!("interrupted after {}", after(executions)),
        StopReason::Undecided { executions } => {
            format!("the strategy could not decide {} of its executions", thousands(*executions))
        }
        StopReason::StepLimit { executions } => {
            format!("the limit of steps cut {}", after(executions))
        }
        StopReason::NothingWithin(bounds) => {
            format!("no execution comes to an end within {}", self::bounds(bounds))
        }
        StopReason::OneSchedule => "one schedule without preemptions".to_owned(),
        StopReason::Excluded { crates } => {
            let run = if crates.len() == 1 { "runs" } else { "run" };
            format!("{} {run} on the real std, where no operation is seen", crates.join(", "))
        }
    }
}

/// Bounds as they follow "within".
pub fn bounds(bounds: &[Bound]) -> String {
    bounds.iter().map(bound).collect::<Vec<_>>().join(" and ")
}

/// A bound as it follows "within".
pub fn bound(bound: &Bound) -> String {
    let plain = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    match bound {
        Bound::Preemptions(n) => plain((*n).into(), "preemption"),
        Bound::Yields(n) => format!("a lead of {}", plain((*n).into(), "yield")),
        Bound::Steps(n) => plain(*n as u64, "step"),
        Bound::Prefix(n) => format!("a prefix of {}", plain(*n as u64, "step")),
    }
}

/// An assumption.
pub fn assumption(assumption: &Assumption) -> String {
    escape::line(&assumed(assumption))
}

fn assumed(assumption: &Assumption) -> String {
    match assumption {
        Assumption::SampledWithin(bound) => format!("within {}", self::bound(bound)),
        Assumption::RealAddresses => "addresses as they come".to_owned(),
        Assumption::Kills(n) => format!("at most {}", count((*n).into(), "kill")),
        Assumption::HeapCellsNotJudged => {
            "cells on the heap not judged (see raddle::alloc::Allocator)".to_owned()
        }
        Assumption::ChangedSinceTicket(change) => {
            format!("changed since the ticket was written: {change}")
        }
        Assumption::ClockMoves { times, readings } => {
            let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            format!("clock moves by itself {times}, at one of the first {readings} readings of a task")
        }
        Assumption::FreedMemoryHeldBack => "freed memory not used again".to_owned(),
        Assumption::FreedMemoryUsedAgain => "freed memory used again in two orders".to_owned(),
        Assumption::FreedMemoryForgotten { mebibytes } => {
            format!("freed memory not watched beyond {mebibytes} MiB")
        }
        Assumption::DetachedSteps(steps) => {
            format!("detached tasks had {} after main returned", count(*steps as u64, "step"))
        }
        Assumption::FairSpins(rounds) => format!("fair spins ({rounds} rounds)"),
        Assumption::Grain(Grain::Full) => "grain full".to_owned(),
        Assumption::Grain(Grain::Thesis) => "grain thesis".to_owned(),
        Assumption::Grain(Grain::Receive) => "grain receive: coarse, may miss".to_owned(),
        Assumption::OnRealStd(crates) => format!("nothing is seen of {}, on the real std", crates.join(", ")),
        Assumption::Ignored(kind) => format!("ignores {kind}"),
        Assumption::FirstSteps(steps) => {
            format!("of long executions only the first {}", count(*steps as u64, "step"))
        }
        Assumption::PlainMemoryNotWatched => "plain memory not watched".to_owned(),
        Assumption::PlainMemoryWatched => {
            "plain memory watched, but not in precompiled std or other languages".to_owned()
        }
        Assumption::RaceSuppressed(rule) => format!("race suppressed by {rule}"),
        Assumption::ReferenceCountsNotExplored => "reference counts not explored".to_owned(),
        Assumption::SequentiallyConsistent => "sequentially consistent".to_owned(),
        Assumption::SequentiallyConsistentSince(why) => {
            format!("sequentially consistent, though orderings are weaker: {}", obstacle(why))
        }
        Assumption::TakenForSeqCst(place) => format!("{place} taken for SeqCst"),
        Assumption::TakenForSeqCstElsewhere { places } => {
            format!("{} taken for SeqCst", count(*places, "further place"))
        }
        Assumption::Memory(Model::Sc) => "memory model sc".to_owned(),
        Assumption::Memory(Model::Tso) => "memory model tso".to_owned(),
        Assumption::Memory(Model::Pso) => "memory model pso".to_owned(),
        Assumption::Memory(Model::Rc11) => "memory model rc11, without load buffering".to_owned(),
        Assumption::Signals(Delivery::Instant) => "signals at once".to_owned(),
        Assumption::Signals(Delivery::Local) => "signals as within a node".to_owned(),
        Assumption::Signals(Delivery::Pairs) => "signals as between nodes".to_owned(),
        Assumption::SpinsAwait => "spins wait for a change and never give up".to_owned(),
        Assumption::StaleReads(n) => format!("stale reads: at most {n}"),
        Assumption::OwnAllocatorNotUsed => "the program's own allocator is not used".to_owned(),
        Assumption::ThreadPanicsAllowed => "threads that are never joined may panic".to_owned(),
        Assumption::TimeoutsBelow(ms) => format!("timeouts of {} ms and more never fire", thousands(*ms)),
        Assumption::TimersAfterTest(times) => {
            format!("timers that tick after the test fire {times} times")
        }
        Assumption::TreatedAsNormal(reason) => format!("treats {reason} as normal"),
        Assumption::Timers(Time::Idle) => "timers when idle".to_owned(),
        Assumption::Timers(Time::Any) => "timers at any point".to_owned(),
        Assumption::SpuriousWakeUps(n) => format!("up to {}", count((*n).into(), "spurious wake-up")),
    }
}

/// The name of a memory model, where several were explored.
fn model(model: Model) -> &'static str {
    match model {
        Model::Sc => "sequential consistency",
        Model::Tso => "tso",
        Model::Pso => "pso",
        Model::Rc11 => "rc11",
    }
}

/// Why RC11 was not explored.
fn obstacle(why: &Obstacle) -> String {
    match why {
        Obstacle::AllocatorNotInstalled => "rc11 needs raddle's allocator".to_owned(),
        Obstacle::SpinsAwait => "Spins::Await does not know rc11".to_owned(),
        Obstacle::SpuriousWakeUps => "rc11 is not explored beside spurious wake-ups".to_owned(),
        Obstacle::Observers => "observers do not know rc11".to_owned(),
        Obstacle::Bounds => "rc11 is not explored within bounds".to_owned(),
        Obstacle::Strategy => "the strategy does not know rc11".to_owned(),
        Obstacle::NotReduced { .. } => {
            "rc11 is not explored beside timers, nor where a loop waits for more than atomics".to_owned()
        }
        Obstacle::EndedIn(kind) => format!("rc11 could not be explored ({kind})"),
        Obstacle::HiddenSynchronisation => {
            "std's Arc orders what was dropped, of which rc11 does not know".to_owned()
        }
        Obstacle::NothingLeft => "nothing of the budget was left for rc11".to_owned(),
    }
}

/// Why a test was not explored.
pub fn skip(why: &SkipReason) -> String {
    escape::lines(&skipped(why))
}

fn skipped(why: &SkipReason) -> String {
    match why {
        SkipReason::Outside { what } => format!("needs the real world: {what}"),
        SkipReason::WaitsOutside { what } => format!("needs the real world: it waits {what}"),
        SkipReason::Stuck { words } => words.clone(),
        SkipReason::NoExecutionEnded => "too long: no execution came to its end within the budget".to_owned(),
        SkipReason::StepLimit { steps } => format!(
            "too long: the execution took {} without coming to an end; allow more with --max-steps, or make it \
             smaller (see --as-miri)",
            count(*steps as u64, "step")
        ),
        SkipReason::NotDeterministic { difference, untracked_arcs } => {
            let difference = self::difference(difference, *untracked_arcs);
            format!("not deterministic, something in it is not under control: {difference}")
        }
        SkipReason::Misuse { message } => message.clone(),
        SkipReason::NothingExplored => "nothing was explored".to_owned(),
        SkipReason::Excluded => "the crate is excluded and runs on the real std".to_owned(),
        SkipReason::OwnMain => {
            "it has a main of its own (harness = false), so its tests cannot be told apart".to_owned()
        }
        SkipReason::ProcMacro => {
            "a procedural macro is compiled for the compiler, with the real std: its own tests cannot be explored".to_owned()
        }
        SkipReason::TotalBudget => "the total budget was used up before".to_owned(),
        SkipReason::Interrupted => "interrupted".to_owned(),
        SkipReason::Doctest { why } => why.clone(),
    }
}

/// What was different when a schedule was replayed, and what may help.
pub fn difference(difference: &str, untracked_arcs: bool) -> String {
    let advice = match untracked_arcs {
        true => "; if it depends on which task drops an Arc last, that is visible without --real-arc",
        false => "",
    };
    escape::lines(&format!("{difference}{advice}"))
}

/// "1 execution", "1,000 executions".
pub fn count(n: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(n), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::code::CodeChange;
    use raddle_core::verdict::FailureKind;

    #[test]
    fn coverage_says_what_it_means() {
        let assumptions = vec![Assumption::SequentiallyConsistent, Assumption::Timers(Time::Idle)];
        let mut covered = Coverage { extent: Extent::Exhaustive, executions: 6, assumptions };
        assert_eq!(coverage(&covered), "exhaustive · sequentially consistent · timers when idle");
        covered.assumptions.clear();
        covered.extent = Extent::Within(vec![Bound::Preemptions(2)]);
        assert_eq!(coverage(&covered), "exhaustive within 2 preemptions");
        covered.extent = Extent::Sampled { schedules: 10_000, seed: 7 };
        assert_eq!(coverage(&covered), "sampled 10,000 schedules (seed 7)");
        covered.extent = Extent::Within(vec![Bound::Yields(1), Bound::Steps(100)]);
        covered.assumptions.push(Assumption::Grain(Grain::Receive));
        let words = "every coarse interleaving within a lead of 1 yield and 100 steps · grain receive: coarse, may miss";
        assert_eq!(coverage(&covered), words);
    }

    #[test]
    fn every_stage_says_what_it_covered() {
        let stage = |extent| Coverage {
            extent,
            executions: 6,
            assumptions: vec![Assumption::SequentiallyConsistent],
        };
        let stages = [
            stage(Extent::Within(vec![Bound::Preemptions(1)])),
            stage(Extent::Partial(StopReason::TimeLimit { executions: 6 })),
            stage(Extent::Sampled { schedules: 70, seed: 0 }),
        ];
        let words = "exhaustive within 1 preemption, then not exhaustive: stopped after 6 executions at the time limit, \
                     then sampled 70 schedules (seed 0) · sequentially consistent";
        assert_eq!(coverages(stages.iter()), words);
        assert_eq!(coverages(stages[..1].iter()), coverage(&stages[0]));
    }

    #[test]
    fn assumptions_are_named_in_the_order_of_their_names() {
        use Assumption::*;
        let all = [
            RealAddresses,
            Kills(1),
            HeapCellsNotJudged,
            ChangedSinceTicket(CodeChange::Somewhere),
            ClockMoves { times: 1, readings: 4 },
            DetachedSteps(1_000),
            FairSpins(3),
            FreedMemoryHeldBack,
            FreedMemoryForgotten { mebibytes: 256 },
            FreedMemoryUsedAgain,
            Grain(super::Grain::Full),
            Ignored(FailureKind::Panic),
            OnRealStd(vec!["tokio".to_owned()]),
            FirstSteps(100_000),
            PlainMemoryNotWatched,
            ReferenceCountsNotExplored,
            SequentiallyConsistent,
            SequentiallyConsistentSince(Obstacle::AllocatorNotInstalled),
            Signals(Delivery::Local),
            SpinsAwait,
            StaleReads(2),
            OwnAllocatorNotUsed,
            ThreadPanicsAllowed,
            TimeoutsBelow(1_000),
            TimersAfterTest(3),
            Timers(Time::Idle),
            TreatedAsNormal("because".to_owned()),
            SpuriousWakeUps(2),
        ];
        let words: Vec<String> = all.iter().map(assumption).collect();
        assert!(words.is_sorted(), "{words:?}");
        assert!(all.is_sorted(), "{all:?}");
    }
}
