//! Fibers for processors that [`super::direct`] does not know: coroutines, which can only lead back to the driver.

use crate::runtime::tasks::stack::TaskStack;
use corosensei::{Coroutine, Yielder};
use std::cell::Cell;
use std::rc::Rc;

/// Whether [`leave`] leads to other fibers, too.
#[cfg_attr(
    all(target_arch = "x86_64", not(feature = "sanitizer")),
    expect(dead_code, reason = "here it is only tested")
)]
pub(crate) const IS_DIRECT: bool = false;

/// Where to go on: at the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct At {
    is_somewhere: bool,
}

impl At {
    pub const NOWHERE: At = At { is_somewhere: false };
    #[cfg_attr(
        all(target_arch = "x86_64", not(feature = "sanitizer")),
        expect(dead_code, reason = "here it is only tested")
    )]
    pub fn is_nowhere(self) -> bool {
        !self.is_somewhere
    }
}

pub(crate) struct Fiber {
    coroutine: Coroutine<(), (), (), TaskStack>,
    /// What leads back from it, once it has begun.
    yielder: Rc<Cell<*const Yielder<(), ()>>>,
}

impl Fiber {
    /// # Safety
    /// What `body` borrows outlives the fiber.
    pub unsafe fn new<F: FnOnce()>(stack: TaskStack, body: F) -> Fiber {
        let yielder = Rc::new(Cell::new(std::ptr::null()));
        let mine = yielder.clone();
        let life = move |yielder: &Yielder<(), ()>, ()| {
            mine.set(yielder);
            drop(mine);
            body();
        };
        // SAFETY: the caller's.
        let coroutine = unsafe { Coroutine::with_stack_unchecked(stack, life) };
        Fiber { coroutine, yielder }
    }

    /// Goes on with the fiber, until it leads back to `driver`.
    ///
    /// # Safety
    /// Its body has not come to its end, and the fiber stays where it is.
    pub unsafe fn resume(&mut self, driver: *mut At) {
        // SAFETY: the caller's.
        unsafe { *driver = At { is_somewhere: true } };
        self.coroutine.resume(());
    }

    /// Where it goes on: there is no way there but by [`Fiber::resume`].
    #[cfg_attr(
        all(target_arch = "x86_64", not(feature = "sanitizer")),
        expect(dead_code, reason = "here it is only tested")
    )]
    pub fn at(&self) -> At {
        At::NOWHERE
    }

    pub fn started(&self) -> bool {
        self.coroutine.started()
    }

    /// Nothing of what is on its stack is needed any more.
    ///
    /// # Safety
    /// Nothing refers to anything on the stack.
    pub unsafe fn force_reset(&mut self) {
        // SAFETY: the caller's.
        unsafe { self.coroutine.force_reset() };
    }

    /// The stack of a fiber that was reset.
    #[cfg_attr(
        all(target_arch = "x86_64", not(feature = "sanitizer")),
        expect(dead_code, reason = "here it is only tested")
    )]
    pub fn into_stack(self) -> TaskStack {
        self.coroutine.into_stack()
    }
}

/// Leaves the fiber that runs, until it is resumed, and goes on at the driver.
///
/// # Safety
/// `from` is the fiber that runs.
pub(crate) unsafe fn leave(from: *mut Fiber, to: At) {
    debug_assert!(to.is_somewhere);
    // SAFETY: it lives on the stack of the fiber that runs.
    unsafe { (*(*from).yielder.get()).suspend(()) };
}
