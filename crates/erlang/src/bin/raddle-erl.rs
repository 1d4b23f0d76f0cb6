//! `raddle erl` as a command of its own, for who has no use for the rest of `raddle`.

use raddle_erlang::command;
use std::io::Write;

fn main() {
    let mut out = std::io::stdout().lock();
    let code = match command::parse(std::env::args().skip(1)) {
        Ok(options) => command::run(&options, &mut out).unwrap_or(command::UNUSABLE),
        Err(message) => {
            // Nobody is left to tell if this fails too.
            let _ = writeln!(out, "{message}");
            command::UNUSABLE
        }
    };
    drop(out);
    std::process::exit(code);
}
