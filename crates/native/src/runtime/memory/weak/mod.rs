//! Atomics under a weak memory model: an execution graph in which a load has an option for each store that it may read.
//!
//! Invariant: each step of the trace is one event of the graph, with the same number, and an event is added when its step is
//! taken. The memory of the program holds the last store of each place in modification order, so that `get_mut`,
//! `into_inner` and the operations of a waiting loop that goes on alone see that one. What a program writes there in another
//! way, through an exclusive reference, begins a new history: all that came before happens before it.

mod edges;

use super::address::Addresses;
use crate::runtime::log::Log;
use edges::Edges;
use raddle_core::memory::{EventId, Graph, Label, Model, Order, Place, Request, WeakMemory};
use raddle_core::operation::{Accesses, ObjectId, TaskId};
use std::sync::atomic::Ordering;

/// What a task asks of memory. Bits are those of a value of the atomic's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Load(Ordering),
    Store(Ordering, u64),
    Update(Ordering),
    CompareExchange { expected: u64, new: u64, success: Ordering, failure: Ordering },
    Fence(Ordering),
}

impl Access {
    /// The same with an ordering that is as strong as this one, too.
    pub fn with(self, stronger: Order) -> Access {
        let join = |order: Ordering| Order::from(order).join(stronger);
        match self {
            Access::Load(order) => Access::Load(join(order).of_load().ordering()),
            Access::Store(order, bits) => Access::Store(join(order).of_store().ordering(), bits),
            Access::Update(order) => Access::Update(join(order).ordering()),
            Access::CompareExchange { expected, new, success, failure } => Access::CompareExchange {
                expected,
                new,
                success: join(success).ordering(),
                failure: join(failure).of_load().ordering(),
            },
            Access::Fence(order) => Access::Fence(join(order).ordering()),
        }
    }
    fn request(self, place: Place) -> Request {
        match self {
            Access::Load(order) => Request::Load { place, order },
            Access::Store(order, bits) => Request::Store { place, order, bits },
            Access::Update(order) => Request::Update { place, order },
            Access::CompareExchange { expected, new, success, failure } => {
                Request::CompareExchange { place, expected, new, success, failure }
            }
            Access::Fence(order) => Request::Fence(order),
        }
    }
    /// On the last store, which has these bits.
    pub fn on(self, bits: u64, new: &mut dyn FnMut(u64) -> u64) -> Taken {
        let wrote = match self {
            Access::Store(_, bits) => Some(bits),
            access if access.writes(bits) => Some(new(bits)),
            _ => None,
        };
        Taken { read: bits, wrote, source: None, is_stale: false, failed_spuriously: false }
    }
    /// Whether it writes if it reads these bits.
    fn writes(self, read: u64) -> bool {
        match self {
            Access::Load(_) | Access::Fence(_) => false,
            Access::Store(..) | Access::Update(_) => true,
            Access::CompareExchange { expected, .. } => read == expected,
        }
    }
}

/// An atomic: where its history is kept, and where it lives.
#[derive(Clone, Copy)]
struct Atomic {
    place: Place,
    size: usize,
}

/// The pending access of a task.
#[derive(Default)]
struct Announced {
    access: Option<(ObjectId, Access)>,
    /// Its options: which store each of them chooses. From number `firm` on they are spurious failures.
    choices: Vec<EventId>,
    firm: usize,
    /// One of them makes it write.
    writes: bool,
    /// Its step has begun.
    is_due: bool,
}

/// Which options are offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offer {
    /// Only the last store is read, since the task has read older ones again and again.
    pub only_latest: bool,
    /// A weak compare-exchange may fail for no reason.
    pub fails_spuriously: bool,
}

/// An access that was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// What it read.
    pub read: u64,
    /// What it wrote.
    pub wrote: Option<u64>,
    /// The line of the store that it read, or behind which it stands; none if that is the initial value.
    pub source: Option<u32>,
    /// It did not read the last store, or is not the last one.
    pub is_stale: bool,
    pub failed_spuriously: bool,
}

/// The memory of one execution.
pub(crate) struct Weak {
    graph: Graph,
    addresses: Addresses,
    /// By object.
    atomics: Vec<Option<Atomic>>,
    /// By task.
    announced: Vec<Announced>,
    /// The lines of the events.
    lines: Vec<u32>,
    edges: Edges,
    /// How many loads may read an older store than the last, and how many stores may stand before it; none for any number.
    most_stale: Option<u32>,
    /// How many have.
    stale: u32,
    /// It is not known how this execution is reduced.
    is_beyond: bool,
}

