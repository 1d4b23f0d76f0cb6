//! Statistics of the trials of one bug and one strategy.

use crate::measure::Trials;

/// The number of trials that found a bug, and the number of schedules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub found: usize,
    pub trials: usize,
    /// Of the trials that found it.
    pub mean: f64,
    /// Half of the width of the mean's confidence interval of 95 percent.
    pub margin: f64,
}

impl Summary {
    pub fn of(trials: &Trials) -> Summary {
        let found: Vec<f64> = trials.iter().flatten().map(|n| *n as f64).collect();
        let n = found.len() as f64;
        let mean = found.iter().sum::<f64>() / n;
        let variance = found.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.);
        let margin = if found.len() > 1 { 1.96 * (variance / n).sqrt() } else { 0. };
        Summary { found: found.len(), trials: trials.len(), mean, margin }
    }

    /// `4.9 ±0.5`, with `37/100: ` before it if not every trial found the bug.
    pub fn words(&self) -> String {
        let mean = format!("{} ±{}", short(self.mean), short(self.margin));
        match self.found {
            0 => "none".to_owned(),
            n if n == self.trials => mean,
            n => format!("{n}/{}: {mean}", self.trials),
        }
    }
}

/// About three digits.
pub fn short(x: f64) -> String {
    match x {
        x if x < 99.95 => format!("{x:.1}"),
        x if x < 99_999.5 => format!("{x:.0}"),
        x => format!("{:.0}k", x / 1_000.),
    }
}

/// The share of trials that had found the bug within `schedules`.
pub fn found_within(trials: &Trials, schedules: u64) -> f64 {
    let found = trials.iter().flatten().filter(|n| **n <= schedules).count();
    found as f64 / trials.len() as f64
}

/// The mean number of schedules of the trials until then.
pub fn spent_within(trials: &Trials, schedules: u64) -> f64 {
    let spent = |t: &Option<u64>| t.unwrap_or(u64::MAX).min(schedules) as f64;
    trials.iter().map(spent).sum::<f64>() / trials.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_margin() {
        let summary = Summary::of(&vec![Some(1), Some(3), Some(5), None]);
        assert_eq!((summary.found, summary.trials, summary.mean), (3, 4, 3.));
        assert!((summary.margin - 1.96 * (4f64 / 3.).sqrt()).abs() < 1e-9);
        assert_eq!(summary.words(), "3/4: 3.0 ±2.3");
        assert_eq!(Summary::of(&vec![Some(2)]).words(), "2.0 ±0.0");
        assert_eq!(Summary::of(&vec![None, None]).words(), "none");
    }

    #[test]
    fn shares_grow_with_the_schedules() {
        let trials = vec![Some(1), Some(10), None];
        assert_eq!([0, 1, 10].map(|n| found_within(&trials, n)), [0., 1. / 3., 2. / 3.]);
        assert_eq!(spent_within(&trials, 10), 7.);
    }

    #[test]
    fn large_numbers_are_short() {
        assert_eq!([4.94, 123.4, 1_234_567.].map(short), ["4.9", "123", "1235k"]);
    }
}
