//! Shared by the ends of a channel: the channel, and the count of its ends. All tasks of an execution run on
//! one operating-system thread, and so do their ends: an atomic count would cost more than their operations.
//! An end on another thread is not counted there, and its channel is leaked.

use super::channel::Channel;
use crate::runtime::context;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

pub(super) struct Joint<T>(NonNull<Counted<T>>, PhantomData<Counted<T>>);

struct Counted<T> {
    channel: Channel<T>,
    ends: Cell<usize>,
    /// The thread that counts.
    thread: usize,
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
    pub fn new(channel: Channel<T>) -> Joint<T> {
        let counted = Counted { channel, ends: Cell::new(1), thread: context::this_thread() };
        Joint(NonNull::from(Box::leak(Box::new(counted))), PhantomData)
    }

    #[inline(always)]
    fn counted(&self) -> &Counted<T> {
        // SAFETY: lives as long as one of the counted ends, or for ever.
        unsafe { self.0.as_ref() }
    }

    /// A share for one more end.
    #[inline(always)]
    pub fn share(&self) -> Joint<T> {
        let counted = self.counted();
        assert_eq!(counted.thread, context::this_thread(), "an end is used in its execution");
        counted.ends.set(counted.ends.get() + 1);
        Joint(self.0, PhantomData)
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
        let counted = self.counted();
        if counted.thread != context::this_thread() {
            return;
        }
        let left = counted.ends.get() - 1;
        counted.ends.set(left);
        if left == 0 {
            // SAFETY: it was boxed, and this was the last.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}
