//! The arguments of `raddle erl`: those of every search, and what shapes the executions of Erlang programs.

use super::memory;
use crate::search_arguments::{SearchArguments, number};
use crate::suite_report::Reports;
use clap::Args;
use raddle_core::ticket::Ticket;
use raddle_core::verdict::FailureKind;
use raddle_erlang::settings::{self, Delivery, Grain, Judgement, Settings};
use raddle_erlang::term::Atom;
use raddle_erlang::versions::Dynamic;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to explore.
#[derive(Clone, Debug, Args)]
pub struct Erl {
    /// .erl and .beam files; without any, the modules in the -pa directories are explored; without these, the tests of
    /// the project in this directory (rebar3, mix, Erlang.mk)
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub search: SearchArguments,

    #[command(flatten)]
    pub program: ProgramArguments,

    #[command(flatten)]
    pub reports: Reports,

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
    /// Look for included files here; also -I, as for erlc
    #[arg(long = "include", short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Only this module's tests
    #[arg(long, value_name = "M")]
    pub module: Option<String>,
    /// Only this test, or any function without arguments: `f` or `f/0`
    #[arg(long, value_name = "F", value_parser = test_name)]
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
    /// Exits with this reason are no failure, nor with a tuple that begins with it; may be given again
    #[arg(long, value_name = "REASON", value_parser = exit_reason)]
    pub treat_as_normal: Vec<String>,
    /// Failures of this kind are none: panic or deadlock; may be given again
    #[arg(long, value_name = "KIND", value_parser = ignorable)]
    pub ignore: Vec<FailureKind>,
    /// Timeouts of N milliseconds and more never fire
    #[arg(long, value_name = "N", value_parser = number)]
    pub after_timeout: Option<u64>,

    /// The modules that a ticket's program loads while it runs.
    #[arg(skip)]
    pub dynamic: Vec<String>,
    /// How much memory may be taken: `500M`, `2G` [default: half of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory_limit: Option<u64>,
}

/// A size in bytes: a number with `K`, `M`, `G` or `T`.
fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.strip_suffix(['B', 'b']).unwrap_or(text) {
        text if text.ends_with(['K', 'k']) => (&text[..text.len() - 1], 10),
        text if text.ends_with(['M', 'm']) => (&text[..text.len() - 1], 20),
        text if text.ends_with(['G', 'g']) => (&text[..text.len() - 1], 30),
        text if text.ends_with(['T', 't']) => (&text[..text.len() - 1], 40),
        text => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift)).filter(|n| *n > 0);
    bytes.ok_or_else(|| "it takes a size such as 500M or 2G".to_owned())
}

/// The name of a function without arguments.
fn test_name(text: &str) -> Result<String, String> {
    match text.rsplit_once('/') {
        Some((name, "0")) => Ok(name.to_owned()),
        Some((name, arity)) if arity.bytes().all(|c| c.is_ascii_digit()) && !arity.is_empty() => {
            Err(format!("a test takes no arguments: {name}/{arity} cannot be one"))
        }
        _ => Ok(text.to_owned()),
    }
}

/// An exit reason, as it is written in Erlang.
fn exit_reason(text: &str) -> Result<String, String> {
    settings::reason(text).map(|_| text.to_owned())
}

/// A kind of failure after which an execution continues, or which is found at its end.
fn ignorable(text: &str) -> Result<FailureKind, String> {
    match text {
        "panic" => Ok(FailureKind::Panic),
        "deadlock" => Ok(FailureKind::Deadlock),
        "livelock" => Ok(FailureKind::Livelock),
        _ => Err("only a panic, a deadlock or a livelock can be ignored".to_owned()),
    }
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
            treat_as_normal: program.treat_as_normal.clone(),
            ignored: program.ignore.clone(),
            after_timeout: program.after_timeout,
            dynamic: Dynamic::of(program.dynamic.iter().map(|name| Atom::new(name))),
            memory_limit: program.memory_limit.or_else(memory::usual_limit),
            ..Settings::default()
        })
    }

    /// The same, with the test and the settings that a ticket was made with.
    pub fn for_ticket(&self, ticket: &Ticket) -> Result<Erl, String> {
        let mut erl = self.clone();
        erl.only("--replay", ticket.test.as_deref())?;
        // Each is in the ticket unless it is the usual one.
        let program = &mut erl.program;
        (program.kill, program.strict) = (0, false);
        (program.treat_as_normal, program.ignore, program.after_timeout) = Default::default();
        for (key, value) in &ticket.settings {
            let bad = |why: String| format!("not a usable ticket: {key}: {why}");
            match key.as_str() {
                "grain" => program.grain = value.parse().map_err(bad)?,
                "delivery" => program.delivery = Some(value.parse().map_err(bad)?),
                "time" => erl.search.time = value.parse().map_err(bad)?,
                "kill" => program.kill = value.parse().map_err(|_| bad(format!("`{value}` is no number")))?,
                "strict" => program.strict = true,
                "treat-as-normal" => program.treat_as_normal = value.lines().map(str::to_owned).collect(),
                "ignore" => {
                    program.ignore = value.split(',').map(ignorable).collect::<Result<_, _>>().map_err(bad)?
                }
                "loaded-modules" => program.dynamic = value.lines().map(str::to_owned).collect(),
                "after-timeout" => program.after_timeout = Some(number(value).map_err(bad)?),
                _ => {}
            }
        }
        Ok(erl)
    }

    /// Only this test is wanted, `module:function`, of which `flag` has a file.
    pub fn only(&mut self, flag: &str, test: Option<&str>) -> Result<(), String> {
        let Some((module, function)) = test.and_then(|test| test.split_once(':')) else { return Ok(()) };
        let program = &mut self.program;
        for (given, wanted, own) in
            [(&mut program.module, module, "--module"), (&mut program.test, function, "--test")]
        {
            if let Some(other) = given.as_deref().filter(|given| *given != wanted) {
                return Err(format!(
                    "{own} {other} and {flag} contradict each other: the file is one of {module}:{function}"
                ));
            }
            *given = Some(wanted.to_owned());
        }
        Ok(())
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
    fn sizes() {
        assert_eq!(size("500M"), Ok(500 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("64kB"), Ok(64 << 10));
        assert_eq!(size("100"), Ok(100));
        for text in ["", "M", "0", "-1", "1.5G", "99999999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

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
