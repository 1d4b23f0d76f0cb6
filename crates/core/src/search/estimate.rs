//! How many executions a search will make, judged by how much of its tree it has explored so far (Kilby, Slaney,
//! Thiébaux, Walsh, AAAI 2006: the weighted backtrack estimator).
//!
//! At each branching all alternatives are taken to be equally large. That is wrong for any single one of them, so an
//! estimate comes with the range of those that were made since half of the present part of the tree was explored. A
//! search that meets the small alternatives first finds them rising all the time: then the present one is no more than
//! a lower bound, and says so.

/// How many executions there will be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The present estimate.
    pub total: u64,
    /// The lowest and the highest of the recent ones.
    pub range: (u64, u64),
    /// How much of the tree has been explored, from 0 to 1.
    pub explored: f64,
    /// The recent ones have only risen: there may be many more.
    pub rising: bool,
}

/// By how much the first of the recent ones must be lower for the present one to be a lower bound.
const RISE: f64 = 1.1;

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
        let rising = explored < 1.0 && range.1 == total && total as f64 > range.0 as f64 * RISE;
        Some(Estimate { total, range, explored: explored.min(1.0), rising })
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
        assert_eq!((estimate.total, estimate.range, estimate.rising), (200, (100, 200), true));
        let estimate = estimates.add(30, 0.2).unwrap();
        assert_eq!((estimate.total, estimate.range, estimate.rising), (150, (100, 200), false));
        let estimate = estimates.add(300, 1.0).unwrap();
        assert_eq!((estimate.total, estimate.rising), (300, false), "all is known");
    }
}
