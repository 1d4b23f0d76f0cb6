//! What to explore and how: the settings of one check.

use crate::environment;
use crate::listener::Listening;
use crate::observer::{self, Seen};
use crate::report::Report;
use crate::resume;
use crate::tickets;
use raddle_core::clock::Time;
use raddle_core::search::{
    Budget, Counted, Findings, LazySettings, Listener, NoListener, OnFailure, Plan, search,
    search_iteratively,
};
use raddle_core::simplify::simplify;
use raddle_core::strategy::{
    Bounded, Bounds, Dfs, Optimal, PreemptionBounding, Replay, Sampler, Strategy, Within,
};
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Extent, Failure, FailureKind};
use raddle_native::{Detached, Interrupt, NativeWorld, Observers, Settings, Spins};
use raddle_report::Run;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which strategy makes the choices.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// Every behaviour.
    Exhaustive,
    /// Every interleaving, without any reduction.
    Dfs,
    /// The same, those with few preemptions first, as Concuerror did it.
    PreemptionBounding,
    /// So many random schedules.
    Random(u64),
    /// One prescribed schedule.
    Replay(Box<Ticket>),
}

/// The setting of tickets that says how many steps an execution may take.
const STEPS: &str = "steps";

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
    pub(crate) choice: Choice,
    pub(crate) seed: u64,
    pub(crate) sampler: Sampler,
    pub(crate) simplify: bool,
    pub(crate) bounds: Bounds,
    /// The bound on preemptions grows, up to this.
    pub(crate) up_to: Option<u32>,
    /// It begins with this bound, and after what was found before.
    pub(crate) round: u32,
    pub(crate) earlier: Counted,
    pub(crate) plan: Plan,
    pub(crate) settings: Settings,
    /// The reduction cannot decide anything.
    #[cfg(test)]
    doubts: bool,
}

