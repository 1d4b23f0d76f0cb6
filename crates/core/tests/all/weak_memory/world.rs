//! A litmus program as a world: accesses to memory have options, and only locks are objects.

use super::machine::{Machine, Step, evaluate, request};
use super::objects::Objects;
use raddle_core::memory::{EventId, Graph, Model, Place, WeakMemory};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::record::{ExecutionRecord, Line, TaskInfo};
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{
    Counterfactual, Describe, Driver, End, Ended, Ending, Explain, Manner, Pending, Pick, Point, SelfDriving,
    Variation, World,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use trace_classes::litmus::{self, Op, Outcome, Program};

/// What an execution was.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Execution {
    pub graph: litmus::Graph,
    pub outcome: Outcome,
    pub is_stuck: bool,
    pub is_cut: bool,
}

/// The graphs of executions that were cut, and how many there were of each.
pub type Cuts = Arc<Mutex<BTreeMap<litmus::Graph, u64>>>;

/// The world.
pub struct Litmus {
    machine: Machine,
    enabled: Vec<TaskId>,
    pending: Vec<Pending>,
    choices: Vec<Vec<EventId>>,
    notes: Vec<(TaskId, Pending)>,
    /// Whether it says how operations depend on the state.
    hints: bool,
    cuts: Cuts,
}

impl Litmus {
    pub fn new(program: &Program, model: Model, hints: bool, cuts: &Cuts) -> Litmus {
        let machine = Machine::new(program, model);
        let (enabled, pending, choices, notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Litmus { machine, enabled, pending, choices, notes, hints, cuts: cuts.clone() }
    }
    fn refresh(&mut self) {
        self.pending.clear();
        self.enabled.clear();
        let tasks = self.machine.threads.len();
        self.choices.resize(tasks, Vec::new());
        for task in 0..tasks {
            self.machine.options(task, &mut self.choices[task]);
            let options = self.choices[task].len() as u32;
            let pending = match self.machine.op(task) {
                None => Pending::NOTHING,
                Some(op) => {
                    let thread = self.machine.threads[task];
                    let signature = thread * 100 + self.machine.read[thread].len();
                    let accesses = of_memory(op).unwrap_or_else(|| self.machine.pending_accesses(task));
                    evaluated(accesses, options, signature)
                }
            };
            if options > 0 {
                self.enabled.push(TaskId(task as u32));
            }
            self.pending.push(pending);
        }
    }
}

/// What an operation on memory accesses, for strategies that do not follow the graph.
fn of_memory(op: Op) -> Option<Accesses> {
    let object = ObjectId(20 + op.place()? as u32);
    let reads = matches!(op, Op::Load(..) | Op::Refuse(..));
    Some(if reads { Accesses::read(object) } else { Accesses::write(object) })
}

fn evaluated(accesses: Accesses, options: u32, signature: usize) -> Pending {
    // The upper half is the place in the program.
    Pending { accesses, options, signature: (signature as u32 + 1) << 16, manner: Manner::Ordinary }
}

impl Describe for Litmus {
    fn describe(&self, task: TaskId) -> String {
        format!("{} {}", name(task), words(self.machine.op(task.index())))
    }
    fn describe_last_time(&self, index: usize) -> String {
        format!("step {index}")
    }
}

impl WeakMemory for Litmus {
    fn graph(&self) -> &Graph {
        &self.machine.graph
    }
    fn place(&self, task: TaskId) -> Option<Place> {
        self.machine.op(task.index()).and_then(request)?.place()
    }
    fn choices(&self, task: TaskId) -> &[EventId] {
        match self.machine.op(task.index()).and_then(request) {
            Some(_) => &self.choices[task.index()],
            None => &[],
        }
    }
}

impl Counterfactual for Litmus {
    fn pending_then(&self, task: TaskId, prefix: usize, also: &[u32]) -> Pending {
        let steps = &self.machine.steps;
        let (mut objects, mut time, mut ended) = (Objects::default(), 0, Vec::new());
        for step in (0..prefix).chain(also.iter().map(|at| *at as usize)).map(|at| steps[at]) {
            let thread = self.machine.threads[step.task.index()];
            let has_ended = |thread: usize| ended.contains(&thread);
            let (accesses, is_enabled) = evaluate(&objects, step.task.index(), thread, step.op, &has_ended);
            // What happens by itself does so again, whether or not it is named.
            assert!(
                step.by_itself || is_enabled && accesses == step.accesses,
                "a step of a closed subset depends on no other step"
            );
            match step.op {
                Some(op) => _ = objects.apply(step.task.index(), op),
                None => ended.push(thread),
            }
            time += (step.task == task) as usize;
        }
        let mut own = steps.iter().filter(|step| step.task == task).map(|step| step.op);
        let Some(op) = own.nth(time).unwrap_or_else(|| self.machine.op(task.index())) else {
            return Pending::NOTHING;
        };
        let thread = self.machine.threads[task.index()];
        let has_ended = |thread: usize| ended.contains(&thread);
        let (accesses, is_enabled) = evaluate(&objects, task.index(), thread, Some(op), &has_ended);
        let accesses = of_memory(op).unwrap_or(accesses);
        let options = if matches!(op, Op::Join(_)) { 0 } else { is_enabled as u32 };
        evaluated(accesses, options, thread * 100 + time)
    }
    fn variation(&self, task: TaskId) -> Variation {
        match self.machine.op(task.index()) {
            _ if !self.hints => Variation::State,
            Some(Op::Lock(_) | Op::Read(_) | Op::Receive(_)) => Variation::Enabledness,
            Some(Op::Write(_)) => Variation::JointlyBlocked,
            Some(Op::TryLock(_)) => Variation::Local,
            _ => Variation::Steady,
        }
    }
}

impl World for Litmus {
    type Outcome = Execution;