impl Weak {
    pub fn new(model: Model, most_stale: Option<u32>) -> Weak {
        Weak {
            graph: Graph::new(model),
            addresses: Addresses::default(),
            atomics: Vec::new(),
            announced: Vec::new(),
            lines: Vec::new(),
            edges: Edges::default(),
            most_stale,
            stale: 0,
            is_beyond: false,
        }
    }
    pub fn reset(&mut self) {
        self.graph.reset();
        self.addresses.reset();
        self.atomics.clear();
        for announced in &mut self.announced {
            announced.access = None;
            announced.is_due = false;
        }
        self.lines.clear();
        self.edges.reset();
        self.stale = 0;
        self.is_beyond = false;
    }
    /// A reduction cannot decide how to go on.
    pub fn go_beyond(&mut self) {
        self.is_beyond = true;
    }
    /// A task is created by the last one of its parent's events; main has no parent.
    pub fn add_task(&mut self, parent: Option<TaskId>) {
        let task = self.graph.add_task(parent);
        if self.announced.len() <= task.index() {
            self.announced.push(Announced::default());
        }
    }
    /// What lived in this range is gone.
    pub fn forget(&mut self, from: usize, size: usize) {
        self.addresses.forget(from, size);
    }
    /// Where there are atomics.
    pub fn addresses(&self) -> impl Iterator<Item = usize> {
        self.addresses.all()
    }
    /// The atomic that begins at an address, if one is known.
    pub fn object_at(&self, address: usize) -> Option<ObjectId> {
        self.addresses.get(address)
    }
    /// `task` is about to access an atomic. Others that share memory with it, and are not the same, are gone: all that was done
    /// to them happens before, as where the memory of a local variable is used again. Returns false if it does not.
    pub fn forget_others(&mut self, task: TaskId, address: usize, size: usize) -> bool {
        let is_other = |other: usize, theirs: usize| {
            !(other == address && theirs == size) && other < address + size && address < other + theirs
        };
        let near = self.addresses.near(address, size);
        let sized = near.filter_map(|(other, object)| Some((other, self.atomic(object)?.size, object)));
        let others: Vec<_> = sized.filter(|(other, theirs, _)| is_other(*other, *theirs)).collect();
        if others.iter().any(|(.., object)| !self.is_over(task, *object)) {
            return false;
        }
        others.into_iter().for_each(|(other, ..)| self.addresses.forget(other, 1));
        true
    }
    /// Whether all accesses to an atomic happen before what `task` does next.
    fn is_over(&self, task: TaskId, object: ObjectId) -> bool {
        let Some(Atomic { place, .. }) = self.atomic(object) else { return true };
        let last = self.graph.last_event(task).and_then(EventId::index);
        let is_before = |at: usize| last.is_some_and(|last| self.graph.happens_before(at, last));
        let is_access = |at: &usize| {
            let event = self.graph.event(*at);
            event.accesses() && event.place == place
        };
        let is_pending =
            self.announced.iter().any(|one| one.access.is_some_and(|(other, _)| other == object));
        !is_pending && (0..self.graph.len()).filter(is_access).all(is_before)
    }
    /// An atomic is touched for the first time, and holds these bits.
    pub fn add_atomic(&mut self, address: usize, size: usize, object: ObjectId, bits: u64) {
        let place = self.graph.add_place(bits);
        if self.atomics.len() <= object.index() {
            self.atomics.resize(object.index() + 1, None);
        }
        self.atomics[object.index()] = Some(Atomic { place, size });
        self.addresses.insert(address, object);
    }
    fn atomic(&self, object: ObjectId) -> Option<Atomic> {
        self.atomics.get(object.index()).copied().flatten()
    }

    /// Whether this is an atomic.
    pub fn is_atomic(&self, object: ObjectId) -> bool {
        self.atomic(object).is_some()
    }

    /// `task` is about to access an atomic that holds these bits. If it will read others alone, in a waiting loop, they
    /// decide whether it writes.
    pub fn announce(
        &mut self,
        task: TaskId,
        (object, access): (ObjectId, Access),
        bits: u64,
        alone: Option<u64>,
    ) {
        let atomic = self.atomics[object.index()].as_mut().expect("it was added");
        let latest = self.graph.latest(atomic.place);
        if self.graph.bits(atomic.place, latest) != bits {
            // It was written through an exclusive reference.
            atomic.place = self.graph.add_place(bits);
        }
        let latest = self.graph.latest(atomic.place);
        let announced = &mut self.announced[task.index()];
        announced.access = Some((object, access));
        announced.choices.clear();
        announced.choices.push(latest);
        announced.firm = 1;
        announced.writes = access.writes(alone.unwrap_or(bits));
    }
    /// `task` is about to issue a fence.
    pub fn announce_fence(&mut self, task: TaskId, order: Ordering) {
        let announced = &mut self.announced[task.index()];
        announced.access = Some((crate::runtime::operation::NO_OBJECT, Access::Fence(order)));
        announced.writes = false;
    }
    /// Finds the options of the pending access of `task` in the present graph.
    pub fn refresh(&mut self, task: TaskId, offer: Offer) {
        let is_bounded = self.most_stale.is_some_and(|most| self.stale >= most);
        let Weak { graph, atomics, announced, .. } = self;
        let announced = &mut announced[task.index()];
        let Some((object, access)) = announced.access.filter(|(_, a)| !matches!(a, Access::Fence(_))) else {
            return;
        };
        let place = atomics[object.index()].expect("it was added").place;
        let only_latest = is_bounded || offer.only_latest && !matches!(access, Access::Store(..));
        let choices = &mut announced.choices;
        graph.options(task, &access.request(place), choices);
        if only_latest {
            choices.truncate(1);
        }
        announced.firm = choices.len();
        announced.writes = choices.iter().any(|id| access.writes(graph.bits(place, *id)));
        if let Access::CompareExchange { expected, failure: order, .. } = access
            && offer.fails_spuriously
        {
            let mut loads = Vec::new();
            graph.options(task, &Request::Load { place, order }, &mut loads);
            if only_latest {
                loads.truncate(1);
            }
            choices.extend(loads.into_iter().filter(|id| graph.bits(place, *id) == expected));
        }
    }
    /// How many options the pending access of `task` has, how many of them are no spurious failures, and whether one of
    /// them makes it write.
    pub fn options(&self, task: TaskId) -> (u32, u32, bool) {
        let Announced { choices, firm, writes, .. } = &self.announced[task.index()];
        (choices.len() as u32, *firm as u32, *writes)
    }

