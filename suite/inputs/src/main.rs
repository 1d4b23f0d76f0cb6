//! `inputs`: prints the table of RESULTS.md. `inputs corpus` writes the beginnings of the corpora anew; `inputs input TARGET SEED NUMBER`
//! writes one input to standard output.

use inputs::runner::{self, Amount};
use inputs::{Target, contents, faults, table};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// How many mutations each target gets.
const MUTATIONS: u64 = 20_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        [runner::CHILD, ..] => runner::child(&arguments[1..]).ok_or_else(|| "no such target".to_owned()),
        [faults::WRITER, path] => {
            faults::writer(Path::new(path));
            Ok(())
        }
        ["corpus"] => contents::write_corpora(),
        ["input", target, seed, number] => input(target, seed, number),
        [] => all(7, MUTATIONS),
        [seed] => all(seed.parse().unwrap_or(7), MUTATIONS),
        [seed, mutations, ..] => all(seed.parse().unwrap_or(7), mutations.parse().unwrap_or(MUTATIONS)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn all(seed: u64, mutations: u64) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let rows = table::rows(&program, Amount { seed, mutations })?;
    print!("{}", table::draw(&rows));
    rows.iter().flat_map(|(_, figures)| &figures.examples).for_each(|example| eprintln!("{example}"));
    if table::is_clear(&rows) { Ok(()) } else { Err("not everything is clear".to_owned()) }
}

fn input(target: &str, seed: &str, number: &str) -> Result<(), String> {
    let seed = seed.parse().map_err(|_| "no number")?;
    let target = Target::named(target).ok_or("no such target")?;
    let number = number.parse().map_err(|_| "no number")?;
    let corpus = target.corpus();
    let (bytes, _) = runner::input(&corpus, seed, number);
    std::io::stdout().write_all(&bytes).map_err(|e| e.to_string())
}
