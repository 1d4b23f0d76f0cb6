//! The work items: wakeup sequences that each lead from a step of the present execution to an unexplored subtree.
//!
//! An execution adds its items as one *batch*, and a batch is processed, the deepest item first, before any older one.
//! Where a batch leads to a depth above what older ones still refer to, that segment of the execution is saved until
//! the batch is done.
//!
//! Bound on memory: call a pair of conflicting steps of different tasks, and a further option of a step, an
//! *alternative*. Only the batches of nested executions exist at once, each begun with an item of the one before. What
//! that item removes were defaults (R1 of [`dpor`](super)), so the next execution has all deviations from the default
//! of the one before, and one more: a reversed pair, or another option. So there are no more batches than alternatives,
//! plus one. A batch holds the prefix of its items once for all of them, and saves one segment: twice the length of an
//! execution at most. Each task comes before a given step at most once, since that happens before it from then on
//! (readers that block a writer together may be removed in several ways), so there are as many items as a length times
//! the tasks, of a few words each. The total is linear in the length times the alternatives, for a fixed number of
//! tasks.

mod estimate;
mod saved_segments;

use super::clock::{self, Clock};
use super::names::Name;
use super::path::{Deferred, Event, MemoryStep, Origin, Path, Reversal, Sleeper, SleepingAccess, Stamp};
use super::sizes::Sizes;
use crate::operation::{Accesses, TaskId};
use crate::world::{Birth, Variation};

/// A task and its option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct Move {
    pub name: Name,
    pub option: u32,
    /// The store that it chooses, if it accesses memory where other options are possible than where it was found. Then
    /// it has that option.
    pub store: Option<Store>,
}

/// A store, or the initial value of the place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) enum Store {
    Initial,
    /// By the name of its task and its index among the steps of the task.
    Step(Name, u32),
}

pub(in crate::strategy::dpor) type Picks = Vec<Move>;

/// A step that ends the execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::strategy::dpor) struct SleepingStep {
    pub task: TaskId,
    /// Its accesses.
    pub accesses: Accesses,
    /// How its operation depends on the state.
    pub variation: Variation,
    /// What it accesses of memory that has a model.
    pub memory: Option<SleepingAccess>,
}

/// A step of an execution with which some of its items begin.
#[derive(Clone, Copy, Debug)]
struct EarlierStep {
    step: Move,
    at: u32,
    stamp: Stamp,
}

/// A work item: an unexplored subtree.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::strategy::dpor) struct Item {
    /// The length of its prefix in the execution in which it was found.
    pub depth: u32,
    /// The race that is reversed; none if only another option is tried.
    pub deferred: Option<Deferred>,
    /// The index of the last step among the steps of its task. In another execution it may happen by itself.
    pub time: u32,
    /// The wakeup sequence: the steps of that execution after the prefix that this clock, of this width, covers, and
    /// then this one, if any.
    clock: u32,
    width: u32,
    last: Option<Move>,
    /// The wakeup sequence, where steps access memory: the first of its moves, and how many they are; 0 elsewhere.
    moves: u32,
    known: u32,
    /// The last step of the wakeup sequence is a read that the step before it revisits.
    pub is_revisit: bool,
    /// After how many steps all steps are defaults.
    default_from: u32,
    /// The step that must not be taken there, since it ended the execution. There are no picks then.
    pub asleep: Option<SleepingStep>,
}

impl Item {
    pub fn new(depth: usize, deferred: Option<Deferred>, time: u32) -> Item {
        let (clock, width, last, asleep) = (0, 0, None, None);
        let depth = depth as u32;
        let (moves, known, is_revisit) = (0, 0, false);
        Item {
            depth,
            deferred,
            time,
            clock,
            width,
            last,
            moves,
            known,
            is_revisit,
            default_from: depth,
            asleep,
        }
    }
}

/// The items of one execution.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    /// Where its items and their clocks begin.
    items: usize,
    clocks: usize,
    /// Where the steps of the execution begin, and the items that it was begun with.
    steps: usize,
    begun: usize,
    /// How many steps of the present execution older batches refer to.
    needed: usize,
    /// Where the saved segments for them begin, and the depth of the first.
    events: usize,
    births: usize,
    reversals: usize,
    sleepers: usize,
    memory_steps: usize,
    depth: usize,
    /// Where the moves of its items begin.
    moves: usize,
}

