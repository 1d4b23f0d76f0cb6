//! Saves segments of the execution that older batches still refer to, while a later batch is processed.

use super::super::path::{Path, Sleeper};
use super::{Batch, Work};

impl Work {
    /// A batch that begins at `depth`, while the present one has items down to `left`.
    pub(super) fn open_batch(&mut self, path: &Path, depth: usize, left: usize, default_from: u32) {
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
            sleepers: self.sleepers.len(),
            memory_steps: self.memory_steps.len(),
            moves: self.moves.len(),
            depth,
        };
        self.batches.push(batch);
        self.begun.push((default_from, self.executions));
        if needed > depth {
            self.save_segment(path, depth);
        }
    }
    /// The last batch has no items any more, and continues from `depth`: saves what older ones need after that.
    pub(super) fn save_segment(&mut self, path: &Path, depth: usize) {
        let batch = self.batches.last_mut().expect("there is one");
        // What this batch has saved so far, if anything, comes right after.
        let needed = std::mem::replace(&mut batch.needed, depth);
        let (events, births, reversals) = (batch.events, batch.births, batch.reversals);
        let (sleepers, memory_steps) = (batch.sleepers, batch.memory_steps);
        batch.depth = depth;
        let is_within = |at: u32| at as usize >= depth && (at as usize) < needed;
        self.events.splice(events..events, path.events[depth..needed].iter().copied());
        self.births.splice(births..births, path.born_after(depth).filter(|b| b.after as usize <= needed));
        let reversed = path.reversals.iter().filter(|r| is_within(r.last)).copied();
        self.reversals.splice(reversals..reversals, reversed);
        let accessed = path.memory_steps.iter().filter(|step| is_within(step.at)).copied();
        self.memory_steps.splice(memory_steps..memory_steps, accessed);
        let foreseen = |f: &&Sleeper| f.from as usize > depth && f.from as usize <= needed;
        self.sleepers.splice(sleepers..sleepers, path.sleep_set.iter().filter(foreseen).copied());
    }
    /// The last batch is done: restores what was saved for older ones. Returns how many steps stay.
    pub(super) fn drop_batch(&mut self, path: &mut Path) -> usize {
        let batch = self.batches.pop().expect("there is one");
        let mut stays = usize::MAX;
        if self.events.len() > batch.events {
            stays = batch.depth;
            path.truncate(batch.depth);
            let (events, births) = (&self.events[batch.events..], &self.births[batch.births..]);
            let (reversals, sleepers) =
                (&self.reversals[batch.reversals..], &self.sleepers[batch.sleepers..]);
            path.extend(events, births, reversals, sleepers, &self.memory_steps[batch.memory_steps..]);
        }
        self.sleepers.truncate(batch.sleepers);
        self.memory_steps.truncate(batch.memory_steps);
        self.moves.truncate(batch.moves);
        for (default_from, before) in self.begun.drain(batch.begun..) {
            self.sizes.note(default_from, self.executions - before);
        }
        self.clocks.truncate(batch.clocks);
        self.steps.truncate(batch.steps);
        self.events.truncate(batch.events);
        self.births.truncate(batch.births);
        self.reversals.truncate(batch.reversals);
        stays
    }
}
