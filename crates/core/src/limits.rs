//! The limits of everything that comes from outside: command lines, variables, tickets, files. A number beyond its limit is an error
//! that names the limit, so that no few characters take all time or memory that there is.
//!
//! Limits of a format that is not raddle's own (`.beam` files, terms, patterns) are beside its reader.

use std::time::Duration;

/// No search takes longer: 10 years. `raddle-macros` has the same number.
pub const LONGEST: Duration = Duration::from_secs(10 * 8_760 * 3_600);
/// Workers of a search, and tests that are explored at a time: each is a thread with a world of its own.
pub const MOST_WORKERS: usize = 1_024;
/// Steps of an execution: they are kept in memory.
pub const MOST_STEPS: usize = 1_000_000_000;
/// More change points than this are never drawn within an execution.
pub const MOST_CHANGES: usize = 10_000;
/// Steps of a ticket that is one line of text, where a few characters stand for many.
pub const MOST_STEPS_OF_A_LINE: usize = 2_000_000;
/// The stack of a task, in bytes.
pub const LARGEST_STACK: usize = 1 << 30;
/// A file of raddle's own, in bytes.
pub const LARGEST_FILE: u64 = 1 << 30;
/// A source file that is quoted, in bytes.
pub const LARGEST_SOURCE: u64 = 8 << 20;
/// The width of a report, in characters.
pub const WIDEST: usize = 1_000;
