//! Estimates the number of executions that are still to be explored.

use super::Work;

/// The estimated remaining executions, and those of the item that would be given away first.
#[derive(Clone, Copy, Debug)]
pub(in crate::strategy::dpor) struct Remaining {
    pub first: f64,
    pub all: f64,
}

impl Work {
    /// Estimates the remaining executions.
    pub fn remaining(&self) -> Remaining {
        let growth = self.sizes.growth();
        let mut remaining = Remaining { first: 0.0, all: 0.0 };
        // The present size of an unfinished item is a lower bound.
        let mut besides: Vec<(u32, f64)> = Vec::new();
        let (mut end, mut begun) = (self.items.len(), self.begun.len());
        for batch in self.batches.iter().rev() {
            for item in &self.items[batch.items..end] {
                let expected = self.sizes.expected(item.default_from, growth, &besides);
                remaining.all += expected;
            }
            if batch.items < end {
                remaining.first = self.sizes.expected(self.items[batch.items].default_from, growth, &besides);
            }
            for (default_from, before) in self.begun[batch.begun..begun].iter().rev() {
                besides.push((*default_from, ((self.executions - before) as f64 + remaining.all).max(1.0)));
            }
            (end, begun) = (batch.items, batch.begun);
        }
        remaining
    }
    /// The expected number of executions of the item that was taken last.
    pub fn expected(&self) -> f64 {
        let default_from = self.begun.last().map_or(0, |(default_from, _)| *default_from);
        self.sizes.expected(default_from, self.sizes.growth(), &[])
    }
    /// How many executions there were.
    pub fn executions(&self) -> u64 {
        self.executions
    }
    /// Takes over the sizes of another one.
    pub fn learn(&mut self, other: &Work) {
        self.sizes.clone_from(&other.sizes);
    }
}
