//! A worker: one operating-system thread with a world of its own, which takes jobs from the pool.

use super::pool::Pool;
use super::run::{Ran, execute};
use super::{Listener, OnFailure, Plan, Progress};
use crate::strategy::{Next, Strategy};
use crate::ticket::Ticket;
use crate::trace::Trace;
use crate::verdict::{Defect, Failure, FailureKind, Verdict};
use crate::world::World;
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// A strategy, the last trace that it has seen, and execution numbers that its last worker left over.
pub(super) struct Job {
    strategy: Box<dyn Strategy>,
    trace: Trace,
    numbers: Range<u64>,
}

impl Job {
    fn new(strategy: Box<dyn Strategy>) -> Job {
        Job { strategy, trace: Trace::new(), numbers: 0..0 }
    }
}

/// Why a search ended before it was through.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stopped {
    Failure,
    NotDeterministic,
    Interrupted,
    Time,
    Executions,
}

/// What all workers have found together.
pub(super) struct Total<T> {
    pub executions: u64,
    pub abandoned: u64,
    /// Those of them that the strategy could not decide.
    pub undecided: u64,
    /// The most that a strategy held at once.
    pub peak: u64,
    pub steps: u64,
    pub outcomes: BTreeMap<T, u64>,
    pub failures: BTreeMap<FailureKind, u64>,
    /// The failure of each kind with the lowest number.
    pub first: BTreeMap<FailureKind, Failure>,
    pub assumptions: Vec<String>,
    pub stopped: Option<Stopped>,
}

/// What the workers of a search share.
pub(super) struct Shared<'a, T> {
    plan: &'a Plan,
    listener: &'a dyn Listener,
    begun: Instant,
    pool: Pool,
    /// The next execution number that nobody has.
    next: AtomicU64,
    /// Executions from this number on are not wanted: one with a lower number failed.
    limit: AtomicU64,
    /// How many numbers a worker takes at a time.
    block: u64,
    sampling: bool,
    executions: AtomicU64,
    failures: AtomicU64,
    total: Mutex<Total<T>>,
    /// Held while the listener is told of a failure, so that it hears of them one after the other.
    telling: Mutex<()>,
    /// The first panic that was none of the program's.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// How often a worker adds its count to the shared one.
const REPORT_EVERY: u64 = 64;

impl<'a, T: Ord> Shared<'a, T> {
    pub fn new(
        plan: &'a Plan,
        strategy: Box<dyn Strategy>,
        listener: &'a dyn Listener,
        begun: Instant,
        sampling: bool,
    ) -> Self {
        let total = Total {
            executions: 0,
            abandoned: 0,
            undecided: 0,
            peak: 0,
            steps: 0,
            outcomes: BTreeMap::new(),
            failures: BTreeMap::new(),
            first: BTreeMap::new(),
            assumptions: Vec::new(),
            stopped: None,
        };
        Shared {
            plan,
            listener,
            begun,
            pool: Pool::new(Job::new(strategy)),
            next: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            block: if sampling && plan.workers > 1 { 32 } else { 1 },
            sampling,
            executions: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            total: Mutex::new(total),
            telling: Mutex::new(()),
            panic: Mutex::new(None),
        }
    }

    /// Reports progress and looks at the clock until the search is over.
    pub fn watch(&self, tick: impl Fn(Progress)) {
        let left = || self.plan.budget.time.map(|limit| limit.saturating_sub(self.begun.elapsed()));
        let nap = Duration::from_millis(100);
        while !self.pool.is_over_within(left().map_or(nap, |left| left.min(nap))) {
            if left() == Some(Duration::ZERO) {
                self.stop(Stopped::Time);
            }
            if self.listener.wants_to_stop() {
                self.stop(Stopped::Interrupted);
            }
            tick(Progress {
                executions: self.executions.load(Ordering::Relaxed),
                failures: self.failures.load(Ordering::Relaxed),
                elapsed: self.begun.elapsed(),
            });
        }
    }

