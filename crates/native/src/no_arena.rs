//! Replaces the arena on systems without one: see `arena.rs`.

use crate::runtime::heap::Heap;

/// Nothing.
pub(crate) struct Own;

/// The runtime allocates for itself.
#[inline(always)]
pub(crate) fn own() -> Own {
    Own
}

/// Nothing.
pub(crate) struct Lease;

impl Lease {
    #[inline(always)]
    pub fn new(_: bool) -> Lease {
        Lease
    }
    /// An execution begins.
    #[inline(always)]
    pub fn begin(&mut self) {}
    /// An execution is over.
    #[inline(always)]
    pub fn end(&mut self, _: &Heap) {}
}

/// Whether memory is used for something else in the next execution.
#[inline(always)]
pub(crate) fn begins_anew(_: usize) -> bool {
    false
}

/// There is none.
#[inline(always)]
pub(crate) fn region() -> Option<std::ops::Range<usize>> {
    None
}
