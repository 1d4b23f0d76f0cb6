//! Estimates how many executions a search will make from the fraction of its tree that is explored (Kilby, Slaney,
//! Thiébaux, Walsh, AAAI 2006).
//!
//! The strategy computes the fraction. Depth-first search weighs all alternatives of a branching equally; the reduction
//! expects a pending work item to be as large as similar finished ones. Subtrees that are not discovered yet are not
//! counted. In programs of known size, from a tenth of the search on, the true number lies mostly between half and four
//! times the reduction's estimate: that is the range. If the estimates rise all the time, the present one is only a
//! lower bound.

use serde::{Deserialize, Serialize};

/// How many executions there will be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// The present estimate.
    pub total: u64,
    /// The expected range. Its lower end is at least the present number of executions; its upper end is no guarantee.
    pub range: (u64, u64),
    /// How much of the tree has been explored, from 0 to 1. Not part of what is sent to another process.
    #[serde(skip)]
    pub explored: f64,
    /// The recent estimates have only risen: the true number may be far higher.
    pub rising: bool,
}

/// The range reaches from `total / LESS` to `total * MORE`.
const LESS: u64 = 2;
const MORE: u64 = 4;

/// The factor by which the present estimate must exceed the lowest recent one to count as a lower bound.
const RISE: f64 = 1.1;

impl Estimate {
    /// The estimate after `executions` executions have explored this fraction of the tree. None before the first.
    pub fn of(executions: u64, explored: f64) -> Option<Estimate> {
        if executions == 0 || explored <= 0.0 {
            return None;
        }
        let total = (executions as f64 / explored.min(1.0)).round() as u64;
        let range = match explored < 1.0 {
            true => ((total / LESS).max(executions), total.saturating_mul(MORE)),
            false => (total, total),
        };
        Some(Estimate { total, range, explored: explored.min(1.0), rising: false })
    }
}

/// The estimates of one search so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    all: Vec<(f64, u64)>,
}

impl Estimates {
    /// Adds the estimate after `executions` executions have explored this fraction of the tree.
    pub fn add(&mut self, executions: u64, explored: f64) -> Option<Estimate> {
        let estimate = Estimate::of(executions, explored)?;
        let total = estimate.total;
        if self.all.last().is_none_or(|(last, _)| *last < explored) {
            self.all.push((explored, total));
        }
        let recent = || self.all.iter().filter(|(then, _)| *then >= explored / 2.0).map(|(_, total)| *total);
        let lowest = recent().min().unwrap_or(total).min(total);
        let rising =
            explored < 1.0 && recent().all(|earlier| earlier <= total) && total as f64 > lowest as f64 * RISE;
        Some(Estimate { rising, ..estimate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_has_a_range_and_may_rise() {
        let mut estimates = Estimates::default();
        assert_eq!(estimates.add(0, 0.0), None);
        assert_eq!(estimates.add(10, 0.01).unwrap().range, (500, 4_000));
        let estimate = estimates.add(10, 0.1).unwrap();
        assert_eq!((estimate.total, estimate.range, estimate.rising), (100, (50, 400), false));
        let estimate = estimates.add(30, 0.15).unwrap();
        assert_eq!((estimate.total, estimate.range, estimate.rising), (200, (100, 800), true));
        let estimate = estimates.add(30, 0.2).unwrap();
        assert_eq!((estimate.total, estimate.range, estimate.rising), (150, (75, 600), false));
        // The range starts at the present number of executions.
        assert_eq!(estimates.add(90, 0.9).unwrap().range, (90, 400));
        let estimate = estimates.add(300, 1.0).unwrap();
        assert_eq!(
            (estimate.total, estimate.range, estimate.rising),
            (300, (300, 300), false),
            "all is known"
        );
    }
}
