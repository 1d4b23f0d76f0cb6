//! Why a check could not begin: mistakes in its settings, in environment variables, tickets and saved searches.

use std::fmt;

/// A setting that has no effect on this kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DoesNotApply {
    /// The setting.
    pub setting: &'static str,
    /// What it has an effect on.
    pub applies_to: &'static str,
}

impl fmt::Display for DoesNotApply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is set, which applies to {} only", self.setting, self.applies_to)
    }
}

/// Why a check could not begin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// It was called inside of an exploration.
    Nested,
    /// A setting has no effect on this kind of search.
    Setting(DoesNotApply),
    /// An environment variable makes no sense, or contradicts another.
    Environment(String),
    /// The memory model cannot be followed in this search.
    Memory(String),
    /// The heap cannot be judged in this program.
    Heap(String),
    /// A number is larger than any that is possible.
    OutOfRange(String),
    /// A ticket cannot be used.
    Ticket(String),
    /// A saved search cannot be resumed.
    Resume(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Nested => f.write_str("a check inside of a check; explore one program at a time"),
            CheckError::Setting(setting) => setting.fmt(f),
            CheckError::Environment(why)
            | CheckError::Memory(why)
            | CheckError::Heap(why)
            | CheckError::OutOfRange(why)
            | CheckError::Ticket(why)
            | CheckError::Resume(why) => f.write_str(&raddle_report::escape_lines(why)),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<DoesNotApply> for CheckError {
    fn from(setting: DoesNotApply) -> CheckError {
        CheckError::Setting(setting)
    }
}
