//! The `random` table: schedules per CPU second under shuttle and under raddle, both with a uniform choice,
//! and the relative cost of raddle's default, the portfolio. They are measured alternately, several times,
//! and the best of each counts, so a disturbance affects all or none.

use crate::catalogue::{Program, RANDOM};
use crate::cpu::Measured;
use crate::{number, raddle_side, shuttle_side};
use std::time::Duration;

const ROUNDS: usize = 15;
/// The CPU time of one measurement: short, so that some fall between disturbances.
const BATCH: Duration = Duration::from_millis(40);
/// The schedules that calibrate a batch.
const PROBE: u64 = 500;

type Run = fn(Program, u64) -> Option<Measured>;

/// Measures and prints, row by row.
pub fn print() {
    println!("random schedules per CPU second, best of {ROUNDS} in turn");
    println!(
        "{:<26}{:>12}{:>12}{:>9}{:>16}{:>12}",
        "program", "shuttle", "raddle", "ratio", "raddle ns each", "portfolio"
    );
    let (mut ratios, mut costs) = (Vec::new(), Vec::new());
    for &program in RANDOM {
        let sides = [shuttle_side::run_random, raddle_side::run_random, raddle_side::run_portfolio];
        let [shuttle, raddle, portfolio] = compare(program, sides);
        let ratio = shuttle.zip(raddle).map(|(shuttle, raddle)| raddle.rate() / shuttle.rate());
        let cost = raddle.zip(portfolio).map(|(raddle, portfolio)| raddle.rate() / portfolio.rate());
        ratios.extend(ratio);
        costs.extend(cost);
        println!(
            "{program:<26}{:>12}{:>12}{:>9}{:>16}{:>12}",
            cell(shuttle, |shuttle| number::rounded(shuttle.rate())),
            cell(raddle, |raddle| number::rounded(raddle.rate())),
            ratio.map_or_else(String::new, number::ratio),
            cell(raddle, |raddle| number::rounded(raddle.nanos_each())),
            cost.map_or_else(String::new, number::ratio),
        );
    }
    println!("ratio: {}", number::summary(&ratios));
    println!("portfolio, CPU time of a schedule over a uniform one's: {}", number::summary(&costs));
}

/// A side that fails once has failed.
fn compare<const N: usize>(program: Program, sides: [Run; N]) -> [Option<Measured>; N] {
    // The probe only determines the size of a batch: it is too short to be measured by the CPU clock.
    let sizes = sides
        .map(|run| run(program, PROBE).map_or(PROBE, |probe| (probe.rate() * BATCH.as_secs_f64()) as u64));
    let mut best: [_; N] = std::array::from_fn(|side| sides[side](program, sizes[side]));
    for _ in 1..ROUNDS {
        for side in 0..N {
            best[side] = best[side].and_then(|best| Some(best.better(sides[side](program, sizes[side])?)));
        }
    }
    best
}

/// The best of a few measurements of one side.
pub fn best_of(run: impl Fn(u64) -> Option<Measured>) -> Option<Measured> {
    let size = (run(PROBE)?.rate() * BATCH.as_secs_f64()) as u64;
    (0..ROUNDS / 3).filter_map(|_| run(size.max(1))).reduce(Measured::better)
}

fn cell(measured: Option<Measured>, text: impl Fn(Measured) -> String) -> String {
    measured.map_or_else(|| "failed".into(), text)
}
