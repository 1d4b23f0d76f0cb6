//! Which memory model executions follow, where that depends on the orderings of the program: sequential consistency until an
//! execution shares an atomic between tasks and accesses it with an ordering weaker than `SeqCst`.
//!
//! Programs without such accesses have the same executions under RC11, so nothing is missed. What several tasks access, with
//! which orderings, is noted with each object (see [`Objects`](crate::runtime::objects::Objects)).

use raddle_core::check::Weaker;
use raddle_core::memory::Model;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Default)]
struct Known {
    is_weak: AtomicBool,
    is_found: AtomicBool,
    ends_search: AtomicBool,
    hides: AtomicBool,
}

/// The memory model that depends on the program. All clones share it.
#[derive(Clone, Debug, Default)]
pub struct AutoMemory(Arc<Known>);

impl AutoMemory {
    /// Executions follow this model from now on.
    pub(crate) fn follow(&self, model: Model, weaker: Weaker) {
        self.0.is_weak.store(model != Model::Sc, Ordering::Relaxed);
        self.0.ends_search.store(weaker == Weaker::EndsSearch, Ordering::Relaxed);
    }
    /// The model that executions follow now.
    pub(crate) fn model(&self) -> Model {
        if self.0.is_weak.load(Ordering::Relaxed) { Model::Rc11 } else { Model::Sc }
    }
    /// An ordering of an atomic that several tasks access is weaker than `SeqCst`.
    pub(crate) fn find(&self) {
        self.0.is_found.store(true, Ordering::Relaxed);
    }
    /// Whether one was found.
    pub(crate) fn is_found(&self) -> bool {
        self.0.is_found.load(Ordering::Relaxed)
    }
    /// Something orders accesses to atomics that is not under control: std's `Arc`, in a program that uses the library.
    #[cfg(not(feature = "arena"))]
    pub(crate) fn hide(&self) {
        self.0.hides.store(true, Ordering::Relaxed);
    }
    /// Whether something does.
    pub(crate) fn hides(&self) -> bool {
        self.0.hides.load(Ordering::Relaxed)
    }
    /// Whether the search ends because one was found.
    pub(crate) fn ends_search(&self) -> bool {
        self.is_found() && self.0.ends_search.load(Ordering::Relaxed)
    }
}
