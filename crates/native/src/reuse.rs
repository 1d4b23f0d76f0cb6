//! Freed memory is held back until its execution ends, unless that matters.
//!
//! A search assumes that no comparison meets an address that was freed. An execution in which a compare-exchange expects the
//! address of a freed block refutes that: had the block been used again, it could have succeeded (the ABA problem). The search
//! restarts, and each execution begins with a choice of the allocator: freed blocks are held back, or used again at once, the
//! last one first or the first one first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether executions use freed memory again. All clones share what is learned.
#[derive(Clone, Debug, Default)]
pub struct Reuse {
    is_explored: Arc<AtomicBool>,
    is_found: Arc<AtomicBool>,
}

impl Reuse {
    /// It is explored from the beginning.
    #[must_use]
    pub fn explored() -> Reuse {
        let reuse = Reuse::default();
        reuse.is_explored.store(true, Ordering::Relaxed);
        reuse
    }
    /// A copy that no longer shares what is learned.
    #[must_use]
    pub fn fork(&self) -> Reuse {
        if self.is_explored() { Reuse::explored() } else { Reuse::default() }
    }
    /// Whether some executions use freed memory again at once.
    pub fn is_explored(&self) -> bool {
        self.is_explored.load(Ordering::Relaxed)
    }
    /// It matters.
    pub(crate) fn refute(&self) {
        self.is_found.store(true, Ordering::Relaxed);
    }
    /// Whether it is not explored, and matters.
    pub fn is_refuted(&self) -> bool {
        !self.is_explored() && self.is_found.load(Ordering::Relaxed)
    }
    /// Explores it if it matters. Says whether that is new.
    pub fn learn(&self) -> bool {
        let is_new = self.is_refuted();
        if is_new {
            self.is_explored.store(true, Ordering::Relaxed);
        }
        is_new
    }
}
