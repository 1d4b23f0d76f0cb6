//! A worker: one operating-system thread with a world of its own, which takes jobs from the pool.

use super::pool::Pool;
use super::run::{Ran, execute};
use super::watcher::{Known, Stopped, Watched};
use super::{Listener, OnFailure, Plan};
use crate::strategy::{Next, SavedSubtree, Strategy};
use crate::ticket::{Ticket, TicketStep};
use crate::trace::Trace;
use crate::verdict::{Defect, Extent, Failure, FailureKind, Verdict};
use crate::world::{Finished, World};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A strategy, and the last trace that it has seen.
pub(super) struct Job {
    strategy: Box<dyn Strategy>,
    trace: Trace,
}

impl Job {
    fn new(strategy: Box<dyn Strategy>) -> Job {
        Job { strategy, trace: Trace::with_room() }
    }
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
    /// What the strategy says of the whole search, once a part of it is done.
    pub extent: Option<Extent>,
    /// What was not explored, if the search had to stop and can go on later.
    pub left: Option<Vec<SavedSubtree>>,
    /// It had to stop when it had come to its end.
    pub nothing_left: bool,
    /// How much of the whole tree has been explored; none if there is no telling.
    pub explored: Option<f64>,
}

/// What the workers of a search share.
pub(super) struct Shared<'a, T> {
    plan: &'a Plan,
    listener: &'a dyn Listener,
    pub watched: Arc<Watched>,
    /// The next execution number that nobody has.
    next: AtomicU64,
    /// Numbers below that one that nobody has any more, and whether there were any. Samplers leave none.
    spare: Mutex<Vec<u64>>,
    any_spare: AtomicBool,
    /// Executions from this number on are not wanted: one with a lower number failed.
    limit: AtomicU64,
    /// How many numbers a worker takes at a time.
    block: u64,
    sampling: bool,
    /// What was not explored when the search had to stop.
    left: Mutex<Vec<Job>>,
    total: Mutex<Total<T>>,
    /// Held while the listener is told of a failure, so that it hears of them one after the other.
    telling: Mutex<()>,
}

/// How often a worker adds its count to the shared one.
const REPORT_EVERY: u64 = 64;

impl<'a, T: Ord> Shared<'a, T> {
    pub fn new(
        plan: &'a Plan,
        strategies: Vec<Box<dyn Strategy>>,
        listener: &'a Arc<dyn Listener>,
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
            extent: None,
            left: None,
            nothing_left: false,
            explored: None,
        };
        let pool = Pool::new(strategies.into_iter().map(Job::new).collect());
        Shared {
            plan,
            listener: &**listener,
            watched: Arc::new(Watched::new(plan, pool, listener.clone())),
            next: AtomicU64::new(plan.counted),
            spare: Mutex::new(Vec::new()),
            any_spare: AtomicBool::new(false),
            limit: AtomicU64::new(u64::MAX),
            block: if sampling { 32 } else { 1 },
            sampling,
            left: Mutex::new(Vec::new()),
            total: Mutex::new(total),
            telling: Mutex::new(()),
        }
    }

    /// All workers are done: what they have found, and why they stopped if they had to.
    pub fn into_total(self) -> (Total<T>, Option<Stopped>) {
        let Known { explored, stopped, .. } = self.watched.end();
        let mut total = self.total.into_inner().unwrap();
        total.explored = explored;
        let mut jobs = self.left.into_inner().unwrap();
        let is_wanted = match stopped {
            Some(Stopped::Interrupted | Stopped::Time) => true,
            // It may be a lot.
            Some(Stopped::Executions) => self.plan.keeps_left,
            _ => false,
        };
        if is_wanted {
            jobs.extend(self.watched.pool.take_all());
            let parts: Option<Vec<Vec<SavedSubtree>>> =
                jobs.iter_mut().map(|job| job.strategy.divisible()?.save()).collect();
            let parts = parts.map(|parts| parts.concat());
            total.nothing_left = parts.as_ref().is_some_and(Vec::is_empty);
            if total.nothing_left && total.extent.is_none() {
                total.extent = jobs.last().map(|job| job.strategy.extent(total.executions));
            }
            total.left = parts.filter(|parts| !parts.is_empty());
        }
        total.assumptions.sort();
        total.assumptions.dedup();
        (total, stopped)
    }

    /// What the steps of executions are expected to be.
    fn expected(&self) -> &[TicketStep] {
        self.plan.expected.as_deref().map_or(&[], |ticket| &ticket.steps)
    }

    fn numbers(&self) -> Range<u64> {
        if self.any_spare.load(Ordering::Relaxed)
            && let Some(spare) = self.spare.lock().unwrap().pop()
        {
            return spare..spare + 1;
        }
        let first = self.next.fetch_add(self.block, Ordering::Relaxed);
        let budget = self.plan.budget.executions.unwrap_or(u64::MAX);
        first.min(budget)..(first + self.block).min(budget)
    }
}

