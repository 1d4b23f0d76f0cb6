//! `AtomicPtr`. Reports number pointers in the order in which they appear: addresses differ from run to run.

use super::cell::{Bits, FETCH_AND, FETCH_OR, FETCH_XOR, SWAP, Strength};
use super::shared::{fetch, shared};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::log::Shape;
use crate::runtime::operation::Verb;
use crate::runtime::overlay::here;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::sync::atomic::{self as real, Ordering};

static FETCH_PTR_ADD: Verb = Verb::write("fetch_ptr_add");
static FETCH_PTR_SUB: Verb = Verb::write("fetch_ptr_sub");
static FETCH_BYTE_ADD: Verb = Verb::write("fetch_byte_add");
static FETCH_BYTE_SUB: Verb = Verb::write("fetch_byte_sub");

impl<T> Bits for *mut T {
    const SHAPE: Shape = Shape::Pointer;
    #[inline]
    fn bits(self) -> u64 {
        self.addr() as u64
    }
}

/// See [`std::sync::atomic::AtomicPtr`].
#[repr(transparent)]
pub struct AtomicPtr<T>(real::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    /// See std's `new`.
    #[inline]
    pub const fn new(pointer: *mut T) -> AtomicPtr<T> {
        AtomicPtr(real::AtomicPtr::new(pointer))
    }
    shared!(AtomicPtr, *mut T);
    fetch!(fetch_ptr_add, FETCH_PTR_ADD, usize, *mut T, |old, count| old.wrapping_add(count));
    fetch!(fetch_ptr_sub, FETCH_PTR_SUB, usize, *mut T, |old, count| old.wrapping_sub(count));
    fetch!(fetch_byte_add, FETCH_BYTE_ADD, usize, *mut T, |old, bytes| old.wrapping_byte_add(bytes));
    fetch!(fetch_byte_sub, FETCH_BYTE_SUB, usize, *mut T, |old, bytes| old.wrapping_byte_sub(bytes));
    fetch!(fetch_or, FETCH_OR, usize, *mut T, |old, bits| old.map_addr(|a| a | bits));
    fetch!(fetch_and, FETCH_AND, usize, *mut T, |old, bits| old.map_addr(|a| a & bits));
    fetch!(fetch_xor, FETCH_XOR, usize, *mut T, |old, bits| old.map_addr(|a| a ^ bits));
}

impl<T> Labelled for AtomicPtr<T> {}
impl<T> Sealed for AtomicPtr<T> {
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).cell().object(current))
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

impl<T> From<*mut T> for AtomicPtr<T> {
    #[inline]
    fn from(pointer: *mut T) -> AtomicPtr<T> {
        AtomicPtr::new(pointer)
    }
}

impl<T> fmt::Debug for AtomicPtr<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.load(Ordering::Relaxed), f)
    }
}
