//! Explores one test within its time, and says at once what is known of it: the process may be ended before the verdict.
//! A test that explores by itself is executed as it is, and the verdict is that of its own checks.

use crate::protocol::{Explored, Message, ORDER, Order, Outcome};
use crate::real::{TestDescAndFn, TestFn};
use crate::statics;
use crate::answer_file::say;
use crate::verdict::{self, Body};
use crate::{determinism_probe, long, memory};
use raddle::observer::{self, Observer};
use raddle::{Checked, Checker, Coverage, Failure, FailureKind, Heap, SearchKind};
use raddle_core::search::{Budget, Progress, Saved};
use raddle_core::suppressions::Suppressions;
use raddle::{callers, expected, outside};
use raddle_terminal::{SearchFile, SearchKeeper};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The file of the search of this process.
static SEARCH: OnceLock<SearchKeeper> = OnceLock::new();

/// Explores the test that the order names and answers with an outcome.
pub fn explore(tests: &[&TestDescAndFn], order: &str) {
    let order: Order = match serde_json::from_str(order) {
        Ok(order) => order,
        Err(error) => panic!("raddle: {ORDER} is no order: {error}"),
    };
    let found = tests.iter().find(|t| t.desc.name.as_slice() == order.test);
    let Some(TestDescAndFn { desc, testfn: TestFn::StaticTestFn(body) }) = found else {
        panic!("raddle: there is no test {} in this program", order.test);
    };
    if let Some(path) = order.search_file.clone() {
        let _ = SEARCH.set(SearchKeeper::new(move || Ok(path.clone())));
    }
    say(&Message::Begun);
    let recorder = Box::leak(Box::new(SearchRecorder {
        explicit: AtomicBool::new(false),
        order: order.clone(),
        explicit_checks: Mutex::new(None),
        until: order.budget.map(|ms| Instant::now() + Duration::from_millis(ms)),
        patience: Duration::from_millis(order.patience),
    }));
    observer::set(recorder);
    statics::keep();
    memory::prepare(order.arena);
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    outside::on_each_thread(shadow_std::system::dispatch::watch_this_thread);
    outside::take_over(order.beginning);
    if order.replay.is_some() {
        callers::gather();
    }
    let program = || verdict::run(*body, desc);
    expected::allow_panics_of_threads(order.thread_panics || verdict::should_panic(desc));
    let mut outcome = match explored(&order, recorder, &program) {
        _ if recorder.is_explicit() => by_itself(&order, recorder, *body, desc),
        Ok(searches) => searches.into_outcome(&order),
        Err(refused) => Outcome { refused: Some(refused), ..Searches::default().into_outcome(&order) },
    };
    if let Some(failure) = outcome.failure.as_mut().filter(|f| !outcome.explicit && f.kind().is_limit_of_exploring()) {
        // Its steps, which may be very many, are not shown.
        failure.record = Default::default();
        failure.ticket.steps.clear();
    }
    say(&Message::Done(Box::new(outcome.packed())));
}

