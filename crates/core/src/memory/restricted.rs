//! A graph restricted to some of its events: the state after a causally closed subset of an execution. A revisit asks
//! there whether a read may read a later store.

use super::event::{EventId, Label, Place};
use super::graph::{Graph, Task};

/// An event that is not in the graph that is restricted.
const GONE: u32 = u32::MAX;

/// A graph that is restricted again and again, in the same memory.
#[derive(Clone, Debug)]
pub struct Restricted {
    graph: Graph,
    /// The indices of the kept events there.
    indices: Vec<u32>,
    after: Vec<EventId>,
}

impl Default for Restricted {
    fn default() -> Restricted {
        Restricted { graph: Graph::new(super::Model::Sc), indices: Vec::new(), after: Vec::new() }
    }
}

impl Restricted {
    /// Becomes `whole` without the events that are not kept. What is kept is causally closed.
    pub fn restrict(&mut self, whole: &Graph, keep: impl Fn(usize) -> bool) {
        let Restricted { graph, indices, after } = self;
        graph.reset();
        graph.model = whole.model;
        for place in 0..whole.places() {
            graph.add_place(whole.places[place].bits);
        }
        graph.clocks.widen(whole.tasks.len(), 0);
        graph.tasks.resize(whole.tasks.len(), Task::default());
        indices.clear();
        for (at, event) in whole.events.iter().enumerate() {
            if !keep(at) {
                indices.push(GONE);
                continue;
            }
            indices.push(graph.len() as u32);
            let task = event.task;
            if event.time == 1 {
                let born = whole.tasks[task.index()].born;
                graph.tasks[task.index()].born = born.checked_sub(1).map_or(0, |at| indices[at as usize] + 1);
            }
            if event.label == Label::Other {
                after.clear();
                after.extend(whole.after_of(at).iter().map(|at| EventId::at(indices[*at as usize] as usize)));
                graph.synchronise(task, after);
                continue;
            }
            let source = match event.label {
                Label::Store => predecessor(whole, indices, at),
                _ => here(indices, event.source),
            };
            graph.push(task, event.label, event.order, event.place, source, event.bits, whole.requests[at]);
        }
        // Tasks that have not begun.
        for (task, all) in graph.tasks.iter_mut().zip(&whole.tasks) {
            if task.steps == 0 {
                let born = all.born.checked_sub(1).map(|at| indices[at as usize]);
                task.born = born.filter(|born| *born != GONE).map_or(0, |born| born + 1);
            }
        }
    }
    /// The restricted graph.
    pub fn graph(&mut self) -> &mut Graph {
        &mut self.graph
    }
    /// The event of the whole graph, in the restricted one.
    pub fn here(&self, id: EventId) -> EventId {
        here(&self.indices, id)
    }
}

fn here(indices: &[u32], id: EventId) -> EventId {
    id.index().map_or(id, |at| {
        debug_assert_ne!(indices[at], GONE, "a causally closed subset has the source");
        EventId::at(indices[at] as usize)
    })
}

/// The store after which store number `at` stands in modification order, among the kept ones that were added before it.
fn predecessor(whole: &Graph, indices: &[u32], at: usize) -> EventId {
    let place = whole.events[at].place;
    kept_predecessor(whole, place, EventId::at(at), |other| other < at && indices[other] != GONE)
        .map_or(EventId::initial(place), |other| EventId::at(indices[other] as usize))
}

/// The last store before `id` in modification order that is kept; none if that is the initial one.
pub fn kept_predecessor(
    whole: &Graph,
    place: Place,
    id: EventId,
    keep: impl Fn(usize) -> bool,
) -> Option<usize> {
    let before = &whole.modification_order(place)[..whole.position(place, id) - 1];
    before.iter().rev().filter_map(|id| id.index()).find(|other| keep(*other))
}
