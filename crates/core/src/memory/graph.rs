//! The execution graph, and what the next event of a task may be.
//!
//! Invariant: the graph is consistent, and events are in an order in which each comes after its causal past: what
//! precedes it in program order, the store that it reads, and what it comes after by locks. Only the last events are
//! removed. Nothing is allocated once the buffers are large enough.

use super::Model;
use super::clocks::{Clocks, Row};
use super::event::{Event, EventId, Label, Place, Request};
use super::global_order::GlobalOrder;
use super::rc11::Psc;
use crate::operation::TaskId;
use std::sync::atomic::Ordering;

/// A task: its last event, and the last event of its parent before it was created, plus 1 each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Task {
    pub last: u32,
    pub born: u32,
    pub steps: u32,
    /// How many events there were when it was created.
    pub created: u32,
}

/// A place: its initial value, its stores in modification order, and what reads the initial value, plus 1.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceState {
    pub bits: u64,
    pub stores: Vec<EventId>,
    pub reader: u32,
    pub update: u32,
}

/// The events of one execution under a memory model.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(super) model: Model,
    pub(super) events: Vec<Event>,
    /// What each of them asked for; nothing if it is no access to memory.
    pub(super) requests: Vec<Option<Request>>,
    pub(super) tasks: Vec<Task>,
    pub(super) places: Vec<PlaceState>,
    /// How many of the places are in use: the memory of the others is kept.
    used: usize,
    /// What events come after by locks and the like, one after the other.
    pub(super) after: Vec<u32>,
    pub(super) clocks: Clocks,
    /// The sequentially consistent events.
    pub(super) sc: Vec<u32>,
    /// Every task has seen the stores among so many of the first events.
    pub(super) settled: usize,
    pub(super) psc: Psc,
    pub(super) global: GlobalOrder,
}

