//! `AtomicPtr`. Reports number pointers in the order of their appearance: addresses differ between runs. The
//! pointee does not matter to any operation, so all of them are those of a [pointer to bytes](Bytes), and
//! compiled once.

use super::cell::{
    Bits, FETCH_AND, FETCH_OR, FETCH_XOR, SWAP, Strength, update_kinds, weak_kind, weakly_writes,
};
use super::drop_notice::DropNotice;
use super::shared::{fetch, operations};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::log::Shape;
use crate::runtime::memory::overlay::here;
use crate::runtime::operation::OperationKind;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::sync::atomic::{self as real, Ordering};

update_kinds! {
    FETCH_PTR_ADD "fetch_ptr_add";
    FETCH_PTR_SUB "fetch_ptr_sub";
    FETCH_BYTE_ADD "fetch_byte_add";
    FETCH_BYTE_SUB "fetch_byte_sub";
}

impl Bits for *mut u8 {
    const SHAPE: Shape = Shape::Pointer;
    #[inline]
    fn bits(self) -> u64 {
        // Under a memory model the pointer that is read again is made of these bits.
        self.expose_provenance() as u64
    }
    #[inline]
    fn of(bits: u64) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

/// An atomic pointer to anything.
#[repr(transparent)]
struct Bytes(real::AtomicPtr<u8>);

impl Bytes {
    operations!(AtomicPtr, *mut u8);
    fetch!(fetch_ptr_add, FETCH_PTR_ADD, usize, *mut u8, |old, bytes| old.wrapping_byte_add(bytes));
    fetch!(fetch_ptr_sub, FETCH_PTR_SUB, usize, *mut u8, |old, bytes| old.wrapping_byte_sub(bytes));
    fetch!(fetch_byte_add, FETCH_BYTE_ADD, usize, *mut u8, |old, bytes| old.wrapping_byte_add(bytes));
    fetch!(fetch_byte_sub, FETCH_BYTE_SUB, usize, *mut u8, |old, bytes| old.wrapping_byte_sub(bytes));
    fetch!(fetch_or, FETCH_OR, usize, *mut u8, |old, bits| old.map_addr(|a| a | bits));
    fetch!(fetch_and, FETCH_AND, usize, *mut u8, |old, bits| old.map_addr(|a| a & bits));
    fetch!(fetch_xor, FETCH_XOR, usize, *mut u8, |old, bits| old.map_addr(|a| a ^ bits));
}

/// See [`std::sync::atomic::AtomicPtr`].
// The layout of std's: what stands behind the value takes no room.
#[repr(C)]
pub struct AtomicPtr<T>(real::AtomicPtr<T>, DropNotice<{ size_of::<usize>() }>);

/// A read-modify-write with a number, as std's method of that name.
macro_rules! fetch_with_number {
    ($($name:ident $unit:expr;)*) => {$(
        #[doc = concat!("See std's `", stringify!($name), "`.")]
        #[inline]
        #[track_caller]
        pub fn $name(&self, number: usize, order: Ordering) -> *mut T {
            self.bytes().$name(number.wrapping_mul($unit), order).cast()
        }
    )*};
}

impl<T> AtomicPtr<T> {
    /// See std's `new`.
    #[inline]
    pub const fn new(pointer: *mut T) -> AtomicPtr<T> {
        AtomicPtr(real::AtomicPtr::new(pointer), DropNotice)
    }
    /// See std's `from_ptr`.
    ///
    /// # Safety
    /// As std's.
    #[inline]
    pub const unsafe fn from_ptr<'a>(ptr: *mut *mut T) -> &'a AtomicPtr<T> {
        // SAFETY: the caller keeps std's contract, and the layouts are the same.
        unsafe { &*ptr.cast::<AtomicPtr<T>>() }
    }
    #[inline]
    fn bytes(&self) -> &Bytes {
        // SAFETY: both are a single atomic pointer.
        unsafe { &*(&raw const *self).cast::<Bytes>() }
    }
    /// See std's `get_mut`.
    #[inline]
    pub fn get_mut(&mut self) -> &mut *mut T {
        // SAFETY: the caller has the only reference to this atomic, and so to its overlay if it is a static.
        unsafe { &mut *here(self.bytes()).0.as_ptr().cast() }
    }
    /// See std's `into_inner`.
    #[inline]
    pub const fn into_inner(self) -> *mut T {
        let this = std::mem::ManuallyDrop::new(self);
        // A const function cannot move it out of a field.
        // SAFETY: an atomic has the layout of its value.
        unsafe { std::mem::transmute_copy(&this) }
    }
    /// See std's `as_ptr`. Explorations do not track accesses through the pointer, and for a static it points
    /// to the value outside of them.
    #[inline]
    pub const fn as_ptr(&self) -> *mut *mut T {
        self.0.as_ptr()
    }
    /// See std's `load`.
    #[inline]
    #[track_caller]
    pub fn load(&self, order: Ordering) -> *mut T {
        self.bytes().load(order).cast()
    }
    /// See std's `store`.
    #[inline]
    #[track_caller]
    pub fn store(&self, pointer: *mut T, order: Ordering) {
        self.bytes().store(pointer.cast(), order);
    }
    /// See std's `swap`.
    #[inline]
    #[track_caller]
    pub fn swap(&self, pointer: *mut T, order: Ordering) -> *mut T {
        self.bytes().swap(pointer.cast(), order).cast()
    }
    /// See std's `compare_and_swap`.
    #[inline]
    #[track_caller]
    #[deprecated(since = "1.50.0", note = "Use `compare_exchange` or `compare_exchange_weak` instead")]
    #[allow(deprecated)]
    pub fn compare_and_swap(&self, current: *mut T, new: *mut T, order: Ordering) -> *mut T {
        self.bytes().compare_and_swap(current.cast(), new.cast(), order).cast()
    }
    /// See std's `compare_exchange`.
    #[inline]
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        of_this_type(self.bytes().compare_exchange(current.cast(), new.cast(), success, failure))
    }
    /// See std's `compare_exchange_weak`.
    #[inline]
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        of_this_type(self.bytes().compare_exchange_weak(current.cast(), new.cast(), success, failure))
    }
    /// See std's `fetch_update`.
    #[inline]
    #[track_caller]
    pub fn fetch_update<F>(&self, set_order: Ordering, fetch_order: Ordering, f: F) -> Result<*mut T, *mut T>
    where
        F: FnMut(*mut T) -> Option<*mut T>,
    {
        self.try_update(set_order, fetch_order, f)
    }
    /// See std's `try_update`.
    #[inline]
    #[track_caller]
    pub fn try_update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut f: impl FnMut(*mut T) -> Option<*mut T>,
    ) -> Result<*mut T, *mut T> {
        let f = |seen: *mut u8| f(seen.cast()).map(<*mut T>::cast);
        of_this_type(self.bytes().try_update(set_order, fetch_order, f))
    }
    /// See std's `update`.
    #[inline]
    #[track_caller]
    pub fn update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut f: impl FnMut(*mut T) -> *mut T,
    ) -> *mut T {
        self.bytes().update(set_order, fetch_order, |seen| f(seen.cast()).cast()).cast()
    }
    fetch_with_number! {
        fetch_ptr_add size_of::<T>();
        fetch_ptr_sub size_of::<T>();
        fetch_byte_add 1;
        fetch_byte_sub 1;
        fetch_or 1;
        fetch_and 1;
        fetch_xor 1;
    }
}

#[inline]
fn of_this_type<T>(result: Result<*mut u8, *mut u8>) -> Result<*mut T, *mut T> {
    match result {
        Ok(pointer) => Ok(pointer.cast()),
        Err(pointer) => Err(pointer.cast()),
    }
}

impl<T> Labelled for AtomicPtr<T> {}
impl<T> Sealed for AtomicPtr<T> {
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self.bytes()).cell().object(current))
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
