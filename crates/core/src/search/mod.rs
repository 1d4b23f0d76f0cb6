//! The search loop between a world and a strategy. It owns budgets, workers, progress, recording and stopping. It
//! replays a kept prefix without asking the strategy.

mod checkpoint;
mod determinism;
mod estimate;
mod findings;
mod iterate;
mod lazy_map;
mod pool;
mod real_time;
mod run;
mod saved;
mod tally;
mod watcher;
mod worker;

pub use checkpoint::{Checkpoint, Checkpoints};
pub use estimate::Estimate;
pub use findings::Findings;
pub(crate) use findings::Searched;
pub(crate) use iterate::explore_iteratively;
pub use iterate::search_iteratively;
pub use lazy_map::LazyMap;
pub(crate) use real_time::{Hour, Lookout, grace};
pub use real_time::{RealClock, SystemClock};
pub use saved::Saved;
pub use tally::{FailureGroup, Tally};

use crate::fact::StopReason;
use crate::memory::PlacedGraph;
use crate::record::ExecutionRecord;
use crate::strategy::{Replay, SavedSubtree, Strategy};
use crate::ticket::Ticket;
use crate::verdict::{Cause, Coverage, Extent, Failure, FailureKind};
use crate::world::{Pick, World};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use watcher::{Stopped, Watching};

/// How much a search may spend.
#[derive(Clone, Debug)]
pub struct Budget {
    /// How many executions; none for no limit.
    pub executions: Option<u64>,
    /// How many steps one execution may take before it fails.
    pub steps: usize,
    /// How long the search may take; none for no limit.
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
    /// Count it and continue.
    KeepGoing,
}

/// The progress of a search.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Executions so far, by all workers.
    pub executions: u64,
    /// How many of them an earlier stage of the same search has made.
    pub earlier: u64,
    /// Failures among them.
    pub failures: u64,
    /// The elapsed wall-clock time.
    pub elapsed: Duration,
    /// The largest bound that has been explored completely, where a bound grows.
    pub finished_bound: Option<u32>,
    /// The largest size of a strategy of the search so far, in steps and picks.
    pub peak: u64,
    /// The expected number of executions; within the present bound, where a bound grows.
    pub estimate: Option<Estimate>,
}

/// Receives the events of a search.
pub trait Listener: Send + Sync {
    /// Called about ten times a second by the watcher thread of the process.
    fn tick(&self, progress: &Progress) {
        let _ = progress;
    }
    /// Polled about ten times a second and at the end: whether the user asks the search to stop with what it has found.
    fn wants_to_stop(&self) -> bool {
        false
    }
    /// Called at the end of a stage without a failure, of a search that has several.
    fn covered(&self, coverage: &Coverage, steps: u64) {
        let _ = (coverage, steps);
    }
    /// Called with a search that goes on, from time to time, if the check asks for it: what it needs to be resumed from
    /// here.
    fn checkpoint(&self, saved: &Saved) {
        let _ = saved;
    }
    /// Called at a failure, before the execution is torn down, by the worker that found it. Only called for the failure
    /// with the lowest number so far.
    fn failed(&self, failure: &Failure) {
        let _ = failure;
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Debug)]
pub struct NoListener;
impl Listener for NoListener {}

/// An execution that came to its end.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its record.
    pub record: ExecutionRecord,
    /// The picks of its steps that were choices.
    pub choices: Vec<Pick>,
    /// The sites of its steps.
    pub sites: Vec<u16>,
    /// Why it failed; none if it passed.
    pub cause: Option<Box<Cause>>,
    /// Its graph, if tasks access memory under a weak model.
    pub graph: Option<Box<PlacedGraph>>,
}

/// What a search is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How much it may spend.
    pub budget: Budget,
    /// How many operating-system threads explore, each in its own world.
    pub workers: usize,
    /// What to do about a failure.
    pub on_failure: OnFailure,
    /// The name of the test, for tickets.
    pub test: Option<String>,
    /// The settings that shape executions, for tickets.
    pub settings: LazyMap,
    /// The parts of the program, for tickets.
    pub program: LazyMap,
    /// How many executions an earlier stage of the same search has counted: numbers and the budget continue from there.
    pub counted: u64,
    /// The fraction of the tree that an earlier stage of the same search has explored.
    pub explored: f64,
    /// Whether [`Findings::left`] is saved when the budget of executions is used up.
    pub keeps_left: bool,
    /// The subtrees that an earlier stage of the same search has not explored; none for the whole tree.
    pub left: Option<Vec<SavedSubtree>>,
    /// The ticket that the execution is expected to follow: see [`replay`].
    pub expected: Option<Arc<Ticket>>,
    /// Whether the first execution is made twice: a program that is not deterministic is noticed before anything is said of
    /// it. Worlds that can be rewound are deterministic by construction.
    pub repeats_first: bool,
    /// Whether records say which tasks are enabled at each step. For executions that are made to be shown: each keeps no step
    /// of the one before.
    pub notes_points: bool,
    /// When the search saves itself while it goes on; none for never.
    pub checkpoints: Option<Checkpoints>,
    /// The clock of the time limit.
    pub clock: Arc<dyn RealClock>,
    /// When an execution that is under way is cut, by this clock; none for a little after the time limit, if there is one.
    pub cut: Option<Duration>,
    /// Where each execution that ends is kept with its record, for comparisons.
    pub seen: Option<Arc<Mutex<Vec<Seen>>>>,
    /// The stack of each further worker, in bytes; none as usual.
    pub stack: Option<usize>,
}

