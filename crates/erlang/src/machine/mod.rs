//! The whole state of a program as plain data: processes, signals in transit, names, tables, timers, the
//! clock. It lists the pending operations and takes one step at a time.

pub mod access;
pub(crate) mod arrival_clocks;
mod copy;
mod ending;
mod ets_step_cache;
mod exit;
mod judgement;
mod local_run_cache;
mod pending;
mod perform;
mod polling;
mod signal;
pub mod spawn;
pub(crate) mod system;
mod timer;
mod touch;
mod unordered_mailbox;

pub(crate) use ending::own_pc;
pub use ending::{Ending, Log};
pub use ets_step_cache::EtsStepCache;
pub use local_run_cache::LocalRunCache;
pub use signal::{Signal, Sort};
pub(crate) use timer::place_of as calls_of;
pub use timer::{LATE_FIRINGS, Timer};
pub use unordered_mailbox::{Mail, Standing, UnorderedMessage};

use crate::ets::Tables;
use crate::files::Files;
use crate::process::Process;
use crate::run::Env;
use crate::term::hash::Fingerprint;
use crate::term::{Atom, Map, Pid, Ref, Term, parse};
use crate::versions::Versions;
use access::{Mark, Marks, Objects, Stale};
use raddle_core::operation::TaskId;
use raddle_core::verdict::{Cause, Defect};
use raddle_core::world::{Birth, Pending};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A task of the search.
#[derive(Clone)]
pub enum Task {
    /// A process.
    Process(Rc<Process>),
    /// Signals in transit from one process to another, in order.
    Pair(Rc<Pair>),
    /// A timer.
    Timer(Rc<Timer>),
    /// A message that has arrived, with unordered mailboxes.
    UnorderedMessage(Rc<UnorderedMessage>),
    /// A message that was received.
    Received(Pid),
    /// The exit of a process that a signal terminated, with unordered mailboxes.
    End(Pid),
    /// A timer that has fired or was cancelled.
    Spent(Rc<Timer>),
    /// The source of injected kills.
    Faults,
}

/// Signals in transit from one process to another.
#[derive(Clone)]
pub struct Pair {
    /// The sender.
    pub from: Pid,
    /// The receiver.
    pub to: Pid,
    /// The signals, in order.
    pub queue: Vec<Signal>,
}

/// A `counters` or `atomics` array.
#[derive(Clone)]
pub struct Numbers {
    /// The values.
    pub values: Vec<i64>,
    /// Whether they are unsigned.
    pub unsigned: bool,
}

/// The whole state of a program.
pub struct Machine {
    pub(crate) env: Rc<Env>,
    pub(crate) tasks: Vec<Task>,
    /// The birth of each task.
    pub(crate) births: Rc<Vec<Birth>>,
    /// The number of steps taken.
    pub(crate) steps: u32,
    /// The tasks of processes, by pid.
    pub(crate) index: Rc<Vec<(Pid, u32)>>,
    /// The tasks of pairs.
    pairs: Rc<Vec<u32>>,
    pub(crate) names: Rc<BTreeMap<Atom, Pid>>,
    /// Names that were released. Programs cannot observe them, so the fingerprint omits them.
    once_named: Rc<Vec<(Atom, Pid)>>,
    pub(crate) tables: Rc<Tables>,
    pub(crate) persistent: Rc<Map>,
    pub(crate) numbers: Rc<BTreeMap<Ref, Rc<Numbers>>>,
    pub(crate) environment: Rc<BTreeMap<(Atom, Atom), Term>>,
    /// What the program has made of the files.
    pub(crate) files: Rc<Files>,
    /// The code that the program has loaded or deleted.
    pub(crate) versions: Rc<Versions>,
    /// Virtual time in nanoseconds.
    pub(crate) now: u64,
    pub(crate) monotonic: u64,
    pub(crate) kills_left: u32,
    /// The number of armed timers.
    ticking: u32,
    /// How often timers and timeouts fired after the end of the test, by process and calls.
    late_firings: Rc<BTreeMap<(Pid, u64), u32>>,
    /// The value that the test process returned.
    pub(crate) result: Option<Term>,
    /// The defect that ended the execution.
    pub(crate) over: Option<Rc<Defect>>,
    /// A defect after which the execution continues.
    pub(crate) failed: Option<Rc<Defect>>,
    /// The program halted without an error.
    pub(crate) halted: bool,
    /// The happens-before of messages, with unordered mailboxes.
    unordered_mailbox: Option<Rc<arrival_clocks::ArrivalClocks>>,
    /// The task of the present step, or of the last one.
    current: usize,
    /// The only process that may take the next step.
    hurried: Option<u32>,
    objects: Objects,
    pending: Vec<Pending>,
    /// A summary of the accesses of each, before timers and faults are considered.
    marks: Marks,
    /// A summary of the accesses of the last step.
    moved: Mark,
    /// The pending operations to evaluate again after the next step.
    stale: Stale,
    /// The pending operations that were evaluated after the last step.
    fresh: Stale,
    enabled: Vec<TaskId>,
    /// The log, if it is wanted.
    pub(crate) log: Option<Rc<Log>>,
}

