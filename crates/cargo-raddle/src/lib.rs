//! `cargo raddle`: explores the existing tests of unmodified crates.
//!
//! The same program is the compiler's wrapper while cargo builds for it.

mod answer;
mod arguments;
mod compile;
mod crates;
mod doctests;
mod environment;
mod erl;
mod explore;
mod go_on;
#[doc(hidden)]
pub mod inputs;
mod json;
mod known;
mod leftovers;
mod new;
mod programs;
mod races;
mod replay;
mod results;
mod screen;
mod search_arguments;
mod stuck;
mod suite;
mod suite_report;
mod table;
mod tickets;
mod workflow_commands;
mod wrapper;

use arguments::{Cli, Command};
use clap::Parser;
use raddle_terminal::output;
use std::process::ExitCode;

/// All tests passed.
const PASSED: u8 = 0;
/// A test failed.
const FAILED: u8 = 1;
/// Something could not be done.
const COULD_NOT: u8 = 2;

/// What both binaries do.
pub fn main() -> ExitCode {
    if wrapper::is_wanted() {
        return wrapper::compile();
    }
    if environment::is_wanted() {
        return environment::write();
    }
    if doctests::is_wanted() {
        return doctests::run();
    }
    // `cargo raddle test` calls this program with `raddle` as its first argument.
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "raddle") {
        arguments.remove(1);
    }
    if arguments.get(1).is_some_and(|first| first == "erl") {
        arguments = erl::spread_pa(arguments);
    }
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => {
            output::note(error.print());
            return end(if error.use_stderr() { COULD_NOT } else { PASSED });
        }
    };
    let done = raddle_terminal::check_own_variables().and_then(|()| match command {
        Command::Test(test) => suite::run(test),
        Command::Replay(replay) => replay::run(&replay),
        Command::Show(show) => tickets::show(&show),
        Command::New(new) => new::run(&new),
        Command::Erl(erl) => erl::run(&erl),
    });
    end(done.unwrap_or_else(|error| {
        output::error(error);
        COULD_NOT
    }))
}

/// The exit code, when everything is printed.
fn end(code: u8) -> ExitCode {
    workflow_commands::resume();
    match output::end() {
        Ok(()) => ExitCode::from(code),
        Err(error) => {
            output::error(error);
            // That a test failed is said by the exit code, too.
            ExitCode::from(if code == PASSED { COULD_NOT } else { code })
        }
    }
}
