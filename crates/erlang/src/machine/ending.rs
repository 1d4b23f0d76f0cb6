//! The verdict of an execution, and its log for reports. The log is kept only after [`Machine::record`].

use super::{Machine, Task};
use crate::process::{ExitStep, Next, Pc, Process};
use crate::run::Env;
use crate::settings::Judgement;
use crate::term::{Atom, Pid, Term};
use raddle_core::fact::{Fact, Relation};
use raddle_core::record::Place;
use raddle_core::verdict::{Cause, Defect, FailureKind};
use std::rc::Rc;

/// How an execution ended.
pub enum Ending {
    /// The test returned this value.
    Passed(String),
    /// The execution failed.
    Failed(Defect),
}

/// The log of an execution, newest entry first.
pub struct Log {
    /// The task of the entry.
    pub task: usize,
    /// The operation.
    pub text: String,
    /// Its result.
    pub result: String,
    /// Its source location.
    pub place: Option<Place>,
    /// Whether it is a step, not a part of the step before it.
    pub step: bool,
    /// Whether the process exits here.
    pub exits: bool,
    /// The entry before.
    pub before: Option<Rc<Log>>,
}

impl Drop for Log {
    /// Iterative: a recursive drop of a long log would overflow the stack.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut log) = before.and_then(Rc::into_inner) {
            before = log.before.take();
        }
    }
}

/// A line of a stack trace in words: `reg_server:loop/1`.
fn frame(entry: &Term) -> Option<Frame> {
    let [module, function, arity, info] = entry.as_tuple()? else { return None };
    let arity = arity.as_usize().unwrap_or_else(|| arity.iter().count());
    let (mut file, mut line) = (None, None);
    for pair in info.iter() {
        match pair.as_tuple() {
            Some([key, value]) if key.as_atom().is_some_and(|k| k.text() == "file") => file = value.to_text(),
            Some([key, value]) if key.as_atom().is_some_and(|k| k.text() == "line") => {
                line = value.as_usize()
            }
            _ => {}
        }
    }
    let place = file.zip(line).map(|(file, line)| Place { file, line: line as u32, column: 1 });
    Some(Frame { module: module.to_string(), function: format!("{module}:{function}/{arity}"), place })
}

/// A call on the stack of a process.
pub(super) struct Frame {
    module: String,
    function: String,
    place: Option<Place>,
}

impl Frame {
    /// What it says about a crash.
    pub fn fact(self, undefined: bool) -> Fact {
        let Frame { module, function, place } = self;
        let relation = match undefined {
            true => Relation::Undefined { module, function },
            false => Relation::In { function },
        };
        Fact::new(relation).at(place)
    }
}

/// The calls of a stack trace.
pub(super) fn stack(trace: &Term) -> Vec<Frame> {
    trace.iter().filter_map(frame).collect()
}

/// The first source location in a stack trace.
pub(super) fn place_of(trace: &Term) -> Option<Place> {
    trace.iter().filter_map(frame).find_map(|frame| frame.place)
}

/// The source location of an instruction.
pub(crate) fn place(env: &Env, pc: Pc) -> Option<Place> {
    let module = env.code.module(pc.module);
    module.line_at(pc.at).map(|(file, line)| Place { file: file.to_owned(), line, column: 1 })
}

/// Modules of OTP that call for others.
const INNER: [&str; 20] = [
    "gen",
    "gen_server",
    "gen_statem",
    "gen_event",
    "proc_lib",
    "supervisor",
    "lists",
    "sys",
    "timer",
    "file",
    "filelib",
    "raddle_file",
    "raw_file_io",
    "raw_file_io_list",
    "io",
    "logger",
    "logger_server",
    "logger_backend",
    "logger_config",
    "raddle_logger",
];

/// The instruction of a process outside these: the first stack frame that is in none of them.
pub(crate) fn own_pc(env: &Env, p: &Process) -> Option<Pc> {
    let callers = p.frames.iter().rev().map(|f| Pc { module: f.ret.module, at: f.ret.at.saturating_sub(1) });
    std::iter::once(p.pc).chain(callers).find(|pc| !INNER.contains(&env.code.module(pc.module).name.text()))
}

