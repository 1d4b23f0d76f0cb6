//! The `erlang` table: the same Erlang programs under raddle and, where it is installed, Concuerror. Rates
//! are interleavings per CPU second; two workers are compared with one by the wall clock, the only clock that
//! more of them can reduce, and by their total CPU time: on a machine with two free processors the former is
//! at most 2 divided by the latter.

use crate::concuerror::{Concuerror, MISSING, Test};
use crate::cpu::{self, Measured};
use crate::number;
use raddle_core::check::{self, Check, SearchKind, Simplify, Undecided};
use raddle_core::search::{NoListener, OnFailure};
use raddle_erlang::check::Checkable;
use raddle_erlang::code::{SearchPath, installed_otp};
use raddle_erlang::settings::Settings;
use raddle_erlang::world::Program;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of interleavings that give Concuerror's rate: it would need minutes for all.
const SAMPLE: u64 = 5_000;
const ROUNDS: usize = 3;
/// A shorter run is repeated within a round, and the best of it counts: a single short run may be disturbed
/// throughout.
const AT_LEAST: Duration = Duration::from_millis(600);

struct Row {
    title: &'static str,
    module: &'static str,
    function: &'static str,
    /// With the optimal reduction, or every interleaving.
    reduced: bool,
    /// The number of interleavings.
    expected: u64,
    grain: RowGrain,
}

/// The steps of a row, and how much of it is explored.
#[derive(Clone, Copy, PartialEq)]
enum RowGrain {
    /// Those of Concuerror, and all interleavings.
    Thesis,
    /// The default ones, and the first interleavings only: as many as give Concuerror's rate.
    Default,
}

const ROWS: [Row; 7] = [
    Row {
        title: "two stops, every interleaving",
        module: "reg_server_tests",
        function: "multiple_concurrent_stops_test",
        reduced: false,
        expected: 827_844,
        grain: RowGrain::Thesis,
    },
    Row {
        title: "readers(13), optimal",
        module: "small",
        function: "readers_13",
        reduced: true,
        expected: 8_192,
        grain: RowGrain::Thesis,
    },
    Row {
        title: "last_zero(13), optimal",
        module: "small",
        function: "last_zero_13",
        reduced: true,
        expected: 32_768,
        grain: RowGrain::Thesis,
    },
    senders("7 senders, 1 message each", "senders_7_1"),
    senders("3 senders, 4 messages each", "senders_3_4"),
    senders("2 senders, 8 messages each", "senders_2_8"),
    senders("8 senders, 3 messages each", "senders_8_3"),
];

/// Processes that send to one receiver, with the default steps.
const fn senders(title: &'static str, function: &'static str) -> Row {
    Row { title, module: "small", function, reduced: true, expected: SAMPLE, grain: RowGrain::Default }
}

/// For workers only: the other two reduced searches are over before they have shared much.
const LONGER: Row = Row {
    title: "readers(16), optimal",
    module: "small",
    function: "readers_16",
    reduced: true,
    expected: 65_536,
    grain: RowGrain::Thesis,
};

/// Measures and prints, line by line.
pub fn print() {
    println!(
        "Erlang programs: interleavings per CPU second (senders: the default grain; others: --grain thesis)"
    );
    let compiled = match Compiled::new() {
        Ok(compiled) => compiled,
        Err(error) => return println!("{error}"),
    };
    let concuerror = Concuerror::find();
    println!("{:<31}{:>13}{:>13}{:>13}{:>10}", "", "interleavings", "raddle", "Concuerror", "ratio");
    for row in &ROWS {
        let directory = &compiled.0;
        let test = Test { directory, module: row.module, function: row.function, reduced: row.reduced };
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // Alternately, so that disturbances affect both.
        for _ in 0..ROUNDS {
            ours.push(measure(&compiled.program(row), row));
            theirs.extend(concuerror.as_ref().map(|c| c.measure(&test, SAMPLE)));
        }
        let ours = best(ours);
        let theirs = theirs.into_iter().reduce(|one, other| Ok(one?.better(other?)));
        println!("{}", line(row, ours, theirs.as_ref()));
        if let Some(Err(error)) = theirs {
            println!("  {error}");
        }
    }
    match concuerror {
        Some(_) => println!(
            "Concuerror's rate is that of its first {} interleavings, without the time it takes to start.",
            number::count(SAMPLE)
        ),
        None => println!("{MISSING}"),
    }
    for row in ROWS.iter().filter(|row| row.grain == RowGrain::Thesis).chain([&LONGER]) {
        let text = match two_workers(&compiled.program(row), row) {
            Some((wall, cpu)) => {
                format!("{:>7} as fast by the wall, {} the CPU time", number::ratio(wall), number::ratio(cpu))
            }
            None => "failed".into(),
        };
        println!("2 workers, {:<31}{text}", row.title);
    }
}

fn line(row: &Row, ours: Option<Measured>, theirs: Option<&Result<Measured, String>>) -> String {
    let rate = |m: Option<Measured>, none: &str| m.map_or(none.to_owned(), |m| number::rounded(m.rate()));
    let known = theirs.and_then(|t| t.as_ref().ok()).copied();
    let without = if theirs.is_some() { "failed" } else { "not here" };
    let ratio = match (ours, known) {
        (Some(ours), Some(theirs)) => number::ratio(ours.rate() / theirs.rate()),
        _ => "-".into(),
    };
    let count = ours.map_or("failed".into(), |m| number::count(m.executions));
    format!("{:<31}{count:>13}{:>13}{:>13}{ratio:>10}", row.title, rate(ours, "failed"), rate(known, without))
}