impl Plan {
    /// The same settings for single executions: by one worker, from the beginning, without a budget.
    #[must_use]
    pub(crate) fn of_one_execution(mut self) -> Plan {
        (self.left, self.counted, self.explored) = (None, 0, 0.0);
        (self.workers, self.on_failure, self.repeats_first) = (1, OnFailure::Stop, false);
        (self.budget.executions, self.budget.time) = (None, None);
        self
    }
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            budget: Budget::default(),
            workers: 1,
            on_failure: OnFailure::Stop,
            test: None,
            settings: LazyMap::default(),
            program: LazyMap::default(),
            counted: 0,
            explored: 0.0,
            keeps_left: true,
            left: None,
            expected: None,
            repeats_first: false,
            notes_points: false,
            checkpoints: None,
            clock: Arc::new(SystemClock),
            cut: None,
            seen: None,
            stack: None,
        }
    }
}

/// Explores. Each worker calls `make_world` once, on its own thread; the calling thread is one of them.
///
/// # Panics
/// If `plan` has subtrees that a strategy of another kind has saved.
pub fn search<W, M>(
    plan: &Plan,
    strategy: Box<dyn Strategy>,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Findings<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    Findings::of(plan, explore(plan, strategy, make_world, listener))
}

/// The same; the result can be merged with others.
pub(crate) fn explore<W, M>(
    plan: &Plan,
    mut strategy: Box<dyn Strategy>,
    make_world: M,
    listener: Arc<dyn Listener>,
) -> Searched<W::Outcome>
where
    W: World,
    W::Outcome: Ord + Debug + Send,
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
    // This thread is a worker, too, unless it is panicking: worlds could not distinguish that panic from the program's.
    let here = !std::thread::panicking();
    let work = || worker::work(&shared, &make_world);
    match plan.workers.max(1) - usize::from(here) {
        0 => work(),
        others => std::thread::scope(|scope| {
            for _ in 0..others {
                let worker = std::thread::Builder::new();
                let worker = plan.stack.into_iter().fold(worker, std::thread::Builder::stack_size);
                worker.spawn_scoped(scope, work).expect("a thread for a worker");
            }
            if here {
                work();
            }
        }),
    }
    drop(watching);
    let (total, stopped) = shared.into_total();
    // A short search may end before the watcher has polled the listener.
    let interrupted = match stopped {
        Some(why) => why == Stopped::Interrupted,
        None => listener.wants_to_stop(),
    };
    // The time limit or Ctrl-C may come just as the search completes.
    let stopped =
        stopped.filter(|why| !(matches!(why, Stopped::Time | Stopped::Interrupted) && total.nothing_left));
    let executions = plan.counted + total.tally.executions;
    let cut = total.tally.failures_by_kind.get(&FailureKind::StepLimit).copied().unwrap_or(0);
    let extent = match (&stopped, kind) {
        (Some(Stopped::Interrupted), Extent::Sampled { .. }) => {
            Extent::Partial(StopReason::Interrupted { executions })
        }
        (_, Extent::Sampled { seed, .. }) => Extent::Sampled { schedules: total.tally.executions, seed },
        (_, Extent::Replayed) => Extent::Replayed,
        (None, _) if total.tally.undecided > 0 => {
            Extent::Partial(StopReason::Undecided { executions: total.tally.undecided })
        }
        (None, _) if cut > 0 => Extent::Partial(StopReason::StepLimit { executions: cut }),
        (None, kind) => total.extent.unwrap_or(kind),
        (Some(why), _) => Extent::Partial(match why {
            Stopped::Failure => StopReason::FirstFailure,
            Stopped::NotDeterministic => StopReason::NotDeterministic,
            Stopped::Refuted => StopReason::Refuted,
            Stopped::Executions => StopReason::Executions { executions },
            Stopped::Time => StopReason::TimeLimit { executions },
            Stopped::Interrupted => StopReason::Interrupted { executions },
        }),
    };
    Searched {
        tally: total.tally,
        extent,
        interrupted,
        through: stopped.is_none(),
        left: total.left,
        explored: total.explored,
        finished_bound: None,
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
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    let plan = Plan {
        expected: Some(Arc::new(ticket.clone())),
        left: None,
        counted: 0,
        workers: 1,
        checkpoints: None,
        ..plan.clone()
    };
    search(&plan, Box::new(Replay::new(ticket)), make_world, listener)
}
