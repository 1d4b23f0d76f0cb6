//! The memory of programs under test: the arena, through the program's own allocator if it has one (a test
//! that counts allocations). The runtime never calls that one: it may be under control itself.

use crate::arena;
#[cfg(feature = "arena")]
use crate::runtime::plain::{self, How};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The program's own allocator.
static THEIRS: OnceLock<&'static (dyn GlobalAlloc + Sync)> = OnceLock::new();
/// It does not use the system's allocator, so it cannot be used.
static IS_FOREIGN: AtomicBool = AtomicBool::new(false);

/// Sets the program's own allocator, which `#[global_allocator]` names.
pub fn use_allocator(theirs: &'static (dyn GlobalAlloc + Sync)) {
    // The compiler allows only one.
    let _ = THEIRS.set(theirs);
}

/// Whether the program's own allocator could not be used.
pub fn is_without_its_allocator() -> bool {
    IS_FOREIGN.load(Ordering::Relaxed)
}

/// The program's own allocator, if it is used.
fn theirs() -> Option<&'static (dyn GlobalAlloc + Sync)> {
    THEIRS.get().copied().filter(|_| !IS_FOREIGN.load(Ordering::Relaxed))
}

/// A block for the program.
pub(crate) fn allocate(layout: Layout) -> Option<*mut u8> {
    let Some(theirs) = theirs() else { return arena::allocate(layout) };
    // SAFETY: the layout is the program's, which keeps the contract.
    let block = unsafe { theirs.alloc(layout) };
    if block.is_null() || arena::contains(block) {
        return Some(block);
    }
    IS_FOREIGN.store(true, Ordering::Relaxed);
    // SAFETY: just allocated.
    unsafe { theirs.dealloc(block, layout) };
    arena::allocate(layout)
}

/// Frees a block of an arena.
///
/// # Safety
/// It was allocated with this layout.
pub(crate) unsafe fn free(block: *mut u8, layout: Layout) {
    // Any other block belongs to a past execution, or is released with the present one.
    if !arena::is_for_the_program() {
        return arena::release(block);
    }
    match theirs() {
        // SAFETY: the caller's.
        Some(theirs) => unsafe { theirs.dealloc(block, layout) },
        // SAFETY: the caller's.
        None => unsafe { arena::free(block, layout) },
    }
}

/// A block of another size with the same contents.
///
/// # Safety
/// As that of an allocator.
pub(crate) unsafe fn reallocate(
    all: &impl GlobalAlloc,
    block: *mut u8,
    layout: Layout,
    size: usize,
) -> *mut u8 {
    // SAFETY: the caller's: a size that fits.
    let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
    // SAFETY: the caller's.
    let new = unsafe { all.alloc(new_layout) };
    if !new.is_null() {
        // SAFETY: two blocks of at least this size; the old one is no longer used.
        unsafe {
            let both = layout.size().min(size);
            #[cfg(feature = "arena")]
            {
                plain::note(block, both, How::Read);
                plain::note(new, both, How::Write);
            }
            std::ptr::copy_nonoverlapping(block, new, both);
            all.dealloc(block, layout);
        }
    }
    new
}

/// The global allocator of programs under test, on top of one for all other memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProgramMemory<A = System>(A);

impl ProgramMemory {
    /// On top of the system's allocator.
    pub const fn new() -> ProgramMemory {
        ProgramMemory(System)
    }
}

impl<A> ProgramMemory<A> {
    /// On top of another allocator.
    pub const fn on(inner: A) -> ProgramMemory<A> {
        ProgramMemory(inner)
    }
}

// SAFETY: blocks are those of the arena or of the allocator below; each is freed where it came from.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ProgramMemory<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match arena::is_for_the_program().then(|| allocate(layout)).flatten() {
            Some(block) => block,
            // SAFETY: the caller's.
            None => unsafe { self.0.alloc(layout) },
        }
    }
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match arena::is_for_the_program().then(|| allocate(layout)).flatten() {
            Some(block) => {
                if !block.is_null() {
                    // SAFETY: a block of this size.
                    unsafe { block.write_bytes(0, layout.size()) };
                }
                block
            }
            // SAFETY: the caller's.
            None => unsafe { self.0.alloc_zeroed(layout) },
        }
    }
    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        crate::alloc::forget(block as usize, layout.size());
        match arena::contains(block) {
            // SAFETY: the caller's.
            true => unsafe { free(block, layout) },
            false => {
                arena::demand_a_block(block);
                // SAFETY: the caller's.
                unsafe { self.0.dealloc(block, layout) }
            }
        }
    }
    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if arena::contains(block) || arena::is_for_the_program() {
            // SAFETY: the caller's.
            return unsafe { reallocate(self, block, layout, size) };
        }
        crate::alloc::forget(block as usize, layout.size());
        // SAFETY: the caller's.
        unsafe { self.0.realloc(block, layout, size) }
    }
}

/// The system's allocator as programs under test see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemMemory;

// SAFETY: blocks are those of the arena or of the system; each is freed where it came from.
unsafe impl GlobalAlloc for SystemMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match arena::is_for_the_program().then(|| arena::allocate(layout)).flatten() {
            Some(block) => block,
            // SAFETY: the caller's.
            None => unsafe { System.alloc(layout) },
        }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match arena::contains(block) {
            false => {
                crate::alloc::forget(block as usize, layout.size());
                // SAFETY: the caller's.
                unsafe { System.dealloc(block, layout) }
            }
            true if arena::is_for_the_program() => {
                crate::alloc::forget(block as usize, layout.size());
                // SAFETY: the caller's.
                unsafe { arena::free(block, layout) }
            }
            true => {}
        }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's.
        unsafe { reallocate(self, block, layout, size) }
    }
}
