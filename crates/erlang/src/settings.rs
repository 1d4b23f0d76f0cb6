//! The settings of an execution, beyond the program: each is named in the coverage line.

use raddle_core::clock::Time;
use raddle_core::fact::Assumption;
pub use raddle_core::fact::{Delivery, Grain};
use std::collections::BTreeMap;

/// What counts as a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Judgement {
    /// An abnormal exit that no process observes; a test process, or a caller, that is blocked for ever.
    #[default]
    Usual,
    /// No exit is a failure: for programs whose processes crash on purpose.
    Lenient,
    /// As in the thesis: every abnormal exit, every process that is blocked for ever.
    Strict,
}

/// The settings of an execution.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What one step is.
    pub grain: Grain,
    /// When signals arrive.
    pub delivery: Delivery,
    /// When timers fire.
    pub time: Time,
    /// The number of processes that may be killed, at any point.
    pub kills: u32,
    /// What counts as a failure.
    pub judgement: Judgement,
    /// The seed of `rand` and `crypto:strong_rand_bytes`.
    pub seed: u64,
    /// The text of a `.config` file: the initial application environment.
    pub config: Option<String>,
}

impl Settings {
    /// The settings of the thesis: its steps, its delivery, its failures.
    pub fn thesis() -> Settings {
        Settings {
            grain: Grain::Thesis,
            delivery: Delivery::Instant,
            judgement: Judgement::Strict,
            ..Settings::default()
        }
    }
    /// What a search with these settings takes for granted.
    pub fn assumptions(&self) -> Vec<Assumption> {
        let mut assumed = vec![
            Assumption::Grain(self.grain),
            Assumption::Signals(self.delivery),
            Assumption::Timers(self.time),
        ];
        if self.kills > 0 {
            assumed.push(Assumption::Kills(self.kills));
        }
        assumed
    }
    /// The settings for tickets.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = BTreeMap::new();
        let mut set = |key: &str, value: String| map.insert(key.to_owned(), value);
        set("grain", self.grain.name().to_owned());
        set("delivery", self.delivery.name().to_owned());
        set("time", self.time.name().to_owned());
        if self.kills > 0 {
            set("kill", self.kills.to_string());
        }
        match self.judgement {
            Judgement::Usual => {}
            Judgement::Lenient => drop(set("crashes", "allowed".to_owned())),
            Judgement::Strict => drop(set("strict", "true".to_owned())),
        }
        map
    }
}
