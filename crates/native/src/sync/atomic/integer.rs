//! The integer atomics, all from one macro.

use super::cell::{Bits, Strength};
use super::cell::{
    FETCH_ADD, FETCH_AND, FETCH_MAX, FETCH_MIN, FETCH_NAND, FETCH_OR, FETCH_SUB, FETCH_XOR, SWAP,
};
use super::drop_notice::DropNotice;
use super::shared::{fetch, operations, shared};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::log::Shape;
use crate::runtime::memory::overlay::here;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::sync::atomic::{self as real, Ordering};

macro_rules! integer {
    ($atomic:ident, $int:ty, $unsigned:ty, $shape:expr) => {
        impl Bits for $int {
            const SHAPE: Shape = $shape;
            #[inline]
            fn bits(self) -> u64 {
                // Through the unsigned type of the same width: no sign extension.
                self as $unsigned as u64
            }
            #[inline]
            fn of(bits: u64) -> $int {
                bits as $int
            }
        }

        #[doc = concat!("See [`std::sync::atomic::", stringify!($atomic), "`].")]
        // The layout of std's: what stands behind the value takes no room.
        #[repr(C)]
        pub struct $atomic(real::$atomic, DropNotice<{ size_of::<$int>() }>);

        impl $atomic {
            /// See std's `new`.
            #[inline]
            #[must_use]
            pub const fn new(value: $int) -> $atomic {
                $atomic(real::$atomic::new(value), DropNotice)
            }
            shared!($atomic, $int);
            fetch!(fetch_add, FETCH_ADD, $int, $int, <$int>::wrapping_add);
            fetch!(fetch_sub, FETCH_SUB, $int, $int, <$int>::wrapping_sub);
            fetch!(fetch_and, FETCH_AND, $int, $int, |old, value| old & value);
            fetch!(fetch_nand, FETCH_NAND, $int, $int, |old, value| !(old & value));
            fetch!(fetch_or, FETCH_OR, $int, $int, |old, value| old | value);
            fetch!(fetch_xor, FETCH_XOR, $int, $int, |old, value| old ^ value);
            fetch!(fetch_max, FETCH_MAX, $int, $int, |old, value| old.max(value));
            fetch!(fetch_min, FETCH_MIN, $int, $int, |old, value| old.min(value));
        }

        impl Labelled for $atomic {}
        impl Sealed for $atomic {
            fn labelled_object(&self) -> Option<ObjectId> {
                context::current().map(|current| here(self).cell().object(current))
            }
        }
        impl Default for $atomic {
            #[inline]
            fn default() -> $atomic {
                $atomic::new(<$int>::default())
            }
        }
        impl From<$int> for $atomic {
            #[inline]
            fn from(value: $int) -> $atomic {
                $atomic::new(value)
            }
        }
        impl fmt::Debug for $atomic {
            #[track_caller]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }
    };
}

integer!(AtomicU8, u8, u8, Shape::Unsigned);
integer!(AtomicU16, u16, u16, Shape::Unsigned);
integer!(AtomicU32, u32, u32, Shape::Unsigned);
integer!(AtomicU64, u64, u64, Shape::Unsigned);
integer!(AtomicUsize, usize, usize, Shape::Unsigned);
integer!(AtomicI8, i8, u8, Shape::Signed8);
integer!(AtomicI16, i16, u16, Shape::Signed16);
integer!(AtomicI32, i32, u32, Shape::Signed32);
integer!(AtomicI64, i64, u64, Shape::Signed64);
integer!(AtomicIsize, isize, usize, Shape::ISIZE);

/// See [`std::sync::atomic::AtomicIsize`].
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);

/// See [`std::sync::atomic::AtomicUsize`].
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);
