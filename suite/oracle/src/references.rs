//! Counted references of the programs that are run: an `Arc` and a `Weak` whose counts are operations, as those of the
//! facade of std are under `cargo raddle test`. The library has std's own, which are not tracked.
//!
//! Invariant: each function announces its operation and then does what std's function of the same name does.

use crate::program::{Destructor, Stmt, mark};
use crate::run::{Own, Shared};
use raddle::sync::atomic::Ordering::SeqCst;
use raddle::sync::counts::{What, begin_drop, end_drop, turn_of};
use std::mem::ManuallyDrop;
use std::sync::{Arc, PoisonError, Weak};

/// What is counted. Its destructor does what the program says.
pub struct Counted {
    shared: Arc<Shared>,
    destructor: Destructor,
}

impl Drop for Counted {
    fn drop(&mut self) {
        match self.destructor {
            Destructor::Nothing => {}
            Destructor::Store(var, value) => self.shared.vars[var].store(value, SeqCst),
            Destructor::Lock(mutex, value) => {
                *self.shared.mutexes[mutex].lock().unwrap_or_else(PoisonError::into_inner) = value;
            }
        }
    }
}

/// A strong reference. The real one is there until it is dropped.
pub struct Strong(ManuallyDrop<Arc<Counted>>);

/// A weak reference.
pub struct Faint(Weak<Counted>);

fn turn(what: What, place: *const Counted, count: impl Fn() -> usize) {
    turn_of("Counted", what, place.addr(), count);
}

impl Strong {
    /// The first reference.
    pub fn new(shared: Arc<Shared>, destructor: Destructor) -> Strong {
        Strong(ManuallyDrop::new(Arc::new(Counted { shared, destructor })))
    }
    fn turn(&self, what: What) {
        turn(what, Arc::as_ptr(&self.0), || Arc::strong_count(&self.0));
    }
    /// The real one. The caller is responsible for the count.
    fn real(self) -> Arc<Counted> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used again nor dropped.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
    /// `Arc::downgrade`.
    pub fn downgrade(&self) -> Faint {
        self.turn(What::Downgrade);
        Faint(Arc::downgrade(&self.0))
    }
    fn count(&self) -> usize {
        self.turn(What::Count);
        Arc::strong_count(&self.0)
    }
    fn try_unwrap(self) -> Result<Counted, Strong> {
        self.turn(What::TryUnwrap);
        Arc::try_unwrap(self.real()).map_err(|real| Strong(ManuallyDrop::new(real)))
    }
    fn into_inner(self) -> Option<Counted> {
        self.turn(What::IntoInner);
        Arc::into_inner(self.real())
    }
}

impl Clone for Strong {
    fn clone(&self) -> Strong {
        self.turn(What::Clone);
        Strong(self.0.clone())
    }
}

impl Drop for Strong {
    fn drop(&mut self) {
        self.turn(What::Drop);
        begin_drop(Arc::as_ptr(&self.0).addr(), Arc::strong_count(&self.0) == 1);
        // SAFETY: it is not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        end_drop();
    }
}

impl Faint {
    fn upgrade(&self) -> Option<Strong> {
        turn(What::Upgrade, self.0.as_ptr(), || self.0.strong_count());
        self.0.upgrade().map(|real| Strong(ManuallyDrop::new(real)))
    }
}

impl Drop for Faint {
    fn drop(&mut self) {
        turn(What::DropWeak, self.0.as_ptr(), || self.0.strong_count());
    }
}

impl Own {
    /// A statement about counted references.
    pub(crate) fn refers(&mut self, stmt: &Stmt) {
        if *stmt == Stmt::Upgrade {
            let strong = self.faint.as_ref().expect("it has one").upgrade();
            self.log(if strong.is_some() { mark::OK } else { mark::EMPTY });
            return self.strong.extend(strong);
        }
        let Some(strong) = self.strong.pop() else { return self.log(mark::SKIPPED) };
        match stmt {
            Stmt::DropArc => drop(strong),
            Stmt::CloneArc => {
                let clone = strong.clone();
                self.strong.extend([strong, clone]);
            }
            Stmt::StrongCount => {
                self.log(strong.count() as i8);
                self.strong.push(strong);
            }
            Stmt::TryUnwrap => match strong.try_unwrap() {
                Ok(value) => {
                    self.log(mark::OK);
                    drop(value);
                }
                Err(strong) => {
                    self.log(mark::REFUSED);
                    self.strong.push(strong);
                }
            },
            Stmt::IntoInner => {
                let value = strong.into_inner();
                self.log(if value.is_some() { mark::OK } else { mark::EMPTY });
                drop(value);
            }
            other => unreachable!("{other:?} is about something else"),
        }
    }
}
