//! A litmus program as a world: accesses to memory have options, and only locks are objects.

use super::machine::{Machine, request};
use super::objects::Objects;
use raddle_core::memory::{EventId, Graph, Model, WeakMemory};
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::record::ExecutionRecord;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{
    Counterfactual, Describe, End, Ended, Ending, Explain, Manner, Pending, Pick, Point, Variation, World,
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
    /// Whether it says how operations depend on the state.
    hints: bool,
    cuts: Cuts,
}

impl Litmus {
    pub fn new(program: &Program, model: Model, hints: bool, cuts: &Cuts) -> Litmus {
        let choices = vec![Vec::new(); program.threads.len()];
        let machine = Machine::new(program, model);
        Litmus { machine, enabled: Vec::new(), pending: Vec::new(), choices, hints, cuts: cuts.clone() }
    }
    fn refresh(&mut self) {
        self.pending.clear();
        self.enabled.clear();
        for task in 0..self.choices.len() {
            self.machine.options(task, &mut self.choices[task]);
            let options = self.choices[task].len() as u32;
            let pending = match self.machine.op(task) {
                None => Pending::NOTHING,
                Some(op) => {
                    let (accesses, _) = self.machine.objects.evaluate(task, op);
                    evaluated(accesses, options, task * 100 + self.machine.read[task].len())
                }
            };
            if options > 0 {
                self.enabled.push(TaskId(task as u32));
            }
            self.pending.push(pending);
        }
    }
}

fn evaluated(accesses: Accesses, options: u32, signature: usize) -> Pending {
    Pending { accesses, options, signature: signature as u32 + 1, manner: Manner::Ordinary }
}

impl Describe for Litmus {
    fn describe(&self, task: TaskId) -> String {
        format!("{task:?} {:?}", self.machine.op(task.index()))
    }
    fn describe_last_time(&self, index: usize) -> String {
        format!("step {index}")
    }
}

impl WeakMemory for Litmus {
    fn graph(&self) -> &Graph {
        &self.machine.graph
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
        let (mut objects, mut time) = (Objects::default(), 0);
        for step in (0..prefix).chain(also.iter().map(|at| *at as usize)).map(|at| steps[at]) {
            let (accesses, is_enabled) = objects.evaluate(step.task.index(), step.op);
            assert!(
                is_enabled && accesses == step.accesses,
                "a step of a closed subset depends on no other step"
            );
            objects.apply(step.task.index(), step.op);
            time += (step.task == task) as usize;
        }
        let mut own = steps.iter().filter(|step| step.task == task).map(|step| step.op);
        let Some(op) = own.nth(time).or_else(|| self.machine.op(task.index())) else {
            return Pending::NOTHING;
        };
        let (accesses, is_enabled) = objects.evaluate(task.index(), op);
        evaluated(accesses, is_enabled as u32, task.index() * 100 + time)
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
        self.machine.begin();
        self.refresh();
    }
    fn point(&self) -> Point<'_> {
        Point::new(&self.enabled, &self.pending).with_counterfactual(self).with_memory(self)
    }
    fn step(&mut self, pick: Pick) {
        let choice = self.choices[pick.task.index()][pick.option as usize];
        self.machine.take(pick.task.index(), choice);
        self.refresh();
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<Execution> {
        if let Some(why) = stopped {
            return Ended::stopped(why);
        }
        let is_stuck = (0..self.choices.len()).any(|task| self.machine.op(task) == Some(Op::Stuck));
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

impl Explain for Litmus {
    fn record(&self) -> ExecutionRecord {
        ExecutionRecord::default()
    }
}
