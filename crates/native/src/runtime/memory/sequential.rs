//! Sequential consistency: a load reads the latest store, and stores stand in the order in which they happened.
//!
//! Invariant: the value of an atomic is the one in place, so that programs see it through `get_mut` as well. All tasks
//! of an execution share one operating-system thread, so plain instructions do, with any ordering (Lamport 1979).

use super::{Bits, Model};
use crate::runtime::operation::OperationKind;
use raddle_core::operation::TaskId;
use std::sync::atomic::Ordering;

static LOAD: OperationKind = OperationKind::read("load");
static STORE: OperationKind = OperationKind::write("store");

/// The model. It has no state: the program's own memory is all that it needs.
#[derive(Default)]
pub(crate) struct Sequential;

impl Model for Sequential {
    const LOAD: &'static OperationKind = &LOAD;
    const STORE: &'static OperationKind = &STORE;

    #[inline(always)]
    unsafe fn load<T: Bits>(&mut self, _: TaskId, address: usize, _: Ordering, _: u32) -> T {
        // SAFETY: the caller's.
        unsafe { std::ptr::read_volatile(address as *const T) }
    }
    #[inline(always)]
    unsafe fn store<T: Bits>(&mut self, _: TaskId, address: usize, _: Ordering, _: u32, value: T) {
        // SAFETY: the caller's, and the memory belongs to an atomic, which may be written through a shared reference.
        unsafe { std::ptr::write_volatile(address as *mut T, value) }
    }
    #[inline(always)]
    unsafe fn update<T: Bits>(
        &mut self,
        task: TaskId,
        address: usize,
        (success, failure): (Ordering, Ordering),
        option: u32,
        new: impl FnOnce(T) -> Option<T>,
    ) -> (T, Option<T>) {
        // SAFETY: the caller's.
        let old = unsafe { self.load::<T>(task, address, failure, option) };
        let new = new(old);
        if let Some(new) = new {
            // SAFETY: the caller's.
            unsafe { self.store(task, address, success, option, new) };
        }
        (old, new)
    }
    #[inline(always)]
    unsafe fn latest<T: Bits>(&self, address: usize) -> u64 {
        // SAFETY: the caller's.
        unsafe { std::ptr::read_volatile(address as *const T) }.bits()
    }
}
