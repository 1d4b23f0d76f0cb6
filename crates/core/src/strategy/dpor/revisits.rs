//! The races of memory models: a store revisits earlier reads, which then read it.
//!
//! Where tasks access memory under a model ([`WeakMemory`](crate::memory::WeakMemory)), the search is that of TruSt
//! (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022): one execution for each consistent graph. A step that
//! accesses memory conflicts with nothing; the causal order is program order, births, conflict order of the other steps,
//! and reads-from. A load has an option for each store that it may read so far, a store one for each place in modification
//! order. What is left are reads of stores that come later in the execution: after a store `w` was taken, for each
//! default read `r` of its place that is not in its causal past, the execution is repeated without `r` and what comes after
//! it, except the causal past of `w`; then `r` reads `w`. It is the race reversal of [`dpor`](super) with the roles exchanged:
//! the past of `w`, and `w`, are the wakeup sequence, and `r` remains a default that may be revisited again.
//!
//! # Which execution revisits
//! What is removed must be *maximal*, so that one execution alone leads to each graph: each removed step, `r` included,
//! - is a default with option 0 (it read, or was, the last store in modification order then),
//! - was not revisited, or by a store that is kept,
//! - and no kept store other than `w` is after its source, or after itself, in modification order.
//!
//! The same rule is part of R1 where a race of other steps removes steps that access memory.
//!
//! 1. `w` is consistent where it was taken if it is without the removed steps. These have no edges of reads-from,
//!    modification order or from-reads into kept steps, except to `w` where that is the last store; and a cycle through
//!    `w` needs an edge out of it. So it is enough to look at stores that were taken.
//! 2. Except for atomicity: an update cannot read a store that another update reads, but could if that one were removed. So
//!    for each store that it could read otherwise, the revisits of this *denied* update are searched as well.
//! 3. A plain store whose successor in modification order is removed is not considered: it is taken there in another
//!    execution, as the last one.
//! 4. A step that ended the execution for all tasks joins the sleep set, as elsewhere. If it accesses memory, a store to its
//!    place gives it another option, and wakes it: then it has only the stores that came later, since the branches of the
//!    others are explored where it joined the sleep set. One that was revisited is woken only by stores after which the one
//!    that revisited it has happened: in other executions, others revisit it. Such executions may be repeated.

use super::OptimalDpor;
use super::clock::{Clock, join};
use super::closed_subsets::{Finder, Root, Scratch};
use super::path::{MemoryStep, Origin, Path};
use super::reversals::is_step_forbidden;
use super::work::{Item, Move, Picks, Store};
use crate::memory::{EventId, Graph, Label, Request, WeakMemory, kept_predecessor};
use crate::operation::TaskId;
use crate::world::{Birth, Point};

/// A store that revisits reads.
#[derive(Clone, Copy)]
struct Revisiting {
    /// Its step.
    at: usize,
    request: Request,
    /// What it would read, if it is an update that another one denies that.
    denied: Option<EventId>,
}

impl OptimalDpor {
    /// Adds what memory knows of the last step, and the revisits by it.
    #[inline]
    pub(super) fn note_memory_step(&mut self, graph: &Graph) {
        let Some(at) = self.path.len().checked_sub(1) else { return };
        if at < graph.len() && graph.event(at).accesses() && !self.path.is_last_step_noted() {
            self.note_access(at, graph);
        }
    }

    fn note_access(&mut self, at: usize, graph: &Graph) {
        let event = *graph.event(at);
        let source = if event.reads() { event.source.index() } else { None };
        // The read at the end of the wakeup sequence of a revisit reads the store that revisits it.
        let is_revisited = self.is_revisit
            && self.taken == self.schedule.len()
            && !std::mem::replace(&mut self.is_met, true);
        let number = |at: Option<usize>| at.map_or(0, |at| at as u32 + 1);
        self.path.note_memory_step(MemoryStep {
            at: at as u32,
            place: event.place.0,
            writes: event.writes(),
            source: number(source),
            revisited_by: number(source.filter(|_| is_revisited)),
        });
        if !self.path.is_free(at) {
            return;
        }
        let request = *graph.request(at).expect("an access to memory");
        if event.writes() {
            self.revisit(graph, Revisiting { at, request, denied: None });
        }
        let updates = matches!(request, Request::Update { .. } | Request::CompareExchange { .. });
        if updates && self.path.events[at].option == 0 && !is_revisited {
            self.revisit_denied(graph, at, request);
        }
    }

    /// Lemma 2.
    fn revisit_denied(&mut self, graph: &Graph, at: usize, request: Request) {
        let place = graph.event(at).place;
        let stores = graph.modification_order(place);
        for position in 0..=stores.len() {
            let id = if position == 0 { EventId::initial(place) } else { stores[position - 1] };
            let is_denied = graph.update_of(place, id).is_some_and(|update| update != at);
            if id != EventId::at(at) && is_denied && request.updates(graph.bits(place, id)) {
                self.revisit(graph, Revisiting { at, request, denied: Some(id) });
            }
        }
    }

