//! The predicates of SC, TSO and PSO: the events have a global order that reads, modification order and barriers go by.
//!
//! An event is issued, and a store that waits in a buffer is committed later; nothing else is committed on its own. The
//! order contains the issues of a task in program order, each issue before its commit, a commit before the reads of it by
//! other tasks, commits in modification order, a read before the commits of newer stores, and what barriers demand.
//! Under SC nothing waits. A graph is consistent if this relation is acyclic, and it is coherent. A cycle contains the
//! last event, since the graph was consistent before: it is searched backwards from there, to the one store that
//! the last event comes right before.

use super::Model;
use super::event::{Event, EventId, Label, Place};
use super::graph::Graph;
use std::sync::atomic::Ordering;

/// The issue of an event, or its commit: twice its index, or one more.
type Node = u32;

/// Reused buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct GlobalOrder {
    visited: Vec<bool>,
    stack: Vec<Node>,
}

impl Graph {
    /// Whether a store waits in a buffer.
    fn is_buffered(&self, event: &Event) -> bool {
        self.model != Model::Sc && event.label == Label::Store && event.order != Ordering::SeqCst
    }
    /// Whether a task continues only when all of its stores so far are committed.
    fn is_full_barrier(&self, event: &Event) -> bool {
        match event.label {
            Label::Load => false,
            Label::Store | Label::Fence => event.order == Ordering::SeqCst,
            Label::Update | Label::FailedUpdate | Label::Other => true,
        }
    }
    /// Where a store takes effect.
    fn commit(&self, at: usize) -> Node {
        2 * at as Node + self.is_buffered(&self.events[at]) as Node
    }

    /// Whether the global order is acyclic, if it was before the last event.
    pub(super) fn is_globally_ordered(&mut self) -> bool {
        let last = self.events.len() - 1;
        let Event { place, source, .. } = self.events[last];
        // The store right after it, or after what it reads.
        let from = if self.events[last].writes() { EventId::at(last) } else { source };
        let behind = self.position(place, from);
        let Some(next) = self.modification_order(place).get(behind).and_then(|id| id.index()) else {
            return true;
        };
        let (goal, start) = (self.commit(next), self.commit(last));
        let mut buffers = std::mem::take(&mut self.global);
        let GlobalOrder { visited, stack } = &mut buffers;
        visited.clear();
        visited.resize(2 * self.events.len(), false);
        stack.clear();
        stack.push(start);
        let mut is_ordered = true;
        while let Some(node) = stack.pop() {
            if node == goal {
                is_ordered = false;
                break;
            }
            self.each_before(node, |before| {
                if !std::mem::replace(&mut visited[before as usize], true) {
                    stack.push(before);
                }
            });
        }
        self.global = buffers;
        is_ordered
    }

    /// Calls `add` with each node directly before `node`.
    fn each_before(&self, node: Node, mut add: impl FnMut(Node)) {
        let at = node as usize / 2;
        let event = &self.events[at];
        if self.commit(at) == node && event.writes() {
            let position = self.position(event.place, EventId::at(at));
            self.each_before_commit(at, self.store_at(event.place, position - 1), event.place, &mut add);
        }
        if node % 2 == 1 {
            add(node - 1);
            return;
        }
        if let Some(before) = event.before.checked_sub(1) {
            add(2 * before);
        }
        if event.time == 1 || self.is_full_barrier(event) {
            self.each_buffered_before(at, |store| add(2 * store as Node + 1));
        }
        if event.reads()
            && let Some(source) = event.source.index()
            && self.events[source].task != event.task
        {
            add(self.commit(source));
        }
        self.after_of(at).iter().for_each(|earlier| add(2 * earlier));
    }
    /// The same for the commit of a store that stands right after `earlier` in modification order.
    fn each_before_commit(&self, at: usize, earlier: EventId, place: Place, add: &mut impl FnMut(Node)) {
        if let Some(earlier) = earlier.index() {
            add(self.commit(earlier));
        }
        self.readers(place, earlier)
            .filter(|reader| *reader != at)
            .for_each(|reader| add(2 * reader as Node));
        let event = &self.events[at];
        if !self.is_buffered(event) {
            return;
        }
        match self.model {
            Model::Tso => self.each_buffered_before(at, |store| add(2 * store as Node + 1)),
            Model::Pso if event.releases() => {
                self.each_buffered_before(at, |store| add(2 * store as Node + 1))
            }
            Model::Pso => {
                if let Some(fence) = self.last_store_barrier(at) {
                    self.each_buffered_before(fence, |store| add(2 * store as Node + 1));
                }
            }
            Model::Sc | Model::Rc11 => {}
        }
    }
    /// Calls `add` with the buffered stores of the task before event `at`, back to the last full barrier.
    fn each_buffered_before(&self, at: usize, mut add: impl FnMut(usize)) {
        let mut next = self.events[at].before;
        while let Some(before) = next.checked_sub(1) {
            let event = &self.events[before as usize];
            if self.is_buffered(event) {
                add(before as usize);
            }
            if self.is_full_barrier(event) {
                return;
            }
            next = event.before;
        }
    }
    /// The last release fence of the task before event `at`, back to the last full barrier.
    fn last_store_barrier(&self, at: usize) -> Option<usize> {
        let mut next = self.events[at].before;
        while let Some(before) = next.checked_sub(1) {
            let event = &self.events[before as usize];
            if self.is_full_barrier(event) {
                return None;
            }
            if event.label == Label::Fence && event.releases() {
                return Some(before as usize);
            }
            next = event.before;
        }
        None
    }
}
