//! The table: a row per bug, a column per strategy, printed row by row.

use crate::arguments::Request;
use crate::measure::{self, Trials};
use crate::statistics::{Summary, found_within, short};
use std::io::{IsTerminal, Write};

const NAME: usize = 18;
const CELL: usize = 22;

/// Measures and prints. Returns the trials: a row per bug, a column per strategy.
pub fn print(request: &Request) -> Result<Vec<Vec<Trials>>, String> {
    println!(
        "mean schedules to the first failure, ± half of the 95 % confidence interval; {} trials of at most {} \
         schedules, seed {}\nn/m: only n of m trials found it, and the mean is theirs\n",
        request.trials, request.budget, request.seed
    );
    print!("{:<NAME$}", "bug");
    request.samplers.iter().for_each(|sampler| print!("{:>CELL$}", sampler.to_string()));
    println!();
    let mut rows = Vec::new();
    for (at, bug) in request.bugs.iter().enumerate() {
        let mut row = Vec::new();
        let mut line = format!("{:<NAME$}", bug.name);
        for sampler in &request.samplers {
            progress(&format!("{} of {}: {} with {sampler}", at + 1, request.bugs.len(), bug.name));
            let Request { trials, budget, seed, jobs, .. } = *request;
            let trials = measure::trials(bug, *sampler, trials, budget, seed, jobs)?;
            line += &format!("{:>CELL$}", Summary::of(&trials).words());
            row.push(trials);
        }
        progress("");
        println!("{line}");
        rows.push(row);
    }
    print_totals(request, &rows);
    Ok(rows)
}

fn print_totals(request: &Request, rows: &[Vec<Trials>]) {
    println!();
    let column = |at: usize| rows.iter().map(move |row| &row[at]);
    let total = |name: &str, cell: &dyn Fn(usize) -> String| {
        print!("{name:<NAME$}");
        (0..request.samplers.len()).for_each(|at| print!("{:>CELL$}", cell(at)));
        println!();
    };
    total("found always", &|at| {
        let always = column(at).filter(|trials| trials.iter().all(Option::is_some)).count();
        format!("{always} of {}", rows.len())
    });
    total("found sometimes", &|at| {
        let some = column(at).filter(|trials| trials.iter().any(Option::is_some)).count();
        format!("{some} of {}", rows.len())
    });
    for within in [1, 10, 100, 1_000, 10_000].into_iter().filter(|n| *n < request.budget) {
        total(&format!("bugs within {within}"), &|at| {
            short(column(at).map(|trials| found_within(trials, within)).sum())
        });
    }
    total("bugs at the end", &|at| {
        short(column(at).map(|trials| found_within(trials, request.budget)).sum())
    });
}

/// Shows the progress, on a terminal.
fn progress(words: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{words}");
        let _ = std::io::stderr().flush();
    }
}
