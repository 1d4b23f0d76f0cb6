//! One range of addresses, from which the memory of executions comes.
//!
//! Invariant: blocks that are in use do not overlap. Those whose heap is judged ascend, with zones around them.

use super::Afterwards;
use super::survivors::Survivors;
use crate::runtime::heap;
use std::alloc::Layout;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The address of the first region. Nothing else is mapped there on the tested systems.
const BASE: usize = 0x0600_0000_0000;
/// The size of each region. Unused pages cost nothing.
pub(super) const SIZE: usize = 1 << 36;
/// The maximal number of workers with a region of either kind.
pub(super) const REGIONS: usize = 64;
/// Those that are kept begin here; before them there is room for fresh ones.
const KEPT: usize = REGIONS * 16;
/// Memory beyond this is returned to the system after an execution.
const KEEP: usize = 16 << 20;
const PAGE: usize = 4096;

/// The next region for a strict execution.
static FRESH: AtomicUsize = AtomicUsize::new(REGIONS);

/// Whether a block is from a region.
#[inline]
pub(crate) fn contains(block: *mut u8) -> bool {
    (BASE..BASE + SIZE * (KEPT + REGIONS)).contains(&(block as usize))
}

/// Whether memory is used for something else in the next execution.
pub(crate) fn begins_anew(address: usize) -> bool {
    contains(address as *mut u8) && kept_at(address).is_none()
}

/// The number of the kept region that an address is in.
pub(super) fn kept_at(address: usize) -> Option<usize> {
    (address.wrapping_sub(BASE) / SIZE).checked_sub(KEPT).filter(|number| *number < REGIONS)
}

/// Where the zone before a block begins.
pub(super) fn zone_of(block: usize) -> usize {
    block - heap::ZONE
}

/// The number of size classes of free blocks: see [`Class`].
const CLASSES: usize = 128;

pub(super) struct Region {
    number: usize,
    base: usize,
    /// The first byte that no block of this execution has used.
    next: usize,
    /// The maximum of `next`.
    high: usize,
    /// The first free block of each class; each block starts with the address of the next one.
    free: [usize; CLASSES],
    /// Where blocks outlive executions: those that did, and where the room ends that `next` is in.
    kept: Option<(Survivors, usize)>,
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
    /// The region of this number, among those of its kind.
    pub fn map(number: usize, afterwards: Afterwards) -> Option<Region> {
        let base = match afterwards {
            Afterwards::Reset => BASE + number * SIZE,
            Afterwards::Kept => BASE + (KEPT + number) * SIZE,
        };
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
        let kept = (afterwards == Afterwards::Kept).then(|| (Survivors::default(), base + SIZE));
        there.then_some(Region { number, base, next: base, high: base, free: [0; CLASSES], kept })
    }

    /// Its number among those of its kind.
    pub fn number(&self) -> usize {
        self.number
    }

    pub fn afterwards(&self) -> Afterwards {
        if self.kept.is_some() { Afterwards::Kept } else { Afterwards::Reset }
    }

    /// Whether this address is in it.
    pub fn is_around(&self, address: usize) -> bool {
        self.addresses().contains(&address)
    }

    pub fn addresses(&self) -> Range<usize> {
        self.base..self.base + SIZE
    }

    /// An execution begins. If that is strict, the memory of the one before must not be used any more.
    pub fn begin(&mut self, is_strict: bool) {
        self.high = self.high.max(self.next);
        let mut unused = self.base + KEEP;
        if let Some((survivors, gap)) = &mut self.kept {
            survivors.hear(self.number);
            unused = unused.max(survivors.end().next_multiple_of(PAGE));
            self.next = self.base.max(survivors.floor());
            *gap = survivors.first_from(self.next).map_or(self.base + SIZE, |block| block.start);
        } else if is_strict {
            // SAFETY: no valid pointer to it is left, and an invalid use must fault.
            unsafe { libc::mprotect(self.base as *mut _, SIZE, libc::PROT_NONE) };
            let fresh = FRESH.fetch_add(1, Ordering::Relaxed);
            let number = self.number;
            *self = Region::map(fresh, Afterwards::Reset).expect("an address that was never used");
            self.number = number;
            return;
        } else {
            self.next = self.base;
        }
        if self.high > unused {
            // SAFETY: memory of this region that is not in use.
            unsafe { libc::madvise(unused as *mut _, self.high - unused, libc::MADV_DONTNEED) };
            self.high = unused;
        }
        self.free = [0; CLASSES];
    }

