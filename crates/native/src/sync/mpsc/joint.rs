//! Shared by the ends of a channel: the channel, and the count of its ends. All tasks of an execution run on
//! one operating-system thread, and so do their ends: an atomic count would cost more than their operations.
//! The channel is gone with its last end, or with its execution; an end that outlives that refers to nothing.

use super::channel::Channel;
use crate::runtime::context::{self, Current};
use crate::runtime::leftovers::Slot;
use crate::runtime::objects::ObjectKind;
use crate::runtime::plain::watch;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

pub(super) struct Joint<T> {
    counted: NonNull<Counted<T>>,
    /// The execution in which there is something.
    serial: u64,
    pub kind: ObjectKind,
    owns: PhantomData<Counted<T>>,
}

// The slot comes first.
#[repr(C)]
struct Counted<T> {
    slot: Slot,
    ends: Cell<usize>,
    channel: Channel<T>,
}

/// Frees a channel that is left over: what was sent is forgotten.
///
/// # Safety
/// It is a boxed `Counted<T>`, and not used again.
unsafe fn free<T>(at: NonNull<Slot>) {
    // SAFETY: the caller's.
    let counted = unsafe { Box::from_raw(at.cast::<Counted<T>>().as_ptr()) };
    counted.channel.forget();
}

// SAFETY: of what is shared, the count is only used by one thread, and the channel can be shared.
unsafe impl<T: Send> Send for Joint<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Joint<T> {}
// No code of the program runs, and so panics, while the count changes.
impl<T> RefUnwindSafe for Joint<T> {}
impl<T> UnwindSafe for Joint<T> {}

impl<T> Joint<T> {
    #[inline(always)]
    pub fn new(current: Current, channel: Channel<T>) -> Joint<T> {
        let kind = channel.kind();
        let counted = Counted { slot: Cell::new(0), ends: Cell::new(1), channel };
        let paused = watch::pause();
        let counted = NonNull::from(Box::leak(Box::new(counted)));
        drop(paused);
        // SAFETY: it begins with its slot, and is boxed until it is removed.
        current.with(|e| unsafe { e.leftovers.add(counted.cast(), free::<T>) });
        Joint { counted, serial: current.with(|e| e.serial()), kind, owns: PhantomData }
    }

    #[inline]
    pub fn belongs_to(&self, current: Current) -> bool {
        current.with(|e| e.serial()) == self.serial
    }

    #[inline(always)]
    fn counted(&self) -> &Counted<T> {
        // SAFETY: all that comes here has compared serials; it lives as long as one of the ends, in its execution.
        unsafe { self.counted.as_ref() }
    }

    /// A share for one more end.
    #[inline(always)]
    pub fn share(&self) -> Joint<T> {
        let counted = self.counted();
        counted.ends.set(counted.ends.get() + 1);
        Joint { owns: PhantomData, ..*self }
    }
}

impl<T> Deref for Joint<T> {
    type Target = Channel<T>;
    #[inline(always)]
    fn deref(&self) -> &Channel<T> {
        &self.counted().channel
    }
}

impl<T> Drop for Joint<T> {
    #[inline]
    fn drop(&mut self) {
        let Some(current) = context::current().filter(|current| self.belongs_to(*current)) else { return };
        let counted = self.counted();
        let left = counted.ends.get() - 1;
        counted.ends.set(left);
        if left == 0 {
            // SAFETY: it was boxed, and this was the last.
            let counted = unsafe { Box::from_raw(self.counted.as_ptr()) };
            current.with(|e| e.leftovers.remove(counted.slot.get()));
            drop(counted);
        }
    }
}
