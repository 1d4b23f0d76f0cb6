//! A worker: one operating-system thread with its own world, which takes jobs from the pool.

use super::checkpoint::Checkpoint;
use super::determinism::{again, observed};
use super::pool::Pool;
use super::run::{Ran, execute};
use super::tally::Tally;
use super::watcher::{Known, Stopped, Watched};
use super::{Hour, Listener, Lookout, OnFailure, Plan, Seen, grace};
use crate::code::Code;
use crate::fact::TeardownError;
use crate::record::ExecutionRecord;
use crate::strategy::{Next, SavedSubtree, Strategy};
use crate::ticket::{Ticket, TicketStep};
use crate::trace::{Step, Trace};
use crate::verdict::{Defect, Extent, Failure, FailureKind, Verdict};
use crate::world::{Finished, World};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A strategy and the last trace that it has seen.
pub(super) struct Job {
    strategy: Box<dyn Strategy>,
    trace: Trace,
    /// An execution was cut, and the strategy does not know what is left of it.
    is_cut: bool,
}

impl Job {
    fn new(strategy: Box<dyn Strategy>) -> Job {
        Job { strategy, trace: Trace::with_room(), is_cut: false }
    }

    /// The unexplored subtrees, if they are known and can be serialised.
    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        let is_known = !self.is_cut && self.trace.len() <= LONGEST_SAVED;
        if is_known { self.strategy.divisible()?.save() } else { None }
    }
}

/// The results of all workers.
pub(super) struct Total<T: Ord> {
    pub tally: Tally<T>,
    /// The extent of the whole search according to the strategy, once a job is done.
    pub extent: Option<Extent>,
    /// The unexplored subtrees, if the search was stopped and can be resumed.
    pub left: Option<Vec<SavedSubtree>>,
    /// The search was stopped when it had no unexplored subtree.
    pub nothing_left: bool,
    /// The fraction of the tree that is explored; none if it cannot be estimated.
    pub explored: Option<f64>,
}

/// The state that the workers of a search share.
pub(super) struct Shared<'a, T: Ord> {
    plan: &'a Plan,
    listener: &'a dyn Listener,
    pub watched: Arc<Watched>,
    /// The next execution number that no worker has taken.
    next: AtomicU64,
    /// Lower numbers that workers have returned unused, and whether there were any. Samplers return none.
    spare: Mutex<Vec<u64>>,
    any_spare: AtomicBool,
    /// Executions from this number on are not wanted: one with a lower number failed.
    limit: AtomicU64,
    /// How many numbers a worker takes at a time.
    block: u64,
    sampling: bool,
    /// The jobs that were not complete when the search was stopped.
    left: Mutex<Vec<Job>>,
    /// The unexplored subtrees of the workers that wait for a checkpoint; none if one has some that cannot be saved.
    paused: Mutex<Option<Vec<SavedSubtree>>>,
    total: Mutex<Total<T>>,
    /// Looks at the clock; each worker has its own.
    lookout: Lookout,
    /// Held while a failure is reported to the listener, so that failures are reported one after the other.
    telling: Mutex<()>,
}

/// The subtrees of longer executions are not saved: each is a list of its picks, and there may be as many as steps.
const LONGEST_SAVED: usize = 2_000;

/// How often a worker adds its count to the shared one.
const REPORT_EVERY: u64 = 64;

impl<'a, T: Ord> Shared<'a, T> {
    pub fn new(
        plan: &'a Plan,
        strategies: Vec<Box<dyn Strategy>>,
        listener: &'a Arc<dyn Listener>,
        sampling: bool,
    ) -> Self {
        let total =
            Total { tally: Tally::default(), extent: None, left: None, nothing_left: false, explored: None };
        let first = |strategy| {
            let mut job = Job::new(strategy);
            if plan.notes_points {
                job.trace.note_points();
            }
            job
        };
        let pool = Pool::new(strategies.into_iter().map(first).collect());
        let (time, clock) = (plan.budget.time, plan.clock.clone());
        let stop = time.map(|time| clock.now() + time);
        let cut = plan.cut.or_else(|| Some(stop? + grace(time?)));
        Shared {
            plan,
            lookout: Lookout::new(clock, stop, cut),
            listener: &**listener,
            watched: Arc::new(Watched::new(plan, pool, listener.clone())),
            next: AtomicU64::new(plan.counted),
            spare: Mutex::new(Vec::new()),
            any_spare: AtomicBool::new(false),
            limit: AtomicU64::new(u64::MAX),
            block: if sampling { 32 } else { 1 },
            sampling,
            left: Mutex::new(Vec::new()),
            paused: Mutex::new(Some(Vec::new())),
            total: Mutex::new(total),
            telling: Mutex::new(()),
        }
    }

