//! `cargo run --release -p projects -- libraries FOLDER` explores the tests in `erl/` of public Erlang libraries;
//! `-- concuerror FOLDER` compares verdicts with those of Concuerror's own suite. Both take a folder that is prepared
//! already, with compiled modules, and write their table (LIBRARIES.md, CONCUERROR.md) beside this program.
//!
//! `--only NAME` takes one library or one test and prints its row; `--budget TIME` is for each test.

mod argued;
mod concuerror;
mod libraries;
mod raddle;
mod scenario;

use std::path::PathBuf;
use std::process::ExitCode;

/// What the command line asks for.
pub struct Asked {
    /// The prepared folder.
    pub folder: PathBuf,
    /// One library, or one test.
    pub only: Option<String>,
    /// The time for each test.
    pub budget: String,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("projects: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let mut words = Vec::new();
    let (mut only, mut budget) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--only" => only = Some(arguments.next().ok_or("--only takes a name")?),
            "--budget" => budget = Some(arguments.next().ok_or("--budget takes a time, such as 10s")?),
            _ => words.push(argument),
        }
    }
    let [what, folder] = words.as_slice() else {
        return Err("it takes `libraries FOLDER` or `concuerror FOLDER`".to_owned());
    };
    let asked = Asked {
        folder: std::fs::canonicalize(folder).map_err(|e| format!("{folder}: {e}"))?,
        only,
        budget: budget.unwrap_or_else(|| "10s".to_owned()),
    };
    match what.as_str() {
        "libraries" => libraries::run(&asked),
        "concuerror" => concuerror::run(&asked),
        other => Err(format!("`{other}` is neither `libraries` nor `concuerror`")),
    }
}
