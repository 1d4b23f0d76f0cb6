//! Workflow commands of GitHub: its runner takes lines of a step's output that begin with `::` for commands, so a program that
//! prints `::error` would annotate a pull request.
//!
//! With `--github`, nothing is a command from the beginning on until the annotations: messages, names and output of programs stay
//! between `::stop-commands::TOKEN` and `::TOKEN::`. The token is drawn anew in each process, from what the system draws, and no
//! program under test is told of it. Source: "Workflow commands for GitHub Actions", section "Stopping and starting workflow commands".

use raddle_terminal::output;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard};

/// The token, while commands are stopped.
static TOKEN: Mutex<Option<String>> = Mutex::new(None);

/// From here on, no line is a command.
pub fn stop() {
    let mut token = token();
    if token.is_none() {
        let drawn = draw();
        output::line(format_args!("::stop-commands::{drawn}"));
        *token = Some(drawn);
    }
}

/// From here on, lines are commands again, if they were stopped.
pub fn resume() {
    if let Some(token) = token().take() {
        output::line(format_args!("::{token}::"));
    }
}

fn token() -> MutexGuard<'static, Option<String>> {
    TOKEN.lock().unwrap_or_else(|e| e.into_inner())
}

/// 128 bits that cannot be guessed: what a keyed hash function with keys of the system says.
fn draw() -> String {
    let keys = RandomState::new();
    format!("raddle-{:016x}{:016x}", keys.hash_one(0), keys.hash_one(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tokens_are_the_same() {
        let tokens = [draw(), draw(), draw()];
        assert!(tokens.iter().all(|token| token.len() == 39), "{tokens:?}");
        assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2] && tokens[0] != tokens[2], "{tokens:?}");
    }
}
