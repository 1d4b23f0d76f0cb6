//! A litmus program in execution: an execution graph of the engine, and locks and channels.

use super::objects::Objects;
use raddle_core::memory::{Event, EventId, Graph, Model, Place, Request};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use raddle_core::world::{Birth, Manner, Pending};
use trace_classes::litmus::{self, Name, Op, Outcome, Program};

/// A step.
#[derive(Clone, Copy)]
pub struct Step {
    pub task: TaskId,
    pub op: Option<Op>,
    pub accesses: Accesses,
    /// It was no choice: the end of a task, the return of a join.
    pub by_itself: bool,
}

/// One execution of a program.
#[derive(Clone)]
pub struct Machine {
    pub program: Program,
    pub graph: Graph,
    pub objects: Objects,
    /// The thread of each task, how it was created, and whether it has ended.
    pub threads: Vec<usize>,
    pub births: Vec<Birth>,
    pub ended: Vec<bool>,
    /// What the operations of each thread have read.
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
            threads: Vec::new(),
            births: Vec::new(),
            ended: Vec::new(),
            read: Vec::new(),
            steps: Vec::new(),
            is_cut: false,
        };
        machine.begin();
        machine
    }
    /// Back to the start.
    pub fn begin(&mut self) -> Vec<(TaskId, Pending)> {
        self.graph.reset();
        for _ in 0..self.program.places {
            self.graph.add_place(0);
        }
        self.read = vec![Vec::new(); self.program.threads.len()];
        self.objects = Objects::default();
        self.steps.clear();
        self.is_cut = false;
        self.threads.clear();
        self.births.clear();
        self.ended.clear();
        let first = if self.program.spawns { 1 } else { self.program.threads.len() };
        for thread in 0..first {
            self.create(thread, None);
        }
        self.settle()
    }
    fn create(&mut self, thread: usize, parent: Option<TaskId>) {
        let task = self.graph.add_task(parent);
        let number = match parent {
            Some(parent) => 1 + self.births[1..].iter().filter(|birth| birth.parent == parent).count() as u32,
            None => thread as u32,
        };
        self.births.push(Birth { parent: parent.unwrap_or(task), number, after: self.steps.len() as u32 });
        self.threads.push(thread);
        self.ended.push(false);
    }
    /// Lets happen what happens by itself. Returns the steps.
    pub fn settle(&mut self) -> Vec<(TaskId, Pending)> {
        let (mut notes, mut at) = (Vec::new(), 0);
        while self.program.spawns && !self.is_cut && at < self.threads.len() {
            let id = TaskId(at as u32);
            let op = self.op(at);
            let (accesses, is_enabled) = self.evaluate(at, op);
            match op {
                Some(Op::Spawn(thread)) => {
                    self.read[self.threads[at]].push(0);
                    self.create(thread, Some(id));
                }
                None if !self.ended[at] => self.ended[at] = true,
                Some(Op::Join(_)) if is_enabled => self.read[self.threads[at]].push(0),
                _ => {
                    at += 1;
                    continue;
                }
            }
            if !matches!(op, Some(Op::Spawn(_))) {
                self.push(id, op, accesses, true);
                let options = op.is_none() as u32;
                notes.push((id, Pending { accesses, options, signature: 0, manner: Manner::Ordinary }));
            }
            at = 0;
        }
        notes
    }
    pub fn op(&self, task: usize) -> Option<Op> {
        let thread = self.threads[task];
        (self.program.threads[thread])(&self.read[thread])
    }
    /// What an operation accesses but memory, and whether it is enabled there.
    fn evaluate(&self, task: usize, op: Option<Op>) -> (Accesses, bool) {
        let has_ended =
            |thread: usize| self.threads.iter().zip(&self.ended).any(|(t, ended)| *t == thread && *ended);
        evaluate(&self.objects, task, self.threads[task], op, &has_ended)
    }
    /// The same of the pending operation.
    pub fn pending_accesses(&self, task: usize) -> Accesses {
        self.evaluate(task, self.op(task)).0
    }
    /// A step that is none of memory.
    fn push(&mut self, task: TaskId, op: Option<Op>, accesses: Accesses, by_itself: bool) {
        let conflicts = |step: &Step| step.accesses.conflict(accesses);
        let before = self.steps.iter().enumerate().filter(|(_, step)| conflicts(step));
        let before: Vec<EventId> = before.map(|(at, _)| EventId::at(at)).collect();
        self.graph.synchronise(task, &before);
        self.steps.push(Step { task, op, accesses, by_itself });
    }
    /// The choices of the next operation of a task; none if it is blocked, stuck or over.
    pub fn options(&mut self, task: usize, options: &mut Vec<EventId>) {
        options.clear();
        let Some(op) = self.op(task).filter(|_| !self.is_cut) else { return };
        match request(op) {
            Some(request) => self.graph.options(TaskId(task as u32), &request, options),
            None if matches!(op, Op::Join(_)) => {}
            None if self.evaluate(task, Some(op)).1 => options.push(EventId::at(0)),
            None => {}
        }
    }
    /// The machines after one more step, one for each choice of each task; none if the program is over.
    pub fn successors(&mut self) -> Vec<Machine> {
        let (mut next, mut options) = (Vec::new(), Vec::new());
        for task in 0..self.threads.len() {
            self.options(task, &mut options);
            for choice in &options {
                let mut machine = self.clone();
                machine.take(task, *choice);
                next.push(machine);
            }
        }
        next
    }
    /// Takes a step. Returns what happens by itself after it.
    pub fn take(&mut self, task: usize, choice: EventId) -> Vec<(TaskId, Pending)> {
        let op = self.op(task).expect("it has an operation");
        let id = TaskId(task as u32);
        let (accesses, _) = self.evaluate(task, Some(op));
        let read = match request(op) {
            Some(request) => {
                let new = |old| op.written(old).expect("an update writes");
                let read = self.graph.take(id, &request, choice, new);
                self.steps.push(Step { task: id, op: Some(op), accesses, by_itself: false });
                if op.reads() { read } else { 0 }
            }
            None => {
                self.push(id, Some(op), accesses, false);
                self.objects.apply(task, op)
            }
        };
        self.is_cut = matches!(op, Op::Refuse(_, value, _) if value == read);
        self.read[self.threads[task]].push(read);
        self.settle()
    }

    /// The graph in a form that can be compared with the oracle's. Of an execution that was cut, what happens causally before
    /// its last step.
    pub fn canonical(&self) -> litmus::Graph {
        let events = self.graph.events();
        let name = |at: usize| (self.threads[events[at].task.index()] as u8, events[at].time as u8 - 1);
        let named = |id: EventId| -> Name { id.index().map(name) };
        let counts = self.counting();
        let of = |task: usize| {
            let own = (0..events.len()).filter(|at| name(*at).0 as usize == task && counts[*at]);
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
        if let Some(last) = self.steps.iter().rposition(|step| !step.by_itself) {
            counts[last] = true;
        }
        for at in (0..self.steps.len()).rev().filter(|_| self.is_cut) {
            if !counts[at] {
                continue;
            }
            let (event, step) = (self.graph.event(at), self.steps[at]);
            let birth = self.births[step.task.index()];
            let is_before = |other: usize| {
                let (is_source, earlier) = (event.source == EventId::at(other), self.steps[other]);
                event.reads() && is_source
                    || earlier.task == step.task
                    || earlier.task == birth.parent && other < birth.after as usize
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

/// What an operation accesses but memory, in this state, and whether it is enabled there; none is the end of a task.
pub fn evaluate(
    objects: &Objects,
    task: usize,
    thread: usize,
    op: Option<Op>,
    has_ended: &dyn Fn(usize) -> bool,
) -> (Accesses, bool) {
    let end = |thread: usize| ObjectId(10 + thread as u32);
    match op {
        None => (Accesses::write(end(thread)), true),
        Some(Op::Join(other)) => (Accesses::read(end(other)), has_ended(other)),
        Some(op) => objects.evaluate(task, op),
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
