//! Random programs under random schedules, judged by the execution and by a slow, obvious oracle. A program
//! records its own events; the oracle adds the edges of the language's memory model, takes the transitive
//! closure, and checks all pairs of accesses.

use super::Shared;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use raddle::sync::atomic::{AtomicUsize, Ordering, Ordering::*, fence};
use raddle::sync::mpsc::{Receiver, Sender, channel};
use raddle::sync::{Arc, Mutex, Once, RwLock};
use raddle::{Checker, FailureKind, thread};
use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Read,
    Write,
}

/// An operation of a task of a random program. There are two objects of each kind.
#[derive(Clone, Debug)]
enum Op {
    Load(usize, Ordering),
    Store(usize, Ordering),
    Add(usize, Ordering),
    CompareExchange(usize, Ordering, Ordering),
    Fence(Ordering),
    Send,
    /// Runs the rest if there is a message; only for main.
    Receive(Vec<Op>),
    /// Runs the rest.
    All(Vec<Op>),
    /// Runs the rest if the atomic is not 0.
    If(usize, Ordering, Vec<Op>),
    /// Runs the rest under a lock.
    Locked(usize, Vec<Op>),
    /// Runs the rest under a shared lock.
    Shared(usize, How, Vec<Op>),
    /// Accesses a cell unless this was done before.
    Once(usize, usize, How),
    /// Runs the rest during an access.
    Access(usize, How, Vec<Op>),
}

/// An event, and on which of two objects.
#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    Load(usize, Ordering),
    Store(usize, Ordering),
    Update(usize, Ordering),
    Fence(Ordering),
    Made(usize),
    Sent(usize),
    Received(usize),
    Lock(usize),
    Unlock(usize),
    LockShared(usize, How),
    UnlockShared(usize, How),
    OnceDone(usize),
    OnceSeen(usize),
    Spawn(usize),
    Join(usize),
    Begin(usize, How),
    End(usize, How),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    task: usize,
    what: What,
}

/// The events up to the first access that was refused. During teardown a task may still run from an unlock to
/// its next operation: that is not recorded.
#[derive(Default)]
struct Record {
    events: Vec<Event>,
    /// The task that requested an access and does not have it. Accesses are no steps, so no other task runs
    /// before it has it, unless it is refused.
    refused: Option<usize>,
}

type Shelf = Arc<std::sync::Mutex<Record>>;

struct Things {
    cells: [Shared<u32>; 2],
    atomics: [AtomicUsize; 2],
    locks: [Mutex<()>; 2],
    shared: [RwLock<()>; 2],
    onces: [Once; 2],
    sender: Sender<usize>,
    record: Shelf,
}

/// The receiving end, which only main has.
type Inbox<'a> = Option<&'a Receiver<usize>>;

impl Things {
    fn new(sender: Sender<usize>, record: Shelf) -> Things {
        Things {
            cells: Default::default(),
            atomics: Default::default(),
            locks: Default::default(),
            shared: Default::default(),
            onces: [Once::new(), Once::new()],
            sender,
            record,
        }
    }

    fn note(&self, task: usize, what: What) {
        let mut record = self.record.lock().unwrap();
        if record.refused.is_none() {
            record.events.push(Event { task, what });
            record.refused = matches!(what, What::Begin(..)).then_some(task);
        }
    }

    /// During an access.
    fn granted(&self, task: usize, inbox: Inbox<'_>, ops: &[Op]) {
        self.record.lock().unwrap().refused.take_if(|refused| *refused == task);
        self.run(task, inbox, ops);
    }

