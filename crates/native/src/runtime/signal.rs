//! Handlers of signals that pass on what is not about an execution.
//!
//! Invariant: a signal that is none of raddle's business has the effect that it would have without raddle: the action that
//! was there before is kept from before the handler is installed, and it is never changed afterwards.

use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What the kernel passes to a handler: the signal, its description, and the interrupted context.
pub(super) type Raised = (libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
/// A handler.
pub(super) type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

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
