//! The arguments of `raddle erl`.

use crate::settings::{Delivery, Grain, Judgement, Settings};
use raddle_core::clock::Time;
use std::path::PathBuf;

/// What is asked for.
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
    /// `dfs`, `optimal`, `thesis` or `random`.
    pub strategy: String,
    /// At most so many preemptions.
    pub preemptions: Option<u32>,
    /// At most so many executions of each test.
    pub executions: Option<u64>,
    /// For random choices.
    pub seed: u64,
    /// How many threads explore.
    pub workers: usize,
    /// Go on after a failure.
    pub keep_going: bool,
    /// A ticket to replay.
    pub replay: Option<String>,
    /// What shapes executions.
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            pa: Vec::new(),
            module: None,
            test: None,
            files: Vec::new(),
            strategy: "dfs".to_owned(),
            preemptions: None,
            executions: None,
            seed: 0,
            workers: 1,
            keep_going: false,
            replay: None,
            settings: Settings::default(),
        }
    }
}

/// How the command is used.
pub const USAGE: &str = "\
usage: raddle erl [OPTIONS] [FILE.erl|FILE.beam]...
  -pa DIR              look for modules here first
  --module M           only this module's tests
  --test F             only this test
  --strategy S         dfs (default), optimal, thesis (preemption bounding as Concuerror did it) or random
  --preemptions N      at most N preemptions
  --executions N       at most N interleavings of each test
  --seed N             for random choices
  --workers N          explore with N threads
  --grain G            full (default), thesis or receive
  --delivery D         local (default), instant or pairs
  --time T             idle (default) or any
  --kill N             kill processes at any point, up to N times
  --config FILE        what application:get_env finds, as in a sys.config
  --strict             every abnormal exit and everybody who waits for ever is a failure
  --keep-going         go on after a failure
  --replay TICKET      replay one interleaving";

/// Understands arguments, or says what is wrong with them.
pub fn parse<I: IntoIterator<Item = String>>(arguments: I) -> Result<Options, String> {
    let mut options = Options::default();
    let mut delivery = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
        fn number<T: std::str::FromStr>(text: String, of: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{of} needs a number, not {text}"))
        }
        match argument.as_str() {
            "-pa" | "--pa" => options.pa.push(value()?.into()),
            "--module" => options.module = Some(value()?),
            "--test" => options.test = Some(value()?),
            "--strategy" => options.strategy = value()?,
            "--preemptions" => options.preemptions = Some(number(value()?, &argument)?),
            "--executions" => options.executions = Some(number(value()?, &argument)?),
            "--seed" => options.seed = number(value()?, &argument)?,
            "--workers" => options.workers = number(value()?, &argument)?,
            "--kill" => options.settings.kills = number(value()?, &argument)?,
            "--config" => {
                let file = value()?;
                let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
                options.settings.config = Some(text);
            }
            "--strict" => options.settings.judgement = Judgement::Strict,
            "--keep-going" => options.keep_going = true,
            "--replay" => options.replay = Some(value()?),
            "--grain" => {
                options.settings.grain = match value()?.as_str() {
                    "full" => Grain::Full,
                    "thesis" => Grain::Thesis,
                    "receive" => Grain::Receive,
                    other => return Err(format!("--grain is full, thesis or receive, not {other}")),
                }
            }
            "--delivery" => {
                delivery = Some(match value()?.as_str() {
                    "local" => Delivery::Local,
                    "instant" => Delivery::Instant,
                    "pairs" => Delivery::Pairs,
                    other => return Err(format!("--delivery is local, instant or pairs, not {other}")),
                })
            }
            "--time" => {
                options.settings.time = match value()?.as_str() {
                    "idle" => Time::Idle,
                    "any" => Time::Any,
                    other => return Err(format!("--time is idle or any, not {other}")),
                }
            }
            other if other.starts_with('-') => return Err(format!("there is no option {other}\n{USAGE}")),
            file => options.files.push(file.into()),
        }
    }
    // The thesis's steps are those of a runtime in which signals arrive at once.
    let usual = if options.settings.grain == Grain::Thesis { Delivery::Instant } else { Delivery::Local };
    options.settings.delivery = delivery.unwrap_or(usual);
    Ok(options)
}