    /// The execution is over, and these blocks were not freed.
    pub fn end(&mut self, living: impl Iterator<Item = Range<usize>>) {
        if let Some((survivors, _)) = &mut self.kept {
            survivors.add(living.map(|block| zone_of(block.start)..block.end));
        }
    }

    /// A block that has outlived its execution is freed.
    pub fn release(&mut self, block: usize) {
        if let Some((survivors, _)) = &mut self.kept {
            survivors.release(block);
        }
    }

    /// A block that is not judged.
    pub fn allocate(&mut self, layout: Layout) -> Option<*mut u8> {
        if self.kept.is_some() {
            return None;
        }
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

    /// Room for a block between zones, behind all others of this execution.
    pub fn extend(&mut self, layout: Layout) -> Option<usize> {
        loop {
            let start = heap::start_after(self.next, layout.align());
            let end = heap::end_of(start, layout.size());
            let limit = self.kept.as_ref().map_or(self.base + SIZE, |(_, gap)| *gap);
            if end <= limit {
                self.next = end;
                return Some(start);
            }
            let (survivors, gap) = self.kept.as_mut()?;
            match survivors.first_from(*gap) {
                Some(block) if block.start == *gap => self.next = block.end,
                None if *gap == self.base + SIZE => return None,
                // What ended the gap was freed meanwhile.
                _ => {}
            }
            *gap = survivors.first_from(self.next).map_or(self.base + SIZE, |block| block.start);
        }
    }

    /// # Safety
    /// The block is one of this execution, with this layout.
    pub unsafe fn free(&mut self, block: usize, layout: Layout) {
        if self.kept.is_some() {
            return;
        }
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
        let mut region =
            Region::map(REGIONS - 1, Afterwards::Reset).expect("no other test uses the last region");
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
            region.begin(false);
            places
        };
        assert_eq!(round(&mut region), round(&mut region));
    }

    /// Some blocks outlive their rounds, and some of these are freed later, here or elsewhere.
    #[test]
    fn what_outlives_an_execution_keeps_its_place_and_its_contents() {
        let mut region =
            Region::map(REGIONS - 1, Afterwards::Kept).expect("no other test uses the last region");
        let mut state = 7u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut survivors: Vec<(usize, usize, u8)> = Vec::new();
        let mut most = 0;
        for round in 0..600 {
            region.begin(false);
            let mut living = Vec::new();
            for at in 0..40 {
                let layout = Layout::from_size_align(random(300), 1 << random(9)).unwrap();
                let block = region.extend(layout).unwrap();
                assert!(block.is_multiple_of(layout.align()) && contains(block as *mut u8));
                unsafe { (block as *mut u8).write_bytes(at as u8, layout.size()) };
                // What is kept and what is not: in the second half of the rounds more is freed.
                if random(10) < 1 {
                    living.push((block, layout.size(), at as u8));
                }
                if random(400) < round && !survivors.is_empty() {
                    let (block, ..) = survivors.swap_remove(random(survivors.len()));
                    match random(2) {
                        0 => region.release(block),
                        _ => super::super::survivors::release(block),
                    }
                }
            }
            region.end(living.iter().map(|(block, size, _)| *block..heap::end_of(*block, *size)));
            survivors.extend(living);
            for (block, size, byte) in &survivors {
                let contents = unsafe { std::slice::from_raw_parts(*block as *const u8, *size) };
                assert!(contents.iter().all(|b| b == byte), "{block:x} was overwritten in round {round}");
            }
            most = most.max(region.next - region.base);
        }
        assert!(most < 8 << 20, "room is used again: {most}");
    }
}