/// The work items of a search.
#[derive(Clone, Debug, Default)]
pub(in crate::strategy::dpor) struct Work {
    items: Vec<Item>,
    clocks: Vec<Clock>,
    steps: Vec<EarlierStep>,
    batches: Vec<Batch>,
    events: Vec<Event>,
    births: Vec<Birth>,
    reversals: Vec<Reversal>,
    sleepers: Vec<Sleeper>,
    memory_steps: Vec<MemoryStep>,
    /// The wakeup sequences of items where steps access memory.
    moves: Picks,
    /// The join of the clocks of a batch, kept for its memory.
    joined: Vec<Clock>,
    /// The number of executions, and the items in progress: their depth, and the number of executions before them.
    executions: u64,
    begun: Vec<(u32, u64)>,
    sizes: Sizes,
}

impl Work {
    /// No items, but a first execution may add some.
    pub fn begin(&mut self) {
        self.batches.push(Batch::default());
    }
    /// Removes all items.
    pub fn clear(&mut self) {
        self.items.clear();
        self.clocks.clear();
        self.steps.clear();
        self.batches.clear();
        self.events.clear();
        self.births.clear();
        self.reversals.clear();
        self.sleepers.clear();
        self.memory_steps.clear();
        self.moves.clear();
        self.executions = 0;
        self.begun.clear();
        self.sizes.clear();
    }
    /// Adds an item: the later steps that the clock covers, so many, and then `last`.
    #[inline]
    pub fn add(&mut self, item: Item, clock: &[Clock], last: Move, known: usize) {
        // Without steps before `last` the clock is not used.
        let clock = if known > 0 { clock } else { &[] };
        let (from, width) = (self.clocks.len() as u32, clock.len() as u32);
        self.clocks.extend_from_slice(clock);
        let default_from = item.depth + known as u32 + 1;
        self.items.push(Item { clock: from, width, last: Some(last), default_from, ..item });
    }
    /// Adds an item with a wakeup sequence of its own; for [`Work::has`] it has these steps before the last one.
    pub fn add_moves(&mut self, item: Item, clock: &[Clock], moves: &[Move]) {
        let (from, width) = (self.clocks.len() as u32, clock.len() as u32);
        self.clocks.extend_from_slice(clock);
        let (start, known) = (self.moves.len() as u32, moves.len() as u32);
        self.moves.extend_from_slice(moves);
        let (last, default_from) = (moves.last().copied(), item.depth + known);
        self.items.push(Item { clock: from, width, last, moves: start, known, default_from, ..item });
    }
    /// Whether one of the items from number `from` on equals `item`, whose last step is by `name`, after these steps of
    /// `path`.
    pub fn has(&self, from: usize, item: &Item, name: Name, path: &Path, also: &[u32]) -> bool {
        let is_same = |other: &Item| {
            let clock = &self.clocks[other.clock as usize..][..other.width as usize];
            let steps = || {
                (other.depth + 1..path.len() as u32).filter(|at| path.events[*at as usize].is_covered(clock))
            };
            other.depth == item.depth
                && other.time == item.time
                && other.deferred.is_some()
                && other.last.is_some_and(|last| last.name == name && last.option == 0)
                && steps().eq(also.iter().copied())
        };
        self.items[from..].iter().any(is_same)
    }
    /// Where the items of the present execution begin.
    pub fn batch(&self) -> usize {
        self.batches.last().map_or(0, |batch| batch.items)
    }
    /// Adds all steps but that of `task` after `depth` steps, which ended the execution.
    pub fn add_others(&mut self, depth: usize, step: SleepingStep) {
        self.items.push(Item { asleep: Some(step), ..Item::new(depth, None, 0) });
    }
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Removes the items after the first `items`.
    pub fn truncate(&mut self, items: usize) {
        self.items.truncate(items);
    }
    /// The execution `path` is over: its deepest item comes first.
    pub fn close_batch(&mut self, path: &Path) {
        self.executions += 1;
        let Some(batch) = self.batches.last_mut() else { return };
        let found = &mut self.items[batch.items..];
        if found.is_empty() {
            return;
        }
        if !found.is_sorted_by_key(|item| item.depth) {
            found.sort_by_key(|item| item.depth);
        }
        batch.steps = self.steps.len();
        self.joined.clear();
        let begun_with_steps = || found.iter().filter(|item| item.width > 0 && item.known == 0);
        let Some(above) = begun_with_steps().next().map(|item| item.depth as usize) else { return };
        for item in begun_with_steps() {
            let clock = &self.clocks[item.clock as usize..][..item.width as usize];
            self.joined.resize(self.joined.len().max(clock.len()), clock::NOTHING);
            clock::join(&mut self.joined, clock);
        }
        for (at, event) in path.events.iter().enumerate().skip(above) {
            if event.origin != Origin::ByItself && event.is_covered(&self.joined) {
                let step = Move { name: path.names.of(event.task), option: event.option, store: None };
                self.steps.push(EarlierStep { step, at: at as u32, stamp: event.stamp });
            }
        }
    }
    /// The wakeup sequence of an item of batch number `batch`.
    fn picks_of(&self, item: &Item, batch: usize, picks: &mut Picks) {
        let end = self.batches.get(batch + 1).map_or(self.steps.len(), |next| next.steps);
        let batch = &self.batches[batch];
        picks.clear();
        if item.known > 0 {
            picks.extend_from_slice(&self.moves[item.moves as usize..][..item.known as usize]);
            return;
        }
        let clock = &self.clocks[item.clock as usize..][..item.width as usize];
        let is_next = |past: &&EarlierStep| past.at >= item.depth && past.stamp.is_covered(clock);
        picks.extend(self.steps[batch.steps..end].iter().filter(is_next).map(|past| past.step));
        picks.extend(item.last);
    }
    /// The next item. Writes its wakeup sequence into `schedule`, and `path` becomes the execution that leads there. Of
    /// `path`, the first `same` steps stay as they are.
    pub fn next(&mut self, path: &mut Path, schedule: &mut Picks, same: &mut usize) -> Option<Item> {
        loop {
            let batch = *self.batches.last()?;
            if self.items.len() == batch.items {
                *same = (*same).min(self.drop_batch(path));
                continue;
            }
            let item = self.items.pop().expect("the batch has some");
            let depth = item.depth as usize;
            self.picks_of(&item, self.batches.len() - 1, schedule);
            match self.items.get(batch.items..).and_then(|own| own.last()) {
                Some(left) => self.open_batch(path, depth, left.depth as usize, item.default_from),
                None => {
                    self.begun.push((item.default_from, self.executions));
                    self.clocks.truncate(batch.clocks);
                    self.moves.truncate(batch.moves);
                    self.steps.truncate(batch.steps);
                    if batch.needed > depth {
                        self.save_segment(path, depth);
                    }
                }
            }
            path.truncate(depth);
            *same = (*same).min(depth);
            return Some(item);
        }
    }
    /// Gives away the shallowest item of the oldest batch, with the execution that leads there and its wakeup sequence.
    pub fn split(&mut self, path: &Path) -> Option<(Item, Path, Picks)> {
        let item = *self.items.first()?;
        let oldest = self.batches.iter().rposition(|b| b.items == 0).expect("an execution has found it");
        let mut picks = Picks::new();
        self.picks_of(&item, oldest, &mut picks);
        let mut path = path.clone();
        let mut rest = self.clone();
        while rest.batches.last().is_some_and(|b| b.items > 0) {
            rest.drop_batch(&mut path);
        }
        path.truncate(item.depth as usize);
        self.items.remove(0);
        for batch in &mut self.batches {
            batch.items -= (batch.items > 0) as usize;
        }
        Some((item, path, picks))
    }
    /// Its size, in steps and items.
    pub fn size(&self) -> usize {
        let left = self.items.len() + self.clocks.len() + self.steps.len() + self.batches.len();
        let saved = self.events.len() + self.reversals.len() + self.sleepers.len() + self.memory_steps.len();
        left + self.begun.len() + saved + self.moves.len()
    }
    /// There is one item, with this wakeup sequence.
    pub fn begin_with(&mut self, item: Item, mut picks: Picks) {
        if item.known > 0 || item.is_revisit || picks.iter().any(|pick| pick.store.is_some()) {
            let (moves, known) = (0, picks.len() as u32);
            self.moves = picks;
            self.items.push(Item { clock: 0, width: 0, last: None, moves, known, ..item });
            return;
        }
        let last = picks.pop();
        let (at, stamp) = (item.depth, Stamp::default());
        self.steps = picks.into_iter().map(|step| EarlierStep { step, at, stamp }).collect();
        self.clocks = vec![clock::NOTHING];
        self.items.push(Item { clock: 0, width: 1, last, ..item });
    }
}
