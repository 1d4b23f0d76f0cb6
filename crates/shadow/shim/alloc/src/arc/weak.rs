//! `Weak`.

use super::Arc;
use super::strong::key;
use core::fmt;
use core::marker::Unsize;
use core::mem::ManuallyDrop;
use core::ops::{CoerceUnsized, DispatchFromDyn};
use core::ptr;
use raddle::sync::counts::{What, turn_of};
use real::sync::Weak as Real;

/// See [`alloc::sync::Weak`](real::sync::Weak).
#[repr(transparent)]
pub struct Weak<T: ?Sized>(Real<T>);

impl<T: ?Sized> Weak<T> {
    pub(super) fn of(real: Real<T>) -> Weak<T> {
        Weak(real)
    }
    fn real(self) -> Real<T> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again.
        unsafe { ptr::read(&this.0) }
    }
    #[track_caller]
    fn turn(&self, what: What) {
        // One that was never made from an `Arc` refers to nothing.
        if self.0.as_ptr().cast::<u8>() as usize != usize::MAX {
            let name = core::any::type_name::<T>();
            turn_of(name, what, key(self.0.as_ptr()), || Real::strong_count(&self.0));
        }
    }
}

impl<T> Weak<T> {
    pub const fn new() -> Weak<T> {
        Weak(Real::new())
    }
}

impl<T: ?Sized> Weak<T> {
    pub fn as_ptr(&self) -> *const T {
        self.0.as_ptr()
    }
    pub fn into_raw(self) -> *const T {
        self.real().into_raw()
    }
    /// # Safety
    /// As the real one.
    pub unsafe fn from_raw(value: *const T) -> Weak<T> {
        // SAFETY: the caller's.
        Weak::of(unsafe { Real::from_raw(value) })
    }
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.turn(What::Upgrade);
        self.0.upgrade().map(Arc::of)
    }
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        self.turn(What::Count);
        self.0.strong_count()
    }
    #[track_caller]
    pub fn weak_count(&self) -> usize {
        self.turn(What::Count);
        self.0.weak_count()
    }
    pub fn ptr_eq(&self, other: &Weak<T>) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    #[track_caller]
    fn clone(&self) -> Weak<T> {
        self.turn(What::Downgrade);
        Weak::of(Real::clone(&self.0))
    }
}

// SAFETY: the value itself is not looked at.
unsafe impl<#[may_dangle] T: ?Sized> Drop for Weak<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.turn(What::DropWeak);
        // Then the real one is dropped.
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}

// SAFETY: as the real one.
unsafe impl<T: ?Sized + Sync + Send> Send for Weak<T> {}
// SAFETY: as the real one.
unsafe impl<T: ?Sized + Sync + Send> Sync for Weak<T> {}
impl<T: ?Sized> Unpin for Weak<T> {}
impl<T: ?Sized + Unsize<U>, U: ?Sized> CoerceUnsized<Weak<U>> for Weak<T> {}
impl<T: ?Sized + Unsize<U>, U: ?Sized> DispatchFromDyn<Weak<U>> for Weak<T> {}
