//! Who an object is in the execution that touched it last: a word that lives inside of the primitive.
//!
//! Invariant: a word that names an execution was written by that execution, so that an object of another execution, or of
//! threads outside of any, is recognised. Atomics have no room for such a word and are found by address.

use raddle_core::operation::ObjectId;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who an object is in the execution that touched it last. Lives inside the object.
pub(crate) struct Identity(AtomicU64);

/// The bits of an [`Identity`] that hold the object's number; the others hold the execution's serial.
const NUMBER_BITS: u32 = 24;
const OUTSIDE: u64 = u64::MAX;

/// What an [`Identity`] says about its object in the present execution.
pub(crate) enum Known {
    /// Touched before in this execution.
    Here(ObjectId),
    /// Not touched yet.
    New,
    /// Touched by another execution.
    Elsewhere,
    /// Used by threads outside any execution.
    Outside,
}

impl Identity {
    pub const fn new() -> Identity {
        Identity(AtomicU64::new(0))
    }
    #[inline]
    pub fn lookup(&self, serial: u64) -> Known {
        let word = self.0.load(Ordering::Relaxed);
        if word >> NUMBER_BITS == serial {
            Known::Here(ObjectId((word & ((1 << NUMBER_BITS) - 1)) as u32))
        } else if word == 0 {
            Known::New
        } else if word == OUTSIDE {
            Known::Outside
        } else {
            Known::Elsewhere
        }
    }
    pub fn settle(&self, serial: u64, object: ObjectId) {
        assert!(
            object.0 < 1 << NUMBER_BITS,
            "raddle: more than {} objects in one execution",
            1 << NUMBER_BITS
        );
        self.0.store(serial << NUMBER_BITS | object.0 as u64, Ordering::Relaxed);
    }
    /// The object is used outside any execution.
    #[inline]
    pub fn used_outside(&self) {
        if self.0.load(Ordering::Relaxed) != OUTSIDE {
            self.0.store(OUTSIDE, Ordering::Relaxed);
        }
    }
}

impl Default for Identity {
    fn default() -> Identity {
        Identity::new()
    }
}
