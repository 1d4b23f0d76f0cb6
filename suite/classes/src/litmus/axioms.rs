//! The oracle: all consistent execution graphs of a program, by trying every store for each load and every place in
//! modification order for each store, and testing the axioms of the model on the whole graph as they stand in the papers.
//!
//! Slow and obvious. Graphs grow by one event at a time, in every order, so that programs may depend on what they read;
//! an inconsistent graph is not continued, since the axioms are closed under prefixes of po and rf.

use super::relation::Relation;
use super::{Graph, Name, Op, Outcome, Program};
use raddle_core::memory::Model;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering::{self, *};

#[derive(Clone)]
struct Event {
    task: usize,
    name: Name,
    op: Op,
    /// What it reads, and the value.
    source: Name,
    read: u64,
    written: Option<u64>,
}

#[derive(Clone, Default)]
struct State {
    events: Vec<Event>,
    modification: Vec<Vec<Name>>,
    locks: Vec<Vec<Name>>,
}

/// What a program can do.
#[derive(Default)]
pub struct Executions {
    /// The graphs of complete executions, and of those in which every task that is left is blocked or stuck.
    pub graphs: BTreeSet<Graph>,
    pub outcomes: BTreeSet<Outcome>,
    /// How many of the graphs have a task that is stuck.
    pub stuck: usize,
}

/// All executions of `program` under `model`.
pub fn executions(program: &Program, model: Model) -> Executions {
    let start = State {
        modification: vec![Vec::new(); program.places],
        locks: vec![Vec::new(); program.locks],
        ..State::default()
    };
    let (mut met, mut found) = (HashSet::new(), Executions::default());
    explore(program, model, &start, &mut met, &mut found);
    found
}

fn explore(program: &Program, model: Model, state: &State, met: &mut HashSet<Graph>, found: &mut Executions) {
    let graph = state.graph(program);
    if !met.insert(graph.clone()) {
        return;
    }
    let (mut is_over, mut is_stuck) = (true, false);
    for task in 0..program.threads.len() {
        let Some(op) = (program.threads[task])(&state.read_by(task)) else { continue };
        match op {
            Op::Stuck => is_stuck = true,
            Op::Lock(lock) if state.is_held(lock) => {}
            _ => {
                is_over = false;
                for next in state.continued(task, op) {
                    if next.is_consistent(model) {
                        explore(program, model, &next, met, found);
                    }
                }
            }
        }
    }
    if is_over && found.graphs.insert(graph) {
        found.outcomes.insert(state.outcome(program));
        found.stuck += is_stuck as usize;
    }
}

impl State {
    fn read_by(&self, task: usize) -> Vec<u64> {
        self.events.iter().filter(|e| e.task == task).map(|e| e.read).collect()
    }
    fn at(&self, name: Name) -> Option<usize> {
        name.map(|_| self.events.iter().position(|e| e.name == name).expect("a name of an event"))
    }
    fn is_held(&self, lock: usize) -> bool {
        let last = self.locks[lock].last().and_then(|name| self.at(*name));
        last.is_some_and(|at| matches!(self.events[at].op, Op::Lock(_)))
    }
    /// The state after `task` takes `op`, for each way to take it.
    fn continued(&self, task: usize, op: Op) -> Vec<State> {
        let name = Some((task as u8, self.read_by(task).len() as u8));
        let event = Event { task, name, op, source: None, read: 0, written: None };
        let mut next = self.clone();
        if let Op::Lock(lock) | Op::Unlock(lock) = op {
            next.locks[lock].push(name);
        }
        let Some(place) = op.place() else {
            next.events.push(event);
            return vec![next];
        };
        let stores = &self.modification[place];
        let ways = (0..=stores.len()).map(|position| {
            let mut next = next.clone();
            let source = if position == 0 { None } else { stores[position - 1] };
            let value = self.at(source).map_or(0, |at| self.events[at].written.expect("a store"));
            let read = if op.reads() { value } else { 0 };
            let written = op.written(read);
            if written.is_some() {
                next.modification[place].insert(position, name);
            }
            next.events.push(Event { source, read, written, ..event.clone() });
            next
        });
        ways.collect()
    }
    fn graph(&self, program: &Program) -> Graph {
        let of = |task| {
            let mut own: Vec<&Event> = self.events.iter().filter(|e| e.task == task).collect();
            own.sort_by_key(|e| e.name);
            let source = |e: &Event| if e.op.reads() { e.source } else { None };
            own.iter().map(|e| (source(e), e.written.is_some())).collect()
        };
        let after = |lock: &Vec<Name>, at: usize| {
            let mut before = lock[..at].to_vec();
            before.sort();
            before.push(lock[at]);
            before
        };
        let mut locks: Vec<Vec<Name>> =
            self.locks.iter().flat_map(|lock| (0..lock.len()).map(|at| after(lock, at))).collect();
        locks.sort();
        Graph {
            events: (0..program.threads.len()).map(of).collect(),
            modification: self.modification.clone(),
            locks,
        }
    }
    fn outcome(&self, program: &Program) -> Outcome {
        let last = |stores: &Vec<Name>| {
            stores.last().and_then(|name| self.at(*name)).map_or(0, |at| self.events[at].written.unwrap_or(0))
        };
        Outcome {
            read: (0..program.threads.len()).map(|task| self.read_by(task)).collect(),
            places: self.modification.iter().map(last).collect(),
        }
    }

