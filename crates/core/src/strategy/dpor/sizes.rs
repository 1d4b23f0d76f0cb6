//! Estimates the number of executions of a work item from the finished ones: the earlier its default steps begin, the
//! more executions it has.
//!
//! This is the recursive estimator of Kilby, Slaney, Thiébaux and Walsh (AAAI 2006), except that an unseen subtree is
//! assumed to be as large as the last one whose defaults began after as many steps, not as large as its siblings.

/// The sizes of the finished items.
#[derive(Clone, Debug, Default)]
pub(in crate::strategy::dpor) struct Sizes {
    /// By the number of steps before the defaults. Later items count for more; 0 if there was none.
    done: Vec<f64>,
}

impl Sizes {
    /// Removes all sizes.
    pub fn clear(&mut self) {
        self.done.clear();
    }
    /// An item had so many executions.
    #[inline]
    pub fn note(&mut self, default_from: u32, executions: u64) {
        let default_from = default_from as usize;
        if default_from >= self.done.len() {
            self.done.resize(default_from + 1, 0.0);
        }
        let (size, executions) = (&mut self.done[default_from], executions as f64);
        *size = if *size == 0.0 { executions } else { (*size + executions) / 2.0 };
    }
    /// The factor per step by which earlier items are larger: a straight line through the logarithms.
    pub fn growth(&self) -> f64 {
        let (mut n, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (default_from, size) in self.done.iter().enumerate().filter(|(_, size)| **size > 0.0) {
            let (default_from, size) = (default_from as f64, size.ln());
            n += 1.0;
            x += default_from;
            y += size;
            xx += default_from * default_from;
            xy += default_from * size;
        }
        let spread = n * xx - x * x;
        if spread > 0.0 { (-(n * xy - x * y) / spread).exp().max(1.0) } else { 1.0 }
    }
    /// The expected size of an item with this growth, if these sizes are known besides.
    pub fn expected(&self, default_from: u32, growth: f64, besides: &[(u32, f64)]) -> f64 {
        let done = self.done.iter().enumerate().skip(default_from as usize);
        let done = done
            .filter(|(_, size)| **size > 0.0)
            .map(|(default_from, size)| (default_from as u32, *size))
            .next();
        let besides = besides
            .iter()
            .copied()
            .filter(|(known, _)| *known >= default_from)
            .min_by_key(|(known, _)| *known);
        let nearest = match (done, besides) {
            (Some(done), Some(other)) if other.0 < done.0 => Some(other),
            (done, besides) => done.or(besides),
        };
        nearest.map_or(1.0, |(known, size)| size * growth.powi((known - default_from) as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_last_counts_for_more() {
        let mut sizes = Sizes::default();
        assert_eq!(sizes.expected(3, sizes.growth(), &[]), 1.0);
        for executions in [2, 4, 9] {
            sizes.note(6, executions);
        }
        assert_eq!(sizes.expected(6, sizes.growth(), &[]), 6.0);
        assert_eq!(sizes.expected(3, sizes.growth(), &[]), 6.0, "there is no telling by how much it grows");
        sizes.note(4, 24);
        assert!((sizes.growth() - 2.0).abs() < 1e-9);
        assert!((sizes.expected(3, sizes.growth(), &[]) - 48.0).abs() < 1e-6);
        assert_eq!(sizes.expected(3, sizes.growth(), &[(3, 50.0), (2, 70.0)]), 50.0);
        assert_eq!(sizes.expected(9, sizes.growth(), &[]), 1.0);
    }
}