    fn run(&self, task: usize, inbox: Inbox<'_>, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Load(a, order) => {
                    self.atomics[*a].load(*order);
                    self.note(task, What::Load(*a, *order));
                }
                Op::Store(a, order) => {
                    self.atomics[*a].store(task + 1, *order);
                    self.note(task, What::Store(*a, *order));
                }
                Op::Add(a, order) => {
                    self.atomics[*a].fetch_add(1, *order);
                    self.note(task, What::Update(*a, *order));
                }
                Op::CompareExchange(a, success, failure) => {
                    let what = match self.atomics[*a].compare_exchange(1, 2, *success, *failure) {
                        Ok(_) => What::Update(*a, *success),
                        Err(_) => What::Load(*a, *failure),
                    };
                    self.note(task, what);
                }
                Op::Fence(order) => {
                    fence(*order);
                    self.note(task, What::Fence(*order));
                }
                Op::Send => {
                    // Numbered by the count of events so far.
                    let message = self.record.lock().unwrap().events.len();
                    self.note(task, What::Made(message));
                    self.sender.send(message).unwrap();
                    self.note(task, What::Sent(message));
                }
                Op::Receive(ops) => {
                    if let Some(message) = inbox.and_then(|inbox| inbox.try_recv().ok()) {
                        self.note(task, What::Received(message));
                        self.run(task, inbox, ops);
                    }
                }
                Op::All(ops) => self.run(task, inbox, ops),
                Op::If(a, order, ops) => {
                    let seen = self.atomics[*a].load(*order);
                    self.note(task, What::Load(*a, *order));
                    if seen != 0 {
                        self.run(task, inbox, ops);
                    }
                }
                Op::Locked(m, ops) => {
                    let guard = self.locks[*m].lock().unwrap();
                    self.note(task, What::Lock(*m));
                    self.run(task, inbox, ops);
                    drop(guard);
                    self.note(task, What::Unlock(*m));
                }
                Op::Shared(m, How::Read, ops) => {
                    let guard = self.shared[*m].read().unwrap();
                    self.note(task, What::LockShared(*m, How::Read));
                    self.run(task, inbox, ops);
                    drop(guard);
                    self.note(task, What::UnlockShared(*m, How::Read));
                }
                Op::Shared(m, How::Write, ops) => {
                    let guard = self.shared[*m].write().unwrap();
                    self.note(task, What::LockShared(*m, How::Write));
                    self.run(task, inbox, ops);
                    drop(guard);
                    self.note(task, What::UnlockShared(*m, How::Write));
                }
                Op::Once(o, c, how) => {
                    let mut mine = false;
                    self.onces[*o].call_once(|| {
                        mine = true;
                        self.run(task, inbox, &[Op::Access(*c, *how, Vec::new())]);
                    });
                    self.note(task, if mine { What::OnceDone(*o) } else { What::OnceSeen(*o) });
                }
                Op::Access(c, how, ops) => {
                    self.note(task, What::Begin(*c, *how));
                    match how {
                        How::Read => self.cells[*c].0.with(|_| self.granted(task, inbox, ops)),
                        How::Write => self.cells[*c].0.with_mut(|_| self.granted(task, inbox, ops)),
                    }
                    self.note(task, What::End(*c, *how));
                }
            }
        }
    }
}

/// Main runs its first part, spawns the tasks, runs its second part, joins them and runs its last part.
#[derive(Clone, Debug)]
struct Program {
    tasks: Vec<Vec<Op>>,
    main: [Vec<Op>; 3],
}

impl Program {
    fn run(&self, record: Shelf) {
        // A failing execution may be run again.
        *record.lock().unwrap() = Record::default();
        let (sender, receiver) = channel();
        let inbox = Some(&receiver);
        let things = Arc::new(Things::new(sender, record));
        things.run(0, inbox, &self.main[0]);
        let mut handles = Vec::new();
        for (at, ops) in self.tasks.iter().enumerate() {
            let task = at + 1;
            let (its, ops) = (things.clone(), ops.clone());
            things.note(0, What::Spawn(task));
            handles.push((task, thread::spawn(move || its.run(task, None, &ops))));
        }
        things.run(0, inbox, &self.main[1]);
        for (task, handle) in handles {
            handle.join().unwrap();
            things.note(0, What::Join(task));
        }
        things.run(0, inbox, &self.main[2]);
    }
}

fn loads() -> impl Strategy<Value = Ordering> {
    prop::sample::select(vec![Relaxed, Acquire, SeqCst])
}
fn stores() -> impl Strategy<Value = Ordering> {
    prop::sample::select(vec![Relaxed, Release, SeqCst])
}
fn updates() -> impl Strategy<Value = Ordering> {
    prop::sample::select(vec![Relaxed, Acquire, Release, AcqRel, SeqCst])
}
fn how() -> impl Strategy<Value = How> {
    prop::sample::select(vec![How::Read, How::Write])
}

fn access() -> impl Strategy<Value = Op> {
    (0..2usize, how()).prop_map(|(c, h)| Op::Access(c, h, Vec::new()))
}

