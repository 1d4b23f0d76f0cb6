//! An execution graph with the places of its events in the source: whether it would be consistent with stronger orderings
//! there, which newer stores its loads did not see, and by which missing edge.

use super::explanation::{AtomicAccess, MissingEdge, StaleLoad, StrongerOrdering};
use super::{Event, EventId, Graph, Label, Order, Request};
use crate::record::{ExecutionRecord, Place};
use std::collections::BTreeMap;

/// A graph, and where its events are.
#[derive(Clone, Debug)]
pub struct PlacedGraph {
    /// The graph.
    pub graph: Graph,
    /// For each event: where it is in the source, if it is there.
    pub places: Vec<Option<Place>>,
    /// For each event: its line in the record of the execution.
    pub lines: Vec<usize>,
}

/// An operation in the source that has one ordering weaker than `SeqCst` at least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Site {
    pub place: Place,
    /// The stronger orderings that it may have, the weakest first.
    pub stronger: Vec<Order>,
}

impl PlacedGraph {
    /// The operations whose orderings may be stronger.
    pub(super) fn sites(&self) -> Vec<Site> {
        let mut sites: BTreeMap<Place, Vec<Order>> = BTreeMap::new();
        for (at, event) in self.graph.events().iter().enumerate() {
            let Some(place) = &self.places[at] else { continue };
            let own = Order::from(event.order);
            let possible: &[Order] = match event.label {
                Label::Other => continue,
                Label::Load => &[Order::Acquire, Order::SeqCst],
                Label::Store => &[Order::Release, Order::SeqCst],
                Label::Update | Label::FailedUpdate | Label::Fence => {
                    &[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst]
                }
            };
            let known = sites.entry(place.clone()).or_default();
            for order in possible.iter().copied().filter(|order| own.join(*order) != own) {
                if !known.contains(&order) {
                    known.push(order);
                }
            }
        }
        let sites = sites.into_iter().map(|(place, stronger)| Site { place, stronger });
        sites.filter(|site| !site.stronger.is_empty()).collect()
    }

    /// Whether the execution is consistent if operations have these orderings, where they are stronger.
    pub(super) fn is_consistent_with(&self, orderings: &[StrongerOrdering]) -> bool {
        let whole = &self.graph;
        let mut graph = Graph::new(whole.model());
        for place in 0..whole.places() {
            graph.add_place(whole.places[place].bits);
        }
        graph.clocks.widen(whole.tasks.len(), 0);
        graph.tasks =
            whole.tasks.iter().map(|task| super::graph::Task { last: 0, steps: 0, ..*task }).collect();
        for (at, event) in whole.events().iter().enumerate() {
            let Some(request) = whole.request(at) else {
                let after: Vec<EventId> =
                    whole.after_of(at).iter().map(|at| EventId::at(*at as usize)).collect();
                graph.synchronise(event.task, &after);
                continue;
            };
            let stronger = orderings.iter().find(|one| Some(&one.place) == self.places[at].as_ref());
            let request = stronger.map_or(*request, |one| request.with(one.order));
            if !graph.is_option(event.task, &request, event.source) {
                return false;
            }
            graph.take(event.task, &request, event.source, |_| event.bits);
        }
        true
    }

    /// The loads that read an older store than the last one.
    pub fn stale_loads(&self, record: &ExecutionRecord) -> Vec<StaleLoad> {
        (0..self.graph.len()).filter_map(|at| self.stale_load(record, at)).collect()
    }

    fn stale_load(&self, record: &ExecutionRecord, at: usize) -> Option<StaleLoad> {
        let event = self.graph.event(at);
        if !event.reads() || event.writes() {
            return None;
        }
        let order = self.graph.modification_order(event.place);
        let newer = &order[self.graph.position(event.place, event.source)..];
        let mut newer = newer.iter().filter_map(|id| id.index()).filter(|newer| *newer < at);
        let first = newer.next()?;
        Some(StaleLoad {
            load: self.access(record, at)?,
            read: event.source.index().and_then(|source| self.access(record, source)),
            newer: self.access(record, first)?,
            others: newer.count(),
            missing: self.missing_edge(record, first, at),
        })
    }

    fn access(&self, record: &ExecutionRecord, at: usize) -> Option<AtomicAccess> {
        let line = record.lines.get(*self.lines.get(at)?)?;
        Some(AtomicAccess {
            task: record.tasks.get(line.task)?.name.clone(),
            step: line.step?,
            place: self.places[at].clone()?,
            order: self.graph.event(at).order.into(),
        })
    }

    /// The first read that does not synchronise on the way from a store to a later load with the fewest of them.
    fn missing_edge(&self, record: &ExecutionRecord, store: usize, load: usize) -> Option<MissingEdge> {
        let Event { before, .. } = *self.graph.event(load);
        // By event: how many such reads there are from it to the load, and the first one.
        let mut best: Vec<Option<(u32, Option<usize>)>> = vec![None; load];
        *best.get_mut((before as usize).checked_sub(1)?)? = Some((0, None));
        for at in (store..load).rev() {
            let Some((cost, first)) = best[at] else { continue };
            let event = self.graph.event(at);
            let mut reach = |earlier: usize, cost: u32, first: Option<usize>| {
                if best[earlier].is_none_or(|(known, _)| cost < known) {
                    best[earlier] = Some((cost, first));
                }
            };
            if let Some(earlier) = (event.before as usize).checked_sub(1) {
                reach(earlier, cost, first);
            }
            self.graph.after_of(at).iter().for_each(|earlier| reach(*earlier as usize, cost, first));
            if let Some(source) = event.source.index().filter(|_| event.reads()) {
                let synchronises =
                    self.graph.happens_before(source, at) || self.graph.happens_before(source, load);
                match synchronises {
                    true => reach(source, cost, first),
                    false => reach(source, cost + 1, Some(at)),
                }
            }
        }
        let read = best[store]?.1?;
        let source = self.graph.event(read).source.index()?;
        Some(MissingEdge { store: self.access(record, source)?, load: self.access(record, read)? })
    }
}

impl Request {
    /// The same with an ordering that is as strong as this one, too.
    fn with(self, stronger: Order) -> Request {
        let join = |order: std::sync::atomic::Ordering| Order::from(order).join(stronger);
        match self {
            Request::Load { place, order } => {
                Request::Load { place, order: join(order).of_load().ordering() }
            }
            Request::Store { place, order, bits } => {
                Request::Store { place, order: join(order).of_store().ordering(), bits }
            }
            Request::Update { place, order } => Request::Update { place, order: join(order).ordering() },
            Request::CompareExchange { place, expected, new, success, failure } => Request::CompareExchange {
                place,
                expected,
                new,
                success: join(success).ordering(),
                failure: join(failure).of_load().ordering(),
            },
            Request::Fence(order) => Request::Fence(join(order).ordering()),
        }
    }
}
