//! The stacks of tasks. A fresh mapping costs a thousand times what a coroutine costs, so they are kept.
//!
//! Stacks begin at different offsets in their pages: with all of them at the same one, the tops of all stacks
//! would fight for the same few lines of the cache.

use corosensei::stack::{DefaultStack, Stack, StackPointer};

/// A mapped stack whose use begins a little below its top.
pub(crate) struct TaskStack {
    mapping: DefaultStack,
    /// Bytes left unused at the top; a multiple of a cache line.
    offset: usize,
    /// Of the usual size; others are not kept.
    usual: bool,
}

// SAFETY: a part of a valid stack, with the alignment kept.
unsafe impl Stack for TaskStack {
    #[inline]
    fn base(&self) -> StackPointer {
        StackPointer::new(self.mapping.base().get() - self.offset).expect("stacks are not at address 0")
    }
    #[inline]
    fn limit(&self) -> StackPointer {
        self.mapping.limit()
    }
}

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
    pub fn take(&mut self, size: Option<usize>) -> TaskStack {
        match size {
            Some(size) if size > self.size => self.map(size),
            _ => self.free.pop().unwrap_or_else(|| self.map(self.size)),
        }
    }
    pub fn give_back(&mut self, stack: TaskStack) {
        // Larger ones were asked for by one task and would be wasted on others.
        if stack.usual {
            self.free.push(stack);
        }
    }
    fn map(&mut self, size: usize) -> TaskStack {
        self.made += 1;
        let offset = self.made * STRIDE % PAGE;
        match DefaultStack::new(size + PAGE) {
            Ok(mapping) => TaskStack { mapping, offset, usual: size == self.size },
            Err(e) => panic!(
                "raddle: cannot map a stack of {size} bytes for a task: {e}; use fewer tasks at a time or a \
                 smaller stack_size"
            ),
        }
    }
}
