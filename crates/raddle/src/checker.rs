//! What to explore and how: the settings of one check of a Rust program.

use crate::environment;
use crate::error::{CheckError, DoesNotApply};
use crate::heap::Heap;
use crate::listener::Listening;
use crate::observer;
use crate::report::Report;
use raddle_core::check::{Check, SearchKind, Simplify};
use raddle_core::clock::Time;
use raddle_core::limits::LARGEST_STACK;
use raddle_core::memory::{Memory, Model};
use raddle_core::search::OnFailure;
use raddle_core::strategy::Sampler;
use raddle_core::ticket::Ticket;
use raddle_native::{AutoMemory, Body, Detached, Observers, Outcome, RustProgram, Settings, Spins};
use raddle_report::Run;
use raddle_terminal::{Interrupt, read_search, read_ticket};
use std::fmt::Debug;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// What to explore and how.
///
/// ```
/// use raddle::Checker;
/// let report = Checker::random(1_000).seed(7).run(|| raddle::choose(3));
/// assert_eq!(report.outcomes().len(), 3);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a checker does nothing until it runs"]
pub struct Checker {
    pub(crate) check: Check,
    pub(crate) settings: Settings,
    /// The sampler and the seed, if they were set: where nothing is drawn, they are mistakes.
    pub(crate) sampler: Option<Sampler>,
    pub(crate) seed: Option<u64>,
    /// The memory model, if it was set: a ticket has its own.
    pub(crate) memory: Option<Memory>,
    /// Whether the heap is judged, if that was set.
    pub(crate) heap: Option<Heap>,
    /// The environment variable that named the search to resume.
    pub(crate) resumed_by: Option<&'static str>,
}

