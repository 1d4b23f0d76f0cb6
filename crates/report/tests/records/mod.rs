//! Hand-made failures, one for each kind, on the programs of `tests/fixtures`.

use raddle_core::clock::Time;
use raddle_core::code::Code;
use raddle_core::difference::Difference;
use raddle_core::fact::{Assumption, Fact, Other, Relation, StopReason, TeardownError, Waiting};
use raddle_core::record::{ExecutionRecord, Line, Place, TaskInfo};
use raddle_core::ticket::{self, Ticket, TicketStep};
use raddle_core::verdict::{Cause, Coverage, Defect, Extent, Failure, FailureKind};

/// Tells a record line by line.
#[derive(Default)]
pub struct Tale {
    record: ExecutionRecord,
    next: usize,
}

impl Tale {
    pub fn new(tasks: &[(&str, Option<&str>)]) -> Tale {
        let task = |(name, label): &(&str, Option<&str>)| TaskInfo {
            name: (*name).to_owned(),
            label: label.map(str::to_owned),
        };
        Tale {
            record: ExecutionRecord { tasks: tasks.iter().map(task).collect(), ..ExecutionRecord::default() },
            next: 0,
        }
    }
    fn push(
        mut self,
        task: usize,
        step: Option<usize>,
        what: &str,
        detail: &str,
        place: Option<Place>,
    ) -> Tale {
        let (operation, object) = what.split_once(' ').map_or((what, None), |(v, o)| (v, Some(o.to_owned())));
        self.record.lines.push(Line {
            task,
            step,
            operation: operation.to_owned(),
            object,
            result: detail.to_owned(),
            place,
            ..Line::default()
        });
        self
    }
    /// A step of the trace.
    pub fn step(mut self, task: usize, what: &str, detail: &str, place: Option<Place>) -> Tale {
        let step = self.next;
        self.next += 1;
        self.push(task, Some(step), what, detail, place)
    }
    /// Something on the way.
    pub fn local(self, task: usize, what: &str, detail: &str, place: Option<Place>) -> Tale {
        self.push(task, None, what, detail, place)
    }
    /// The last line preempts.
    pub fn preempting(mut self) -> Tale {
        self.record.lines.last_mut().unwrap().preempts = true;
        self
    }
    /// The process of the last line exits there.
    pub fn exiting(mut self) -> Tale {
        self.record.lines.last_mut().unwrap().exits = true;
        self
    }
    /// The last line saw what this step did, counted from 1.
    pub fn from(mut self, step: usize) -> Tale {
        let from = self.record.lines.iter().position(|l| l.step == Some(step - 1));
        self.record.lines.last_mut().unwrap().reads_from = from;
        self
    }
    pub fn fails(self, test: Option<&str>, execution: u64, defect: Defect) -> Failure {
        let steps = self.record.steps().map(|line| TicketStep {
            task: line.task as u32,
            option: 0,
            expect: format!("{} {}", self.record.tasks[line.task].name, line.expected_operation()),
        });
        let settings = [("time".to_owned(), "idle".to_owned())].into();
        let ticket = Ticket {
            version: ticket::VERSION,
            test: test.map(str::to_owned),
            settings,
            program: Code::default(),
            steps: steps.collect(),
        };
        Failure::new(defect, execution, self.record, ticket)
    }
}

/// The first line of a fixture that contains `code`.
pub fn at(file: &str, code: &str) -> Option<Place> {
    let path = format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let (line, found) = text.lines().enumerate().find(|(_, line)| line.contains(code)).expect(code);
    let column = found.find(code).unwrap() + 1;
    Some(Place { file: file.to_owned(), line: line as u32 + 1, column: column as u32 })
}

fn elsewhere(file: &str, line: u32) -> Option<Place> {
    Some(Place { file: file.to_owned(), line, column: 9 })
}

pub fn coverage(extent: Extent, executions: u64) -> Coverage {
    let assumptions = vec![Assumption::SequentiallyConsistent, Assumption::Timers(Time::Idle)];
    Coverage { extent, executions, assumptions }
}

/// A search that ended with its first failure.
pub fn first_failure(failure: &Failure) -> Coverage {
    coverage(Extent::Partial(StopReason::FirstFailure), failure.execution)
}

const MAIN: usize = 0;
const ONE: usize = 1;
const TWO: usize = 2;

/// Two deposits, one of which is lost.
pub fn lost_update() -> Failure {
    lost_update_of(&[("main", None), ("main.1", None), ("main.2", Some("bob"))], "AtomicU64#1")
}

