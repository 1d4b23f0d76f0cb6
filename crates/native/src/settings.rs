//! What shapes the executions of a Rust program. All of it goes into tickets.

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

/// What shapes executions.
#[derive(Clone, Debug)]
pub struct Settings {
    /// When timers may fire.
    pub time: Time,
    /// How many spurious wake-ups and failures of weak compare-exchanges an execution may have.
    pub spurious: u32,
    /// How many identical rounds a waiting loop may take while others could run.
    pub spin_rounds: u32,
    /// The size of a task's stack, in bytes.
    pub stack_size: usize,
    /// What becomes of tasks that nobody joined.
    pub detached: Detached,
}

impl Default for Settings {
    fn default() -> Settings {
        // A stack is mapped, not touched: as large as std's costs nothing.
        let stack_size = 2 << 20;
        Settings { time: Time::Idle, spurious: 0, spin_rounds: 3, stack_size, detached: Detached::Allowed }
    }
}

impl Settings {
    /// The settings that a replay needs, as words.
    pub fn to_words(&self) -> BTreeMap<String, String> {
        let time = match self.time {
            Time::Idle => "idle",
            Time::Any => "any",
        };
        let detached = match self.detached {
            Detached::Allowed => "allowed",
            Detached::MustFinish => "finish",
        };
        [
            ("time", time.to_owned()),
            ("spurious", self.spurious.to_string()),
            ("spins", self.spin_rounds.to_string()),
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
                ("spins", n) => self.spin_rounds = n.parse().map_err(|_| unknown())?,
                _ => return Err(unknown()),
            }
        }
        Ok(())
    }
}
