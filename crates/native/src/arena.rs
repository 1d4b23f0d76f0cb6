//! Memory at the same addresses in every execution. Some programs depend on addresses (`parking_lot` selects
//! queues by those of its locks), and two executions of one schedule must not differ.
//!
//! While arenas are [enabled](enable), allocations of the program inside an execution come from a region that
//! is reset with every execution; memory that was never freed is lost then. Allocations of the runtime stay
//! outside: all its work on an execution is [`own`] work, and so is state that a facade keeps between
//! executions.

use crate::runtime::context::{self, Current};
use crate::runtime::heap;
use raddle_core::verdict::Defect;
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The address of the first region. Nothing else is mapped there on the tested systems.
const BASE: usize = 0x0600_0000_0000;
/// The size of each region. Unused pages cost nothing.
const SIZE: usize = 1 << 36;
/// The maximal number of workers with a region.
const REGIONS: usize = 64;
/// Memory beyond this is returned to the system after an execution.
const KEEP: usize = 16 << 20;

static ENABLED: AtomicBool = AtomicBool::new(false);
/// Every execution has a fresh region, and the earlier ones are inaccessible: this finds memory that outlives
/// its execution.
static STRICT: AtomicBool = AtomicBool::new(false);
/// The regions in use.
static TAKEN: Mutex<[bool; REGIONS]> = Mutex::new([false; REGIONS]);
/// The next region for a strict execution.
static FRESH: AtomicUsize = AtomicUsize::new(REGIONS);

/// The number of size classes of free blocks: see [`Class`].
const CLASSES: usize = 128;

struct Region {
    base: usize,
    /// The first byte that no block of this execution has used.
    next: usize,
    /// The maximum of `next`.
    high: usize,
    /// The first free block of each class; each block starts with the address of the next one.
    free: [usize; CLASSES],
}

thread_local! {
    static REGION: RefCell<Option<Region>> = const { RefCell::new(None) };
    /// The runtime allocates for itself.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// Enables arenas, if the program supports them.
pub fn enable() {
    STRICT.store(std::env::var_os("RADDLE_STRICT_ARENA").is_some(), Ordering::Relaxed);
    ENABLED.store(true, Ordering::Relaxed);
}

/// Disables arenas.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
}

/// While this lives, memory comes from outside the arena.
pub struct Own(bool);

/// Allocations while the result lives are not the program's.
#[inline]
pub fn own() -> Own {
    Own(OWN.replace(true))
}

impl Drop for Own {
    #[inline]
    fn drop(&mut self) {
        OWN.set(self.0);
    }
}

/// A worker's claim to a region.
pub(crate) struct Lease(Option<usize>);

impl Lease {
    pub fn new() -> Lease {
        if !ENABLED.load(Ordering::Relaxed) {
            return Lease(None);
        }
        let mut taken = TAKEN.lock().unwrap_or_else(|e| e.into_inner());
        let Some(number) = taken.iter().position(|t| !t) else { return Lease(None) };
        let Some(region) = Region::map(number) else { return Lease(None) };
        taken[number] = true;
        REGION.set(Some(region));
        Lease(Some(number))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(number) = self.0 {
            REGION.set(None);
            TAKEN.lock().unwrap_or_else(|e| e.into_inner())[number] = false;
        }
    }
}

/// Resets the region at the start of an execution.
pub(crate) fn begin() {
    REGION.with_borrow_mut(|region| {
        if let Some(region) = region {
            region.reset();
        }
    });
}

/// Whether memory comes from the arena now.
#[inline]
pub(crate) fn is_for_the_program() -> bool {
    !OWN.get() && context::current().is_some() && ENABLED.load(Ordering::Relaxed)
}

/// Whether a block is from an arena.
#[inline]
pub(crate) fn contains(block: *mut u8) -> bool {
    (BASE..BASE + SIZE * REGIONS * 16).contains(&(block as usize))
}

/// A block for the program, if this thread has an arena.
pub(crate) fn allocate(layout: Layout) -> Option<*mut u8> {
    match judged() {
        None => in_region(|region| region.allocate(layout)),
        Some(current) => {
            let stack = heap::stack();
            let block = current.with(|e| {
                let me = e.me();
                e.heap().allocate(me, layout, stack, || in_region(|region| region.extend(layout)))
            });
            block.map(|start| start as *mut u8)
        }
    }
}

fn in_region<R>(f: impl FnOnce(&mut Region) -> Option<R>) -> Option<R> {
    REGION.with(|region| f(region.try_borrow_mut().ok()?.as_mut()?))
}

/// The execution that this thread is in, if its heap is judged.
#[inline]
fn judged() -> Option<Current> {
    context::current().filter(|current| current.with(|e| e.heap().is_judged()))
}

/// The program frees memory that is no block of an arena: is it one at all?
#[inline]
pub(crate) fn demand_a_block(address: *mut u8) {
    if !OWN.get()
        && let Some(current) = judged().filter(|current| current.with(|e| e.judges_heap()))
        && let Some(defect) = current.with(|e| e.frees_no_block(address as usize, heap::stack()))
    {
        stop(current, defect);
    }
}

/// The execution has failed in the allocator, which cannot unwind: the task never goes on.
#[cold]
fn stop(current: Current, defect: Defect) -> ! {
    current.with(|e| e.fail(defect));
    current.suspend_for_ever()
}

