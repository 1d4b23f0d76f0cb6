//! The number of schedules that each strategy needs to find the bugs of the zoo: `cargo run --release -p zoo
//! -- --trials 100 --budget 20000`.
//!
//! Prints a table, a row per bug and a column per strategy, and draws how many bugs were found after how many
//! schedules. The seed determines everything.

mod arguments;
mod causes;
mod fixed;
mod measure;
mod picture;
mod simplified;
mod statistics;
mod table;

use arguments::{Request, Work};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let request = match arguments::parse(&words) {
        Ok(request) => request,
        Err(error) => {
            eprintln!("zoo: {error}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match do_it(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("zoo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn do_it(request: &Request) -> Result<(), String> {
    match request.work {
        Work::Help => println!("{}", arguments::USAGE),
        Work::List => request.bugs.iter().for_each(|bug| println!("{:<20}{} threads", bug.name, bug.threads)),
        Work::Fixed => fixed::check(request)?,
        Work::Simplified => simplified::check(request)?,
        Work::Causes => causes::print(request),
        Work::Measure => {
            let rows = table::print(request)?;
            if let Some(path) = &request.svg {
                let svg = picture::draw(request, &rows);
                std::fs::write(path, svg).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
                println!("\nthe curves are in {}", path.display());
            }
        }
    }
    Ok(())
}
