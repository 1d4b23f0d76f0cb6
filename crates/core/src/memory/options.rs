//! The options of a task's next event: coherent and atomic by construction, and consistent by the predicate of the model.
//!
//! Invariant: the latest store in modification order is always an option, and needs no test, since nothing comes after an
//! event that takes it. The others are tested by adding the event and removing it again.

use super::Model;
use super::event::{EventId, Label, Place, Request};
use super::graph::Graph;
use crate::operation::TaskId;
use std::sync::atomic::Ordering;

impl Graph {
    /// The options of the next event of `task`, the latest first: option 0 is the last store in modification order and
    /// always possible. Returns how many stores it could read if no other update read them.
    pub fn options(&mut self, task: TaskId, request: &Request, options: &mut Vec<EventId>) {
        options.clear();
        let Some(place) = request.place() else {
            return options.push(EventId::initial(Place(0)));
        };
        let last = self.last_of(task);
        for position in (0..=self.places[place.index()].stores.len()).rev() {
            let id = self.store_at(place, position);
            let (label, _) = request.label(self.bits(place, id));
            let writes = matches!(label, Label::Store | Label::Update);
            if !(writes && self.update_of(place, id).is_some()) && self.is_consistent_with(task, request, id)
            {
                options.push(id);
            }
            if self.has_seen(task, last, place, id) {
                return;
            }
        }
    }
    /// The store at this position, from 1; or the initial one.
    #[inline]
    pub(super) fn store_at(&self, place: Place, position: usize) -> EventId {
        match position {
            0 => EventId::initial(place),
            _ => self.places[place.index()].stores[position - 1],
        }
    }
    /// Coherence: whether `task`, whose last event is `last`, must not read or write before a store. That is so if the store
    /// or a read of it happens before; under the models of a global order, if one of them is the task's own, since the
    /// global order decides the rest.
    pub(super) fn has_seen(&self, task: TaskId, last: Option<usize>, place: Place, id: EventId) -> bool {
        let sees = |at: usize| {
            at < self.settled
                || match self.model {
                    Model::Sc | Model::Rc11 => last.is_some_and(|last| self.happens_before(at, last)),
                    Model::Tso | Model::Pso => self.events[at].task == task,
                }
        };
        id.index().is_some_and(sees) || self.readers(place, id).any(sees)
    }
    /// Whether the next event of `task` has this option.
    pub fn is_option(&mut self, task: TaskId, request: &Request, id: EventId) -> bool {
        let Some(place) = request.place() else { return true };
        let last = self.last_of(task);
        let behind = self.position(place, id);
        self.is_atomic_with(request, place, id)
            && !self.places[place.index()].stores[behind..]
                .iter()
                .any(|later| self.has_seen(task, last, place, *later))
            && self.is_consistent_with(task, request, id)
    }
    /// Atomicity: no store comes between an update and what it reads.
    fn is_atomic_with(&self, request: &Request, place: Place, id: EventId) -> bool {
        let (label, _) = request.label(self.bits(place, id));
        !matches!(label, Label::Store | Label::Update) || self.update_of(place, id).is_none()
    }
    /// Whether the graph stays consistent if `task` takes this coherent option.
    fn is_consistent_with(&mut self, task: TaskId, request: &Request, id: EventId) -> bool {
        let place = request.place().expect("a fence has one option");
        if self.latest(place) == id {
            // Nothing comes after it.
            return true;
        }
        let (label, order) = request.label(self.bits(place, id));
        let is_sc = order == Ordering::SeqCst;
        if self.model == Model::Rc11 && self.sc.len() + (is_sc as usize) < 2 {
            return true;
        }
        self.push(task, label, order, place, id, 0, None);
        let is_consistent = match self.model {
            Model::Rc11 => self.is_psc_acyclic(),
            Model::Sc | Model::Tso | Model::Pso => self.is_globally_ordered(),
        };
        self.truncate(self.events.len() - 1);
        is_consistent
    }
}
