//! What shapes the executions of a Rust program. All of it goes into tickets.

use crate::observers::Observers;
use raddle_core::clock::Time;
use std::collections::BTreeMap;

/// What becomes of tasks that nobody joined when main returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detached {
    /// They end with it, as at the exit of a process.
    #[default]
    Allowed,
    /// They must have done their last operation, or the execution fails.
    MustFinish,
}

/// What becomes of loops that wait: that look at something and give way until it has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spins {
    /// They may take so many identical rounds while others could run, and then wait for a change. What comes
    /// after a spin that gives up is explored.
    Fair(u32),
    /// They wait for a change at once. For programs whose spins never give up: what comes after one that does
    /// is not explored.
    Await,
}

/// What shapes executions.
#[derive(Clone, Debug)]
pub struct Settings {
    /// When timers may fire.
    pub time: Time,
    /// How many spurious wake-ups and failures of weak compare-exchanges an execution may have.
    pub spurious: u32,
    /// What becomes of loops that wait.
    pub spins: Spins,
    /// The size of a task's stack, in bytes.
    pub stack_size: usize,
    /// What becomes of tasks that nobody joined.
    pub detached: Detached,
    /// The order of messages that nobody receives is left open, as far as this is known. Shapes no execution, only what
    /// a search takes to be the same, and so is not in tickets.
    pub observers: Option<Observers>,
}

impl Default for Settings {
    fn default() -> Settings {
        // A stack is mapped, not touched: as large as std's costs nothing.
        let stack_size = 2 << 20;
        Settings {
            time: Time::Idle,
            spurious: 0,
            spins: Spins::Fair(3),
            stack_size,
            detached: Detached::Allowed,
            observers: None,
        }
    }
}

impl Settings {
    /// The settings that a replay needs, as words.
    pub fn to_words(&self) -> BTreeMap<String, String> {
        let time = match self.time {
            Time::Idle => "idle",
            Time::Any => "any",
        };
        let spins = match self.spins {
            Spins::Fair(rounds) => rounds.to_string(),
            Spins::Await => "await".to_owned(),
        };
        let detached = match self.detached {
            Detached::Allowed => "allowed",
            Detached::MustFinish => "finish",
        };
        [
            ("time", time.to_owned()),
            ("spurious", self.spurious.to_string()),
            ("spins", spins),
            ("detached", detached.to_owned()),
        ]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
    }

    /// Takes over what a ticket says. An unknown word is an error that names it.
    pub fn apply(&mut self, words: &BTreeMap<String, String>) -> Result<(), String> {
        for (key, value) in words {
            let unknown = || format!("the ticket's setting `{key}={value}` is not known to this raddle");
            match (key.as_str(), value.as_str()) {
                ("time", "idle") => self.time = Time::Idle,
                ("time", "any") => self.time = Time::Any,
                ("detached", "allowed") => self.detached = Detached::Allowed,
                ("detached", "finish") => self.detached = Detached::MustFinish,
                ("spurious", n) => self.spurious = n.parse().map_err(|_| unknown())?,
                ("spins", "await") => self.spins = Spins::Await,
                ("spins", n) => self.spins = Spins::Fair(n.parse().map_err(|_| unknown())?),
                _ => return Err(unknown()),
            }
        }
        Ok(())
    }
}