impl Checker {
    fn new(choice: Choice) -> Checker {
        let plan = Plan::default();
        let (seed, sampler, settings) = (0, Sampler::default(), Settings::default());
        let (bounds, up_to, round, earlier) = (Bounds::default(), None, 0, Counted::default());
        Checker {
            choice,
            seed,
            sampler,
            simplify: true,
            bounds,
            up_to,
            round,
            earlier,
            plan,
            settings,
            #[cfg(test)]
            doubts: false,
        }
    }
    /// Explores every behaviour.
    pub fn exhaustive() -> Checker {
        Checker::new(Choice::Exhaustive)
    }
    /// Explores every behaviour, those with few preemptions first: the first failure has the fewest.
    ///
    /// ```
    /// use raddle::Checker;
    /// let report = Checker::iterative().run(|| raddle::choose(3));
    /// assert!(report.coverage().is_exhaustive());
    /// ```
    pub fn iterative() -> Checker {
        Checker::exhaustive().preemptions_up_to(u32::MAX)
    }
    /// Explores every interleaving, without any reduction.
    pub fn dfs() -> Checker {
        Checker::new(Choice::Dfs)
    }
    /// Explores every interleaving, without any reduction and those with few preemptions first: preemption bounding with
    /// blocking avoidance as Concuerror did it first. [`Checker::preemptions`] sets the largest bound.
    pub fn preemption_bounding() -> Checker {
        Checker::new(Choice::PreemptionBounding)
    }
    /// Explores `schedules` random schedules, drawn by a portfolio of strategies unless [`Checker::sampler`] names
    /// another one.
    pub fn random(schedules: u64) -> Checker {
        Checker::new(Choice::Random(schedules))
    }
    /// Replays one schedule: `ticket` is the text of a ticket, or the path of a file with one.
    ///
    /// # Panics
    /// If it is neither.
    #[track_caller]
    pub fn replay(ticket: impl AsRef<str>) -> Checker {
        match tickets::read(ticket.as_ref()) {
            Ok(ticket) => Checker::replay_ticket(ticket),
            Err(error) => panic!("raddle: {error}"),
        }
    }
    /// Replays one schedule.
    ///
    /// # Panics
    /// If the ticket has a setting that this version does not know.
    #[track_caller]
    pub fn replay_ticket(ticket: Ticket) -> Checker {
        let mut checker = Checker::exhaustive();
        if let Err(error) = checker.follow(ticket) {
            panic!("raddle: {error}");
        }
        checker
    }
    /// Replays `ticket` under its own settings.
    pub(crate) fn follow(&mut self, ticket: Ticket) -> Result<(), String> {
        let mut words = ticket.settings.clone();
        if let Some(steps) = words.remove(STEPS) {
            self.plan.budget.steps =
                steps.parse().map_err(|_| format!("the ticket's setting `{STEPS}={steps}` is no number"))?;
        }
        self.settings.apply(&words)?;
        self.choice = Choice::Replay(Box::new(ticket));
        self.without_bounds();
        Ok(())
    }
    /// Sets the seed of random choices; 0 if it is not set.
    pub fn seed(mut self, seed: u64) -> Checker {
        self.seed = seed;
        self
    }
    /// Sets which strategy draws random schedules.
    pub fn sampler(mut self, sampler: Sampler) -> Checker {
        self.sampler = sampler;
        self
    }
    /// Sets whether the schedule of a failure that sampling or a reduction found is made easier to read: the same
    /// behaviour with fewer preemptions and without steps that do not matter. It is, if this is not called.
    pub fn simplify(mut self, yes: bool) -> Checker {
        self.simplify = yes;
        self
    }
    /// Sets how many operating-system threads explore.
    pub fn workers(mut self, workers: usize) -> Checker {
        self.plan.workers = workers.max(1);
        self
    }
    /// Explores only executions with at most so many preemptions. Bounds combine; none of them loses anything inside.
    pub fn preemptions(mut self, most: u32) -> Checker {
        (self.bounds.preemptions, self.up_to) = (Some(most), None);
        self
    }
    /// Explores executions without preemptions first, then those with one, and so on up to `most`, until something
    /// fails or everything has been explored. So the first failure has the fewest preemptions.
    pub fn preemptions_up_to(mut self, most: u32) -> Checker {
        (self.bounds.preemptions, self.up_to) = (None, Some(most));
        self
    }
    /// Explores only executions in which no task gives way (`yield_now`, `spin_loop`) more often than others that
    /// could move, by more than this: the fair bound of Musuvathi and Qadeer.
    pub fn yield_bound(mut self, most: u32) -> Checker {
        self.bounds.yields = Some(most);
        self
    }
    /// Explores only executions of at most so many steps. Longer ones are left out; they do not fail, as they do with
    /// [`Checker::max_steps`].
    pub fn step_bound(mut self, most: usize) -> Checker {
        self.bounds.steps = Some(most);
        self
    }
    fn without_bounds(&mut self) {
        (self.bounds, self.up_to) = (Bounds::default(), None);
    }
    /// Sets how many steps an execution may take before it fails.
    pub fn max_steps(mut self, steps: usize) -> Checker {
        self.plan.budget.steps = steps;
        self
    }
    /// Stops after so many executions.
    pub fn max_executions(mut self, executions: u64) -> Checker {
        self.plan.budget.executions = Some(executions);
        self
    }
    /// Sets when timers may fire.
    pub fn time(mut self, time: Time) -> Checker {
        self.settings.time = time;
        self
    }
    /// Stops after this long.
    pub fn time_limit(mut self, limit: Duration) -> Checker {
        self.plan.budget.time = Some(limit);
        self
    }
    /// Counts failures and goes on, instead of stopping at the first.
    pub fn keep_going(mut self, yes: bool) -> Checker {
        self.plan.on_failure = if yes { OnFailure::KeepGoing } else { OnFailure::Stop };
        self
    }
    /// Allows so many spurious wake-ups and spurious failures of weak compare-exchanges in an execution.
    pub fn spurious(mut self, most: u32) -> Checker {
        self.settings.spurious = most;
        self
    }
    /// Sets what becomes of tasks that nobody joined when main returns.
    pub fn detached(mut self, detached: Detached) -> Checker {
        self.settings.detached = detached;
        self
    }
    /// Leaves the order of messages open that nobody receives, of channels without bound: executions that differ only in
    /// that are the same, and one of them is explored. Where all messages are received this changes nothing, and where
    /// the first of many answers is taken it saves most of the work. Only matters to [`Checker::exhaustive`].
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
    /// assert_eq!(Checker::exhaustive().observers(true).run(first_of_three).executions(), 3);
    /// ```
    pub fn observers(mut self, yes: bool) -> Checker {
        self.settings.observers = yes.then(Observers::default);
        self
    }
    /// Sets the size of tasks' stacks, in bytes.
    pub fn stack_size(mut self, bytes: usize) -> Checker {
        self.settings.stack_size = bytes;
        self
    }
    /// Sets how many identical rounds a waiting loop may take while others could run: [`Spins::Fair`].
    pub fn spin_rounds(self, rounds: u32) -> Checker {
        self.spins(Spins::Fair(rounds))
    }
    /// Sets what becomes of loops that wait.
    pub fn spins(mut self, spins: Spins) -> Checker {
        self.settings.spins = spins;
        self
    }
    /// Goes on where the same search was stopped by Ctrl-C or a time limit; `file` is what it has written then. Comes
    /// behind all other settings.
    ///
    /// # Panics
    /// If there is no such file, or if it is that of another search.
    #[track_caller]
    pub fn resume(mut self, file: impl AsRef<str>) -> Checker {
        if let Err(error) = resume::read(file.as_ref()).and_then(|saved| self.go_on(saved)) {
            panic!("raddle: {error}");
        }
        self
    }
    /// Names the test, for tickets.
    pub fn name(mut self, name: impl Into<String>) -> Checker {
        self.plan.test = Some(name.into());
        self
    }
    /// Names the test as the harness does: by the path to it without the name of its crate.
    pub(crate) fn without_crate_name(mut self) -> Checker {
        let rest = |path: String| path.split_once("::").map(|(_, rest)| rest.to_owned()).unwrap_or(path);
        self.plan.test = self.plan.test.map(rest);
        self
    }

