//! Statics start clean in every execution. The state of one of our types that lives in a static is a copy
//! that belongs to the execution, made from the value with which the program starts; so executions never see
//! each other's statics, whether one after the other or at the same time in several workers.
//!
//! A value in a static is made by a constant expression and owns no heap, so a copy of its bytes is a value.
//! A static that is used outside of executions first leaves its untouched bytes here.

use crate::runtime::context::{self, Current};
use crate::runtime::image;
use std::alloc::Layout;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// The copies of one execution.
#[derive(Default)]
pub(crate) struct Overlays {
    copies: Vec<Copy>,
}

/// The copy of one static.
pub(crate) struct Copy {
    original: usize,
    size: usize,
    bytes: *mut u8,
    layout: Layout,
    drop: Box<dyn FnOnce()>,
}

impl Copy {
    /// Destroys the value, then its memory. If the destructor panics, the memory is leaked.
    pub fn destroy(self) {
        (self.drop)();
        if self.layout.size() > 0 {
            // SAFETY: allocated with this layout by `copy` and not freed since.
            unsafe { std::alloc::dealloc(self.bytes, self.layout) }
        }
    }
}

impl Overlays {
    #[inline]
    fn find(&self, original: usize, size: usize) -> Option<*mut u8> {
        self.copies.iter().find(|c| c.original == original && c.size == size).map(|c| c.bytes)
    }
    /// All copies, to be destroyed.
    pub fn take(&mut self) -> Vec<Copy> {
        std::mem::take(&mut self.copies)
    }
    /// Whether `address` belongs to one of them.
    pub fn contain(&self, address: usize) -> bool {
        self.copies.iter().any(|c| (c.bytes as usize..c.bytes as usize + c.size).contains(&address))
    }
    pub fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }
}

/// Bytes by the address and the size of what they were in.
type Bytes = HashMap<(usize, usize), Box<[u8]>>;

/// The bytes of statics as they were before threads outside of executions used them.
fn untouched() -> &'static Mutex<Bytes> {
    static UNTOUCHED: OnceLock<Mutex<Bytes>> = OnceLock::new();
    UNTOUCHED.get_or_init(Default::default)
}

/// Addresses whose bytes are known to be kept: spares most uses of statics outside the lock.
static KEPT: [AtomicUsize; 1024] = [const { AtomicUsize::new(0) }; 1024];

/// `this` as the present execution sees it: itself, or the execution's copy if it lives in a static.
#[inline]
pub(crate) fn here<T: ?Sized>(this: &T) -> &T {
    let address = this as *const T as *const u8 as usize;
    if !image::contains(address) {
        return this;
    }
    match context::current() {
        Some(current) => copy(current, this, address),
        None => {
            keep_untouched(address, size_of_val(this));
            this
        }
    }
}

#[cold]
fn copy<T: ?Sized>(current: Current, this: &T, address: usize) -> &T {
    let bytes = copied(current, address, Layout::for_value(this), &|bytes| {
        let target = at(this, bytes) as *mut T;
        // The box must be static, but it is used up before the execution is put away.
        let drop: Box<dyn FnOnce() + '_> = Box::new(move || {
            // SAFETY: a bytewise copy of a constant value, which is destroyed nowhere else.
            unsafe { std::ptr::drop_in_place(target) }
        });
        // SAFETY: statics outlive executions, and so do their types.
        unsafe { std::mem::transmute::<Box<dyn FnOnce() + '_>, Box<dyn FnOnce()>>(drop) }
    });
    // SAFETY: a copy of a `T` that lives as long as the execution, and with it all tasks that use it.
    unsafe { &*at(this, bytes) }
}

/// The copy of what is at `address`, made if there is none yet; `drop` says how it is destroyed. Compiled once, and not
/// for each type in a static.
#[inline(never)]
fn copied(
    current: Current,
    address: usize,
    layout: Layout,
    drop: &dyn Fn(*mut u8) -> Box<dyn FnOnce()>,
) -> *mut u8 {
    let size = layout.size();
    if let Some(found) = current.with(|e| e.state.memory.overlays().find(address, size)) {
        return found;
    }
    let _own = crate::arena::own();
    let bytes = if size == 0 {
        std::ptr::without_provenance_mut(layout.align())
    } else {
        // SAFETY: the size is not zero.
        unsafe { std::alloc::alloc(layout) }
    };
    assert!(!bytes.is_null(), "raddle: out of memory");
    let kept = untouched().lock().unwrap_or_else(|e| e.into_inner());
    let from = match kept.get(&(address, size)) {
        Some(saved) => saved.as_ptr(),
        None => address as *const u8,
    };
    // SAFETY: both are `size` bytes; no thread outside changes the original before its bytes are kept,
    // which needs the lock that is held here.
    unsafe { std::ptr::copy_nonoverlapping(from, bytes, size) };
    std::mem::drop(kept);
    let drop = drop(bytes);
    current.with(|e| {
        e.state.memory.overlays().copies.push(Copy { original: address, size, bytes, layout, drop })
    });
    bytes
}

/// The pointer to `this`, moved to `bytes`; keeps the length or the vtable.
fn at<T: ?Sized>(this: &T, bytes: *mut u8) -> *const T {
    let pointer = this as *const T;
    let from = pointer as *const u8 as isize;
    pointer.wrapping_byte_offset((bytes as isize).wrapping_sub(from))
}

fn keep_untouched(address: usize, size: usize) {
    let slot = &KEPT[(address >> 3) % KEPT.len()];
    let mark = address ^ size.rotate_left(48);
    if slot.load(Ordering::Acquire) == mark {
        return;
    }
    let mut kept = untouched().lock().unwrap_or_else(|e| e.into_inner());
    kept.entry((address, size)).or_insert_with(|| {
        // SAFETY: `size` bytes of a living object of ours. Threads outside may be using it at this moment
        // only if its bytes are kept already.
        unsafe { std::slice::from_raw_parts(address as *const u8, size) }.into()
    });
    slot.store(mark, Ordering::Release);
}