fn lost_update_of(tasks: &[(&str, Option<&str>)], balance: &str) -> Failure {
    let bank = |code| at("src/bank.rs", code);
    let (load, store) = (format!("load {balance}"), format!("store {balance}"));
    let place = bank("assert_eq!");
    Tale::new(tasks)
        .local(MAIN, "spawn main.1", "", bank("let alice"))
        .local(MAIN, "spawn main.2", "", bank("let bob"))
        .step(ONE, &load, "→ 0", bank("let seen"))
        .step(TWO, &load, "→ 0", bank("let seen"))
        .preempting()
        .step(TWO, &store, "100", bank("balance.store"))
        .step(TWO, "end", "", None)
        .step(ONE, &store, "50", bank("balance.store"))
        .step(ONE, "end", "", None)
        .step(MAIN, "join main.1", "", bank("alice.join"))
        .step(MAIN, "join main.2", "", bank("bob.unwrap"))
        .step(MAIN, &load, "→ 50", place.clone())
        .from(5)
        .local(MAIN, "panic", "assertion `left == right` failed\n  left: 50\n right: 150", place.clone())
        .fails(
            Some("bank::no_deposit_is_lost"),
            4,
            Defect::new(
                FailureKind::Panic,
                "main panicked: assertion `left == right` failed\n  left: 50\n right: 150",
            )
            .with(Fact::of("main", Relation::Panicked).at(place)),
        )
}

/// The lost update again, with names that the program gave.
pub fn labels() -> Failure {
    let tasks = [("main", None), ("main.1", Some("alice")), ("main.2", Some("bob"))];
    lost_update_of(&tasks, "AtomicU64#1 \"balance\"")
}

/// Names that are too long to read.
pub fn long_names() -> Failure {
    let long = "the-worker-that-deposits-the-salary-of-everybody-in-the-accounting-department";
    let tasks = [("main", None), ("main.1", Some(long)), ("main.2", Some("bob"))];
    let object =
        "AtomicU64#1 \"the_balance_of_the_joint_account_of_alice_and_bob_at_the_first_bank_of_raddle\"";
    let mut failure = lost_update_of(&tasks, object);
    for line in &mut failure.record.lines {
        if let Some(place) = &mut line.place {
            place.file =
                format!("crates/{}/src/a_module_with_a_name_that_says_it_all.rs", ["deeply"; 8].join("/"));
        }
    }
    failure.ticket.test = None;
    failure
}

fn waits(
    task: &str,
    operation: &str,
    object: &str,
    at: Option<Place>,
    held: Option<(&str, Option<Place>)>,
) -> Fact {
    let (waiting, operation) = (Waiting::ToDo, operation.to_owned());
    let others = held.map(|(task, place)| Other { task: task.to_owned(), place });
    let relation = Relation::Waits { waiting, operation, needs: None };
    Fact { others: others.into_iter().collect(), ..Fact::of(task, relation).object(object).at(at) }
}

fn spins(task: &str, object: &str, at: Option<Place>) -> Fact {
    Fact::of(task, Relation::Spins { objects: vec![object.to_owned()] }).at(at)
}

/// AB-BA.
pub fn deadlock() -> Failure {
    let code = |code| at("src/transfer.rs", code);
    let (first, second) = (code("let mut from"), code("let mut to"));
    Tale::new(&[("main", None), ("main.1", None), ("main.2", None)])
        .local(MAIN, "spawn main.1", "", code("transfer(&a, &b"))
        .local(MAIN, "spawn main.2", "", code("transfer(&b, &a"))
        .step(ONE, "lock Mutex#1", "", first.clone())
        .step(TWO, "lock Mutex#2", "", first.clone())
        .preempting()
        .fails(
            Some("transfer::both_ways"),
            2,
            Defect::new(FailureKind::Deadlock, "nothing can move: main, main.1 and main.2 wait for ever")
                .with(waits("main.1", "lock", "Mutex#2", second.clone(), Some(("main.2", first.clone()))))
                .with(waits("main.2", "lock", "Mutex#1", second, Some(("main.1", first))))
                .with(waits("main", "join", "main.1", code("thread::scope"), None)),
        )
}

/// Each waits for the other to go first.
pub fn livelock() -> Failure {
    let code = |code| at("src/spin.rs", code);
    let (other, mine) = (code("while !GO"), code("while !READY"));
    let mut tale =
        Tale::new(&[("main", None), ("main.1", None)]).local(MAIN, "spawn main.1", "", code("let other"));
    for _ in 0..2 {
        tale = tale
            .step(MAIN, "load AtomicBool#1 \"READY\"", "→ false", mine.clone())
            .step(MAIN, "spin", "", code("hint::spin_loop"))
            .step(ONE, "load AtomicBool#2 \"GO\"", "→ false", other.clone())
            .step(ONE, "yield", "", code("thread::yield_now"));
    }
    tale.fails(
        None,
        1,
        Defect::new(
            FailureKind::Livelock,
            "only waiting loops are left, and nothing they read ever changes: main, main.1",
        )
        .with(spins("main", "AtomicBool#1 \"READY\"", mine))
        .with(spins("main.1", "AtomicBool#2 \"GO\"", other)),
    )
}

