//! A second world of hand-written programs, with everything that a reduction has to cope with: locks of both
//! kinds, channels, condition variables, options, operations on several objects, barriers, tasks that create
//! tasks, ends and joins that happen by themselves, panics. It says what could have happened by playing the
//! execution again from the start.

use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use raddle_core::record::ExecutionRecord;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{
    Birth, Counterfactual, Describe, Driver, End, Ended, Ending, Explain, Manner, Pending, Pick, Point,
    SelfDriving, Variation, World,
};
use std::collections::{BTreeMap, VecDeque};

/// One operation of a task. A lock that the task does not hold is not unlocked, waited with, or locked twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Do {
    Load(usize),
    Store(usize, i64),
    Add(usize),
    /// Variable, expected, new.
    Cas(usize, i64, i64),
    /// Exchanges the values of two variables.
    Swap(usize, usize),
    Lock(usize),
    TryLock(usize),
    Unlock(usize),
    Read(usize),
    ReadUnlock(usize),
    TryRead(usize),
    Write(usize),
    TryWrite(usize),
    /// The same as a write; panics if the lock was read before, which ends the execution.
    WriteUnread(usize),
    WriteUnlock(usize),
    /// Channel 0 has no bound, channel 1 has room for one message.
    Send(usize, i64),
    Recv(usize),
    TryRecv(usize),
    /// Gives mutex 0 back and waits to be notified.
    Wait,
    /// The second half of a wait.
    Wake,
    Notify,
    Choose(u32),
    Yield,
    /// Looks at all variables.
    Barrier,
    /// The same, once all of them are 0.
    WhenAllZero,
    /// Looks at the variable, and at all of them unless it is 0.
    Fret(usize),
    /// Looks at the variable, and unless it is 0 also at the other one, and waits until that is not 0.
    Guard(usize, usize),
    /// Panics unless the variable is 0, which ends the execution.
    Expect(usize),
    /// The same for all variables.
    ExpectAll,
    /// Panics unless the variable is 0, which a join of the task observes: the task releases what it holds, poisoned,
    /// and ends.
    Die(usize),
    /// Takes one of two options and notes it; the one with this number panics and ends the execution. Accesses the variable.
    Gamble(u32, usize),
    /// The same with a conflict with everything.
    GambleAll(u32),
    /// Creates the task that executes this program. Not a step.
    Spawn(usize),
    /// Waits for the task's child of this number. Happens by itself.
    Join(usize),
}
use Do::*;

/// What the main task does, and what tasks do that are created.
pub type Programs = Vec<Vec<Do>>;

/// Names by the numbers on the way from the main task.
pub type Path = Vec<u32>;

/// The variables, and what each task noted; or how it failed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Outcome {
    pub vars: [i64; 2],
    pub noted: BTreeMap<Path, Vec<i64>>,
}

#[derive(Clone, Debug)]
struct Task {
    program: usize,
    at: usize,
    birth: Birth,
    name: Path,
    children: Vec<TaskId>,
    wakes: bool,
    notified: bool,
    ended: bool,
    died: bool,
    /// It came to its end when others had not: when that happens is a choice.
    lingers: bool,
    noted: Vec<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shared {
    Var(usize),
    Mutex(usize),
    Rw(usize),
    Channel(usize),
    Condvar,
    End(TaskId),
}

#[derive(Clone, Debug, Default)]
struct State {
    tasks: Vec<Task>,
    vars: [i64; 2],
    mutexes: [Option<TaskId>; 2],
    poisoned: [bool; 2],
    writers: [Option<TaskId>; LOCKS],
    readers: [Vec<TaskId>; LOCKS],
    poisoned_too: [bool; LOCKS],
    was_read: [bool; LOCKS],
    channels: [VecDeque<i64>; 2],
    waiters: Vec<TaskId>,
    /// Objects are numbered in the order in which they are first announced.
    objects: Vec<Shared>,
    steps: u32,
    failed: bool,
    over: bool,
}

/// What a machine says of how operations depend on the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hints {
    /// That all of them do, in all ways: always right.
    None,
    /// What is true.
    Exact,
}

