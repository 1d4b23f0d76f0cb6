//! The flags that say how to search: the same for every world.

use clap::{Args, ValueEnum};
use raddle_core::check::{Check, SearchKind, parse_duration};
use raddle_core::clock::Time;
use raddle_core::limits::{MOST_STEPS, MOST_WORKERS};
use raddle_core::search::OnFailure;
use raddle_core::verdict::thousands;
use raddle_terminal::{ColorChoice, choose_color, read_search};
use std::time::Duration;

/// How to search.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArguments {
    /// How to search: exhaustive, iterative, dfs, preemption-bounding (or thesis), staged, random, or a sampler such as pct:3
    #[arg(long, value_name = "STRATEGY")]
    pub strategy: Option<SearchKind>,
    /// At most so many executions, whatever the strategy
    #[arg(long, value_name = "N", value_parser = positive)]
    pub executions: Option<u64>,
    /// How many schedules to sample, where they are sampled
    #[arg(long, value_name = "N", value_parser = positive)]
    pub schedules: Option<u64>,
    /// Only executions with at most so many preemptions
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// How long one test may be explored: `500ms`, `10s`, `2m`, `1h`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// How many steps an execution may take
    #[arg(long, value_name = "N", value_parser = steps)]
    pub max_steps: Option<usize>,
    /// The seed of random choices [default: 0]
    #[arg(long, value_name = "N", value_parser = number)]
    pub seed: Option<u64>,
    /// How many threads explore one test
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = workers)]
    pub workers: usize,
    /// Go on with a search that was stopped: the file that it has written then
    #[arg(long, value_name = "FILE")]
    pub resume: Option<String>,
    /// How often a search saves itself while it goes on, for --resume [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub checkpoint: Option<Duration>,
    /// Count failures and go on, instead of stopping at the first
    #[arg(long)]
    pub keep_going: bool,
    /// When timers fire: `idle`, when nothing else can happen, or at `any` point
    #[arg(long, value_name = "WHEN", default_value = "idle")]
    pub time: Time,
    /// How results are told
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub message_format: MessageFormat,
    /// When reports have colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// How results are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Reports and a table
    Human,
    /// One JSON object a line
    Json,
}

/// When reports have colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Chooses for the whole process.
    pub fn choose(self) {
        choose_color(match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        });
    }
    /// As cargo takes it.
    pub fn name(self) -> &'static str {
        match self {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        }
    }
}

impl SearchArguments {
    /// The settings of a check. What they do not say is as usual.
    pub fn check(&self) -> Result<Check, String> {
        self.contradict(self.strategy.unwrap_or_default())?;
        let mut check = Check::new(self.strategy.unwrap_or_default());
        check.schedules = self.schedules.unwrap_or(check.schedules);
        check.bounds.preemptions = self.preemptions;
        (check.seed, check.workers) = (self.seed.unwrap_or_default(), self.workers);
        (check.budget.executions, check.budget.time) = (self.executions, self.budget);
        check.budget.steps = self.max_steps.unwrap_or(check.budget.steps);
        check.on_failure = if self.keep_going { OnFailure::KeepGoing } else { OnFailure::Stop };
        check.checkpoint = Some(self.checkpoint());
        check.resume = self.resume.as_deref().map(read_search).transpose()?;
        Ok(check)
    }
    /// Refuses flags without effect on a search of this kind.
    pub fn contradict(&self, kind: SearchKind) -> Result<(), String> {
        let search = match self.strategy {
            Some(kind) => format!("--strategy {kind}"),
            None => format!("the default, --strategy {kind}"),
        };
        let without_effect = [
            ("--schedules", self.schedules.is_some() && !kind.draws()),
            ("--seed", self.seed.is_some() && !kind.draws()),
            ("--resume", self.resume.is_some() && kind.is_sampled()),
            ("--checkpoint", self.checkpoint.is_some() && kind.is_sampled()),
        ];
        match without_effect.into_iter().find(|(_, holds)| *holds) {
            Some((flag, _)) if kind.is_sampled() => {
                Err(format!("{flag} and {search} contradict each other: random schedules are not saved"))
            }
            Some((flag, _)) => {
                Err(format!("{flag} and {search} contradict each other: it draws no random schedules"))
            }
            None => Ok(()),
        }
    }
    /// Refuses flags that say how to search where one schedule is replayed.
    pub fn contradict_replay(&self) -> Result<(), String> {
        let given = [
            ("--strategy", self.strategy.is_some()),
            ("--executions", self.executions.is_some()),
            ("--schedules", self.schedules.is_some()),
            ("--preemptions", self.preemptions.is_some()),
            ("--seed", self.seed.is_some()),
            ("--checkpoint", self.checkpoint.is_some()),
            ("--resume", self.resume.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => {
                Err(format!("--replay and {flag} contradict each other: a replay does not search"))
            }
            None => Ok(()),
        }
    }
    /// The time between two checkpoints.
    pub fn checkpoint(&self) -> Duration {
        self.checkpoint.unwrap_or(Check::CHECKPOINT)
    }
    /// Whether results are reported as JSON.
    pub fn is_json(&self) -> bool {
        self.message_format == MessageFormat::Json
    }
}

/// A number from 1, with `_` between its digits.
fn positive(text: &str) -> Result<u64, String> {
    between(text, u64::MAX)
}

/// A number of threads or processes.
pub fn workers(text: &str) -> Result<usize, String> {
    between(text, MOST_WORKERS as u64).map(|n| n as usize)
}

/// A number of steps.
fn steps(text: &str) -> Result<usize, String> {
    between(text, MOST_STEPS as u64).map(|n| n as usize)
}

fn between(text: &str, most: u64) -> Result<u64, String> {
    match text.replace('_', "").parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ if most == u64::MAX => Err("it takes a number from 1".to_owned()),
        _ => Err(format!("it takes a number from 1 to {}", thousands(most))),
    }
}

