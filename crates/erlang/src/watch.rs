//! Ends an execution from outside, also in the middle of a step: Ctrl-C, and the limit of memory. The interpreter looks at
//! it every few thousand instructions, and the world at every step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Shared by the interpreters of a search and the thread that watches it.
#[derive(Clone, Debug, Default)]
pub struct Watch(Arc<AtomicU8>);

/// Why executions end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The user interrupted the search.
    Interrupted,
    /// The process takes more memory than allowed.
    Memory,
}

impl Watch {
    /// Ends all executions.
    pub fn halt(&self, why: Halt) {
        let word = match why {
            Halt::Interrupted => 1,
            Halt::Memory => 2,
        };
        // The first reason stays.
        let _ = self.0.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
    }
    /// Why executions end, if they do.
    #[inline]
    pub fn halted(&self) -> Option<Halt> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Halt::Interrupted),
            _ => Some(Halt::Memory),
        }
    }
}
