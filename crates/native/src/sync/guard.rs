//! Shared by all guards: access to the value, and its formatting.

/// `Debug` and `Display` of a guard: those of its value.
macro_rules! shows_its_value {
    ($guard:ident) => {
        impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
        impl<T: ?Sized + std::fmt::Display> std::fmt::Display for $guard<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

/// Access to the value for an exclusive guard. The lock is in `self.$lock`, and its value in a cell.
macro_rules! gives_its_value {
    ($guard:ident, $lock:ident) => {
        impl<T: ?Sized> std::ops::Deref for $guard<'_, T> {
            type Target = T;
            #[inline]
            fn deref(&self) -> &T {
                // SAFETY: the guard's owner holds the lock exclusively.
                unsafe { &*self.$lock.value.get() }
            }
        }
        impl<T: ?Sized> std::ops::DerefMut for $guard<'_, T> {
            #[inline]
            fn deref_mut(&mut self) -> &mut T {
                self.changed = true;
                // SAFETY: as above.
                unsafe { &mut *self.$lock.value.get() }
            }
        }
    };
}

pub(super) use {gives_its_value, shows_its_value};
