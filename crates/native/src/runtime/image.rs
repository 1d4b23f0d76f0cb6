//! Where the program's statics are in memory. The only file that asks the platform for it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The lowest and the highest address of any image of the program; most addresses are outside.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);
static RANGES: OnceLock<Vec<(usize, usize)>> = OnceLock::new();

/// Whether `address` belongs to a static.
#[inline]
pub(crate) fn contains(address: usize) -> bool {
    if HIGHEST.load(Ordering::Relaxed) == 0 {
        ranges();
    }
    if address < LOWEST.load(Ordering::Relaxed) || address >= HIGHEST.load(Ordering::Relaxed) {
        return false;
    }
    ranges().iter().any(|(from, to)| (*from..*to).contains(&address))
}

fn ranges() -> &'static [(usize, usize)] {
    RANGES.get_or_init(|| {
        let ranges = find();
        LOWEST.store(ranges.iter().map(|r| r.0).min().unwrap_or(1), Ordering::Relaxed);
        HIGHEST.store(ranges.iter().map(|r| r.1).max().unwrap_or(1), Ordering::Relaxed);
        ranges
    })
}

#[cfg(target_os = "linux")]
fn find() -> Vec<(usize, usize)> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        out: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid description, and `out` is the vector below.
        unsafe {
            let out = &mut *(out as *mut Vec<(usize, usize)>);
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, (*info).dlpi_phnum as usize);
            for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD) {
                let from = (*info).dlpi_addr as usize + header.p_vaddr as usize;
                out.push((from, from + header.p_memsz as usize));
            }
        }
        0
    }
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    // SAFETY: `visit` keeps to its contract and the vector outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), &mut ranges as *mut _ as *mut libc::c_void) };
    ranges
}

#[cfg(not(target_os = "linux"))]
fn find() -> Vec<(usize, usize)> {
    compile_error!("raddle does not know yet how to find statics on this platform: see image.rs");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_statics_from_the_heap_and_the_stack() {
        static IN_DATA: AtomicUsize = AtomicUsize::new(7);
        static IN_BSS: AtomicUsize = AtomicUsize::new(0);
        let on_heap = Box::new(0u8);
        let on_stack = 0u8;
        assert!(contains(&raw const IN_DATA as usize));
        assert!(contains(&raw const IN_BSS as usize));
        assert!(!contains(&raw const *on_heap as usize));
        assert!(!contains(&raw const on_stack as usize));
    }
}
