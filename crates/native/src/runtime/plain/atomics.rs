//! Real atomics, in code of the standard library that is compiled into the program: the counts of its `Arc`, for example.
//! They are carried out, and the clocks learn of them by their declared orderings. They are no steps.

use super::callbacks::{looking, stop};
use super::watch;
use crate::runtime::log::Sync;
use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, compiler_fence, fence as real_fence,
};

/// C11's numbers of orderings.
fn ordering(number: c_int) -> Ordering {
    match number {
        0 => Ordering::Relaxed,
        1 | 2 => Ordering::Acquire,
        3 => Ordering::Release,
        4 => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}

#[inline]
fn note(address: usize, size: usize, sync: Sync) {
    if watch::is_on()
        && let Some(current) = looking()
        && let Some(defect) = current.with(|e| e.access_atomic(address, size, sync))
    {
        stop(current, defect);
    }
}

/// A number of some size in memory. All are carried out as sequentially consistent: that is as good as any other ordering.
trait Number: Copy + PartialEq {
    /// # Safety
    /// Memory of this type that is accessed by atomics only.
    unsafe fn load(at: *mut Self) -> Self;
    /// # Safety
    /// As above.
    unsafe fn update(at: *mut Self, new: impl Fn(Self) -> Option<Self>) -> Self;
}

macro_rules! numbers {
    ($($number:ty, $atomic:ty;)*) => {$(
        impl Number for $number {
            #[inline]
            unsafe fn load(at: *mut $number) -> $number {
                // SAFETY: the caller's.
                unsafe { <$atomic>::from_ptr(at) }.load(Ordering::SeqCst)
            }
            #[inline]
            unsafe fn update(at: *mut $number, new: impl Fn($number) -> Option<$number>) -> $number {
                // SAFETY: the caller's.
                let atomic = unsafe { <$atomic>::from_ptr(at) };
                match atomic.fetch_update(Ordering::SeqCst, Ordering::SeqCst, new) {
                    Ok(old) | Err(old) => old,
                }
            }
        }
    )*};
}

numbers! { u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

/// No atomic of Rust is so large: one lock for all.
static LARGE: AtomicBool = AtomicBool::new(false);

struct Locked;

impl Locked {
    fn new() -> Locked {
        while LARGE.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        Locked
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        LARGE.store(false, Ordering::Release);
    }
}

impl Number for u128 {
    unsafe fn load(at: *mut u128) -> u128 {
        let _locked = Locked::new();
        // SAFETY: the caller's, and the lock is held.
        unsafe { at.read() }
    }
    unsafe fn update(at: *mut u128, new: impl Fn(u128) -> Option<u128>) -> u128 {
        let _locked = Locked::new();
        // SAFETY: the caller's, and the lock is held.
        unsafe {
            let old = at.read();
            if let Some(new) = new(old) {
                at.write(new);
            }
            old
        }
    }
}

/// Reads and writes are noted when they have happened: a task that reads knows then what it has acquired.
unsafe fn load<T: Number>(at: *mut T, order: c_int) -> T {
    // SAFETY: the caller's.
    let value = unsafe { T::load(at) };
    note(at as usize, size_of::<T>(), Sync::Load(ordering(order)));
    value
}

unsafe fn store<T: Number>(at: *mut T, value: T, order: c_int) {
    // SAFETY: the caller's.
    unsafe { T::update(at, |_| Some(value)) };
    note(at as usize, size_of::<T>(), Sync::Store(ordering(order)));
}

unsafe fn update<T: Number>(at: *mut T, order: c_int, new: impl Fn(T) -> T) -> T {
    // SAFETY: the caller's.
    let old = unsafe { T::update(at, |old| Some(new(old))) };
    note(at as usize, size_of::<T>(), Sync::Update(ordering(order)));
    old
}

unsafe fn exchange<T: Number>(at: *mut T, expected: T, new: T, (success, failure): (c_int, c_int)) -> T {
    // SAFETY: the caller's.
    let old = unsafe { T::update(at, |old| (old == expected).then_some(new)) };
    let sync = match old == expected {
        true => Sync::Update(ordering(success)),
        false => Sync::Load(ordering(failure)),
    };
    note(at as usize, size_of::<T>(), sync);
    old
}

macro_rules! atomics {
    ($number:ty: $load:ident $store:ident $swap:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
     $strong:ident $weak:ident $value:ident) => {
        /// # Safety
        /// As all here: an atomic of this size.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(at: *mut $number, order: c_int) -> $number {
            // SAFETY: the caller's.
            unsafe { load(at, order) }
        }
        /// # Safety
        /// See above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(at: *mut $number, value: $number, order: c_int) {
            // SAFETY: the caller's.
            unsafe { store(at, value, order) }
        }
        atomics! { updates $number: $swap |_, new| new; $add |old, by| old.wrapping_add(by);
            $sub |old, by| old.wrapping_sub(by); $and |old, by| old & by; $or |old, by| old | by;
            $xor |old, by| old ^ by; $nand |old, by| !(old & by); }
        atomics! { exchanges $number: $strong $weak }
        /// # Safety
        /// See above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $value(
            at: *mut $number,
            expected: $number,
            new: $number,
            success: c_int,
            failure: c_int,
        ) -> $number {
            // SAFETY: the caller's.
            unsafe { exchange(at, expected, new, (success, failure)) }
        }
    };
    (updates $number:ty: $($name:ident |$old:pat_param, $by:ident| $new:expr;)*) => {$(
        /// # Safety
        /// See above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: *mut $number, $by: $number, order: c_int) -> $number {
            // SAFETY: the caller's.
            unsafe { update(at, order, |$old: $number| $new) }
        }
    )*};
    (exchanges $number:ty: $($name:ident)*) => {$(
        /// # Safety
        /// See above; what is expected may be read and written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            at: *mut $number,
            expected: *mut $number,
            new: $number,
            success: c_int,
            failure: c_int,
        ) -> c_int {
            // SAFETY: the caller's.
            unsafe {
                let wanted = expected.read();
                let old = exchange(at, wanted, new, (success, failure));
                if old != wanted {
                    expected.write(old);
                }
                (old == wanted) as c_int
            }
        }
    )*};
}

atomics! { u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
__tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor
__tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
__tsan_atomic8_compare_exchange_val }
atomics! { u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
__tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
__tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
__tsan_atomic16_compare_exchange_val }
atomics! { u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
__tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
__tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
__tsan_atomic32_compare_exchange_val }
atomics! { u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
__tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
__tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
__tsan_atomic64_compare_exchange_val }
atomics! { u128: __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange __tsan_atomic128_fetch_add
__tsan_atomic128_fetch_sub __tsan_atomic128_fetch_and __tsan_atomic128_fetch_or __tsan_atomic128_fetch_xor
__tsan_atomic128_fetch_nand __tsan_atomic128_compare_exchange_strong __tsan_atomic128_compare_exchange_weak
__tsan_atomic128_compare_exchange_val }

/// A fence of the standard library's own.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(order: c_int) {
    let order = ordering(order);
    if order != Ordering::Relaxed {
        real_fence(order);
    }
    note(0, 0, Sync::Fence(order));
}

/// A fence within one thread.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: c_int) {
    compiler_fence(Ordering::SeqCst);
}
