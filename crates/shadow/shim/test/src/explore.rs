//! One test, explored: the searches of the order one after the other, until one fails or has seen everything. A test
//! that explores by itself is run as it is, and what its own checks find is the verdict.

use crate::protocol::{Explored, Message, ORDER, Order, Outcome, Search};
use crate::real::{TestDescAndFn, TestFn};
use crate::statics;
use crate::answer_file::say;
use crate::verdict::{self, Body};
use crate::{determinism_probe, long, memory};
use raddle::observer::{self, Observer, Seen};
use raddle::{Checker, Extent, FailureKind, Time};
use raddle_core::search::Budget;
use raddle::{expected, outside};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    let recorder = Box::leak(Box::new(SearchRecorder {
        explicit: AtomicBool::new(false),
        seen: Mutex::new(Vec::new()),
        until: order.budget.map(|ms| Instant::now() + Duration::from_millis(ms)),
        patience: Duration::from_millis(order.patience),
    }));
    observer::set(recorder);
    statics::keep();
    memory::prepare(order.arena);
    outside::take_over(order.beginning);
    let program = || verdict::run(*body, desc);
    expected::allow_panics_of_threads(order.thread_panics || verdict::should_panic(desc));
    let alone = Order { workers: 1, ..order.clone() };
    let before = match order.replay {
        None => Some(determinism_probe::before(&alone, recorder, &program)),
        Some(_) => None,
    };
    let mut result = searches(&order, recorder, &program);
    if order.workers > 1
        && (statics::shared() || recorder.failed_with(FailureKind::NotDeterministic))
        && !recorder.is_explicit()
    {
        // The workers were in each other's way: one alone has the statics to itself, and the same addresses always.
        recorder.seen.lock().unwrap().clear();
        result = searches(&alone, recorder, &program);
    }
    if let Some(before) = before
        && !recorder.is_explicit()
        && result.is_ok()
    {
        result = before.and_then(|before| determinism_probe::confirm(&alone, recorder, &program, &before));
    }
    if order.replay.is_none() && order.max_steps.is_none() && recorder.failed_with(FailureKind::StepLimit) {
        // Too long for seeing everything; a few schedules still say something.
        recorder.seen.lock().unwrap().clear();
        result = long::explore(&alone, recorder, &program);
    }
    let mut outcome = match recorder.is_explicit() {
        false => Outcome {
            explored: recorder.explored(),
            failure: recorder.failure(),
            complaint: None,
            explicit: false,
            ticket: None,
            max_steps: max_steps(&order),
        },
        true => by_itself(&order, recorder, *body, desc),
    };
    if let Some(failure) = outcome.failure.as_mut().filter(|f| !outcome.explicit && f.kind().is_limit_of_exploring()) {
        // Nobody will look at its steps, which may be very many.
        failure.record = Default::default();
        failure.ticket.steps.clear();
    }
    if let Err(complaint) = result {
        outcome.complaint = Some(complaint);
    }
    say(&Message::Done(Box::new(outcome.packed())));
}

/// How many steps an execution may take.
fn max_steps(order: &Order) -> usize {
    order.max_steps.unwrap_or(Budget::default().steps)
}

/// Carries the order out. An order that makes no sense is a complaint.
fn searches(order: &Order, recorder: &SearchRecorder, program: &(dyn Fn() + Sync)) -> Result<(), String> {
    if let Some(ticket) = &order.replay {
        return search(order, Checker::replay(ticket), program);
    }
    for (n, kind) in order.searches.iter().enumerate() {
        let left = recorder.until.map(|until| until.saturating_duration_since(Instant::now()));
        let share = left.map(|left| left / (order.searches.len() - n) as u32);
        let checker = match *kind {
            Search::Exhaustive => Checker::exhaustive(),
            Search::Dfs => Checker::dfs(),
            Search::Random(schedules) => Checker::random(schedules),
        };
        let checker = match &order.sampler {
            Some(name) => checker.sampler(name.parse()?),
            None => checker,
        };
        let checker = match share {
            Some(share) => checker.time_limit(share),
            None => checker,
        };
        search(order, checker, program)?;
        if recorder.is_settled() {
            break;
        }
    }
    Ok(())
}

pub fn search(order: &Order, search: Checker, program: &(dyn Fn() + Sync)) -> Result<(), String> {
    checker(order, search, |checker| drop(checker.run(program)))
}

/// Does something with a checker that has the order's settings.
pub fn checker<R>(order: &Order, checker: Checker, run: impl FnOnce(Checker) -> R) -> Result<R, String> {
    let mut checker = checker.seed(order.seed).workers(order.workers).name(order.test.as_str());
    // As std has it.
    let stack = std::env::var("RUST_MIN_STACK").ok().and_then(|size| size.parse().ok());
    if let Some(stack) = stack {
        checker = checker.stack_size(stack);
    }
    if order.replay.is_none() {
        checker = checker.spurious(order.spurious).time(if order.any_time { Time::Any } else { Time::Idle });
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

/// Runs a test that explores by itself.
fn by_itself(order: &Order, recorder: &SearchRecorder, body: Body, desc: &crate::real::TestDesc) -> Outcome {
    recorder.seen.lock().unwrap().clear();
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
    let failure = complaint.as_ref().and_then(|_| recorder.failure());
    let complaint = complaint.filter(|_| failure.is_none());
    Outcome { explored: recorder.explored(), failure, complaint, explicit: true, ticket: None, max_steps: max_steps(order) }
}

/// Hears of every search in this process.
pub struct SearchRecorder {
    explicit: AtomicBool,
    pub seen: Mutex<Vec<Seen>>,
    pub until: Option<Instant>,
    patience: Duration,
}

impl SearchRecorder {
    /// The test explores by itself.
    pub fn is_explicit(&self) -> bool {
        self.explicit.load(Ordering::SeqCst)
    }
    fn explored(&self) -> Vec<Explored> {
        let seen = self.seen.lock().unwrap();
        let explored = |s: &Seen| {
            let mut coverage = s.coverage.clone();
            coverage.assumptions.extend(memory::assumption());
            Explored { coverage, steps: s.steps }
        };
        seen.iter().map(explored).collect()
    }
    fn failure(&self) -> Option<raddle::Failure> {
        self.seen.lock().unwrap().iter().find_map(|s| s.failure.clone())
    }
    pub fn failed_with(&self, kind: FailureKind) -> bool {
        !self.is_explicit() && self.failure().is_some_and(|f| f.kind() == kind)
    }
    /// Another search could not add anything.
    fn is_settled(&self) -> bool {
        let seen = self.seen.lock().unwrap();
        let last = seen.last();
        self.is_explicit()
            || last.is_some_and(|s| {
                s.failure.is_some() || matches!(s.coverage.extent, Extent::Exhaustive | Extent::Within(_))
            })
    }
}

impl Observer for SearchRecorder {
    fn explicit_check(&self) {
        self.explicit.store(true, Ordering::SeqCst);
    }
    fn tick(&self, executions: u64) {
        say(&Message::Progress { executions });
    }
    fn stuck(&self, words: &str) {
        say(&Message::Stuck { words: words.to_owned() });
    }
    fn outside(&self, what: &str) -> ! {
        say(&Message::Outside { what: what.to_owned() });
        // SAFETY: ends the process, and nothing else: whatever the program has for its end is not to be run.
        unsafe { libc::_exit(2) }
    }
    fn seen(&self, seen: Seen) {
        self.seen.lock().unwrap().push(seen);
    }
    fn time_left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }
    fn patience(&self) -> Duration {
        self.patience
    }
}
