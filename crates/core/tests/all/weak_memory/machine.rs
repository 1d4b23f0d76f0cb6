//! A litmus program in execution: an execution graph of the engine, and locks and channels.

use super::objects::Objects;
use raddle_core::memory::{Event, EventId, Graph, Model, Place, Request};
use raddle_core::operation::{Accesses, TaskId};
use trace_classes::litmus::{self, Name, Op, Outcome, Program};

/// A step.
#[derive(Clone, Copy)]
pub struct Step {
    pub task: TaskId,
    pub op: Op,
    pub accesses: Accesses,
}

/// One execution of a program.
#[derive(Clone)]
pub struct Machine {
    pub program: Program,
    pub graph: Graph,
    pub objects: Objects,
    /// What the operations of each task have read.
    pub read: Vec<Vec<u64>>,
    pub steps: Vec<Step>,
    /// A load has read what it refuses: the execution is over.
    pub is_cut: bool,
}

impl Machine {
    pub fn new(program: &Program, model: Model) -> Machine {
        let mut machine = Machine {
            program: program.clone(),
            graph: Graph::new(model),
            objects: Objects::default(),
            read: Vec::new(),
            steps: Vec::new(),
            is_cut: false,
        };
        machine.begin();
        machine
    }
    /// Back to the start.
    pub fn begin(&mut self) {
        self.graph.reset();
        for _ in 0..self.program.places {
            self.graph.add_place(0);
        }
        for _ in &self.program.threads {
            self.graph.add_task(None);
        }
        self.read = vec![Vec::new(); self.program.threads.len()];
        self.objects = Objects::default();
        self.steps.clear();
        self.is_cut = false;
    }
    pub fn op(&self, task: usize) -> Option<Op> {
        (self.program.threads[task])(&self.read[task])
    }
    /// The choices of the next operation of a task; none if it is blocked, stuck or over.
    pub fn options(&mut self, task: usize, options: &mut Vec<EventId>) {
        options.clear();
        let Some(op) = self.op(task).filter(|_| !self.is_cut) else { return };
        match request(op) {
            Some(request) => self.graph.options(TaskId(task as u32), &request, options),
            None if self.objects.evaluate(task, op).1 => options.push(EventId::at(0)),
            None => {}
        }
    }
    pub fn take(&mut self, task: usize, choice: EventId) {
        let op = self.op(task).expect("it has an operation");
        let id = TaskId(task as u32);
        let (accesses, _) = self.objects.evaluate(task, op);
        let read = match request(op) {
            Some(request) => {
                let new = |old| op.written(old).expect("an update writes");
                let read = self.graph.take(id, &request, choice, new);
                if op.reads() { read } else { 0 }
            }
            None => {
                let conflicts = |step: &Step| step.accesses.conflict(accesses);
                let before = self.steps.iter().enumerate().filter(|(_, step)| conflicts(step));
                let before: Vec<EventId> = before.map(|(at, _)| EventId::at(at)).collect();
                self.graph.synchronise(id, &before);
                self.objects.apply(task, op)
            }
        };
        self.is_cut = matches!(op, Op::Refuse(_, value, _) if value == read);
        self.read[task].push(read);
        self.steps.push(Step { task: id, op, accesses });
    }

    /// The graph in a form that can be compared with the oracle's. Of an execution that was cut, what happens causally before
    /// its last step.
    pub fn canonical(&self) -> litmus::Graph {
        let events = self.graph.events();
        let name = |at: usize| (events[at].task.0 as u8, events[at].time as u8 - 1);
        let named = |id: EventId| -> Name { id.index().map(name) };
        let counts = self.counting();
        let of = |task: usize| {
            let own = (0..events.len()).filter(|at| events[*at].task.index() == task && counts[*at]);
            own.map(|at| {
                (if events[at].reads() { named(events[at].source) } else { None }, events[at].writes())
            })
            .collect()
        };
        let order = |place: usize| {
            let order = self.graph.modification_order(Place(place as u32)).iter();
            order.filter(|id| id.index().is_some_and(|at| counts[at])).map(|id| named(*id)).collect()
        };
        // For each object the operations on it, each after those that it conflicts with, in an order that is the same in
        // equivalent executions.
        let conflicts = |at: usize| {
            let conflicting = |other: &usize| self.steps[*other].accesses.conflict(self.steps[at].accesses);
            let mut before: Vec<Name> = (0..at).filter(conflicting).map(|at| Some(name(at))).collect();
            before.sort();
            before.push(Some(name(at)));
            before
        };
        let on_objects =
            (0..events.len()).filter(|at| self.steps[*at].accesses != Accesses::NONE && counts[*at]);
        let mut locks: Vec<Vec<Name>> = on_objects.map(conflicts).collect();
        locks.sort();
        litmus::Graph {
            events: (0..self.read.len()).map(of).collect(),
            modification: (0..self.program.places).map(order).collect(),
            locks,
        }
    }
    /// Which steps count.
    fn counting(&self) -> Vec<bool> {
        let mut counts = vec![!self.is_cut; self.steps.len()];
        if let Some(last) = counts.last_mut() {
            *last = true;
        }
        for at in (0..self.steps.len()).rev().filter(|_| self.is_cut) {
            if !counts[at] {
                continue;
            }
            let (event, step) = (self.graph.event(at), self.steps[at]);
            let is_before = |other: usize| {
                let (is_source, earlier) = (event.source == EventId::at(other), self.steps[other]);
                event.reads() && is_source
                    || earlier.task == step.task
                    || earlier.accesses.conflict(step.accesses)
            };
            for (other, counts) in counts[..at].iter_mut().enumerate() {
                *counts |= is_before(other);
            }
        }
        counts
    }
    /// The events and the modification orders, as they are.
    pub fn view(&self) -> (&[Event], Vec<&[EventId]>) {
        let orders = (0..self.program.places).map(|place| self.graph.modification_order(Place(place as u32)));
        (self.graph.events(), orders.collect())
    }
    pub fn outcome(&self) -> Outcome {
        let places = (0..self.program.places).map(|place| {
            let place = Place(place as u32);
            self.graph.bits(place, self.graph.latest(place))
        });
        Outcome { read: self.read.clone(), places: places.collect() }
    }
}

/// What an operation asks of memory; nothing if it is of a lock or a channel.
pub fn request(op: Op) -> Option<Request> {
    let place = Place(op.place().unwrap_or(0) as u32);
    Some(match op {
        Op::Load(_, order) | Op::Refuse(_, _, order) => Request::Load { place, order },
        Op::Store(_, bits, order) => Request::Store { place, order, bits },
        Op::Add(_, _, order) | Op::Swap(_, _, order) => Request::Update { place, order },
        Op::CompareExchange(_, expected, new, success, failure) => {
            Request::CompareExchange { place, expected, new, success, failure }
        }
        Op::Fence(order) => Request::Fence(order),
        _ => return None,
    })
}