impl Checker {
    /// A search of this kind.
    pub fn new(kind: SearchKind) -> Checker {
        let (check, settings) = (Check::new(kind), Settings::default());
        Checker { check, settings, sampler: None, seed: None, memory: None, heap: None, resumed_by: None }
    }
    /// Sets how to search; all other settings stay.
    pub fn kind(mut self, kind: SearchKind) -> Checker {
        self.check.kind = kind;
        self
    }
    /// Explores every behaviour.
    pub fn exhaustive() -> Checker {
        Checker::new(SearchKind::Exhaustive)
    }
    /// Explores every behaviour, those with few preemptions first: the first failure has the fewest.
    ///
    /// ```
    /// use raddle::Checker;
    /// let report = Checker::iterative().run(|| raddle::choose(3));
    /// assert!(report.coverage().is_exhaustive());
    /// ```
    pub fn iterative() -> Checker {
        Checker::new(SearchKind::Iterative)
    }
    /// Explores every interleaving, without any reduction.
    pub fn dfs() -> Checker {
        Checker::new(SearchKind::Dfs)
    }
    /// Explores every interleaving, without any reduction and those with few preemptions first: preemption bounding with
    /// blocking avoidance as Concuerror did it first. [`Checker::preemptions`] sets the largest bound.
    pub fn preemption_bounding() -> Checker {
        Checker::new(SearchKind::PreemptionBounding)
    }
    /// Explores in stages: a few random schedules, then few preemptions if executions are long, then every behaviour, then
    /// random schedules for the rest of the time. What `cargo raddle test` does by default. [`Report::coverages`] says what
    /// each stage covered.
    ///
    /// ```
    /// use raddle::Checker;
    /// let report = Checker::staged(std::time::Duration::from_secs(10)).run(|| raddle::choose(3));
    /// assert!(report.coverage().is_exhaustive());
    /// ```
    pub fn staged(time: Duration) -> Checker {
        let mut checker = Checker::new(SearchKind::Staged).time_limit(time);
        checker.check.schedules = u64::MAX;
        checker
    }
    /// Explores `schedules` random schedules, drawn by a portfolio of strategies unless [`Checker::sampler`] names
    /// another one.
    pub fn random(schedules: u64) -> Checker {
        let mut checker = Checker::new(SearchKind::Sampled(Sampler::default()));
        checker.check.schedules = schedules;
        checker
    }
    /// Replays one schedule: `ticket` is the text of a ticket, or the path of a file with one.
    ///
    /// # Panics
    /// Where [`Checker::try_replay`] has an error.
    #[track_caller]
    pub fn replay(ticket: impl AsRef<str>) -> Checker {
        demand(Checker::try_replay(ticket))
    }
    /// Replays one schedule: `ticket` is the text of a ticket, or the path of a file with one.
    ///
    /// # Errors
    /// If it is neither, or if it has a setting that this version does not know.
    pub fn try_replay(ticket: impl AsRef<str>) -> Result<Checker, CheckError> {
        Checker::try_replay_ticket(read_ticket(ticket.as_ref()).map_err(CheckError::Ticket)?)
    }
    /// Replays one schedule.
    ///
    /// # Panics
    /// Where [`Checker::try_replay_ticket`] has an error.
    #[track_caller]
    pub fn replay_ticket(ticket: Ticket) -> Checker {
        demand(Checker::try_replay_ticket(ticket))
    }
    /// Replays one schedule.
    ///
    /// # Errors
    /// If the ticket has a setting that this version does not know.
    pub fn try_replay_ticket(ticket: Ticket) -> Result<Checker, CheckError> {
        let mut checker = Checker::exhaustive();
        checker.follow(ticket).map_err(CheckError::Ticket)?;
        Ok(checker)
    }
    /// Replays `ticket` under its own settings.
    pub(crate) fn follow(&mut self, ticket: Ticket) -> Result<(), String> {
        let mut settings = ticket.settings.clone();
        settings.remove(raddle_core::check::STEPS);
        self.settings.apply(&settings)?;
        self.check.follow(ticket)
    }
    /// Sets the seed of random choices; 0 if it is not set.
    pub fn seed(mut self, seed: u64) -> Checker {
        self.seed = Some(seed);
        self
    }
    /// Sets which strategy draws random schedules.
    pub fn sampler(mut self, sampler: Sampler) -> Checker {
        self.sampler = Some(sampler);
        self
    }
    /// Sets whether the schedule of a failure that sampling or a reduction found is simplified: the same failure with
    /// as few preemptions, options, tasks and steps as are found to be needed, executed again. It is by default.
    pub fn simplify(mut self, simplify: Simplify) -> Checker {
        self.check.simplify = simplify;
        self
    }
    /// Sets how many operating-system threads explore.
    pub fn workers(mut self, workers: usize) -> Checker {
        self.check.workers = workers.max(1);
        self
    }
    /// Explores only executions with at most so many preemptions. Bounds combine; all behaviours within are explored.
    pub fn preemptions(mut self, most: u32) -> Checker {
        self.check.bounds.preemptions = Some(most);
        self
    }
    /// Explores executions without preemptions first, then those with one, and so on up to `most`, until one fails or
    /// all are explored. So the first failure has the fewest preemptions.
    pub fn preemptions_up_to(mut self, most: u32) -> Checker {
        (self.check.bounds.preemptions, self.check.growing) = (Some(most), true);
        self
    }
    /// Explores only executions in which no task yields (`yield_now`, `spin_loop`) more often than other enabled tasks,
    /// by more than this: the fair bound of Musuvathi and Qadeer.
    pub fn yield_bound(mut self, most: u32) -> Checker {
        self.check.bounds.yields = Some(most);
        self
    }
    /// Explores only executions of at most so many steps. Longer ones are not explored; they do not fail, as they do
    /// with [`Checker::max_steps`].
    pub fn step_bound(mut self, most: usize) -> Checker {
        self.check.bounds.steps = Some(most);
        self
    }
    /// Sets how many steps an execution may take before it fails.
    pub fn max_steps(mut self, steps: usize) -> Checker {
        self.check.budget.steps = steps;
        self
    }
    /// Stops after so many executions, whatever the search.
    pub fn max_executions(mut self, executions: u64) -> Checker {
        self.check.budget.executions = Some(executions);
        self
    }
    /// Sets when timers may fire.
    pub fn time(mut self, time: Time) -> Checker {
        self.settings.time = time;
        self
    }
    /// Stops after this long.
    pub fn time_limit(mut self, limit: Duration) -> Checker {
        self.check.budget.time = Some(limit);
        self
    }
    /// Counts failures and continues, instead of stopping at the first.
    pub fn keep_going(mut self) -> Checker {
        self.check.on_failure = OnFailure::KeepGoing;
        self
    }
    /// Allows so many spurious wake-ups and spurious failures of weak compare-exchanges in an execution.
    pub fn spurious(mut self, most: u32) -> Checker {
        self.settings.spurious = most;
        self
    }
    /// Sets the memory model of atomics: [`Memory::Auto`] if it is not set, or sequential consistency where
    /// [`Checker::dfs`] or [`Checker::preemption_bounding`] search. If sequential consistency is set, the coverage names
    /// operations whose weaker orderings are taken for `SeqCst`.
    pub fn memory(mut self, memory: Memory) -> Checker {
        self.memory = Some(memory);
        self
    }
    /// Explores only executions in which at most so many loads read an older store than the last one, and stores stand before
    /// an older one. With 0 memory is sequentially consistent, and a growing number finds the failure first that needs the fewest.
    /// For weak [memory models](Memory). Exhaustive searches have no reduction then.
    pub fn stale_reads(mut self, most: u32) -> Checker {
        self.settings.stale_reads = Some(most);
        self
    }
    /// Sets what becomes of tasks that are not joined when main returns.
    pub fn detached(mut self, detached: Detached) -> Checker {
        self.settings.detached = detached;
        self
    }
    /// Leaves the order of messages open that are never received, of channels without bound: executions that differ
    /// only in that are equivalent, and one of them is explored. If all messages are received this changes nothing, and
    /// if only the first of many answers is received it saves most of the work. For [`Checker::exhaustive`] and
    /// [`Checker::iterative`].
    ///
    /// ```
    /// use raddle::{Checker, sync::mpsc::channel, thread};
    /// let first_of_three = || {
    ///     let (sender, receiver) = channel();
    ///     for answer in 0..3 {
    ///         let sender = sender.clone();
    ///         thread::spawn(move || sender.send(answer));
    ///     }
    ///     let first = receiver.recv().unwrap();
    ///     std::mem::forget(receiver);
    ///     first
    /// };
    /// assert_eq!(Checker::exhaustive().run(first_of_three).executions(), 6);
    /// assert_eq!(Checker::exhaustive().observers().run(first_of_three).executions(), 3);
    /// ```
    pub fn observers(mut self) -> Checker {
        self.settings.observers = Some(Observers::default());
        self
    }

