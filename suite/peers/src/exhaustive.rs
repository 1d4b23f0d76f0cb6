//! The `exhaustive` table: the cost of raddle and loom to explore the same program completely. The two
//! explore alternately, each time in a child process with its own cap of CPU time.

use crate::catalogue::{EXHAUSTIVE, Program};
use crate::child::{self, Tool};
use crate::number;
use crate::outcome::{Outcome, Ratio};
use std::time::Duration;

const ROUNDS: usize = 2;
/// A longer exploration than this is disturbed little, and is not repeated.
const LONG: Duration = Duration::from_secs(1);

/// Measures and prints, row by row; no exploration takes more than `cap` of CPU time.
pub fn print(cap: Duration) {
    println!(
        "exhaustive exploration in CPU time, best of several in turn, at most {} each",
        number::time(cap)
    );
    println!("rate: raddle's executions per second over loom's; time: loom's time over raddle's");
    println!("raddle explores sequential consistency; loom's loads may also read older stores");
    println!(
        "{:<26}{:>11}{:>10}{:>12}{:>12}{:>10}{:>10}{:>9}{:>11}",
        "program", "raddle", "CPU", "per s", "loom", "CPU", "per s", "rate", "time"
    );
    let (mut rates, mut times) = (Vec::new(), Vec::new());
    for &program in EXHAUSTIVE {
        let [raddle, loom] = compare(program, cap);
        let rate = raddle.measured().zip(loom.measured()).map(|(raddle, loom)| raddle.rate() / loom.rate());
        let time = loom.time_over(&raddle);
        println!(
            "{program:<26}{}{}{:>9}{:>11}{}{}",
            cells(raddle, [11, 10, 12]),
            cells(loom, [12, 10, 10]),
            rate.map_or_else(String::new, number::ratio),
            time.map_or_else(String::new, |time| time.text()),
            remark(Tool::Raddle, raddle),
            remark(Tool::Loom, loom),
        );
        rates.extend(rate);
        if let Some(Ratio::Exactly(time)) = time {
            times.push(time);
        }
    }
    println!("rate: {}; time, where both finished: {}", number::summary(&rates), number::summary(&times));
}

fn compare(program: Program, cap: Duration) -> [Outcome; 2] {
    let mut best = [Tool::Raddle, Tool::Loom].map(|tool| (tool, child::explore(tool, program, cap)));
    for _ in 1..ROUNDS {
        for (tool, outcome) in &mut best {
            if outcome.measured().is_some_and(|measured| measured.cpu < LONG) {
                *outcome = outcome.better(child::explore(*tool, program, cap));
            }
        }
    }
    best.map(|(_, outcome)| outcome)
}

/// Executions, CPU time and rate; the first two only of an exploration that finished.
fn cells(outcome: Outcome, [executions, cpu, rate]: [usize; 3]) -> String {
    let (number_of, time) = match outcome {
        Outcome::Finished(measured) => (number::count(measured.executions), number::time(measured.cpu)),
        _ => ("-".into(), "-".into()),
    };
    let per_second =
        outcome.measured().map_or_else(|| "-".into(), |measured| number::rounded(measured.rate()));
    format!("{number_of:>executions$}{time:>cpu$}{per_second:>rate$}")
}

fn remark(tool: Tool, outcome: Outcome) -> String {
    match outcome {
        Outcome::Finished(_) => String::new(),
        Outcome::OutOfTime(measured) => {
            format!("  {} out of time at {} executions", tool.name(), number::count(measured.executions))
        }
        Outcome::Failed => format!("  {} failed", tool.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Measured;

    const MEASURED: Measured = Measured { executions: 211_000, cpu: Duration::from_secs(20) };

    #[test]
    fn a_finished_exploration_fills_its_cells() {
        let outcome = Outcome::Finished(MEASURED);
        assert_eq!(cells(outcome, [9, 8, 8]), "  211,000  20.0 s  10,550");
        assert_eq!(remark(Tool::Loom, outcome), "");
    }

    #[test]
    fn an_unfinished_one_says_how_far_it_came() {
        let outcome = Outcome::OutOfTime(MEASURED);
        assert_eq!(cells(outcome, [9, 8, 8]), "        -       -  10,550");
        assert_eq!(remark(Tool::Loom, outcome), "  loom out of time at 211,000 executions");
    }

    #[test]
    fn a_failed_one_has_no_numbers() {
        assert_eq!(cells(Outcome::Failed, [3, 3, 3]), "  -  -  -");
        assert_eq!(remark(Tool::Raddle, Outcome::Failed), "  raddle failed");
    }
}
