//! The integer atomics, all from one macro.

use super::cell::{Bits, Cell, Strength};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::log::Shape;
use crate::runtime::operation::Verb;
use crate::runtime::overlay::here;
use raddle_core::operation::ObjectId;
use std::fmt;
use std::panic::{Location, RefUnwindSafe};
use std::sync::atomic::{self as real, Ordering};

static SWAP: Verb = Verb::write("swap");
static FETCH_ADD: Verb = Verb::write("fetch_add");
static FETCH_SUB: Verb = Verb::write("fetch_sub");
static FETCH_AND: Verb = Verb::write("fetch_and");
static FETCH_NAND: Verb = Verb::write("fetch_nand");
static FETCH_OR: Verb = Verb::write("fetch_or");
static FETCH_XOR: Verb = Verb::write("fetch_xor");
static FETCH_MAX: Verb = Verb::write("fetch_max");
static FETCH_MIN: Verb = Verb::write("fetch_min");

macro_rules! fetch {
    ($name:ident, $verb:ident, $int:ty, $new:expr) => {
        #[doc = concat!("See std's `", stringify!($name), "`.")]
        #[inline]
        #[track_caller]
        pub fn $name(&self, value: $int, order: Ordering) -> $int {
            let this = here(self);
            let new: fn($int, $int) -> $int = $new;
            let explored = this.cell().update(&$verb, order, Location::caller(), || {
                let old = this.0.$name(value, order);
                (old, new(old, value))
            });
            explored.unwrap_or_else(|| this.0.$name(value, order))
        }
    };
}

macro_rules! integer {
    ($atomic:ident, $int:ty, $unsigned:ty, $shape:expr) => {
        impl Bits for $int {
            const SHAPE: Shape = $shape;
            #[inline]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
        }

        #[doc = concat!("See [`std::sync::atomic::", stringify!($atomic), "`].")]
        #[repr(transparent)]
        pub struct $atomic(real::$atomic);

        impl RefUnwindSafe for $atomic {}

        impl $atomic {
            /// See std's `new`.
            #[inline]
            pub const fn new(value: $int) -> $atomic {
                $atomic(real::$atomic::new(value))
            }
            /// See std's `from_ptr`.
            ///
            /// # Safety
            /// As std's.
            #[inline]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $int) -> &'a $atomic {
                // SAFETY: the caller keeps std's contract, and the layouts are the same.
                unsafe { &*(ptr as *mut $atomic) }
            }
            #[inline]
            fn cell(&self) -> Cell {
                Cell { address: self as *const $atomic as usize, kind: stringify!($atomic) }
            }
            /// See std's `get_mut`.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $int {
                self.0.get_mut()
            }
            /// See std's `into_inner`.
            #[inline]
            pub const fn into_inner(self) -> $int {
                self.0.into_inner()
            }
            /// See std's `as_ptr`.
            #[inline]
            pub const fn as_ptr(&self) -> *mut $int {
                self.0.as_ptr()
            }
            /// See std's `load`.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $int {
                let this = here(self);
                let explored = this.cell().load(order, Location::caller(), || this.0.load(order));
                explored.unwrap_or_else(|| this.0.load(order))
            }
            /// See std's `store`.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $int, order: Ordering) {
                let this = here(self);
                if !this.cell().store(value, order, Location::caller(), || this.0.store(value, order)) {
                    this.0.store(value, order);
                }
            }
            fetch!(swap, SWAP, $int, |_, value| value);
            fetch!(fetch_add, FETCH_ADD, $int, <$int>::wrapping_add);
            fetch!(fetch_sub, FETCH_SUB, $int, <$int>::wrapping_sub);
            fetch!(fetch_and, FETCH_AND, $int, |old, value| old & value);
            fetch!(fetch_nand, FETCH_NAND, $int, |old, value| !(old & value));
            fetch!(fetch_or, FETCH_OR, $int, |old, value| old | value);
            fetch!(fetch_xor, FETCH_XOR, $int, |old, value| old ^ value);
            fetch!(fetch_max, FETCH_MAX, $int, |old, value| old.max(value));
            fetch!(fetch_min, FETCH_MIN, $int, |old, value| old.min(value));

            /// See std's `compare_exchange`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.exchange(Strength::Strong, current, new, success, failure)
            }
            /// See std's `compare_exchange_weak`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.exchange(Strength::Weak, current, new, success, failure)
            }
            #[inline]
            #[track_caller]
            fn exchange(
                &self,
                strength: Strength,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                let this = here(self);
                let exchange = || this.0.compare_exchange(current, new, success, failure);
                this.cell()
                    .compare_exchange(
                        strength,
                        (current, new),
                        (success, failure),
                        Location::caller(),
                        exchange,
                    )
                    .unwrap_or_else(exchange)
            }
        }

        impl Labelled for $atomic {}
        impl Sealed for $atomic {
            fn labelled_object(&self) -> Option<ObjectId> {
                context::current().map(|current| here(self).cell().object(current))
            }
        }
        impl Default for $atomic {
            fn default() -> $atomic {
                $atomic::new(<$int>::default())
            }
        }
        impl From<$int> for $atomic {
            fn from(value: $int) -> $atomic {
                $atomic::new(value)
            }
        }
        impl fmt::Debug for $atomic {
            #[track_caller]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.load(Ordering::Relaxed).fmt(f)
            }
        }
    };
}

integer!(AtomicU8, u8, u8, Shape::Unsigned);
integer!(AtomicU16, u16, u16, Shape::Unsigned);
integer!(AtomicU32, u32, u32, Shape::Unsigned);
integer!(AtomicU64, u64, u64, Shape::Unsigned);
integer!(AtomicUsize, usize, usize, Shape::Unsigned);
integer!(AtomicI8, i8, u8, Shape::Signed(8));
integer!(AtomicI16, i16, u16, Shape::Signed(16));
integer!(AtomicI32, i32, u32, Shape::Signed(32));
integer!(AtomicI64, i64, u64, Shape::Signed(64));
integer!(AtomicIsize, isize, usize, Shape::Signed(64));
