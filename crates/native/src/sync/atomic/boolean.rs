//! `AtomicBool`.

use super::cell::{Bits, FETCH_AND, FETCH_NAND, FETCH_NOT, FETCH_OR, FETCH_XOR, SWAP, Strength};
use super::drop_notice::DropNotice;
use super::shared::{fetch, operations, shared};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::log::Shape;
use crate::runtime::memory::overlay::here;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::sync::atomic::{self as real, Ordering};

impl Bits for bool {
    const SHAPE: Shape = Shape::Bool;
    #[inline]
    fn bits(self) -> u64 {
        self as u64
    }
    #[inline]
    fn of(bits: u64) -> bool {
        bits != 0
    }
}

/// See [`std::sync::atomic::AtomicBool`].
// The layout of std's: what stands behind the value takes no room.
#[repr(C)]
pub struct AtomicBool(real::AtomicBool, DropNotice<1>);

impl AtomicBool {
    /// See std's `new`.
    #[inline]
    #[must_use]
    pub const fn new(value: bool) -> AtomicBool {
        AtomicBool(real::AtomicBool::new(value), DropNotice)
    }
    shared!(AtomicBool, bool);
    fetch!(fetch_and, FETCH_AND, bool, bool, |old, value| old & value);
    fetch!(fetch_nand, FETCH_NAND, bool, bool, |old, value| !(old & value));
    fetch!(fetch_or, FETCH_OR, bool, bool, |old, value| old | value);
    fetch!(fetch_xor, FETCH_XOR, bool, bool, |old, value| old ^ value);

    /// See std's `fetch_not`.
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        let this = here(self);
        let explored = this.cell().update(&FETCH_NOT, 0, order, |old: bool| !old);
        explored.unwrap_or_else(|| this.0.fetch_not(order))
    }
}

impl Labelled for AtomicBool {}
impl Sealed for AtomicBool {
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).cell().object(current))
    }
}

impl Default for AtomicBool {
    #[inline]
    fn default() -> AtomicBool {
        AtomicBool::new(false)
    }
}

impl From<bool> for AtomicBool {
    #[inline]
    fn from(value: bool) -> AtomicBool {
        AtomicBool::new(value)
    }
}

impl fmt::Debug for AtomicBool {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
    }
}

/// See [`std::sync::atomic::AtomicBool`].
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);
