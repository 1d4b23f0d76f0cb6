//! Where the program's statics and a thread's own variables are in memory.
//!
//! Invariant: this is the only file that asks the platform (the loader, by `dl_iterate_phdr`).

use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The stretches of memory between statics, in ascending order, and the last of them that an address belonged to: mostly
/// the next one belongs to the same.
static GAPS: [[AtomicUsize; 2]; 64] = [const { [const { AtomicUsize::new(0) }; 2] }; 64];
static LAST_GAP: AtomicUsize = AtomicUsize::new(0);
static RANGES: OnceLock<Vec<Range<usize>>> = OnceLock::new();

/// A segment of the program or of a library.
struct Segment {
    range: Range<usize>,
    /// It can be written to: what cannot holds nothing that changes.
    changes: bool,
}

/// The program and its libraries, each with its parts.
static IMAGES: OnceLock<Vec<Vec<Segment>>> = OnceLock::new();

/// Whether `address` belongs to a static.
#[inline]
pub(crate) fn contains(address: usize) -> bool {
    let [from, to] = &GAPS[LAST_GAP.load(Ordering::Relaxed) % GAPS.len()];
    // The end is written last.
    let is_between = address < to.load(Ordering::Acquire) && address >= from.load(Ordering::Relaxed);
    !is_between && look_up(address)
}

#[cold]
#[inline(never)]
fn look_up(address: usize) -> bool {
    let ranges = ranges();
    let after = ranges.partition_point(|range| range.end <= address);
    let is_static = ranges.get(after).is_some_and(|range| range.start <= address);
    // With more gaps than there is room for, those behind the others are looked up each time.
    if !is_static && after < GAPS.len() {
        LAST_GAP.store(after, Ordering::Relaxed);
    }
    is_static
}

/// What can be written to of the program and its libraries, in ascending order.
fn ranges() -> &'static [Range<usize>] {
    let _own = crate::arena::own();
    RANGES.get_or_init(|| {
        let segments = IMAGES.get_or_init(find).iter().flatten().filter(|segment| segment.changes);
        let mut ranges: Vec<Range<usize>> = segments.map(|segment| segment.range.clone()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        let starts = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
        let ends = ranges.iter().map(|range| range.start).chain([usize::MAX]);
        for (gap, (from, to)) in GAPS.iter().zip(starts.zip(ends)) {
            gap[0].store(from, Ordering::Relaxed);
            gap[1].store(to, Ordering::Release);
        }
        ranges
    })
}

/// Whether two addresses belong to the program, or to the same one of its libraries.
pub(crate) fn are_together(one: usize, other: usize) -> bool {
    let _own = crate::arena::own();
    let has = |image: &[Segment], address| image.iter().any(|segment| segment.range.contains(address));
    IMAGES.get_or_init(find).iter().any(|image| has(image, &one) && has(image, &other))
}

#[cfg(target_os = "linux")]
fn find() -> Vec<Vec<Segment>> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        out: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid description, and `out` is the vector below.
        unsafe {
            let out = &mut *(out as *mut Vec<Vec<Segment>>);
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum as usize);
            let range = |header: &libc::Elf64_Phdr| {
                let from = (*info).dlpi_addr as usize + header.p_vaddr as usize;
                from..from + header.p_memsz as usize
            };
            let segment =
                |h: &libc::Elf64_Phdr| Segment { range: range(h), changes: h.p_flags & libc::PF_W != 0 };
            out.push(headers.iter().filter(|h| h.p_type == libc::PT_LOAD).map(segment).collect());
        }
        0
    }
    let mut ranges: Vec<Vec<Segment>> = Vec::new();
    // SAFETY: `visit` keeps to its contract and the vector outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), &raw mut ranges as *mut libc::c_void) };
    ranges
}

/// Where the calling thread keeps what is its own, in whole words.
#[cfg(target_os = "linux")]
fn own_memory_of_this_thread() -> Vec<Range<usize>> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        out: *mut libc::c_void,
    ) -> libc::c_int {
        const WORD: usize = size_of::<usize>();
        // SAFETY: the loader passes a valid description, and `out` is the vector below.
        unsafe {
            let out = &mut *(out as *mut Vec<Range<usize>>);
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum as usize);
            let from = (*info).dlpi_tls_data as usize;
            for header in headers.iter().filter(|h| h.p_type == libc::PT_TLS && from != 0) {
                let to = from + header.p_memsz as usize;
                out.push(from.next_multiple_of(WORD)..to / WORD * WORD);
            }
        }
        0
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    // SAFETY: `visit` keeps to its contract and the vector outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), &raw mut ranges as *mut libc::c_void) };
    ranges
}

thread_local! {
    /// Lies beside what std keeps for the thread.
    static LANDMARK: Cell<usize> = const { Cell::new(0) };
}

/// Where std keeps a private variable of the calling thread. `find` searches for it, once in the
/// life of the process: all threads have it at the same `distance` from a variable of ours. None if it is not found,
/// or if the two do not belong to the same library.
pub(crate) fn own_variable(
    distance: &OnceLock<Option<isize>>,
    find: impl FnOnce() -> Option<usize>,
) -> Option<usize> {
    let landmark = LANDMARK.with(|landmark| landmark.as_ptr() as usize);
    let measure = || {
        let found = find()?;
        let memory = own_memory_of_this_thread();
        let together = memory.iter().any(|segment| segment.contains(&found) && segment.contains(&landmark));
        together.then_some(found as isize - landmark as isize)
    };
    distance.get_or_init(measure).map(|distance| landmark.wrapping_add_signed(distance))
}

/// The words of the calling thread's own memory.
pub(crate) fn own_words_of_this_thread() -> Vec<usize> {
    let words = |range: Range<usize>| range.step_by(size_of::<usize>());
    own_memory_of_this_thread().into_iter().flat_map(words).collect()
}

#[cfg(not(target_os = "linux"))]
fn find() -> Vec<Vec<Segment>> {
    compile_error!("raddle does not know yet how to find statics on this platform: see image.rs");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_statics_are_exact() {
        for range in ranges() {
            let inside = [range.start, range.end - 1];
            let outside = [range.start - 1, range.end];
            assert!(inside.iter().all(|address| contains(*address)));
            for address in outside {
                assert_eq!(contains(address), ranges().iter().any(|range| range.contains(&address)));
            }
        }
    }

    #[test]
    fn tells_statics_from_the_heap_and_the_stack() {
        static IN_DATA: AtomicUsize = AtomicUsize::new(7);
        static IN_BSS: AtomicUsize = AtomicUsize::new(0);
        let on_heap = Box::new(0u8);
        let on_stack = 0u8;
        // Whatever was looked up before.
        for _ in 0..2 {
            assert!(contains(&raw const IN_DATA as usize));
            assert!(!contains(&raw const *on_heap as usize));
            assert!(contains(&raw const IN_BSS as usize));
            assert!(!contains(&raw const on_stack as usize));
        }
    }
}
