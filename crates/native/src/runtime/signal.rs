//! Handlers of signals that pass on what is not about an execution.
//!
//! Invariant: a signal that is none of raddle's business has the effect that it would have without raddle: the action that
//! was there before is kept from before the handler is installed, and it is never changed afterwards.

use std::cell::RefCell;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What the kernel passes to a handler: the signal, its description, and the interrupted context.
pub(super) type Raised = (libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
/// A handler.
pub(super) type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Gives this thread a stack for handlers that is large enough for looking at the stack that was interrupted. The one that
/// std gives to its threads is not, and other threads have none.
pub(super) fn ensure_stack() {
    thread_local! {
        static STACK: RefCell<Option<HandlerStack>> = const { RefCell::new(None) };
    }
    STACK.with_borrow_mut(|stack| {
        stack.get_or_insert_with(HandlerStack::new);
    });
}

/// A stack for the handlers of a thread.
struct HandlerStack(libc::stack_t);

impl HandlerStack {
    const SIZE: usize = 256 << 10;

    fn new() -> HandlerStack {
        // SAFETY: a mapping of its own, which only handlers of this thread use until the thread ends.
        unsafe {
            let (access, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let mapping = libc::mmap(std::ptr::null_mut(), HandlerStack::SIZE, access, flags, -1, 0);
            assert!(mapping != libc::MAP_FAILED, "raddle: cannot map a stack for signals");
            let stack = libc::stack_t { ss_sp: mapping, ss_flags: 0, ss_size: HandlerStack::SIZE };
            libc::sigaltstack(&stack, std::ptr::null_mut());
            HandlerStack(stack)
        }
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        // SAFETY: no handler runs now, and what unmaps the stack leaves none behind.
        unsafe {
            let mut present: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(std::ptr::null(), &mut present);
            if present.ss_sp == self.0.ss_sp {
                let none = libc::stack_t { ss_flags: libc::SS_DISABLE, ..self.0 };
                libc::sigaltstack(&none, std::ptr::null_mut());
            }
            libc::munmap(self.0.ss_sp, self.0.ss_size);
        }
    }
}

/// A signal that raddle handles from the first check on.
pub(super) struct Chained {
    installed: Once,
    /// What handled the signal before. Never freed.
    before: AtomicPtr<libc::sigaction>,
}

impl Chained {
    pub const fn new() -> Chained {
        Chained { installed: Once::new(), before: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Installs the handler, unless it is installed.
    pub fn install(&self, signal: libc::c_int, handler: Handler, flags: libc::c_int) {
        self.installed.call_once(|| {
            // SAFETY: plain system calls; zeroed is a valid action, and all fields that matter are set.
            unsafe {
                let mut before: Box<libc::sigaction> = Box::new(std::mem::zeroed());
                // Known before the handler can run.
                libc::sigaction(signal, std::ptr::null(), &mut *before);
                self.before.store(Box::into_raw(before), Ordering::Release);
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = flags | libc::SA_SIGINFO;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        });
    }

    /// Does what was done before. Returns if the signal has no effect, or if what handled it returns.
    ///
    /// # Safety
    /// To be called by the handler, with what it was passed.
    pub unsafe fn pass_on(&self, raised: Raised) {
        let (signal, info, context) = raised;
        // SAFETY: filled in by the system, and never freed.
        let before = unsafe { &*self.before.load(Ordering::Acquire) };
        // SAFETY: the system passes a valid description. A process sent the signal if the code is not positive.
        let is_fault = unsafe { (*info).si_code } > 0;
        match before.sa_sigaction {
            libc::SIG_IGN if !is_fault => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                // SAFETY: plain system calls. A fault happens again by itself, and cannot be ignored.
                unsafe {
                    libc::signal(signal, libc::SIG_DFL);
                    if !is_fault {
                        libc::raise(signal);
                    }
                }
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                // SAFETY: a handler of this type, by its flags.
                let handler = unsafe { std::mem::transmute::<usize, Handler>(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: as above.
                let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler) };
                handler(signal);
            }
        }
    }
}