/// A relaxed flag orders nothing.
pub fn data_race() -> Failure {
    let code = |code| at("src/race.rs", code);
    let (write, read) = (code("with_mut"), code("assert_eq!"));
    Tale::new(&[("main", None), ("main.1", None)])
        .local(MAIN, "spawn main.1", "", code("let writer"))
        .local(ONE, "write UnsafeCell#1", "", write.clone())
        .step(ONE, "store AtomicBool#1", "true", code("slot.full.store"))
        .step(MAIN, "load AtomicBool#1", "→ true", code("slot.full.load"))
        .preempting()
        .from(1)
        .local(MAIN, "read UnsafeCell#1", "", read.clone())
        .fails(
            Some("race::hand_over"),
            2,
            Defect::new(
                FailureKind::DataRace,
                "main.1 and main touch UnsafeCell#1, and nothing in the program orders them",
            )
            .with(Fact::of("main.1", Relation::Writes).object("UnsafeCell#1").at(write))
            .with(Fact::of("main", Relation::Reads).object("UnsafeCell#1").at(read)),
        )
}

/// A spin that never ends, cut off after 10,000 steps.
pub fn step_limit() -> Failure {
    let code = |code| at("src/spin.rs", code);
    let mut tale =
        Tale::new(&[("main", None), ("main.1", None)]).local(MAIN, "spawn main.1", "", code("let other"));
    tale = tale.step(MAIN, "load AtomicBool#1", "→ false", code("while !READY"));
    while tale.next < 10_000 {
        let preempts = matches!(tale.next, 1 | 4_999);
        tale = tale.step(ONE, "load AtomicBool#2", "→ false", code("while !GO"));
        tale = if preempts { tale.preempting() } else { tale };
        if tale.next < 10_000 {
            tale = tale.step(ONE, "yield", "", code("thread::yield_now"));
        }
    }
    tale.fails(
        Some("spin::after_you"),
        1_204,
        Defect::new(
            FailureKind::StepLimit,
            "the execution took 10000 steps without coming to an end; if that is no endless loop, allow more with \
             max_steps",
        ),
    )
}

/// The same picks, another step.
pub fn not_deterministic() -> Failure {
    let bank = |code| at("src/bank.rs", code);
    Tale::new(&[("main", None), ("main.1", None)])
        .local(MAIN, "spawn main.1", "", bank("let alice"))
        .step(ONE, "load AtomicU64#1", "→ 0", bank("let seen"))
        .step(MAIN, "lock Mutex#2", "", elsewhere("src/audit.rs", 41))
        .preempting()
        .fails(
            Some("bank::no_deposit_is_lost"),
            2,
            Defect::not_deterministic(Difference::Step {
                step: 2,
                was: "main load AtomicU64#1".to_owned(),
                now: "main lock Mutex#2".to_owned(),
            }),
        )
}

/// Something that was never dropped.
pub fn leak() -> Failure {
    Tale::new(&[("main", None)])
        .local(MAIN, "allocate Track#1 \"node\"", "", elsewhere("src/list.rs", 12))
        .local(MAIN, "allocate Track#2 \"node\"", "", elsewhere("src/list.rs", 12))
        .step(MAIN, "end", "", None)
        .fails(
            None,
            1,
            Defect::new(FailureKind::Leak, "2 tracked values outlived the execution")
                .with(Fact::new(Relation::Made).object("Track#1 \"node\"").at(elsewhere("src/list.rs", 12)))
                .with(Fact::new(Relation::Made).object("Track#2 \"node\"").at(elsewhere("src/list.rs", 12))),
        )
}

