//! What shapes executions, beyond the program: each setting is named in the coverage line.

use raddle_core::clock::Time;
use std::collections::BTreeMap;

/// Where a process may be interrupted, and what one step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Grain {
    /// At every visible operation; an exit is a sequence of steps, a kill only marks its victim.
    #[default]
    Full,
    /// As the thesis counts: after every call with a side effect that returned; an exit is one step.
    Thesis,
    /// Only where a process waits. Coarse: may miss.
    Receive,
}

/// How signals travel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Delivery {
    /// Everything arrives at once.
    Instant,
    /// Messages at once, other signals later, in order per pair: as within one node.
    #[default]
    Local,
    /// Everything later, in order per pair, others may overtake: as between nodes.
    Pairs,
}

/// What counts as a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Judgement {
    /// Abnormal exits that nobody notices; the test process, or a caller, that waits for ever.
    #[default]
    Usual,
    /// No exit is a failure: programs that let processes crash on purpose.
    Lenient,
    /// As the thesis has it: every abnormal exit, everybody who waits for ever.
    Strict,
}

/// What shapes executions.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What one step is.
    pub grain: Grain,
    /// How signals travel.
    pub delivery: Delivery,
    /// When timers fire.
    pub time: Time,
    /// How many processes may be killed at any point.
    pub kills: u32,
    /// What counts as a failure.
    pub judgement: Judgement,
    /// For `rand` and `crypto:strong_rand_bytes`.
    pub seed: u64,
    /// The text of a `.config` file: what `application:get_env` finds from the start.
    pub config: Option<String>,
}

impl Settings {
    /// The settings of the thesis: its counting rules, its delivery, its failures.
    pub fn thesis() -> Settings {
        Settings {
            grain: Grain::Thesis,
            delivery: Delivery::Instant,
            judgement: Judgement::Strict,
            ..Settings::default()
        }
    }
    /// For the coverage line.
    pub fn words(&self) -> Vec<String> {
        let grain = match self.grain {
            Grain::Full => "grain full",
            Grain::Thesis => "grain thesis",
            Grain::Receive => "grain receive: coarse, may miss",
        };
        let delivery = match self.delivery {
            Delivery::Instant => "signals at once",
            Delivery::Local => "signals as within a node",
            Delivery::Pairs => "signals as between nodes",
        };
        let mut words = vec![grain.to_owned(), delivery.to_owned(), self.time.words().to_owned()];
        match self.kills {
            0 => {}
            1 => words.push("at most 1 kill".to_owned()),
            n => words.push(format!("at most {n} kills")),
        }
        words
    }
    /// For tickets.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = BTreeMap::new();
        let mut set = |key: &str, value: String| map.insert(key.to_owned(), value);
        set("grain", format!("{:?}", self.grain).to_lowercase());
        set("delivery", format!("{:?}", self.delivery).to_lowercase());
        set("time", format!("{:?}", self.time).to_lowercase());
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
