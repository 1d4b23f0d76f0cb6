//! The stacks of tasks. A fresh mapping costs a thousand times what a coroutine costs, so they are kept.
//!
//! A worker has its own, and leaves them to the next one: a program with a hundred small checks maps only a few.
//!
//! Stacks begin at different offsets in their pages: with all of them at the same one, the tops of all stacks
//! would fight for the same few lines of the cache.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use std::io;
use std::sync::{Mutex, PoisonError};

/// A mapped stack whose use begins a little below its top. One word: it moves with every task that comes and goes.
pub(crate) struct TaskStack(Box<Mapped>);

struct Mapped {
    mapping: DefaultStack,
    /// Bytes left unused at the top; a multiple of a cache line.
    offset: usize,
    /// Of the usual size; others are not kept.
    usual: bool,
    /// Its number among the stacks of its worker, from 1.
    number: usize,
}

// SAFETY: a part of a valid stack, with the alignment kept.
unsafe impl Stack for TaskStack {
    #[inline]
    fn base(&self) -> StackPointer {
        StackPointer::new(self.0.mapping.base().get() - self.0.offset).expect("stacks are not at address 0")
    }
    #[inline]
    fn limit(&self) -> StackPointer {
        self.0.mapping.limit()
    }
}

/// What workers have left behind: the usual size of each stack, and the stack.
static LEFT: Mutex<Vec<(usize, TaskStack)>> = Mutex::new(Vec::new());
/// More of them are unmapped.
const KEEP: usize = 64;

/// A pool of stacks of one size.
pub(crate) struct Stacks {
    size: usize,
    free: Vec<TaskStack>,
    made: usize,
}

/// A multiple of the cache line that spreads stacks over the lines of a page.
const STRIDE: usize = 11 * 64;
const PAGE: usize = 4096;

impl Stacks {
    pub fn new(size: usize) -> Stacks {
        Stacks { size, free: Vec::new(), made: 0 }
    }
    /// A stack of at least `size` bytes, or of the usual size.
    #[inline]
    pub fn take(&mut self, size: Option<usize>) -> TaskStack {
        match size {
            Some(size) if size > self.size => self.map(size),
            _ => self.free.pop().or_else(|| self.inherit()).unwrap_or_else(|| self.map(self.size)),
        }
    }
    /// A stack that another worker has left behind.
    #[cold]
    fn inherit(&mut self) -> Option<TaskStack> {
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = left.iter().enumerate().filter(|(_, (size, _))| *size == self.size);
        let (at, _) = fits.min_by_key(|(_, (_, stack))| stack.0.number)?;
        Some(left.swap_remove(at).1)
    }
    #[inline]
    pub fn give_back(&mut self, stack: TaskStack) {
        // Larger ones were asked for by one task and would be wasted on others.
        if stack.0.usual && cfg!(feature = "arena") {
            // The one that was made first is taken first: so what is on the stack of a task has the same address
            // with any history of the pool.
            let at = self.free.partition_point(|other| other.0.number > stack.0.number);
            self.free.insert(at, stack);
        } else if stack.0.usual {
            self.free.push(stack);
        }
    }
    #[cold]
    fn map(&mut self, size: usize) -> TaskStack {
        self.made += 1;
        let offset = self.made * STRIDE % PAGE;
        match DefaultStack::new(size + PAGE) {
            Ok(mapping) => {
                let usual = size == self.size;
                TaskStack(Box::new(Mapped { mapping, offset, usual, number: self.made }))
            }
            Err(e) => panic!(
                "raddle: cannot map a stack of {size} bytes for a task: {e}; use fewer tasks at a time or a \
                 smaller stack_size"
            ),
        }
    }
}

/// Whether there is room for a stack of this size. Small ones are not tried.
pub(crate) fn check_room(size: usize) -> io::Result<()> {
    const SMALL: usize = 64 << 20;
    match size.checked_add(2 * PAGE) {
        None => Err(io::ErrorKind::OutOfMemory.into()),
        Some(_) if size <= SMALL => Ok(()),
        Some(size) => DefaultStack::new(size).map(drop),
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEEP.saturating_sub(left.len()).min(self.free.len());
        left.extend(self.free.drain(..room).map(|stack| (self.size, stack)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_inherit_stacks_of_their_size() {
        // A size that no other test uses.
        let size = 52 * PAGE;
        let mut first = Stacks::new(size);
        let (usual, large) = (first.take(None), first.take(Some(2 * size)));
        let address = usual.limit();
        first.give_back(usual);
        first.give_back(large);
        drop(first);
        assert_ne!(Stacks::new(size - PAGE).take(None).limit(), address);
        let mut second = Stacks::new(size);
        let (inherited, new) = (second.take(None), second.take(None));
        assert_eq!(inherited.limit(), address);
        assert_ne!(new.limit(), address);
    }
}
