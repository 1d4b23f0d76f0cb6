//! What is left to explore: schedules that each lead from a step of the present execution to another part of
//! the tree.
//!
//! An execution hands in what it found as one *batch*, and a batch is worked off, the deepest first, before
//! anything older. So there are only the batches of nested executions, each of which has reversed one more race: at most
//! as many items are left as an execution has races and further options, and each of them is at most as long as an
//! execution. Where a batch leads to a place above what older ones still refer to, that stretch of the execution is put
//! aside until the batch is done: at most one stretch for each batch that has items left.

use super::names::Name;
use super::path::{Deferred, Event, Fatal, Path, Reversal};
use crate::operation::{Accesses, TaskId};
use crate::world::Birth;

/// Who moves, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub name: Name,
    pub option: u32,
    /// It took a detour in the execution that it is from.
    pub odd: bool,
}

pub(super) type Picks = Vec<Move>;

/// A part of the tree that is left to explore.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Item {
    /// How many steps of the execution that it was found in come first.
    pub depth: u32,
    /// The race that is reversed; none if only another option is tried.
    pub deferred: Option<Deferred>,
    /// The last step is its task's how-manieth. In another execution it may happen by itself.
    pub time: u32,
    /// The picks that follow.
    from: u32,
    to: u32,
    /// How much of the whole tree it is taken to be.
    pub share: f64,
    /// Who must not move there, since that ended the run, and what its step touches. There are no picks then.
    pub fatal: Option<(TaskId, Accesses)>,
}

impl Item {
    pub fn new(depth: usize, deferred: Option<Deferred>, time: u32, share: f64) -> Item {
        Item { depth: depth as u32, deferred, time, from: 0, to: 0, share, fatal: None }
    }
}

/// What one execution found.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    /// Where its items and their picks begin.
    items: usize,
    picks: usize,
    /// How many steps of the present execution older batches refer to.
    needed: usize,
    /// Where it begins what was put aside for them, and the depth at which that was.
    events: usize,
    births: usize,
    reversals: usize,
    fatal: usize,
    depth: usize,
}

/// What is left to explore.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    items: Vec<Item>,
    picks: Picks,
    batches: Vec<Batch>,
    /// Where the picks of the item begin that is being put together.
    open: usize,
    events: Vec<Event>,
    births: Vec<Birth>,
    reversals: Vec<Reversal>,
    fatal: Vec<Fatal>,
    /// Memory that is used again.
    spare: Picks,
}