pub struct Machine {
    hints: Hints,
    programs: Programs,
    state: State,
    enabled: Vec<TaskId>,
    pending: Vec<Pending>,
    births: Vec<Birth>,
    /// The picks of the steps so far; none for those that happened by themselves.
    steps: Vec<(Option<Pick>, Path)>,
    /// What each of them did.
    done: Vec<Option<Do>>,
    notes: Vec<(TaskId, Pending)>,
}

const BOUND: [usize; 2] = [usize::MAX, 1];
/// What is noted where another task has panicked.
const POISONED: i64 = -7;
/// How many read-write locks there are.
const LOCKS: usize = 3;

impl State {
    fn object(&mut self, shared: Shared) -> ObjectId {
        let at = self.objects.iter().position(|t| *t == shared).unwrap_or_else(|| {
            self.objects.push(shared);
            self.objects.len() - 1
        });
        ObjectId(at as u32)
    }
    fn op(&self, programs: &Programs, id: TaskId) -> Option<Do> {
        let task = &self.tasks[id.index()];
        if task.died {
            return self.blockers(id);
        }
        if task.wakes { Some(Wake) } else { programs[task.program].get(task.at).copied() }
    }
    /// What gives back something that the task holds.
    fn blockers(&self, id: TaskId) -> Option<Do> {
        let mutex = self.mutexes.iter().position(|holder| *holder == Some(id)).map(Unlock);
        let written = || self.writers.iter().position(|writer| *writer == Some(id)).map(WriteUnlock);
        let read = || self.readers.iter().position(|readers| readers.contains(&id)).map(ReadUnlock);
        mutex.or_else(written).or_else(read)
    }
    fn spawn(&mut self, program: usize, parent: Option<TaskId>) -> TaskId {
        let id = TaskId(self.tasks.len() as u32);
        let (mut name, mut number) = (Path::new(), 0);
        if let Some(parent) = parent {
            self.tasks[parent.index()].children.push(id);
            number = self.tasks[parent.index()].children.len() as u32;
            name = self.tasks[parent.index()].name.clone();
            name.push(number);
        }
        let birth = Birth { parent: parent.unwrap_or(id), number, after: self.steps };
        let children = Vec::new();
        let noted = Vec::new();
        self.tasks.push(Task {
            program,
            at: 0,
            birth,
            name,
            children,
            wakes: false,
            notified: false,
            ended: false,
            died: false,
            lingers: false,
            noted,
        });
        id
    }
    /// Accesses and options of a task's operation.
    fn sense(&mut self, programs: &Programs, id: TaskId) -> (Accesses, u32, Manner) {
        use Mode::{Read as R, Write as W};
        use Shared::{Channel, Condvar, Mutex, Rw, Var};
        let mode = |writes: bool| if writes { W } else { R };
        let Some(op) = self.op(programs, id) else {
            if self.tasks[id.index()].ended {
                return (Accesses::NONE, 0, Manner::Ordinary);
            }
            if id == TaskId::MAIN {
                return (Accesses::EVERYTHING_THERE_IS, 1, Manner::Ordinary);
            }
            return (Accesses::write(self.object(Shared::End(id))), 1, Manner::Ordinary);
        };
        let mut manner = Manner::Ordinary;
        let mut options = 1;
        let mut touches: Vec<(Shared, Mode)> = Vec::new();
        match op {
            Guard(x, y) => {
                touches.push((Var(x), R));
                if self.vars[x] != 0 {
                    options = (self.vars[y] != 0) as u32;
                    touches.push((Var(y), R));
                }
            }
            Fret(x) if self.vars[x] != 0 => return (Accesses::EVERYTHING_THERE_IS, 1, manner),
            Load(x) | Expect(x) | Die(x) | Fret(x) => touches.push((Var(x), R)),
            Store(x, _) | Add(x) => touches.push((Var(x), W)),
            Cas(x, expected, _) => touches.push((Var(x), mode(self.vars[x] == expected))),
            Swap(x, y) => touches.extend([(Var(x), W), (Var(y), W)]),
            Lock(m) if self.mutexes[m] == Some(id) => {}
            Lock(m) => {
                options = self.mutexes[m].is_none() as u32;
                touches.push((Mutex(m), W));
            }
            TryLock(m) => touches.push((Mutex(m), mode(self.mutexes[m].is_none()))),
            Unlock(m) if self.mutexes[m] == Some(id) => touches.push((Mutex(m), W)),
            Read(l) | TryRead(l) if self.holds(l, id) => {}
            TryRead(l) => touches.push((Rw(l), R)),
            Read(l) => {
                options = self.writers[l].is_none() as u32;
                touches.push((Rw(l), R));
            }
            ReadUnlock(l) if self.readers[l].contains(&id) => touches.push((Rw(l), R)),
            Write(l) | WriteUnread(l) if self.holds(l, id) => {}
            Write(l) | WriteUnread(l) => {
                options = (self.writers[l].is_none() && self.readers[l].is_empty()) as u32;
                touches.push((Rw(l), W));
            }
            TryWrite(l) if self.holds(l, id) => {}
            TryWrite(l) => touches.push((Rw(l), mode(self.writers[l].is_none()))),
            WriteUnlock(l) if self.writers[l] == Some(id) => touches.push((Rw(l), W)),
            Send(c, _) => {
                options = (self.channels[c].len() < BOUND[c]) as u32;
                touches.push((Channel(c), W));
            }
            Recv(c) => {
                options = !self.channels[c].is_empty() as u32;
                touches.push((Channel(c), W));
            }
            TryRecv(c) => touches.push((Channel(c), mode(!self.channels[c].is_empty()))),
            Wait if self.mutexes[0] == Some(id) => touches.extend([(Condvar, W), (Mutex(0), W)]),
            Wake => {
                options = (self.tasks[id.index()].notified && self.mutexes[0].is_none()) as u32;
                touches.extend([(Condvar, R), (Mutex(0), W)]);
            }
            Notify => {
                options = self.waiters.len().max(1) as u32;
                touches.push((Condvar, mode(!self.waiters.is_empty())));
            }
            Choose(n) => options = n,
            Gamble(_, x) => {
                options = 2;
                touches.push((Var(x), W));
            }
            Yield => manner = Manner::Yielding,
            GambleAll(_) => return (Accesses::EVERYTHING_THERE_IS, 2, manner),
            WhenAllZero => {
                let all_zero = self.vars.iter().all(|var| *var == 0);
                return (Accesses::EVERYTHING_THERE_IS, all_zero as u32, manner);
            }
            Barrier | ExpectAll => return (Accesses::EVERYTHING_THERE_IS, 1, manner),
            Join(child) => {
                if let Some(child) = self.tasks[id.index()].children.get(child).copied() {
                    options = self.tasks[child.index()].ended as u32;
                    touches.push((Shared::End(child), R));
                }
            }
            Unlock(_) | ReadUnlock(_) | WriteUnlock(_) | Wait => {}
            // Only where the execution was ended before it could.
            Spawn(_) => options = 0,
        }
        let mut accesses = Accesses::NONE;
        for (shared, mode) in touches {
            accesses = accesses.and(self.object(shared), mode);
        }
        (accesses, options, manner)
    }
    fn holds(&self, l: usize, id: TaskId) -> bool {
        self.writers[l] == Some(id) || self.readers[l].contains(&id)
    }
    /// A task's operation happens.
    fn apply(&mut self, programs: &Programs, pick: Pick) {
        let id = pick.task;
        let op = self.op(programs, id);
        self.steps += 1;
        let task = &mut self.tasks[id.index()];
        let Some(op) = op else {
            task.ended = true;
            self.over |= id == TaskId::MAIN;
            return;
        };
        if !task.wakes && !task.died {
            task.at += 1;
        }
        let died = task.died;
        let mut note = |value: i64| task.noted.push(value);
        let vars = &mut self.vars;
        match op {
            Load(x) | Guard(x, _) => note(vars[x]),
            Store(x, value) => vars[x] = value,
            Add(x) => vars[x] += 10,
            Cas(x, expected, new) => {
                note(vars[x]);
                if vars[x] == expected {
                    vars[x] = new;
                }
            }
            Swap(x, y) => vars.swap(x, y),
            Lock(m) => {
                if self.poisoned[m] {
                    note(POISONED);
                }
                self.mutexes[m] = Some(id);
            }
            TryLock(m) => {
                note(self.mutexes[m].is_none() as i64);
                self.mutexes[m].get_or_insert(id);
            }
            Unlock(m) if self.mutexes[m] == Some(id) => {
                self.mutexes[m] = None;
                self.poisoned[m] |= died;
            }
            Read(l) => {
                if self.writers[l] != Some(id) && !self.readers[l].contains(&id) {
                    if self.poisoned_too[l] {
                        note(POISONED);
                    }
                    self.readers[l].push(id);
                    self.was_read[l] = true;
                }
            }
            TryRead(l) => {
                let own = self.writers[l] == Some(id) || self.readers[l].contains(&id);
                let free = !own && self.writers[l].is_none();
                note(free as i64);
                if free {
                    self.readers[l].push(id);
                }
            }
            ReadUnlock(l) => self.readers[l].retain(|t| *t != id),
            Write(l) | WriteUnread(l) => {
                if !self.readers[l].contains(&id) {
                    self.writers[l] = Some(id);
                }
                self.failed |= matches!(op, WriteUnread(_)) && self.was_read[l];
            }
            TryWrite(l) => {
                let free = self.writers[l].is_none() && self.readers[l].is_empty();
                note(free as i64);
                if free {
                    self.writers[l] = Some(id);
                }
            }
            WriteUnlock(l) if self.writers[l] == Some(id) => {
                self.writers[l] = None;
                self.poisoned_too[l] |= died;
            }
            Send(c, value) => self.channels[c].push_back(value),
            Recv(c) => note(self.channels[c].pop_front().expect("it is not blocked")),
            TryRecv(c) => note(self.channels[c].pop_front().unwrap_or(-1)),
            Wait if self.mutexes[0] == Some(id) => {
                self.mutexes[0] = None;
                self.waiters.push(id);
                task.wakes = true;
            }
            Wake => {
                self.mutexes[0] = Some(id);
                (task.wakes, task.notified) = (false, false);
            }
            Notify if !self.waiters.is_empty() => {
                let woken = self.waiters.remove(pick.option as usize);
                self.tasks[woken.index()].notified = true;
            }
            Choose(_) => note(pick.option as i64),
            Fret(x) if vars[x] == 0 => note(0),
            Barrier | WhenAllZero | Fret(_) => note(vars[0] * 1_000 + vars[1]),
            Expect(x) => self.failed |= vars[x] != 0,
            ExpectAll => self.failed |= vars.iter().any(|var| *var != 0),
            Gamble(bad, x) => {
                note(pick.option as i64);
                vars[x] += 100;
                self.failed |= pick.option == bad;
            }
            GambleAll(bad) => {
                note(pick.option as i64);
                self.failed |= pick.option == bad;
            }
            Die(x) => task.died = vars[x] != 0,
            Join(child) => {
                let child = task.children.get(child).copied();
                if child.is_some_and(|child| self.tasks[child.index()].died) {
                    self.tasks[id.index()].noted.push(POISONED);
                }
            }
            Notify | Yield | Unlock(_) | WriteUnlock(_) | Wait => {}
            Spawn(_) => unreachable!("not a step"),
        }
    }
    fn is_alone(&self) -> bool {
        self.tasks.iter().skip(1).all(|t| t.ended)
    }
    /// Lets happen what happens by itself, until nothing more does. Returns the steps.
    fn settle(&mut self, programs: &Programs) -> Vec<(TaskId, Pending)> {
        let mut notes = Vec::new();
        loop {
            let mut moved = false;
            let mut at = 0;
            while at < self.tasks.len() && !self.failed && !self.over {
                let id = TaskId(at as u32);
                at += 1;
                while let Some(Spawn(program)) = self.op(programs, id) {
                    self.tasks[id.index()].at += 1;
                    self.spawn(program, Some(id));
                    moved = true;
                }
                let ends = self.op(programs, id).is_none() && !self.tasks[id.index()].ended;
                if ends && id == TaskId::MAIN && !self.is_alone() {
                    self.tasks[0].lingers = true;
                }
                let by_itself = match self.op(programs, id) {
                    None => ends && !self.tasks[id.index()].lingers,
                    Some(op) => matches!(op, Join(_)),
                };
                let (accesses, options, manner) = self.sense(programs, id);
                if by_itself && options > 0 {
                    let options = !matches!(self.op(programs, id), Some(Join(_))) as u32;
                    notes.push((id, Pending { accesses, options, signature: 0, manner }));
                    self.apply(programs, Pick { task: id, option: 0 });
                    moved = true;
                }
            }
            if !moved {
                return notes;
            }
        }
    }
    fn pending(&mut self, programs: &Programs, id: TaskId) -> Pending {
        let (accesses, options, manner) = self.sense(programs, id);
        let op = self.op(programs, id);
        if self.tasks[id.index()].ended {
            return Pending::NOTHING;
        }
        let task = &self.tasks[id.index()];
        let held = if task.died { 10_000 } else { 0 };
        let signature = (task.program * 100 + task.at * 2 + held) as u32 + task.wakes as u32 + 1;
        let options = if matches!(op, Some(Join(_))) { 0 } else { options };
        Pending { accesses, options, signature, manner }
    }
    fn begin() -> State {
        let mut state = State::default();
        state.spawn(0, None);
        state
    }
}

