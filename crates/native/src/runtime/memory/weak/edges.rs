//! What happens before what by locks, channels, joins and the like, as edges of the execution graph.
//!
//! Under RC11 these are the edges of *synchronises-with* that the log says, and no others: a `try_lock` that fails
//! synchronises with nothing. On a machine with store buffers an operation on a lock is a full barrier, and takes effect in
//! one global order: there, operations that conflict are ordered as well.

use super::is_other;
use crate::runtime::log::{Line, Log, Sync};
use raddle_core::memory::{EventId, Graph, Model};
use raddle_core::operation::{Accesses, Mode, ObjectId, TaskId};
use std::sync::atomic::Ordering;

/// Events of which none happens before another.
type Events = Vec<EventId>;

/// What can be learned from an object.
#[derive(Default)]
struct Released {
    /// By all who acquire it.
    to_all: Events,
    /// By tasks that acquire it exclusively: what readers left.
    to_exclusive: Events,
    /// The last event that wrote it, and those that have read it since.
    write: Option<EventId>,
    reads: Events,
}

/// The edges of one execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(super) struct Edges {
    /// Lines of the log that were looked at.
    done: usize,
    objects: Vec<Released>,
    after: Events,
}

impl Edges {
    pub fn reset(&mut self) {
        self.done = 0;
        for Released { to_all, to_exclusive, write, reads } in &mut self.objects {
            to_all.clear();
            to_exclusive.clear();
            *write = None;
            reads.clear();
        }
    }
    fn object(&mut self, object: ObjectId) -> &mut Released {
        if self.objects.len() <= object.index() {
            self.objects.resize_with(object.index() + 1, Released::default);
        }
        &mut self.objects[object.index()]
    }
    /// A step of `task` with these accesses begins that accesses no atomic.
    pub fn add_event(
        &mut self,
        graph: &mut Graph,
        task: TaskId,
        accesses: Accesses,
        is_atomic: impl Fn(ObjectId) -> bool,
    ) {
        let own = EventId::at(graph.len());
        let mut after = std::mem::take(&mut self.after);
        after.clear();
        if matches!(graph.model(), Model::Tso | Model::Pso) {
            for access in accesses.iter().filter(|access| !is_atomic(access.object)) {
                let object = self.object(access.object);
                after.extend(object.write);
                match access.mode {
                    Mode::Read => object.reads.push(own),
                    Mode::Write => {
                        after.append(&mut object.reads);
                        object.write = Some(own);
                    }
                }
            }
        }
        graph.synchronise(task, &after);
        self.after = after;
    }
    /// Adds what the lines of the log say that come before line `end` and were not looked at yet. `lines` are those of the
    /// events.
    pub fn learn(
        &mut self,
        graph: &mut Graph,
        (log, end): (&Log, usize),
        lines: &[u32],
        is_atomic: impl Fn(ObjectId) -> bool,
    ) {
        for at in self.done..end {
            let line = &log.lines()[at];
            if line.sync != Sync::None && !is_atomic(line.object) {
                self.learn_line(graph, line, lines);
            }
        }
        self.done = self.done.max(end);
    }

    fn learn_line(&mut self, graph: &mut Graph, line: &Line, lines: &[u32]) {
        let (object, me) = (line.object, line.task);
        match line.sync {
            // The graph itself orders these; a task is born where it is created, and what is sent is found by its line.
            Sync::None | Sync::Load(_) | Sync::Store(_) | Sync::Fence(_) | Sync::Spawn(_) | Sync::Send => {}
            Sync::Acquire => self.acquire(graph, object),
            Sync::AcquireOf(object) => self.acquire(graph, object),
            Sync::Release => self.release(graph, me, object),
            Sync::ReleaseOf(object) => self.release(graph, me, object),
            Sync::AcquireRelease => {
                self.acquire(graph, object);
                self.release(graph, me, object);
            }
            Sync::AcquireShared => graph.come_after(&self.object(object).to_all),
            Sync::ReleaseShared => {
                let own = graph.last_event(me);
                add(graph, &mut self.object(object).to_exclusive, own);
            }
            Sync::Meet => {
                self.acquire(graph, object);
                let object = self.object(object);
                object.to_all.clear();
                object.to_exclusive.clear();
            }
            // A reference count.
            Sync::Update(order) => {
                if matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst) {
                    self.acquire(graph, object);
                }
                if matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst) {
                    self.release(graph, me, object);
                }
            }
            Sync::Receive(sent) | Sync::Learn(sent) | Sync::Exchange(sent) => {
                let sent = lines.binary_search(&sent).expect("what is received was sent in a step");
                graph.come_after(&[EventId::at(sent)]);
            }
            Sync::Join(child) => {
                let last = graph.last_event(child);
                graph.come_after(last.as_slice());
            }
        }
    }

    fn acquire(&mut self, graph: &mut Graph, object: ObjectId) {
        let Released { to_all, to_exclusive, .. } = self.object(object);
        graph.come_after(to_all);
        graph.come_after(to_exclusive);
    }
    fn release(&mut self, graph: &Graph, me: TaskId, object: ObjectId) {
        let own = graph.last_event(me);
        add(graph, &mut self.object(object).to_all, own);
    }
}

/// Adds an event, instead of those that happen before it.
fn add(graph: &Graph, events: &mut Events, own: Option<EventId>) {
    let Some((own, at)) = own.and_then(|own| Some((own, own.index()?))) else { return };
    debug_assert!(is_other(graph, own) || !events.contains(&own));
    events.retain(|id| id.index().is_some_and(|earlier| !graph.happens_before(earlier, at)));
    events.push(own);
}
