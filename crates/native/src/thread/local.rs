//! Thread-locals. Outside explorations a key is a `std` one; inside, its value belongs to the task that uses
//! it and is destroyed when the task finishes. No access is an operation: no other task can observe it.
//! Initialisers and destructors are program code, and may perform operations and use other keys.

use crate::runtime::context::{self, Current};
use crate::runtime::tasks::locals::Slot;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;

/// Support for the macro.
#[doc(hidden)]
pub mod local_impl {
    pub use std::thread_local as std_thread_local;

    /// Identifies a key by its address.
    #[derive(Debug)]
    pub struct Tag(#[allow(dead_code)] u8);

    impl Tag {
        /// The tag of one key.
        #[allow(clippy::new_without_default)]
        pub const fn new() -> Tag {
            Tag(0)
        }
    }
}

/// See [`std::thread::LocalKey`].
pub struct LocalKey<T: 'static> {
    tag: &'static local_impl::Tag,
    outside: &'static std::thread::LocalKey<T>,
    init: fn() -> T,
}

/// See [`std::thread::AccessError`].
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AccessError;

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}

#[cold]
#[track_caller]
fn panic_access_error(error: AccessError) -> ! {
    panic!("cannot access a Thread Local Storage value during or after destruction: {error:?}")
}

/// What `RefCell` says. Its own panic would be at a place in this file: closures do not know their callers.
#[track_caller]
#[cold]
fn panic_borrowed(mutably: bool) -> ! {
    panic!("RefCell already {}borrowed", if mutably { "mutably " } else { "" })
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(
        tag: &'static local_impl::Tag,
        outside: &'static std::thread::LocalKey<T>,
        init: fn() -> T,
    ) -> LocalKey<T> {
        LocalKey { tag, outside, init }
    }

    fn key(&self) -> usize {
        self.tag as *const local_impl::Tag as usize
    }

    /// The running task's value, if it has one.
    fn find(&self, current: Current) -> Result<Option<*const T>, AccessError> {
        current.with(|e| match e.local(self.key()) {
            None => Ok(None),
            Some(Slot::Alive(value) | Slot::Plain(value)) => {
                Ok(Some(value.downcast_ref::<T>().expect("a key has one type") as *const T))
            }
            Some(Slot::Destroyed) => Err(AccessError),
        })
    }

    /// The running task's value, created by `init` if it has none.
    fn get_or_init(&self, current: Current, init: impl FnOnce() -> T) -> Result<*const T, AccessError> {
        if let Some(value) = self.find(current)? {
            return Ok(value);
        }
        let value = Box::new(init());
        let slot = if std::mem::needs_drop::<T>() { Slot::Alive(value) } else { Slot::Plain(value) };
        // If the initialiser has used its own key, this value replaces that one, as in std.
        let before = current.with(|e| e.set_local(self.key(), slot));
        drop(before);
        Ok(self.find(current)?.expect("just made"))
    }

    /// The value of the running task or thread.
    fn value(&'static self) -> Result<*const T, AccessError> {
        match context::current() {
            None => self.outside.try_with(std::ptr::from_ref).map_err(|_| AccessError),
            Some(current) => self.get_or_init(current, self.init),
        }
    }

    /// See [`std::thread::LocalKey::with`].
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => panic_access_error(error),
        }
    }

    /// See [`std::thread::LocalKey::try_with`].
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        let value = self.value()?;
        // SAFETY: values are boxed, and live until their task finishes or is torn down; those of threads
        // outside live as long as their thread.
        Ok(f(unsafe { &*value }))
    }

    /// Runs `f` with the value, which is `first` if there was none: then `f` gets no value to set.
    #[track_caller]
    fn initialize_with<R>(&self, current: Current, first: T, f: impl FnOnce(Option<T>, &T) -> R) -> R {
        let mut first = Some(first);
        let value = self.get_or_init(current, || first.take().expect("asked for once"));
        match value {
            // SAFETY: as above.
            Ok(value) => f(first, unsafe { &*value }),
            Err(error) => panic_access_error(error),
        }
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// See [`std::thread::LocalKey::set`](std::thread::LocalKey#method.set).
    #[track_caller]
    pub fn set(&'static self, value: T) {
        let Some(current) = context::current() else { return self.outside.set(value) };
        self.initialize_with(current, Cell::new(value), |value, cell| {
            if let Some(value) = value {
                cell.set(value.into_inner());
            }
        });
    }

    /// See [`std::thread::LocalKey::get`](std::thread::LocalKey#method.get).
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// See [`std::thread::LocalKey::take`](std::thread::LocalKey#method.take).
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// See [`std::thread::LocalKey::replace`](std::thread::LocalKey#method.replace).
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// See [`std::thread::LocalKey::with_borrow`].
    #[track_caller]
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        match self.with(|cell| cell.try_borrow().map(|value| f(&value))) {
            Ok(result) => result,
            Err(_) => panic_borrowed(true),
        }
    }

    /// See [`std::thread::LocalKey::with_borrow_mut`].
    #[track_caller]
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        match self.with(|cell| cell.try_borrow_mut().map(|mut value| f(&mut value))) {
            Ok(result) => result,
            Err(_) => panic_borrowed(false),
        }
    }

    /// See [`std::thread::LocalKey::set`](std::thread::LocalKey#method.set-1).
    #[track_caller]
    pub fn set(&'static self, value: T) {
        let Some(current) = context::current() else { return self.outside.set(value) };
        let set = self.initialize_with(current, RefCell::new(value), |value, cell| match value {
            Some(value) => cell.try_borrow_mut().map(|mut place| *place = value.into_inner()).is_ok(),
            None => true,
        });
        if !set {
            panic_borrowed(false);
        }
    }

    /// See [`std::thread::LocalKey::take`](std::thread::LocalKey#method.take-1).
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// See [`std::thread::LocalKey::replace`](std::thread::LocalKey#method.replace-1).
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        match self.with(|cell| cell.try_borrow_mut().map(|mut place| std::mem::replace(&mut *place, value))) {
            Ok(before) => before,
            Err(_) => panic_borrowed(false),
        }
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// See [`std::thread_local`].
// Names of items are not hygienic, and initialisers are user code: hence the unusual names.
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block; $($rest:tt)*) => {
        $crate::thread_local!(
            @key [$(#[$attr])*] [$vis] $name, $t, [const __RADDLE_INIT: $t = $init;]
            [__RADDLE_INIT] [const { __RADDLE_INIT }]
        );
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = const $init;);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr; $($rest:tt)*) => {
        $crate::thread_local!(@key [$(#[$attr])*] [$vis] $name, $t, [] [$init] [__raddle_init()]);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr) => {
        $crate::thread_local!($(#[$attr])* $vis static $name: $t = $init;);
    };
    // Attributes, visibility, items that the initialiser needs, the initialiser, and that of std's key.
    (@key [$($attr:tt)*] [$vis:vis] $name:ident, $t:ty, [$($item:item)*] [$value:expr] [$($outside:tt)*]) => {
        $($attr)*
        $vis const $name: $crate::thread::LocalKey<$t> = {
            $($item)*
            fn __raddle_init() -> $t {
                $value
            }
            $crate::thread::local_impl::std_thread_local! {
                static __RADDLE_OUTSIDE: $t = $($outside)*;
            }
            static __RADDLE_TAG: $crate::thread::local_impl::Tag = $crate::thread::local_impl::Tag::new();
            $crate::thread::LocalKey::new(&__RADDLE_TAG, &__RADDLE_OUTSIDE, __raddle_init)
        };
    };
}
