//! The search loop between a world and a strategy. It owns budgets, workers, progress, recording and
//! stopping; it brings a kept prefix about by replaying it, without asking the strategy.

mod estimate;
mod iterate;
mod lazy_settings;
mod pool;
mod run;
mod saved;
mod watcher;
mod worker;

pub use estimate::Estimate;
pub use iterate::search_iteratively;
pub use lazy_settings::LazySettings;
pub use saved::{Counted, Saved};

use crate::strategy::{Replay, SavedSubtree, Strategy};
use crate::ticket::Ticket;
use crate::verdict::{Coverage, Extent, Failure, FailureKind, thousands};
use crate::world::World;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use watcher::{Stopped, Watching};

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
    /// Those of them that an earlier part of the same search has made.
    pub earlier: u64,
    /// Failures among them.
    pub failures: u64,
    /// How long it has taken, on the wall.
    pub elapsed: Duration,
    /// The largest bound that has been explored completely, where a bound grows.
    pub finished_bound: Option<u32>,
    /// The most that a strategy of the search has held at once, in steps and picks.
    pub peak: u64,
    /// How many executions there will be; within the present bound, where a bound grows.
    pub estimate: Option<Estimate>,
}

/// Hears of things while a search goes on.
pub trait Listener: Send + Sync {
    /// Called about ten times a second by a thread that looks after all searches.
    fn tick(&self, progress: &Progress) {
        let _ = progress;
    }
    /// Asked about ten times a second, and when it is through: whether somebody wants the search to end with what it has.
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
    pub settings: LazySettings,
    /// How many executions an earlier part of the same search has counted: numbers and the budget go on from there.
    pub counted: u64,
    /// How much of the whole tree an earlier part of the same search has explored.
    pub explored: f64,
    /// Whether [`Findings::left`] is wanted if the executions of the budget are used up.
    pub keeps_left: bool,
    /// What an earlier part of the same search has left; none for all there is.
    pub left: Option<Vec<SavedSubtree>>,
    /// The ticket that the execution is expected to follow: see [`replay`].
    pub expected: Option<Arc<Ticket>>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            budget: Budget::default(),
            workers: 1,
            on_failure: OnFailure::Stop,
            test: None,
            settings: LazySettings::default(),
            counted: 0,
            explored: 0.0,
            keeps_left: true,
            left: None,
            expected: None,
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
    /// Somebody wanted it to end; it may have been through all the same.
    pub interrupted: bool,
    /// The strategy had nothing left to explore.
    pub through: bool,
    /// What is left to explore, if the search had to stop and can go on later: see [`Saved`].
    pub left: Option<Vec<SavedSubtree>>,
    /// How much of the whole tree has been explored, as far as the strategy can tell.
    pub explored: Option<f64>,
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
    /// The largest bound that has been explored completely, where a bound grows.
    pub finished_bound: Option<u32>,
    /// What was covered.
    pub coverage: Coverage,
}

/// Explores. `make_world` is called once by each worker, on its own thread; the calling thread is one of them.
///
/// # Panics
/// If `plan` has parts that a strategy of another kind has left.
pub fn search<W, M>(
    plan: &Plan,
    mut strategy: Box<dyn Strategy>,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Findings<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Send,
    M: Fn() -> W + Sync,
{
    let kind = strategy.extent(0);
    let sampling = matches!(kind, Extent::Sampled { .. });
    let strategies = match &plan.left {
        None => vec![strategy],
        Some(parts) => {
            let mut resume = |part| match strategy.divisible() {
                Some(strategy) => strategy.resume(part),
                None => Err("this strategy cannot go on where another one was".to_owned()),
            };
            let parts: Result<_, String> = parts.iter().map(&mut resume).collect();
            parts.unwrap_or_else(|why| panic!("raddle: what is left cannot be explored: {why}"))
        }
    };
    let shared = worker::Shared::new(plan, strategies, &listener, sampling);
    let watching = Watching::begin(&shared.watched);
    // This thread is a worker, too, unless it is in the middle of a panic: worlds could not tell it from theirs.
    let here = !std::thread::panicking();
    let work = || worker::work(&shared, &make_world);
    match plan.workers.max(1) - usize::from(here) {
        0 => work(),
        others => std::thread::scope(|scope| {
            (0..others).for_each(|_| _ = scope.spawn(work));
            if here {
                work();
            }
        }),
    }
    drop(watching);
    let (total, stopped) = shared.into_total();
    // Many a search is through before anybody has asked.
    let interrupted = match stopped {
        Some(why) => why == Stopped::Interrupted,
        None => listener.wants_to_stop(),
    };
    // The time may be up, or somebody press Ctrl-C, in the very moment in which all is done.
    let stopped =
        stopped.filter(|why| !(matches!(why, Stopped::Time | Stopped::Interrupted) && total.nothing_left));
    let executions = || in_words(plan.counted + total.executions);
    let extent = match (&stopped, kind) {
        (Some(Stopped::Interrupted), Extent::Sampled { .. }) => {
            Extent::Partial(interrupted_after(&executions()))
        }
        (_, Extent::Sampled { seed, .. }) => Extent::Sampled { schedules: total.executions, seed },
        (_, Extent::Replayed) => Extent::Replayed,
        (None, _) if total.undecided > 0 => {
            let undecided = thousands(total.undecided);
            Extent::Partial(format!("the strategy could not decide {undecided} of its executions"))
        }
        (None, kind) => total.extent.unwrap_or(kind),
        (Some(why), _) => Extent::Partial(match why {
            Stopped::Failure => "stopped at the first failure".to_owned(),
            Stopped::NotDeterministic => "stopped since the program is not deterministic".to_owned(),
            Stopped::Refuted => "stopped to begin anew".to_owned(),
            Stopped::Executions => format!("stopped after {}", executions()),
            Stopped::Time => format!("stopped after {} at the time limit", executions()),
            Stopped::Interrupted => interrupted_after(&executions()),
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
        interrupted,
        through: stopped.is_none(),
        left: total.left,
        explored: total.explored,
        steps: total.steps,
        outcomes: total.outcomes,
        failures: total.failures.values().sum(),
        failures_by_kind: total.failures,
        failure: firsts.next(),
        // A search that stops at the first failure may have seen others on the way, which says nothing.
        others: if plan.on_failure == OnFailure::KeepGoing { firsts.collect() } else { Vec::new() },
        finished_bound: None,
        coverage,
    }
}

/// Replays one ticket, and compares each step with what the ticket expects there.
pub fn replay<W, M>(
    plan: &Plan,
    ticket: &Ticket,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Findings<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Send,
    M: Fn() -> W + Sync,
{
    let plan =
        Plan { expected: Some(Arc::new(ticket.clone())), left: None, counted: 0, workers: 1, ..plan.clone() };
    search(&plan, Box::new(Replay::new(ticket)), make_world, listener)
}

fn in_words(executions: u64) -> String {
    match executions {
        1 => "1 execution".to_owned(),
        n => format!("{} executions", thousands(n)),
    }
}

fn interrupted_after(executions: &str) -> String {
    format!("interrupted after {executions}")
}
