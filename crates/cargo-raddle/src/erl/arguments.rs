//! The arguments of `raddle erl`: those of every search, and what shapes the executions of Erlang programs.

use crate::search_arguments::SearchArguments;
use clap::Args;
use raddle_core::ticket::Ticket;
use raddle_erlang::settings::{Delivery, Grain, Judgement, Settings};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to explore.
#[derive(Clone, Debug, Args)]
pub struct Erl {
    /// .erl and .beam files; without any, the modules in the -pa directories are explored
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub search: SearchArguments,

    #[command(flatten)]
    pub program: ProgramArguments,

    /// Replay one interleaving: a ticket or its file; test and settings come from the ticket
    #[arg(long, value_name = "TICKET", conflicts_with = "resume")]
    pub replay: Option<String>,
}

/// What shapes executions.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Erlang")]
pub struct ProgramArguments {
    /// Look for modules here first; also -pa, with several directories, as for erl
    #[arg(long, value_name = "DIR")]
    pub pa: Vec<PathBuf>,
    /// Only this module's tests
    #[arg(long, value_name = "M")]
    pub module: Option<String>,
    /// Only this test, or any function without arguments
    #[arg(long, value_name = "F")]
    pub test: Option<String>,
    /// What one step is: full, thesis or receive
    #[arg(long, value_name = "GRAIN", default_value = "full")]
    pub grain: Grain,
    /// How signals travel: local, instant or pairs [default: local; instant with --grain thesis]
    #[arg(long, value_name = "DELIVERY")]
    pub delivery: Option<Delivery>,
    /// Kill processes at any point, up to N times
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub kill: u32,
    /// What application:get_env finds, as in a sys.config
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Every abnormal exit, and every process that waits for ever, is a failure
    #[arg(long)]
    pub strict: bool,
}

impl Erl {
    /// What shapes executions.
    pub fn settings(&self) -> Result<Settings, String> {
        let program = &self.program;
        let config = program
            .config
            .as_ref()
            .map(|file| std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display())));
        // The thesis's steps are those of a runtime in which signals arrive at once.
        let usual = if program.grain == Grain::Thesis { Delivery::Instant } else { Delivery::Local };
        Ok(Settings {
            grain: program.grain,
            delivery: program.delivery.unwrap_or(usual),
            time: self.search.time,
            kills: program.kill,
            judgement: if program.strict { Judgement::Strict } else { Judgement::Usual },
            config: config.transpose()?,
            ..Settings::default()
        })
    }

    /// The same, with the test and the settings that a ticket was made with.
    pub fn for_ticket(&self, ticket: &Ticket) -> Result<Erl, String> {
        let mut erl = self.clone();
        erl.only(ticket.test.as_deref());
        // Each is in the ticket unless it is the usual one.
        let program = &mut erl.program;
        (program.kill, program.strict) = (0, false);
        for (key, value) in &ticket.settings {
            let bad = |why: String| format!("not a usable ticket: {key}: {why}");
            match key.as_str() {
                "grain" => program.grain = value.parse().map_err(bad)?,
                "delivery" => program.delivery = Some(value.parse().map_err(bad)?),
                "time" => erl.search.time = value.parse().map_err(bad)?,
                "kill" => program.kill = value.parse().map_err(|_| bad(format!("`{value}` is no number")))?,
                "strict" => program.strict = true,
                _ => {}
            }
        }
        Ok(erl)
    }

    /// Only this test is wanted: `module:function`.
    pub fn only(&mut self, test: Option<&str>) {
        if let Some((module, function)) = test.and_then(|test| test.split_once(':')) {
            self.program.module = Some(module.to_owned());
            self.program.test = Some(function.to_owned());
        }
    }
}

/// As with `erl`, `-pa` is spelt with one dash, and one takes several directories: `-pa _build/test/lib/*/ebin`.
pub fn spread_pa(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut spread = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.into_iter().peekable();
    while let Some(argument) = arguments.next() {
        if argument != "-pa" && argument != "--pa" {
            spread.push(argument);
            continue;
        }
        let first = arguments.next();
        let is_directory =
            |next: &OsString| !next.as_encoded_bytes().starts_with(b"-") && Path::new(next).is_dir();
        let mut directories: Vec<OsString> = first.into_iter().collect();
        while let Some(next) = arguments.next_if(is_directory) {
            directories.push(next);
        }
        if directories.is_empty() {
            spread.push("--pa".into());
        }
        for directory in directories {
            spread.extend(["--pa".into(), directory]);
        }
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_directories_after_one_pa() {
        let here = std::env::temp_dir();
        let here = here.to_str().expect("a plain name");
        let spread = |arguments: &[&str]| spread_pa(arguments.iter().map(OsString::from).collect());
        assert_eq!(spread(&["-pa", "a", here, "x.beam"]), ["--pa", "a", "--pa", here, "x.beam"]);
        assert_eq!(spread(&["x.beam", "-pa"]), ["x.beam", "--pa"]);
        assert_eq!(spread(&["--test", "t"]), ["--test", "t"]);
    }
}
