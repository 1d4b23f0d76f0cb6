//! A task that overflows its stack runs into a guard page. The handler here says which task it was and what
//! to do, before the process dies as it would have anyway. Other faults are what they were before.

use crate::runtime::context;
use crate::runtime::signal::Chained;

static SIGNAL: Chained = Chained::new();

pub(crate) fn install_handler() {
    // On the alternative stack, which std gives to each of its threads.
    SIGNAL.install(libc::SIGSEGV, on_fault, libc::SA_ONSTACK);
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
    // SAFETY: this is the handler.
    unsafe { SIGNAL.pass_on((signal, info, context)) };
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
