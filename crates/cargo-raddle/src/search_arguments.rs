//! The flags that say how to search: the same for every world.

use clap::{Args, ValueEnum};
use raddle_core::check::{Check, SearchKind, parse_duration};
use raddle_core::clock::Time;
use raddle_core::search::OnFailure;
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
    #[arg(long, value_name = "N", value_parser = number)]
    pub executions: Option<u64>,
    /// How many schedules to sample, where they are sampled
    #[arg(long, value_name = "N", value_parser = number)]
    pub schedules: Option<u64>,
    /// Only executions with at most so many preemptions
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// How long one test may be explored: `500ms`, `10s`, `2m`, `1h`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// How many steps an execution may take
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub max_steps: Option<usize>,
    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many threads explore one test
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
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
        let mut check = Check::new(self.strategy.unwrap_or_default());
        check.schedules = self.schedules.unwrap_or(check.schedules);
        check.bounds.preemptions = self.preemptions;
        (check.seed, check.workers) = (self.seed, self.workers);
        (check.budget.executions, check.budget.time) = (self.executions, self.budget);
        check.budget.steps = self.max_steps.unwrap_or(check.budget.steps);
        check.on_failure = if self.keep_going { OnFailure::KeepGoing } else { OnFailure::Stop };
        check.checkpoint = Some(self.checkpoint());
        check.resume = self.resume.as_deref().map(read_search).transpose()?;
        Ok(check)
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
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.replace('_', "").parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("it takes a number from 1".to_owned()),
    }
}

/// A number, with `_` between its digits.
pub fn number(text: &str) -> Result<u64, String> {
    text.replace('_', "").parse().map_err(|_| "it takes a number".to_owned())
}
