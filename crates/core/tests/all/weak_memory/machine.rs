//! The world of litmus programs: an execution graph of the engine, and locks.

use raddle_core::memory::{Event, EventId, Graph, Model, Place, Request};
use raddle_core::operation::TaskId;
use trace_classes::litmus::{self, Name, Op, Outcome, Program};

/// One execution of a program.
#[derive(Clone)]
pub struct Machine {
    pub program: Program,
    pub graph: Graph,
    /// What the operations of each task have read.
    pub read: Vec<Vec<u64>>,
    /// The operations on each lock so far.
    pub locks: Vec<Vec<EventId>>,
    /// What each step did.
    pub done: Vec<(TaskId, Op)>,
}

impl Machine {
    pub fn new(program: &Program, model: Model) -> Machine {
        let mut machine = Machine {
            program: program.clone(),
            graph: Graph::new(model),
            read: Vec::new(),
            locks: Vec::new(),
            done: Vec::new(),
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
        self.locks = vec![Vec::new(); self.program.locks];
        self.done.clear();
    }
    pub fn op(&self, task: usize) -> Option<Op> {
        (self.program.threads[task])(&self.read[task])
    }
    pub fn is_held(&self, lock: usize) -> bool {
        let last = self.locks[lock].last().and_then(|id| id.index());
        last.is_some_and(|at| matches!(self.done[at].1, Op::Lock(_)))
    }
    /// The choices of the next operation of a task; none if it is blocked, stuck or over.
    pub fn options(&mut self, task: usize, options: &mut Vec<EventId>) {
        options.clear();
        match self.op(task) {
            None | Some(Op::Stuck) => {}
            Some(Op::Lock(lock)) if self.is_held(lock) => {}
            Some(op) => match request(op) {
                Some(request) => self.graph.options(TaskId(task as u32), &request, options),
                None => options.push(EventId::at(0)),
            },
        }
    }
    pub fn take(&mut self, task: usize, choice: EventId) {
        let op = self.op(task).expect("it has an operation");
        let id = TaskId(task as u32);
        let read = match (op, request(op)) {
            (_, Some(request)) => {
                let new = |old| op.written(old).expect("an update writes");
                let read = self.graph.take(id, &request, choice, new);
                if op.reads() { read } else { 0 }
            }
            (Op::Lock(lock) | Op::Unlock(lock), None) => {
                let before = self.locks[lock].last().copied();
                self.locks[lock].push(EventId::at(self.graph.len()));
                self.graph.synchronise(id, before.as_slice());
                0
            }
            _ => unreachable!("not a step"),
        };
        self.read[task].push(read);
        self.done.push((id, op));
    }

    /// The graph in a form that can be compared with the oracle's.
    pub fn canonical(&self) -> litmus::Graph {
        let name = |id: EventId| -> Name {
            id.index().map(|at| {
                let event = self.graph.event(at);
                (event.task.0 as u8, event.time as u8 - 1)
            })
        };
        let of = |task: usize| {
            let own = self.graph.events().iter().filter(|e| e.task.index() == task);
            own.map(|e| (if e.reads() { name(e.source) } else { None }, e.writes())).collect()
        };
        let all = |ids: &[EventId]| ids.iter().map(|id| name(*id)).collect();
        litmus::Graph {
            events: (0..self.read.len()).map(of).collect(),
            modification: (0..self.program.places)
                .map(|place| all(self.graph.modification_order(Place(place as u32))))
                .collect(),
            locks: self.locks.iter().map(|lock| all(lock)).collect(),
        }
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

/// What an operation asks of memory; nothing if it is of a lock.
pub fn request(op: Op) -> Option<Request> {
    let place = Place(op.place().unwrap_or(0) as u32);
    Some(match op {
        Op::Load(_, order) => Request::Load { place, order },
        Op::Store(_, bits, order) => Request::Store { place, order, bits },
        Op::Add(_, _, order) | Op::Swap(_, _, order) => Request::Update { place, order },
        Op::CompareExchange(_, expected, new, success, failure) => {
            Request::CompareExchange { place, expected, new, success, failure }
        }
        Op::Fence(order) => Request::Fence(order),
        Op::Lock(_) | Op::Unlock(_) | Op::Stuck => return None,
    })
}
