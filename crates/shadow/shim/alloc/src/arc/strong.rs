//! `Arc`.

use super::Weak;
use core::any::Any;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::pin::Pin;
use core::ptr;
use raddle::sync::counts::{What, begin_drop, end_drop, turn_of};
use real::sync::Arc as Real;

/// See [`alloc::sync::Arc`](real::sync::Arc).
#[repr(transparent)]
pub struct Arc<T: ?Sized>(pub(super) Real<T>, Dropped);

/// Is dropped right after the real one.
pub(super) struct Dropped;

impl Drop for Dropped {
    fn drop(&mut self) {
        end_drop();
    }
}

/// The identity of a count: an address in front of the value, which no other object has.
pub(super) fn key<T: ?Sized>(value: *const T) -> usize {
    value.cast::<u8>() as usize - 16
}

impl<T: ?Sized> Arc<T> {
    pub(super) fn of(real: Real<T>) -> Arc<T> {
        Arc(real, Dropped)
    }
    /// The real one. The caller is responsible for the count.
    pub(super) fn real(self) -> Real<T> {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again.
        unsafe { ptr::read(&this.0) }
    }
    #[track_caller]
    pub(super) fn turn(&self, what: What) {
        let name = core::any::type_name::<T>();
        turn_of(name, what, key(Real::as_ptr(&self.0)), || Real::strong_count(&self.0));
    }
}

impl<T> Arc<T> {
    #[inline]
    pub fn new(value: T) -> Arc<T> {
        Arc::of(Real::new(value))
    }
    pub fn new_cyclic<F: FnOnce(&Weak<T>) -> T>(make: F) -> Arc<T> {
        Arc::of(Real::new_cyclic(|weak| {
            // SAFETY: the same layout, and only borrowed.
            make(unsafe { &*ptr::from_ref(weak).cast::<Weak<T>>() })
        }))
    }
    pub fn new_uninit() -> Arc<MaybeUninit<T>> {
        Arc::of(Real::new_uninit())
    }
    pub fn new_zeroed() -> Arc<MaybeUninit<T>> {
        Arc::of(Real::new_zeroed())
    }
    pub fn pin(value: T) -> Pin<Arc<T>> {
        // SAFETY: what is in an `Arc` does not move.
        unsafe { Pin::new_unchecked(Arc::new(value)) }
    }
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        this.turn(What::TryUnwrap);
        Real::try_unwrap(this.real()).map_err(Arc::of)
    }
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        this.turn(What::IntoInner);
        Real::into_inner(this.real())
    }
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T
    where
        T: Clone,
    {
        Arc::try_unwrap(this).unwrap_or_else(|arc| (*arc).clone())
    }
}

impl<T> Arc<[T]> {
    pub fn new_uninit_slice(length: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::of(Real::new_uninit_slice(length))
    }
    pub fn new_zeroed_slice(length: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::of(Real::new_zeroed_slice(length))
    }
}

impl<T> Arc<MaybeUninit<T>> {
    /// # Safety
    /// As the real one.
    pub unsafe fn assume_init(self) -> Arc<T> {
        // SAFETY: the caller's.
        Arc::of(unsafe { self.real().assume_init() })
    }
}

impl<T> Arc<[MaybeUninit<T>]> {
    /// # Safety
    /// As the real one.
    pub unsafe fn assume_init(self) -> Arc<[T]> {
        // SAFETY: the caller's.
        Arc::of(unsafe { self.real().assume_init() })
    }
}

impl<T: ?Sized> Arc<T> {
    pub fn into_raw(this: Arc<T>) -> *const T {
        Real::into_raw(this.real())
    }
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        Real::as_ptr(&this.0)
    }
    /// # Safety
    /// As the real one.
    pub unsafe fn from_raw(value: *const T) -> Arc<T> {
        // SAFETY: the caller's.
        Arc::of(unsafe { Real::from_raw(value) })
    }
    /// # Safety
    /// As the real one.
    #[track_caller]
    pub unsafe fn increment_strong_count(value: *const T) {
        // SAFETY: the caller's.
        let this = ManuallyDrop::new(unsafe { Arc::from_raw(value) });
        core::mem::forget(Arc::clone(&this));
    }
    /// # Safety
    /// As the real one.
    #[track_caller]
    pub unsafe fn decrement_strong_count(value: *const T) {
        // SAFETY: the caller's.
        drop(unsafe { Arc::from_raw(value) });
    }
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        this.turn(What::Downgrade);
        Weak::of(Real::downgrade(&this.0))
    }
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        this.turn(What::Count);
        Real::strong_count(&this.0)
    }
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        this.turn(What::Count);
        Real::weak_count(&this.0)
    }
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        Real::ptr_eq(&this.0, &other.0)
    }
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        this.turn(What::GetMut);
        Real::get_mut(&mut this.0)
    }
}

impl<T: ?Sized + core::clone::CloneToUninit> Arc<T> {
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T {
        this.turn(What::GetMut);
        Real::make_mut(&mut this.0)
    }
}

impl Arc<dyn Any + Send + Sync> {
    pub fn downcast<T: Any + Send + Sync>(self) -> Result<Arc<T>, Arc<dyn Any + Send + Sync>> {
        self.real().downcast::<T>().map(Arc::of).map_err(Arc::of)
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Arc<T> {
        self.turn(What::Clone);
        Arc::of(Real::clone(&self.0))
    }
}

// SAFETY: the value itself is not looked at.
unsafe impl<#[may_dangle] T: ?Sized> Drop for Arc<T> {
    #[track_caller]
    fn drop(&mut self) {
        self.turn(What::Drop);
        begin_drop(key(Real::as_ptr(&self.0)), Real::strong_count(&self.0) == 1);
        // Then the real one is dropped, and `Dropped` after it.
    }
}