    fn revisit(&mut self, graph: &Graph, store: Revisiting) {
        let OptimalDpor { path, scratch, .. } = self;
        let mut past = std::mem::take(&mut scratch.past);
        let mut moves = std::mem::take(&mut scratch.moves);
        write_past(path, &store, &mut past);
        for number in 0..self.path.memory_steps.len() {
            let read = self.path.memory_steps[number];
            if self.may_revisit(graph, &store, read, &past) {
                self.add_revisit(graph, &store, read, &past, &mut moves);
            }
        }
        (self.scratch.past, self.scratch.moves) = (past, moves);
    }

    fn may_revisit(&mut self, graph: &Graph, store: &Revisiting, read: MemoryStep, past: &[Clock]) -> bool {
        let path = &self.path;
        let r = read.at as usize;
        let event = graph.event(r);
        let covers = |at: usize| path.covers(past, at);
        if r >= store.at
            || !event.reads()
            || event.place != graph.event(store.at).place
            || !path.is_free(r)
            || covers(r)
            || read.revisited_by > 0 && !covers(read.revisited_by as usize - 1)
        {
            return false;
        }
        let keep = |at: usize| at < r || covers(at);
        if matches!(store.request, Request::Store { .. }) {
            // Lemma 3.
            let order = graph.modification_order(event.place);
            let next = order.get(graph.position(event.place, EventId::at(store.at)));
            if next.and_then(|id| id.index()).is_some_and(|next| !keep(next)) {
                return false;
            }
        }
        if !path.are_defaults(r, |at| at == store.at || keep(at))
            || !are_maximal(path, graph, r, store.at, keep)
            || !is_allowed(path, r, store.at, covers)
        {
            return false;
        }
        self.is_consistent(graph, store, r, past)
    }

    /// Whether the read `r` may read the store in the graph that is left.
    fn is_consistent(&mut self, graph: &Graph, store: &Revisiting, r: usize, past: &[Clock]) -> bool {
        let path = &self.path;
        let is_kept = |at: usize| at < r || at < path.len() && path.covers(past, at);
        let place = graph.event(r).place;
        let restricted = &mut self.scratch.restricted;
        restricted.restrict(graph, is_kept);
        let mut written = EventId::at(store.at);
        if store.denied.is_none() {
            written = restricted.here(written);
        }
        let source = store.denied.map(|id| restricted.here(id));
        let left = restricted.graph();
        let mut is_known = true;
        if let Some(source) = source {
            let task = graph.event(store.at).task;
            if !left.is_option(task, &store.request, source) {
                return false;
            }
            // What an update writes is not known; a compare-exchange that reads it may succeed or fail.
            is_known = !matches!(store.request, Request::Update { .. });
            written = EventId::at(left.len());
            left.take(task, &store.request, source, |_| 0);
        }
        let (task, request) = (graph.event(r).task, *graph.request(r).expect("an access to memory"));
        match request {
            Request::CompareExchange { success, failure, .. } if !is_known => {
                left.is_option(task, &Request::Update { place, order: success }, written)
                    || left.is_option(task, &Request::Load { place, order: failure }, written)
            }
            _ => left.is_option(task, &request, written),
        }
    }

    /// The execution up to the read, then the past of the store, the store, and the read.
    fn add_revisit(
        &mut self,
        graph: &Graph,
        store: &Revisiting,
        read: MemoryStep,
        past: &[Clock],
        moves: &mut Picks,
    ) {
        let path = &self.path;
        let (r, w) = (read.at as usize, store.at);
        let keep = |at: usize| at < r || at < path.len() && path.covers(past, at);
        moves.clear();
        moves.extend((r + 1..w).filter(|at| keep(*at)).filter_map(|at| move_of(path, graph, at, keep)));
        let (writer, reader) = (&path.events[w], &path.events[r]);
        let name = path.names.of(writer.task);
        match store.denied {
            None => moves.extend(move_of(path, graph, w, keep)),
            Some(id) => moves.push(Move { name, option: 0, store: Some(named(path, id)) }),
        }
        let written = Some(Store::Step(name, writer.time));
        moves.push(Move { name: path.names.of(reader.task), option: 0, store: written });
        let mut item = Item::new(r, None, reader.time);
        item.is_revisit = true;
        self.work.add_moves(item, &[], moves);
    }

    /// The option of the pending operation of `task` that chooses this store.
    pub(super) fn option_of(&self, task: TaskId, store: Store, point: &Point<'_>) -> Option<u32> {
        let choices = point.memory()?.choices(task);
        let number = match store {
            Store::Initial => choices.iter().position(|id| id.index().is_none()),
            Store::Step(name, time) => {
                let at = self.path.step_of(self.path.names.task(name)?, time)?;
                choices.iter().position(|id| *id == EventId::at(at))
            }
        };
        number.map(|number| number as u32)
    }
}

