//! What integers, booleans and pointers have in common, as two macros: std gives all atomics the same methods,
//! and there is no other way to have them as inherent ones.
//!
//! Inside of explorations the execution's memory keeps the value (see [`super::cell`]); outside it is std's own.

/// The methods of every atomic, for its `impl`; the value in place is field 0.
macro_rules! shared {
    ($atomic:ident, $value:ty) => {
        operations!($atomic, $value);
        /// See std's `from_ptr`.
        ///
        /// # Safety
        /// As std's.
        #[inline]
        pub const unsafe fn from_ptr<'a>(ptr: *mut $value) -> &'a Self {
            // SAFETY: the caller keeps std's contract, and the layouts are the same.
            unsafe { &*ptr.cast::<Self>() }
        }
        /// See std's `get_mut`.
        #[inline]
        pub fn get_mut(&mut self) -> &mut $value {
            // SAFETY: the caller has the only reference to this atomic, and so to its overlay if it is a
            // static.
            unsafe { &mut *$crate::runtime::memory::overlay::here(self).0.as_ptr() }
        }
        /// See std's `into_inner`.
        #[inline]
        pub const fn into_inner(self) -> $value {
            let this = std::mem::ManuallyDrop::new(self);
            // A const function cannot move it out of a field.
            // SAFETY: an atomic has the layout of its value.
            unsafe { std::mem::transmute_copy(&this) }
        }
        /// See std's `as_ptr`. Explorations do not track accesses through the pointer, and for a static it
        /// points to the value outside of them.
        #[inline]
        pub const fn as_ptr(&self) -> *mut $value {
            self.0.as_ptr()
        }
        /// See std's `fetch_update`.
        #[inline]
        #[track_caller]
        pub fn fetch_update<F>(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            f: F,
        ) -> Result<$value, $value>
        where
            F: FnMut($value) -> Option<$value>,
        {
            self.try_update(set_order, fetch_order, f)
        }
    };
}

/// Those methods that are operations, or made of operations.
macro_rules! operations {
    ($atomic:ident, $value:ty) => {
        #[inline]
        fn cell(&self) -> $crate::sync::atomic::cell::Cell {
            let address = &raw const *self as usize;
            $crate::sync::atomic::cell::Cell { address, size: size_of::<Self>(), kind: stringify!($atomic) }
        }
        /// See std's `load`.
        #[cfg_attr(not(feature = "outlined"), inline(always))]
        #[cfg_attr(feature = "outlined", inline(never))]
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            let this = here(self);
            let explored = this.cell().load(order);
            explored.unwrap_or_else(|| this.0.load(order))
        }
        /// See std's `store`.
        #[cfg_attr(not(feature = "outlined"), inline(always))]
        #[cfg_attr(feature = "outlined", inline(never))]
        #[track_caller]
        pub fn store(&self, value: $value, order: Ordering) {
            let this = here(self);
            if !this.cell().store(value, order) {
                this.0.store(value, order);
            }
        }
        fetch!(swap, SWAP, $value, $value, |_, value| value);

        /// See std's `compare_and_swap`.
        #[inline]
        #[track_caller]
        #[deprecated(since = "1.50.0", note = "Use `compare_exchange` or `compare_exchange_weak` instead")]
        pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
            let failure = $crate::sync::atomic::ordering::strongest_failure(order);
            match self.compare_exchange(current, new, order, failure) {
                Ok(value) | Err(value) => value,
            }
        }
        /// See std's `compare_exchange`.
        #[cfg_attr(not(feature = "outlined"), inline(always))]
        #[cfg_attr(feature = "outlined", inline(never))]
        #[track_caller]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            self.exchange(Strength::Strong, (current, new), (success, failure))
        }
        /// See std's `compare_exchange_weak`.
        #[cfg_attr(not(feature = "outlined"), inline(always))]
        #[cfg_attr(feature = "outlined", inline(never))]
        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            self.exchange(Strength::Weak, (current, new), (success, failure))
        }
        #[inline(always)]
        #[track_caller]
        fn exchange(
            &self,
            strength: Strength,
            values: ($value, $value),
            orders: (Ordering, Ordering),
        ) -> Result<$value, $value> {
            let this = here(self);
            // It never fails spuriously by itself: that is a choice of the search.
            let explored = this.cell().compare_exchange(strength, values, orders);
            explored.unwrap_or_else(|| this.0.compare_exchange(values.0, values.1, orders.0, orders.1))
        }
        /// See std's `try_update`.
        #[inline]
        #[track_caller]
        pub fn try_update(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            mut f: impl FnMut($value) -> Option<$value>,
        ) -> Result<$value, $value> {
            let mut seen = self.load(fetch_order);
            while let Some(next) = f(seen) {
                match self.compare_exchange_weak(seen, next, set_order, fetch_order) {
                    done @ Ok(_) => return done,
                    Err(found) => seen = found,
                }
            }
            Err(seen)
        }
        /// See std's `update`.
        #[inline]
        #[track_caller]
        pub fn update(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            mut f: impl FnMut($value) -> $value,
        ) -> $value {
            let mut seen = self.load(fetch_order);
            loop {
                match self.compare_exchange_weak(seen, f(seen), set_order, fetch_order) {
                    Ok(old) => break old,
                    Err(found) => seen = found,
                }
            }
        }
    };
}

/// A read-modify-write: std's method of that name, and the new value by the old one and the argument.
macro_rules! fetch {
    ($name:ident, $kind:ident, $argument:ty, $value:ty, $new:expr) => {
        #[doc = concat!("See std's `", stringify!($name), "`.")]
        #[cfg_attr(not(feature = "outlined"), inline(always))]
        #[cfg_attr(feature = "outlined", inline(never))]
        #[track_caller]
        pub fn $name(&self, value: $argument, order: Ordering) -> $value {
            let this = here(self);
            let new: fn($value, $argument) -> $value = $new;
            let explored =
                this.cell()
                    .update(&$kind, $crate::runtime::memory::Bits::bits(value), order, |old| new(old, value));
            explored.unwrap_or_else(|| this.0.$name(value, order))
        }
    };
}

pub(super) use {fetch, operations, shared};
