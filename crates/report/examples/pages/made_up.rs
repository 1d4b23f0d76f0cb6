//! Made-up failures and a suite, as pages: long ones, wide ones, and hostile ones.

use raddle_core::fact::{Fact, Relation, StopReason};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::random::Rng;
use raddle_core::record::{ExecutionRecord, Hold, Line, LockUse, Mailbox, Place, TaskInfo};
use raddle_core::ticket::Ticket;
use raddle_core::trace::Trace;
use raddle_core::verdict::{Cause, Coverage, Defect, Extent, Failure, FailureKind};
use raddle_core::world::{Manner, Pending, Pick, Point};
use raddle_report::{PageContext, Run, Sources, SuiteOutcome, Word, failure_page, suite_page};
use std::path::{Path, PathBuf};

/// What tries to get out of its element, out of its lane, and into the page.
const HOSTILE: &str = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>\u{202e}\u{2066}\
                       \u{0}\u{7}\u{1b}[31m&lt;\u{2028}\u{2029}\u{feff}\"'`${window.hacked=3}";

/// Writes all pages into this folder.
pub fn write_all(folder: PathBuf) {
    std::fs::create_dir_all(&folder).expect("the folder is made");
    let write =
        |name: &str, page: String| std::fs::write(folder.join(name), page).expect("a page is written");
    let page = |failure: &Failure| {
        let sources = Sources::Under(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"));
        let run = Run { replay: Some("cargo raddle replay TICKET".to_owned()), ..Run::default() };
        let context = PageContext { run, sources, output: "printed\n", suite: Some("index.html") };
        failure_page(failure, &coverage(failure), &context)
    };
    write("long.html", page(&random(10_000, 8, "long")));
    write("crowd.html", page(&random(4_000, 200, "crowd")));
    write("short.html", page(&random(60, 3, "short")));
    write("woken.html", page(&woken()));
    write("hostile.html", page(&hostile()));
    write("megabyte.html", page(&megabyte()));
    write("empty.html", page(&Failure::new(said("nothing"), 1, ExecutionRecord::default(), Ticket::empty())));
    write("index.html", suite());
}

fn coverage(failure: &Failure) -> Coverage {
    let extent = Extent::Partial(StopReason::FirstFailure);
    Coverage { extent, executions: failure.execution, assumptions: Vec::new() }
}

fn said(message: &str) -> Defect {
    Defect::of(Cause::Said { kind: FailureKind::Invariant, message: message.to_owned() })
}

fn task(name: String) -> TaskInfo {
    TaskInfo { name, label: None }
}

/// The state of the made-up program.
struct Made {
    record: ExecutionRecord,
    values: [u64; 12],
    writers: [Option<usize>; 12],
    mailboxes: Vec<Vec<String>>,
    holder: Option<usize>,
    /// How many tasks have been started.
    begun: usize,
}

impl Made {
    /// Another operation of `now`: what it is, and what it accesses.
    fn operation(&mut self, rng: &mut Rng, now: usize, line: &mut Line) -> Accesses {
        let object = rng.below(12) as usize;
        let tasks = self.record.tasks.len();
        let name = || Some(format!("AtomicU64#{object}"));
        match rng.below(if self.begun < tasks { 12 } else { 11 }) {
            0..=4 => {
                line.operation = "yield".to_owned();
                Accesses::NONE
            }
            5 | 6 => {
                let value = self.values[object];
                (line.operation, line.object, line.result) =
                    ("load".to_owned(), name(), format!("→ {value}"));
                (line.value, line.reads_from) = (Some(value.to_string()), self.writers[object]);
                Accesses::read(ObjectId(object as u32))
            }
            7 | 8 => {
                self.values[object] += 1;
                self.writers[object] = Some(self.record.lines.len());
                let value = self.values[object].to_string();
                (line.operation, line.object, line.result) = ("store".to_owned(), name(), value.clone());
                line.value = Some(value);
                Accesses::write(ObjectId(object as u32))
            }
            9 => {
                let to = rng.below(self.begun as u32) as usize;
                self.mailboxes[to].push(format!("{{message,{}}}", self.record.lines.len()));
                line.operation = format!("send to {}", self.record.tasks[to].name);
                line.mailboxes = vec![self.mailbox(to)];
                Accesses::write(ObjectId(100 + to as u32))
            }
            10 if !self.mailboxes[now].is_empty() => {
                line.result = format!("→ {}", self.mailboxes[now].remove(0));
                line.operation = "receive".to_owned();
                line.mailboxes = vec![self.mailbox(now)];
                Accesses::write(ObjectId(100 + now as u32))
            }
            10 => {
                let lock = "Mutex#1".to_owned();
                let (operation, hold) = match self.holder {
                    Some(holder) if holder == now => ("unlock", Hold::Released),
                    Some(_) => ("try_lock", Hold::Shared),
                    None => ("lock", Hold::Exclusive),
                };
                (line.operation, line.object) = (operation.to_owned(), Some(lock.clone()));
                match hold {
                    Hold::Released => self.holder = None,
                    Hold::Exclusive => self.holder = Some(now),
                    Hold::Shared => line.result = "would block".to_owned(),
                }
                line.lock = (hold != Hold::Shared).then_some(LockUse { lock, hold });
                Accesses::write(ObjectId(50))
            }
            _ => {
                (line.operation, line.object) =
                    ("spawn".to_owned(), Some(self.record.tasks[self.begun].name.clone()));
                (line.spawns, line.enables) = (Some(self.begun), vec![self.begun]);
                self.begun += 1;
                Accesses::NONE
            }
        }
    }

    fn mailbox(&self, task: usize) -> Mailbox {
        Mailbox { task, messages: self.mailboxes[task].clone(), more: 0 }
    }
}

/// An execution of so many steps: tasks take a lock, load and store, send messages, and do things of their own.
fn random(steps: usize, tasks: usize, name: &str) -> Failure {
    let mut rng = Rng::new(7, 0);
    let mut trace = Trace::new();
    let names = (1..tasks).map(|n| task(format!("main.{n}")));
    let mut made = Made {
        record: ExecutionRecord {
            tasks: std::iter::once(task("main".to_owned())).chain(names).collect(),
            enabled: Some(vec![0]),
            ..ExecutionRecord::default()
        },
        values: [0; 12],
        writers: [None; 12],
        mailboxes: vec![Vec::new(); tasks],
        holder: None,
        begun: 1,
    };
    let mut now = 0;
    for step in 0..steps {
        let before = now;
        if rng.below(3) == 0 {
            now = rng.below(made.begun as u32) as usize;
        }
        let place = Place { file: "src/race.rs".to_owned(), line: 5 + rng.below(14), column: 1 };
        let preempts = now != before;
        let mut line = Line { task: now, step: Some(step), place: Some(place), preempts, ..Line::default() };
        let accesses = made.operation(&mut rng, now, &mut line);
        let pending = vec![Pending { accesses, options: 1, signature: 0, manner: Manner::Ordinary }; tasks];
        let enabled = [TaskId(now as u32)];
        trace.push(Pick { task: enabled[0], option: 0 }, &Point::new(&enabled, &pending));
        made.record.lines.push(line);
    }
    let mut record = made.record;
    record.mark_order(&trace);
    let place = record.lines.last().and_then(|line| line.place.clone());
    let fact = Fact::of(record.tasks[now].name.clone(), Relation::Reads).object("AtomicU64#1").at(place);
    let ticket = Ticket { test: Some(name.to_owned()), ..Ticket::empty() };
    Failure::new(said("the sum is wrong").with(fact), 3, record, ticket)
}

/// A task waits for a lock, and the unlock wakes it up: one arrow of each kind between two tasks without mailboxes.
fn woken() -> Failure {
    let line = |task, operation: &str, object: &str, result: &str| Line {
        task,
        operation: operation.to_owned(),
        object: Some(object.to_owned()),
        result: result.to_owned(),
        ..Line::default()
    };
    let uses = |hold| Some(LockUse { lock: "Mutex#1".to_owned(), hold });
    let lock = |task| Line { lock: uses(Hold::Exclusive), ..line(task, "lock", "Mutex#1", "") };
    let mut lines = vec![
        lock(0),
        Line { spawns: Some(1), enables: vec![1], ..line(0, "spawn", "main.1", "") },
        Line { disables: vec![1], ..line(1, "load", "AtomicU64#1", "→ 0") },
        Line { after: vec![2], ..line(0, "store", "AtomicU64#1", "1") },
        Line { lock: uses(Hold::Released), enables: vec![1], ..line(0, "unlock", "Mutex#1", "") },
        Line { after: vec![4], ..lock(1) },
        Line { reads_from: Some(3), ..line(1, "load", "AtomicU64#1", "→ 1") },
    ];
    lines.iter_mut().enumerate().for_each(|(step, line)| line.step = Some(step));
    let tasks = ["main", "main.1"].map(|name| task(name.to_owned())).into();
    let record = ExecutionRecord { tasks, lines, enabled: Some(vec![0]), ..ExecutionRecord::default() };
    Failure::new(said("it was woken up too late"), 1, record, Ticket::empty())
}

/// Every text is hostile.
fn hostile() -> Failure {
    let text = HOSTILE.to_owned();
    let mut failure = random(40, 3, HOSTILE);
    failure.defect = said(HOSTILE).with(Fact::of(HOSTILE, Relation::In { function: text.clone() }));
    for task in &mut failure.record.tasks {
        (task.name, task.label) = (format!("{}{HOSTILE}", task.name), Some(text.clone()));
    }
    for line in &mut failure.record.lines {
        (line.operation, line.object, line.result) = (text.clone(), Some(text.clone()), text.clone());
        line.value = Some(text.clone());
        line.place = Some(Place { file: text.clone(), line: 1, column: 1 });
        line.mailboxes = vec![Mailbox { task: 0, messages: vec![text.clone()], more: 0 }];
        line.lock = Some(LockUse { lock: text.clone(), hold: Hold::Shared });
    }
    failure
}

/// Texts of a megabyte.
fn megabyte() -> Failure {
    let text = "x\u{202e}<b>".repeat(1 << 17);
    let mut failure = random(12, 2, "megabyte");
    failure.defect = said(&text);
    failure.record.tasks[1].name.clone_from(&text);
    for line in failure.record.lines.iter_mut().take(3) {
        (line.object, line.result) = (Some(text.clone()), text.clone());
    }
    failure
}

fn suite() -> String {
    let outcome = |n: usize| SuiteOutcome {
        program: format!("package {}", n / 100),
        test: format!("tests::number_{n}"),
        verdict: [Word::Passed, Word::Passed, Word::Passed, Word::Failed, Word::Skipped][n % 5],
        because: (n % 5 == 4).then(|| "it waits in a system call: poll".to_owned()),
        covered: Some("exhaustive · sequentially consistent".to_owned()),
        executions: (n * n) as u64,
        seconds: n as f64 / 100.0,
        failure: (n % 5 == 3).then(|| "panic: assertion failed".to_owned()),
        page: (n % 5 == 3).then(|| "short.html".to_owned()),
        ..SuiteOutcome::default()
    };
    let mut outcomes: Vec<SuiteOutcome> = (0..1_000).map(outcome).collect();
    outcomes[1].test = HOSTILE.to_owned();
    suite_page("raddle: the tests of a workspace", &outcomes, &["sequentially consistent".to_owned()])
}
