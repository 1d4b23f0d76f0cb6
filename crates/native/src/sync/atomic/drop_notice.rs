//! When an atomic is gone: atomics have the layout of std's and are known by their address, so the execution must learn that
//! the next atomic at this address is another one.
//!
//! Invariant: which atomics are taken for one object does not depend on the addresses that the allocator hands out, as long
//! as no atomic is moved after its first use. A move is a copy of bytes, of which only [`crate::alloc::Allocator`] hears, when
//! the memory is freed that the atomic was moved out of.

/// Stands behind an atomic of `SIZE` bytes, in a struct with the layout of C, and is dropped with it.
///
/// A field, so that the atomic has no destructor of its own: a pointer may outlive what it points to. The facades of std have
/// no such destructor either, since std's atomics have none; the allocator is always there.
pub(super) struct DropNotice<const SIZE: usize>;

#[cfg(not(feature = "arena"))]
impl<const SIZE: usize> Drop for DropNotice<SIZE> {
    #[inline]
    fn drop(&mut self) {
        let end = &raw mut *self as usize;
        crate::alloc::forget(end - SIZE, SIZE);
    }
}

#[cfg(test)]
mod tests {
    use crate::sync::atomic as ours;
    use std::alloc::Layout;
    use std::sync::atomic as real;

    #[test]
    fn it_takes_no_room() {
        assert_eq!(Layout::new::<ours::AtomicBool>(), Layout::new::<real::AtomicBool>());
        assert_eq!(Layout::new::<ours::AtomicU16>(), Layout::new::<real::AtomicU16>());
        assert_eq!(Layout::new::<ours::AtomicI64>(), Layout::new::<real::AtomicI64>());
        assert_eq!(Layout::new::<ours::AtomicPtr<u8>>(), Layout::new::<real::AtomicPtr<u8>>());
    }
}
