//! A world of hand-written programs: each task is a list of operations over shared variables and locks.
//! It refuses impossible picks loudly, so a search that makes one cannot pass a test.

pub mod machine;
pub mod oracle;
pub mod random_machines;
pub mod random_programs;
pub mod spy;

pub use trace_classes::{cases, classes};

use raddle_core::fact::Assumption;
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::record::{ExecutionRecord, Line, TaskInfo};
use raddle_core::search::{Findings, NoListener, OnFailure, Plan, RealClock, search};
use raddle_core::strategy::Strategy;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{Describe, End, Ended, Ending, Explain, Manner, Pending, Pick, Point, World};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// One operation of a task. Variables and locks are numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Notes a variable's value.
    Read(usize),
    Write(usize, i64),
    Add(usize, i64),
    Lock(usize),
    /// Does nothing to a lock that the task does not hold.
    Unlock(usize),
    /// Notes 1 and takes the lock, or notes 0.
    TryLock(usize),
    /// Notes one of so many numbers.
    Choose(u32),
    Yield,
    /// Fails the execution unless the variable has this value.
    Expect(usize, i64, FailureKind),
    /// Back to the task's first operation.
    Again,
    /// Takes so many milliseconds: of the clock of the world, if it has one.
    Sleep(u64),
    /// Panics inside the world: a bug of the world, not of the program.
    Boom,
}
pub use Op::*;

pub fn assert_eq(var: usize, value: i64) -> Op {
    Expect(var, value, FailureKind::Panic)
}

impl Op {
    /// Its operation, and its object as text and by number.
    fn words(self) -> (&'static str, Option<(String, ObjectId)>) {
        let var = |n: usize| Some((format!("x{n}"), ObjectId(n as u32)));
        let lock = |n: usize| Some((format!("Lock#{n}"), ObjectId(100 + n as u32)));
        match self {
            Read(n) => ("read", var(n)),
            Write(n, _) => ("write", var(n)),
            Add(n, _) => ("add", var(n)),
            Expect(n, ..) => ("expect", var(n)),
            Lock(n) => ("lock", lock(n)),
            Unlock(n) => ("unlock", lock(n)),
            TryLock(n) => ("try_lock", lock(n)),
            Choose(_) => ("choose", None),
            Yield => ("yield", None),
            Again => ("again", None),
            Sleep(_) => ("sleep", None),
            Boom => ("boom", None),
        }
    }
}

/// A clock that a test turns by hand.
#[derive(Debug, Default)]
pub struct HandClock(AtomicU64);

impl HandClock {
    pub fn turn(&self, by: Duration) {
        self.0.fetch_add(by.as_nanos() as u64, Ordering::Relaxed);
    }
}

impl RealClock for HandClock {
    fn now(&self) -> Duration {
        // Each look takes a microsecond, so that no search is endless.
        Duration::from_nanos(self.0.fetch_add(1_000, Ordering::Relaxed))
    }
}

/// What each task does, and which of them are phantoms.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub tasks: Vec<Vec<Op>>,
    pub phantoms: Vec<usize>,
}

pub fn program<const N: usize>(tasks: [&[Op]; N]) -> Program {
    Program { tasks: tasks.map(<[Op]>::to_vec).to_vec(), phantoms: Vec::new() }
}

/// The final variables, and what each task noted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Outcome {
    pub vars: [i64; 3],
    pub noted: Vec<Vec<i64>>,
}

/// The world: a program, and one execution of it.
#[derive(Default)]
pub struct Toy {
    program: Program,
    /// Deliberately not deterministic.
    twist: Option<(u64, Program)>,
    assumes: Vec<Assumption>,
    clock: Option<Arc<HandClock>>,
    executions: u64,
    at: Vec<usize>,
    outcome: Outcome,
    holders: [Option<usize>; 3],
    defect: Option<Defect>,
    steps: Vec<(usize, Op)>,
    last_time: Vec<(usize, Op)>,
    enabled: Vec<TaskId>,
    pending: Vec<Pending>,
}

