//! The search loop between a world and a strategy. It owns budgets, workers, progress, recording and
//! stopping; it brings a kept prefix about by replaying it, without asking the strategy.

mod pool;
mod run;
mod worker;

use crate::strategy::Strategy;
use crate::verdict::{Coverage, Extent, Failure, FailureKind, thousands};
use crate::world::World;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How much a search may spend.
#[derive(Clone, Debug)]
pub struct Budget {
    /// How many executions; none for no limit.
    pub executions: Option<u64>,
    /// How many steps one execution may take before it fails.
    pub steps: usize,
    /// How long the search may go on; none for no limit.
    pub time: Option<Duration>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { executions: None, steps: 100_000, time: None }
    }
}

/// What to do about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFailure {
    /// Stop the search.
    #[default]
    Stop,
    /// Count it and go on.
    KeepGoing,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Executions so far, by all workers.
    pub executions: u64,
    /// Failures among them.
    pub failures: u64,
    /// How long it has taken, on the wall.
    pub elapsed: Duration,
}

/// Hears of things while a search goes on.
pub trait Listener: Sync {
    /// Called about ten times a second by the thread that started the search.
    fn tick(&self, progress: &Progress) {
        let _ = progress;
    }
    /// Asked about ten times a second: whether somebody wants the search to end with what it has.
    fn wants_to_stop(&self) -> bool {
        false
    }
    /// Called at a failure, before anything is torn down, by the worker that found it. Only called for the
    /// failure with the lowest number so far.
    fn failed(&self, failure: &Failure) {
        let _ = failure;
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoListener;
impl Listener for NoListener {}

/// What a search is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How much it may spend.
    pub budget: Budget,
    /// How many operating-system threads explore, each with executions of its own.
    pub workers: usize,
    /// What to do about a failure.
    pub on_failure: OnFailure,
    /// The name of the test, for tickets.
    pub test: Option<String>,
    /// The settings that shape executions, for tickets.
    pub settings: BTreeMap<String, String>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            budget: Budget::default(),
            workers: 1,
            on_failure: OnFailure::Stop,
            test: None,
            settings: BTreeMap::new(),
        }
    }
}

/// What a search found.
#[derive(Debug)]
pub struct Findings<T> {
    /// How many executions came to an end.
    pub executions: u64,
    /// How many the strategy gave up as redundant; not counted above.
    pub abandoned: u64,
    /// How many of those it could not decide: behaviours may be missing.
    pub undecided: u64,
    /// The most that a strategy of the search held at once, in steps and picks.
    pub peak: u64,
    /// Somebody wanted it to end before it was through.
    pub interrupted: bool,
    /// How many steps all of them took.
    pub steps: u64,
    /// The results of executions that passed, and how often each came.
    pub outcomes: BTreeMap<T, u64>,
    /// How many executions failed.
    pub failures: u64,
    /// The same by kind.
    pub failures_by_kind: BTreeMap<FailureKind, u64>,
    /// The failure with the lowest execution number.
    pub failure: Option<Failure>,
    /// The failures of other kinds, each the one with the lowest execution number.
    pub others: Vec<Failure>,
    /// What was covered.
    pub coverage: Coverage,
}

/// Explores. `make_world` is called once by each worker, on its own thread.
pub fn search<W, M>(
    plan: &Plan,
    strategy: Box<dyn Strategy>,
    make_world: M,
    listener: &dyn Listener,
) -> Findings<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Send,
    M: Fn() -> W + Sync,
{
    let begun = Instant::now();
    let kind = strategy.extent(0);
    let sampling = matches!(kind, Extent::Sampled { .. });
    let shared = worker::Shared::new(plan, strategy, listener, begun, sampling);
    std::thread::scope(|scope| {
        for _ in 0..plan.workers.max(1) {
            worker::spawn(scope, &shared, &make_world);
        }
        shared.guard(|| shared.watch(|progress| listener.tick(&progress)));
    });
    let total = shared.into_total();
    let executions = match total.executions {
        1 => "1 execution".to_owned(),
        n => format!("{} executions", thousands(n)),
    };
    let extent = match (&total.stopped, kind) {
        (Some(worker::Stopped::Interrupted), Extent::Sampled { .. }) => {
            Extent::Part(format!("interrupted after {executions}"))
        }
        (_, Extent::Sampled { seed, .. }) => Extent::Sampled { schedules: total.executions, seed },
        (_, Extent::Replayed) => Extent::Replayed,
        (None, _) if total.undecided > 0 => {
            let undecided = thousands(total.undecided);
            Extent::Part(format!("the strategy could not decide {undecided} of its executions"))
        }
        (None, kind) => kind,
        (Some(why), _) => Extent::Part(match why {
            worker::Stopped::Failure => "stopped at the first failure".to_owned(),
            worker::Stopped::NotDeterministic => "stopped since the program is not deterministic".to_owned(),
            worker::Stopped::Executions => format!("stopped after {executions}"),
            worker::Stopped::Time => format!("stopped after {executions} at the time limit"),
            worker::Stopped::Interrupted => format!("interrupted after {executions}"),
        }),
    };
    let mut firsts: Vec<Failure> = total.first.into_values().collect();
    firsts.sort_by_key(|failure| failure.execution);
    let mut firsts = firsts.into_iter();
    let coverage = Coverage { extent, executions: total.executions, assumptions: total.assumptions };
    Findings {
        executions: total.executions,
        abandoned: total.abandoned,
        undecided: total.undecided,
        peak: total.peak,
        interrupted: total.stopped == Some(worker::Stopped::Interrupted),
        steps: total.steps,
        outcomes: total.outcomes,
        failures: total.failures.values().sum(),
        failures_by_kind: total.failures,
        failure: firsts.next(),
        // A search that stops at the first failure may have seen others on the way, which says nothing.
        others: if plan.on_failure == OnFailure::KeepGoing { firsts.collect() } else { Vec::new() },
        coverage,
    }
}
