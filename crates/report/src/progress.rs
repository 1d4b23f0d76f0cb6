//! The progress of a search, in one line.

use crate::coverage::count;
use crate::escape;
use raddle_core::search::Progress;
use raddle_core::verdict::thousands;

/// "raddle: a test: 12,000 executions of about 34,650 (30,000 to 51,000), 2,000 a second, 4 s".
pub fn progress(name: Option<&str>, progress: &Progress) -> String {
    let since = progress.executions - progress.earlier;
    let rate = since as f64 / progress.elapsed.as_secs_f64().max(0.001);
    let name = name.map(|n| format!("{}: ", escape::line(n))).unwrap_or_default();
    let failures = match progress.failures {
        0 => String::new(),
        n => format!(", {} failed", thousands(n)),
    };
    let estimate = progress.estimate.map(|estimate| {
        let ((least, most), total) = (estimate.range, thousands(estimate.total));
        match estimate.rising {
            true => format!(" of {total} or many more"),
            false if least == most => format!(" of about {total}"),
            false => format!(" of about {total} ({} to {})", thousands(least), thousands(most)),
        }
    });
    let bound = match progress.finished_bound {
        None => String::new(),
        Some(n) => format!(", all within {} done", count(n.into(), "preemption")),
    };
    let peak = match progress.peak {
        0 => String::new(),
        n => format!(", at most {} kept", count(n, "step")),
    };
    format!(
        "raddle: {name}{} executions{}{failures}, {} a second{bound}{peak}, {} s",
        thousands(progress.executions),
        estimate.unwrap_or_default(),
        thousands(rate as u64),
        progress.elapsed.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::search::Estimate;
    use std::time::Duration;

    #[test]
    fn progress_in_one_line() {
        let mut now = Progress {
            executions: 12_000,
            earlier: 0,
            failures: 0,
            elapsed: Duration::from_secs(4),
            finished_bound: None,
            peak: 0,
            estimate: None,
        };
        let words = |now: &Progress| progress(Some("a test"), now);
        assert_eq!(words(&now), "raddle: a test: 12,000 executions, 3,000 a second, 4 s");
        (now.earlier, now.failures) = (4_000, 2);
        (now.finished_bound, now.peak) = (Some(1), 1_200);
        now.estimate =
            Some(Estimate { total: 34_650, range: (30_000, 51_000), explored: 0.35, rising: false });
        let expected = "raddle: a test: 12,000 executions of about 34,650 (30,000 to 51,000), 2 failed, 2,000 a second, \
                        all within 1 preemption done, at most 1,200 steps kept, 4 s";
        assert_eq!(words(&now), expected);
        now.estimate = Some(Estimate { total: 51_000, range: (30_000, 51_000), explored: 0.4, rising: true });
        assert!(
            words(&now).contains("12,000 executions of 51,000 or many more, 2 failed"),
            "{}",
            words(&now)
        );
    }
}
