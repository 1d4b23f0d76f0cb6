//! What all guards have in common: they show what they guard.

/// `Debug` and `Display` of a guard, which are those of its value.
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

/// The access to its value of a guard whose owner is the only one who has it. The lock is in `self.$lock`, and
/// its value in a cell.
macro_rules! gives_its_value {
    ($guard:ident, $lock:ident) => {
        impl<T: ?Sized> std::ops::Deref for $guard<'_, T> {
            type Target = T;
            #[inline]
            fn deref(&self) -> &T {
                // SAFETY: the guard's owner holds the lock alone.
                unsafe { &*self.$lock.value.get() }
            }
        }
        impl<T: ?Sized> std::ops::DerefMut for $guard<'_, T> {
            #[inline]
            fn deref_mut(&mut self) -> &mut T {
                // SAFETY: as above.
                unsafe { &mut *self.$lock.value.get() }
            }
        }
    };
}

pub(super) use {gives_its_value, shows_its_value};