    /// The strategy within `bounds`, where executions with at most `explored` preemptions are known.
    fn strategy(&self, mut bounds: Bounds, explored: Option<u32>) -> Box<dyn Strategy> {
        #[cfg(test)]
        if self.doubts && matches!(self.choice, Choice::Exhaustive) {
            return Box::new(tests::Doubts { asked: false });
        }
        let inside: Box<dyn Strategy> = match &self.choice {
            Choice::Exhaustive if bounds.is_none() => return Optimal::boxed(),
            Choice::Exhaustive => return Box::new(Bounded::new(bounds).beyond(explored)),
            Choice::Dfs => Box::new(Dfs::new()),
            Choice::PreemptionBounding => {
                Box::new(PreemptionBounding::new(bounds.preemptions.take().or(self.up_to)))
            }
            Choice::Random(_) => self.sampler.strategy(self.seed),
            Choice::Replay(ticket) => Box::new(Replay::new(ticket)),
        };
        if bounds.is_none() { inside } else { Box::new(Within::new(bounds, explored, inside)) }
    }

    /// The settings that shape executions, for tickets.
    pub(crate) fn words(&self) -> BTreeMap<String, String> {
        words(&self.settings, self.plan.budget.steps)
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan { keeps_left: false, ..self.plan.clone() };
        let (settings, steps) = (self.settings.clone(), plan.budget.steps);
        plan.settings = LazySettings::found_by(move || words(&settings, steps));
        if let Choice::Replay(ticket) = &self.choice {
            plan.expected = Some(Arc::new((**ticket).clone()));
        }
        if let Choice::Random(schedules) = self.choice {
            let Budget { executions, .. } = &mut plan.budget;
            *executions = Some(executions.unwrap_or(u64::MAX).min(schedules));
        }
        plan
    }