impl Toy {
    pub fn new(program: &Program) -> Toy {
        Toy { program: program.clone(), ..Toy::default() }
    }
    /// From execution `when` on (from 0), it plays another program.
    pub fn twisted(self, when: u64, other: &Program) -> Toy {
        Toy { twist: Some((when, other.clone())), ..self }
    }
    pub fn assuming(self, assumptions: &[Assumption]) -> Toy {
        Toy { assumes: assumptions.to_vec(), ..self }
    }
    /// Its sleeps turn this clock.
    pub fn timed(self, clock: &Arc<HandClock>) -> Toy {
        Toy { clock: Some(clock.clone()), ..self }
    }
    fn next(&self, task: usize) -> Option<Op> {
        self.program.tasks[task].get(self.at[task]).copied()
    }
    /// The pending operation of a task, in the present state.
    fn evaluate(&self, task: usize) -> Pending {
        let Some(op) = self.next(task) else { return Pending::NOTHING };
        let free = |lock: usize| self.holders[lock].is_none();
        let object = op.words().1.map(|(_, object)| object);
        let accesses = match (op, object) {
            (_, None) => Accesses::NONE,
            (Unlock(lock), _) if self.holders[lock] != Some(task) => Accesses::NONE,
            (Read(_) | Expect(..), Some(object)) => Accesses::read(object),
            (TryLock(lock), Some(object)) if !free(lock) => Accesses::read(object),
            (_, Some(object)) => Accesses::write(object),
        };
        let options = match op {
            Lock(lock) => free(lock) as u32,
            Choose(n) => n,
            _ => 1,
        };
        let manner = match op {
            _ if self.program.phantoms.contains(&task) => Manner::Phantom,
            Yield => Manner::Yielding,
            _ => Manner::Ordinary,
        };
        let mut hasher = DefaultHasher::new();
        (task, op).hash(&mut hasher);
        Pending { accesses, options, signature: hasher.finish() as u32, manner }
    }
    fn refresh(&mut self) {
        let over = self.defect.is_some();
        self.pending = (0..self.at.len())
            .map(|task| if over { Pending::NOTHING } else { self.evaluate(task) })
            .collect();
        let enabled = self.pending.iter().enumerate().filter(|(_, p)| p.options > 0);
        self.enabled = enabled.map(|(task, _)| TaskId(task as u32)).collect();
    }
}

pub fn name(task: usize) -> String {
    if task == 0 { "main".to_owned() } else { format!("main.{task}") }
}

fn in_words((task, op): (usize, Op)) -> String {
    match op.words() {
        (operation, Some((object, _))) => format!("{} {operation} {object}", name(task)),
        (operation, None) => format!("{} {operation}", name(task)),
    }
}

impl Describe for Toy {
    fn describe(&self, task: TaskId) -> String {
        let op = self.at.get(task.index()).and_then(|_| self.next(task.index()));
        op.map_or_else(|| format!("{} end", name(task.index())), |op| in_words((task.index(), op)))
    }

    fn describe_last_time(&self, index: usize) -> String {
        self.last_time.get(index).map_or("a step in another world".to_owned(), |step| in_words(*step))
    }
}

impl World for Toy {
    type Outcome = Outcome;

    fn start(&mut self) {
        if let Some((when, other)) = &self.twist
            && self.executions >= *when
        {
            self.program = other.clone();
        }
        let tasks = self.program.tasks.len();
        self.executions += 1;
        self.at = vec![0; tasks];
        self.outcome = Outcome { vars: [0; 3], noted: vec![Vec::new(); tasks] };
        self.holders = [None; 3];
        self.defect = None;
        self.last_time = std::mem::take(&mut self.steps);
        self.refresh();
    }

    fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending)
    }

    fn step(&mut self, pick: Pick) {
        let task = pick.task.index();
        assert!(pick.option < self.pending[task].options, "impossible pick {pick:?}");
        let op = self.next(task).expect("an enabled task has an operation");
        self.steps.push((task, op));
        self.at[task] += 1;
        let vars = &mut self.outcome.vars;
        let mut note = |value| self.outcome.noted[task].push(value);
        match op {
            Read(n) => note(vars[n]),
            Write(n, value) => vars[n] = value,
            Add(n, value) => vars[n] += value,
            Lock(n) => self.holders[n] = Some(task),
            Unlock(n) if self.holders[n] == Some(task) => self.holders[n] = None,
            TryLock(n) if self.holders[n].is_none() => {
                self.holders[n] = Some(task);
                note(1);
            }
            TryLock(_) => note(0),
            Choose(_) => note(pick.option as i64),
            Expect(n, value, kind) if vars[n] != value => {
                let message = format!("{}: x{n} is {}, not {value}", name(task), vars[n]);
                self.defect = Some(Defect::new(kind, message));
            }
            Unlock(_) | Expect(..) | Yield => {}
            Again => self.at[task] = 0,
            Sleep(ms) => match &self.clock {
                Some(clock) => clock.turn(Duration::from_millis(ms)),
                None => std::thread::sleep(Duration::from_millis(ms)),
            },
            Boom => panic!("boom in the world"),
        }
        self.refresh();
    }

    fn end(&mut self, stopped: Option<Defect>) -> Ended<Outcome> {
        if let Some(why) = stopped {
            return Ended::stopped(why);
        }
        let waits = |task: &usize| self.next(*task).is_some();
        let end = match (self.defect.clone(), (0..self.at.len()).find(waits)) {
            (Some(defect), _) => End::Failed(defect),
            (None, Some(task)) => {
                End::Failed(Defect::new(FailureKind::Deadlock, format!("{} waits", name(task))))
            }
            (None, None) => End::Passed(self.outcome.clone()),
        };
        // A failed expectation ends the execution for all tasks.
        Ended::new(if self.defect.is_some() { Ending::Cut } else { Ending::Natural }, end)
    }
}

impl Explain for Toy {
    fn record(&self) -> ExecutionRecord {
        let tasks = (0..self.at.len()).map(|task| TaskInfo { name: name(task), label: None }).collect();
        let line = |(step, (task, op)): (usize, &(usize, Op))| Line {
            task: *task,
            step: Some(step),
            operation: op.words().0.to_owned(),
            object: op.words().1.map(|(object, _)| object),
            ..Line::default()
        };
        ExecutionRecord {
            tasks,
            lines: self.steps.iter().enumerate().map(line).collect(),
            ..ExecutionRecord::default()
        }
    }

    fn assumptions(&self) -> Vec<Assumption> {
        self.assumes.clone()
    }
}

/// A plan that counts failures and continues.
pub fn all(workers: usize) -> Plan {
    Plan { workers, on_failure: OnFailure::KeepGoing, ..Plan::default() }
}

/// A plan that stops at the first failure.
pub fn first(workers: usize) -> Plan {
    Plan { workers, ..Plan::default() }
}

pub fn limited(executions: u64, mut plan: Plan) -> Plan {
    plan.budget.executions = Some(executions);
    plan
}

/// Explores `program`, without a listener.
pub fn run(plan: &Plan, program: &Program, strategy: impl Strategy + 'static) -> Findings<Outcome> {
    search(plan, Box::new(strategy), || Toy::new(program), Arc::new(NoListener))
}

/// Takes these picks, and returns how the execution ended.
pub fn play(program: &Program, picks: &[Pick]) -> Result<Outcome, FailureKind> {
    let mut toy = Toy::new(program);
    toy.start();
    picks.iter().for_each(|pick| toy.step(*pick));
    assert!(toy.point().is_over(), "the picks lead to the end");
    match toy.end(None).end {
        End::Passed(outcome) => Ok(outcome),
        End::Failed(defect) => Err(defect.kind),
    }
}

pub fn pick(task: u32, option: u32) -> Pick {
    Pick { task: TaskId(task), option }
}

/// Does `work` on a thread of its own, and fails instead of hanging if it takes longer than `time`.
/// Returns the panic's message if it panicked.
pub fn within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        let _ = sender.send(done.map_err(|payload| {
            let text = payload.downcast_ref::<String>().cloned();
            text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
        }));
    });
    let done = receiver.recv_timeout(time).expect("the search hangs");
    thread.join().expect("the panic was caught");
    done
}
