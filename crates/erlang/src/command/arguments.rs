//! The arguments of `raddle erl`.

use crate::settings::{Delivery, Grain, Judgement, Settings};
use raddle_core::clock::Time;
use raddle_core::ticket::Ticket;
use std::path::{Path, PathBuf};

/// The parsed options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Directories with `.beam` files, searched before the installed OTP.
    pub pa: Vec<PathBuf>,
    /// Only this module's tests.
    pub module: Option<String>,
    /// Only this test.
    pub test: Option<String>,
    /// `.erl` and `.beam` files.
    pub files: Vec<PathBuf>,
    /// The kind of search.
    pub strategy: SearchKind,
    /// The maximal number of preemptions.
    pub preemptions: Option<u32>,
    /// The maximal number of executions per test.
    pub executions: Option<u64>,
    /// The maximal number of steps per execution.
    pub max_steps: Option<usize>,
    /// The seed of random choices.
    pub seed: u64,
    /// The number of worker threads.
    pub workers: usize,
    /// Continue after a failure.
    pub keep_going: bool,
    /// A ticket to replay.
    pub replay: Option<String>,
    /// The settings of the machine.
    pub settings: Settings,
    /// Print the usage text only.
    pub help: bool,
}

/// The kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchKind {
    /// Every behaviour: one execution per Mazurkiewicz trace, or every interleaving where the reduction
    /// cannot decide.
    #[default]
    Exhaustive,
    /// The reduction alone.
    Optimal,
    /// Every interleaving.
    Dfs,
    /// Preemption bounding as in Concuerror.
    Thesis,
    /// Random sampling of interleavings.
    Random,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            pa: Vec::new(),
            module: None,
            test: None,
            files: Vec::new(),
            strategy: SearchKind::default(),
            preemptions: None,
            executions: None,
            max_steps: None,
            seed: 0,
            workers: 1,
            keep_going: false,
            replay: None,
            settings: Settings::default(),
            help: false,
        }
    }
}

/// The usage text.
pub const USAGE: &str = "\
usage: raddle erl [OPTIONS] [FILE.erl|FILE.beam]...
Explores every *_test/0 and *_test_/0 of the files; without files, of the modules in the -pa directories.
  -pa DIR...           look for modules here first (also --pa)
  --module M           only this module's tests
  --test F             only this test, or any function without arguments
  --strategy S         exhaustive (default): one interleaving for each behaviour, or all where that cannot be told;
                       optimal: the former alone; dfs: every interleaving; thesis: preemption bounding as
                       Concuerror did it; random
  --preemptions N      at most N preemptions
  --executions N       at most N interleavings of each test (with random: 10000)
  --max-steps N        at most N steps in an interleaving (100000)
  --seed N             for random choices
  --workers N          explore with N threads
  --grain G            full (default), thesis or receive
  --delivery D         local (default), instant or pairs
  --time T             idle (default) or any
  --kill N             kill processes at any point, up to N times
  --config FILE        what application:get_env finds, as in a sys.config
  --strict             every abnormal exit and everybody who waits for ever is a failure
  --keep-going         go on after a failure
  --replay TICKET      replay one interleaving; test and settings come from the ticket
  -h, --help           show this";

