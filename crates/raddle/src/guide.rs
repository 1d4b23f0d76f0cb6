//! The guide: how to find, read, replay and fix a concurrency bug.
//!
//! For an engineer with a bug that comes and goes, and an hour:
//!
//! 1. [The first test](first_test): from the dependency to a failing report, its replay, and the fix.
//! 2. [What is explored](what_is_explored), what is not, and what a verdict claims.
//! 3. [Settings](settings): every method, attribute key and environment variable.
//! 4. [Which strategy](which_strategy) to choose when.
//! 5. [From loom and shuttle](from_loom_and_shuttle): every call of theirs, and ours.
//! 6. [When it fails](when_it_fails): each kind of failure, and what to do about it.
//! 7. [Orderings](orderings): what a memory ordering is for, by failures without it.
//! 8. [Unmodified crates](unmodified_crates): `cargo raddle test`, for crates that have never heard of raddle.
//!
//! There is nothing to call here. The examples of all pages are tests of this crate.

pub mod first_test {
    #![doc = include_str!("../guide/first_test.md")]
}

pub mod what_is_explored {
    #![doc = include_str!("../guide/what_is_explored.md")]
}

pub mod settings {
    #![doc = include_str!("../guide/settings.md")]
}

pub mod which_strategy {
    #![doc = include_str!("../guide/which_strategy.md")]
}

pub mod from_loom_and_shuttle {
    #![doc = include_str!("../guide/from_loom_and_shuttle.md")]
}

pub mod when_it_fails {
    #![doc = include_str!("../guide/when_it_fails.md")]
}

pub mod orderings {
    #![doc = include_str!("../guide/orderings.md")]
}

pub mod unmodified_crates {
    #![doc = include_str!("../guide/unmodified_crates.md")]
}
