//! An allocator for programs under test, and tracked values. Cells and atomics are identified by their address:
//! [`Allocator`] reports freed memory to the execution, so that what is new at an old address is a new object.
//!
//! It is for the program to install it, alone or on top of its own. Without it, cells on the heap are not judged for
//! data races, and the coverage says so.

#[cfg(all(feature = "heap", not(feature = "arena")))]
use crate::program_memory::ProgramMemory;
// There the program's memory is part of its execution, and what installs this is one of its allocators.
#[cfg(feature = "arena")]
use crate::program_memory::SystemMemory as System;
use crate::runtime::context;
use crate::runtime::memory::stale_addresses;
#[cfg(not(feature = "arena"))]
use std::alloc::System;
use std::alloc::{GlobalAlloc, Layout};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// What is below the allocator: in the library the judge of the heap, which reports freed memory itself, on top of the one that
/// was asked for.
#[cfg(all(feature = "heap", not(feature = "arena")))]
type Below<A> = ProgramMemory<A>;
#[cfg(all(feature = "heap", not(feature = "arena")))]
const fn below<A>(inner: A) -> Below<A> {
    ProgramMemory::on(inner)
}
#[cfg(any(not(feature = "heap"), feature = "arena"))]
type Below<A> = A;
#[cfg(any(not(feature = "heap"), feature = "arena"))]
const fn below<A>(inner: A) -> Below<A> {
    inner
}
/// Whether freed memory is not reported below.
const REPORTS: bool = cfg!(any(not(feature = "heap"), feature = "arena"));

/// A global allocator that reports freed memory to executions.
///
/// ```
/// # use raddle_native as raddle;
/// use raddle::alloc::Allocator;
///
/// #[global_allocator]
/// static ALLOCATOR: Allocator = Allocator::new();
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator<A = System>(Below<A>);

impl Allocator {
    /// On top of the system's allocator.
    pub const fn new() -> Allocator {
        Allocator::on(System)
    }
}

impl<A> Allocator<A> {
    /// On top of another allocator. It is not asked for the blocks of executions whose heap is judged.
    pub const fn on(inner: A) -> Allocator<A> {
        Allocator(below(inner))
    }
}

/// Reports that this memory is freed or reused.
#[inline]
pub(crate) fn forget(from: usize, size: usize) {
    stale_addresses::forget(from, size);
    if let Some(current) = context::current() {
        current.with(|e| e.forget(from, size));
    }
}

/// Whether the global allocator of the program is [`Allocator`], or one on top of it.
#[doc(hidden)]
pub fn is_installed() -> bool {
    stale_addresses::hears_what_is_freed()
}

// SAFETY: all memory comes from the allocator below, which keeps the contract.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.alloc(layout) }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.alloc_zeroed(layout) }
    }
    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        if REPORTS {
            forget(ptr as usize, layout.size());
        }
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.dealloc(ptr, layout) }
    }
    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if REPORTS {
            forget(ptr as usize, layout.size());
        }
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.realloc(ptr, layout, new_size) }
    }
}

/// A value that must be dropped before its execution is over; if it is not, the execution fails with a leak.
///
/// ```
/// use raddle_native::alloc::Track;
/// let node = std::sync::Arc::new(Track::new("a node"));
/// assert_eq!(node.len(), 6);
/// ```
pub struct Track<T> {
    /// Taken by `into_inner` only.
    value: Option<T>,
    /// Its number in the execution that created it; 0 outside.
    number: u64,
}

impl<T> Track<T> {
    /// Tracks `value` from here on.
    #[track_caller]
    pub fn new(value: T) -> Track<T> {
        let place = Location::caller();
        let number = context::current()
            .map_or(0, |current| current.with(|e| e.track(std::any::type_name::<T>(), place)));
        Track { value: Some(value), number }
    }

    /// The value, no longer tracked.
    pub fn into_inner(mut self) -> T {
        self.value.take().expect("only taken here")
    }
}

impl<T> Drop for Track<T> {
    fn drop(&mut self) {
        if let Some(current) = context::current() {
            current.with(|e| e.untrack(self.number));
        }
    }
}

impl<T> Deref for Track<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.value.as_ref().expect("only taken by into_inner")
    }
}

impl<T> DerefMut for Track<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("only taken by into_inner")
    }
}

impl<T: fmt::Debug> fmt::Debug for Track<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