/// Parses arguments; the error says what is wrong with them.
pub fn parse<I: IntoIterator<Item = String>>(arguments: I) -> Result<Options, String> {
    let mut options = Options::default();
    let mut delivery = None;
    // As with `erl`, one `-pa` takes several directories: `-pa _build/test/lib/*/ebin`.
    let mut after_pa = false;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let more_of_pa = after_pa && !argument.starts_with('-') && Path::new(&argument).is_dir();
        after_pa = more_of_pa || matches!(argument.as_str(), "-pa" | "--pa");
        if more_of_pa {
            options.pa.push(argument.into());
            continue;
        }
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
        fn number<T: std::str::FromStr>(text: String, of: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{of} needs a number, not {text}"))
        }
        match argument.as_str() {
            "-pa" | "--pa" => options.pa.push(value()?.into()),
            "--module" => options.module = Some(value()?),
            "--test" => options.test = Some(value()?),
            "--strategy" => {
                options.strategy = match value()?.as_str() {
                    "exhaustive" => SearchKind::Exhaustive,
                    "optimal" => SearchKind::Optimal,
                    "dfs" => SearchKind::Dfs,
                    "thesis" => SearchKind::Thesis,
                    "random" => SearchKind::Random,
                    other => {
                        return Err(format!(
                            "--strategy is exhaustive, optimal, dfs, thesis or random, not {other}"
                        ));
                    }
                }
            }
            "--preemptions" => options.preemptions = Some(number(value()?, &argument)?),
            "--executions" => options.executions = Some(number(value()?, &argument)?),
            "--max-steps" => options.max_steps = Some(number(value()?, &argument)?),
            "--seed" => options.seed = number(value()?, &argument)?,
            "--workers" => options.workers = number(value()?, &argument)?,
            "--kill" => options.settings.kills = number(value()?, &argument)?,
            "--help" | "-h" => options.help = true,
            "--config" => {
                let file = value()?;
                let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
                options.settings.config = Some(text);
            }
            "--strict" => options.settings.judgement = Judgement::Strict,
            "--keep-going" => options.keep_going = true,
            "--replay" => options.replay = Some(value()?),
            "--grain" => options.settings.grain = grain(&value()?)?,
            "--delivery" => delivery = Some(self::delivery(&value()?)?),
            "--time" => options.settings.time = time(&value()?)?,
            other if other.starts_with('-') => return Err(format!("there is no option {other}\n{USAGE}")),
            file => options.files.push(file.into()),
        }
    }
    // The thesis assumes that signals arrive at once.
    let usual = if options.settings.grain == Grain::Thesis { Delivery::Instant } else { Delivery::Local };
    options.settings.delivery = delivery.unwrap_or(usual);
    Ok(options)
}

fn grain(text: &str) -> Result<Grain, String> {
    match text {
        "full" => Ok(Grain::Full),
        "thesis" => Ok(Grain::Thesis),
        "receive" => Ok(Grain::Receive),
        other => Err(format!("--grain is full, thesis or receive, not {other}")),
    }
}

fn delivery(text: &str) -> Result<Delivery, String> {
    match text {
        "local" => Ok(Delivery::Local),
        "instant" => Ok(Delivery::Instant),
        "pairs" => Ok(Delivery::Pairs),
        other => Err(format!("--delivery is local, instant or pairs, not {other}")),
    }
}

fn time(text: &str) -> Result<Time, String> {
    match text {
        "idle" => Ok(Time::Idle),
        "any" => Ok(Time::Any),
        other => Err(format!("--time is idle or any, not {other}")),
    }
}

impl Options {
    /// These options with the test and the settings of a ticket.
    pub fn for_ticket(&self, ticket: &Ticket) -> Result<Options, String> {
        let mut options = self.clone();
        if let Some((module, function)) = ticket.test.as_deref().and_then(|test| test.split_once(':')) {
            options.module = Some(module.to_owned());
            options.test = Some(function.to_owned());
        }
        let settings = &mut options.settings;
        // A ticket names a setting only if it is not the default.
        settings.kills = 0;
        settings.judgement = Judgement::Usual;
        for (key, value) in &ticket.settings {
            match key.as_str() {
                "grain" => settings.grain = grain(value)?,
                "delivery" => settings.delivery = delivery(value)?,
                "time" => settings.time = time(value)?,
                "kill" => {
                    let bad = |_| format!("not a usable ticket: kill={value} is no number");
                    settings.kills = value.parse().map_err(bad)?;
                }
                "strict" => settings.judgement = Judgement::Strict,
                "crashes" => settings.judgement = Judgement::Lenient,
                _ => {}
            }
        }
        Ok(options)
    }
}
