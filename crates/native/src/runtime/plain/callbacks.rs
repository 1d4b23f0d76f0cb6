//! The functions that the compiler inserts calls of, for LLVM's ThreadSanitizer.
//!
//! Invariant: nothing here unwinds. A task that does something wrong is suspended for ever, as in the allocator: the execution
//! has failed, and is put away without it.

use super::{How, watch};
use crate::arena;
use crate::runtime::context::{self, Current};
use raddle_core::verdict::Defect;
use std::ffi::{c_int, c_void};

/// An access of the running thread.
#[inline(always)]
fn access(address: *const c_void, size: usize, how: How) {
    if !watch::skips(address as usize) {
        look_at(address as usize, size, how);
    }
}

#[inline(never)]
fn look_at(address: usize, size: usize, how: How) {
    if let Some(current) = looking()
        && let Some(defect) = current.with(|e| e.access_plain(address, size, how))
    {
        stop(current, defect);
    }
}

/// The execution of the running thread, if its accesses are looked at.
#[inline(always)]
pub(super) fn looking() -> Option<Current> {
    if arena::is_own() || watch::is_paused() { None } else { context::current() }
}

/// The task never goes on.
#[cold]
pub(super) fn stop(current: Current, defect: Defect) -> ! {
    current.with(|e| e.fail(defect));
    current.suspend_for_ever()
}

/// What a task does to memory in code that is not compiled with callbacks.
pub(crate) fn note(address: *const u8, size: usize, how: How) {
    if size > 0 {
        access(address.cast(), size, how);
    }
}

macro_rules! accesses {
    ($($name:ident $size:literal $how:ident;)*) => {$(
        /// See the module.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(address: *const c_void) {
            access(address, $size, How::$how);
        }
    )*};
}

accesses! {
    __tsan_read1 1 Read; __tsan_read2 2 Read; __tsan_read4 4 Read; __tsan_read8 8 Read; __tsan_read16 16 Read;
    __tsan_write1 1 Write; __tsan_write2 2 Write; __tsan_write4 4 Write; __tsan_write8 8 Write; __tsan_write16 16 Write;
    __tsan_unaligned_read2 2 Read; __tsan_unaligned_read4 4 Read; __tsan_unaligned_read8 8 Read;
    __tsan_unaligned_read16 16 Read;
    __tsan_unaligned_write2 2 Write; __tsan_unaligned_write4 4 Write; __tsan_unaligned_write8 8 Write;
    __tsan_unaligned_write16 16 Write;
    __tsan_volatile_read1 1 Read; __tsan_volatile_read2 2 Read; __tsan_volatile_read4 4 Read;
    __tsan_volatile_read8 8 Read; __tsan_volatile_read16 16 Read;
    __tsan_volatile_write1 1 Write; __tsan_volatile_write2 2 Write; __tsan_volatile_write4 4 Write;
    __tsan_volatile_write8 8 Write; __tsan_volatile_write16 16 Write;
    __tsan_unaligned_volatile_read2 2 Read; __tsan_unaligned_volatile_read4 4 Read;
    __tsan_unaligned_volatile_read8 8 Read; __tsan_unaligned_volatile_read16 16 Read;
    __tsan_unaligned_volatile_write2 2 Write; __tsan_unaligned_volatile_write4 4 Write;
    __tsan_unaligned_volatile_write8 8 Write; __tsan_unaligned_volatile_write16 16 Write;
    __tsan_read_write1 1 Write; __tsan_read_write2 2 Write; __tsan_read_write4 4 Write; __tsan_read_write8 8 Write;
    __tsan_read_write16 16 Write;
    __tsan_unaligned_read_write2 2 Write; __tsan_unaligned_read_write4 4 Write; __tsan_unaligned_read_write8 8 Write;
    __tsan_unaligned_read_write16 16 Write;
}

/// See the module.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_read_range(address: *const c_void, size: usize) {
    note(address.cast(), size, How::Read);
}

/// See the module.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_write_range(address: *const c_void, size: usize) {
    note(address.cast(), size, How::Write);
}

/// # Safety
/// As `memcpy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void {
    note(from.cast(), size, How::Read);
    note(to.cast(), size, How::Write);
    // SAFETY: the caller's.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), size) };
    to
}

/// # Safety
/// As `memmove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memmove(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void {
    note(from.cast(), size, How::Read);
    note(to.cast(), size, How::Write);
    // SAFETY: the caller's.
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), size) };
    to
}

/// # Safety
/// As `memset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void {
    note(to.cast(), size, How::Write);
    // SAFETY: the caller's.
    unsafe { std::ptr::write_bytes(to.cast::<u8>(), byte as u8, size) };
    to
}

macro_rules! nothing {
    ($($name:ident($($argument:ident: $of:ty),*);)*) => {$(
        /// Needs nothing: stacks are unwound where they are wanted.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $of),*) {
            let _ = ($($argument,)*);
        }
    )*};
}

nothing! {
    __tsan_init();
    __tsan_func_entry(caller: *const c_void);
    __tsan_func_exit();
    __tsan_ignore_thread_begin();
    __tsan_ignore_thread_end();
    __tsan_vptr_read(address: *const c_void);
    __tsan_vptr_update(address: *const c_void, value: *const c_void);
}