fn op() -> impl Strategy<Value = Op> {
    let fences = || updates().prop_filter("no fence is relaxed", |o| *o != Relaxed);
    let simple = prop_oneof![
        1 => (0..2usize, loads()).prop_map(|(a, o)| Op::Load(a, o)),
        2 => (0..2usize, stores()).prop_map(|(a, o)| Op::Store(a, o)),
        2 => (0..2usize, updates()).prop_map(|(a, o)| Op::Add(a, o)),
        1 => (0..2usize, updates(), loads()).prop_map(|(a, s, f)| Op::CompareExchange(a, s, f)),
        1 => fences().prop_map(Op::Fence),
        1 => Just(Op::Send),
        1 => (0..2usize, 0..2usize, how()).prop_map(|(o, c, h)| Op::Once(o, c, h)),
        2 => access(),
    ];
    simple.prop_recursive(2, 6, 3, move |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..3);
        // With a fence, a relaxed access may synchronise.
        let offers = (fences(), access(), 0..2usize)
            .prop_map(|(o, access, a)| Op::All(vec![Op::Fence(o), access, Op::Store(a, Relaxed)]));
        let takes = (0..2usize, fences(), access())
            .prop_map(|(a, o, access)| Op::If(a, Relaxed, vec![Op::Fence(o), access]));
        let sends = access().prop_map(|access| Op::All(vec![access, Op::Send]));
        let receives = access().prop_map(|access| Op::Receive(vec![access]));
        prop_oneof![
            4 => (0..2usize, loads(), some()).prop_map(|(a, o, ops)| Op::If(a, o, ops)),
            4 => (0..2usize, some()).prop_map(|(m, ops)| Op::Locked(m, ops)),
            3 => (0..2usize, how(), some()).prop_map(|(m, h, ops)| Op::Shared(m, h, ops)),
            1 => (0..2usize, how(), some()).prop_map(|(c, h, ops)| Op::Access(c, h, ops)),
            1 => some().prop_map(Op::Receive),
            2 => sends,
            2 => receives,
            1 => offers,
            2 => takes,
        ]
    })
}

fn program() -> impl Strategy<Value = Program> {
    let ops = |most: usize| prop::collection::vec(op(), 0..most);
    let main = [ops(2).boxed(), ops(3).boxed(), ops(2).boxed()];
    (prop::collection::vec(ops(5), 1..4), main).prop_map(|(tasks, main)| Program { tasks, main })
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}
fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}

/// For each event, those that happen before it.
fn happened_before(events: &[Event]) -> Vec<BTreeSet<usize>> {
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    for at in 0..events.len() {
        let mut all = BTreeSet::new();
        for source in edges_into(events, at) {
            all.insert(source);
            all.extend(&before[source]);
        }
        before.push(all);
    }
    before
}

fn edges_into(events: &[Event], at: usize) -> BTreeSet<usize> {
    let Event { task, what } = events[at];
    let those =
        |wanted: &dyn Fn(&Event) -> bool| -> Vec<usize> { (0..at).filter(|i| wanted(&events[*i])).collect() };
    let mut edges: BTreeSet<usize> =
        those(&|e| e.task == task || e.what == What::Spawn(task)).into_iter().collect();
    match what {
        What::Lock(m) => edges.extend(those(&|e| e.what == What::Unlock(m))),
        What::LockShared(m, How::Read) => {
            edges.extend(those(&|e| e.what == What::UnlockShared(m, How::Write)))
        }
        What::LockShared(m, How::Write) => {
            edges.extend(those(&|e| matches!(e.what, What::UnlockShared(n, _) if m == n)));
        }
        What::Received(message) => edges.extend(those(&|e| e.what == What::Sent(message))),
        What::OnceSeen(o) => edges.extend(those(&|e| e.what == What::OnceDone(o))),
        What::Join(other) => edges.extend(those(&|e| e.task == other)),
        What::Load(_, order) | What::Update(_, order) if acquires(order) => {
            edges.extend(released_to(events, at));
        }
        What::Fence(order) if acquires(order) => {
            // A read before an acquire fence counts as acquired by the fence.
            for load in those(&|e| e.task == task && matches!(e.what, What::Load(..) | What::Update(..))) {
                edges.extend(released_to(events, load));
            }
        }
        _ => {}
    }
    edges
}

