//! The allocator of programs under test, and tracked values. Atomics are identified by their address:
//! [`Allocator`] reports freed memory to the execution, so that a new atomic at an old address is a new
//! object.
//!
//! The `raddle` crate installs it; a program with its own global allocator wraps that one instead.

use crate::runtime::context;
use crate::runtime::execution::Execution;
use crate::runtime::memory::stale_addresses;
use raddle_core::verdict::{Defect, FailureKind};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

/// A global allocator that reports freed memory to executions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator<A = System>(A);

impl Allocator {
    /// On top of the system's allocator.
    pub const fn system() -> Allocator {
        Allocator(System)
    }
}

impl<A> Allocator<A> {
    /// On top of another allocator.
    pub const fn on(inner: A) -> Allocator<A> {
        Allocator(inner)
    }
}

/// Reports that this memory is freed or reused.
#[inline]
pub(crate) fn forget(from: *mut u8, size: usize) {
    stale_addresses::forget(from as usize, size);
    if let Some(current) = context::current() {
        current.with(|e| {
            e.addresses.forget(from as usize, size);
            e.races.forget(from as usize, size);
        });
    }
}

// SAFETY: all memory comes from the allocator inside, which keeps the contract.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        #[cfg(feature = "arena")]
        if crate::arena::is_for_the_program()
            && let Some(block) = crate::program_memory::allocate(layout)
        {
            return block;
        }
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.alloc(layout) }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        #[cfg(feature = "arena")]
        if crate::arena::is_for_the_program()
            && let Some(block) = crate::program_memory::allocate(layout)
        {
            // SAFETY: a block of this size.
            unsafe { block.write_bytes(0, layout.size()) };
            return block;
        }
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.alloc_zeroed(layout) }
    }
    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        forget(ptr, layout.size());
        #[cfg(feature = "arena")]
        if crate::arena::contains(ptr) {
            // SAFETY: the caller keeps the contract.
            return unsafe { crate::program_memory::free(ptr, layout) };
        }
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.dealloc(ptr, layout) }
    }
    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        #[cfg(feature = "arena")]
        if crate::arena::contains(ptr) || crate::arena::is_for_the_program() {
            // SAFETY: the caller keeps the contract.
            return unsafe { crate::program_memory::reallocate(self, ptr, layout, new_size) };
        }
        forget(ptr, layout.size());
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
        let number = context::current().map_or(0, |current| {
            current.with(|e| {
                e.next_tracked += 1;
                e.tracked.push((e.next_tracked, std::any::type_name::<T>(), place));
                e.next_tracked
            })
        });
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
            current.with(|e| e.tracked.retain(|(n, _, _)| *n != self.number));
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

impl Execution {
    /// The tracked values that were not dropped.
    pub(crate) fn leak(&self) -> Option<Defect> {
        // A detached task that is still alive keeps its values, as at the exit of a process.
        let (_, first, _) = self.tracked.first().filter(|_| self.fibers == 0)?;
        let message = match self.tracked.len() {
            1 => format!("a tracked {first} was never dropped"),
            n => format!("{n} tracked values were never dropped, the first of them a {first}"),
        };
        let mut defect = Defect::new(FailureKind::Leak, message);
        for (_, name, place) in self.tracked.iter().take(10) {
            defect = defect.note(format!("this {name} was made here"), Some((*place).into()));
        }
        Some(defect)
    }
}