/// Explores the test as the order says, and whether the same schedules lead to the same steps again.
fn explored(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<Searches, String> {
    let alone = Order { workers: 1, ..order.clone() };
    let before = match order.replay {
        None => Some(determinism_probe::before(&alone, recorder, program)?),
        Some(_) => None,
    };
    // The same schedules are executed again at the end.
    let reserve = before.as_ref().map_or(Duration::ZERO, |before| before.took());
    let mut found = searches(order, recorder, reserve, program)?;
    if order.workers > 1
        && (statics::shared() || found.failed_with(FailureKind::NotDeterministic))
        && !recorder.is_explicit()
    {
        // The workers were in each other's way: one alone has the statics to itself, and the same addresses always.
        found = searches(&alone, recorder, reserve, program)?;
    }
    if let Some(before) = before
        && !recorder.is_explicit()
    {
        determinism_probe::confirm(&alone, recorder, program, &before, &mut found)?;
    }
    if order.replay.is_none() && order.max_steps.is_none() && found.failed_with(FailureKind::StepLimit) {
        // Too long for seeing everything; a few schedules still say something.
        if let Some(some) = long::explore(&alone, recorder, program)? {
            found = some;
        }
    }
    Ok(found)
}

/// What the stages of the search of one test found, in order; or the checks that it makes itself.
#[derive(Default)]
pub struct Searches(pub Vec<Search>);

/// What one stage found.
pub struct Search {
    pub coverage: Coverage,
    pub steps: u64,
    pub failure: Option<Failure>,
    /// The file with its unexplored subtrees, or why it could not be written.
    pub search_file: Option<SearchFile>,
}

impl Searches {
    fn of(checked: Checked<()>) -> Searches {
        let failure = checked.failure().cloned();
        let left = checked.left.as_deref().filter(|_| checked.executions() > 0);
        let search_file = SEARCH.get().and_then(|search| search.finish(left));
        let steps = checked.statistics.steps;
        let earlier = |coverage| Search { coverage, steps: 0, failure: None, search_file: None };
        let mut all: Vec<Search> = checked.stages.into_iter().map(earlier).collect();
        all.push(Search { coverage: checked.coverage, steps, failure, search_file });
        Searches(all)
    }
    /// One stage.
    pub fn one(search: Search) -> Searches {
        Searches(vec![search])
    }
    /// How many executions came to an end.
    pub fn executions(&self) -> u64 {
        self.0.iter().map(|search| search.coverage.executions).sum()
    }
    fn failure(&self) -> Option<&Failure> {
        self.0.iter().find_map(|search| search.failure.as_ref())
    }
    pub fn failed(&self) -> bool {
        self.failure().is_some()
    }
    pub fn failed_with(&self, kind: FailureKind) -> bool {
        self.failure().is_some_and(|failure| failure.kind() == kind)
    }
    fn into_outcome(self, order: &Order) -> Outcome {
        let failure = self.failure().cloned();
        let explored = |search: Search| {
            let mut coverage = search.coverage;
            coverage.assumptions.extend(memory::assumption());
            Explored { coverage, steps: search.steps, search_file: search.search_file }
        };
        let explored = self.0.into_iter().map(explored).collect();
        Outcome {
            explored,
            failure,
            complaint: None,
            refused: None,
            explicit: false,
            ticket: None,
            max_steps: max_steps(order),
        }
    }
}

/// How many steps an execution may take.
fn max_steps(order: &Order) -> usize {
    order.max_steps.unwrap_or(Budget::default().steps)
}

/// Carries the order out, and leaves `reserve` of its time. An order that makes no sense is refused.
fn searches(
    order: &Order,
    recorder: &SearchRecorder,
    reserve: Duration,
    program: &(dyn Fn() + Sync),
) -> Result<Searches, String> {
    if let Some(ticket) = &order.replay {
        return search(order, Checker::replay(ticket), program);
    }
    let kind: SearchKind = order.strategy.parse()?;
    let mut checker = Checker::random(order.schedules).kind(kind);
    if kind.draws() {
        checker = checker.seed(order.seed);
    }
    if let Some(left) = recorder.left() {
        checker = checker.time_limit(left.saturating_sub(reserve));
    }
    search(order, checker, program)
}

pub fn search(order: &Order, search: Checker, program: &(dyn Fn() + Sync)) -> Result<Searches, String> {
    checker(order, search, |checker| Searches::of(checker.run(program).into_checked()))
}

/// Does something with a checker that has the order's settings.
pub fn checker<R>(order: &Order, checker: Checker, run: impl FnOnce(Checker) -> R) -> Result<R, String> {
    let mut checker = checker.workers(order.workers).name(order.test.as_str());
    // As std has it.
    let stack = std::env::var("RUST_MIN_STACK").ok().and_then(|size| size.parse().ok());
    if let Some(stack) = stack {
        checker = checker.stack_size(stack);
    }
    if let Some(suppressions) = order.races.as_ref().filter(|_| order.arena) {
        checker = checker.judge_plain_memory(Suppressions::parse(suppressions)?);
    }
    if order.replay.is_none() {
        checker = checker.spurious(order.spurious).time(order.time);
        checker = checker.checkpoint(Duration::from_millis(order.checkpoint));
        checker = checker.heap(match order.heap && order.arena {
            true => Heap::On,
            false => Heap::Off,
        });
        if let Some(memory) = &order.memory {
            checker = checker.memory(memory.parse()?);
        }
        if let Some(most) = order.stale_reads {
            checker = checker.stale_reads(most);
        }
        if order.track_arc {
            checker = checker.count_all_references();
        }
        if order.keep_going {
            checker = checker.keep_going();
        }
        if let Some(file) = &order.resume {
            checker = checker.resume(file);
        }
        if let Some(executions) = order.executions {
            checker = checker.max_executions(executions);
        }
        if let Some(steps) = order.max_steps {
            checker = checker.max_steps(steps);
        }
        if let Some(most) = order.preemptions {
            checker = checker.preemptions(most);
        }
    }
    // What the checker itself refuses is a panic; what the program does is a finding.
    match catch_unwind(AssertUnwindSafe(|| run(checker))) {
        Ok(result) => Ok(result),
        Err(payload) => Err(verdict::said(&*payload).unwrap_or("an unknown panic").to_owned()),
    }
}

/// Executes a test that explores by itself.
fn by_itself(order: &Order, recorder: &SearchRecorder, body: Body, desc: &crate::real::TestDesc) -> Outcome {
    *recorder.explicit_checks.lock().unwrap() = Some(Searches::default());
    expected::allow_panics_of_threads(false);
    statics::let_go();
    memory::let_go();
    outside::let_go();
    let run = || catch_unwind(AssertUnwindSafe(|| verdict::run(body, desc)));
    // Checks name themselves after the thread, as under the usual harness.
    let result = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name(order.test.clone())
            .spawn_scoped(scope, run)
            .expect("a thread")
            .join()
    });
    let complaint = match result {
        Ok(Ok(())) => None,
        Ok(Err(payload)) | Err(payload) => {
            Some(verdict::said(&*payload).unwrap_or("the test panicked").to_owned())
        }
    };
    let checks = recorder.explicit_checks.lock().unwrap().take().unwrap_or_default();
    let outcome = Outcome { explicit: true, ..checks.into_outcome(order) };
    match complaint {
        // A check whose failure the test expects is no failure of the test.
        None => Outcome { failure: None, ..outcome },
        Some(_) if outcome.failure.is_some() => outcome,
        Some(complaint) => outcome.complaining(complaint),
    }
}