/// Frees a block of the program.
///
/// # Safety
/// [`allocate`] made it for the present execution, with this layout.
pub(crate) unsafe fn free(block: *mut u8, layout: Layout) {
    if let Some(current) = judged() {
        let stack = heap::stack();
        let freed = current.with(|e| match e.judges_heap() {
            true => e.free(block as usize, layout, stack),
            // The execution is over, and its memory with it.
            false => Ok(()),
        });
        return freed.unwrap_or_else(|defect| stop(current, defect));
    }
    REGION.with(|region| {
        if let Ok(mut region) = region.try_borrow_mut()
            && let Some(region) = region.as_mut()
        {
            // SAFETY: the caller's.
            unsafe { region.free(block as usize, layout) };
        }
    });
}

/// A size class of blocks.
struct Class {
    number: usize,
    size: usize,
    align: usize,
}

impl Class {
    /// Multiples of 16 bytes; from 512 bytes on, or with a larger alignment, powers of two.
    fn of(layout: Layout) -> Class {
        let size = layout.size().max(1);
        if layout.align() <= 16 && size <= 512 {
            let number = size.div_ceil(16);
            return Class { number, size: number * 16, align: 16 };
        }
        let size = size.max(layout.align()).next_power_of_two();
        Class { number: 33 + size.trailing_zeros() as usize, size, align: layout.align().max(16) }
    }
}

impl Region {
    fn map(number: usize) -> Option<Region> {
        let base = BASE + number * SIZE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: a new mapping where there is none.
        let mapped =
            unsafe { libc::mmap(base as *mut _, SIZE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        // A previous worker left the region mapped.
        let there =
            mapped as usize == base || std::io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST);
        if mapped != libc::MAP_FAILED && mapped as usize != base {
            // An old kernel, which takes the address for a hint. SAFETY: just mapped.
            unsafe { libc::munmap(mapped, SIZE) };
            return None;
        }
        there.then_some(Region { base, next: base, high: base, free: [0; CLASSES] })
    }

    fn reset(&mut self) {
        if STRICT.load(Ordering::Relaxed) {
            // SAFETY: no valid pointer to it is left, and an invalid use must fault.
            unsafe { libc::mprotect(self.base as *mut _, SIZE, libc::PROT_NONE) };
            let number = FRESH.fetch_add(1, Ordering::Relaxed);
            *self = Region::map(number).expect("an address that was never used");
            return;
        }
        self.high = self.high.max(self.next);
        let kept = self.base + KEEP;
        if self.high > kept {
            // SAFETY: memory of this region that is not in use.
            unsafe { libc::madvise(kept as *mut _, self.high - kept, libc::MADV_DONTNEED) };
            self.high = kept;
        }
        self.next = self.base;
        self.free = [0; CLASSES];
    }

    fn allocate(&mut self, layout: Layout) -> Option<*mut u8> {
        let class = Class::of(layout);
        let head = &mut self.free[class.number];
        // Blocks of one class may have different alignments.
        if *head != 0 && head.is_multiple_of(class.align) {
            let block = *head as *mut usize;
            // SAFETY: a free block, which starts with the address of the next one.
            *head = unsafe { block.read() };
            return Some(block.cast());
        }
        let block = self.next.next_multiple_of(class.align);
        if block + class.size > self.base + SIZE {
            return None;
        }
        self.next = block + class.size;
        Some(block as *mut u8)
    }

    /// Room for a block between zones, behind all others.
    fn extend(&mut self, layout: Layout) -> Option<usize> {
        let start = heap::start_after(self.next, layout.align());
        let end = heap::end_of(start, layout.size());
        if end > self.base + SIZE {
            return None;
        }
        self.next = end;
        Some(start)
    }

    /// # Safety
    /// The block is one of this execution, with this layout.
    unsafe fn free(&mut self, block: usize, layout: Layout) {
        let head = &mut self.free[Class::of(layout).number];
        // SAFETY: the block is not in use, and has room for an address.
        unsafe { (block as *mut usize).write(*head) };
        *head = block;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of all sizes and alignments, freed in another order, at the same addresses in every round.
    #[test]
    fn every_round_has_the_same_addresses_and_no_block_overlaps_another() {
        let mut region = Region::map(REGIONS - 1).expect("no other test uses the last region");
        let round = |region: &mut Region| {
            let (mut blocks, mut places, mut state) = (Vec::<(usize, Layout)>::new(), Vec::new(), 7u64);
            for _ in 0..2_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let random = (state >> 33) as usize;
                if random.is_multiple_of(3) && !blocks.is_empty() {
                    let (block, layout) = blocks.swap_remove(random / 3 % blocks.len());
                    unsafe { region.free(block, layout) };
                    continue;
                }
                let layout = Layout::from_size_align(random % 3_000, 1 << (random % 9)).unwrap();
                let block = region.allocate(layout).unwrap() as usize;
                assert!(block.is_multiple_of(layout.align()));
                let apart = |(other, l): &(usize, Layout)| {
                    block + layout.size() <= *other || other + l.size() <= block
                };
                assert!(blocks.iter().all(apart), "{block:x} overlaps another block");
                unsafe { (block as *mut u8).write_bytes(0xab, layout.size()) };
                blocks.push((block, layout));
                places.push(block);
            }
            region.reset();
            places
        };
        assert_eq!(round(&mut region), round(&mut region));
    }
}