    fn start(&mut self) {
        self.notes = self.machine.begin();
        self.refresh();
    }
    fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending)
            .with_births(&self.machine.births)
            .with_counterfactual(self)
            .with_memory(self)
    }
    fn step(&mut self, pick: Pick) {
        let choice = self.choices[pick.task.index()][pick.option as usize];
        self.notes = self.machine.take(pick.task.index(), choice);
        self.refresh();
    }
    fn self_driving(&mut self) -> Option<&mut dyn SelfDriving> {
        Some(self)
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Execution> {
        if let Some(why) = stopped {
            return Ended::stopped(why);
        }
        let is_stuck = (0..self.machine.threads.len()).any(|task| self.machine.op(task) == Some(Op::Stuck));
        let (graph, outcome) = (self.machine.canonical(), self.machine.outcome());
        let is_cut = self.machine.is_cut;
        let execution = Execution { graph, outcome, is_stuck, is_cut };
        if is_cut {
            let cuts = &mut *self.cuts.lock().expect("no test panics with it");
            *cuts.entry(execution.graph).or_insert(0) += 1;
            return Ended::new(Ending::Cut, End::Failed(Defect::new(FailureKind::Panic, "refused")));
        }
        Ended::new(Ending::Natural, End::Passed(execution))
    }
}

impl SelfDriving for Litmus {
    fn run(&mut self, driver: &mut dyn Driver) {
        self.start();
        while std::mem::take(&mut self.notes).iter().all(|(task, pending)| driver.note(*task, pending, self))
            && !self.point().is_over()
            && let Some(pick) = driver.next(&self.point(), self).pick()
        {
            self.step(pick);
        }
    }
}

fn name(task: TaskId) -> String {
    if task == TaskId::MAIN { "main".to_owned() } else { format!("main.{}", task.0) }
}

fn words(op: Option<Op>) -> String {
    op.map_or("end".to_owned(), |op| format!("{op:?}").replace(", ", "-"))
}

impl Explain for Litmus {
    fn record(&self) -> ExecutionRecord {
        let tasks = (0..self.machine.threads.len() as u32).map(TaskId);
        let line = |(at, step): (usize, &Step)| Line {
            task: step.task.index(),
            step: Some(at),
            operation: words(step.op),
            ..Line::default()
        };
        ExecutionRecord {
            tasks: tasks.map(|task| TaskInfo { name: name(task), label: None }).collect(),
            lines: self.machine.steps.iter().enumerate().map(line).collect(),
            ..ExecutionRecord::default()
        }
    }
}
