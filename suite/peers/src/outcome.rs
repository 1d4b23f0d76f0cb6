//! The result of an exploration, and the comparison of two that explored the same program. One that ran out
//! of time still has a rate, and gives a bound on the ratio of times instead of the ratio.

use crate::cpu::Measured;
use crate::number;
use std::time::Duration;

/// The result of an exploration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The exploration is complete.
    Finished(Measured),
    /// The cap came first; this much was explored.
    OutOfTime(Measured),
    /// The tool crashed, or found a bug that the program does not have.
    Failed,
}

use Outcome::*;

/// The ratio of the times of two explorations, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ratio {
    /// Both finished.
    Exactly(f64),
    /// The numerator ran out of time.
    AtLeast(f64),
    /// The denominator ran out of time.
    AtMost(f64),
}

impl Outcome {
    /// The measurement, complete or not.
    pub fn measured(&self) -> Option<Measured> {
        match *self {
            Finished(measured) | OutOfTime(measured) => Some(measured),
            Failed => None,
        }
    }

    /// The better of two explorations of the same program by the same tool.
    pub fn better(self, other: Self) -> Self {
        match (self, other) {
            (Finished(a), Finished(b)) => Finished(a.better(b)),
            (Finished(a), _) | (_, Finished(a)) => Finished(a),
            (OutOfTime(a), OutOfTime(b)) => OutOfTime(a.better(b)),
            (OutOfTime(a), _) | (_, OutOfTime(a)) => OutOfTime(a),
            (Failed, Failed) => Failed,
        }
    }

    /// The time this took over the time `other` took; unknown if neither finished.
    pub fn time_over(&self, other: &Self) -> Option<Ratio> {
        let over = |a: Measured, b: Measured| a.cpu.as_secs_f64() / b.cpu.as_secs_f64();
        match (*self, *other) {
            (Finished(a), Finished(b)) => Some(Ratio::Exactly(over(a, b))),
            (OutOfTime(a), Finished(b)) => Some(Ratio::AtLeast(over(a, b))),
            (Finished(a), OutOfTime(b)) => Some(Ratio::AtMost(over(a, b))),
            _ => None,
        }
    }

    /// The line that a child process prints for its parent.
    pub fn to_line(self) -> String {
        let line =
            |word, measured: Measured| format!("{word} {} {}", measured.executions, measured.cpu.as_nanos());
        match self {
            Finished(measured) => line("finished", measured),
            OutOfTime(measured) => line("out-of-time", measured),
            Failed => "failed".into(),
        }
    }

    /// Parses `to_line`; any other line is a failure.
    pub fn from_line(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [word, executions, nanos] = words[..] else { return Failed };
        let (Ok(executions), Ok(nanos)) = (executions.parse(), nanos.parse()) else { return Failed };
        let measured = Measured { executions, cpu: Duration::from_nanos(nanos) };
        match word {
            "finished" => Finished(measured),
            "out-of-time" => OutOfTime(measured),
            _ => Failed,
        }
    }
}

impl Ratio {
    /// `12.3x`, `> 12.3x` or `< 12.3x`.
    pub fn text(&self) -> String {
        match *self {
            Ratio::Exactly(x) => number::ratio(x),
            Ratio::AtLeast(x) => format!("> {}", number::ratio(x)),
            Ratio::AtMost(x) => format!("< {}", number::ratio(x)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Measured {
        Measured { executions: 30, cpu: Duration::from_secs(n) }
    }

    #[test]
    fn a_line_says_it_all() {
        for outcome in [Finished(seconds(3)), OutOfTime(seconds(5)), Failed] {
            assert_eq!(Outcome::from_line(&outcome.to_line()), outcome);
        }
        assert_eq!(Outcome::from_line(""), Failed);
    }

    #[test]
    fn the_better_outcome_is_the_one_that_got_further() {
        assert_eq!(OutOfTime(seconds(5)).better(Finished(seconds(4))), Finished(seconds(4)));
        assert_eq!(Finished(seconds(4)).better(Finished(seconds(3))), Finished(seconds(3)));
        assert_eq!(Failed.better(OutOfTime(seconds(5))), OutOfTime(seconds(5)));
    }

    #[test]
    fn a_cap_leaves_a_bound() {
        let ratio = |a: Outcome, b: Outcome| a.time_over(&b).map(|ratio| ratio.text());
        assert_eq!(ratio(Finished(seconds(8)), Finished(seconds(4))).unwrap(), "2.00x");
        assert_eq!(ratio(OutOfTime(seconds(8)), Finished(seconds(4))).unwrap(), "> 2.00x");
        assert_eq!(ratio(Finished(seconds(4)), OutOfTime(seconds(8))).unwrap(), "< 0.50x");
        assert_eq!(ratio(OutOfTime(seconds(8)), OutOfTime(seconds(8))), None);
        assert_eq!(ratio(Failed, Finished(seconds(8))), None);
    }
}
