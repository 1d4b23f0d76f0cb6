//! Divides the work of the reduction among workers, and between this process and a later one. Any worker can explore
//! any item in any order, since an item depends only on the execution that leads to it.

use super::saved::subtrees;
use super::work::Item;
use super::{OptimalDpor, SavedReduction};
use crate::strategy::{Divisible, Estimating, SavedSubtree, Strategy};
use crate::world::Pick;

impl OptimalDpor {
    fn from_saved(part: &SavedReduction) -> Result<OptimalDpor, String> {
        let mut rest = match part.read()? {
            None => OptimalDpor::new(),
            Some((item, path, picks)) => OptimalDpor::of(item, path, picks),
        };
        rest.share = part.share();
        Ok(rest)
    }
}

impl Divisible for OptimalDpor {
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let remaining = self.work.remaining();
        let (item, path, picks) = self.work.split(&self.path)?;
        let mut part = OptimalDpor::of(item, path, picks);
        part.share = (self.share - self.reported) * remaining.first / remaining.all;
        self.share -= part.share;
        part.work.learn(&self.work);
        Some(Box::new(part))
    }

    fn prefix(&mut self) -> &[Pick] {
        &self.inherited
    }

    fn save(&mut self) -> Option<Vec<SavedSubtree>> {
        let mut present = None;
        if !self.started || self.begun && self.schedule.is_empty() && self.sleeper.is_none() {
            present = Some((SavedReduction::whole(), 1.0));
        } else if self.begun {
            let mut item = Item::new(self.path.len(), self.deferred, self.time);
            item.asleep = self.sleeper;
            item.is_revisit = self.is_revisit;
            present = Some((SavedReduction::of(&item, &self.path, &self.schedule), self.work.expected()));
        }
        let parts = subtrees(present, &mut self.work.clone(), &self.path, self.share - self.reported);
        Some(parts.into_iter().map(|part| SavedSubtree::Optimal(Box::new(part))).collect())
    }

    fn resume(&mut self, subtree: &SavedSubtree) -> Result<Box<dyn Strategy>, String> {
        match subtree {
            SavedSubtree::Optimal(part) => Ok(Box::new(OptimalDpor::from_saved(part)?)),
            SavedSubtree::Picks { .. } => Err("it was saved by a search without this reduction".to_owned()),
        }
    }
}

impl Estimating for OptimalDpor {
    fn explored(&mut self) -> f64 {
        let executions = self.work.executions() as f64;
        let begun = if self.begun { self.work.expected() } else { 0.0 };
        let explored = match executions + self.work.remaining().all + begun {
            0.0 => 0.0,
            all => self.share * executions / all,
        };
        explored - std::mem::replace(&mut self.reported, explored)
    }

    fn peak(&self) -> u64 {
        self.peak as u64
    }
}
