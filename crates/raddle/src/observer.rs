//! Reports checks to a front end that executes the checks of others, as `cargo raddle` does. Not for direct use.

use crate::heap::Heap;
use raddle_core::search::{Progress, Saved};
use raddle_core::verdict::{Coverage, Failure};
use std::sync::OnceLock;
use std::time::Duration;

/// Receives the events of all checks of the process.
pub trait Observer: Sync {
    /// The program that is being explored starts a check of its own.
    fn explicit_check(&self);
    /// The progress of the present check; called about ten times a second.
    fn tick(&self, progress: &Progress);
    /// A stage of the present check is over.
    fn covered(&self, coverage: &Coverage, steps: u64);
    /// The present check saves itself, and goes on.
    fn checkpoint(&self, saved: &Saved);
    /// The present check has found a failure.
    fn failed(&self, failure: &Failure);
    /// The watchdog says that a task is stuck.
    fn stuck(&self, words: &str);
    /// The program needs what only the real world has, and cannot be explored. Does not return.
    fn outside(&self, what: &str) -> !;
    /// A check that the program makes itself is over.
    fn checked(&self, coverage: &Coverage, steps: u64, failure: Option<&Failure>);
    /// How long checks that have no limit of their own may still take.
    fn time_left(&self) -> Option<Duration>;
    /// Whether the heap is judged in checks that do not say.
    fn heap(&self) -> Heap;
    /// How long a task may compute without an operation before [`stuck`](Observer::stuck) is called.
    fn patience(&self) -> Duration;
}

static OBSERVER: OnceLock<&'static dyn Observer> = OnceLock::new();

/// From now on `observer` receives the events of all checks.
///
/// # Panics
/// If there is one already.
pub fn set(observer: &'static dyn Observer) {
    assert!(OBSERVER.set(observer).is_ok(), "raddle: a process has one observer");
}

/// Says that the program is about to do `what`, for which it needs the real world. Returns if the real world is where it
/// is.
pub fn outside(what: &str) {
    if raddle_native::outside::is_taken_over()
        && let Some(observer) = get()
    {
        observer.outside(what);
    }
}

/// The observer of this process.
pub(crate) fn get() -> Option<&'static dyn Observer> {
    OBSERVER.get().copied()
}