impl Finder<'_> {
    /// R1 for the steps that access memory.
    pub(super) fn are_memory_steps_plain(&self, root: &Root, first: usize) -> bool {
        let Some(memory) = self.point.memory() else { return true };
        let path = self.path;
        let keep = |at: usize| at < first || path.covers(&self.scratch.past, at) || root.step == Some(at);
        are_maximal(path, memory.graph(), first, usize::MAX, keep)
    }

    /// The root comes before a step, after its past, whose steps choose the same stores as here.
    pub(super) fn add_with_memory(&mut self, item: Item, last: Move) {
        let Some(memory) = self.point.memory() else { return };
        let (path, graph) = (self.path, memory.graph());
        let Scratch { past, also, moves, .. } = &mut *self.scratch;
        let keep = |at: usize| at < item.depth as usize || path.covers(past, at);
        moves.clear();
        moves.extend(also.iter().filter_map(|at| move_of(path, graph, *at as usize, keep)));
        moves.push(last);
        self.work.add_moves(item, past, moves);
    }
}

/// Whether a task has an operation for which it is not known how it is reduced together with memory.
pub(super) fn is_beyond_memory(memory: &dyn WeakMemory, point: &Point<'_>) -> bool {
    let tasks = || (0..point.all().len() as u32).map(TaskId);
    let is_phantom = |task: TaskId| point.birth(task).number & Birth::PHANTOM != 0;
    let conflicts_with_all = |task: TaskId| {
        point.is_enabled(task) && memory.place(task).is_none() && point.pending(task).accesses.is_everything()
    };
    memory.is_beyond_reduction() || tasks().any(|task| is_phantom(task) || conflicts_with_all(task))
}

/// The causal past of a store, and itself; of one that is denied, without it.
fn write_past(path: &Path, store: &Revisiting, past: &mut Vec<Clock>) {
    past.clear();
    past.extend_from_slice(path.clock(store.at));
    if let Some(id) = store.denied {
        let event = &path.events[store.at];
        path.clock_after(event.task, store.at, past);
        if let Some(source) = id.index() {
            join(past, path.clock(source));
        }
    }
}

/// Whether the steps from `first` on that are not kept and access memory are maximal, except the store `revisiting`.
fn are_maximal(
    path: &Path,
    graph: &Graph,
    first: usize,
    revisiting: usize,
    keep: impl Fn(usize) -> bool,
) -> bool {
    let behind = path.memory_steps.iter().rev().take_while(|step| step.at as usize >= first);
    let mut removed = behind.filter(|step| step.at as usize != revisiting && !keep(step.at as usize));
    removed.all(|step| {
        let at = step.at as usize;
        let event = graph.event(at);
        let from = if event.writes() { EventId::at(at) } else { event.source };
        let order = graph.modification_order(event.place);
        let mut later = order[graph.position(event.place, from)..].iter().filter_map(|id| id.index());
        path.is_free(at)
            && path.events[at].option == 0
            && (step.revisited_by == 0 || keep(step.revisited_by as usize - 1))
            && !later.any(|later| later != revisiting && later < path.len() && keep(later))
    })
}

/// R2: no step that is taken before the read belongs to another branch of a race that was reversed before it.
fn is_allowed(path: &Path, read: usize, store: usize, covers: impl Fn(usize) -> bool) -> bool {
    let mut reversals = path.reversals.iter().take_while(|r| (r.last as usize) < read);
    !reversals.any(|reversal| {
        reversal.closed as usize >= read
            && (read + 1..store).any(|at| covers(at) && is_step_forbidden(path, reversal, at))
    })
}

/// The store as a step by name.
fn named(path: &Path, id: EventId) -> Store {
    id.index().map_or(Store::Initial, |at| {
        let event = &path.events[at];
        Store::Step(path.names.of(event.task), event.time)
    })
}

/// Step `at` in an execution of the kept steps alone; none if it happens by itself.
fn move_of(path: &Path, graph: &Graph, at: usize, keep: impl Fn(usize) -> bool) -> Option<Move> {
    let event = &path.events[at];
    if event.origin == Origin::ByItself {
        return None;
    }
    let accessed = graph.event(at);
    let store = match accessed.label {
        Label::Store => {
            let before = |other: usize| other < at && keep(other);
            let place = accessed.place;
            let before = kept_predecessor(graph, place, EventId::at(at), before);
            Some(named(path, before.map_or(EventId::initial(place), EventId::at)))
        }
        _ if accessed.reads() => Some(named(path, accessed.source)),
        _ => None,
    };
    Some(Move { name: path.names.of(event.task), option: event.option, store })
}
