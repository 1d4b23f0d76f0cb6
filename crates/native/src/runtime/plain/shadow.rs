//! Where the cells of memory are: those of the heap of executions in a mapping beside it, those of statics and of stacks
//! that other tasks touch in a table.
//!
//! Invariant: cells of the heap are written when a block is allocated or freed, so what earlier executions left behind is
//! never read. Nothing is allocated for an access to the heap.

use super::cell::{Cell, Kind, Touch};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::Mutex;

/// So many bytes have one cell.
pub(super) const GRANULE: usize = 8;
/// A cell is so much larger.
const RATIO: usize = size_of::<Cell>() / GRANULE;
/// Cells of more heap than this are returned to the system after an execution.
const KEEP: usize = 4 << 20;

/// Which memory something is in.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Other {
    /// A static of a crate under test. These bytes of the eight belong to it.
    Static(u8),
    /// It is on this stack.
    Stack(Range<usize>),
    /// None that is judged.
    Nothing,
}

/// Multiplies: addresses are their own hash otherwise.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses are numbers");
    }
    fn write_usize(&mut self, n: usize) {
        self.0 = (n as u64 >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20);
    }
}

/// The mappings beside the regions of the heap and beside stacks, which are never unmapped: stacks are used again.
static MAPPED: Mutex<Vec<(Range<usize>, usize)>> = Mutex::new(Vec::new());

/// The cells of one execution. Memory is kept from one execution to the next.
#[derive(Default)]
pub(super) struct Shadow {
    /// The region of the heap.
    heap: Range<usize>,
    /// Its cells.
    cells: usize,
    /// The end of what was written of them.
    high: usize,
    others: HashMap<usize, Cell, BuildHasherDefault<Multiply>>,
    /// The stacks that were touched. The one that was touched last comes first.
    stacks: Vec<StackCells>,
}

/// The cells of a stack.
struct StackCells {
    stack: Range<usize>,
    cells: usize,
    /// The lowest address whose cell is in use.
    low: usize,
}

impl StackCells {
    fn at(&self, address: usize) -> *mut Cell {
        (self.cells + (address - self.stack.start) / GRANULE * size_of::<Cell>()) as *mut Cell
    }
    /// No cell is in use.
    fn clear(&mut self) {
        let used = (self.stack.end - self.low).div_ceil(GRANULE);
        // SAFETY: there is a cell for all of the stack; all zeros is a cell.
        unsafe { self.at(self.low).write_bytes(0, used) };
        self.low = self.stack.end;
    }
}

impl Shadow {
    /// An execution begins with its heap in this region. Says whether there is memory for its cells.
    pub fn begin(&mut self, heap: Range<usize>) -> bool {
        self.others.clear();
        self.end();
        if self.heap != heap {
            let Some(cells) = mapped(&heap) else { return false };
            (self.cells, self.high) = (cells, heap.start);
            self.heap = heap;
        }
        let kept = self.heap.start + KEEP;
        if self.high > kept {
            let (from, size) = (self.cells + KEEP * RATIO, (self.high - kept) * RATIO);
            // SAFETY: memory of this mapping; what is in it is not needed any more.
            unsafe { libc::madvise(from as *mut _, size, libc::MADV_DONTNEED) };
            self.high = kept;
        }
        true
    }

    /// The execution is over. Other executions may have their tasks on its stacks, and find no cell in use.
    pub fn end(&mut self) {
        self.stacks.iter_mut().for_each(StackCells::clear);
        self.stacks.clear();
    }

    /// The cell of an address in the heap.
    #[inline(always)]
    pub fn of_heap(&mut self, address: usize) -> Option<&mut Cell> {
        let at = address.wrapping_sub(self.heap.start);
        // SAFETY: there is a cell for all of the region.
        (at < self.heap.len())
            .then(|| unsafe { &mut *((self.cells + at / GRANULE * size_of::<Cell>()) as *mut Cell) })
    }

    /// Whether other memory has a cell.
    pub fn has_other(&self, address: usize) -> bool {
        self.others.contains_key(&(address & !(GRANULE - 1)))
    }

    /// The cell of other memory, made if there is none yet and this memory is to have one.
    pub fn of_other(&mut self, address: usize, other: Other) -> Option<&mut Cell> {
        let granule = address & !(GRANULE - 1);
        let judged = match other {
            Other::Static(bytes) if bytes != 0 => bytes,
            Other::Static(_) | Other::Stack(_) | Other::Nothing => return self.others.get_mut(&granule),
        };
        Some(self.others.entry(granule).or_insert(Cell::of(Kind::Live, judged)))
    }

    /// The cell of an address in the heap, or on a stack that was touched before.
    #[inline(always)]
    pub fn known(&mut self, address: usize) -> Option<&mut Cell> {
        if self.heap.contains(&address) { self.of_heap(address) } else { self.of_stack(address) }
    }

    /// The cell of an address on a stack that was touched before.
    #[inline]
    fn of_stack(&mut self, address: usize) -> Option<&mut Cell> {
        let has = |stack: &StackCells| stack.stack.contains(&address);
        if !self.stacks.first().is_some_and(has) {
            let at = self.stacks.iter().position(has)?;
            self.stacks.swap(0, at);
        }
        let stack = &mut self.stacks[0];
        let granule = address & !(GRANULE - 1);
        stack.low = stack.low.min(granule);
        // SAFETY: there is a cell for all of the stack. Those that are not in use are all zeros.
        let cell = unsafe { &mut *stack.at(granule) };
        if cell.kind == Kind::Unknown {
            *cell = Cell::of(Kind::Stack, 0xff);
        }
        Some(cell)
    }

    /// Whether stacks were touched.
    #[inline]
    pub fn has_stacks(&self) -> bool {
        !self.stacks.is_empty()
    }

