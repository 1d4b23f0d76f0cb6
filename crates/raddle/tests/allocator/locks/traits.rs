//! The same traits, variance and constant constructors as std's.

use raddle::sync as ours;
use std::cell::Cell;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync as theirs;

macro_rules! implements {
    ($type:ty: $($bound:tt)+) => {{
        #[allow(dead_code)]
        struct Probe<T: ?Sized>(PhantomData<T>);
        #[allow(dead_code)]
        trait Otherwise {
            const IT: bool = false;
        }
        impl<T: ?Sized> Otherwise for Probe<T> {}
        #[allow(dead_code)]
        impl<T: ?Sized + $($bound)+> Probe<T> {
            const IT: bool = true;
        }
        <Probe<$type>>::IT
    }};
}

macro_rules! all_traits {
    ($type:ty) => {
        [
            implements!($type: Send),
            implements!($type: Sync),
            implements!($type: UnwindSafe),
            implements!($type: RefUnwindSafe),
            implements!($type: Unpin),
            implements!($type: Debug),
            implements!($type: std::fmt::Display),
            implements!($type: Default),
            implements!($type: Clone),
            implements!($type: Copy),
            implements!($type: PartialEq),
            implements!($type: Eq),
            implements!($type: std::hash::Hash),
            implements!($type: PartialOrd),
            implements!($type: From<u8>),
            implements!($type: From<()>),
        ]
    };
}

macro_rules! same {
    ($([$($path:tt)+])+) => {
        $(assert_eq!(
            all_traits!(ours::$($path)+),
            all_traits!(theirs::$($path)+),
            "{}", stringify!($($path)+),
        );)+
    };
}

macro_rules! same_for_all {
    ($($value:ty,)+) => {
        $(same! {
            [RwLock<$value>]
            [RwLockReadGuard<'static, $value>]
            [RwLockWriteGuard<'static, $value>]
            [OnceLock<$value>]
            [LazyLock<$value>]
            [LazyLock<u8, $value>]
            [LazyLock<$value, $value>]
        })+
    };
}

#[test]
fn traits() {
    same! { [Barrier] [BarrierWaitResult] [Condvar] [WaitTimeoutResult] [Once] [OnceState] [RwLock<str>] }
    same_for_all! {
        u8, (), Cell<u8>, Rc<u8>, *const u8, &'static Cell<u8>, &'static mut u8, Box<dyn Send>, Box<dyn Sync>,
    }
}

/// As std's: a read guard is covariant.
#[allow(dead_code)]
fn covariant<'short>(
    guard: ours::RwLockReadGuard<'static, &'static str>,
) -> ours::RwLockReadGuard<'short, &'short str> {
    guard
}

#[test]
#[allow(clippy::declare_interior_mutable_const, clippy::borrow_interior_mutable_const)]
fn constants() {
    const BARRIER: ours::Barrier = ours::Barrier::new(1);
    const CONDVAR: ours::Condvar = ours::Condvar::new();
    const ONCE: ours::Once = ours::Once::new();
    const CELL: ours::OnceLock<String> = ours::OnceLock::new();
    const LAZY: ours::LazyLock<String> = ours::LazyLock::new(String::new);
    const LOCK: ours::RwLock<String> = ours::RwLock::new(String::new());
    assert!(BARRIER.wait().is_leader());
    CONDVAR.notify_one();
    ONCE.call_once(|| ());
    CELL.set(LAZY.clone()).unwrap();
    LOCK.write().unwrap().push('x');
}

#[test]
fn locks_may_hold_what_dies_before_them() {
    let lock = ours::RwLock::new(None);
    let text = String::from("dropped first");
    *lock.write().unwrap() = Some(&text);
    assert!(lock.read().unwrap().is_some());
}