    fn is_consistent(&self, model: Model) -> bool {
        let n = self.events.len();
        let e = |at: usize| &self.events[at];
        let accesses = |at: usize| e(at).op.place().is_some();
        let same_place = |a: usize, b: usize| accesses(a) && e(a).op.place() == e(b).op.place();
        let writes = |at: usize| e(at).written.is_some();
        let reads = |at: usize| e(at).op.reads();
        let position = |name: Name, place: usize| {
            self.modification[place].iter().position(|n| *n == name).map_or(0, |at| at + 1)
        };
        let place = |at: usize| e(at).op.place().expect("an access");
        let po = Relation::of(n, |a, b| e(a).task == e(b).task && e(a).name < e(b).name);
        let rf =
            Relation::of(n, |a, b| same_place(a, b) && writes(a) && reads(b) && e(b).source == e(a).name);
        let mo = Relation::of(n, |a, b| {
            same_place(a, b)
                && writes(a)
                && writes(b)
                && position(e(a).name, place(a)) < position(e(b).name, place(a))
        });
        let fr = Relation::of(n, |a, b| {
            a != b
                && same_place(a, b)
                && reads(a)
                && writes(b)
                && position(e(a).source, place(a)) < position(e(b).name, place(a))
        });
        let chain = Relation::of(n, |a, b| {
            self.locks.iter().any(|lock| lock.windows(2).any(|w| w[0] == e(a).name && w[1] == e(b).name))
        });
        let is_atomic = (0..n)
            .filter(|at| reads(*at) && writes(*at))
            .all(|at| position(e(at).name, place(at)) == position(e(at).source, place(at)) + 1);
        let located = Relation::of(n, same_place);
        is_atomic
            && match model {
                Model::Sc => po.or(&rf).or(&mo).or(&fr).or(&chain).is_acyclic(),
                Model::Tso | Model::Pso => {
                    let coherence = po.and(&located).or(&rf).or(&mo).or(&fr);
                    let external = Relation::of(n, |a, b| rf.has(a, b) && e(a).task != e(b).task);
                    let kept = self.preserved_program_order(model, &po);
                    coherence.is_acyclic() && kept.or(&external).or(&mo).or(&fr).or(&chain).is_acyclic()
                }
                Model::Rc11 => self.is_rc11(&po, &rf, &mo, &fr, &chain, &located),
            }
    }

