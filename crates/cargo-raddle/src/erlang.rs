//! `raddle erl`: the Erlang world, which can be interrupted: the first Ctrl-C ends the search with what it has, and
//! says so.

use crate::COULD_NOT;
use raddle_core::search::Listener;
use raddle_erlang::command;
use raddle_native::Interrupt;
use std::sync::Arc;

struct UntilInterrupted(Interrupt);

impl Listener for UntilInterrupted {
    fn wants_to_stop(&self) -> bool {
        self.0.is_requested()
    }
}

pub fn run(arguments: Vec<String>) -> Result<u8, String> {
    let options = command::parse(arguments)?;
    let listener = Arc::new(UntilInterrupted(Interrupt::new()));
    let code = command::run_with(&options, &mut std::io::stdout().lock(), listener);
    // Nobody is left to read it if it could not be written.
    Ok(code.ok().and_then(|code| u8::try_from(code).ok()).unwrap_or(COULD_NOT))
}
