//! The settings of an execution, beyond the program: each is named in the coverage line.

use raddle_core::clock::Time;
use std::collections::BTreeMap;

/// Where a process may be preempted, and what one step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Grain {
    /// At every visible operation; an exit is a sequence of steps, a kill only marks its target.
    #[default]
    Full,
    /// As the thesis counts: after every call with a side effect that returned; an exit is one step.
    Thesis,
    /// Only at a blocked receive. Coarse: may miss failures.
    Receive,
}

/// When signals arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Delivery {
    /// All signals at once.
    Instant,
    /// Messages at once, other signals later, in order per pair: as within one node.
    #[default]
    Local,
    /// All signals later, in order per pair, with overtaking between pairs: as between nodes.
    Pairs,
}

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
    /// The settings as text for the coverage line.
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
    /// The settings for tickets.
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
