//! How many executions a search will make, judged by how much of its tree it has explored so far.
//!
//! How much that is, strategies say (Kilby, Slaney, Thiébaux, Walsh, AAAI 2006). Depth-first search takes all alternatives
//! of a branching to be equally large; the reduction expects of what is left what lay behind similar items that are done.
//! What nobody has come across yet they cannot know of. In programs of known size, from a tenth of the search on, the
//! truth lies between half and four times of what the reduction says for most of the time, and that is the range. A search
//! that meets the small alternatives first finds its estimates rising all the time: then the present one is no more than a
//! lower bound, and says so.

/// How many executions there will be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The present estimate.
    pub total: u64,
    /// What it may well be: there are at least as many as there were, and no promise.
    pub range: (u64, u64),
    /// How much of the tree has been explored, from 0 to 1.
    pub explored: f64,
    /// The recent ones have only risen: there may be many more.
    pub rising: bool,
}

/// How much less, and how many times more there may well be.
const LESS: u64 = 2;
const MORE: u64 = 4;

/// By how much the first of the recent ones must be lower for the present one to be a lower bound.
const RISE: f64 = 1.1;

impl Estimate {
    /// Where so many executions have explored so much of the tree. None as long as there is too little to go by.
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
    /// The estimate where so many executions have explored so much of the tree.
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
        // There were more already.
        assert_eq!(estimates.add(90, 0.9).unwrap().range, (90, 400));
        let estimate = estimates.add(300, 1.0).unwrap();
        assert_eq!(
            (estimate.total, estimate.range, estimate.rising),
            (300, (300, 300), false),
            "all is known"
        );
    }
}
