//! The memory of programs under test, in regions of our own.
//!
//! Where the whole process is the program under test, each region is [reset](Afterwards::Reset) with every execution: memory
//! is at the same addresses in all of them (`parking_lot` selects queues by the addresses of its locks), and what was never
//! freed is lost. Where a test explores by itself, values outlive the execution that made them, and what is still there is
//! [kept](Afterwards::Kept).
//!
//! Allocations of the runtime stay outside: all its work on an execution is [`own`] work, and so is state that a facade keeps
//! between executions.

mod region;
mod survivors;

use crate::runtime::context::{self, Current};
use crate::runtime::heap::{Freed, Heap};
use raddle_core::verdict::Defect;
use region::{REGIONS, Region};
pub(crate) use region::{begins_anew, contains};
use std::alloc::Layout;
use std::cell::Cell;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What becomes of a region when an execution is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Afterwards {
    /// All of it is unused again.
    Reset,
    /// What was not freed is kept, and the next execution has the rest.
    Kept,
}

static ENABLED: AtomicBool = AtomicBool::new(false);
/// Every execution has a fresh region, and the earlier ones are inaccessible: this finds memory that outlives
/// its execution.
static STRICT: AtomicBool = AtomicBool::new(false);

/// What a region is used for.
enum Slot {
    Unused,
    Taken,
    /// Something outlived the executions there.
    Left(Box<Region>),
}

/// Those that are reset, and those that are kept.
static SLOTS: Mutex<[Slot; 2 * REGIONS]> = Mutex::new([const { Slot::Unused }; 2 * REGIONS]);

thread_local! {
    /// The region of the execution that was begun last. Its lease lives.
    static REGION: Cell<Option<NonNull<Region>>> = const { Cell::new(None) };
    /// The runtime allocates for itself.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// From now on executions have regions that are reset, if the program supports that.
pub fn enable() {
    STRICT.store(std::env::var_os("RADDLE_STRICT_ARENA").is_some(), Ordering::Relaxed);
    ENABLED.store(true, Ordering::Relaxed);
}

/// From now on memory outlives executions.
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
pub(crate) struct Lease(Option<Box<Region>>);

impl Lease {
    /// A region for executions whose heap is judged or not. None is needed where memory is the system's.
    pub fn new(is_judged: bool) -> Lease {
        let afterwards = match ENABLED.load(Ordering::Relaxed) {
            true => Afterwards::Reset,
            false if is_judged => Afterwards::Kept,
            false => return Lease(None),
        };
        let numbers = match afterwards {
            Afterwards::Reset => 0..REGIONS,
            Afterwards::Kept => REGIONS..2 * REGIONS,
        };
        let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
        let free = numbers.clone().find(|number| !matches!(slots[*number], Slot::Taken));
        let Some(number) = free else { return Lease(None) };
        let region = match std::mem::replace(&mut slots[number], Slot::Taken) {
            Slot::Left(region) => Some(region),
            _ => Region::map(number - numbers.start, afterwards).map(Box::new),
        };
        if region.is_none() {
            slots[number] = Slot::Unused;
        }
        Lease(region)
    }

    fn here(&mut self) -> Option<NonNull<Region>> {
        self.0.as_deref_mut().map(NonNull::from)
    }

    /// An execution begins.
    pub fn begin(&mut self) {
        REGION.set(self.here());
        if let Some(region) = &mut self.0 {
            region.begin(STRICT.load(Ordering::Relaxed));
        }
    }

    /// An execution is over, whose blocks these are.
    pub fn end(&mut self, heap: &Heap) {
        if let Some(region) = &mut self.0 {
            region.end(heap.living());
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if REGION.get() == self.here() {
            REGION.set(None);
        }
        if let Some(region) = self.0.take() {
            let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
            match region.afterwards() {
                Afterwards::Reset => slots[region.number()] = Slot::Unused,
                Afterwards::Kept => {
                    let number = REGIONS + region.number();
                    slots[number] = Slot::Left(region);
                }
            }
        }
    }
}

/// Something is done with the region of the present execution.
#[inline]
fn in_region<R>(f: impl FnOnce(&mut Region) -> Option<R>) -> Option<R> {
    // SAFETY: its lease lives, on this thread, and what is done with a region allocates nothing in it.
    REGION.get().and_then(|mut region| f(unsafe { region.as_mut() }))
}

/// The addresses of the region of the present execution.
pub(crate) fn region() -> Option<Range<usize>> {
    in_region(|region| Some(region.addresses()))
}

/// Whether the runtime works for itself.
#[cfg(feature = "arena")]
#[inline]
pub(crate) fn is_own() -> bool {
    OWN.get()
}

/// Whether memory comes from a region now.
#[inline]
pub(crate) fn is_for_the_program() -> bool {
    !OWN.get() && context::current().is_some() && (ENABLED.load(Ordering::Relaxed) || REGION.get().is_some())
}

/// A block for the program, if this thread has a region.
pub(crate) fn allocate(layout: Layout) -> Option<*mut u8> {
    match judged() {
        None => in_region(|region| region.allocate(layout)),
        Some(current) => {
            let block = current.with(|e| {
                let (me, stack) = (e.me(), e.heap().stack());
                let start =
                    e.heap().allocate(me, layout, stack, || in_region(|region| region.extend(layout)))?;
                e.note_allocated(start, layout.size());
                Some(start)
            });
            block.map(|start| start as *mut u8)
        }
    }
}

/// The execution that this thread is in, if its heap is judged.
#[inline]
fn judged() -> Option<Current> {
    context::current().filter(|current| current.with(|e| e.heap().is_judged()))
}

/// The program frees memory that is no block of a region: is it one at all?
#[inline]
pub(crate) fn demand_a_block(address: *mut u8) {
    if !OWN.get()
        && let Some(current) = judged().filter(|current| current.with(|e| e.judges_heap()))
        && let Some(defect) = current.with(|e| e.frees_no_block(address as usize))
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

/// Frees a block of the program, in an execution.
///
/// # Safety
/// [`allocate`] made it, with this layout.
pub(crate) unsafe fn free(block: *mut u8, layout: Layout) {
    let Some(current) = judged() else {
        in_region(|region| {
            // SAFETY: the caller's.
            unsafe { region.free(block as usize, layout) };
            Some(())
        });
        return;
    };
    let freed = current.with(|e| match e.judges_heap() {
        true => e.free(block as usize, layout),
        // The execution is over.
        false => Ok(e.heap().discard(block as usize)),
    });
    match freed {
        Ok(Freed::Known) => {}
        Ok(Freed::Unknown) => release(block),
        Err(defect) => stop(current, defect),
    }
}

/// Frees a block of the program, which the present execution did not make or that is not freed by its program.
#[cold]
pub(crate) fn release(block: *mut u8) {
    let _own = own();
    let block = block as usize;
    let is_between = context::current().is_none();
    let mine = |region: &mut Region| (is_between && region.is_around(block)).then(|| region.release(block));
    if in_region(mine).is_none() {
        survivors::release(block);
    }
}