/// Explores on the calling thread until there is nothing left to do.
pub(super) fn work<W, M>(shared: &Shared<'_, W::Outcome>, make_world: &M)
where
    W: World,
    W::Outcome: Ord + Send,
    M: Fn() -> W + Sync,
{
    shared.watched.guard(|| {
        let mut worker = Worker { shared, world: make_world(), numbers: 0..0, own: Own::default() };
        let pool = &shared.watched.pool;
        while let Some(mut job) = pool.take() {
            worker.explore(&mut job);
            worker.note_explored(&mut job);
            shared.left.lock().unwrap().push(job);
            pool.done();
        }
        worker.hand_in();
    });
}

/// What one worker has found and not yet handed in.
struct Own<T> {
    executions: u64,
    reported: u64,
    /// How many there were, given up or not, when others were last told.
    looked: u64,
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
            looked: 0,
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
    /// Explores until the job is done or the search is over.
    fn explore(&mut self, job: &mut Job) {
        let shared = self.shared;
        while !shared.watched.pool.is_closed() {
            // Sampling draws by number, so the number comes first. A systematic strategy is asked first, so
            // that only an execution that there is uses up a number of the budget.
            let systematic =
                (!shared.sampling).then(|| job.strategy.begin(shared.next.load(Ordering::Relaxed)));
            if systematic == Some(Next::Exhausted) {
                return self.done(job);
            }
            if self.numbers.is_empty() {
                self.numbers = shared.numbers();
            }
            let number = self.numbers.start;
            if self.numbers.is_empty() && !shared.sampling {
                shared.watched.stop(Stopped::Executions);
            }
            if self.numbers.is_empty() || number >= shared.limit.load(Ordering::Relaxed) {
                return;
            }
            let keep = match systematic.unwrap_or_else(|| job.strategy.begin(number)) {
                Next::From(depth) => depth,
                Next::Exhausted => return,
            };
            let (counts, steps) = self.run_one(job, keep, number);
            if counts || shared.sampling {
                self.numbers.start += 1;
            }
            if shared.watched.pool.is_wanted()
                && let Some(strategy) = job.strategy.divisible().and_then(|strategy| strategy.split())
            {
                shared.watched.pool.give(Job::new(strategy));
            }
            let done = self.own.executions + self.own.abandoned;
            if done - self.own.looked >= REPORT_EVERY || steps > 1_000 {
                self.own.looked = done;
                self.report();
                self.note_explored(job);
            }
        }
    }

    /// A job is done: what it has seen counts in the end if it was the last.
    fn done(&mut self, job: &Job) {
        if !self.numbers.is_empty() {
            self.shared.spare.lock().unwrap().extend(std::mem::take(&mut self.numbers));
            self.shared.any_spare.store(true, Ordering::Relaxed);
        }
        self.shared.total.lock().unwrap().extent = Some(job.strategy.extent(self.own.executions));
    }

    /// Says whether the execution counts, and how many steps it took.
    fn run_one(&mut self, job: &mut Job, keep: usize, number: u64) -> (bool, usize) {
        let max_steps = self.shared.plan.budget.steps;
        let (ran, steps) = execute(
            &mut self.world,
            &mut *job.strategy,
            &mut job.trace,
            keep,
            self.shared.expected(),
            max_steps,
        );
        self.own.steps += steps as u64;
        let verdict = match ran {
            Ran::Passed(outcome) => {
                self.own.executions += 1;
                *self.own.outcomes.entry(outcome).or_insert(0) += 1;
                self.put_away();
                Verdict::Passed
            }
            Ran::Failed(defect) => {
                self.own.executions += 1;
                let kind = defect.kind;
                self.failed(defect, &job.trace, number);
                Verdict::Failed(kind)
            }
            Ran::Undecided => {
                self.own.undecided += 1;
                self.abandon()
            }
            Ran::Abandoned => self.abandon(),
        };
        job.strategy.finish(&job.trace, verdict);
        let peak = job.strategy.estimating().map_or(0, |strategy| strategy.peak());
        self.own.peak = self.own.peak.max(peak);
        (verdict != Verdict::Abandoned, steps)
    }

    /// The execution counts for nothing.
    fn abandon(&mut self) -> Verdict {
        self.own.abandoned += 1;
        self.put_away();
        Verdict::Abandoned
    }

    /// Puts the execution away. Returns what went wrong on the way.
    fn put_away(&mut self) -> Vec<String> {
        let Finished { errors, is_refuted } = self.world.finish();
        if is_refuted {
            self.shared.watched.stop(Stopped::Refuted);
        }
        errors
    }

    #[cold]
    fn failed(&mut self, defect: Defect, trace: &Trace, number: u64) {
        let shared = self.shared;
        shared.watched.failures.fetch_add(1, Ordering::Relaxed);
        if shared.plan.on_failure == OnFailure::KeepGoing && defect.kind == FailureKind::NotDeterministic {
            // The strategy no longer knows where it is, and nothing that followed could be trusted.
            shared.watched.stop(Stopped::NotDeterministic);
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
            self.put_away();
            return;
        }
        let mut record = self.world.record();
        record.mark_preemptions(trace);
        let ticket = Ticket::new(shared.plan.test.clone(), shared.plan.settings.to_map(), trace, &record);
        let execution = number + 1;
        let mut failure = Failure { defect, execution, record, ticket, afterwards: Vec::new() };
        if !earlier {
            shared.listener.failed(&failure);
        }
        failure.afterwards = self.put_away();
        let mut total = shared.total.lock().unwrap();
        if total.first.get(&failure.kind()).is_none_or(|f| f.execution > execution) {
            total.first.insert(failure.kind(), failure);
        }
        if shared.plan.on_failure == OnFailure::Stop {
            drop(total);
            shared.watched.note_stop(Stopped::Failure);
            shared.limit.fetch_min(number, Ordering::Relaxed);
            if !shared.sampling {
                shared.watched.pool.close();
            }
        }
    }

    fn note_explored(&self, job: &mut Job) {
        self.shared.watched.note_explored(job.strategy.estimating().map(|strategy| strategy.explored()));
    }

    fn report(&mut self) {
        let new = self.own.executions - self.own.reported;
        self.shared.watched.executions.fetch_add(new, Ordering::Relaxed);
        self.own.reported = self.own.executions;
        self.shared.watched.peak.fetch_max(self.own.peak, Ordering::Relaxed);
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
        if total.outcomes.is_empty() {
            total.outcomes = own.outcomes;
        } else {
            for (outcome, times) in own.outcomes {
                *total.outcomes.entry(outcome).or_insert(0) += times;
            }
        }
        let assumptions = self.world.assumptions();
        if total.assumptions.is_empty() {
            total.assumptions = assumptions;
        } else {
            total.assumptions.extend(assumptions);
        }
    }
}