    /// Program order without what store buffers reorder.
    fn preserved_program_order(&self, model: Model, po: &Relation) -> Relation {
        let e = |at: usize| &self.events[at];
        let is_plain_store = |at: usize| matches!(e(at).op, Op::Store(..));
        let full = |at: usize| match e(at).op {
            Op::Fence(order) | Op::Store(_, _, order) => order == SeqCst,
            Op::Load(..) => false,
            _ => true,
        };
        // The other fences keep the compiler from reordering, and stores apart under PSO.
        let is_light_fence = |at: usize| matches!(e(at).op, Op::Fence(order) if order != SeqCst);
        let store_barrier = |at: usize| matches!(e(at).op, Op::Fence(Release | AcqRel | SeqCst));
        let between = |a: usize, b: usize, holds: &dyn Fn(usize) -> bool| {
            (0..self.events.len()).any(|c| po.has(a, c) && po.has(c, b) && holds(c))
        };
        let released = |at: usize| matches!(e(at).op, Op::Store(_, _, Release | SeqCst));
        Relation::of(self.events.len(), |a, b| {
            let store_load = is_plain_store(a) && matches!(e(b).op, Op::Load(..));
            let store_store = model == Model::Pso
                && is_plain_store(a)
                && is_plain_store(b)
                && e(a).op.place() != e(b).op.place()
                && !released(b)
                && !between(a, b, &store_barrier);
            let is_reordered = (store_load || store_store) && !full(a) && !full(b) && !between(a, b, &full);
            po.has(a, b) && !is_reordered && !is_light_fence(a) && !is_light_fence(b)
        })
    }

    fn is_rc11(
        &self,
        po: &Relation,
        rf: &Relation,
        mo: &Relation,
        fr: &Relation,
        chain: &Relation,
        located: &Relation,
    ) -> bool {
        let n = self.events.len();
        let e = |at: usize| &self.events[at];
        let order = |at: usize| match e(at).op {
            Op::Load(_, o) | Op::Store(_, _, o) | Op::Add(_, _, o) | Op::Swap(_, _, o) | Op::Fence(o) => o,
            Op::CompareExchange(_, _, _, success, failure) => {
                if e(at).written.is_some() {
                    success
                } else {
                    failure
                }
            }
            _ => Relaxed,
        };
        let releases = |at: usize| is_one_of(order(at), [Release, AcqRel, SeqCst]);
        let acquires = |at: usize| is_one_of(order(at), [Acquire, AcqRel, SeqCst]);
        let is_fence = |at: usize| matches!(e(at).op, Op::Fence(_));
        let (reads, writes) = (|at: usize| e(at).op.reads(), |at: usize| e(at).written.is_some());
        let identity = |holds: &dyn Fn(usize) -> bool| Relation::of(n, |a, b| a == b && holds(a));
        // rs = [W] ; (rf ; [RMW])*
        let updates = rf.then(&identity(&|at| reads(at) && writes(at)));
        let sequence = identity(&writes).then(&updates.closed().or_same());
        // sw = [E rel] ; ([F] ; po)? ; rs ; rf ; [R] ; (po ; [F])? ; [E acq]
        let from = identity(&releases).then(&identity(&is_fence).then(po).or(&identity(&|_| true)));
        let to = po.then(&identity(&is_fence)).or(&identity(&|_| true)).then(&identity(&acquires));
        let synchronises = from.then(&sequence).then(rf).then(&to);
        let hb = po.or(&synchronises).or(chain).closed();
        // eco = rf ∪ (mo ∪ fr) ; rf?
        let eco = rf.or(&mo.or(fr).then(&rf.or_same()));
        if !hb.is_irreflexive() || !hb.then(&eco).is_irreflexive() {
            return false;
        }
        let sc = identity(&|at| order(at) == SeqCst);
        let fences = identity(&|at| order(at) == SeqCst && is_fence(at));
        let scb = po.or(&po.then(&hb).then(po)).or(&hb.and(located)).or(mo).or(fr);
        let left = sc.or(&fences.then(&hb.or_same()));
        let right = sc.or(&hb.or_same().then(&fences));
        let between_fences = fences.then(&hb.or(&hb.then(&eco).then(&hb))).then(&fences);
        left.then(&scb).then(&right).or(&between_fences).is_acyclic()
    }
}

fn is_one_of(order: Ordering, orders: [Ordering; 3]) -> bool {
    orders.contains(&order)
}
