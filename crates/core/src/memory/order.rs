//! Memory orderings as facts, and which are stronger.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::Ordering;

/// A memory ordering.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// `Relaxed`.
    Relaxed,
    /// `Acquire`.
    Acquire,
    /// `Release`.
    Release,
    /// `AcqRel`.
    AcqRel,
    /// `SeqCst`.
    SeqCst,
}

impl Order {
    /// As the compiler has it.
    pub fn ordering(self) -> Ordering {
        match self {
            Order::Relaxed => Ordering::Relaxed,
            Order::Acquire => Ordering::Acquire,
            Order::Release => Ordering::Release,
            Order::AcqRel => Ordering::AcqRel,
            Order::SeqCst => Ordering::SeqCst,
        }
    }
    /// The least that is as strong as both.
    #[must_use]
    pub fn join(self, other: Order) -> Order {
        match (self, other) {
            (Order::SeqCst, _) | (_, Order::SeqCst) => Order::SeqCst,
            (one, other) => Order::of(one.acquires() || other.acquires(), one.releases() || other.releases()),
        }
    }
    fn of(acquires: bool, releases: bool) -> Order {
        match (acquires, releases) {
            (true, true) => Order::AcqRel,
            (true, false) => Order::Acquire,
            (false, true) => Order::Release,
            (false, false) => Order::Relaxed,
        }
    }
    /// What a load can have of it.
    #[must_use]
    pub fn of_load(self) -> Order {
        if self == Order::SeqCst { self } else { Order::of(self.acquires(), false) }
    }
    /// What a store can have of it.
    #[must_use]
    pub fn of_store(self) -> Order {
        if self == Order::SeqCst { self } else { Order::of(false, self.releases()) }
    }
    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }
    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
    /// What it costs: an acquire or a release 1, `SeqCst` more than both.
    pub(super) fn cost(self) -> u32 {
        match self {
            Order::SeqCst => 4,
            other => other.acquires() as u32 + other.releases() as u32,
        }
    }
}

impl From<Ordering> for Order {
    fn from(ordering: Ordering) -> Order {
        match ordering {
            Ordering::Relaxed => Order::Relaxed,
            Ordering::Acquire => Order::Acquire,
            Ordering::Release => Order::Release,
            Ordering::AcqRel => Order::AcqRel,
            _ => Order::SeqCst,
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
