//! The stacks of tasks. A fresh mapping costs a thousand times what a coroutine costs, so they are kept.

use corosensei::stack::{DefaultStack, Stack};

/// A pool of stacks of one size.
pub(crate) struct Stacks {
    size: usize,
    free: Vec<DefaultStack>,
}

impl Stacks {
    pub fn new(size: usize) -> Stacks {
        Stacks { size, free: Vec::new() }
    }
    /// A stack of at least `size` bytes, or of the usual size.
    pub fn take(&mut self, size: Option<usize>) -> DefaultStack {
        match size {
            Some(size) if size > self.size => new_stack(size),
            _ => self.free.pop().unwrap_or_else(|| new_stack(self.size)),
        }
    }
    pub fn give_back(&mut self, stack: DefaultStack) {
        let size = stack.base().get() - stack.limit().get();
        // Larger ones were asked for by one task and would be wasted on others.
        if size <= self.size + 2 * PAGE {
            self.free.push(stack);
        }
    }
    pub fn size(&self) -> usize {
        self.size
    }
}

const PAGE: usize = 1 << 16;

fn new_stack(size: usize) -> DefaultStack {
    DefaultStack::new(size).unwrap_or_else(|e| {
        panic!(
            "raddle: cannot map a stack of {size} bytes for a task: {e}; use fewer tasks at a time or a \
             smaller stack_size"
        )
    })
}
