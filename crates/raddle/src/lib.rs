//! Finds the interleaving that breaks a concurrent program, shows it so that a person sees why, and replays it for ever.
//!
//! ```
//! use raddle::sync::{Arc, atomic::{AtomicU64, Ordering::SeqCst}};
//!
//! fn deposit(balance: &AtomicU64, amount: u64) {
//!     let seen = balance.load(SeqCst);
//!     balance.store(seen + amount, SeqCst);
//! }
//!
//! let report = raddle::Checker::exhaustive().run(|| {
//!     let balance = Arc::new(AtomicU64::new(0));
//!     let theirs = balance.clone();
//!     let friend = raddle::thread::spawn(move || deposit(&theirs, 100));
//!     deposit(&balance, 50);
//!     friend.join().unwrap();
//!     balance.load(SeqCst)
//! });
//! assert!(report.coverage().is_exhaustive());
//! assert_eq!(report.outcomes().keys().collect::<Vec<_>>(), [&50, &100, &150]); // deposits can be lost
//! ```
//!
//! - [`test`](macro@test) makes a test of a function: every behaviour is explored, and the test fails with the interleaving.
//! - [`Checker`] has the settings: strategies, bounds, samplers, budgets, replay of tickets.
//! - [`sync`], [`thread`], [`time`], [`cell`], [`hint`] mirror `std`; outside of a check they are `std`'s.
//! - [`Report`] says what was covered ([`Coverage`]), which results came, and how the first failure came about.
//! - `cargo raddle test` explores the existing tests of a crate that has never heard of raddle.
//!
//! A process is as it was until the first check, which [installs](guide::settings#what-raddle-installs-in-your-process)
//! handlers of signals, a panic hook and a thread, each of which passes on what is not raddle's. There is no global
//! allocator unless the program [asks for it](guide::settings#the-global-allocator).
//!
//! The [guide] begins with a first test, and says what a verdict claims, word by word.

mod checker;
#[cfg(feature = "arena")]
#[doc(hidden)]
pub mod determinism_probe;
mod environment;
mod error;
pub mod guide;
mod heap;
mod listener;
#[doc(hidden)]
pub mod observer;
mod predicates;
mod report;

pub use checker::Checker;
pub use error::{CheckError, DoesNotApply};
pub use heap::Heap;
pub use predicates::{Finding, Findings, autocheck};
pub use raddle_core::check::{Checked, SearchKind, Simplify, Statistics, Verdict};
pub use raddle_core::clock::Time;
pub use raddle_core::difference;
pub use raddle_core::fact;
pub use raddle_core::memory::Memory;
pub use raddle_core::record;
pub use raddle_core::strategy::Sampler;
pub use raddle_core::ticket::{Ticket, VERSION as TICKET_VERSION};
pub use raddle_core::verdict::{Coverage, Defect, Extent, Failure, FailureKind, Replayed};
pub use raddle_macros::test;
pub use raddle_native::choice::{any_bool, atomic_step, choose};
pub use raddle_native::label::{Labelled, label};
pub use raddle_native::thread_local;
pub use raddle_native::{Detached, Spins};
pub use raddle_native::{alloc, cell, future, hint, process, sync, thread, time};
// For the facades of std.
#[cfg(feature = "arena")]
#[doc(hidden)]
pub use raddle_native::{arena, callers, expected, futex, outside, program_memory, random, statics};
pub use report::Report;

#[cfg(feature = "arena")]
#[global_allocator]
static ALLOCATOR: program_memory::ProgramMemory = program_memory::ProgramMemory::new();

/// Explores every behaviour of `f`, and panics with the report if one of them fails.
///
/// ```
/// use raddle::sync::{Arc, Mutex};
/// raddle::check(|| {
///     let count = Arc::new(Mutex::new(0));
///     let other = count.clone();
///     let task = raddle::thread::spawn(move || *other.lock().unwrap() += 1);
///     *count.lock().unwrap() += 1;
///     task.join().unwrap();
///     assert_eq!(*count.lock().unwrap(), 2);
/// });
/// ```
#[track_caller]
pub fn check<T, F>(f: F)
where
    F: Fn() -> T + Send + Sync,
{
    Checker::exhaustive().check(f);
}

/// What the attribute's expansion uses. Not for direct use.
#[doc(hidden)]
pub mod __private {
    use crate::{Checker, Sampler};
    use std::fmt::Debug;

    /// The sampler of this name, when the test is compiled.
    ///
    /// ```
    /// const POS: raddle::Sampler = raddle::__private::sampler("pos");
    /// ```
    /// ```compile_fail
    /// const LUCK: raddle::Sampler = raddle::__private::sampler("luck");
    /// ```
    pub const fn sampler(name: &str) -> Sampler {
        match Sampler::named(name) {
            Some(sampler) => sampler,
            None => panic!("{}", Sampler::UNKNOWN),
        }
    }

    /// What a test may return.
    pub trait TestResult {
        /// Panics if the test failed.
        fn demand(self);
        /// What a test that passed returns.
        fn passed() -> Self;
    }

    impl TestResult for () {
        fn demand(self) {}
        fn passed() {}
    }

    impl<E: Debug> TestResult for Result<(), E> {
        #[track_caller]
        fn demand(self) {
            if let Err(error) = self {
                panic!("the test returned an error: {error:?}");
            }
        }
        fn passed() -> Self {
            Ok(())
        }
    }

    /// Explores a test. The coverage is printed, for users who ask the harness to show it.
    #[track_caller]
    pub fn run_test<T: TestResult>(checker: Checker, body: fn() -> T) -> T {
        let report = checker.without_crate_name().run(|| body().demand());
        if report.failure().is_some() {
            panic!("{}", report.for_terminal());
        }
        crate::checker::end_if_interrupted(&report);
        println!("{}", report.for_terminal());
        T::passed()
    }
}