/// Six workers.
pub fn crowd() -> Failure {
    let code = |code| at("src/bank.rs", code);
    let names: Vec<String> =
        (0..7).map(|i| if i == 0 { "main".into() } else { format!("main.{i}") }).collect();
    let tasks: Vec<(&str, Option<&str>)> = names.iter().map(|n| (n.as_str(), None)).collect();
    let mut tale = Tale::new(&tasks);
    for name in &names[1..] {
        tale = tale.local(MAIN, &format!("spawn {name}"), "", code("thread::spawn"));
    }
    for worker in 1..7 {
        tale = tale.step(worker, "load AtomicU64#1", "→ 0", code("let seen"));
        tale = if worker > 1 { tale.preempting() } else { tale };
    }
    for worker in 1..7 {
        tale = tale.step(worker, "store AtomicU64#1", "1", code("balance.store"));
    }
    tale.step(MAIN, "load AtomicU64#1", "→ 1", code("assert_eq!"))
        .from(12)
        .local(MAIN, "panic", "", code("assert_eq!"))
        .fails(Some("bank::crowd"), 77, Defect::new(FailureKind::Panic, "main panicked: 1 is not 6"))
}

/// A panic, and another one in a destructor while the execution was put away.
pub fn destructor() -> Failure {
    let mut failure = lost_update();
    failure.afterwards = vec![
        TeardownError::Panicked {
            task: "main.2".to_owned(),
            message: "already closed".to_owned(),
            place: Some(Place { file: "src/audit.rs".to_owned(), line: 9, column: 1 }),
        },
        TeardownError::Aborted { task: "main.1".to_owned() },
        TeardownError::Failed { message: "main.3 used a channel of another execution".to_owned() },
    ];
    failure
}

/// A timer of a task fires.
pub fn timer() -> Failure {
    Tale::new(&[("main", None), ("main.1", None), ("main.1~timer1", None)])
        .local(MAIN, "spawn main.1", "", elsewhere("src/client.rs", 5))
        .step(ONE, "recv_timeout Channel#1", "", elsewhere("src/client.rs", 9))
        .step(TWO, "fire", "at 5s", None)
        .step(ONE, "recv_timeout Channel#1", "timed out", elsewhere("src/client.rs", 9))
        .local(ONE, "panic", "", elsewhere("src/client.rs", 10))
        .fails(None, 3, Defect::new(FailureKind::Panic, "main.1 panicked: no answer"))
}

/// A worker panics, main passes it on; an earlier panic was handled.
pub fn passed_on() -> Failure {
    let file = |line| elsewhere("src/pool.rs", line);
    Tale::new(&[("main", None), ("main.1", None), ("main.2", None)])
        .local(MAIN, "spawn main.1", "", file(4))
        .local(MAIN, "spawn main.2", "", file(5))
        .local(ONE, "panic", "no such job", file(9))
        .step(ONE, "end", "", file(4))
        .step(MAIN, "join main.1", "panicked", file(6))
        .local(TWO, "panic", "queue is empty\nand closed", file(12))
        .step(TWO, "end", "", file(5))
        .step(MAIN, "join main.2", "panicked", file(7))
        .local(MAIN, "panic", "called `Result::unwrap()` on an `Err` value: Any { .. }", file(7))
        .fails(
            Some("pool::drains"),
            1,
            Defect::new(FailureKind::Panic, "main.2 panicked: queue is empty\nand closed")
                .with(Fact::of("main.2", Relation::Panicked).at(file(12)))
                .with(Fact::of("main", Relation::PanickedBecause).at(file(7))),
        )
}

/// An Erlang process crashes; another one goes on until it notices.
pub fn crashed() -> Failure {
    let file = |line| elsewhere("src/bank.erl", line);
    let cause =
        Cause::Crashed { process: "P.1".to_owned(), reason: "{badmatch,0}".to_owned(), place: file(12) };
    let function = |name: &str| Relation::In { function: name.to_owned() };
    Tale::new(&[("P", None), ("P.1", Some("account"))])
        .step(MAIN, "spawn_link(bank)", "→ P.1", file(4))
        .step(MAIN, "P.1 ! deposit", "→ deposit", file(5))
        .step(ONE, "receives a message", "→ deposit", file(10))
        .step(ONE, "exits ({badmatch,0})", "", None)
        .exiting()
        .step(ONE, "exit signal to P", "", None)
        .step(MAIN, "receives a message", "→ {'EXIT',P.1,{badmatch,0}}", file(6))
        .fails(
            Some("bank_tests:deposit_test"),
            1,
            Defect::of(cause)
                .with(Fact::new(function("bank:loop/1")).at(file(12)))
                .with(Fact::new(function("bank:init/0")).at(file(9))),
        )
}

/// A ticket that the program no longer fits.
pub fn diverged() -> Failure {
    let mut failure = not_deterministic();
    failure.defect = Defect::new(
        FailureKind::NotDeterministic,
        "the ticket does not fit: it expects step 3 to be `main.1 store AtomicU64#1`, but that cannot happen there; \
         the program or its settings have changed since the ticket was written, or it is not deterministic",
    );
    failure
}