impl Graph {
    /// The empty graph.
    pub fn new(model: Model) -> Graph {
        Graph {
            model,
            events: Vec::new(),
            requests: Vec::new(),
            tasks: Vec::new(),
            places: Vec::new(),
            used: 0,
            after: Vec::new(),
            clocks: Clocks::default(),
            sc: Vec::new(),
            settled: 0,
            psc: Psc::default(),
            global: GlobalOrder::default(),
        }
    }
    /// Removes all events, tasks and places.
    pub fn reset(&mut self) {
        self.events.clear();
        self.requests.clear();
        self.tasks.clear();
        self.used = 0;
        self.after.clear();
        self.clocks.clear();
        self.sc.clear();
        self.settled = 0;
    }
    /// The model.
    pub fn model(&self) -> Model {
        self.model
    }
    /// Adds a task, after all that `parent` has done so far.
    pub fn add_task(&mut self, parent: Option<TaskId>) -> TaskId {
        let born = parent.map_or(0, |parent| {
            let parent = self.tasks[parent.index()];
            if parent.last > 0 { parent.last } else { parent.born }
        });
        let created = self.events.len() as u32;
        self.tasks.push(Task { last: 0, born, steps: 0, created });
        self.clocks.widen(self.tasks.len(), self.events.len());
        TaskId(self.tasks.len() as u32 - 1)
    }
    /// Adds a place with this initial value, which happens before every access.
    pub fn add_place(&mut self, bits: u64) -> Place {
        if self.used == self.places.len() {
            self.places.push(PlaceState::default());
        }
        let place = &mut self.places[self.used];
        place.stores.clear();
        (place.bits, place.reader, place.update) = (bits, 0, 0);
        self.used += 1;
        Place(self.used as u32 - 1)
    }
    /// How many tasks there are.
    pub fn tasks(&self) -> usize {
        self.tasks.len()
    }
    /// How many places there are.
    pub fn places(&self) -> usize {
        self.used
    }
    /// How many events there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.events.len()
    }
    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
    /// Event number `index`.
    #[inline]
    pub fn event(&self, index: usize) -> &Event {
        &self.events[index]
    }
    /// The events, in the order in which they were added.
    #[inline]
    pub fn events(&self) -> &[Event] {
        &self.events
    }
    /// What event number `index` asked for; nothing if it is no access to memory.
    #[inline]
    pub fn request(&self, index: usize) -> Option<&Request> {
        self.requests[index].as_ref()
    }
    /// The stores to `place` in modification order, without the initial one.
    #[inline]
    pub fn modification_order(&self, place: Place) -> &[EventId] {
        &self.places[place.index()].stores
    }
    /// The last store to `place` in modification order.
    #[inline]
    pub fn latest(&self, place: Place) -> EventId {
        self.places[place.index()].stores.last().copied().unwrap_or(EventId::initial(place))
    }
    /// What the store `id` wrote to `place`.
    #[inline]
    pub fn bits(&self, place: Place, id: EventId) -> u64 {
        id.index().map_or(self.places[place.index()].bits, |at| self.events[at].bits)
    }
    /// The position of a store to `place` in modification order, from 1; 0 of the initial one.
    pub fn position(&self, place: Place, id: EventId) -> usize {
        // Mostly the latest stores are asked for.
        self.places[place.index()].stores.iter().rposition(|store| *store == id).map_or(0, |at| at + 1)
    }
    /// The events that read a store to `place`, the last one first.
    pub fn readers(&self, place: Place, id: EventId) -> impl Iterator<Item = usize> + '_ {
        let mut next = match id.index() {
            Some(at) => self.events[at].reader,
            None => self.places[place.index()].reader,
        };
        std::iter::from_fn(move || {
            let at = next.checked_sub(1)? as usize;
            next = self.events[at].other_reader;
            Some(at)
        })
    }
    /// The update that reads a store to `place`: it stands right after it.
    pub fn update_of(&self, place: Place, id: EventId) -> Option<usize> {
        let update = match id.index() {
            Some(at) => self.events[at].update,
            None => self.places[place.index()].update,
        };
        update.checked_sub(1).map(|at| at as usize)
    }
    /// Whether event `one` happens before event `other`, or is the same.
    #[inline]
    pub fn happens_before(&self, one: usize, other: usize) -> bool {
        let Event { task, time, .. } = self.events[one];
        self.clocks.time(other, Row::Before, task) >= time
    }
    /// The last event of `task`, or of its parent before it was created.
    #[inline]
    pub(super) fn last_of(&self, task: TaskId) -> Option<usize> {
        let Task { last, born, .. } = self.tasks[task.index()];
        (if last > 0 { last } else { born }).checked_sub(1).map(|at| at as usize)
    }

    /// The next event of `task` takes this option. `new` makes the new value of an [`Request::Update`] of the old one.
    /// Returns what was read, or stored if nothing was read.
    pub fn take(
        &mut self,
        task: TaskId,
        request: &Request,
        choice: EventId,
        new: impl FnOnce(u64) -> u64,
    ) -> u64 {
        let Some(place) = request.place() else {
            let (label, order) = request.label(0);
            self.push(task, label, order, Place(0), choice, 0, Some(*request));
            return 0;
        };
        let old = self.bits(place, choice);
        let (label, order) = request.label(old);
        let (bits, read) = match (*request, label) {
            (Request::Store { bits, .. }, _) => (bits, bits),
            (Request::CompareExchange { new, .. }, Label::Update) => (new, old),
            (Request::Update { .. }, _) => (new(old), old),
            _ => (old, old),
        };
        self.push(task, label, order, place, choice, bits, Some(*request));
        read
    }
    /// The next event of `task` is none of memory, and comes after these: it synchronises with them.
    pub fn synchronise(&mut self, task: TaskId, after: &[EventId]) {
        let start = self.after.len();
        self.after.extend(after.iter().filter_map(|id| id.index()).map(|at| at as u32));
        let at =
            self.push(task, Label::Other, Ordering::Relaxed, Place(0), EventId::initial(Place(0)), 0, None);
        self.events[at].after = start as u32;
        for earlier in start..self.after.len() {
            self.clocks.join(at, Row::Before, self.after[earlier] as usize, Row::Before);
        }
    }
    /// The last event, which is none of memory, comes after these, too.
    pub fn come_after(&mut self, after: &[EventId]) {
        let at = self.events.len() - 1;
        debug_assert_eq!(
            self.events[at].label,
            Label::Other,
            "the options of an access are evaluated before"
        );
        for earlier in after.iter().filter_map(|id| id.index()).filter(|earlier| *earlier != at) {
            self.after.push(earlier as u32);
            self.clocks.join(at, Row::Before, earlier, Row::Before);
        }
    }
    /// So much time passes that all stores so far arrive: from here on every task reads them or later ones. No task learns
    /// what else happened before them.
    pub fn pass_time(&mut self) {
        self.settled = self.events.len();
    }
    /// The last event of `task`, or of its parent before it was created, if there is one.
    pub fn last_event(&self, task: TaskId) -> Option<EventId> {
        self.last_of(task).map(EventId::at)
    }
    /// What event `at` comes after by locks and the like.
    pub(super) fn after_of(&self, at: usize) -> &[u32] {
        let end = self.events.get(at + 1).map_or(self.after.len(), |next| next.after as usize);
        &self.after[self.events[at].after as usize..end]
    }

    /// Adds an event, in modification order right after `source` if it writes.
    #[expect(clippy::too_many_arguments, reason = "an event has these")]
    pub(super) fn push(
        &mut self,
        task: TaskId,
        label: Label,
        order: Ordering,
        place: Place,
        source: EventId,
        bits: u64,
        request: Option<Request>,
    ) -> usize {
        let at = self.events.len();
        let last = self.last_of(task);
        let own = &mut self.tasks[task.index()];
        own.steps += 1;
        let (time, is_first) = (own.steps, own.last == 0);
        own.last = at as u32 + 1;
        let mut event = Event {
            task,
            time,
            label,
            order,
            place,
            source,
            bits,
            before: last.map_or(0, |last| last as u32 + 1),
            fence: if is_first { 0 } else { last.map_or(0, |last| self.events[last].fence) },
            reader: 0,
            other_reader: 0,
            update: 0,
            after: self.after.len() as u32,
        };
        self.write_clocks(at, &event, last, is_first);
        if label == Label::Fence && event.releases() {
            event.fence = at as u32 + 1;
        }
        if event.reads() {
            let (reader, update) = match source.index() {
                Some(source) => {
                    let source = &mut self.events[source];
                    (&mut source.reader, &mut source.update)
                }
                None => {
                    let place = &mut self.places[place.index()];
                    (&mut place.reader, &mut place.update)
                }
            };
            event.other_reader = std::mem::replace(reader, at as u32 + 1);
            if label == Label::Update {
                // A tentative one is never added beside another.
                *update = at as u32 + 1;
            }
        }
        if event.writes() {
            let position = self.position(place, source);
            self.places[place.index()].stores.insert(position, EventId::at(at));
        }
        if event.is_sc() {
            self.sc.push(at as u32);
        }
        self.events.push(event);
        self.requests.push(request);
        at
    }
    /// The clocks of event `at`.
    fn write_clocks(&mut self, at: usize, event: &Event, last: Option<usize>, is_first: bool) {
        self.clocks.push(at);
        if let Some(last) = last {
            self.clocks.join(at, Row::Before, last, Row::Before);
            if !is_first {
                self.clocks.join(at, Row::Pending, last, Row::Pending);
            }
        }
        self.clocks.set(at, Row::Before, event.task, event.time);
        let source = if event.reads() { event.source.index() } else { None };
        if let Some(source) = source {
            self.clocks.join(at, Row::Pending, source, Row::Released);
            if event.acquires() {
                self.clocks.join(at, Row::Before, source, Row::Released);
            }
        }
        if event.label == Label::Fence && event.acquires() {
            self.clocks.join(at, Row::Before, at, Row::Pending);
        }
        if event.writes() {
            if event.releases() {
                self.clocks.join(at, Row::Released, at, Row::Before);
            }
            if let Some(fence) = event.fence.checked_sub(1) {
                self.clocks.join(at, Row::Released, fence as usize, Row::Before);
            }
            if let Some(source) = source {
                self.clocks.join(at, Row::Released, source, Row::Released);
            }
        }
    }
    /// Keeps the first `len` events, and the tasks that existed then.
    pub fn truncate(&mut self, len: usize) {
        while self.events.len() > len {
            let at = self.events.len() - 1;
            let event = self.events.pop().expect("there are some");
            self.requests.pop();
            let own = &mut self.tasks[event.task.index()];
            own.steps -= 1;
            own.last = if own.steps == 0 { 0 } else { event.before };
            if event.reads() {
                let (reader, update) = match event.source.index() {
                    Some(source) => {
                        let source = &mut self.events[source];
                        (&mut source.reader, &mut source.update)
                    }
                    None => {
                        let place = &mut self.places[event.place.index()];
                        (&mut place.reader, &mut place.update)
                    }
                };
                *reader = event.other_reader;
                if event.label == Label::Update {
                    *update = 0;
                }
            }
            if event.writes() {
                let position = self.position(event.place, EventId::at(at));
                self.places[event.place.index()].stores.remove(position - 1);
            }
            if event.is_sc() {
                self.sc.pop();
            }
            self.after.truncate(event.after as usize);
        }
        while self.tasks.last().is_some_and(|task| task.created as usize > len) {
            self.tasks.pop();
        }
        self.settled = self.settled.min(len);
    }
}
