//! From any stack to any other, in a dozen instructions.
//!
//! A stack that is left keeps the two registers that the compiler does not let go of, and the address at which it goes
//! on, on top. All other registers are declared lost, so the compiler keeps what it needs on the stack itself.
//! A panic never crosses a switch: tasks catch their own.

use crate::runtime::tasks::stack::TaskStack;
use corosensei::stack::Stack;
use std::arch::asm;

/// Whether [`leave`] leads to other fibers, too.
pub(crate) const IS_DIRECT: bool = true;

/// Where a stack that was left goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct At(*mut usize);

impl At {
    pub const NOWHERE: At = At(std::ptr::null_mut());
    #[inline(always)]
    pub fn is_nowhere(self) -> bool {
        self.0.is_null()
    }
}

pub(crate) struct Fiber {
    at: At,
    /// Drops what it was to do, which is at this address; none once it has begun.
    unborn: Option<unsafe fn(*mut ())>,
    body: *mut (),
    stack: TaskStack,
}

impl Fiber {
    /// # Safety
    /// What `body` borrows outlives the fiber.
    #[inline]
    pub unsafe fn new<F: FnOnce()>(stack: TaskStack, body: F) -> Fiber {
        const { assert!(align_of::<F>() <= 4096) };
        let align = align_of::<F>().max(16);
        let base = stack.base().get() as *mut u8;
        // SAFETY: all of this is within the stack, which is not in use yet; what is thrown away of its addresses keeps
        // them aligned as both the body and a function's frame need it.
        unsafe {
            let room = (base.addr() - size_of::<F>()) & !(align - 1);
            let place = base.with_addr(room).cast::<F>();
            place.write(body);
            // The address where it goes on, and one to return to, at which the frames of the stack come to their end.
            let at = place.cast::<usize>().sub(4);
            at.write(begin::<F> as *const () as usize);
            at.add(1).write(0);
            at.add(2).write(place.addr());
            Fiber { at: At(at), unborn: Some(discard::<F>), body: place.cast(), stack }
        }
    }

    /// Goes on with the fiber, until another fiber, or this one, switches back to `driver`.
    ///
    /// # Safety
    /// Its body has not come to its end, and the fiber stays where it is.
    #[inline(always)]
    pub unsafe fn resume(&mut self, driver: *mut At) {
        self.unborn = None;
        // SAFETY: the caller's.
        unsafe { switch(driver, self.at) };
    }

    /// Where it goes on.
    #[inline(always)]
    pub fn at(&self) -> At {
        self.at
    }

    pub fn started(&self) -> bool {
        self.unborn.is_none()
    }

    /// Nothing of what is on its stack is needed any more.
    ///
    /// # Safety
    /// Nothing refers to anything on the stack.
    #[inline(always)]
    pub unsafe fn force_reset(&mut self) {
        self.unborn = None;
    }

    /// The stack of a fiber that has come to its end, or was reset.
    #[inline(always)]
    pub fn into_stack(self) -> TaskStack {
        debug_assert!(self.started());
        // SAFETY: the rest needs no drop.
        let stack = unsafe { std::ptr::read(&raw const self.stack) };
        std::mem::forget(self);
        stack
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if let Some(discard) = self.unborn {
            // SAFETY: the body is where it was put.
            unsafe { discard(self.body) };
        }
    }
}

unsafe fn discard<F>(body: *mut ()) {
    // SAFETY: the caller's.
    unsafe { body.cast::<F>().drop_in_place() };
}

/// Leaves the fiber that runs, until another fiber or the driver switches back to it, and goes on at `to`.
///
/// # Safety
/// `from` is the fiber that runs, and stays where it is; `to` was left and is there still.
#[inline(always)]
pub(crate) unsafe fn leave(from: *mut Fiber, to: At) {
    // SAFETY: the caller's.
    unsafe { switch(&raw mut (*from).at, to) };
}

/// The first function of every fiber. Its arguments come in the registers in which [`switch`] has its own.
unsafe extern "C" fn begin<F: FnOnce()>(_: *mut At, at: *const usize) -> ! {
    // SAFETY: `new` has put it there, and this happens once.
    let body = unsafe { at.add(2).read() as *const F };
    // SAFETY: as above.
    let body = unsafe { body.read() };
    body();
    unreachable!("the body of a fiber leaves it for ever instead of returning");
}

/// Puts into `from` where this stack goes on, and goes on at `to`.
// With a jump: a return would be foreseen to lead back to where this stack was called from.
#[inline(always)]
unsafe fn switch(from: *mut At, to: At) {
    // SAFETY: the caller's; all other registers are declared as clobbered.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rdi], rsp",
            "mov rsp, rsi",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inlateout("rdi") from => _,
            inlateout("rsi") to.0 => _,
            lateout("r12") _,
            lateout("r13") _,
            lateout("r14") _,
            lateout("r15") _,
            clobber_abi("sysv64"),
        );
    }
}
