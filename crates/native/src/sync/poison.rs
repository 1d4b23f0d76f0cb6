//! Poisoning as in std: a lock is poisoned if its guard is dropped while its task panics, and was acquired
//! before the panic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, PoisonError};

/// Whether a lock is poisoned. std's panic count is per task here, so `std::thread::panicking` is right.
pub(crate) struct Poison(AtomicBool);

impl Poison {
    pub const fn new() -> Poison {
        Poison(AtomicBool::new(false))
    }
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
    /// A guard is dropped; `panicked_before` says whether its task was already panicking when it was
    /// acquired.
    #[inline]
    pub fn on_release(&self, panicked_before: bool) {
        if !panicked_before && std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    /// `value`, as an error if this is set.
    #[inline]
    pub fn wrap<T>(&self, value: T) -> LockResult<T> {
        if self.is_set() { Err(PoisonError::new(value)) } else { Ok(value) }
    }
}