    /// A step of `task` begins, with this line. If it is an access to an atomic, its event is added by [`Weak::take`].
    pub fn begin_step(&mut self, task: TaskId, line: u32, accesses: Accesses) {
        self.lines.push(line);
        let announced = &mut self.announced[task.index()];
        match announced.access {
            Some((_, Access::Fence(order))) => {
                announced.access = None;
                let fence = Request::Fence(order);
                self.graph.take(task, &fence, EventId::initial(Place(0)), |_| 0);
            }
            Some(_) => announced.is_due = true,
            None => {
                let Weak { graph, edges, atomics, .. } = self;
                let is_atomic = |object: ObjectId| atomics.get(object.index()).is_some_and(Option::is_some);
                edges.add_event(graph, task, accesses, is_atomic);
            }
        }
    }
    /// Whether the step of `task` that is being taken is an access whose event is still to be added.
    pub fn is_due(&self, task: TaskId) -> bool {
        self.announced[task.index()].is_due
    }
    /// The pending access of `task` is no step, or is over.
    pub fn withdraw(&mut self, task: TaskId) {
        let announced = &mut self.announced[task.index()];
        announced.access = None;
        announced.is_due = false;
    }
    /// The access of `task` takes this option.
    pub fn take(&mut self, task: TaskId, option: u32, mut new: impl FnMut(u64) -> u64) -> Taken {
        let announced = &self.announced[task.index()];
        let (object, access) = announced.access.expect("it was announced");
        let place = self.atomics[object.index()].expect("it was added").place;
        let choice = announced.choices[option as usize];
        let failed_spuriously = option as usize >= announced.firm;
        let request = match access {
            Access::CompareExchange { failure: order, .. } if failed_spuriously => {
                Request::Load { place, order }
            }
            access => access.request(place),
        };
        let is_last = self.graph.latest(place) == choice;
        let read = self.graph.take(task, &request, choice, &mut new);
        let event = *self.graph.event(self.graph.len() - 1);
        self.withdraw(task);
        self.stale += !is_last as u32;
        Taken {
            read,
            wrote: event.writes().then_some(event.bits),
            source: event.source.index().map(|at| self.lines[at]),
            is_stale: !is_last,
            failed_spuriously,
        }
    }
    /// The bits of the last store to an atomic.
    pub fn latest(&self, object: ObjectId) -> u64 {
        let place = self.atomic(object).expect("it was added").place;
        self.graph.bits(place, self.graph.latest(place))
    }
    /// Adds what the lines of the log before line `end` say about who synchronises with whom.
    pub fn learn(&mut self, log: &Log, end: u32) {
        let Weak { graph, atomics, lines, edges, .. } = self;
        let is_atomic = |object: ObjectId| atomics.get(object.index()).is_some_and(Option::is_some);
        edges.learn(graph, (log, end as usize), lines, is_atomic);
    }
    /// The graph, and the line of each event.
    pub fn graph_with_lines(&self) -> (&Graph, &[u32]) {
        (&self.graph, &self.lines)
    }
    /// Time passes while nothing else can happen: all stores arrive.
    pub fn pass_time(&mut self) {
        self.graph.pass_time();
    }
}

impl WeakMemory for Weak {
    fn graph(&self) -> &Graph {
        &self.graph
    }
    fn place(&self, task: TaskId) -> Option<Place> {
        let (object, _) = self.announced.get(task.index())?.access?;
        Some(self.atomic(object)?.place)
    }
    fn is_beyond_reduction(&self) -> bool {
        self.is_beyond
    }
    fn choices(&self, task: TaskId) -> &[EventId] {
        match self.place(task) {
            Some(_) => &self.announced[task.index()].choices,
            None => &[],
        }
    }
}

/// Whether an event is a step that is none of memory.
fn is_other(graph: &Graph, id: EventId) -> bool {
    id.index().is_some_and(|at| graph.event(at).label == Label::Other)
}