    /// Does `work`. If it panics, that is a bug of the world, the strategy or the listener: the search ends,
    /// nobody waits for whoever panicked, and [`Shared::into_total`] passes the panic on.
    pub fn guard(&self, work: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
            self.panic.lock().unwrap().get_or_insert(payload);
            self.pool.close();
        }
    }

    pub fn into_total(self) -> Total<T> {
        if let Some(payload) = self.panic.into_inner().unwrap() {
            std::panic::resume_unwind(payload);
        }
        let mut total = self.total.into_inner().unwrap();
        total.assumptions.sort();
        total.assumptions.dedup();
        total
    }

    fn numbers(&self) -> Range<u64> {
        let first = self.next.fetch_add(self.block, Ordering::Relaxed);
        let budget = self.plan.budget.executions.unwrap_or(u64::MAX);
        first.min(budget)..(first + self.block).min(budget)
    }

    fn stop(&self, why: Stopped) {
        let mut total = self.total.lock().unwrap();
        total.stopped = Some(total.stopped.map_or(why, |old| old.min(why)));
        drop(total);
        self.pool.close();
    }
}

/// Starts a worker in `scope`.
pub(super) fn spawn<'scope, 'env, W, M>(
    scope: &'scope Scope<'scope, 'env>,
    shared: &'scope Shared<'scope, W::Outcome>,
    make_world: &'scope M,
) where
    W: World,
    W::Outcome: Ord + Send,
    M: Fn() -> W + Sync,
{
    let work = move || {
        let mut worker = Worker { shared, world: make_world(), numbers: 0..0, own: Own::default() };
        while let Some(job) = shared.pool.take() {
            let left = worker.explore(job);
            if let Some(job) = left {
                // This thread is worn out; another one goes on where it was.
                shared.pool.give(job);
                spawn(scope, shared, make_world);
                shared.pool.done();
                break;
            }
            shared.pool.done();
        }
        worker.hand_in();
    };
    scope.spawn(move || shared.guard(work));
}

/// What one worker has found and not yet handed in.
struct Own<T> {
    executions: u64,
    reported: u64,
    abandoned: u64,
    undecided: u64,
    peak: u64,
    steps: u64,
    outcomes: BTreeMap<T, u64>,
}

impl<T> Default for Own<T> {
    fn default() -> Self {
        Own {
            executions: 0,
            reported: 0,
            abandoned: 0,
            undecided: 0,
            peak: 0,
            steps: 0,
            outcomes: BTreeMap::new(),
        }
    }
}

struct Worker<'a, W: World> {
    shared: &'a Shared<'a, W::Outcome>,
    world: W,
    numbers: Range<u64>,
    own: Own<W::Outcome>,
}