    /// Explores `f` and reports what was found.
    ///
    /// # Panics
    /// If it is called inside of an exploration, or if an environment variable makes no sense.
    #[track_caller]
    pub fn run<T, F>(mut self, f: F) -> Report<T>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        if raddle_native::is_exploring() {
            if let Some(observer) = observer::get() {
                observer.explicit_check();
            }
            panic!("raddle: a check inside of a check; explore one program at a time");
        }
        if self.plan.test.is_none() {
            self.plan.test = name_of_test();
        }
        // Others may run clones of this checker at the same time.
        self.settings.observers = self.settings.observers.map(|observers| observers.fork());
        if let Err(error) = environment::apply_own(&mut self) {
            panic!("raddle: {error}");
        }
        if let Some(left) = observer::get().and_then(|o| o.time_left()) {
            self.plan.budget.time.get_or_insert(left);
        }
        // Whoever runs the checks of others keeps their tickets.
        let writes = !matches!(self.choice, Choice::Replay(_)) && observer::get().is_none();
        let begun = Instant::now();
        let listening = Arc::new(Listening::new(self.plan.test.clone(), writes));
        let mut findings = self.search(&f, listening.clone());
        let open = findings.undecided + self.earlier.undecided > 0;
        if open && findings.through && findings.failures == 0 {
            // The reduction has met what it cannot decide: the slow and obvious search does, from the start.
            self.choice = Choice::Dfs;
            self.begin_anew();
            self.plan.budget.time = self.plan.budget.time.map(|limit| limit.saturating_sub(begun.elapsed()));
            findings = self.search(&f, listening.clone());
        }
        let has_time = self.plan.budget.time.is_none_or(|limit| begun.elapsed() < limit);
        let is_stopped = writes && (findings.interrupted || !has_time);
        let stopped = if is_stopped { self.save(&mut findings) } else { None };
        let before = resume::add(&self.earlier, &mut findings);
        if let (0, Extent::Within(bounds)) = (findings.executions, &findings.coverage.extent) {
            // True of all of them, but not what anybody wants to hear.
            let words = format!("no execution comes to an end within {}", bounds.join(" and "));
            findings.coverage.extent = Extent::Partial(words);
        }
        if matches!(self.choice, Choice::Random(_)) {
            let words = self.bounds.words().into_iter().map(|bound| format!("within {bound}"));
            findings.coverage.assumptions.splice(0..0, words);
        }
        if let Some(failure) = &mut findings.failure {
            let comes_back = self.replay_once(&f, failure);
            if comes_back
                && self.simplify
                && self.may_have_a_simpler_schedule()
                && let Some(simple) = self.simpler(&f, failure)
            {
                *failure = simple;
                listening.failed(failure);
            }
        }
        if let Some(observer) = observer::get() {
            let (coverage, failure) = (findings.coverage.clone(), findings.failure.clone());
            observer.seen(Seen { coverage, steps: findings.steps, failure });
        }
        let ticket_file = match listening.ticket() {
            Some(Ok(path)) => Some(path),
            Some(Err(error)) => {
                if let Some(failure) = &mut findings.failure {
                    failure.afterwards.push(error);
                }
                None
            }
            None => None,
        };
        let run = Run { ticket_file, elapsed: Some(begun.elapsed()), replay: None };
        Report::new(findings, run).with_earlier(before, stopped)
    }

    /// The same, where results that are not interesting are dropped as they come: all those for which `keep` says
    /// no are counted together, as `None`. A long search with many different results needs little memory then.
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

    /// Explores `f` to its end, whatever fails, and prints what always holds of it: see [`Report::findings`].
    ///
    /// # Panics
    /// As [`Checker::run`].
    #[track_caller]
    pub fn autocheck<T, F>(self, f: F) -> Report<T>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        let report = self.keep_going(true).run(f);
        println!("{}", report.findings());
        report
    }

    /// Explores `f`, and begins anew where something was taken for granted that does not hold.
    fn search<T, F>(&mut self, f: &F, listener: Arc<dyn Listener>) -> Findings<T>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        if !matches!(self.choice, Choice::Exhaustive) {
            self.settings.observers = None;
        }
        if self.settings.observers.is_none() {
            return self.search_once(f, listener);
        }
        let begun = Instant::now();
        let mut found = self.search_once(f, listener.clone());
        while self.settings.observers.as_ref().is_some_and(Observers::learn) {
            // What it has found is true all the same.
            found.left = None;
            if found.failure.is_some() && self.plan.on_failure == OnFailure::Stop || found.interrupted {
                break;
            }
            self.begin_anew();
            let mut rest = self.clone();
            rest.plan.budget.time = rest.plan.budget.time.map(|limit| limit.saturating_sub(begun.elapsed()));
            found = rest.search_once(f, listener.clone());
        }
        found
    }

    /// Nothing that an earlier part of the search did counts any more.
    fn begin_anew(&mut self) {
        (self.round, self.earlier) = (0, Counted::default());
        (self.plan.counted, self.plan.explored, self.plan.left) = (0, 0.0, None);
    }

    fn search_once<T, F>(&self, f: &F, listener: Arc<dyn Listener>) -> Findings<T>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        let make = || NativeWorld::new(f, self.settings.clone());
        match self.up_to {
            // Sampling and replays have no rounds.
            Some(most) if matches!(self.choice, Choice::Exhaustive | Choice::Dfs) => {
                let strategy = |bound, explored| {
                    let bounds = Bounds { preemptions: Some(bound), ..self.bounds };
                    self.strategy(bounds, explored)
                };
                search_iteratively(&self.plan(), self.round..=most, strategy, make, listener)
            }
            _ => search(&self.plan(), self.strategy(self.bounds, None), make, listener),
        }
    }

    /// Whether the first failure need not be one of those with few preemptions.
    fn may_have_a_simpler_schedule(&self) -> bool {
        match self.choice {
            Choice::Random(_) => true,
            Choice::Exhaustive => self.up_to.is_none(),
            Choice::Dfs | Choice::PreemptionBounding | Choice::Replay(_) => false,
        }
    }

    /// The same failure in a schedule that is easier to read, if there is one.
    fn simpler<T, F>(&self, f: &F, failure: &Failure) -> Option<Failure>
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        let plan = Plan { left: None, counted: 0, ..self.plan() };
        simplify(&plan, failure, || NativeWorld::new(f, self.settings.clone()))
    }

    /// A failure that its own ticket does not bring back says so. Says whether it does.
    fn replay_once<T, F>(&self, f: &F, failure: &mut Failure) -> bool
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        let replayed = matches!(self.choice, Choice::Replay(_));
        if replayed || matches!(failure.kind(), FailureKind::NotDeterministic | FailureKind::Misuse) {
            return false;
        }
        let mut again = self.clone();
        again.choice = Choice::Replay(Box::new(failure.ticket.clone()));
        again.without_bounds();
        (again.plan.left, again.plan.counted) = (None, 0);
        again.plan.workers = 1;
        let defect = again.search(f, Arc::new(NoListener)).failure.map(|f| f.defect);
        let same = defect.as_ref().is_some_and(|d| d.kind == failure.defect.kind);
        if !same {
            let found = defect.map_or("no failure".to_owned(), |d| format!("{}: {}", d.kind, d.message));
            failure.afterwards.push(format!("replaying this ticket once gave another result ({found})"));
        }
        same
    }

    /// Explores `f`, and panics with the report if it fails.
    #[track_caller]
    pub fn check<T, F>(self, f: F)
    where
        F: Fn() -> T + Send + Sync,
        T: Ord + Debug + Send,
    {
        let report = self.run(f);
        if report.failure().is_some() {
            panic!("{report}");
        }
        if report.search_file().is_some() && !report.is_interrupted() {
            eprintln!("{report}");
        }
        end_if_interrupted(&report);
    }
}

