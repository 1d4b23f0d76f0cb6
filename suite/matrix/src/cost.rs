//! `-- --cost`: what an execution costs with `--races` and without, in CPU time at equal schedules and seed.

use crate::measure::{cpu, run_quietly};
use std::path::Path;
use std::process::Command;

/// The tests, and how many schedules are drawn of each.
const TESTS: [(&str, u64); 4] =
    [("two_senders", 20_000), ("a_full_channel", 20_000), ("a_locked_map", 20_000), ("plain_work", 1_000)];

/// An execution with `--races` may cost so many times as much.
const MOST: f64 = 5.0;

/// Each is measured so often; the least counts.
const TIMES: usize = 3;

/// Measures and prints. Says whether none costs too much.
pub fn run(command: &Path, home: &Path) -> Result<bool, String> {
    let folder = home.join("cost");
    let failed = |e: std::io::Error| format!("cannot write to {}: {e}", folder.display());
    std::fs::create_dir_all(folder.join("src")).map_err(failed)?;
    let manifest = "[package]\nname = \"cost\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n\
                    crossbeam-channel = \"=0.5.15\"\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(failed)?;
    std::fs::write(folder.join("src/lib.rs"), include_str!("../cost/lib.rs")).map_err(failed)?;
    println!("| test | without | with `--races` | ratio |\n|---|---|---|---|");
    let mut is_cheap = true;
    for (test, schedules) in TESTS {
        let cost = |races: bool| -> Result<f64, String> {
            // What one execution takes is that of building, of starting, and of looking whether it is deterministic.
            let few = least(|| explore(command, &folder, test, races, 1))?;
            let many = least(|| explore(command, &folder, test, races, schedules))?;
            Ok((many - few) / (schedules - 1) as f64 * 1e6)
        };
        explore(command, &folder, test, true, 1)?;
        let (without, with) = (cost(false)?, cost(true)?);
        let ratio = with / without;
        is_cheap &= ratio <= MOST;
        println!("| {test} | {without:.0} µs | {with:.0} µs | {ratio:.1} |");
    }
    Ok(is_cheap)
}

fn least(measure: impl Fn() -> Result<f64, String>) -> Result<f64, String> {
    let mut least = f64::MAX;
    for _ in 0..TIMES {
        least = least.min(measure()?);
    }
    Ok(least)
}

/// CPU seconds of so many random schedules.
fn explore(command: &Path, folder: &Path, test: &str, races: bool, schedules: u64) -> Result<f64, String> {
    let mut raddle = Command::new(command);
    raddle.args(["test", "--lib", "--strategy", "random", "--seed", "3", "--budget", "10m", "--jobs", "1"]);
    raddle.args(["--only", &format!("tests::{test}"), "--schedules", &schedules.to_string()]);
    raddle.args(races.then_some("--races"));
    cpu(|| run_quietly(&mut raddle, folder))
}
