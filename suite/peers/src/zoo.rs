//! The `zoo` table: the bugs of `suite/zoo` under raddle, shuttle and loom, as the mean number of executions to the
//! first failure. Every cell is measured by a separate process: a tool that crashes or hangs costs one cell.

use crate::{loom_zoo, number, raddle_zoo, shuttle_zoo};
use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const TRIALS: u64 = 20;
/// The maximal number of executions of one trial.
const BUDGET: u64 = 5_000;

/// The tool and the strategy that search for a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hunter {
    Raddle,
    ShuttleRandom,
    ShuttlePct,
    ShuttleUrw,
    Loom,
}

use Hunter::*;

const HUNTERS: [(Hunter, &str); 5] = [
    (Raddle, "raddle"),
    (ShuttleRandom, "shuttle-random"),
    (ShuttlePct, "shuttle-pct3"),
    (ShuttleUrw, "shuttle-urw"),
    (Loom, "loom"),
];

impl Hunter {
    pub fn by_name(name: &str) -> Option<Hunter> {
        HUNTERS.iter().find(|(_, n)| *n == name).map(|(hunter, _)| *hunter)
    }
}

/// The result of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// Found in this execution, from 1.
    Found(u64),
    NotFound,
    /// The tool gave up, for this reason.
    Refused(String),
}

/// The meaning of a panic of a tool: most are the bug, some are limits of the tool.
pub fn judged(payload: &(dyn std::any::Any + Send), executions: u64) -> Trial {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or_default();
    let limits =
        [("maximum number of branches", "spins"), ("max_steps", "spins"), ("max_threads", "threads")];
    match limits.iter().find(|(limit, _)| text.contains(limit)) {
        Some((_, word)) => Trial::Refused((*word).to_owned()),
        None => Trial::Found(executions),
    }
}

/// Measures and prints, row by row; each cell may take this long.
pub fn print(cap: Duration) {
    println!(
        "mean executions to the first failure; {TRIALS} trials of at most {BUDGET}; loom: one exploration"
    );
    print!("{:<18}", "bug");
    HUNTERS.iter().for_each(|(_, name)| print!("{name:>18}"));
    println!();
    for bug in raddle_zoo::names() {
        print!("{bug:<18}");
        for (_, hunter) in HUNTERS {
            print!("{:>18}", ask_child(hunter, bug, cap));
            std::io::Write::flush(&mut std::io::stdout()).expect("standard output is there");
        }
        println!();
    }
}

fn ask_child(hunter: &str, bug: &str, cap: Duration) -> String {
    let program = std::env::current_exe().expect("this program has a path");
    let child = Command::new(program)
        .args(["hunt", hunter, bug])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return format!("failed: {error}"),
    };
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break,
            Ok(Some(_)) => return "crashed".to_owned(),
            Ok(None) if begun.elapsed() < cap => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return "out of time".to_owned();
            }
        }
    }
    let mut answer = String::new();
    let read = child.stdout.take().map(|mut out| out.read_to_string(&mut answer));
    if matches!(read, Some(Ok(_))) { answer.trim().to_owned() } else { "crashed".to_owned() }
}

/// The main function of the child: makes the trials and prints one cell.
pub fn live(hunter: Hunter, bug: &str) -> ExitCode {
    std::panic::set_hook(Box::new(|_| ()));
    let count = if hunter == Loom { 1 } else { TRIALS };
    let trials: Vec<Trial> = (0..count)
        .map(|seed| match hunter {
            Raddle => raddle_zoo::hunt(bug, seed, BUDGET),
            Loom => loom_zoo::hunt(bug, BUDGET * TRIALS),
            other => shuttle_zoo::hunt(other, bug, seed, BUDGET),
        })
        .collect();
    println!("{}", cell(&trials));
    ExitCode::SUCCESS
}

fn cell(trials: &[Trial]) -> String {
    if let Some(why) = trials.iter().find_map(|t| if let Trial::Refused(why) = t { Some(why) } else { None })
    {
        return why.clone();
    }
    let found: Vec<f64> =
        trials.iter().filter_map(|t| if let Trial::Found(n) = t { Some(*n as f64) } else { None }).collect();
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    let mean = if mean < 100. { format!("{mean:.1}") } else { number::rounded(mean) };
    match found.len() {
        0 => "none".to_owned(),
        n if n == trials.len() => mean,
        n => format!("{n}/{}: {mean}", trials.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_finds_a_lost_update() {
        assert!(matches!(raddle_zoo::hunt("racy", 1, 100), Trial::Found(_)));
        assert!(matches!(loom_zoo::hunt("racy", 100), Trial::Found(_)));
        for hunter in [ShuttleRandom, ShuttlePct, ShuttleUrw] {
            assert!(matches!(shuttle_zoo::hunt(hunter, "racy", 1, 100), Trial::Found(_)), "{hunter:?}");
        }
    }

    #[test]
    fn loom_is_not_asked_for_more_threads_than_it_has() {
        assert_eq!(loom_zoo::hunt("reorder_10", 100), Trial::Refused("threads".to_owned()));
    }

    #[test]
    fn a_cell_is_a_mean_or_says_why_not() {
        assert_eq!(cell(&[Trial::Found(1), Trial::Found(4)]), "2.5");
        assert_eq!(cell(&[Trial::Found(1), Trial::NotFound]), "1/2: 1.0");
        assert_eq!(cell(&[Trial::NotFound]), "none");
        assert_eq!(cell(&[Trial::Refused("spins".to_owned())]), "spins");
    }
}
