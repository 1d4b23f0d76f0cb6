//! What stands around blocks and in freed ones.
//!
//! Invariant: 16 bytes before a block say which block it is, and 16 bytes behind it are always the same, so that a write of
//! one byte beyond either end changes them. The contents of a freed block are poison: as an address they are none.

/// The bytes before and behind a block.
pub(crate) const ZONE: usize = 16;
/// So many bytes of a freed block are poisoned.
pub(super) const POISONED: usize = 4096;

const POISON: u8 = 0xdf;
const BEFORE: u64 = 0xbada_110c_bada_110c;
const BEHIND: u64 = 0xe2d0_fb10_c4e2_d0fb;

/// Where a block of this layout begins in memory that is unused from `next` on.
pub(crate) fn start_after(next: usize, align: usize) -> usize {
    (next + ZONE).next_multiple_of(align.max(ZONE))
}

/// Where it ends, with its zone.
pub(crate) fn end_of(start: usize, size: usize) -> usize {
    start + size.max(1) + ZONE
}

/// What was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Damage {
    Before,
    Behind,
    Contents,
}

/// Writes the zones of a block.
///
/// # Safety
/// A block of this size, with its zones.
pub(super) unsafe fn write(start: usize, size: usize, number: u32) {
    // SAFETY: the caller's.
    unsafe {
        let (before, behind) = zones(start, size);
        before.write([BEFORE, BEFORE ^ number as u64]);
        behind.write_unaligned([BEHIND; 2]);
    }
}

fn zones(start: usize, size: usize) -> (*mut [u64; 2], *mut [u64; 2]) {
    ((start - ZONE) as *mut [u64; 2], (start + size) as *mut [u64; 2])
}

/// The number that stands before a block.
///
/// # Safety
/// There is memory before this address.
pub(super) unsafe fn number(start: usize) -> u32 {
    // SAFETY: the caller's.
    (unsafe { ((start - 8) as *const u64).read_unaligned() } ^ BEFORE) as u32
}

/// Which zone was changed.
///
/// # Safety
/// A block of this size, with its zones.
pub(super) unsafe fn damage(start: usize, size: usize, number: u32) -> Option<Damage> {
    let (before, behind) = zones(start, size);
    // SAFETY: the caller's.
    unsafe {
        if before.read() != [BEFORE, BEFORE ^ number as u64] {
            return Some(Damage::Before);
        }
        (behind.read_unaligned() != [BEHIND; 2]).then_some(Damage::Behind)
    }
}

/// Poisons the contents of a block.
///
/// # Safety
/// A block of this size.
pub(super) unsafe fn poison(start: usize, size: usize) {
    // SAFETY: the caller's.
    unsafe { (start as *mut u8).write_bytes(POISON, size.min(POISONED)) };
}

/// Whether nothing was written there since.
///
/// # Safety
/// A block of this size.
pub(super) unsafe fn is_poisoned(start: usize, size: usize) -> bool {
    // SAFETY: the caller's.
    let contents = unsafe { std::slice::from_raw_parts(start as *const u8, size.min(POISONED)) };
    const WORD: u64 = u64::from_ne_bytes([POISON; 8]);
    let (words, rest) = contents.as_chunks::<8>();
    words.iter().all(|word| u64::from_ne_bytes(*word) == WORD) && rest.iter().all(|byte| *byte == POISON)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte of both zones, of blocks of all small sizes.
    #[test]
    fn a_byte_beyond_either_end_is_noticed() {
        let mut memory = vec![0u128; 16];
        let from = memory.as_mut_ptr() as usize;
        for size in 0..100 {
            let start = start_after(from, 1);
            for at in (start - ZONE..start).chain(start + size..start + size + ZONE) {
                unsafe {
                    write(start, size, 7);
                    assert_eq!((damage(start, size, 7), number(start)), (None, 7));
                    *(at as *mut u8) ^= 1;
                    let expected = if at < start { Damage::Before } else { Damage::Behind };
                    assert_eq!(damage(start, size, 7), Some(expected), "{size} {at}");
                }
            }
        }
    }

    #[test]
    fn a_byte_that_is_written_later_is_noticed() {
        let mut memory = vec![0u64; 9];
        let start = memory.as_mut_ptr() as usize;
        for at in 0..67 {
            unsafe {
                poison(start, 67);
                assert!(is_poisoned(start, 67));
                *((start + at) as *mut u8) = 0;
                assert!(!is_poisoned(start, 67), "{at}");
            }
        }
    }
}