/// Ends the process if somebody pressed Ctrl-C, and says what was found until then.
pub(crate) fn end_if_interrupted<T: Debug>(report: &Report<T>) {
    if report.is_interrupted() {
        // Straight to the channel: a test harness keeps what is printed, and the process is about to end.
        let _ = writeln!(std::io::stderr(), "{report}");
        Interrupt::end_process_if_requested();
    }
}

fn words(settings: &Settings, steps: usize) -> BTreeMap<String, String> {
    let mut words = settings.to_words();
    words.insert(STEPS.to_owned(), steps.to_string());
    words
}

/// The test harness names its threads after the tests that run on them.
fn name_of_test() -> Option<String> {
    std::thread::current().name().filter(|n| *n != "main").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::strategy::{Decision, Next};
    use raddle_core::trace::Trace;
    use raddle_core::world::Point;

    /// A reduction that cannot tell how to go on.
    pub(super) struct Doubts {
        pub asked: bool,
    }

    impl Strategy for Doubts {
        fn begin(&mut self, _: u64) -> Next {
            if std::mem::replace(&mut self.asked, true) { Next::Exhausted } else { Next::From(0) }
        }
        fn choose(&mut self, _: &Trace, _: &Point<'_>) -> Decision {
            Decision::UNDECIDED
        }
        fn extent(&self, _: u64) -> Extent {
            Extent::Exhaustive
        }
    }

    /// Where the reduction cannot decide, depth-first search does, from the start, and the verdict is its own.
    #[test]
    fn what_the_reduction_cannot_decide() {
        let program = || {
            let two = raddle_native::thread::spawn(|| raddle_native::choice::choose(3));
            raddle_native::choice::choose(2) * 10 + two.join().unwrap()
        };
        let mut checker = Checker::exhaustive();
        checker.doubts = true;
        let report = checker.clone().run(program);
        assert_eq!(report.outcomes().len(), 6);
        assert!(report.coverage().is_exhaustive(), "{}", report.coverage());
        assert_eq!(report.executions(), Checker::dfs().run(program).executions());
        // A limit is no reason to begin anew.
        let report = checker.max_executions(0).run(program);
        assert_eq!(report.executions(), 0);
        assert!(!report.coverage().is_exhaustive(), "{}", report.coverage());
    }
}