impl Work {
    /// No work, but a first execution may find some.
    pub fn begin(&mut self) {
        self.batches.push(Batch::default());
    }
    /// Nothing is left.
    pub fn clear(&mut self) {
        self.items.clear();
        self.picks.clear();
        self.batches.clear();
        self.open = 0;
        self.events.clear();
        self.births.clear();
        self.reversals.clear();
        self.fatal.clear();
    }
    /// Another pick of the item that is being put together.
    #[inline]
    pub fn pick(&mut self, name: Name, option: u32, odd: bool) {
        self.picks.push(Move { name, option, odd });
    }
    /// The item that was put together is complete.
    #[inline]
    pub fn add(&mut self, depth: usize, deferred: Option<Deferred>, time: u32) {
        let (from, to) = (self.open as u32, self.picks.len() as u32);
        self.items.push(Item { from, to, ..Item::new(depth, deferred, time, 0.0) });
        self.open = self.picks.len();
    }
    /// All but the step of `task` after `depth` steps, which ended the run.
    pub fn add_others(&mut self, depth: usize, task: TaskId, accesses: Accesses) {
        self.add(depth, None, 0);
        self.items.last_mut().expect("it was added").fatal = Some((task, accesses));
    }
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Takes back those behind the first `items`, and those of this execution that bring forward this step of a task.
    pub fn take_back(&mut self, items: usize, name: Name, time: u32) {
        let first = self.batches.last().map_or(0, |batch| batch.items);
        let brings_forward = |item: &Item| {
            item.deferred.is_some()
                && item.time == time
                && self.picks[item.from as usize..item.to as usize].last().is_some_and(|p| p.name == name)
        };
        let mut kept = Vec::new();
        for item in &self.items[first..items] {
            if !brings_forward(item) {
                kept.push((*item, self.picks[item.from as usize..item.to as usize].to_vec()));
            }
        }
        self.picks.truncate(self.items.get(first).map_or(self.open, |item| item.from as usize));
        self.items.truncate(first);
        for (item, picks) in kept {
            let from = self.picks.len() as u32;
            self.picks.extend(picks);
            self.items.push(Item { from, to: self.picks.len() as u32, ..item });
        }
        self.open = self.picks.len();
    }
    /// An execution is over: the deepest of what it found comes first. It and all that it found have equal parts in
    /// its share of the tree, as far as anybody knows. Returns that part.
    pub fn close_batch(&mut self, share: f64) -> f64 {
        let Batch { items, picks, .. } = self.batches.last().copied().unwrap_or_default();
        let found = &mut self.items[items..];
        if !found.is_sorted_by_key(|item| item.depth) {
            found.sort_by_key(|item| item.depth);
            // The picks of an item that is taken are the last ones, too.
            self.spare.clear();
            self.spare.extend_from_slice(&self.picks[picks..]);
            self.picks.truncate(picks);
            for item in found.iter_mut() {
                let own = item.from as usize - picks..item.to as usize - picks;
                item.from = self.picks.len() as u32;
                self.picks.extend_from_slice(&self.spare[own]);
                item.to = self.picks.len() as u32;
            }
        }
        let part = share / (found.len() + 1) as f64;
        found.iter_mut().for_each(|item| item.share = part);
        part
    }
    /// The next item. Its picks are written into `schedule`, and `path` becomes the execution that leads there.
    /// Of `path`, the first `same` steps stay as they are.
    pub fn next(&mut self, path: &mut Path, schedule: &mut Picks, same: &mut usize) -> Option<Item> {
        loop {
            let batch = *self.batches.last()?;
            if self.items.len() == batch.items {
                *same = (*same).min(self.drop_batch(path));
                continue;
            }
            let item = self.items.pop().expect("the batch has some");
            let depth = item.depth as usize;
            schedule.clear();
            schedule.extend_from_slice(&self.picks[item.from as usize..item.to as usize]);
            self.picks.truncate(item.from as usize);
            match self.items.get(batch.items..).and_then(|own| own.last()) {
                Some(left) => self.open_batch(path, depth, left.depth as usize),
                None if batch.needed > depth => self.put_aside(path, depth),
                None => {}
            }
            self.open = self.picks.len();
            path.truncate(depth);
            *same = (*same).min(depth);
            return Some(item);
        }
    }
    /// The last batch has no items left, and goes on from `depth`: what older ones need behind that is put aside.
    fn put_aside(&mut self, path: &Path, depth: usize) {
        let batch = self.batches.last_mut().expect("there is one");
        // What this batch has put aside so far, if anything, comes right behind.
        let needed = std::mem::replace(&mut batch.needed, depth);
        let (events, births, reversals) = (batch.events, batch.births, batch.reversals);
        let fatal = batch.fatal;
        batch.depth = depth;
        let is_within = |at: u32| at as usize >= depth && (at as usize) < needed;
        self.events.splice(events..events, path.events[depth..needed].iter().copied());
        self.births.splice(births..births, path.born_after(depth).filter(|b| b.after as usize <= needed));
        let reversed = path.reversals.iter().filter(|r| is_within(r.last)).copied();
        self.reversals.splice(reversals..reversals, reversed);
        let foreseen = |f: &&Fatal| f.from as usize > depth && f.from as usize <= needed;
        self.fatal.splice(fatal..fatal, path.fatal.iter().filter(foreseen).copied());
    }
    /// A batch that begins at `depth`, while the present one has items down to `left`.
    fn open_batch(&mut self, path: &Path, depth: usize, left: usize) {
        let needed = self.batches.last().map_or(0, |b| b.needed).max(left);
        let batch = Batch {
            items: self.items.len(),
            picks: self.picks.len(),
            needed,
            events: self.events.len(),
            births: self.births.len(),
            reversals: self.reversals.len(),
            fatal: self.fatal.len(),
            depth,
        };
        self.batches.push(batch);
        if needed > depth {
            self.put_aside(path, depth);
        }
    }
    /// The last batch is done: what was put aside for older ones is brought back. Returns how many steps stay.
    fn drop_batch(&mut self, path: &mut Path) -> usize {
        let batch = self.batches.pop().expect("there is one");
        let mut stays = usize::MAX;
        if self.events.len() > batch.events {
            stays = batch.depth;
            path.truncate(batch.depth);
            let (events, births) = (&self.events[batch.events..], &self.births[batch.births..]);
            path.extend(events, births, &self.reversals[batch.reversals..], &self.fatal[batch.fatal..]);
        }
        self.fatal.truncate(batch.fatal);
        self.picks.truncate(batch.picks);
        self.events.truncate(batch.events);
        self.births.truncate(batch.births);
        self.reversals.truncate(batch.reversals);
        stays
    }
    /// Gives away the shallowest item of the oldest batch, with the execution that leads there and its picks.
    pub fn split(&mut self, path: &Path) -> Option<(Item, Path, Picks)> {
        let item = *self.items.first()?;
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
        let picks = self.picks[item.from as usize..item.to as usize].to_vec();
        Some((item, path, picks))
    }
    /// How much it holds, in steps and picks.
    pub fn size(&self) -> usize {
        self.items.len()
            + self.picks.len()
            + self.batches.len()
            + self.events.len()
            + self.reversals.len()
            + self.fatal.len()
    }
    /// There is one item.
    pub fn begin_with(&mut self, item: Item, picks: Picks) {
        self.items.push(Item { from: 0, to: picks.len() as u32, ..item });
        self.picks = picks;
    }
}
