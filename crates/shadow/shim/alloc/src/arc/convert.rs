//! What becomes an `Arc`.

use super::Arc;
use core::ffi::CStr;
use real::borrow::{Cow, ToOwned};
use real::boxed::Box;
use real::ffi::CString;
use real::string::String;
use real::sync::Arc as Real;
use real::vec::Vec;

impl<T: Default> Default for Arc<T> {
    fn default() -> Arc<T> {
        Arc::new(T::default())
    }
}
impl Default for Arc<str> {
    fn default() -> Arc<str> {
        Arc::of(Real::default())
    }
}
impl Default for Arc<CStr> {
    fn default() -> Arc<CStr> {
        Arc::of(Real::default())
    }
}
impl<T> Default for Arc<[T]> {
    fn default() -> Arc<[T]> {
        Arc::of(Real::default())
    }
}

macro_rules! from {
    ($([$($generics:tt)*] $from:ty => $to:ty;)*) => {$(
        impl<$($generics)*> From<$from> for Arc<$to> {
            fn from(value: $from) -> Arc<$to> {
                Arc::of(Real::from(value))
            }
        }
    )*};
}

from! {
    [T] T => T;
    [T: ?Sized] Box<T> => T;
    [T, const N: usize] [T; N] => [T];
    [T: Clone] &[T] => [T];
    [T: Clone] &mut [T] => [T];
    [T] Vec<T> => [T];
    [] &str => str;
    [] &mut str => str;
    [] String => str;
    [] &CStr => CStr;
    [] &mut CStr => CStr;
    [] CString => CStr;
}

impl From<Arc<str>> for Arc<[u8]> {
    fn from(text: Arc<str>) -> Arc<[u8]> {
        Arc::of(Real::from(text.real()))
    }
}

impl<'a, B: ?Sized + ToOwned> From<Cow<'a, B>> for Arc<B>
where
    Arc<B>: From<&'a B> + From<B::Owned>,
{
    fn from(cow: Cow<'a, B>) -> Arc<B> {
        match cow {
            Cow::Borrowed(value) => Arc::from(value),
            Cow::Owned(value) => Arc::from(value),
        }
    }
}

impl<T, const N: usize> TryFrom<Arc<[T]>> for Arc<[T; N]> {
    type Error = Arc<[T]>;
    fn try_from(slice: Arc<[T]>) -> Result<Arc<[T; N]>, Arc<[T]>> {
        Real::try_from(slice.real()).map(Arc::of).map_err(Arc::of)
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Arc<[T]> {
        Arc::of(values.into_iter().collect())
    }
}