/// The releases to which the value read at `load` belongs. It comes from the last write. Backwards from
/// there, each read-modify-write continues the release sequence of the write before it; a sequence is headed
/// by a write that releases, or that comes after a release fence of its task.
fn released_to(events: &[Event], load: usize) -> BTreeSet<usize> {
    let (What::Load(atomic, _) | What::Update(atomic, _)) = events[load].what else { unreachable!() };
    let mut found = BTreeSet::new();
    for head in (0..load).rev() {
        let (What::Store(other, order) | What::Update(other, order)) = events[head].what else { continue };
        if other != atomic {
            continue;
        }
        if releases(order) {
            found.insert(head);
        }
        let fence = |e: &Event| matches!(e.what, What::Fence(order) if releases(order));
        found.extend((0..head).filter(|i| events[*i].task == events[head].task && fence(&events[*i])));
        if let What::Store(..) = events[head].what {
            break;
        }
    }
    found
}

/// The accesses that race with the one that starts at `at`, unless they are ordered.
fn conflicts(events: &[Event], before: &[BTreeSet<usize>], at: usize) -> Vec<Conflict> {
    let What::Begin(cell, how) = events[at].what else { return Vec::new() };
    let mut found = Vec::new();
    for begin in 0..at {
        let What::Begin(other_cell, other_how) = events[begin].what else { continue };
        if other_cell != cell || (how, other_how) == (How::Read, How::Read) {
            continue;
        }
        let task = events[begin].task;
        let end = end_of(events, begin, at);
        let ordered = end.is_some_and(|end| before[at].contains(&end));
        if !ordered {
            found.push(Conflict { task, nested: task == events[at].task });
        }
    }
    found
}

struct Conflict {
    task: usize,
    /// An access of the same task.
    nested: bool,
}

/// Where the access that starts at `begin` ends, if that is before `at`: the accesses of a task are nested.
fn end_of(events: &[Event], begin: usize, at: usize) -> Option<usize> {
    let mut depth = 0;
    (begin..at).filter(|i| events[*i].task == events[begin].task).find(|i| {
        match events[*i].what {
            What::Begin(..) => depth += 1,
            What::End(..) => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

fn name(task: usize) -> String {
    if task == 0 { "main".to_owned() } else { format!("main.{task}") }
}

/// The number of each verdict.
#[derive(Default, Debug)]
struct Tally {
    passed: u32,
    races: u32,
    nested: u32,
    deadlocks: u32,
}

fn agree(program: &Program, seed: u64, tally: &mut Tally) {
    let record = Shelf::default();
    let report = Checker::random(1)
        .sampler(raddle::Sampler::Uniform)
        .seed(seed)
        .simplify(raddle::Simplify::No)
        .run(|| program.run(record.clone()));
    let Record { events, refused } = &*record.lock().unwrap();
    let before = happened_before(events);
    let first = (0..events.len()).find(|at| !conflicts(events, &before, *at).is_empty());
    let Some(failure) = report.failure() else {
        assert_eq!((first, *refused), (None, None), "a race was missed: {events:#?}");
        tally.passed += 1;
        return;
    };
    match failure.kind() {
        FailureKind::Deadlock => {
            assert_eq!((first, *refused), (None, None), "a race was missed: {events:#?}");
            tally.deadlocks += 1;
        }
        FailureKind::DataRace | FailureKind::Misuse => {
            let last = first.unwrap_or_else(|| panic!("not a race: {} {events:#?}", failure.message()));
            assert_eq!(last + 1, events.len(), "not the first: {events:#?}");
            assert_eq!(*refused, Some(events[last].task));
            let blamed = &raddle_report::fact(&failure.defect.facts[0]);
            let mine = &raddle_report::fact(&failure.defect.facts[1]);
            assert!(mine.starts_with(&format!("{} ", name(events[last].task))), "{mine}");
            let found = conflicts(events, &before, last);
            let nested = failure.kind() == FailureKind::Misuse;
            let right =
                |c: &Conflict| c.nested == nested && blamed.starts_with(&format!("{} ", name(c.task)));
            assert!(found.iter().any(right), "{blamed}: {events:#?}");
            *(if nested { &mut tally.nested } else { &mut tally.races }) += 1;
        }
        other => panic!("{other}: {}", failure.message()),
    }
}

#[test]
fn an_oracle_agrees_on_thousands_of_random_programs() {
    let config = Config { cases: 2_000, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let tally = std::cell::RefCell::new(Tally::default());
    let result = TestRunner::new_with_rng(config, rng).run(&program(), |program| {
        for seed in 0..4 {
            agree(&program, seed, &mut tally.borrow_mut());
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let Tally { passed, races, nested, deadlocks } = tally.into_inner();
    let enough = passed > 1_000 && races > 1_000 && nested > 50 && deadlocks > 50;
    assert!(enough, "{passed} passed, {races} races, {nested} nested, {deadlocks} deadlocks");
}