    /// All workers are done: their results, and why they were stopped, if they were.
    pub fn into_total(self) -> (Total<T>, Option<Stopped>) {
        let Known { explored, stopped, .. } = self.watched.end();
        let mut total = self.total.into_inner().unwrap();
        total.explored = explored;
        let mut jobs = self.left.into_inner().unwrap();
        let is_wanted = match stopped {
            Some(Stopped::Interrupted | Stopped::Time) => true,
            // The subtrees may be large.
            Some(Stopped::Executions) => self.plan.keeps_left,
            _ => false,
        };
        if is_wanted {
            jobs.extend(self.watched.pool.take_all());
            let parts: Option<Vec<Vec<SavedSubtree>>> = jobs.iter_mut().map(Job::save).collect();
            let parts = parts.map(|parts| parts.concat());
            total.nothing_left = parts.as_ref().is_some_and(Vec::is_empty);
            if total.nothing_left && total.extent.is_none() {
                total.extent = jobs.last().map(|job| job.strategy.extent(total.tally.executions));
            }
            total.left = parts.filter(|parts| !parts.is_empty());
        }
        (total, stopped)
    }

    /// The steps that the ticket expects.
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

/// Explores on the calling thread until there is no job.
pub(super) fn work<W, M>(shared: &Shared<'_, W::Outcome>, make_world: &M)
where
    W: World,
    W::Outcome: Ord + Debug + Send,
    M: Fn() -> W + Sync,
{
    shared.watched.guard(|| {
        let mut worker = Worker {
            shared,
            world: make_world(),
            numbers: 0..0,
            own: Tally::default(),
            reported: 0,
            looked: 0,
            lookout: shared.lookout.clone(),
        };
        let pool = &shared.watched.pool;
        while let Some(mut job) = pool.take() {
            worker.explore(&mut job);
            worker.note_explored(&mut job);
            shared.left.lock().unwrap().push(job);
            worker.hand_in();
            pool.done();
        }
    });
}

/// A worker with the results that it has not merged yet.
struct Worker<'a, W: World>
where
    W::Outcome: Ord,
{
    shared: &'a Shared<'a, W::Outcome>,
    world: W,
    numbers: Range<u64>,
    own: Tally<W::Outcome>,
    /// How many executions are in the shared count.
    reported: u64,
    /// How many executions there were, abandoned or not, at the last report.
    looked: u64,
    lookout: Lookout,
}

impl<W: World> Worker<'_, W>
where
    W::Outcome: Ord + Debug,
{
    /// Explores until the job is done or the search is over.
    fn explore(&mut self, job: &mut Job) {
        let shared = self.shared;
        if shared.plan.budget.time.is_some() && self.lookout.look() > Hour::Early {
            shared.watched.stop(Stopped::Time);
        }
        while !shared.watched.pool.is_closed() {
            // A sampler draws by number, so the number comes first. A systematic strategy is asked first, so that only
            // an execution that exists uses up a number of the budget.
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
            if job.is_cut || self.lookout.after(steps) > Hour::Early {
                if !job.is_cut
                    && !shared.sampling
                    && job.strategy.begin(shared.next.load(Ordering::Relaxed)) == Next::Exhausted
                {
                    return self.done(job);
                }
                return shared.watched.stop(Stopped::Time);
            }
            if shared.watched.pool.is_checkpoint_due() && !shared.sampling {
                self.checkpoint(job);
            }
            if shared.watched.pool.is_wanted()
                && let Some(strategy) = job.strategy.divisible().and_then(|strategy| strategy.split())
            {
                shared.watched.pool.give(Job::new(strategy));
            }
            let done = self.own.executions + self.own.abandoned;
            if done - self.looked >= REPORT_EVERY || steps > 1_000 {
                self.looked = done;
                self.report();
                self.note_explored(job);
            }
        }
    }

    /// A job is done: its extent is the final one if it was the last job.
    fn done(&mut self, job: &Job) {
        if !self.numbers.is_empty() {
            self.shared.spare.lock().unwrap().extend(std::mem::take(&mut self.numbers));
            self.shared.any_spare.store(true, Ordering::Relaxed);
        }
        self.shared.total.lock().unwrap().extent = Some(job.strategy.extent(self.own.executions));
    }

    /// Makes one execution. Returns whether it counts, and the number of its steps.
    fn run_one(&mut self, job: &mut Job, keep: usize, number: u64) -> (bool, usize) {
        let max_steps = self.shared.plan.budget.steps;
        let is_twice = number == 0 && self.shared.plan.repeats_first && self.world.rewind().is_none();
        let (world, lookout) = (&mut self.world, &mut self.lookout);
        let (strategy, trace) = (&mut *job.strategy, &mut job.trace);
        let (ran, steps) = match is_twice {
            true => observed(world, strategy, trace, keep, max_steps, lookout),
            false => execute(world, strategy, trace, keep, self.shared.expected(), max_steps, lookout),
        };
        self.own.steps += steps as u64;
        let verdict = match ran {
            Ran::Passed(outcome) => {
                self.own.executions += 1;
                self.keep(&job.trace, None);
                self.put_away();
                let differs = match is_twice {
                    true => again(&mut self.world, &mut job.trace, &outcome, max_steps, &mut self.lookout),
                    false => None,
                };
                *self.own.outcomes.entry(outcome).or_insert(0) += 1;
                match differs {
                    Some(defect) => {
                        let kind = defect.kind;
                        self.failed(defect, &job.trace, number);
                        Verdict::Failed(kind)
                    }
                    None if is_twice => {
                        self.put_away();
                        Verdict::Passed
                    }
                    None => Verdict::Passed,
                }
            }
            Ran::Failed(defect) => {
                self.own.executions += 1;
                let kind = defect.kind;
                self.keep(&job.trace, Some(&defect));
                self.failed(defect, &job.trace, number);
                Verdict::Failed(kind)
            }
            Ran::Undecided => {
                self.own.undecided += 1;
                self.abandon()
            }
            Ran::Abandoned => self.abandon(),
            Ran::Cut => {
                job.is_cut = true;
                self.put_away();
                return (false, steps);
            }
            Ran::Interrupted => {
                job.is_cut = true;
                self.shared.watched.stop(Stopped::Interrupted);
                self.put_away();
                return (false, steps);
            }
        };
        job.strategy.finish(&job.trace, verdict);
        let peak = job.strategy.estimating().map_or(0, |strategy| strategy.peak());
        self.own.peak = self.own.peak.max(peak);
        (verdict != Verdict::Abandoned, steps)
    }

    /// The execution is abandoned and not counted.
    fn abandon(&mut self) -> Verdict {
        self.own.abandoned += 1;
        self.put_away();
        Verdict::Abandoned
    }

    /// Tears the execution down. Returns the errors of the teardown.
    fn put_away(&mut self) -> Vec<TeardownError> {
        let Finished { errors, is_refuted } = self.world.finish();
        if is_refuted {
            self.shared.watched.stop(Stopped::Refuted);
        }
        errors
    }

    /// Keeps the execution that is at its end, if the plan says so.
    #[inline]
    fn keep(&self, trace: &Trace, defect: Option<&Defect>) {
        if let Some(seen) = &self.shared.plan.seen {
            let (record, choices) = (self.record(trace), trace.choices());
            let cause = defect.map(|defect| defect.cause.clone());
            let sites = trace.steps().iter().map(Step::site).collect();
            let graph = self.world.memory_graph().map(Box::new);
            seen.lock().unwrap().push(Seen { record, choices, sites, cause, graph });
        }
    }

    #[cold]
    fn record(&self, trace: &Trace) -> ExecutionRecord {
        let mut record = self.world.record();
        record.mark_preemptions(trace);
        record.mark_order(trace);
        record.mark_enabled(trace);
        record
    }

    #[cold]
    fn failed(&mut self, defect: Defect, trace: &Trace, number: u64) {
        let shared = self.shared;
        shared.watched.failures.fetch_add(1, Ordering::Relaxed);
        if defect.kind == FailureKind::MemoryLimit {
            // The next execution would take as much.
            shared.watched.stop(Stopped::Failure);
        }
        if shared.plan.on_failure == OnFailure::KeepGoing && defect.kind == FailureKind::NotDeterministic {
            // The state of the strategy is no longer valid, and no later result could be trusted.
            shared.watched.stop(Stopped::NotDeterministic);
        }
        let telling = shared.telling.lock().unwrap();
        let before = shared.limit.load(Ordering::Relaxed);
        let (earlier, known) = {
            let mut total = shared.total.lock().unwrap();
            let is_before = |failure: &Failure| failure.execution <= number;
            let known = total.tally.known(&defect.cause).is_some_and(is_before)
                || (before <= number && before != u64::MAX);
            if known {
                total.tally.count_failure(&defect.cause);
            }
            (total.tally.failures.iter().any(|group| is_before(&group.first)), known)
        };
        if known {
            drop(telling);
            self.put_away();
            return;
        }
        let record = self.record(trace);
        let Plan { test, settings, program, .. } = shared.plan;
        let program = Code::of(program.to_map());
        let ticket = Ticket::new(test.clone(), settings.to_map(), program, trace, &record);
        let execution = number + 1;
        let mut failure = Failure::new(defect, execution, record, ticket);
        if !earlier {
            shared.listener.failed(&failure);
        }
        failure.afterwards = self.put_away();
        let mut total = shared.total.lock().unwrap();
        total.tally.add_failure(failure);
        if shared.plan.on_failure == OnFailure::Stop {
            drop(total);
            shared.watched.note_stop(Stopped::Failure);
            shared.limit.fetch_min(number, Ordering::Relaxed);
            if !shared.sampling {
                shared.watched.pool.close();
            }
        }
    }

    /// Waits for the other workers between two executions. One of them passes on what all have found and what is left.
    #[cold]
    fn checkpoint(&mut self, job: &mut Job) {
        let shared = self.shared;
        let Some(checkpoints) = &shared.plan.checkpoints else { return };
        self.hand_in();
        self.note_explored(job);
        let own = job.save();
        {
            let mut paused = shared.paused.lock().unwrap();
            *paused = paused.take().zip(own).map(|(paused, own)| [paused, own].concat());
        }
        let taken = shared.watched.pool.pause(|waiting| {
            let paused = shared.paused.lock().unwrap().replace(Vec::new());
            let waiting: Option<Vec<Vec<SavedSubtree>>> = waiting.iter_mut().map(Job::save).collect();
            let left = [paused?, waiting?.concat()].concat();
            let found = shared.total.lock().unwrap().tally.with_outcomes_as_text();
            let explored = shared.watched.explored().unwrap_or(0.0);
            (!left.is_empty()).then_some(Checkpoint { found, left, explored, finished_bound: None })
        });
        if let Some(Some(checkpoint)) = taken {
            (checkpoints.take)(checkpoint);
        }
        if checkpoints.every.is_zero() {
            shared.watched.pool.demand_checkpoint();
        }
    }

    fn note_explored(&self, job: &mut Job) {
        self.shared.watched.note_explored(job.strategy.estimating().map(|strategy| strategy.explored()));
    }

    fn report(&mut self) {
        let new = self.own.executions - self.reported;
        self.shared.watched.executions.fetch_add(new, Ordering::Relaxed);
        self.reported = self.own.executions;
        self.shared.watched.peak.fetch_max(self.own.peak, Ordering::Relaxed);
    }

    fn hand_in(&mut self) {
        self.report();
        let mut own = Tally { assumptions: self.world.assumptions(), ..std::mem::take(&mut self.own) };
        own.assumptions.sort();
        (self.reported, self.looked) = (0, 0);
        let total = &mut self.shared.total.lock().unwrap().tally;
        match total.is_nothing() && total.failures.is_empty() && total.assumptions.is_empty() {
            true => *total = own,
            false => total.merge(own),
        }
    }
}