impl<W: World> Worker<'_, W>
where
    W::Outcome: Ord,
{
    /// Explores until the job is done or the search is over. Returns the job if it is to go on elsewhere.
    fn explore(&mut self, mut job: Job) -> Option<Job> {
        let shared = self.shared;
        if !job.numbers.is_empty() {
            // Whoever waits for a job has no numbers left that are wanted.
            self.numbers = std::mem::take(&mut job.numbers);
        }
        while !shared.pool.is_closed() {
            // Sampling draws by number, so the number comes first. A systematic strategy is asked first, so
            // that only an execution that there is uses up a number of the budget.
            let systematic =
                (!shared.sampling).then(|| job.strategy.begin(shared.next.load(Ordering::Relaxed)));
            if systematic == Some(Next::Exhausted) {
                return None;
            }
            if self.numbers.is_empty() {
                self.numbers = shared.numbers();
            }
            let number = self.numbers.start;
            if self.numbers.is_empty() && !shared.sampling {
                shared.stop(Stopped::Executions);
            }
            if self.numbers.is_empty() || number >= shared.limit.load(Ordering::Relaxed) {
                return None;
            }
            let keep = match systematic.unwrap_or_else(|| job.strategy.begin(number)) {
                Next::From(depth) => depth,
                Next::Exhausted => return None,
            };
            self.numbers.start += 1;
            self.run_one(&mut job, keep, number);
            if self.world.is_worn() {
                job.numbers = std::mem::take(&mut self.numbers);
                return Some(job);
            }
            if shared.pool.is_wanted()
                && let Some(strategy) = job.strategy.split()
            {
                shared.pool.give(Job::new(strategy));
            }
            if self.own.executions - self.own.reported >= REPORT_EVERY || job.trace.len() > 1_000 {
                self.report();
            }
        }
        None
    }

    fn run_one(&mut self, job: &mut Job, keep: usize, number: u64) {
        let max_steps = self.shared.plan.budget.steps;
        let ran = execute(&mut self.world, &mut *job.strategy, &mut job.trace, keep, max_steps);
        self.own.steps += job.trace.len() as u64;
        let verdict = match ran {
            Ran::Passed(outcome) => {
                self.own.executions += 1;
                *self.own.outcomes.entry(outcome).or_insert(0) += 1;
                self.world.finish();
                Verdict::Passed
            }
            Ran::Failed(defect) => {
                self.own.executions += 1;
                let kind = defect.kind;
                self.failed(defect, &job.trace, number);
                Verdict::Failed(kind)
            }
            ran @ (Ran::Abandoned | Ran::Undecided) => {
                self.own.abandoned += 1;
                self.own.undecided += matches!(ran, Ran::Undecided) as u64;
                self.world.finish();
                Verdict::Abandoned
            }
        };
        job.strategy.finish(&job.trace, verdict);
        self.own.peak = self.own.peak.max(job.strategy.peak());
    }

    #[cold]
    fn failed(&mut self, defect: Defect, trace: &Trace, number: u64) {
        let shared = self.shared;
        shared.failures.fetch_add(1, Ordering::Relaxed);
        if shared.plan.on_failure == OnFailure::KeepGoing && defect.kind == FailureKind::NotDeterministic {
            // The strategy no longer knows where it is, and nothing that followed could be trusted.
            shared.stop(Stopped::NotDeterministic);
        }
        let telling = shared.telling.lock().unwrap();
        let before = shared.limit.load(Ordering::Relaxed);
        let (earlier, earlier_of_its_kind) = {
            let mut total = shared.total.lock().unwrap();
            *total.failures.entry(defect.kind).or_insert(0) += 1;
            let is_before = |failure: &Failure| failure.execution <= number;
            (total.first.values().any(is_before), total.first.get(&defect.kind).is_some_and(is_before))
        };
        if earlier_of_its_kind || (before <= number && before != u64::MAX) {
            drop(telling);
            self.world.finish();
            return;
        }
        let mut story = self.world.story();
        story.mark_preemptions(trace);
        let ticket = Ticket::new(shared.plan.test.clone(), shared.plan.settings.clone(), trace, &story);
        let execution = number + 1;
        let mut failure = Failure { defect, execution, story, ticket, afterwards: Vec::new() };
        if !earlier {
            shared.listener.failed(&failure);
        }
        failure.afterwards = self.world.finish();
        let mut total = shared.total.lock().unwrap();
        if total.first.get(&failure.kind()).is_none_or(|f| f.execution > execution) {
            total.first.insert(failure.kind(), failure);
        }
        if shared.plan.on_failure == OnFailure::Stop {
            total.stopped = Some(Stopped::Failure);
            drop(total);
            shared.limit.fetch_min(number, Ordering::Relaxed);
            if !shared.sampling {
                shared.pool.close();
            }
        }
    }

    fn report(&mut self) {
        let new = self.own.executions - self.own.reported;
        self.shared.executions.fetch_add(new, Ordering::Relaxed);
        self.own.reported = self.own.executions;
    }

    fn hand_in(&mut self) {
        self.report();
        let own = std::mem::take(&mut self.own);
        let mut total = self.shared.total.lock().unwrap();
        total.executions += own.executions;
        total.abandoned += own.abandoned;
        total.undecided += own.undecided;
        total.peak = total.peak.max(own.peak);
        total.steps += own.steps;
        for (outcome, times) in own.outcomes {
            *total.outcomes.entry(outcome).or_insert(0) += times;
        }
        total.assumptions.extend(self.world.assumptions());
    }
}
