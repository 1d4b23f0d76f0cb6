//! What is left of a reduction, written down, so that another process can go on from there.

use super::path::Closing;
use super::work::Item;
use super::{Optimal, SavedReduction};
use crate::strategy::dpor::saved::subtrees;

impl Optimal {
    /// All parts of the tree that are left.
    pub(super) fn into_saved(mut self) -> Vec<SavedReduction> {
        let is_whole = self.schedule.is_empty() && self.fatal.is_none();
        let mut present = None;
        if !self.started || self.begun && is_whole {
            present = Some((SavedReduction::whole(), 1.0));
        } else if self.begun {
            let mut item = Item::new(self.path.len(), self.deferred, self.time);
            item.fatal = self.fatal;
            present = Some((SavedReduction::of(&item, &self.path, &self.schedule), self.work.expected()));
        }
        subtrees(present, &mut self.work, &self.path, self.share - self.told)
    }

    pub(super) fn from_saved(part: &SavedReduction) -> Result<Optimal, String> {
        let mut rest = match part.read(Closing::ByTask)? {
            None => Optimal::new(),
            Some((item, path, picks)) => Optimal::of(item, path, picks),
        };
        rest.share = part.share();
        Ok(rest)
    }
}
