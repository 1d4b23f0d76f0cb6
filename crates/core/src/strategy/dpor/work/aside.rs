//! Saves segments of the execution that older batches still refer to, while a later batch is processed.

use super::super::path::{Fatal, Path};
use super::{Batch, Work};

impl Work {
    /// A batch that begins at `depth`, while the present one has items down to `left`.
    pub(super) fn open_batch(&mut self, path: &Path, depth: usize, left: usize, free: u32) {
        let needed = self.batches.last().map_or(0, |b| b.needed).max(left);
        let batch = Batch {
            items: self.items.len(),
            clocks: self.clocks.len(),
            steps: self.steps.len(),
            begun: self.begun.len(),
            needed,
            events: self.events.len(),
            births: self.births.len(),
            reversals: self.reversals.len(),
            fatal: self.fatal.len(),
            depth,
        };
        self.batches.push(batch);
        self.begun.push((free, self.executions));
        if needed > depth {
            self.put_aside(path, depth);
        }
    }
    /// The last batch has no items any more, and continues from `depth`: saves what older ones need after that.
    pub(super) fn put_aside(&mut self, path: &Path, depth: usize) {
        let batch = self.batches.last_mut().expect("there is one");
        // What this batch has saved so far, if anything, comes right after.
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
    /// The last batch is done: restores what was saved for older ones. Returns how many steps stay.
    pub(super) fn drop_batch(&mut self, path: &mut Path) -> usize {
        let batch = self.batches.pop().expect("there is one");
        let mut stays = usize::MAX;
        if self.events.len() > batch.events {
            stays = batch.depth;
            path.truncate(batch.depth);
            let (events, births) = (&self.events[batch.events..], &self.births[batch.births..]);
            path.extend(events, births, &self.reversals[batch.reversals..], &self.fatal[batch.fatal..]);
        }
        self.fatal.truncate(batch.fatal);
        for (free, before) in self.begun.drain(batch.begun..) {
            self.sizes.note(free, self.executions - before);
        }
        self.clocks.truncate(batch.clocks);
        self.steps.truncate(batch.steps);
        self.events.truncate(batch.events);
        self.births.truncate(batch.births);
        self.reversals.truncate(batch.reversals);
        stays
    }
}