impl Machine {
    pub fn new(programs: &Programs) -> Machine {
        Machine::with_hints(programs, Hints::None)
    }
    pub fn with_hints(programs: &Programs, hints: Hints) -> Machine {
        Machine {
            hints,
            programs: programs.clone(),
            state: State::default(),
            enabled: Vec::new(),
            pending: Vec::new(),
            births: Vec::new(),
            steps: Vec::new(),
            done: Vec::new(),
            notes: Vec::new(),
        }
    }
    fn settle(&mut self) {
        self.notes = self.state.settle(&self.programs);
        for (id, _) in &self.notes {
            self.steps.push((None, self.state.tasks[id.index()].name.clone()));
            self.done.push(None);
        }
        let tasks = self.state.tasks.len();
        self.pending = (0..tasks).map(|t| self.state.pending(&self.programs, TaskId(t as u32))).collect();
        self.births = self.state.tasks.iter().map(|t| t.birth).collect();
        let over = self.state.failed || self.state.over;
        let ids = (0..tasks as u32).map(TaskId);
        self.enabled = ids.filter(|t| !over && self.pending[t.index()].options > 0).collect();
    }
    fn report(&mut self, driver: &mut dyn Driver) -> bool {
        let notes = std::mem::take(&mut self.notes);
        notes.iter().all(|(task, pending)| driver.note(*task, pending, self))
    }
}