/// Parses a `.config` file: a list of applications with lists of their keys.
fn environment(text: &str) -> Result<BTreeMap<(Atom, Atom), Term>, String> {
    let terms = parse::terms(text)?;
    let bad = || "it must be one list of {Application, [{Key, Value}]}".to_owned();
    let [list] = terms.as_slice() else { return Err(bad()) };
    let mut environment = BTreeMap::new();
    for entry in list.to_vec().ok_or_else(bad)? {
        let Some([Term::Atom(app), keys]) = entry.as_tuple() else { return Err(bad()) };
        for pair in keys.to_vec().ok_or_else(bad)? {
            let Some([Term::Atom(key), value]) = pair.as_tuple() else { return Err(bad()) };
            environment.insert((*app, *key), value.clone());
        }
    }
    Ok(environment)
}

fn timer_name(owner: Pid, number: u32) -> String {
    format!("{owner}~timer{number}")
}

impl Machine {
    /// A program that starts with a call of `module:function(args...)`.
    pub fn new(env: Rc<Env>, module: Atom, function: Atom, args: Vec<Term>) -> Machine {
        let kills_left = env.settings.kills;
        let mut machine = Machine {
            env,
            tasks: Vec::new(),
            births: Rc::default(),
            steps: 0,
            index: Rc::default(),
            pairs: Rc::default(),
            names: Rc::new(system::names().collect()),
            once_named: Rc::default(),
            tables: Rc::default(),
            persistent: Rc::default(),
            numbers: Rc::default(),
            environment: Rc::default(),
            files: Rc::default(),
            versions: Rc::default(),
            now: 0,
            monotonic: 0,
            kills_left,
            ticking: 0,
            late_firings: Rc::default(),
            result: None,
            over: None,
            failed: None,
            halted: false,
            unordered_mailbox: None,
            current: 0,
            hurried: None,
            objects: Objects::default(),
            pending: Vec::new(),
            marks: Marks::default(),
            moved: Mark::default(),
            stale: Stale::default(),
            fresh: Stale::default(),
            enabled: Vec::new(),
            log: None,
        };
        match machine.env.settings.config.as_deref().map(environment) {
            None => {}
            Some(Ok(environment)) => machine.environment = Rc::new(environment),
            Some(Err(error)) => {
                let error = error.to_string();
                machine.over = Some(Rc::new(Defect::of(Cause::Configuration { error })));
            }
        }
        machine.begin(module, function, args);
        if machine.kills_left > 0 {
            let itself = machine.tasks.len();
            machine.add_task(Task::Faults, itself, itself as u32);
        }
        machine.refresh();
        machine
    }

    /// Adds a task that `parent` created, as its `number`th.
    pub(crate) fn add_task(&mut self, task: Task, parent: usize, number: u32) -> usize {
        let birth = Birth { parent: TaskId(parent as u32), number, after: self.steps };
        Rc::make_mut(&mut self.births).push(birth);
        if matches!(task, Task::Pair(_)) {
            Rc::make_mut(&mut self.pairs).push(self.tasks.len() as u32);
        }
        self.tasks.push(task);
        self.tasks.len() - 1
    }

    /// A name of the task that does not depend on the schedule.
    pub fn key_of(&self, task: usize) -> u64 {
        match &self.tasks[task] {
            Task::Process(p) => p.pid.hash64(),
            _ => {
                let birth = self.births[task];
                let parent = birth.parent.index();
                let of_parent = if parent == task { 0 } else { self.key_of(parent) };
                (of_parent ^ (birth.number as u64) << 17).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            }
        }
    }

    /// The task with this key.
    pub fn with_key(&self, key: u64) -> Option<usize> {
        (0..self.tasks.len()).find(|t| self.key_of(*t) == key)
    }

