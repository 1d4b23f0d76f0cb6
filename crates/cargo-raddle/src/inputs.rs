//! What the command reads from outside, without acting on it: for the tests that give it anything.

use crate::arguments::{Cli, Command};
use crate::erl;
use crate::results::Verdict;
use crate::tickets::{self, Kept, Origin};
use clap::{CommandFactory, FromArgMatches};
use raddle_core::check::SearchKind;
use raddle_core::code::Code;
use raddle_core::ticket::Ticket;
use raddle_core::verdict::{Coverage, Failure};
use raddle_report::{Layout, Run, Sources};
use raddle_shadow::protocol::{Explored, Message, Outcome};
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// Reads a ticket of `cargo raddle test`, with the arguments of cargo in it, and renders its report.
///
/// # Errors
/// If it is none.
pub fn ticket(text: &str) -> Result<(Value, String), String> {
    let kept = tickets::parse(Path::new("ticket"), text)?;
    kept.origin.built()?;
    let layout = Layout { sources: Sources::Hide, ..Layout::terminal(100) };
    let report = raddle_report::failure(&kept.failure, &kept.coverage, &Run::default(), &layout);
    Ok((serde_json::to_value(&kept).map_err(|e| e.to_string())?, report))
}

/// Reads a command line, without the name of the program, up to what it does.
///
/// # Errors
/// What would be said of it.
pub fn command_line(words: Vec<OsString>) -> Result<(), String> {
    let words = [OsString::from("raddle")].into_iter().chain(words);
    let words = erl::spread_pa(words.collect());
    // Made once: it takes longer than a line.
    static COMMAND: OnceLock<clap::Command> = OnceLock::new();
    let command = COMMAND.get_or_init(|| {
        let mut command = Cli::command();
        command.build();
        command
    });
    let matches = command.clone().try_get_matches_from(words).map_err(|e| e.to_string())?;
    match Cli::from_arg_matches(&matches).map_err(|e| e.to_string())?.command {
        Command::Test(test) => test.search.contradict(test.search.strategy.unwrap_or(SearchKind::Staged)),
        Command::Erl(erl) => erl.search.contradict(erl.search.strategy.unwrap_or_default()),
        Command::Replay(_) | Command::Show(_) | Command::New(_) => Ok(()),
    }
}

/// Reads a line of the answer of a test's process, and judges it.
///
/// # Errors
/// If it is none.
pub fn answer(line: &[u8]) -> Result<(), String> {
    match serde_json::from_slice(line).map_err(|e| e.to_string())? {
        Message::Done(outcome) | Message::Failed(outcome) => {
            let verdict = Verdict::of(&outcome.unpacked());
            verdict.reason();
            if let Verdict::Failed(failed) = verdict
                && let (Some(failure), Some(coverage)) = (&failed.failure, &failed.coverage)
            {
                let layout = Layout { sources: Sources::Hide, ..Layout::terminal(100) };
                raddle_report::failure(failure, coverage, &Run::default(), &layout);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The ticket and the answer with this failure.
pub fn written(failure: &Failure, coverage: &Coverage) -> (String, String) {
    let origin = Origin {
        package: "bank".to_owned(),
        kind: "lib".to_owned(),
        target: "bank".to_owned(),
        arguments: vec!["--lib".to_owned(), "--features=a,b".to_owned()],
        exclude: vec!["other".to_owned()],
        as_miri: false,
        real_arc: false,
        races: None,
        allow_thread_panics: true,
        beginning: 1_700_000_000,
    };
    let ticket = Ticket { program: Code::default(), ..failure.ticket.clone() };
    let failure = Failure { ticket: Ticket::empty(), ..failure.clone() };
    let kept = Kept { ticket: ticket.clone(), origin, coverage: coverage.clone(), failure: failure.clone() };
    let text = kept.ticket.seal(&serde_json::to_string_pretty(&kept).expect("a ticket is plain data"));
    let search_file = Some(Ok("target/raddle/bank.search.json".into()));
    let outcome = Outcome {
        explored: vec![Explored { coverage: coverage.clone(), steps: 12, search_file }],
        failure: Some(Failure { ticket, ..failure }),
        ticket: None,
        complaint: None,
        refused: None,
        explicit: false,
        max_steps: 100_000,
    };
    let answer = Message::Done(Box::new(outcome.packed()));
    (text, serde_json::to_string(&answer).expect("an answer is plain data"))
}
