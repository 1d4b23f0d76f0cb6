//! `std::cell`, with an `UnsafeCell` that detects data races. Accesses through [`UnsafeCell::with`] and
//! [`UnsafeCell::with_mut`] are no steps and cost a search nothing: vector clocks detect a pair without
//! happens-before in any order of the two.

use crate::runtime::context::{self, Current};
use crate::runtime::judge::race::{CellAccess, CellPlace};
use crate::runtime::memory::overlay::here;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::panic::Location;

pub use std::cell::{BorrowError, BorrowMutError, Cell, LazyCell, OnceCell, Ref, RefCell, RefMut};

/// See [`std::cell::UnsafeCell`]. It has the same layout.
///
/// Inside an exploration, [`with`](UnsafeCell::with) and [`with_mut`](UnsafeCell::with_mut) check that
/// accesses by different tasks are ordered by happens-before: through locks, atomics with their declared
/// orderings, spawn and join, messages. If they are not, the execution fails with a data race that names both
/// locations. Pointers from [`get`](UnsafeCell::get) are not tracked, and cells on the heap are judged only in programs with
/// [`Allocator`](crate::alloc::Allocator).
///
/// Where loom has `get()` and `get_mut()` that return guards (`ConstPtr`, `MutPtr`), use `with` and
/// `with_mut` and keep the pointer inside the closure. A zero-sized value has no memory to race for: a cell
/// that represents other memory must hold at least a byte.
///
/// ```
/// # use raddle_native as raddle;
/// use raddle::cell::UnsafeCell;
/// let cell = UnsafeCell::new(1);
/// // SAFETY: no other task has the cell.
/// cell.with_mut(|value| unsafe { *value += 1 });
/// assert_eq!(cell.with(|value| unsafe { *value }), 2);
/// ```
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    /// See [`std::cell::UnsafeCell::new`].
    #[inline(always)]
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// See [`std::cell::UnsafeCell::into_inner`].
    #[inline(always)]
    pub const fn into_inner(self) -> T {
        // A const function cannot move it out of a field.
        // SAFETY: the original is forgotten.
        let inner = unsafe { std::ptr::read(&raw const self.0) };
        std::mem::forget(self);
        inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// See [`std::cell::UnsafeCell::from_mut`].
    #[inline(always)]
    pub const fn from_mut(value: &mut T) -> &mut UnsafeCell<T> {
        // SAFETY: the layouts are the same, and the exclusive borrow goes on.
        unsafe { &mut *(value as *mut T as *mut UnsafeCell<T>) }
    }

    /// See [`std::cell::UnsafeCell::get`]. Accesses through the pointer are not tracked: use
    /// [`with`](UnsafeCell::with) and [`with_mut`](UnsafeCell::with_mut) for that.
    ///
    /// Unlike std's, this is no const function: the value of a static belongs to the execution.
    #[inline]
    pub fn get(&self) -> *mut T {
        here(self).0.get()
    }

    /// See [`std::cell::UnsafeCell::get_mut`].
    #[inline(always)]
    pub const fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// See [`std::cell::UnsafeCell::raw_get`]. Not tracked, and for a static it is the program's own value,
    /// not the execution's.
    #[inline(always)]
    pub const fn raw_get(this: *const UnsafeCell<T>) -> *mut T {
        this as *const T as *mut T
    }

    /// Reads the value: the pointer must not be used after the closure returns.
    #[inline]
    #[track_caller]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        let this = here(self);
        let _access = this.access(CellAccess::Read, Location::caller());
        f(this.0.get())
    }

    /// Reads and writes the value: the pointer must not be used after the closure returns, and it must be the
    /// only one in use.
    #[inline]
    #[track_caller]
    pub fn with_mut<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        let this = here(self);
        let _access = this.access(CellAccess::Write, Location::caller());
        f(this.0.get())
    }

    /// Its object in the present execution; none if it is zero-sized, or not judged.
    #[track_caller]
    pub(crate) fn object(&self, current: Current) -> Option<ObjectId> {
        let size = size_of_val(self);
        if size == 0 {
            return None;
        }
        let is_sized = size_of::<&T>() == size_of::<usize>();
        let holds = is_sized.then(std::any::type_name::<T>);
        let address = self as *const UnsafeCell<T> as *const u8 as usize;
        match current.with(|e| e.cell_object(CellPlace { address, size, holds })) {
            Ok(object) => object,
            Err(defect) => current.misuse(defect),
        }
    }

    #[track_caller]
    fn access(&self, how: CellAccess, place: &'static Location<'static>) -> Option<Access> {
        let current = context::current()?;
        if current.with(|e| e.is_teardown()) {
            return None;
        }
        let cell = self.object(current)?;
        match current.with(|e| e.begin_access(cell, how, place)) {
            Ok(()) => Some(Access { current, cell, how }),
            Err(defect) => current.fail(defect),
        }
    }
}

/// An access that lasts until this is dropped, also by a panic.
struct Access {
    current: Current,
    cell: ObjectId,
    how: CellAccess,
}

impl Drop for Access {
    #[inline]
    fn drop(&mut self) {
        self.current.with(|e| e.end_access(self.cell, self.how));
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    fn default() -> UnsafeCell<T> {
        UnsafeCell::new(T::default())
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}
