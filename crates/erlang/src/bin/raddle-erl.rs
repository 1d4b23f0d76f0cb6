//! `raddle erl` as a separate command, for users of the Erlang world alone.

use raddle_erlang::command;
use std::io::Write;

fn main() {
    let mut out = std::io::stdout().lock();
    let code = match command::parse(std::env::args().skip(1)) {
        Ok(options) => command::run(&options, &mut out).unwrap_or(command::UNUSABLE),
        Err(message) => {
            // If this fails too, there is nowhere left to report it.
            let _ = writeln!(out, "{message}");
            command::UNUSABLE
        }
    };
    drop(out);
    std::process::exit(code);
}