impl Describe for Machine {
    fn describe(&self, task: TaskId) -> String {
        format!("{:?} {:?}", self.state.tasks[task.index()].name, self.state.op(&self.programs, task))
    }
    fn describe_last_time(&self, index: usize) -> String {
        format!("step {index}")
    }
}

impl Counterfactual for Machine {
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let mut state = State::begin();
        state.settle(&self.programs);
        let with = |state: &State, name: &Path| state.tasks.iter().position(|t| t.name == *name);
        for at in (0..prefix).chain(also.iter().map(|at| *at as usize)) {
            let (Some(pick), name) = &self.steps[at] else { continue };
            let task = with(&state, name).expect("the task of a step of a closed subset exists");
            let pick = Pick { task: TaskId(task as u32), option: pick.option };
            let pending = state.pending(&self.programs, pick.task);
            assert!(pick.option < pending.options, "a step of a closed subset depends on no other step");
            state.apply(&self.programs, pick);
            state.settle(&self.programs);
        }
        let then = with(&state, &self.state.tasks[task.index()].name).expect("its birth is in the subset");
        // Objects are numbered as they were here, not as they would have been.
        state.objects.clone_from(&self.state.objects);
        state.pending(&self.programs, TaskId(then as u32))
    }
    fn variation(&self, task: TaskId) -> Variation {
        if self.hints == Hints::None {
            return Variation::State;
        }
        match self.state.op(&self.programs, task) {
            Some(
                Load(_) | Store(..) | Add(_) | Swap(..) | TryRead(_) | Expect(_) | Die(_) | Choose(_) | Yield
                | Barrier | ExpectAll | Gamble(..) | GambleAll(_),
            ) => Variation::Steady,
            Some(Unlock(_) | ReadUnlock(_) | WriteUnlock(_) | Wait) => Variation::Steady,
            Some(Lock(_) | Read(_) | Send(..) | Recv(_) | Wake) => Variation::Enabledness,
            Some(Write(_) | WriteUnread(_) | WhenAllZero) => Variation::JointlyBlocked,
            Some(Cas(..) | TryLock(_) | TryWrite(_) | TryRecv(_) | Notify) => Variation::Local,
            _ => Variation::State,
        }
    }
    fn blocks(&self, step: usize, task: TaskId) -> bool {
        let acquires = matches!(self.done[step], Some(Lock(_) | Read(_) | Write(_) | WriteUnread(_)));
        let waits = matches!(self.state.op(&self.programs, task), Some(Lock(_) | Write(_) | WriteUnread(_)));
        self.hints == Hints::Exact && acquires && waits
    }
}

