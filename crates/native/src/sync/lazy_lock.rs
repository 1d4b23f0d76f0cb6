//! `std::sync::LazyLock`: a latch, and in place the function or its value. A function that was taken and left
//! no value has panicked: the lock is poisoned.

use super::latch::{Found, Latch, Poison, initialising};
use crate::label::{Labelled, Sealed};
use crate::runtime::context;
use crate::runtime::memory::overlay::here;
use crate::runtime::operation::OperationKind;
use raddle_core::operation::ObjectId;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};

const KIND: &str = "LazyLock";

static GET: OperationKind = OperationKind::read("get");
static FORCE: OperationKind = initialising("force");

enum Data<T, F> {
    Function(F),
    /// The function runs, or it has panicked.
    Taken,
    Value(T),
}

/// See [`std::sync::LazyLock`].
pub struct LazyLock<T, F = fn() -> T> {
    latch: Latch,
    /// Accessed by the initialising task, read when the latch is done.
    data: UnsafeCell<Data<T, F>>,
}

// SAFETY: as for std's: only the initialising task takes the function; a reader of the value synchronises
// with its initialisation.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}
impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

#[cold]
#[track_caller]
fn panic_poisoned() -> ! {
    panic!("LazyLock instance has previously been poisoned");
}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// See [`std::sync::LazyLock::new`].
    #[inline]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock { latch: Latch::new(), data: UnsafeCell::new(Data::Function(f)) }
    }

    /// See [`std::sync::LazyLock::force`].
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        let this = here(this);
        match context::current() {
            None => this.latch.run_outside(Poison::Ignored, |_| this.initialise()),
            Some(current) => match this.latch.begin(current, KIND, &FORCE, Poison::Matters) {
                Found::Done => {}
                Found::Poisoned => panic_poisoned(),
                Found::Turn(turn) => {
                    this.initialise();
                    turn.done();
                }
            },
        }
        this.value()
    }

    /// Initialises; only for the task that holds the turn.
    #[track_caller]
    fn initialise(&self) {
        let data = self.data.get();
        // SAFETY: no other task accesses the data before the latch is done, and it is not borrowed while the
        // function runs.
        unsafe {
            let Data::Function(f) = data.replace(Data::Taken) else { panic_poisoned() };
            let value = f();
            *data = Data::Value(value);
        }
    }

    /// See [`std::sync::LazyLock::force_mut`].
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        if !matches!(this.data.get_mut(), Data::Value(_)) {
            this.initialise();
            this.latch.set_done();
        }
        LazyLock::get_mut(this).expect("just initialised")
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value of a latch that is done.
    fn value(&self) -> &T {
        // SAFETY: the data is never written once the latch is done.
        match unsafe { &*self.data.get() } {
            Data::Value(value) => value,
            _ => unreachable!("the latch is done"),
        }
    }

    /// See [`std::sync::LazyLock::get`].
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        let this = here(this);
        this.latch.look(KIND, &GET).then(|| this.value())
    }

    /// See [`std::sync::LazyLock::get_mut`].
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        match this.data.get_mut() {
            Data::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;
    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut d = f.debug_tuple("LazyLock");
        match LazyLock::get(self) {
            Some(value) => d.field(value),
            None => d.field(&format_args!("<uninit>")),
        };
        d.finish()
    }
}

impl<T, F> Labelled for LazyLock<T, F> {}
impl<T, F> Sealed for LazyLock<T, F> {
    #[track_caller]
    fn labelled_object(&self) -> Option<ObjectId> {
        context::current().map(|current| here(self).latch.object(current, KIND))
    }
}
