//! The result of a task for its join. A packet is shared by the task and its handle; the last one to drop it
//! destroys it. Every spawned task needs one, so small ones are reused instead of freed.

use crate::runtime::context;
use crate::runtime::execution::Execution;
use crate::runtime::leftovers::Slot;
use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

type Outcome<T> = std::thread::Result<T>;

// The slot comes first.
#[repr(C)]
struct Shared<T> {
    slot: Slot,
    owners: Cell<u32>,
    outcome: UnsafeCell<Option<Outcome<T>>>,
}

/// One of the two ends of a packet, and its execution.
pub(super) struct Packet<T>(NonNull<Shared<T>>, u64);

/// Frees a packet that is left over: a result that no task took is forgotten.
///
/// # Safety
/// It is a block of [`blocks`] with a `Shared<T>`, and not used again.
unsafe fn free<T>(at: NonNull<Slot>) {
    blocks::give_back(at.cast::<Shared<T>>());
}

// SAFETY: used only by tasks of one execution, which all run on the execution's own thread.
unsafe impl<T: Send> Send for Packet<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Packet<T> {}

impl<T> Packet<T> {
    /// The two ends of a new packet.
    pub fn new(e: &mut Execution) -> (Packet<T>, Packet<T>) {
        let shared: NonNull<Shared<T>> = blocks::take();
        let new = Shared { slot: Cell::new(0), owners: Cell::new(2), outcome: UnsafeCell::new(None) };
        // SAFETY: a block that is large enough and not in use. It begins with its slot.
        unsafe {
            shared.write(new);
            e.leftovers.add(shared.cast(), free::<T>);
        }
        (Packet(shared, e.serial()), Packet(shared, e.serial()))
    }
    fn shared(&self) -> &Shared<T> {
        // SAFETY: it lives as long as one of its ends, in its execution, where alone it is used.
        unsafe { self.0.as_ref() }
    }
    /// Stores the result.
    pub fn set(&self, outcome: Outcome<T>) {
        // SAFETY: nothing is borrowed from it, and only the task itself writes it, once.
        unsafe { *self.shared().outcome.get() = Some(outcome) };
    }
    /// Takes the result, if it is there.
    pub fn take(&self) -> Option<Outcome<T>> {
        // SAFETY: nothing is borrowed from it.
        unsafe { (*self.shared().outcome.get()).take() }
    }
}

impl<T> Drop for Packet<T> {
    fn drop(&mut self) {
        // With its execution it was freed.
        let Some(current) = context::current().filter(|current| current.with(|e| e.serial()) == self.1)
        else {
            return;
        };
        let owners = self.shared().owners.get() - 1;
        self.shared().owners.set(owners);
        if owners > 0 {
            return;
        }
        current.with(|e| e.leftovers.remove(self.shared().slot.get()));
        let _give_back = GiveBack(self.0);
        // SAFETY: this was the last end.
        unsafe { self.0.drop_in_place() };
    }
}

/// Frees the block, also if the destructor of its contents panics.
struct GiveBack<T>(NonNull<Shared<T>>);

impl<T> Drop for GiveBack<T> {
    fn drop(&mut self) {
        blocks::give_back(self.0);
    }
}

/// Blocks of one size.
mod blocks {
    use super::{Layout, MaybeUninit, NonNull, Shared};
    use std::cell::RefCell;

    #[repr(align(16))]
    struct Block(#[allow(dead_code, reason = "only its size matters")] MaybeUninit<[u8; 64]>);

    /// The maximal number of blocks kept for reuse.
    const KEEP: usize = 64;

    thread_local! {
        // Boxes are reused, not their contents.
        #[allow(clippy::vec_box)]
        static FREE: RefCell<Vec<Box<Block>>> = const { RefCell::new(Vec::new()) };
    }

    const fn fits<T>() -> bool {
        size_of::<Shared<T>>() <= size_of::<Block>() && align_of::<Shared<T>>() <= align_of::<Block>()
    }

    pub fn take<T>() -> NonNull<Shared<T>> {
        if !fits::<T>() {
            let layout = Layout::new::<Shared<T>>();
            let _paused = crate::runtime::plain::watch::pause();
            // SAFETY: the layout has a size: it holds a counter.
            let memory = unsafe { std::alloc::alloc(layout) };
            return NonNull::new(memory.cast()).unwrap_or_else(|| std::alloc::handle_alloc_error(layout));
        }
        let _own = crate::arena::own();
        let kept = FREE.try_with(|free| free.borrow_mut().pop()).ok().flatten();
        let block = kept.unwrap_or_else(|| Box::new(Block(MaybeUninit::uninit())));
        NonNull::from(Box::leak(block)).cast()
    }

    pub fn give_back<T>(shared: NonNull<Shared<T>>) {
        if !fits::<T>() {
            // SAFETY: allocated above with this layout.
            return unsafe { std::alloc::dealloc(shared.as_ptr().cast(), Layout::new::<Shared<T>>()) };
        }
        let _own = crate::arena::own();
        // Its contents are gone, as if it were freed.
        crate::alloc::forget(shared.as_ptr() as usize, size_of::<Block>());
        // SAFETY: taken out of its box above.
        let block = unsafe { Box::from_raw(shared.as_ptr().cast::<Block>()) };
        // When the thread exits, nothing is kept.
        let _ = FREE.try_with(|free| {
            let mut free = free.borrow_mut();
            if free.len() < KEEP {
                free.push(block);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::world::NativeWorld;
    use raddle_core::world::World;
    use std::rc::Rc;

    /// Runs `f` in an execution.
    fn inside(f: impl Fn()) {
        let mut world = NativeWorld::new(&f, Settings::default());
        world.start();
        assert!(matches!(world.end(None).end, raddle_core::world::End::Passed(())));
        world.finish();
    }
    fn packet<T>() -> (Packet<T>, Packet<T>) {
        context::current().expect("inside of an execution").with(Packet::new)
    }

    #[test]
    fn the_last_end_destroys_what_nobody_took() {
        inside(|| {
            let witness = Rc::new(());
            let (task, handle) = packet();
            task.set(Ok(witness.clone()));
            drop(task);
            assert_eq!(Rc::strong_count(&witness), 2);
            drop(handle);
            assert_eq!(Rc::strong_count(&witness), 1);
        });
    }

    #[test]
    fn large_results_travel_too() {
        inside(|| {
            let (task, handle) = packet();
            task.set(Ok([7u64; 100]));
            drop(task);
            assert_eq!(handle.take().unwrap().unwrap()[99], 7);
            assert!(handle.take().is_none());
        });
    }

    #[test]
    fn strictly_aligned_results_travel_too() {
        #[repr(align(128))]
        struct Wide(u8);
        inside(|| {
            let (task, handle) = packet();
            task.set(Ok(Wide(7)));
            assert_eq!(handle.take().unwrap().map(|w| w.0).unwrap(), 7);
        });
    }

    #[test]
    fn blocks_are_used_again() {
        inside(|| {
            let (task, handle) = packet::<u32>();
            let address = task.0;
            drop((task, handle));
            assert_eq!(packet::<u64>().0.0.cast(), address);
        });
    }

    /// One that is forgotten is freed with its execution, and an end that outlives it refers to nothing.
    #[test]
    fn what_is_left_over_is_used_again() {
        let kept = Cell::new(None);
        let address = Cell::new(NonNull::dangling());
        inside(|| {
            let (task, handle) = packet::<u32>();
            address.set(task.0);
            std::mem::forget(task);
            kept.set(Some(handle));
        });
        inside(|| assert_eq!(packet::<u32>().0.0, address.get()));
        drop(kept.take());
    }
}