    /// The task of a process.
    pub fn find(&self, pid: Pid) -> Option<usize> {
        self.index.iter().find(|(p, _)| *p == pid).map(|(_, task)| *task as usize)
    }
    /// A process by task.
    pub fn process(&self, task: usize) -> &Rc<Process> {
        match &self.tasks[task] {
            Task::Process(p) => p,
            _ => unreachable!("task {task} is no process"),
        }
    }
    /// A process by task, mutable.
    pub fn process_mut(&mut self, task: usize) -> &mut Process {
        self.stale.add(task);
        match &mut self.tasks[task] {
            Task::Process(p) => Rc::make_mut(p),
            _ => unreachable!("task {task} is no process"),
        }
    }
    /// A process by pid, if it is alive.
    pub fn alive(&self, pid: Pid) -> Option<usize> {
        self.find(pid).filter(|t| self.is_alive(*t))
    }
    /// Whether a process is alive in the sense of `is_process_alive`.
    pub fn is_alive(&self, task: usize) -> bool {
        let p = self.process(task);
        match &p.exiting {
            None => !p.is_gone(),
            Some(exiting) => !exiting.begun && !exiting.signalled,
        }
    }
    /// All processes with their tasks.
    pub fn processes(&self) -> impl Iterator<Item = (usize, &Rc<Process>)> {
        self.tasks.iter().enumerate().filter_map(|(i, t)| match t {
            Task::Process(p) => Some((i, p)),
            _ => None,
        })
    }
    /// Releases a registered name.
    pub(crate) fn take_name(&mut self, name: Atom) -> Option<Pid> {
        let pid = Rc::make_mut(&mut self.names).remove(&name)?;
        if !self.once_named.contains(&(name, pid)) {
            Rc::make_mut(&mut self.once_named).push((name, pid));
        }
        Some(pid)
    }
    /// The processes that had a name before, except its present owner.
    pub(crate) fn once_named(&self, name: Atom, now: Option<Pid>) -> impl Iterator<Item = Pid> {
        let others = self.once_named.iter().filter(move |(n, pid)| *n == name && Some(*pid) != now);
        others.map(|(_, pid)| *pid)
    }
    /// The task's logical name.
    pub fn name_of(&self, task: usize) -> String {
        match &self.tasks[task] {
            Task::Process(p) => p.pid.to_string(),
            Task::Pair(pair) => format!("{}~{}", pair.from, pair.to),
            Task::UnorderedMessage(message) => format!("{}~message{}", message.to, message.arrival.number),
            Task::End(pid) => pid.to_string(),
            Task::Received(to) => format!("a message that {to} received"),
            Task::Timer(timer) | Task::Spent(timer) => timer_name(timer.owner, timer.number),
            Task::Faults => "faults".to_owned(),
        }
    }

    /// The fingerprint of the state: equal for equal states.
    pub fn fingerprint(&self) -> u128 {
        // Task numbers depend on the schedule, so the hashes of tasks are summed.
        let mut sum = (0_u64, 0_u64);
        let mut add = |f: Fingerprint| {
            let v = f.value();
            sum = (sum.0.wrapping_add(v as u64), sum.1.wrapping_add((v >> 64) as u64));
        };
        let module_hash = |n: u32| self.env.code.hash_of(n);
        for task in &self.tasks {
            let mut f = Fingerprint::default();
            match task {
                Task::Process(p) => p.fingerprint(&mut f, &module_hash),
                Task::Pair(pair) if !pair.queue.is_empty() => {
                    f.word(pair.from.hash64());
                    f.word(pair.to.hash64());
                    pair.queue.iter().for_each(|s| s.fingerprint(&mut f));
                }
                Task::Timer(timer) => timer.fingerprint(&mut f),
                Task::Pair(_)
                | Task::UnorderedMessage(_)
                | Task::Received(_)
                | Task::End(_)
                | Task::Spent(..)
                | Task::Faults => continue,
            }
            add(f);
        }
        let mut f = Fingerprint::default();
        for (name, pid) in self.names.iter() {
            f.word(name.hash64());
            f.word(pid.hash64());
        }
        self.tables.fingerprint(&mut f);
        f.term(&Term::Map(self.persistent.clone()));
        for (reference, numbers) in self.numbers.iter() {
            f.term(&Term::Ref(*reference));
            numbers.values.iter().for_each(|v| f.word(*v as u64));
        }
        for ((app, key), value) in self.environment.iter() {
            f.word(app.hash64());
            f.word(key.hash64());
            f.term(value);
        }
        self.files.fingerprint(&mut f);
        self.versions.fingerprint(&mut f, &module_hash);
        for ((pid, place), times) in self.late_firings.iter() {
            [pid.hash64(), *place, *times as u64].into_iter().for_each(|word| f.word(word));
        }
        self.result.iter().for_each(|result| f.term(result));
        let failed = self.over.is_some() as u64 | (self.failed.is_some() as u64) << 1;
        for n in [self.now, self.monotonic, self.kills_left as u64, failed] {
            f.word(n);
        }
        add(f);
        (sum.0 as u128) << 64 | sum.1 as u128
    }
}
