//! Memory of the runtime that values of the program own: channels, and packets of tasks.
//!
//! Such a value may be left on the stack of a task that is dropped without destructors, or be forgotten. So the
//! execution knows all of this memory and frees at its end what is left, without the destructors of what the program put
//! there. Invariant: a value of the program touches its memory only inside of the execution that made it; it compares
//! serials first.

use std::cell::Cell;
use std::ptr::NonNull;

/// What such memory begins with: where it is listed.
pub(crate) type Slot = Cell<usize>;

struct Leftover {
    at: NonNull<Slot>,
    /// # Safety
    /// `at` is what it was added with, and is not used again.
    free: unsafe fn(NonNull<Slot>),
}

/// The memory of the present execution.
#[derive(Default)]
pub(crate) struct Leftovers(Vec<Leftover>);

impl Leftovers {
    /// Memory that `free` frees, unless it is removed before.
    ///
    /// # Safety
    /// There is a slot at `at` until it is removed, and `free` may be called once with it then.
    #[inline]
    pub unsafe fn add(&mut self, at: NonNull<Slot>, free: unsafe fn(NonNull<Slot>)) {
        // SAFETY: the caller's.
        unsafe { at.as_ref() }.set(self.0.len());
        self.0.push(Leftover { at, free });
    }
    /// The memory of this slot is freed by its owner.
    #[inline]
    pub fn remove(&mut self, slot: usize) {
        self.0.swap_remove(slot);
        if let Some(moved) = self.0.get(slot) {
            // SAFETY: it is there until it is removed.
            unsafe { moved.at.as_ref() }.set(slot);
        }
    }
    /// Frees what is left.
    pub fn free(&mut self) {
        for Leftover { at, free } in self.0.drain(..) {
            // SAFETY: it was not removed, and is not used again.
            unsafe { free(at) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_removed_is_freed_once() {
        unsafe fn free(at: NonNull<Slot>) {
            // SAFETY: it was boxed below.
            drop(unsafe { Box::from_raw(at.as_ptr()) });
        }
        let mut leftovers = Leftovers::default();
        let all: Vec<NonNull<Slot>> =
            (0..3).map(|_| NonNull::from(Box::leak(Box::new(Cell::new(0))))).collect();
        // SAFETY: they are boxed.
        all.iter().for_each(|at| unsafe { leftovers.add(*at, free) });
        let slot = |at: NonNull<Slot>| unsafe { at.as_ref() }.get();
        leftovers.remove(slot(all[0]));
        assert_eq!([slot(all[1]), slot(all[2])], [1, 0], "the last one moved");
        // SAFETY: no longer listed.
        unsafe { free(all[0]) };
        leftovers.free();
        leftovers.free();
    }
}
