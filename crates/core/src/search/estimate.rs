//! How many executions a search will make, judged by how much of its tree it has explored so far (Kilby, Slaney,
//! Thiébaux, Walsh, AAAI 2006: the weighted backtrack estimator).
//!
//! At each branching all alternatives are taken to be equally large. That is wrong for any single one of them, so an
//! estimate comes with the range of those that were made since half of the present part of the tree was explored.

/// How many executions there will be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The present estimate.
    pub total: u64,
    /// The lowest and the highest of the recent ones.
    pub range: (u64, u64),
    /// How much of the tree has been explored, from 0 to 1.
    pub explored: f64,
}

/// The estimates of one search so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    all: Vec<(f64, u64)>,
}

impl Estimates {
    /// So many executions have explored so much of the tree. None as long as there is too little to go by.
    pub fn add(&mut self, executions: u64, explored: f64) -> Option<Estimate> {
        if executions == 0 || explored <= 0.0 {
            return None;
        }
        let total = (executions as f64 / explored.min(1.0)).round() as u64;
        if self.all.last().is_none_or(|(last, _)| *last < explored) {
            self.all.push((explored, total));
        }
        let recent = || self.all.iter().filter(|(then, _)| *then >= explored / 2.0).map(|(_, total)| *total);
        let range = (recent().min().unwrap_or(total).min(total), recent().max().unwrap_or(total).max(total));
        Some(Estimate { total, range, explored: explored.min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_has_the_range_of_the_recent_ones() {
        let mut estimates = Estimates::default();
        assert_eq!(estimates.add(0, 0.0), None);
        assert_eq!(estimates.add(10, 0.01).unwrap().range, (1_000, 1_000));
        let estimate = estimates.add(10, 0.1).unwrap();
        assert_eq!((estimate.total, estimate.range), (100, (100, 100)), "the first one was long ago");
        let estimate = estimates.add(30, 0.15).unwrap();
        assert_eq!((estimate.total, estimate.range), (200, (100, 200)));
        assert_eq!(estimates.add(150, 1.0).unwrap().total, 150);
    }
}