/// Explores; the count must be the known one.
fn explored(program: &Program, row: &Row, workers: usize) -> Option<u64> {
    let kind = if row.reduced { SearchKind::Exhaustive } else { SearchKind::Dfs };
    let on_failure = OnFailure::KeepGoing;
    // The search is measured, and not what makes a failure readable.
    let (undecided, simplify) = (Undecided::Report, Simplify::No);
    let mut check = Check { workers, on_failure, undecided, simplify, ..Check::new(kind) };
    if row.grain == RowGrain::Default {
        check.budget.executions = Some(row.expected);
    }
    let program = Checkable::new(program.clone());
    let checked = check::check(&program, &check, Arc::new(NoListener)).ok()?;
    let executions = checked.executions();
    (executions == row.expected && checked.statistics.undecided == 0).then_some(executions)
}

/// The best of all rounds; one failure is a failure.
fn best(rounds: Vec<Option<Measured>>) -> Option<Measured> {
    rounds.into_iter().reduce(|one, other| Some(one?.better(other?))).flatten()
}

/// The best of the runs of one round.
fn measure(program: &Program, row: &Row) -> Option<Measured> {
    let begun = cpu::process();
    let mut best: Option<Measured> = None;
    while best.is_none() || cpu::process() - begun < AT_LEAST {
        let now = cpu::measure(|| explored(program, row, 1))?;
        best = Some(best.map_or(now, |best| best.better(now)));
    }
    best
}

/// The speed-up of two workers over one, and the ratio of their CPU times.
fn two_workers(program: &Program, row: &Row) -> Option<(f64, f64)> {
    let (mut wall, mut cpu) = ([Duration::MAX; 2], [Duration::MAX; 2]);
    for _ in 0..ROUNDS {
        for (at, workers) in [1, 2].into_iter().enumerate() {
            let begun = cpu::process();
            while cpu::process() - begun < AT_LEAST {
                let start = (Instant::now(), cpu::process());
                explored(program, row, workers)?;
                wall[at] = start.0.elapsed().min(wall[at]);
                cpu[at] = (cpu::process() - start.1).min(cpu[at]);
            }
        }
    }
    let over = |times: [Duration; 2], a: usize, b: usize| times[a].as_secs_f64() / times[b].as_secs_f64();
    Some((over(wall, 0, 1), over(cpu, 1, 0)))
}

/// A directory with the programs of `suite/erlang`, compiled; removed when this is dropped.
struct Compiled(PathBuf);

impl Compiled {
    fn new() -> Result<Compiled, String> {
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../erlang");
        let directory = std::env::temp_dir().join(format!("raddle-peers-{}", std::process::id()));
        std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        let compiled = Compiled(directory);
        let files = ["small.erl", "reg_server.erl", "reg_server_tests.erl"].map(|f| suite.join(f));
        let output = Command::new("erlc")
            // Concuerror needs the abstract code.
            .args(["+debug_info", "-DSTEP=612", "-DMAX_ATTACHED_PROC=2", "-o"])
            .arg(&compiled.0)
            .args(&files)
            .output()
            .map_err(|_| {
                "Erlang is not installed (apt-get install erlang-base erlang-dev erlang-eunit)".to_owned()
            })?;
        match output.status.success() {
            true => Ok(compiled),
            false => Err(String::from_utf8_lossy(&output.stdout).into_owned()),
        }
    }

    fn program(&self, row: &Row) -> Program {
        let mut directories = vec![self.0.clone()];
        directories.extend(installed_otp());
        Program {
            path: SearchPath { directories, given: Vec::new() },
            module: row.module.into(),
            function: row.function.into(),
            settings: match row.grain {
                RowGrain::Thesis => Settings::thesis(),
                RowGrain::Default => Settings::default(),
            },
        }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // A failure to remove it is harmless: it is in the system's temporary directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(executions: u64, millis: u64) -> Measured {
        Measured { executions, cpu: Duration::from_millis(millis) }
    }

    #[test]
    fn a_line_has_both_rates_and_their_ratio() {
        let text = line(&ROWS[1], Some(measured(8_192, 100)), Some(&Ok(measured(4_999, 5_000))));
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words, ["readers(13),", "optimal", "8,192", "81,920", "1,000", "81.9x"]);
    }

    #[test]
    fn a_line_says_what_is_missing() {
        let alone = line(&ROWS[1], Some(measured(8_192, 100)), None);
        assert!(alone.contains("not here") && alone.trim_end().ends_with('-'), "{alone}");
        let failed = line(&ROWS[1], None, Some(&Err("why".into())));
        assert_eq!(failed.matches("failed").count(), 3, "{failed}");
    }

    #[test]
    fn the_best_round_counts_and_a_failure_ends_it() {
        let mut rounds = [30, 10, 20].map(|millis| Some(measured(10, millis))).to_vec();
        assert_eq!(best(rounds.clone()), Some(measured(10, 10)));
        rounds[0] = None;
        assert_eq!(best(rounds), None);
    }
}
