//! Labels of objects, for reports: `Mutex#2 "accounts"`.

use crate::cell::UnsafeCell;
use crate::runtime::context;
use crate::runtime::memory::overlay::here;
use crate::sync::Mutex;
use raddle_core::operation::ObjectId;
use std::rc::Rc;
use std::sync::Arc;

mod sealed {
    use raddle_core::operation::ObjectId;

    pub trait Sealed {
        /// The object that carries the label; none outside of explorations.
        #[track_caller]
        fn labelled_object(&self) -> Option<ObjectId>;
    }
}
pub(crate) use sealed::Sealed;

/// An object that can have a label: locks, atomics, cells and the like, and pointers to them.
pub trait Labelled: Sealed {}

/// Labels an object in the reports of the present execution. Does nothing outside explorations.
///
/// ```
/// # mod raddle { pub use raddle_native::{label::label, sync}; }
/// let accounts = raddle::sync::Mutex::new([100, 0]);
/// raddle::label(&accounts, "accounts");
/// ```
#[track_caller]
pub fn label<T: Labelled + ?Sized>(object: &T, name: impl Into<Box<str>>) {
    let name = name.into();
    let Some(current) = context::current() else { return };
    if current.with(|e| e.is_teardown()) {
        return;
    }
    if let Some(object) = object.labelled_object() {
        let before = current.with(|e| e.set_label(object, name.clone()));
        drop(before);
    }
}

impl<T: ?Sized> Labelled for Mutex<T> {}
impl<T: ?Sized> Sealed for Mutex<T> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).object(current))
    }
}

impl<T: ?Sized> Labelled for UnsafeCell<T> {}
impl<T: ?Sized> Sealed for UnsafeCell<T> {
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().and_then(|current| here(self).object(current))
    }
}

macro_rules! through_pointers {
    ($($pointer:ty),*) => {$(
        impl<T: Labelled + ?Sized> Labelled for $pointer {}
        impl<T: Labelled + ?Sized> Sealed for $pointer {
            #[track_caller]
            fn labelled_object(&self) -> Option<ObjectId> {
                (**self).labelled_object()
            }
        }
    )*};
}

through_pointers!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);
