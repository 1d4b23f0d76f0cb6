//! A task that overflows its stack runs into a guard page. The handler here says which task it was and what
//! to do, before the process dies as it would have anyway.

use crate::runtime::context;
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What handled the signal before.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

pub(crate) fn install_handler() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let mut before = Box::new(MaybeUninit::<libc::sigaction>::zeroed());
        // SAFETY: plain system calls; zeroed is a valid action, and all fields that matter are set.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            // On the alternative stack, which std gives to each of its threads.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGSEGV, &action, before.as_mut_ptr());
        }
        BEFORE.store(Box::into_raw(before).cast(), Ordering::Release);
    });
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes a valid description of the fault.
    let address = unsafe { (*info).si_addr() } as usize;
    if is_in_guard(address) {
        say("raddle: a task has overflowed its stack; ");
        say("give tasks a larger one with Checker::stack_size (or thread::Builder::stack_size)\n");
        // SAFETY: ends the process, with any handler of aborts.
        unsafe {
            libc::signal(libc::SIGABRT, libc::SIG_DFL);
            libc::abort()
        }
    }
    // SAFETY: the action was filled in by the system; a handler is called as it expects to be.
    unsafe {
        let before = BEFORE.load(Ordering::Acquire);
        match (*before).sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                // The fault happens again, and then it is fatal.
                libc::signal(signal, libc::SIG_DFL);
            }
            handler => {
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                    std::mem::transmute(handler);
                handler(signal, info, context);
            }
        }
    }
}

/// Whether `address` lies in the guard page of the running task's stack, or close below it: large frames may
/// jump over the page.
fn is_in_guard(address: usize) -> bool {
    const CLOSE: usize = 1 << 16;
    let Some(current) = context::current() else { return false };
    current.with(|e| {
        let limit = e.tasks.running().stack_limit();
        (limit.saturating_sub(CLOSE)..limit + CLOSE).contains(&address)
    })
}

/// Only what is allowed inside of a signal handler.
fn say(text: &str) {
    // SAFETY: writes bytes that exist.
    unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}
