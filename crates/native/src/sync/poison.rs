//! Poisoning, as std does it: a lock whose guard is dropped while its task panics, and that was not taken
//! while it panicked, is poisoned.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LockResult, PoisonError};

/// Whether a lock is poisoned. std's count of panics is the task's own, so `std::thread::panicking` is right.
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
    /// A guard is dropped that was taken while its task panicked or not.
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