    /// This stack has cells from now on. Says whether there is memory for them.
    pub fn add_stack(&mut self, stack: Range<usize>) -> bool {
        let Some(cells) = mapped(&stack) else { return false };
        let low = stack.end;
        self.stacks.push(StackCells { stack, cells, low });
        true
    }

    /// What was on this stack is gone.
    pub fn forget_stack(&mut self, stack: &Range<usize>) {
        if let Some(at) = self.stacks.iter().position(|cells| cells.stack == *stack) {
            self.stacks.swap_remove(at).clear();
        }
    }

    /// A block is allocated, between zones of `zone` bytes: `first` is the first access to it.
    pub fn allocate(&mut self, block: Range<usize>, zone: usize, first: Option<(Touch, u32)>) {
        let Range { start, end } = block;
        let whole = end / GRANULE * GRANULE;
        let of = |judged: u8| match first {
            Some((touch, stack)) => Cell::of(Kind::Live, judged).with(touch.of_bytes(judged), stack),
            None => Cell::of(Kind::Unknown, 0),
        };
        self.fill(start - zone..start, Cell::of(Kind::Zone, 0));
        self.fill(start..whole, of(0xff));
        let behind = if whole < end {
            self.fill(whole..whole + GRANULE, of(((1u32 << (end - whole)) - 1) as u8));
            whole + GRANULE
        } else {
            end
        };
        self.fill(behind..(end.max(start + 1) + zone).next_multiple_of(GRANULE), Cell::of(Kind::Zone, 0));
    }

    /// A block is freed.
    pub fn free(&mut self, block: Range<usize>) {
        self.fill(block.start..block.end.next_multiple_of(GRANULE), Cell::of(Kind::Freed, 0));
    }

    /// Whole cells.
    fn fill(&mut self, range: Range<usize>, cell: Cell) {
        let (first, last) = (range.start.max(self.heap.start), range.end.min(self.heap.end));
        if first >= last {
            return;
        }
        self.high = self.high.max(last);
        let from = (self.cells + (first - self.heap.start) / GRANULE * size_of::<Cell>()) as *mut Cell;
        for at in 0..(last - first).div_ceil(GRANULE) {
            // SAFETY: there is a cell for all of the region.
            unsafe { from.add(at).write(cell) };
        }
    }
}

/// Memory for the cells of a region or a stack. Those that are not used cost nothing, and are all zeros.
fn mapped(of: &Range<usize>) -> Option<usize> {
    let mut mapped = MAPPED.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((_, cells)) = mapped.iter().find(|(known, _)| known == of) {
        return Some(*cells);
    }
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let size = (of.len() / GRANULE + 1) * size_of::<Cell>();
    // SAFETY: a new mapping.
    let cells =
        unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if cells == libc::MAP_FAILED {
        return None;
    }
    mapped.push((of.clone(), cells as usize));
    Some(cells as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::operation::TaskId;

    /// The kinds and judged bytes of a block's cells and of those around it, for all small sizes.
    #[test]
    fn the_cells_of_a_block_say_which_bytes_it_has() {
        let mut shadow = Shadow::default();
        let heap = 0x10_0000..0x20_0000;
        assert!(shadow.begin(heap.clone()));
        let first = Some((Touch::new(TaskId(3), 9, super::super::cell::How::Write, 0xff), 0));
        for size in 0..40usize {
            let start = heap.start + 64;
            let end = start + size;
            shadow.allocate(start..end, 16, first);
            for address in start - 16..end.max(start + 1) + 16 {
                let cell = shadow.of_heap(address).unwrap();
                let is_inside = (start..end).contains(&address);
                let bit = 1u8 << (address % GRANULE);
                assert_eq!(
                    cell.judged & bit != 0,
                    is_inside,
                    "size {size}, byte {}",
                    address as isize - start as isize
                );
                assert_eq!(cell.kind == Kind::Zone, cell.judged == 0, "size {size}");
            }
            shadow.free(start..end);
            for address in start..end {
                assert_eq!(shadow.of_heap(address).unwrap().kind, Kind::Freed);
            }
        }
        assert!(shadow.of_heap(heap.end).is_none() && shadow.of_heap(heap.start - 1).is_none());
    }

    #[test]
    fn cells_of_a_stack_are_gone_with_it() {
        let (mut shadow, stack) = (Shadow::default(), 0x50_0000..0x51_0000);
        assert!(shadow.begin(0x30_0000..0x40_0000));
        let touch = Touch::new(TaskId(1), 2, super::super::cell::How::Write, 0xff);
        for _ in 0..2 {
            assert!(shadow.known(stack.start).is_none());
            assert!(shadow.add_stack(stack.clone()));
            for address in [stack.end - 1, stack.start + 100, stack.start] {
                let cell = shadow.known(address).unwrap();
                assert!(!cell.knows(touch) && cell.kind == Kind::Stack);
                *cell = cell.with(touch, 0);
                assert!(shadow.known(address).unwrap().knows(touch));
            }
            shadow.forget_stack(&stack);
        }
        // Another execution has a shadow of its own, and may have its tasks on the same stacks.
        assert!(shadow.add_stack(stack.clone()));
        let cell = shadow.known(stack.start).unwrap();
        *cell = cell.with(touch, 0);
        shadow.end();
        let mut another = Shadow::default();
        assert!(another.add_stack(stack.clone()) && !another.known(stack.start).unwrap().knows(touch));
        another.end();
        assert!(shadow.of_other(0x2000, Other::Static(0x0f)).is_some_and(|cell| cell.judged == 0x0f));
        assert!(shadow.of_other(0x2004, Other::Nothing).is_some() && shadow.has_other(0x2007));
        assert!(shadow.of_other(0x3000, Other::Nothing).is_none());
    }
}