/// The location of a process outside these modules, else the innermost one.
pub(crate) fn own_place(env: &Env, p: &Process) -> Option<Place> {
    own_pc(env, p).and_then(|pc| place(env, pc)).or_else(|| place(env, p.pc))
}

impl Machine {
    /// Whether a process waits for the reply to a `gen` call.
    fn awaits_reply(&self, p: &Process) -> bool {
        static CALL: std::sync::LazyLock<(Atom, Atom)> =
            std::sync::LazyLock::new(|| (Atom::new("gen"), Atom::new("do_call")));
        let (gen_module, do_call) = *CALL;
        let callers = p.frames.iter().map(|f| Pc { module: f.ret.module, at: f.ret.at.saturating_sub(1) });
        callers.chain(std::iter::once(p.pc)).any(|pc| {
            let module = self.env.code.module(pc.module);
            module.name == gen_module && module.function_at(pc.at).is_some_and(|f| f.function == do_call)
        })
    }

    /// Whether the last step ended the execution for all processes.
    pub fn is_cut(&self) -> bool {
        self.over.is_some() || self.halted
    }

    /// The processes that have not exited.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Rc<Process>> {
        self.processes().map(|(_, p)| p).filter(|p| !p.is_gone())
    }

    /// Whether the execution ended with exactly these processes blocked, in this state, and without a
    /// failure.
    pub(crate) fn are_all_that_wait(&self, processes: &[Rc<Process>]) -> bool {
        let is_plain = self.over.is_none() && self.failed.is_none() && !self.halted;
        is_plain && self.waiting().map(Rc::as_ptr).eq(processes.iter().map(Rc::as_ptr))
    }

    /// The verdict; valid when no task is enabled.
    pub fn ending(&self) -> Ending {
        if let Some(defect) = self.over.as_ref().or(self.failed.as_ref()) {
            return Ending::Failed(Defect::clone(defect));
        }
        if self.halted {
            return Ending::Passed("halt".to_owned());
        }
        let strict = self.env.settings.judgement == Judgement::Strict;
        let waiting: Vec<&Rc<Process>> = self.waiting().collect();
        let loops: Vec<usize> = self
            .processes()
            .filter(|(task, p)| !p.is_gone() && self.is_polling(*task))
            .map(|(task, _)| task)
            .collect();
        let polls = |p: &Process| loops.iter().copied().find(|task| self.process(*task).pid == p.pid);
        let stuck: Vec<&Rc<Process>> = waiting
            .iter()
            .copied()
            .filter(|p| strict || p.pid == Pid::root() || self.awaits_reply(p))
            // After the end of the test timers may be cut short.
            .filter(|p| polls(p).is_some() || p.deadline().is_none() && !self.has_timer(p))
            .collect();
        let kind = if loops.is_empty() { FailureKind::Deadlock } else { FailureKind::Livelock };
        if stuck.is_empty() || self.env.settings.ignores(kind) {
            return Ending::Passed(self.result.as_ref().map_or(String::new(), Term::to_short_text));
        }
        let mut defect = Defect::of(match kind {
            FailureKind::Livelock => {
                let tasks = loops.iter().map(|task| self.shown(self.process(*task))).collect();
                Cause::Livelock { tasks }
            }
            _ => Cause::ProcessesWait { processes: stuck.iter().map(|p| self.shown(p)).collect() },
        });
        for p in waiting {
            let relation = match &p.next {
                _ if polls(p).is_some() => {
                    Relation::Spins { objects: polls(p).map_or(Vec::new(), |task| self.polled(task)) }
                }
                Next::Receive(_) => {
                    Relation::WaitsForMessage { mailbox: p.mailbox.iter().map(Term::to_short_text).collect() }
                }
                _ => Relation::WaitsForSignal,
            };
            let fact = Fact::of(p.pid.to_string(), relation).at(own_place(&self.env, p));
            defect = defect.with(Fact { label: p.name.map(|name| name.to_string()), ..fact });
        }
        Ending::Failed(defect)
    }

    fn shown(&self, p: &Process) -> String {
        match p.name {
            Some(name) => format!("{} ({name})", p.pid),
            None => p.pid.to_string(),
        }
    }

    /// Starts the log.
    pub fn record(&mut self) {
        let nothing = Log {
            task: 0,
            text: String::new(),
            result: String::new(),
            place: None,
            step: false,
            exits: false,
            before: None,
        };
        self.log = Some(Rc::new(nothing));
    }

    /// The newest entry of the log.
    pub fn recorded(&self) -> Option<&Log> {
        self.log.as_deref()
    }

    /// The registered name of a process.
    pub fn label_of(&self, task: usize) -> Option<String> {
        match &self.tasks[task] {
            Task::Process(p) => p.name.map(|name| name.to_string()),
            _ => None,
        }
    }

    /// Adds to the log, if there is one.
    pub(crate) fn note(
        &mut self,
        task: usize,
        text: String,
        result: String,
        place: Option<Place>,
        step: bool,
    ) {
        if self.log.is_some() {
            self.log =
                Some(Rc::new(Log { task, text, result, place, step, exits: false, before: self.log.take() }));
        }
    }

    /// Adds a step of an exit to the log, or, if it is not a step of its own, a part of the step before it.
    pub(super) fn log_exit(&mut self, task: usize, step: &ExitStep, is_step: bool) {
        if self.log.is_none() {
            return;
        }
        let text = self.exit_words(task, step);
        self.note(task, text, String::new(), None, is_step);
        if let Some(log) = self.log.as_mut().and_then(Rc::get_mut) {
            log.exits = *step == ExitStep::Vanish;
        }
    }

    /// A step of an exit as text.
    pub(super) fn exit_words(&self, task: usize, step: &ExitStep) -> String {
        let p = self.process(task);
        let reason = p.exiting.as_ref().map_or(Term::Nil, |e| e.reason.clone());
        // The stack trace is shown with the failure, not in the step.
        let reason = match (p.exiting.as_ref().is_some_and(|e| e.trace.is_some()), reason.as_tuple()) {
            (true, Some([what, _])) => what.clone(),
            _ => reason,
        };
        match step {
            ExitStep::Table(id) => format!("loses its table {id}"),
            ExitStep::Vanish => format!("exits ({reason})"),
            ExitStep::Link(other) => format!("exit signal to {other}"),
            ExitStep::Down(_, other) => format!("down message to {other}"),
        }
    }

    /// The pending operation of a task as text.
    pub fn words(&self, task: usize) -> String {
        match &self.tasks[task] {
            Task::Process(p) => match &p.next {
                Next::Call(native, _) if native.module == "raddle" && native.function == "call" => {
                    let args: Vec<String> =
                        p.x.last().into_iter().flat_map(|t| t.iter()).map(Term::to_string).collect();
                    match p.x.as_slice() {
                        [module, function, _] => format!("{module}:{function}({})", args.join(", ")),
                        _ => format!("{}({})", p.x[0], args.join(", ")),
                    }
                }
                Next::Call(native, _) => {
                    let args: Vec<String> = p.x.iter().map(Term::to_short_text).collect();
                    format!("{}:{}({})", native.module, native.function, args.join(", "))
                }
                Next::Send(_) => match p.x.as_slice() {
                    [to, message, ..] => format!("{to} ! {}", message.to_short_text()),
                    _ => "send".to_owned(),
                },
                Next::Receive(found) => match found {
                    crate::process::Found::Message(_) => "receives a message".to_owned(),
                    _ => "waits for a message".to_owned(),
                },
                Next::Exit if !p.is_gone() => self.exit_words(task, &self.next_exit_step(task)),
                Next::Exit | Next::Gone => "end".to_owned(),
            },
            Task::Pair(pair) => match pair.queue.first() {
                Some(signal) => format!("delivers {}", signal.words()),
                None => "end".to_owned(),
            },
            Task::Timer(timer) => format!("fires: {} ! {}", timer.to, timer.message),
            Task::UnorderedMessage(_) => "receives a message".to_owned(),
            Task::End(pid) => match self.find(*pid).filter(|t| !self.process(*t).is_gone()) {
                Some(task) => self.exit_words(task, &self.next_exit_step(task)),
                None => "end".to_owned(),
            },
            Task::Received(_) | Task::Spent(..) => "end".to_owned(),
            Task::Faults => "kills a process".to_owned(),
        }
    }
}