impl World for Machine {
    type Outcome = Outcome;

    fn start(&mut self) {
        self.state = State::begin();
        self.steps.clear();
        self.done.clear();
        self.settle();
    }
    fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending).with_births(&self.births).with_counterfactual(self)
    }
    fn step(&mut self, pick: Pick) {
        assert!(pick.option < self.pending[pick.task.index()].options, "impossible pick {pick:?}");
        self.done.push(self.state.op(&self.programs, pick.task));
        self.steps.push((Some(pick), self.state.tasks[pick.task.index()].name.clone()));
        self.state.apply(&self.programs, pick);
        self.settle();
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Outcome> {
        if let Some(why) = stopped {
            return Ended::stopped(why);
        }
        let failed = |kind, words: &str| End::Failed(Defect::new(kind, words));
        if self.state.failed {
            return Ended::new(Ending::Cut, failed(FailureKind::Panic, "expected 0"));
        }
        if !self.state.over {
            return Ended::new(Ending::Natural, failed(FailureKind::Deadlock, "no task can move"));
        }
        let noted = self.state.tasks.iter().map(|t| (t.name.clone(), t.noted.clone())).collect();
        Ended::new(Ending::Natural, End::Passed(Outcome { vars: self.state.vars, noted }))
    }
    fn self_driving(&mut self) -> Option<&mut dyn SelfDriving> {
        Some(self)
    }
}

impl SelfDriving for Machine {
    fn run(&mut self, driver: &mut dyn Driver) {
        self.start();
        while self.report(driver)
            && !self.point().is_over()
            && let Some(pick) = driver.next(&self.point(), self).pick()
        {
            self.step(pick);
        }
    }
}

impl Explain for Machine {
    fn record(&self) -> ExecutionRecord {
        ExecutionRecord::default()
    }
}