    /// All reference counts are operations from the beginning, and not only those that are found to matter. For the
    /// facades of std.
    #[cfg(feature = "arena")]
    #[doc(hidden)]
    pub fn count_all_references(mut self) -> Checker {
        self.settings.counted = raddle_native::Counted::all();
        self
    }
    /// Judges accesses to plain memory, in a program that is compiled with the compiler's callbacks for that and whose heap is
    /// judged.
    #[doc(hidden)]
    pub fn judge_plain_memory(mut self, rules: raddle_core::suppressions::Suppressions) -> Checker {
        self.settings.plain = Some(rules);
        self
    }
    /// Sets the size of tasks' stacks, in bytes.
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.settings.stack_size = bytes;
        self
    }
    /// Sets how many identical iterations a spin loop may take while other tasks are enabled: [`Spins::Fair`].
    pub fn spin_rounds(self, rounds: u32) -> Checker {
        self.spins(Spins::Fair(rounds))
    }
    /// Sets how spin loops are explored.
    pub fn spins(mut self, spins: Spins) -> Checker {
        self.settings.spins = spins;
        self
    }
    /// Sets how often a search saves itself while it goes on, so that it can be resumed even if the process is killed:
    /// every 30 seconds if it is not set. The file is removed when nothing is left to explore.
    pub fn checkpoint(mut self, every: Duration) -> Checker {
        self.check.checkpoint = Some(every);
        self
    }
    /// Resumes a search that was stopped by Ctrl-C or a time limit, or killed, from the file that it has written.
    ///
    /// # Panics
    /// If there is no such file. [`Checker::run`] panics if it is that of another search.
    #[track_caller]
    pub fn resume(self, file: impl AsRef<str>) -> Checker {
        demand(self.try_resume(file))
    }
    /// The same.
    ///
    /// # Errors
    /// If there is no such file. [`Checker::try_run`] has an error if it is that of another search.
    pub fn try_resume(mut self, file: impl AsRef<str>) -> Result<Checker, CheckError> {
        self.check.resume = Some(read_search(file.as_ref()).map_err(CheckError::Resume)?);
        Ok(self)
    }
    /// Names the test, for tickets.
    pub fn name(mut self, name: impl Into<String>) -> Checker {
        self.check.test = Some(name.into());
        self
    }
    /// Names the test as the harness does: by the path to it without the name of its crate.
    pub(crate) fn without_crate_name(mut self) -> Checker {
        let rest = |path: String| path.split_once("::").map(|(_, rest)| rest.to_owned()).unwrap_or(path);
        self.check.test = self.check.test.map(rest);
        self
    }

    /// A setting without effect is a mistake. The order of settings does not matter.
    fn settle(&mut self) -> Result<(), DoesNotApply> {
        let (kind, is_replay) = (self.check.kind, self.check.replay.is_some());
        let mistake = |is_set: bool, setting, applies_to| match is_set {
            true => Err(DoesNotApply { setting, applies_to }),
            false => Ok(()),
        };
        let is_sampled = kind.is_sampled() && !is_replay;
        mistake(self.sampler.is_some() && !is_sampled, "sampler", "random schedules")?;
        let is_drawn = kind.draws() && !is_replay;
        mistake(self.seed.is_some() && !is_drawn, "seed", "random schedules")?;
        let is_reduced = kind.is_reduced() && !is_replay;
        mistake(self.settings.observers.is_some() && !is_reduced, "observers", "exhaustive searches")?;
        let can_grow = kind.can_grow() && !is_replay;
        mistake(self.check.growing && !can_grow, "preemptions_up_to", "exhaustive and depth-first searches")?;
        mistake(!self.check.bounds.is_none() && is_replay, "a bound", "searches")?;
        mistake(self.check.resume.is_some() && is_replay, "resume", "searches")?;
        mistake(self.memory.is_some() && is_replay, "memory", "searches")?;
        let is_bounded = self.settings.stale_reads.is_some();
        let has_none = is_replay || self.memory == Some(Memory::Sc);
        mistake(is_bounded && has_none, "stale_reads", "searches under weak memory models")?;
        mistake(self.heap.is_some() && is_replay, "heap", "searches")?;
        if let Some(sampler) = self.sampler {
            self.check.kind = SearchKind::Sampled(sampler);
        }
        self.check.seed = self.seed.unwrap_or(self.check.seed);
        Ok(())
    }

    /// Atomics follow the model that was set, or the usual one of this search.
    fn follow_memory(&mut self) {
        if self.check.replay.is_some() {
            return;
        }
        let usual = match self.check.kind {
            SearchKind::Dfs | SearchKind::PreemptionBounding => None,
            _ => Some(Memory::Auto),
        };
        match self.memory.or(usual).map(|memory| memory.model()) {
            Some(Some(model)) => {
                self.settings.memory = model;
                self.settings.names_orderings = model == Model::Sc;
            }
            Some(None) => self.settings.auto = Some(AutoMemory::default()),
            None => {}
        }
    }

    /// Under a weak model a destructor that loads atomics synchronises with what dropped the other references. A failure
    /// that is found before that is known would be none, so all counts are operations from the start.
    #[cfg(feature = "arena")]
    fn count_under_weak_memory(&mut self) {
        if self.settings.memory != Model::Sc && self.check.replay.is_none() {
            self.settings.counted = raddle_native::Counted::all();
        }
    }

    /// Whether this search can follow the memory model.
    fn can_follow_memory(&self) -> Result<(), String> {
        let Settings { memory, spins, .. } = self.settings;
        if memory == Model::Sc {
            return Ok(());
        }
        if !raddle_native::alloc::is_installed() {
            return Err(format!(
                "the memory model {memory} needs raddle's allocator, since an atomic may be at the address of one that \
                 was freed; install it in the program under test: `#[global_allocator] static ALLOCATOR: \
                 raddle::alloc::Allocator = raddle::alloc::Allocator::new();`"
            ));
        }
        if spins == Spins::Await {
            return Err(format!(
                "Spins::Await does not know the memory model {memory}: a loop would wait for a store that it may read \
                 already; use Spins::Fair"
            ));
        }
        if self.check.kind == SearchKind::PreemptionBounding && self.check.replay.is_none() {
            return Err(format!(
                "preemption-bounding does not know the memory model {memory} yet; use exhaustive, iterative, dfs or a \
                 sampler, such as random"
            ));
        }
        if self.settings.observers.is_some() {
            return Err(format!("observers do not know the memory model {memory} yet; leave them out"));
        }
        Ok(())
    }

    /// Explores `f` and reports what was found.
    ///
    /// # Panics
    /// Where [`Checker::try_run`] has an error.
    #[track_caller]
    pub fn run<T, F>(self, f: F) -> Report<T>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        demand(self.try_run(f))
    }

    /// Explores `f` and reports what was found.
    ///
    /// # Errors
    /// If it is called inside of an exploration, if a setting does not apply to this kind of search, if an environment
    /// variable makes no sense, or if the search to resume is another one.
    pub fn try_run<T, F>(self, f: F) -> Result<Report<T>, CheckError>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        // SAFETY: all outcomes of this check are made of a `T` here.
        let body = || unsafe { Outcome::new(f()) };
        let report = self.explore(&body)?;
        // SAFETY: as above.
        Ok(report.map_outcomes(|outcome| unsafe { outcome.into_inner() }))
    }

    /// The same without the types of the program.
    fn explore<'f>(mut self, body: &'f Body<'f>) -> Result<Report<Outcome<'f>>, CheckError> {
        if raddle_native::is_exploring() {
            if let Some(observer) = observer::get() {
                observer.explicit_check();
            }
            return Err(CheckError::Nested);
        }
        if self.check.test.is_none() {
            self.check.test = name_of_test();
        }
        self.settle()?;
        if self.settings.stack_size > LARGEST_STACK {
            let most = LARGEST_STACK >> 20;
            return Err(CheckError::OutOfRange(format!("stacks have at most {most} MB each")));
        }
        environment::apply_own(&mut self).map_err(CheckError::Environment)?;
        self.follow_memory();
        self.can_follow_memory().map_err(CheckError::Memory)?;
        self.settle_heap()?;
        #[cfg(feature = "arena")]
        self.count_under_weak_memory();
        if let Some(left) = observer::get().and_then(|o| o.time_left()) {
            self.check.budget.time.get_or_insert(left);
        }
        // A front end that explores the checks of others stores their tickets.
        let writes = self.check.replay.is_none() && observer::get().is_none();
        let listening = Arc::new(Listening::new(self.check.test.clone(), writes));
        let program = RustProgram::new(body, self.settings);
        let checked =
            program.check(&self.check, listening.clone()).map_err(|error| match self.resumed_by {
                Some(variable) => CheckError::Environment(format!("{variable}: {error}")),
                None => CheckError::Resume(error),
            })?;
        let stopped = listening.finish(checked.left.as_deref());
        if let Some(observer) = observer::get() {
            observer.checked(&checked.coverage, checked.statistics.steps, checked.failure());
        }
        let (ticket_file, ticket_error) = match listening.ticket() {
            Some(Ok(path)) => (Some(path), None),
            Some(Err(error)) => (None, Some(error)),
            None => (None, None),
        };
        let elapsed = Some(checked.statistics.elapsed);
        let run =
            Run { ticket_file, ticket_error, elapsed, earlier: checked.stages.clone(), ..Run::default() };
        Ok(Report::new(checked, run, stopped))
    }

    /// The same, but uninteresting results are dropped as they come: all those for which `keep` returns `false` are
    /// counted together, as `None`. A long search with many different results needs little memory then.
    ///
    /// ```
    /// use raddle::Checker;
    /// let report = Checker::dfs().run_keeping(|n| *n > 90, || raddle::choose(100));
    /// assert_eq!(report.outcomes().len(), 1 + 9);
    /// assert_eq!(report.outcomes()[&None], 91);
    /// ```
    ///
    /// # Panics
    /// As [`Checker::run`].
    #[track_caller]
    pub fn run_keeping<T, F, K>(self, keep: K, f: F) -> Report<Option<T>>
    where
        F: Fn() -> T + Send + Sync,
        K: Fn(&T) -> bool + Send + Sync,
        T: Ord + Debug + Send,
    {
        self.run(|| Some(f()).filter(&keep))
    }

    /// Explores `f` completely, whatever fails, and prints what always holds of it: see [`Report::findings`].
    ///
    /// # Panics
    /// As [`Checker::run`].
    #[track_caller]
    pub fn autocheck<T, F>(self, f: F) -> Report<T>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        let report = self.keep_going().run(f);
        println!("{}", report.findings());
        report
    }

    /// Explores `f`, and panics with the report if it fails. What `f` returns is dropped where it returns.
    ///
    /// # Panics
    /// If an execution fails, and as [`Checker::run`].
    #[track_caller]
    pub fn check<T, F>(self, f: F)
    where
        F: Fn() -> T + Send + Sync,
    {
        let report = self.run(|| drop(f()));
        if report.failure().is_some() {
            panic!("{}", report.for_terminal());
        }
        if report.search_file().is_some() && !report.is_interrupted() {
            eprintln!("{}", report.for_terminal());
        }
        end_if_interrupted(&report);
    }
}

/// Ends the process after Ctrl-C, and reports what was found until then.
pub(crate) fn end_if_interrupted<T: Debug>(report: &Report<T>) {
    if report.is_interrupted() {
        // Written directly to the channel: a test harness captures what is printed, and the process is about to end.
        let _ = writeln!(std::io::stderr(), "{}", report.for_terminal());
        Interrupt::end_process_if_requested();
    }
}

/// Panics with an error, at the caller's place: a closure would have its own.
#[track_caller]
fn demand<T>(result: Result<T, CheckError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("raddle: {error}"),
    }
}

/// The test harness names its threads after their tests.
fn name_of_test() -> Option<String> {
    std::thread::current().name().filter(|n| *n != "main").map(str::to_owned)
}