/// Hears of what happens in this process that no check of the harness returns: checks that the test makes itself, and
/// that it needs the real world.
pub struct SearchRecorder {
    explicit: AtomicBool,
    /// The results of the checks of the test itself, if it explores by itself.
    explicit_checks: Mutex<Option<Searches>>,
    order: Order,
    until: Option<Instant>,
    patience: Duration,
}

impl SearchRecorder {
    /// The test explores by itself.
    pub fn is_explicit(&self) -> bool {
        self.explicit.load(Ordering::SeqCst)
    }
    /// How much of the time of the test is left; none if there is no limit.
    pub fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }
}

impl Observer for SearchRecorder {
    fn explicit_check(&self) {
        if !self.explicit.swap(true, Ordering::SeqCst) {
            say(&Message::Explicit);
        }
    }
    fn tick(&self, progress: &Progress) {
        say(&Message::Progress(*progress));
    }
    fn covered(&self, coverage: &Coverage, steps: u64) {
        if !self.is_explicit() {
            let mut coverage = coverage.clone();
            coverage.assumptions.extend(memory::assumption());
            say(&Message::Covered(Box::new(Explored { coverage, steps, search_file: None })));
        }
    }
    fn checkpoint(&self, saved: &Saved) {
        if let (false, Some(search)) = (self.is_explicit(), SEARCH.get()) {
            search.checkpoint(saved);
        }
    }
    fn failed(&self, failure: &Failure) {
        // What is only a limit of exploring may have very many steps, and is not the last word.
        if !self.is_explicit() && !failure.kind().is_limit_of_exploring() {
            let failure = Some(failure.clone());
            let known = Outcome { failure, ..Searches::default().into_outcome(&self.order) };
            say(&Message::Failed(Box::new(known.packed())));
        }
    }
    fn stuck(&self, words: &str) {
        say(&Message::Stuck { words: words.to_owned() });
    }
    fn outside(&self, what: &str) -> ! {
        say(&Message::Outside { what: what.to_owned() });
        // SAFETY: ends the process, and nothing else: the exit handlers of the program must not be called.
        unsafe { libc::_exit(2) }
    }
    fn checked(&self, coverage: &Coverage, steps: u64, failure: Option<&Failure>) {
        if let Some(checks) = &mut *self.explicit_checks.lock().unwrap() {
            checks.0.push(Search { coverage: coverage.clone(), steps, failure: failure.cloned(), search_file: None });
        }
    }
    fn time_left(&self) -> Option<Duration> {
        self.left()
    }
    fn patience(&self) -> Duration {
        self.patience
    }
    fn heap(&self) -> Heap {
        if self.order.heap { Heap::On } else { Heap::Off }
    }
}
