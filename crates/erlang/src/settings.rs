//! The settings of an execution, beyond the program: each is named in the coverage line.

use crate::ends::Unobserved;
use crate::files::disk::Disk;
use crate::term::{Term, parse};
use crate::versions::Dynamic;
use crate::watch::Watch;
use raddle_core::clock::Time;
use raddle_core::fact::Assumption;
pub use raddle_core::fact::{Delivery, Grain};
use raddle_core::verdict::FailureKind;
use std::collections::BTreeMap;

/// The setting of tickets that those of this world have, and no others.
pub const GRAIN: &str = "grain";

/// What counts as a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Judgement {
    /// An abnormal exit that no process observes; a test process, or a caller, that is blocked for ever.
    #[default]
    Usual,
    /// Only the abnormal exit of the test process is a failure: for programs whose processes crash on purpose.
    Lenient,
    /// As in the thesis: every abnormal exit, every process that is blocked for ever.
    Strict,
}

/// What becomes of loops that poll: see `machine/polling.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Polling {
    /// A round that would change nothing is not taken again.
    #[default]
    Blocks,
    /// Every round is taken, for oracles that compare states.
    Steps,
}

/// Reads an exit reason.
pub fn reason(text: &str) -> Result<Term, String> {
    match parse::terms(&format!("{text}.")).map_err(|e| e.to_string())?.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err("it takes one term".to_owned()),
    }
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
    /// Exit reasons that are no failure, as text: a term, which also stands for tuples that begin with it.
    pub treat_as_normal: Vec<String>,
    /// Failures of these kinds are none.
    pub ignored: Vec<FailureKind>,
    /// Timeouts of so many milliseconds and more never fire.
    pub after_timeout: Option<u64>,
    /// The memory that the process may take, in bytes. No single value may take half of it.
    pub memory_limit: Option<u64>,
    /// The modules that the program loads or deletes while it runs, as far as they are known.
    pub dynamic: Dynamic,
    /// The assumption that no process reads the order of a mailbox, other than by receiving.
    pub unread_order: Unobserved,
    /// Ends executions from outside.
    pub watch: Watch,
    /// What becomes of loops that poll.
    pub polling: Polling,
    /// The disk, as far as it was read.
    pub disk: Disk,
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
    /// The exit reasons that are no failure, as terms. What cannot be read is left out: see [`reason`].
    pub fn normal_reasons(&self) -> Vec<Term> {
        self.treat_as_normal.iter().filter_map(|text| reason(text).ok()).collect()
    }
    /// Whether failures of this kind are none.
    pub fn ignores(&self, kind: FailureKind) -> bool {
        self.ignored.contains(&kind)
    }
    /// The largest value, in bytes.
    pub fn room(&self) -> usize {
        (self.memory_limit.unwrap_or(1 << 32) / 2) as usize
    }
    /// Whether there is room for a value of so many bytes.
    pub fn has_room(&self, bytes: u64) -> bool {
        bytes <= self.room() as u64
    }
    /// Whether a timeout of so many milliseconds fires at all.
    pub fn fires(&self, ms: u64) -> bool {
        self.after_timeout.is_none_or(|limit| ms < limit)
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
        assumed.extend(self.ignored.iter().copied().map(Assumption::Ignored));
        assumed.extend(self.treat_as_normal.iter().cloned().map(Assumption::TreatedAsNormal));
        assumed.extend(self.after_timeout.map(Assumption::TimeoutsBelow));
        assumed
    }
    /// The settings for tickets.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        let mut map = BTreeMap::new();
        let mut set = |key: &str, value: String| map.insert(key.to_owned(), value);
        set(GRAIN, self.grain.name().to_owned());
        set("delivery", self.delivery.name().to_owned());
        set("time", self.time.name().to_owned());
        if self.kills > 0 {
            set("kill", self.kills.to_string());
        }
        if !self.treat_as_normal.is_empty() {
            set("treat-as-normal", self.treat_as_normal.join("\n"));
        }
        if !self.ignored.is_empty() {
            set("ignore", self.ignored.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(","));
        }
        if !self.dynamic.is_empty() {
            set(
                "loaded-modules",
                self.dynamic.names().map(|name| name.text()).collect::<Vec<_>>().join("\n"),
            );
        }
        if let Some(ms) = self.after_timeout {
            set("after-timeout", ms.to_string());
        }
        match self.judgement {
            Judgement::Usual => {}
            Judgement::Lenient => drop(set("crashes", "allowed".to_owned())),
            Judgement::Strict => drop(set("strict", "true".to_owned())),
        }
        map
    }
}