/// A number, with `_` between its digits.
pub fn number(text: &str) -> Result<u64, String> {
    text.replace('_', "").parse().map_err(|_| "it takes a number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn read(words: &[&str]) -> Result<SearchArguments, String> {
        let command = SearchArguments::augment_args(clap::Command::new("x").no_binary_name(true));
        let matches = command.try_get_matches_from(words).map_err(|e| e.to_string())?;
        SearchArguments::from_arg_matches(&matches).map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_have_limits() {
        let wrong = [
            (["--workers", "1_000_000_000_000"], "it takes a number from 1 to 1,024"),
            (["--workers", "0"], "it takes a number from 1 to 1,024"),
            (["--schedules", "0"], "it takes a number from 1"),
            (["--executions", "0"], "it takes a number from 1"),
            (["--executions", "18446744073709551616"], "it takes a number from 1"),
            (["--max-steps", "0"], "it takes a number from 1 to 1,000,000,000"),
            (["--max-steps", "1_000_000_001"], "it takes a number from 1 to 1,000,000,000"),
            (["--budget", "99999999h"], "that is too long; at most 87600 hours are possible"),
            (["--checkpoint", "0s"], "no time at all is not enough"),
            (["--preemptions", "4294967296"], "4294967296 is not in 0..=4294967295"),
            (["--seed", "-1"], "unexpected argument '-1'"),
            (["--strategy", "pct:x"], "there is no strategy `pct:x`"),
        ];
        for (words, expected) in wrong {
            let error = read(&words).map(|_| ()).unwrap_err();
            assert!(error.contains(expected), "{words:?}: {error}");
        }
        assert_eq!(read(&["--workers", "1_024"]).unwrap().workers, 1_024);
    }

    #[test]
    fn flags_that_contradict_each_other_are_errors() {
        let wrong = [
            (["--strategy", "dfs", "--schedules", "5"], "--schedules and --strategy dfs contradict"),
            (["--strategy", "exhaustive", "--seed", "5"], "--seed and --strategy exhaustive contradict"),
            (["--strategy", "pos", "--checkpoint", "5s"], "--checkpoint and --strategy pos contradict"),
            (["--strategy", "random", "--resume", "x"], "--resume and --strategy portfolio contradict"),
            (
                ["--preemptions", "1", "--seed", "5"],
                "--seed and the default, --strategy exhaustive, contradict",
            ),
        ];
        for (words, expected) in wrong {
            let error = read(&words).unwrap().check().map(|_| ()).unwrap_err();
            assert!(error.starts_with(&expected.replace("exhaustive,", "exhaustive")), "{words:?}: {error}");
        }
        let fine = [["--strategy", "random", "--schedules", "5"], ["--strategy", "pct:3", "--seed", "5"]];
        assert!(fine.iter().all(|words| read(words).unwrap().check().is_ok()));
        for flag in ["--strategy=dfs", "--seed=1", "--executions=1", "--preemptions=1", "--resume=x"] {
            let error = read(&[flag]).unwrap().contradict_replay().unwrap_err();
            assert!(error.ends_with("contradict each other: a replay does not search"), "{error}");
        }
        assert_eq!(read(&["--workers", "2"]).unwrap().contradict_replay(), Ok(()));
        let many = read(&["--strategy", "pct:99999999"]).unwrap().check().unwrap();
        assert_eq!(many.kind.to_string(), "pct:99999999", "the engine says what is too much");
    }
}
