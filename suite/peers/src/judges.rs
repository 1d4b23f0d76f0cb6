//! What the judges of memory cost, that of the heap and that of plain memory: the same schedules of an unmodified crate under `cargo raddle test`, with and without
//! them, by the CPU time of that process and of what it starts.

use crate::number;
use crate::{SEED, cpu};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The message where the command is missing.
const MISSING: &str = "\
The command is not here, so nothing is measured: build it (`cargo build --release -p cargo-raddle`), or have RADDLE say where it is.";

/// The tests of the crate that is measured.
const TESTS: [&str; 4] =
    ["pushed_and_taken", "sent_and_received", "looked_up_and_changed", "computed_between_operations"];

/// So many schedules of each.
const SCHEDULES: u64 = 30_000;

/// What judges, its arguments, and how many times the cost it may have.
const JUDGES: [(&str, &[&str], f64); 2] = [("heap", &["--heap", "on"], 1.3), ("races", &["--races"], 5.0)];

/// Without any judge.
const NONE: &[&str] = &["--heap", "off"];

/// Prints a row for each test.
pub fn print() {
    println!("judges of memory: CPU time of {} random schedules each, seed {SEED}", number::count(SCHEDULES));
    let Some(raddle) = raddle() else { return println!("{MISSING}") };
    print!("{:<28} {:>10}", "test", "none");
    JUDGES.iter().for_each(|(name, ..)| print!(" {name:>10} {:>8}", "ratio"));
    println!();
    let mut ratios = JUDGES.map(|_| Vec::new());
    for test in TESTS {
        let none = measured(&raddle, test, NONE);
        print!("{test:<28} {:>10}", number::time(none));
        for ((_, arguments, _), ratios) in JUDGES.iter().zip(&mut ratios) {
            let time = measured(&raddle, test, arguments);
            let ratio = time.as_secs_f64() / none.as_secs_f64();
            ratios.push(ratio);
            print!(" {:>10} {:>8}", number::time(time), number::ratio(ratio));
        }
        println!();
    }
    for ((name, _, most), ratios) in JUDGES.iter().zip(&ratios) {
        println!("{name}: {}; at most {} is wanted", number::summary(ratios), number::ratio(*most));
    }
}

/// The command, as built beside this program or as `RADDLE` says.
fn raddle() -> Option<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.with_file_name("raddle"));
    std::env::var_os("RADDLE").map(PathBuf::from).or_else(beside).filter(|path| path.is_file())
}

/// The time of an execution after the first of [`SCHEDULES`], the smaller of two.
fn measured(raddle: &Path, test: &str, arguments: &[&str]) -> Duration {
    let once = || {
        let start = run(raddle, test, arguments, 1);
        let whole = run(raddle, test, arguments, SCHEDULES);
        whole.saturating_sub(start) / (SCHEDULES - 1) as u32
    };
    // What is not built yet is built, which is not measured.
    run(raddle, test, arguments, 1);
    once().min(once())
}

fn run(raddle: &Path, test: &str, arguments: &[&str], schedules: u64) -> Duration {
    let before = cpu::children();
    let output = Command::new(raddle)
        .args(["test", "--strategy", "random", "--seed", &SEED.to_string(), "--budget", "10m"])
        .args(["--schedules", &schedules.to_string(), "--only", &format!("tests::{test}")])
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("judged"))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("raddle does not start: {error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    let passed = said.lines().any(|line| line.starts_with("1 test: 1 passed"));
    assert!(passed, "{test} passes\n{said}{}", String::from_utf8_lossy(&output.stderr));
    cpu::children() - before
}
